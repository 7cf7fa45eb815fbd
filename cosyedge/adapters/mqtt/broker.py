"""A session with the broker that outlives its connections: connects, proves life, publishes."""

import asyncio
import contextlib
import inspect
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

from cosyedge.adapters.mqtt.backoff import QUICK_S, Backoff
from cosyedge.adapters.mqtt.canary import Canary
from cosyedge.adapters.mqtt.delivery import Delivery
from cosyedge.adapters.mqtt.dial import Dialer, Line
from cosyedge.adapters.mqtt.link import SLICE_S, Link
from cosyedge.adapters.mqtt.settings import MqttSettings
from cosyedge.adapters.mqtt.status import BrokerLimits, MqttStatus, State
from cosyedge.adapters.mqtt.subscribing import CanaryFilter, subscribe
from cosyedge.adapters.mqtt.versions import VersionChoice
from cosyedge.core.errors import OutputFailure
from cosyedge.service.ports import Message, Outgoing

# What a broker that keeps no receive maximum may hand us beside a flood at QoS 0.
QOS_1_ROOM: Final = 2000
FAREWELL_S: Final = 2.0
# What the broker kept for us comes at once; a first message after that is a new one.
BACKLOG_BEGINS_S: Final = 5.0

log = logging.getLogger(__name__)


