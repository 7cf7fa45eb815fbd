"""What the frames say: orders to a worker and its answers, as types that cannot be wrong.

========  =========================================  ==========================================
order     fields                                     answered by
========  =========================================  ==========================================
load      voice, folder, settings                    ready, or failed (id 0)
speak     id, requests                               spoken for each request, then done; failed
cancel    id                                         nothing of its own: the speak ends early
ping      id                                         pong
========  =========================================  ==========================================
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np

from cosyedge.core.codes import CODES
from cosyedge.core.speech import Samples, SpeechRequest
from cosyedge.core.voice import Voice, VoiceFile
from cosyedge.worker.frames import Frame, FrameError

LOAD_ID = 0
MOST_REMARKS = 8


@dataclass(frozen=True, slots=True)
class Load:
    """Load a voice; ``settings`` are the fields of an EngineSettings."""

    voice: Voice
    folder: str
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Speak:
    """Synthesize some sentences."""

    id: int
    requests: tuple[SpeechRequest, ...]


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop the synthesis ``id``, if it has not ended."""

    id: int


@dataclass(frozen=True, slots=True)
class Ping:
    """Prove that the loop that synthesizes turns."""

    id: int


Order: TypeAlias = Load | Speak | Cancel | Ping


@dataclass(frozen=True, slots=True)
class Ready:
    """The voice is loaded and warm."""

    load_s: float
    rss_bytes: int
    rate_hz: int


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """One sentence: float32 samples, shape ``(frames,)``, and the time they took."""

    id: int
    index: int
    rate_hz: int
    synth_ms: float
    samples: Samples
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """Every sentence of ``id`` was spoken."""

    id: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The order ``id`` failed; ``code`` is one of core.codes."""

    id: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Pong:
    """The loop turns."""

    id: int


Answer: TypeAlias = Ready | Spoken | Done | Failed | Pong


def order_frame(order: Order) -> Frame:
    """Put an order into a frame."""
    match order:
        case Load(voice, folder, settings):
            document = {"voice": _plain(voice), "folder": folder, "settings": dict(settings)}
            return Frame({"op": "load", **document})
        case Speak(id, requests):
            plain = [_plain(request) for request in requests]
            return Frame({"op": "speak", "id": id, "requests": plain})
        case Cancel(id):
            return Frame({"op": "cancel", "id": id})
        case Ping(id):
            return Frame({"op": "ping", "id": id})


def read_order(frame: Frame) -> Order:
    """Read an order; raises FrameError."""
    header = frame.header
    match header.get("op"):
        case "load":
            voice = _voice(_take(header, "voice", dict))
            return Load(voice, _take(header, "folder", str), _take(header, "settings", dict))
        case "speak":
            requests = tuple(_request(plain) for plain in _take(header, "requests", list))
            return Speak(_natural(header, "id"), requests)
        case "cancel":
            return Cancel(_natural(header, "id"))
        case "ping":
            return Ping(_natural(header, "id"))
    raise FrameError("the frame is no order")


def answer_frame(answer: Answer) -> Frame:
    """Put an answer into a frame."""
    if isinstance(answer, Spoken):
        timing = {"rate_hz": answer.rate_hz, "synth_ms": answer.synth_ms}
        header = {"op": "spoken", "id": answer.id, "index": answer.index, **timing}
        if answer.remarks:
            header["remarks"] = list(answer.remarks)
        return Frame(header, answer.samples.astype("<f4", copy=False).tobytes())
    return Frame({"op": type(answer).__name__.lower(), **_plain(answer)})


def read_answer(frame: Frame) -> Answer:
    """Read an answer; raises FrameError."""
    op = frame.header.get("op")
    reader = _ANSWERS.get(op) if isinstance(op, str) else None
    if reader is None:
        raise FrameError("the frame is no answer")
    return reader(frame)


def _read_ready(frame: Frame) -> Ready:
    header = frame.header
    return Ready(
        _duration(header, "load_s"), _natural(header, "rss_bytes"), _natural(header, "rate_hz")
    )


def _read_spoken(frame: Frame) -> Spoken:
    header = frame.header
    if len(frame.body) % 4:
        raise FrameError("the body does not hold float32 samples")
    rate_hz = _natural(header, "rate_hz")
    if not 4_000 <= rate_hz <= 192_000:
        raise FrameError("the rate is out of range")
    synth_ms = _duration(header, "synth_ms")
    samples = np.frombuffer(frame.body, "<f4").astype(np.float32, copy=False)
    remarks = header.get("remarks", [])
    if not isinstance(remarks, list) or len(remarks) > MOST_REMARKS:
        raise FrameError("the remarks are no short list")
    known = tuple(code for code in remarks if isinstance(code, str) and code in CODES)
    place = _natural(header, "id"), _natural(header, "index")
    return Spoken(*place, rate_hz, synth_ms, samples, known)


def _read_done(frame: Frame) -> Done:
    return Done(_natural(frame.header, "id"))


def _read_failed(frame: Frame) -> Failed:
    code = _take(frame.header, "code", str)
    if code not in CODES:
        raise FrameError("the code is not listed")
    return Failed(_natural(frame.header, "id"), code, _take(frame.header, "message", str)[:500])


def _read_pong(frame: Frame) -> Pong:
    return Pong(_natural(frame.header, "id"))


_ANSWERS: dict[str, Callable[[Frame], Answer]] = {
    "ready": _read_ready,
    "spoken": _read_spoken,
    "done": _read_done,
    "failed": _read_failed,
    "pong": _read_pong,
}


def _plain(record: Any) -> dict[str, Any]:
    # dataclasses.asdict deep-copies, which a mappingproxy does not allow.
    return {field.name: _plain_value(getattr(record, field.name)) for field in fields(record)}


def _plain_value(value: Any) -> Any:
    if isinstance(value, VoiceFile):
        return _plain(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_plain_value(entry) for entry in value]
    return value


def _voice(plain: dict[str, Any]) -> Voice:
    try:
        files = tuple(VoiceFile(**entry) for entry in plain.pop("files"))
        languages, speakers = (tuple(plain.pop(key)) for key in ("languages", "speakers"))
        return Voice(files=files, languages=languages, speakers=speakers, **plain)
    except (TypeError, KeyError) as error:
        raise FrameError("the frame holds no voice") from error


def _request(plain: Any) -> SpeechRequest:
    try:
        return SpeechRequest(**plain)
    except TypeError as error:
        raise FrameError("the frame holds no request") from error


def _take(header: Mapping[str, Any], key: str, kind: Any) -> Any:
    value = header.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise FrameError(f"{key} is missing or of a wrong type")
    return value


def _natural(header: Mapping[str, Any], key: str) -> int:
    value = _take(header, key, int)
    if not 0 <= value < 2**53:
        raise FrameError(f"{key} is out of range")
    return int(value)


def _duration(header: Mapping[str, Any], key: str) -> float:
    value = float(_take(header, key, int | float))
    if not 0 <= value < math.inf:
        raise FrameError(f"{key} is out of range")
    return value
