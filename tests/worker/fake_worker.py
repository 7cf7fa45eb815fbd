"""A worker that behaves badly: ``python fake_worker.py BEHAVIOUR --fd N``.

It speaks frames by hand, with nothing of cosyedge: what it sends may be wrong in any way.
"""

import json
import math
import os
import socket
import struct
import sys
import time
from array import array

RATE_HZ = 16_000


def tone(seconds: float) -> array:
    """A sine of 200 Hz."""
    step = 2 * math.pi * 200 / RATE_HZ
    return array("f", (0.3 * math.sin(step * frame) for frame in range(int(seconds * RATE_HZ))))


def frame(header: object, body: bytes = b"") -> bytes:
    """Any header in the form of a frame."""
    packed = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("!4sII", b"CEW1", len(packed), len(body)) + packed + body


def spoken(id: int, index: int, samples: array, **fields: object) -> bytes:
    """The answer that carries samples."""
    header = {"op": "spoken", "id": id, "index": index, "rate_hz": RATE_HZ, "synth_ms": 1.0}
    return frame({**header, **fields}, samples.tobytes())


BAD_SAMPLES = {
    "nan": array("f", [math.nan] * 8000),
    "infinite": array("f", [math.inf] * 8000),
    "silent": array("f", [0.0] * 8000),
    "empty": array("f"),
    "clipped": array("f", [1.0, -1.0] * 4000),
    "endless": tone(40.0),
}
BAD_FRAMES = {
    "garbage": bytes(range(256)) * 40,
    "huge_header": struct.pack("!4sII", b"CEW1", 0xFFFFFFFF, 0),
    "huge_body": struct.pack("!4sII", b"CEW1", 2, 0xFFFFFFFF),
    "deep": frame(b"[" * 100_000),
    "array": frame([1, 2]),
    "not_json": frame(b"{'op': 'done'}"),
    "no_op": frame({"id": 1}),
    "op_is_a_list": frame({"op": ["done"], "id": 1}),
    "pong_flood": frame({"op": "pong", "id": 999}) * 10_000,
    "second_ready": frame({"op": "ready", "load_s": 0.1, "rss_bytes": 1, "rate_hz": RATE_HZ}),
    "half": frame({"op": "done", "id": 1})[:-3],
}


class FakeWorker:
    """Reads orders and answers them by its behaviour."""

    def __init__(self, behaviour: str, fd: int) -> None:
        self.behaviour = behaviour
        self.connection = socket.socket(fileno=fd)

    def run(self) -> None:
        """Answer orders until the parent is gone."""
        while prefix := self.connection.recv(12, socket.MSG_WAITALL):
            _, header_bytes, body_bytes = struct.unpack("!4sII", prefix)
            order = json.loads(self.connection.recv(header_bytes, socket.MSG_WAITALL))
            self.connection.recv(body_bytes, socket.MSG_WAITALL)
            getattr(self, order["op"])(order)

    def load(self, order: dict) -> None:
        if self.behaviour == "dies_in_load":
            os._exit(3)
        if self.behaviour == "hangs_in_load":
            time.sleep(3600)
        if self.behaviour == "refuses":
            failure = {"code": "model_invalid", "message": "the model is an HTML page"}
            self.send(frame({"op": "failed", "id": 0, **failure}))
            return
        facts = {"load_s": 0.01, "rss_bytes": 1 << 20, "rate_hz": RATE_HZ}
        self.send(frame({"op": "ready", **facts}))

    def speak(self, order: dict) -> None:
        if self.behaviour in BAD_FRAMES:
            self.send(BAD_FRAMES[self.behaviour])
            if self.behaviour == "half":
                os._exit(0)
            return
        if self.behaviour in ("patient", "deaf"):
            return
        if self.behaviour == "dies":
            os.abort()
        for index in range(len(order["requests"])):
            self.send(self.speech(order["id"], index))
        if self.behaviour == "twice":
            self.send(self.speech(order["id"], 0))
        self.send(frame({"op": "done", "id": order["id"]}))

    def speech(self, id: int, index: int) -> bytes:
        samples = BAD_SAMPLES.get(self.behaviour, tone(0.5))
        match self.behaviour:
            case "missing":
                return b""
            case "stray_index":
                return spoken(id, index + 7, samples)
            case "stray_id":
                return spoken(id + 7, index, samples)
            case "odd_body":
                body = samples.tobytes()[:-1]
                facts = {"index": index, "rate_hz": RATE_HZ, "synth_ms": 1.0}
                return frame({"op": "spoken", "id": id, **facts}, body)
            case "odd_rate":
                return spoken(id, index, samples, rate_hz=1)
            case "unknown_code":
                return frame({"op": "failed", "id": id, "code": "sleepy", "message": "no"})
        return spoken(id, index, samples)

    def cancel(self, order: dict) -> None:
        if self.behaviour == "patient":
            failure = {"code": "synthesis_cancelled", "message": "stopped"}
            self.send(frame({"op": "failed", "id": order["id"], **failure}))

    def ping(self, order: dict) -> None:
        if self.behaviour != "no_pong":
            self.send(frame({"op": "pong", "id": order["id"]}))

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)


if __name__ == "__main__":
    FakeWorker(sys.argv[1], int(sys.argv[3])).run()
