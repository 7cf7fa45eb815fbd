"""English: words, units and grammar."""

from cosyedge.text.cardinals import spell
from cosyedge.text.grammar import Clock, Currency, Date, Grammar, currency_table
from cosyedge.text.languages.en_abbreviations import ABBREVIATIONS
from cosyedge.text.numerals import Number
from cosyedge.text.units import UnitWords, unit_words

UNITS = UnitWords(
    words=unit_words("""
°C | degree Celsius | degrees Celsius | temperature
°F | degree Fahrenheit | degrees Fahrenheit | temperature
° | degree | degrees
°/s | degree per second | degrees per second
K | kelvin
% | percent
‰ | per mille
%RH | percent relative humidity
m | meter | meters
mi | mile | miles
ft | foot | feet
yd | yard | yards
kn | knot | knots
mph | mile per hour | miles per hour
m/s² | meter per second squared | meters per second squared
g | gram | grams
t | tonne | tonnes
lb | pound | pounds
oz | ounce | ounces
l | liter | liters
gal | gallon | gallons
GPM | gallon per minute | gallons per minute
ha | hectare | hectares
s | second | seconds
min | minute | minutes
h | hour | hours
d | day | days
wk | week | weeks
Hz | hertz
W | watt | watts
Wh | watt hour | watt hours
kWp | kilowatt peak | kilowatts peak
VA | volt ampere | volt amperes
var | var | vars
hp | horsepower
V | volt | volts
A | ampere | amperes
Ah | ampere hour | ampere hours
Ω | ohm | ohms
kΩ | kilohm | kilohms
MΩ | megohm | megohms
Pa | pascal | pascals
bar | bar
mbar | millibar | millibars
psi | p s i
atm | atmosphere | atmospheres
mmHg | millimeter of mercury | millimeters of mercury
N | newton | newtons
Nm | newton meter | newton meters
J | joule | joules
cal | calorie | calories
S | siemens
Sv | sievert | sieverts
Bq | becquerel | becquerels
mol | mole | moles
rpm | revolution per minute | revolutions per minute
rps | revolution per second | revolutions per second
bpm | beat per minute | beats per minute
FPS | frame per second | frames per second
ppm | part per million | parts per million
ppb | part per billion | parts per billion
dB | decibel | decibels
dBA | decibel A | decibels A
dBm | d B m
lx | lux
lm | lumen | lumens
cd | candela
px | pixel | pixels
B | byte | bytes
bit | bit | bits
KiB | kibibyte | kibibytes
MiB | mebibyte | mebibytes
GiB | gibibyte | gibibytes
ct | cent | cents
l/100km | liter per hundred kilometers | liters per hundred kilometers
pcs | piece | pieces
"""),
    prefixes={
        "T": "tera", "G": "giga", "M": "mega", "k": "kilo", "h": "hecto", "d": "deci", "c": "centi",
        "m": "milli", "µ": "micro", "n": "nano",
    },
    square="square {}",
    cubic="cubic {}",
    over="{0} per {1}",
)  # fmt: skip

CURRENCIES = currency_table("""
$ US$ USD | dollar | dollars | cent | cents
€ EUR | euro | euros | cent | cents
£ GBP | pound | pounds | penny | pence
¥ ￥ JPY | yen | yen
CN¥ RMB CNY 元 | yuan | yuan
₩ KRW | won | won
HK$ HKD | Hong Kong dollar | Hong Kong dollars | cent | cents
NT$ TWD | Taiwan dollar | Taiwan dollars | cent | cents
A$ AUD | Australian dollar | Australian dollars | cent | cents
C$ CAD | Canadian dollar | Canadian dollars | cent | cents
S$ SGD | Singapore dollar | Singapore dollars | cent | cents
CHF | Swiss franc | Swiss francs | centime | centimes
₹ INR | rupee | rupees | paisa | paise
""")

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip

SIGNS = {
    "<=": "less than or equal to", "≤": "less than or equal to", "⩽": "less than or equal to",
    ">=": "greater than or equal to", "≥": "greater than or equal to",
    "⩾": "greater than or equal to",
    "<": "less than", ">": "greater than", "!=": "not equal to", "≠": "not equal to",
    "==": "equals", "=": "equals", "≈": "approximately", "&": "and", "+": "plus",
    "±": "plus or minus", "×": "times", "÷": "divided by", "%": "percent", "°": "degrees",
    "@": "at", "→": "to", "№": "number", "§": "section", "µ": "micro", "Ω": "ohm",
    "€": "euros", "$": "dollars", "£": "pounds", "∞": "infinity",
}  # fmt: skip


