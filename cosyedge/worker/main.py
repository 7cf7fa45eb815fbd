"""The worker's own side: one loop that loads, speaks and answers pings, one thread that reads.

The loop alone writes to the socket, so an answer to a ping proves that the loop turns. The
reading thread only notes cancels, which end a run in flight, and ends the process with its socket.
"""

import gc
import logging
import os
import signal
import socket
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread

from cosyedge.core.errors import CosyedgeError, EngineFailure
from cosyedge.engine.contract import Cancellation, Engine, EngineSettings
from cosyedge.engine.registry import engine_module
from cosyedge.worker import limits
from cosyedge.worker.frames import PREFIX, FrameError, encode, lengths, parse
from cosyedge.worker.messages import (
    LOAD_ID,
    Answer,
    Cancel,
    Done,
    Failed,
    Load,
    Order,
    Ping,
    Pong,
    Ready,
    Speak,
    Spoken,
    answer_frame,
    read_order,
)

log = logging.getLogger("cosyedge.worker")

_REST_S = 1.0


def serve(fd: int) -> None:
    """Serve the orders that come on ``fd``; never returns: the process ends with the socket."""
    limits.die_with_parent()
    limits.offer_to_oom_killer()
    limits.forbid_core_dumps()
    # An interrupt at the terminal reaches the whole group; the supervisor says when it is over.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = socket.socket(fileno=fd)
    Worker(connection).run()


class Worker:
    """One voice, from its load to the end of the socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._orders: SimpleQueue[tuple[Order, Cancellation]] = SimpleQueue()
        self._cancellations: dict[int, Cancellation] = {}
        self._lock = Lock()
        self._engine: Engine | None = None

    def run(self) -> None:
        """Carry out orders for ever, one at a time."""
        Thread(target=self._read_to_the_end, name="orders", daemon=True).start()
        has_spoken = False
        while True:
            try:
                order, cancel = self._orders.get(timeout=_REST_S if has_spoken else None)
            except Empty:
                # A long sentence leaves 50 MB behind in the allocator.
                limits.give_back()
                has_spoken = False
                continue
            self._carry_out(order, cancel)
            has_spoken |= isinstance(order, Speak)

    def _read_to_the_end(self) -> None:
        """Read orders until the parent is gone or makes no sense, then end the process.

        Even a loop that is busy inside a run, which nothing else would end.
        """
        status = 0
        try:
            for order in _orders(self._connection):
                self._note(order)
        except (OSError, FrameError, MemoryError) as error:
            log.warning("worker lost its parent: %s", error)
            status = 1
        finally:
            os._exit(status)

    def _note(self, order: Order) -> None:
        with self._lock:
            if isinstance(order, Cancel):
                if order.id in self._cancellations:
                    self._cancellations[order.id].request()
                return
            cancel = Cancellation()
            if isinstance(order, Speak):
                self._cancellations[order.id] = cancel
        self._orders.put((order, cancel))

    def _carry_out(self, order: Order, cancel: Cancellation) -> None:
        id = order.id if isinstance(order, Speak | Ping | Cancel) else LOAD_ID
        try:
            match order:
                case Load():
                    self._answer(self._load(order))
                case Speak():
                    self._speak(order, cancel)
                case Ping():
                    self._answer(Pong(id))
        except CosyedgeError as failure:
            self._answer(Failed(id, failure.code, str(failure)))
        except MemoryError:
            self._answer(Failed(id, "out_of_memory", "Python reached the worker's memory cap"))
        except Exception as error:  # noqa: BLE001 - the worker's loop outlives any engine's fault
            # Without the message: it may quote the text.
            traceback.print_tb(error.__traceback__)
            self._answer(Failed(id, "engine_error", f"{type(error).__name__} in the engine"))
        finally:
            with self._lock:
                self._cancellations.pop(id, None)

    def _load(self, order: Load) -> Ready:
        began = time.monotonic()
        settings = EngineSettings(**order.settings)
        # Collections during the load only walk what stays: the lexicons, 0.1 s.
        gc.disable()
        engine = engine_module(order.voice.engine).load(order.voice, Path(order.folder), settings)
        limits.give_back()
        _cap_memory(settings.memory_cap_bytes)
        engine.warm_up()
        gc.freeze()
        gc.enable()
        self._engine = engine
        resident_bytes, _ = limits.memory()
        return Ready(time.monotonic() - began, resident_bytes, order.voice.rate_hz)

    def _speak(self, order: Speak, cancel: Cancellation) -> None:
        if self._engine is None:
            raise EngineFailure("engine_unavailable", "no voice is loaded")
        began = time.monotonic()
        for index, speech in self._engine.synthesize(order.requests, cancel):
            cancel.check()
            synth_ms = (time.monotonic() - began) * 1000
            sound = speech.rate_hz, synth_ms, speech.samples, speech.remarks
            self._answer(Spoken(order.id, index, *sound))
            began = time.monotonic()
        self._answer(Done(order.id))

    def _answer(self, answer: Answer) -> None:
        self._connection.sendall(encode(answer_frame(answer)))


def _cap_memory(cap_bytes: int | None) -> None:
    """Keep the worker under its cap; raises EngineFailure where the voice alone exceeds it."""
    if cap_bytes is None:
        return
    resident_bytes, _ = limits.memory()
    if resident_bytes >= cap_bytes:
        facts = f"{resident_bytes >> 20} MB, and the cap is {cap_bytes >> 20} MB"
        raise EngineFailure("out_of_memory", f"the loaded voice takes {facts}")
    limits.cap_memory(cap_bytes)


def _orders(connection: socket.socket) -> Iterator[Order]:
    """Yield orders until the end of the socket; raises FrameError, OSError."""
    stream = connection.makefile("rb")
    while prefix := stream.read(PREFIX.size):
        header_bytes, body_bytes = lengths(_whole(prefix, PREFIX.size))
        header = _whole(stream.read(header_bytes), header_bytes)
        body = _whole(stream.read(body_bytes), body_bytes)
        yield read_order(parse(header, body))


def _whole(received: bytes, count: int) -> bytes:
    if len(received) != count:
        raise FrameError("the frame ends early")
    return received
