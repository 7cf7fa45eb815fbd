"""German nouns and what governs them: genders, cases, the endings of ordinals and of one."""

import re

MONTHS = (
    "Januar", "Februar", "März", "April", "Mai", "Juni",
    "Juli", "August", "September", "Oktober", "November", "Dezember",
)  # fmt: skip
_WEEKDAY = r"(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|Mo|Di|Mi|Do|Fr|Sa|So)"
#: What stands before a number and governs its case.
_WEAK = re.compile(
    r"(?:\b(?:am|vom|zum|ab|seit)\s[\d. ]{2,14}(?:und|oder|bis|,)\s$)|"
    r"\b(?:am|im|zum|zur|vom|beim|dem|den|des|ab|bis|seit|(?:in|an|auf|von|mit|nach|zu|bei|aus|vor|"
    rf"seit|ab|während) der|jede[nrms]|diese[nrms])(?: {_WEEKDAY}\.?,?(?: dem| den)?)?\s$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b(?:der|die|das|jede|diese)\s$", re.IGNORECASE)
_DATIVE = re.compile(
    r"\b(?:in|vor|nach|seit|mit|bei|von|aus|zu|ab|nur mit|alle|innerhalb von|binnen)\s$",
    re.IGNORECASE,
)
_ACCUSATIVE = re.compile(
    r"\b(?:noch|um|für|gegen|ohne|durch|pro|dauert|dauerte|hat|haben|habe|fehlt|braucht|etwa|circa|"
    r"ca\.|enthält|verbraucht|warten Sie|bitte)\s$",
    re.IGNORECASE,
)
_FEMININE = re.compile(
    r"\w*(?:ung|heit|keit|schaft|tion|sion|tät|ei|ik)|\w*[^aeiouäöü]e|Person|Tür|\w*tür|Nachricht|"
    r"Bahn|Zahl|Antwort|Fahrt|\w*schicht|Schicht|Nacht|Stadt|Wand|Bank|Hand|Spur|Uhr|Einheit"
)
_MASCULINE = re.compile(
    r"Tag|Werktag|Monat|Meter|\w+meter|Liter|Euro|Cent|Dollar|Schritt|Gang|Stock|\w*[Aa]larm|Fehler|"
    r"Platz|\w*platz|Punkt|Mann|Besucher|Mitarbeiter|Anruf|\w*[Ss]ensor|Motor|Raum|\w*raum|"
    r"Behälter|Tank|Versuch|Roboter|Artikel|Karton|Kunde|Wagen|Zug|Bus|Schlüssel|Eimer|Filter|"
    r"Termin|Film|Brief|Hinweis|Prozess|Lkw|LKW|Stau|Auftrag|Kanal|Bereich|Lauf|Fahrer|Gast|Kreis|"
    r"Einsatz|Ausfall|Stillstand|Vorgang|Zyklus|Kompressor|\w*[Mm]onat|" + "|".join(MONTHS)
)
#: The ending tells another gender.
_NEUTER = frozenset({"OG", "UG", "Mal", "Ende", "Gebäude", "Ergebnis", "Gelände", "Signal"})


def inflect(ordinal: str, before: str, gender: str) -> str:
    """Give dritten after a preposition, dritte after an article, dritter by itself."""
    if _WEAK.search(before):
        return ordinal + "n"
    if _ARTICLE.search(before):
        return ordinal
    return ordinal + {"m": "r", "n": "s", "f": ""}[gender]


def gender(noun: str) -> str:
    """Guess a noun's gender: listed, by its ending, or neuter."""
    if noun in _NEUTER:
        return "n"
    if _MASCULINE.fullmatch(noun):
        return "m"
    return "f" if _FEMININE.fullmatch(noun) else "n"


def one(noun_gender: str, before: str) -> str:
    """Say one before a noun: ein, eine, einen, einem, einer."""
    if _DATIVE.search(before):
        return "einer" if noun_gender == "f" else "einem"
    if noun_gender == "m" and _ACCUSATIVE.search(before):
        return "einen"
    return "eine" if noun_gender == "f" else "ein"
