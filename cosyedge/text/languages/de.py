"""German: words, units and grammar; one and the ordinals are inflected."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from cosyedge.text.cardinals import spell
from cosyedge.text.grammar import Clock, Currency, Date, Grammar, currency_table
from cosyedge.text.languages.de_nouns import MONTHS, inflect, one
from cosyedge.text.numerals import Number
from cosyedge.text.units import Unit, UnitWords, unit_words

#: The trait is the gender: m, f, n.
UNITS = UnitWords(
    words=unit_words("""
°C | Grad Celsius | | temperature
°F | Grad Fahrenheit | | temperature
° | Grad | | n
°/s | Grad pro Sekunde | | n
K | Kelvin | | n
% | Prozent | | n
‰ | Promille | | n
%RH | Prozent relative Feuchte | | n
m | Meter | | m
mi | Meile | Meilen | f
ft | Fuß | | m
yd | Yard | | n
kn | Knoten | | m
mph | Meile pro Stunde | Meilen pro Stunde | f
m/s² | Meter pro Sekunde zum Quadrat | | m
g | Gramm | | n
t | Tonne | Tonnen | f
lb | Pfund | | n
oz | Unze | Unzen | f
l | Liter | | m
gal | Gallone | Gallonen | f
GPM | Gallone pro Minute | Gallonen pro Minute | f
ha | Hektar | | m
s | Sekunde | Sekunden | f
min | Minute | Minuten | f
h | Stunde | Stunden | f
d | Tag | Tage | m
wk | Woche | Wochen | f
Hz | Hertz | | n
W | Watt | | n
Wh | Wattstunde | Wattstunden | f
kWp | Kilowatt Peak | | n
VA | Voltampere | | n
var | Var | | n
hp | PS | | n
V | Volt | | n
A | Ampere | | n
Ah | Amperestunde | Amperestunden | f
Ω | Ohm | | n
MΩ | Megaohm | | n
Pa | Pascal | | n
bar | Bar | | n
psi | P S I
atm | Atmosphäre | Atmosphären | f
mmHg | Millimeter Quecksilbersäule | | m
N | Newton | | n
Nm | Newtonmeter | | m
J | Joule | | n
cal | Kalorie | Kalorien | f
S | Siemens | | n
Sv | Sievert | | n
Bq | Becquerel | | n
mol | Mol | | n
rpm | Umdrehung pro Minute | Umdrehungen pro Minute | f
rps | Umdrehung pro Sekunde | Umdrehungen pro Sekunde | f
bpm | Schlag pro Minute | Schläge pro Minute | m
FPS | Bild pro Sekunde | Bilder pro Sekunde | n
ppm | P P M
ppb | P P B
dB | Dezibel | | n
dBA | Dezibel A | | n
dBm | D B M
lx | Lux | | n
lm | Lumen | | n
cd | Candela | | f
px | Pixel | | n
B | Byte | Byte | n
bit | Bit | Bit | n
KiB | Kibibyte | | n
MiB | Mebibyte | | n
GiB | Gibibyte | | n
ct | Cent | | m
l/100km | Liter auf hundert Kilometer | | m
pcs | Stück | | n
Std. | Stunde | Stunden | f
Min. | Minute | Minuten | f
Sek. | Sekunde | Sekunden | f
Stk. | Stück | | n
St. | Stück | | n
km/h | Kilometer pro Stunde | | m
"""),
    prefixes={
        "T": "Tera", "G": "Giga", "M": "Mega", "k": "Kilo", "h": "Hekto", "d": "Dezi",
        "c": "Zenti", "m": "Milli", "µ": "Mikro", "n": "Nano",
    },
    square="Quadrat{}",
    cubic="Kubik{}",
    over="{0} pro {1}",
    joined_lower=True,
)  # fmt: skip


class German(Grammar):
    """The decimal mark is a comma; numbers below a million are one word."""

    code = "de"
    decimal_comma = True
    digit_words = (
        "null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun",
    )  # fmt: skip
    point = " Komma "
    minus = "minus "
    plus = "plus "
    plus_minus = "plus minus "
    to = " bis "
    stroke = " zu "
    less = " minus "
    by = " mal "
    about = "ungefähr "
    versus = " zu "
    dot = " Punkt "
    version = "Version "
    link = "Link"
    at = " ät "
    name_joint = " "
    out_of = " von "
    units = UNITS
    own_units = ("Std.", "Min.", "Sek.", "Stk.", "St.")
    currencies = currency_table("""