class English(Grammar):
    """British 'and' is never said; zeros inside a code are said oh."""

    code = "en"
    digit_words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    point = " point "
    minus = "minus "
    plus = "plus "
    plus_minus = "plus or minus "
    to = " to "
    stroke = " over "
    less = " minus "
    by = " by "
    about = "about "
    versus = " to "
    dot = " dot "
    version = "version "
    link = "link"
    at = " at "
    name_joint = " "
    out_of = " of "
    units = UNITS
    currencies = CURRENCIES
    signs = SIGNS
    abbreviations = ABBREVIATIONS
    ratio_words = (
        r"scor\w+|ratio|odds|aspect|scale|proportion|result|won|lost|beat|leads?|draw|mix\w*"
    )
    code_words = (
        r"rooms?|suite|gates?|bays?|flight|apartment|apt\.?|office|extension|ext\.?|locker|code|pin|"
        r"order|ticket|serial|error|alarm|fault|batch|badge|invoice|part|dock|bus|train|"
        r"route|job|door|channel|number|no\.|#|id|unit|cell|shelf|slot|rack|node"
    )
    phone_words = (
        r"call|dial|phone|telephone|tel\.?|fax|mobile|hotline|contact|ring|text|sms|number is"
    )

    def code_number(self, run: str) -> str:
        """Say a code, its inner single zeros as oh."""
        said = super().code_number(run)
        if len(run) == 3 and run[0] != "0" and run[1] == "0" and run[2] != "0":
            return said.replace(" zero ", " oh ")
        return said

    def ordinal(self, number: str) -> str:
        """Say second, twenty-first."""
        return spell("en", int(number), "ordinal")

    def money(self, number: Number, scale: str, currency: Currency) -> str:
        """Say four dollars and fifty cents."""
        sign = self.sign(number.sign)
        cents = number.fraction
        if scale or not currency.cent or len(cents) not in (0, 2):
            one = number.is_one and not scale
            amount = self.unsigned(number) + scale
            return f"{sign}{amount} {currency.one if one else currency.many}"
        parts = []
        if int(number.whole) or not int(cents or 0):
            unit = currency.one if number.whole == "1" else currency.many
            parts.append(f"{self.cardinal(number.whole)} {unit}")
        if cents and int(cents):
            minor = currency.cent if int(cents) == 1 else currency.cents
            parts.append(f"{self.cardinal(str(int(cents)))} {minor}")
        return sign + " and ".join(parts)

    def clock(self, clock: Clock) -> str:
        """Say ten oh five; seven PM; eighteen thirty."""
        half = {"am": " AM", "pm": " PM"}.get(clock.half, "")
        hour = clock.hour if clock.hour or not half else 12
        if not half and hour in (0, 24):
            if not clock.minute and not clock.second:
                return "midnight"
            hour, half = 12, " AM"
        said = self.cardinal(str(hour))
        if clock.minute == 0 and not clock.second:
            return said + (half or (" o'clock" if hour <= 12 else " hundred"))
        minute = self.cardinal(str(clock.minute))
        if clock.minute == 0:
            said += " o'clock"
        else:
            said += f" oh {minute}" if clock.minute < 10 else f" {minute}"
        if clock.second:
            seconds = "second" if clock.second == 1 else "seconds"
            said += f" and {self.cardinal(str(clock.second))} {seconds}"
        return said + half

    def numbered(self, run: str) -> str:
        """Say number three."""
        return f"number {self.code_number(run)}"

    def date(self, date: Date) -> str:
        """Say December second, twenty twenty-six."""
        said = MONTHS[date.month - 1]
        if date.day:
            said += f" {self.ordinal(str(date.day))}"
        if date.year:
            said += f"{',' if date.day else ''} {self.year(date.year)}"
        return said

    def date_range(self, first: Date, last: Date) -> str:
        """Say the month once where it is the same."""
        if first.year or first.month != last.month or not first.day:
            return super().date_range(first, last)
        year = f", {self.year(last.year)}" if last.year else ""
        return f"{self.date(first)} to {self.ordinal(str(last.day))}{year}"

    def year(self, year: str) -> str:
        """Say twenty twenty-six, two thousand five, nineteen oh five."""
        said = spell("en", int(year), "year")
        return said.replace("-oh ", "-oh-") if "-oh" in said else said

    def fraction(self, whole: str, part: str, of: str) -> str:
        """Say one half, three quarters, two and a half."""
        said = self._part(part, of)
        if not whole:
            return said
        article = said.replace("one ", "a ", 1) if part == "1" else said
        return f"{self.cardinal(whole)} and {article}"

    def _part(self, part: str, of: str) -> str:
        name = {"2": "half", "4": "quarter"}.get(of) or self.ordinal(of)
        if part != "1":
            name = "halves" if name == "half" else name + "s"
        return f"{self.cardinal(part)} {name}"


GRAMMAR = English()