class MqttBroker:
    """Satisfies :class:`cosyedge.service.ports.Broker`; ``run`` keeps it connected for ever.

    What comes, but for the canary, lies in ``inbox``, which is bounded, for the one who takes it
    there. Or ``on_message`` is called in our loop for each message, one after the other;
    an awaitable that it returns is awaited. ``on_online`` is called after the first canary of
    each connection: it is the time to publish retained states again. ``chance`` returns 0 to 1.
    """

    def __init__(
        self,
        settings: MqttSettings,
        on_message: Callable[[Message], Awaitable[None] | None] | None = None,
        *,
        on_online: Callable[[], None] = lambda: None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings
        self._on_message = on_message
        self._on_online = on_online
        self._dialer = Dialer(settings)
        self._versions = VersionChoice(settings.version)
        self._backoff = Backoff(settings.reconnect_min_s, settings.reconnect_max_s, chance)
        self._canary = Canary(settings.canary_topic, settings.client_id, settings.canary_deadline_s)
        self._inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._state: State = "connecting"
        self._delivery = Delivery(settings.max_waiting)
        self._unheard: Link | None = None
        self._backlogs = 0
        self._alive = False
        self._fault: OutputFailure | None = None
        self._denied: OutputFailure | None = None
        self._limits = BrokerLimits(settings.broker_max_bytes)
        self._round_trip_s: float | None = None
        self._progressed_at = 0.0
        self._connections = self._received = self._dropped = 0

    @property
    def connected(self) -> bool:
        """Whether a session is up and its canary came back in time."""
        return self._alive

    @property
    def inbox(self) -> "asyncio.Queue[Message]":
        """What has come and was not taken yet."""
        return self._inbox

    @property
    def max_packet_bytes(self) -> int:
        """The most that one publish may hold, header included; the last broker's, while none."""
        return self._limits.packet_bytes

    def status(self) -> MqttStatus:
        """One line for health, state, doctor and the watchdog."""
        link = self._delivery.link
        fault = self._fault or self._denied
        return MqttStatus(
            state=self._state,
            connected=self._alive,
            progressed_at=max(self._progressed_at, link.progressed_at if link else 0.0),
            fault=fault.code if fault else None,
            fault_message=str(fault) if fault else None,
            version=link.version if link else None,
            session_present=link.session_present if link else False,
            limits=self._limits,
            round_trip_s=self._round_trip_s,
            certificate_expires_at=link.certificate_expires_at if link else None,
            connections=self._connections,
            backlogs=self._backlogs,
            received=self._received,
            published=self._delivery.published,
            dropped=self._dropped,
        )

    async def publish(self, message: Outgoing, *, deadline_s: float = 30.0) -> None:
        """Return at the PUBACK (QoS 0: when written), over a reconnect if need be.

        Raises OutputFailure: too_large, publish_refused, broker_unavailable at the deadline or
        after three broken connections, queue_full where too many messages wait already.
        """
        await self._delivery.publish(message, deadline_s)

    async def run(self) -> None:
        """Stay connected until cancelled; then say goodbye, within 2 s.

        What ``on_message`` raises comes out of here, in an ExceptionGroup.
        """
        async with asyncio.TaskGroup() as tasks:
            if self._on_message is not None:
                tasks.create_task(self._pump(self._on_message), name="mqtt-inbox")
            try:
                while True:
                    pause_s = await self._one_connection()
                    self._state = "backoff"
                    await asyncio.sleep(pause_s)
            finally:
                self._state = "stopped"

    async def _pump(self, on_message: Callable[[Message], Awaitable[None] | None]) -> None:
        """Pass messages on; a burst of them leaves the loop to others every 10 ms."""
        loop = asyncio.get_running_loop()
        until = loop.time() + SLICE_S
        while True:
            waiting = on_message(await self._inbox.get())
            if inspect.isawaitable(waiting):
                await waiting
            if loop.time() > until:
                await asyncio.sleep(0)
                until = loop.time() + SLICE_S

    def _is_full(self) -> bool:
        """Whether what comes waits better in the kernel and the broker."""
        return self._inbox.qsize() > self._settings.inbox // 2

    def _hear(self, message: Message) -> None:
        """Called by the link; only puts it into the inbox."""
        if self._canary.heard(message):
            return
        self._received += 1
        self._count_backlog()
        room = self._settings.inbox + (QOS_1_ROOM if message.qos else 0)
        if self._inbox.qsize() < room:
            self._inbox.put_nowait(message)
        else:
            # Not acknowledged: at QoS 1 the broker keeps it until the next connection.
            self._dropped += 1

    def _count_backlog(self) -> None:
        """Count one outage whose messages the broker kept, at the first of them."""
        link, self._unheard = self._unheard, None
        if link is None or not link.session_present:
            return
        if asyncio.get_running_loop().time() - link.opened_at < BACKLOG_BEGINS_S:
            self._backlogs += 1

    async def _one_connection(self) -> float:
        """Connect, serve until it is lost, and tell how long to wait before the next one."""
        self._state = "connecting"
        self._progress()
        try:
            line = await self._dialer.dial()
        except OutputFailure as failure:
            self._backoff.unreachable()
            self._note(failure)
            return self._backoff.next_s()
        try:
            link = await self._open_link(line)
        except OutputFailure as failure:
            self._note(failure)
            return 0.0 if self._versions.refused(failure) else self._backoff.next_s()
        self._versions.accepted()
        self._connections += 1
        self._limits = link.limits
        greeted = asyncio.get_running_loop().time()
        reason = await self._serve(link)
        self._progress()
        self._backoff.lost_after(asyncio.get_running_loop().time() - greeted)
        if self._backoff.is_contested and reason.code == "broker_unavailable":
            reason = OutputFailure("client_id_conflict", "another client takes our id over")
        self._note(reason)
        return self._backoff.next_s()

    async def _open_link(self, line: Line) -> Link:
        self._progress()
        link = self._unheard = Link(
            self._settings, self._versions.next(), line, self._hear, self._is_full
        )
        try:
            await link.open()
        except asyncio.CancelledError:
            link.abort(OutputFailure("broker_unavailable", "stopping"))
            raise
        return link

    async def _serve(self, link: Link) -> OutputFailure:
        tend = asyncio.create_task(self._tend(link), name="mqtt-tend")
        try:
            either: set[asyncio.Future[Any]] = {tend, link.lost}
            await asyncio.wait(either, return_when="FIRST_COMPLETED")
        except asyncio.CancelledError:
            await self._say_goodbye(link)
            raise
        finally:
            self._alive = False
            self._delivery.link = None
            tend.cancel()
            await asyncio.wait({tend})
        if not tend.cancelled():
            tend.result()
        return link.lost.result()

    async def _tend(self, link: Link) -> None:
        """Subscribe, then send canaries for as long as the connection lives."""
        try:
            await self._subscribe(link)
            self._delivery.link = link
            self._state = "up"
            if self._settings.birth is not None:
                link.publish(self._settings.birth)
            while True:
                await self._prove_life(link)
                await asyncio.sleep(self._settings.canary_period_s)
        except OutputFailure as failure:
            link.abort(failure)

    async def _subscribe(self, link: Link) -> None:
        refused = await subscribe(
            link,
            (*self._settings.filters, CanaryFilter(self._settings.canary_topic)),
            timeout_s=self._settings.connect_timeout_s,
        )
        self._denied = None
        if refused:
            topics = ", ".join(refused)
            self._denied = OutputFailure("not_authorized", f"refused subscriptions: {topics}")
            log.warning("mqtt subscription refused", extra={"filters": refused})

    async def _prove_life(self, link: Link) -> None:
        """Fly one canary. One that the broker keeps back is a fault, not a dead line."""
        try:
            self._round_trip_s = await self._canary.fly(link)
        except OutputFailure as failure:
            self._alive = False
            if failure.code != "not_authorized":
                raise
            self._note(failure)
            await self._subscribe(link)
            return
        self._progress()
        loop_time = asyncio.get_running_loop().time()
        contested = self._fault is not None and self._fault.code == "client_id_conflict"
        if not contested or loop_time - link.opened_at > QUICK_S:
            self._fault = None
        if not self._alive:
            self._alive = True
            log.info("mqtt connected", extra={"version": link.version})
            self._on_online()

    async def _say_goodbye(self, link: Link) -> None:
        """Tell that we are offline, for an orderly DISCONNECT keeps the will from being told."""
        with contextlib.suppress(OutputFailure, TimeoutError):
            async with asyncio.timeout(FAREWELL_S):
                if self._settings.will is not None:
                    await link.publish(self._settings.will)
                link.goodbye()
                await asyncio.wait({link.lost})
        link.abort(OutputFailure("broker_unavailable", "stopping"))

    def _note(self, failure: OutputFailure) -> None:
        """Remember why it does not work; said once, until it changes."""
        if self._fault is None or (self._fault.code, str(self._fault)) != (
            failure.code,
            str(failure),
        ):
            log.warning("mqtt fault", extra={"code": failure.code, "reason": str(failure)})
        self._fault = failure

    def _progress(self) -> None:
        self._progressed_at = asyncio.get_running_loop().time()