€ EUR | Euro | Euro | Cent | Cent
$ US$ USD | Dollar | Dollar | Cent | Cent
£ GBP | Pfund | Pfund | Penny | Pence
¥ ￥ JPY | Yen | Yen
CN¥ RMB CNY 元 | Yuan | Yuan
₩ KRW | Won | Won
HK$ HKD | Hongkong-Dollar | Hongkong-Dollar | Cent | Cent
NT$ TWD | Taiwan-Dollar | Taiwan-Dollar | Cent | Cent
A$ AUD | Australische Dollar | Australische Dollar | Cent | Cent
C$ CAD | Kanadische Dollar | Kanadische Dollar | Cent | Cent
S$ SGD | Singapur-Dollar | Singapur-Dollar | Cent | Cent
CHF Fr. | Franken | Franken | Rappen | Rappen
₹ INR | Rupien | Rupien
""")
    signs: ClassVar[Mapping[str, str]] = {
        "<=": "kleiner oder gleich", "≤": "kleiner oder gleich", ">=": "größer oder gleich",
        "≥": "größer oder gleich", "<": "kleiner als", ">": "größer als", "!=": "ungleich",
        "≠": "ungleich", "==": "gleich", "=": "gleich", "≈": "ungefähr", "&": "und",
        "+": "plus", "±": "plus minus", "×": "mal", "÷": "geteilt durch", "%": "Prozent",
        "°": "Grad", "@": "ät", "→": "nach", "№": "Nummer", "§": "Paragraf", "µ": "mikro",
        "Ω": "Ohm", "€": "Euro", "$": "Dollar", "£": "Pfund", "∞": "unendlich",
    }  # fmt: skip
    abbreviations = (
        (r"z\.\s?B\.(?=\s)", "zum Beispiel"),
        (r"d\.\s?h\.(?=\s)", "das heißt"),
        (r"u\.\s?a\.(?=\s)", "unter anderem"),
        (r"v\.\s?a\.(?=\s)", "vor allem"),
        (r"ca\.(?=\s)", "circa"),
        (r"usw\.(?=\s+[a-zäöü(])", "und so weiter"),
        (r"usw\b", "und so weiter"),
        (r"bzw\.(?=\s)", "beziehungsweise"),
        (r"ggf\.(?=\s)", "gegebenenfalls"),
        (r"evtl\.(?=\s)", "eventuell"),
        (r"inkl\.(?=\s)", "inklusive"),
        (r"exkl\.(?=\s)", "exklusive"),
        (r"mind\.(?=\s)", "mindestens"),
        (r"[Mm]ax\.(?=\s)", "maximal"),
        (r"[Mm]in\.(?=\s)", "minimal"),
        (r"Dr\.(?=\s)", "Doktor"),
        (r"Prof\.(?=\s)", "Professor"),
        (r"Hr\.(?=\s)", "Herr"),
        (r"Fr\.(?=\s[A-ZÄÖÜ])", "Frau"),
        (r"Nr\.\s?(?=\w)", "Nummer "),
        (r"Tel\.(?=[\s:])", "Telefon"),
        (r"Abt\.(?=\s)", "Abteilung"),
        (r"Temp\.(?=\s)", "Temperatur"),
        (r"Str\.(?=\s)", "Straße"),
        (r"EG\b", "Erdgeschoss"),
        (r"OG\b", "Obergeschoss"),
        (r"UG\b", "Untergeschoss"),
        (r"Mio\.(?=\s)", "Millionen"),
        (r"Mrd\.(?=\s)", "Milliarden"),
        (r"Tsd\.(?=\s)", "Tausend"),
        (r"Mo\.(?=[\s,])", "Montag"),
        (r"Di\.(?=[\s,])", "Dienstag"),
        (r"Mi\.(?=[\s,])", "Mittwoch"),
        (r"Do\.(?=[\s,])", "Donnerstag"),
        (r"Sa\.(?=[\s,])", "Samstag"),
    )
    ratio_words = (
        r"Endstand|Spielstand|Stand|Ergebnis|Verhältnis|Maßstab|Mischung\w*|gewonnen|verloren|gewinnt|"
        r"verliert|führt|Tore|Quote|Spiel"
    )
    code_words = (
        r"Raum|Zimmer|Büro|Gate|Flug|Code|PIN|Bestellung|Auftrag|Ticket|Serie\w*|Fehler|Alarm|Störung|Charge|"
        r"Artikel|Durchwahl|Nummer|Nr\.|Bus|Schließfach|Kanal|Spind"
    )
    phone_words = (
        r"Tel\.?|Telefon|Rufen|Anruf|Notruf|wählen|Wählen|Fax|Handy|Mobil|Hotline|Rufnummer|unter"
    )

    def measure(
        self, numbers: Sequence[Number], unit: Unit, joint: str = "", before: str = ""
    ) -> str:
        """Say eine Stunde, in einer Stunde, minus ein Grad."""
        if len(numbers) > 1 and numbers[0].is_one and not numbers[0].sign:
            # ein bis zwei Stunden: before a plural, one is not inflected.
            return f"ein{joint or self.to}{super().measure(numbers[1:], unit, joint, before)}"
        if len(numbers) > 1 or not numbers[0].is_one or not unit.trait:
            return super().measure(numbers, unit, joint, before)
        gender = "n" if unit.trait == "temperature" else unit.trait
        return f"{self.sign(numbers[0].sign)}{one(gender, before)} {unit.one}"

    def ordinal(self, number: str, before: str, gender: str) -> str:
        """Say dritte, dritten, dritter, drittes as its neighbours ask."""
        return inflect(spell("de", int(number), "ordinal"), before, gender)

    def money(self, number: Number, scale: str, currency: Currency) -> str:
        """Say vier Euro fünfzig, ein Euro, neunundneunzig Cent."""
        sign, cents = self.sign(number.sign), number.fraction
        if scale or not currency.cent or len(cents) not in (0, 2):
            return f"{sign}{self.unsigned(number)}{scale} {currency.many}"
        euros = "ein" if number.whole == "1" else self.cardinal(number.whole)
        if cents and int(cents) and not int(number.whole):
            amount = "ein" if int(cents) == 1 else self.cardinal(str(int(cents)))
            return f"{sign}{amount} {currency.cent if int(cents) == 1 else currency.cents}"
        said = f"{sign}{euros} {currency.many}"
        return said + (f" {self.cardinal(str(int(cents)))}" if cents and int(cents) else "")

    def clock(self, clock: Clock) -> str:
        """Say acht Uhr dreißig."""
        hour = clock.hour_24
        said = ("ein" if hour == 1 else self.cardinal(str(hour))) + " Uhr"
        if clock.minute:
            said += f" {self.cardinal(str(clock.minute))}"
        if clock.second:
            seconds = (
                "eine Sekunde"
                if clock.second == 1
                else (f"{self.cardinal(str(clock.second))} Sekunden")
            )
            said += f" und {seconds}"
        return said

    def numbered(self, run: str) -> str:
        """Say Nummer drei."""
        return f"Nummer {self.code_number(run)}"

    def date(self, date: Date) -> str:
        """Say dritter Dezember zweitausendsechsundzwanzig; am dritten Dezember."""
        month, year = MONTHS[date.month - 1], f" {self.year(date.year)}" if date.year else ""
        day = f"{self.ordinal(str(date.day), date.before, 'm')} " if date.day else ""
        return day + month + year

    def date_range(self, first: Date, last: Date) -> str:
        """Say the month once where it is the same."""
        end = self.date(Date(last.month, last.day, last.year, first.before))
        if first.year or first.month != last.month:
            return self.date(first) + self.to + end
        return self.ordinal(str(first.day), first.before, "m") + self.to + end

    def year(self, year: str) -> str:
        """Say neunzehnhundertachtundneunzig, zweitausendsechsundzwanzig."""
        return spell("de", int(year), "year")

    def fraction(self, whole: str, part: str, of: str) -> str:
        """Say drei Viertel, ein halb, zweieinhalb."""
        if of == "2" and part == "1":
            return (
                f"{self.cardinal(whole)}einhalb"
                if whole and whole != "1"
                else ("eineinhalb" if whole else "ein halb")
            )
        name = "Drittel" if of == "3" else spell("de", int(of), "ordinal")[:-2] + "tel"
        name = name.replace("ttel", "tel") if of not in ("3", "8") else name
        said = f"{'ein' if part == '1' else self.cardinal(part)} {name[:1].upper()}{name[1:]}"
        return f"{self.cardinal(whole)} {said}" if whole else said


GRAMMAR = German()
