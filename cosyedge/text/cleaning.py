"""Bound a text and take out what nobody says: controls, entities, tags, Markdown, emoji."""

import re
import unicodedata

from cosyedge.core.errors import Refusal

#: Raw characters for each one that is allowed after cleaning: a base and eight marks.
_RAW_PER_CHAR = 9
_MARKS_PER_BASE = 8
#: Stands for a link until the sentence's language names it; users' own private characters go.
LINK = "\ue000"
#: Marks that belong to letters, Latin and of scripts that we pass through.
MARKS = (
    "\u0300-\u036f\u0590-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff\u0e00-\u0eff"
    "\u3099\u309a"
)

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_NEWLINES = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\ue000-\uf8ff"
    "\U000e0000-\U0010ffff]"
)
_BLANKS = re.compile(r"[\t\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_GROUPED = re.compile(r"(?<=\d)[\xa0\u2009\u202f](?=\d{3}(?!\d))")
_COMPATIBLE = re.compile(
    "[\xbc-\xbe\u2150-\u2188\u2460-\u249b\u24b6-\u24ea\u3300-\u33ff\ufb00-\ufb06\uff66-\uff9f\U0001d400-\U0001d7ff]+"
)
_EMOJI = re.compile(
    "[\xa9\xae\u2117\u2122\u20d0-\u20ff\u2190-\u2191\u2193-\u21ff\u2300-\u23ff\u2500-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]+"
)
#: What neither a rule nor an engine knows: other scripts' symbols, unassigned characters.
_NOISE = re.compile(
    rf"[^\w\s!-~°²³%‰€£¥₩₹−±×÷≤≥⩽⩾≦≧≠≈∼∞→№§℃℉〒“”‘’‹›«»„‚–—…·¿¡。，、！？；：（）「」『』《》【】〈〉〜・{MARKS}{LINK}]"
)
_OTHER_DIGIT = re.compile(r"[^\W0-9](?<=\d)")
#: Full-width signs that become ASCII anywhere; 。，！？：； stay as they are.
_FULL_WIDTH: dict[int, int | str] = {
    code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "！，：；？（）～"
}
_FULL_WIDTH.update(str.maketrans("～￥￦￡￠º˚⁄∕‐‑‒﹣’′ʼ﹪", "~¥₩£¢°°//--–-'''%"))

_CONTROL_TOKEN = re.compile(r"<\|([^|<>]{0,80})\|>")
_TAG_BREAK = re.compile(r"</?(?:p|br|div|li|tr|h[1-6]|ul|ol|table|hr)\s{0,4}/?>", re.IGNORECASE)
_ATTRIBUTES = (
    r"(?:\s{1,4}[\w:-]{1,20}\s?=\s?"
    r"(?:\"[^\"<>]{0,300}\"|'[^'<>]{0,300}'|[^\s<>\"']{1,300})){0,8}\s{0,4}"
)
_TAG = re.compile(
    r"</?(?:a|b|i|u|s|em|strong|span|font|small|big|sub|sup|code|pre|mark|td|th|img|del|ins|tt|center)"
    rf"{_ATTRIBUTES}/?>",
    re.IGNORECASE,
)
_OTHER_TAG = re.compile(rf"</?([A-Za-z][\w:-]{{0,30}}{_ATTRIBUTES})/?>")
_URL = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,8}://[^\s<>\"'）。，！？、；：」』】]+")
_LINKED = re.compile(
    r"!?\[([^\[\]\n]{0,300})\]\((?:[^()\s]|\([^()\s]{0,100}\)){0,500}(?:\s\"[^\"\n]{0,100}\")?\)"
)
_FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)[^\n]*$", re.MULTILINE)
_RULED = re.compile(r"^[ ]{0,3}(?:[-*_=][ ]?){3,}$|^[ ]{0,3}\|?[ ]?:?-{2,}[ :|-]*$", re.MULTILINE)
_LINE_MARK = re.compile(r"^[ ]{0,8}(?:#{1,6}[ ]+|>[ ]?(?=\S)|[-*+•·‣◦][ ]+)+", re.MULTILINE)
_CELLS = re.compile(r"^[ ]{0,3}\|(.{1,500})\|[ ]*$", re.MULTILINE)
_ARROW = re.compile(r"[-=–—]{1,3}>")
_EMPHASIS = re.compile(r"\*{2,}|__+|~~+|`+")
_STAR = re.compile(r"(?<!\d)\*|(?<!\d\s)\*(?!\s?\d)")
_EDGE_UNDERSCORE = re.compile(r"(?<![A-Za-z0-9])_(?=\S)|(?<=\S)_(?![A-Za-z0-9])")


