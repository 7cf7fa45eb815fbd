"""The symbols of units, and how their words are put together in a language."""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Prefixes in use, by base: nobody announces decivolts.
_PREFIXED = {
    "m": "k d c m µ n",
    "g": "k m µ",
    "l": "h d c m µ",
    "W": "G M k m",
    "Wh": "T G M k",
    "V": "M k m µ",
    "A": "k m µ",
    "Ah": "m",
    "Hz": "G M k",
    "Pa": "M k h",
    "bar": "m",
    "B": "T G M k",
    "bit": "G M k",
    "Ω": "M k",
    "J": "G M k",
    "N": "k",
    "s": "m µ n",
    "VA": "M k",
    "var": "k",
    "cal": "k",
    "S": "m µ",
    "Bq": "k",
    "Sv": "m µ",
    "gal": "",
}
_PLAIN = _words(
    "°C °F ° K % ‰ %RH mi ft yd t lb oz ha s min h d wk mph kn hp psi atm mmHg Nm rpm bpm ppm ppb "
    "dB dBA dBm lx lm cd px KiB MiB GiB kWp pcs m/s² rps GPM mol FPS °/s ct"
)
_OVER = _words("h min s d km m cm m² m³ cm² cm³ dm³ l dl kg mol pcs")
_BARE_BASES = frozenset(_PREFIXED) - {"B", "S", "bit", "var"}

#: Other spellings; upper case is common on signs and in Chinese texts.
_OTHER_SPELLINGS = """
l/100km = L/100km,
°C = ℃ degC, °F = ℉ degF, ° = deg, %RH = %rH %rh, rpm = RPM r/min U/min 1/min, km = KM Km,
kg = KG Kg, ml = mL ML, cm = CM, mm = MM, l = L, cl = cL, dl = dL, hl = hL, µl = µL ul uL,
km/h = kmh kph KM/H Km/h km/hr KPH, h = hr hrs, min = mins Min, s = sec secs, wk = wks, lb = lbs,
l/min = lpm LPM, m² = m2 sqm ㎡, m³ = m3 ㎥ cbm, cm² = cm2, cm³ = cm3 cc, mm² = mm2, km² = km2,
dm³ = dm3, ft² = ft2 sqft, m³/h = m3/h, kW = KW kw Kw, kWh = KWH kwh Kwh KWh, kHz = KHz KHZ khz,
Hz = HZ hz, MHz = MHZ mhz, GHz = GHZ ghz, kPa = KPa KPA kpa, MPa = MPA Mpa, bar = Bar BAR,
dB = db DB, dBA = dB(A), kB = KB, ppm = PPM, Ω = ohm Ohm ohms, kΩ = kohm, µm = um, µg = ug,
µs = us, µA = uA, µV = uV, µg/m³ = ug/m3 µg/m3 ug/m³, mg/m³ = mg/m3, g/m³ = g/m3, kg/m³ = kg/m3,
W/m² = W/m2, kbit/s = kbps Kbps, Mbit/s = Mbps Mb/s, Gbit/s = Gbps Gb/s, m/s² = m/s2, hp = HP PS,
kV = KV kv, mA = MA, VA = va, kVA = KVA kva, psi = PSI, lx = lux Lux, bpm = BPM, pcs = pc,
gal = gals, Nm = N·m N⋅m, GPM = gpm, µS/cm = uS/cm, FPS = fps, kvar = kVAr
"""
ALIASES = {
    alias: symbol.strip()
    for symbol, _, aliases in (row.partition(" = ") for row in _OTHER_SPELLINGS.split(","))
    for alias in aliases.split()
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit's words after one and after many; ``{}`` stands for the number, else it leads.

    ``trait`` is the grammar's own mark: a gender, a measure word, ``temperature``.
    """

    one: str
    many: str
    trait: str = ""


@dataclass(frozen=True, slots=True)
class UnitWords:
    """A language's words for units, and the forms that compound ones take.

    ``square``, ``cubic`` and ``prefixed`` put words together; ``over`` joins a numerator in
    ``{0}`` to a denominator in ``{1}``, whose own word may stand in ``below``.
    ``joined_lower`` says that a base loses its capital.
    """

    words: Mapping[str, Unit]
    prefixes: Mapping[str, str]
    square: str
    cubic: str
    over: str
    joined_lower: bool = False
    below: Mapping[str, str] = field(default_factory=dict)
    known: dict[str, Unit] = field(default_factory=dict, compare=False)

    def find(self, written: str) -> Unit | None:
        """Give the unit of a symbol as it is written, or None."""
        written = written.replace(" ", "")
        symbol = ALIASES.get(written, written)
        if symbol not in self.known:
            found = self._build(symbol)
            if found is None:
                return None
            self.known[symbol] = found
        return self.known[symbol]

    def _build(self, symbol: str) -> Unit | None:
        if symbol in self.words:
            return self.words[symbol]
        above, _, below = symbol.partition("/")
        if below:
            return self._join(self.find(above), ALIASES.get(below, below))
        if symbol[-1] in "²³":
            form = self.square if symbol[-1] == "²" else self.cubic
            return self._wrap(form, self.find(symbol[:-1]))
        prefix, base = symbol[:1], symbol[1:]
        if base in self.words and prefix in self.prefixes:
            return self._wrap(self.prefixes[prefix] + "{}", self.words[base])
        return None

    def _wrap(self, form: str, base: Unit | None) -> Unit | None:
        if base is None:
            return None
        one, many = base.one, base.many
        if self.joined_lower:
            one, many = one[:1].lower() + one[1:], many[:1].lower() + many[1:]
        return Unit(form.replace("{}", one), form.replace("{}", many), base.trait)

    def _join(self, above: Unit | None, symbol: str) -> Unit | None:
        below = self.find(symbol)
        if above is None or below is None:
            return None
        form = self.over.replace("{1}", self.below.get(symbol, below.one))
        return Unit(form.replace("{0}", above.one), form.replace("{0}", above.many), above.trait)


def unit_words(text: str) -> dict[str, Unit]:
    """Read a table, a line each: ``symbol | one | many | trait``; a missing many is as one."""
    units: dict[str, Unit] = {}
    for line in text.strip().splitlines():
        symbol, one, *rest = (cell.strip() for cell in line.split("|"))
        units[symbol] = Unit(one, (rest and rest[0]) or one, rest[1] if len(rest) > 1 else "")
    return units


def unit_pattern(extra: tuple[str, ...] = ()) -> str:
    """Give the expression of any unit's symbol, with no group in it."""
    simple = {prefix + base for base, row in _PREFIXED.items() for prefix in row.split()}
    simple |= _BARE_BASES | _PLAIN
    simple |= {base + power for base in ("m", "km", "cm", "mm", "dm", "ft") for power in "²³"}
    aliases = {alias for alias in ALIASES if "/" not in alias}
    over = _alternation(_OVER | {"L", "m3", "m2", "hr", "Min"})
    whole = _alternation(
        {alias for alias in ALIASES if "/" in alias} | {"m/s²", "l/100km"} | set(extra)
    )
    below = rf"(?:/(?:{over})(?![A-Za-z0-9²³]))?"
    return rf"(?:[lL]/100\s?km|{whole}|(?:{_alternation(simple | aliases)}){below})"


def _alternation(symbols: AbstractSet[str]) -> str:
    return "|".join(re.escape(symbol) for symbol in sorted(symbols, key=lambda s: (-len(s), s)))


def is_symbol(word: str) -> bool:
    """Tell a unit's symbol from a word: km, rpm, mbar."""
    return word in ALIASES or word in _PLAIN or word[1:] in ("m", "g", "l", "bar")