def bounded(text: str, max_chars: int) -> str:
    """Give the text in NFC with at most eight marks a base.

    Raises Refusal empty_text or too_long; NFC of 100,000 combining marks takes 16 s, so that
    characters are counted before it, and marks cut.
    """
    if len(text) > max_chars * _RAW_PER_CHAR + 64:
        raise _too_long(max_chars)
    if not text or text.isspace():
        raise Refusal("empty_text", "the text is empty")
    if not text.isascii():
        text = unicodedata.normalize("NFC", _cut_marks(text))
    if len(text) > max_chars:
        raise _too_long(max_chars)
    return text


def _too_long(max_chars: int) -> Refusal:
    return Refusal("too_long", f"the text has more than {max_chars} characters")


def _cut_marks(text: str) -> str:
    kept, run = [], 0
    for char in text:
        run = run + 1 if unicodedata.combining(char) else 0
        if run <= _MARKS_PER_BASE:
            kept.append(char)
    return "".join(kept)


def visible(text: str) -> str:
    """Take out control, bidi and private characters and surrogates; one kind of blank is left."""
    text = _NEWLINES.sub("\n", text)
    text = _GROUPED.sub("", text)
    return _BLANKS.sub(" ", _CONTROLS.sub("", text))


def clean(text: str) -> str:
    """Give the words of a text without markup, entities, Markdown and emoji."""
    if "&" in text and _ENTITY.search(text):
        # Imported on use: its table of 2,231 entities costs 0.4 MB.
        import html

        text = visible(_ENTITY.sub(lambda match: html.unescape(match[0]), text))
    if "://" in text or "](" in text:
        text = _without_links(text)
    if "<" in text or "|" in text:
        text = _without_tags(text)
    if not text.isascii():
        text = _plain_forms(text)
    text = text.replace("+/-", "±")
    return _without_markdown(_ARROW.sub("→", text) if ">" in text else text)


def _plain_forms(text: str) -> str:
    text = re.sub(r"(?<=[０-９])，(?=[０-９]{3}(?![０-９]))", ",", text)
    text = text.translate(_FULL_WIDTH)
    text = _COMPATIBLE.sub(_compatible, text)
    text = _OTHER_DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text)
    text = re.sub(r"(?<=\d)：(?=\d)", ":", text)
    text = re.sub("[μ](?=[A-Za-zΩ])", "µ", text)
    text = re.sub(r"°\s(?=[CF]\b)", "°", text)
    return _NOISE.sub(" ", _EMOJI.sub(" ", text))


def _compatible(match: re.Match[str]) -> str:
    plain = unicodedata.normalize("NFKC", match[0]).replace("⁄", "/")
    after_digit = match.start() > 0 and match.string[match.start() - 1].isdigit()
    return f" {plain}" if after_digit and "/" in plain else plain


def _without_links(text: str) -> str:
    text = _LINKED.sub(r"\1", text)

    def put(match: re.Match[str]) -> str:
        tail = match[0][len(match[0].rstrip(".,;:!?)")) :]
        return LINK + tail

    return _URL.sub(put, text)


def _without_tags(text: str) -> str:
    text = _CONTROL_TOKEN.sub(r" \1 ", text)
    text = text.replace("<|", " ").replace("|>", " ")
    text = _TAG.sub("", _TAG_BREAK.sub("\n", text))
    return _OTHER_TAG.sub(lambda match: re.sub("[=\"']", " ", f" {match[1]} "), text)


def _without_markdown(text: str) -> str:
    if "\n" in text or text[:1] in " #>-*+•·|`~":
        text = _RULED.sub("", _FENCE.sub("", text))
        text = _CELLS.sub(lambda match: re.sub(r"\s?\|\s?", ", ", match[1].strip()), text)
        text = _LINE_MARK.sub("", text)
    text = _EMPHASIS.sub("", text)
    if "*" in text:
        text = _STAR.sub(" ", text)
    if "_" in text:
        text = _EDGE_UNDERSCORE.sub("", text).replace("_", " ")
    return text
