"""The conductor: carries out what the dispatcher decides, and reports back what came of it."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field

from cosyedge.core.announcement import Announcement
from cosyedge.core.decisions import Cut, Decision, Hold, Start, Tell
from cosyedge.core.dispatch import Dispatcher
from cosyedge.core.errors import CosyedgeError
from cosyedge.core.events import TERMINAL, EventType, ZoneResult
from cosyedge.service.account import Account
from cosyedge.service.handover import Handover
from cosyedge.service.hooks import Curtain
from cosyedge.service.performance import Performance
from cosyedge.service.ports import Clock
from cosyedge.service.scenes import Scene, scene_of

log = logging.getLogger(__name__)

MINUTE_S = 20.0

Cast = Callable[[Start, Callable[[Performance], None]], "Stage"]


@dataclass(slots=True)
class Stage:
    """The performances of one Start, and what to release when the last has ended."""

    performances: list[Performance]
    close: Callable[[], None]
    left: int = 0

    def __post_init__(self) -> None:
        self.left = len(self.performances)


@dataclass(slots=True, eq=False)
class Playing:
    """One running performance with the task that drives it."""

    performance: Performance
    stage: Stage
    task: asyncio.Task[None] | None = None
    cut: bool = False


@dataclass(slots=True)
class Story:
    """What is remembered of an announcement until it has ended."""

    announcement: Announcement
    accounts: list[Account] = field(default_factory=list)
    sounded: set[str] = field(default_factory=set)


class Conductor:
    """Runs the performances; every change goes through the dispatcher and back."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        clock: Clock,
        *,
        cast: Cast,
        tell: Callable[[Tell, "Story | None"], None],
        on_output: Callable[[Performance], None],
        minute: Callable[[], int],
    ) -> None:
        """``cast`` makes the performances of a Start; ``tell`` publishes; ``on_output`` hears
        of each ended performance, for the faults of its outputs; ``minute`` is the minute of
        the node's day."""
        self.dispatcher = dispatcher
        self._clock = clock
        self._cast = cast
        self._tell = tell
        self._on_output = on_output
        self._minute = minute
        self.curtain: Curtain | None = None
        self.on_change: Callable[[], None] = lambda: None
        self.handover: Handover | None = None
        self._playing: dict[tuple[str, str], Playing] = {}
        self._stories: dict[str, Story] = {}
        self._last_heard: dict[str, Announcement] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._draining = False
        self.progressed_at = clock.monotonic()

    def carry_out(self, decisions: Iterable[Decision]) -> None:
        """Do what was decided, in order, then set the timer for the next deadline."""
        for decision in decisions:
            if isinstance(decision, Tell):
                self._pass_on(decision)
            elif isinstance(decision, Start):
                self._start(decision)
            elif isinstance(decision, Cut):
                for zone in decision.zones:
                    self._spawn(self._cut(decision, zone), f"cut {decision.id} in {zone}")
            elif isinstance(decision, Hold):
                self._hold(decision)
        self.progressed_at = self._clock.monotonic()
        if self.handover is not None:
            self.handover.look_again()
        self._set_timer()
        self.on_change()

    async def run(self) -> None:
        """Look at the clock now and then: quiet hours begin by the wall's time."""
        while True:
            await asyncio.sleep(MINUTE_S)
            self._tick()

    def remember(self, announcement: Announcement) -> None:
        """Know an announcement that was accepted before it comes to the dispatcher."""
        self._stories[announcement.id] = Story(announcement)

    def playing_in(self, zone: str) -> str | None:
        """The id that sounds in ``zone``."""
        return next((id for id, where in self._playing if where == zone), None)

    def scenes(self) -> list[Scene]:
        """What each zone does that is not idle."""
        return [scene_of(playing.performance) for playing in self._playing.values()]

    @property
    def outputs_deadline_at(self) -> float | None:
        """When the first of the outputs that are busy must be done (monotonic seconds)."""
        deadlines = (playing.performance.deadline_at for playing in self._playing.values())
        return min((at for at in deadlines if at is not None), default=None)

    def last_heard(self, zone: str | None) -> Announcement | None:
        """What began last in ``zone``, or anywhere (None)."""
        if zone is not None:
            return self._last_heard.get(zone)
        return max(self._last_heard.values(), key=lambda a: a.received_at, default=None)

    async def drain(self, deadline_s: float) -> None:
        """Start nothing more and let what plays come to its end, for ``deadline_s`` at most.

        What would have started stays open in the journal, for the next node.
        """
        self._draining = True
        tasks = [playing.task for playing in self._playing.values() if playing.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=deadline_s)

    async def close(self) -> None:
        """Stop everything that plays; used when the daemon ends."""
        if self._timer is not None:
            self._timer.cancel()
        playing = list(self._playing.values())
        for each in playing:
            each.cut = True
            if each.task is not None:
                each.task.cancel()
        await asyncio.gather(*(each.performance.stop() for each in playing))
        self._playing.clear()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _pass_on(self, tell: Tell) -> None:
        id = tell.announcement.id
        if tell.type is EventType.ACCEPTED:
            # The door has told it, together with the row.
            self._stories[id] = Story(tell.announcement)
            return
        story = self._stories.get(id)
        self._tell(tell, story)
        if tell.type in TERMINAL:
            self._stories.pop(id, None)
            if self.handover is not None:
                self.handover.forget(id)

    def _start(self, start: Start) -> None:
        if self._draining:
            return
        stage = self._cast(start, self._heard)
        story = self._stories.setdefault(start.announcement.id, Story(start.announcement))
        for performance in stage.performances:
            story.accounts.append(performance.account)
            playing = Playing(performance, stage)
            key = (start.announcement.id, performance.zone)
            self._playing[key] = playing
            playing.task = self._spawn(self._perform(key, playing), f"perform {key[0]} in {key[1]}")

    async def _perform(self, key: tuple[str, str], playing: Playing) -> None:
        performance = playing.performance
        try:
            if self.curtain is not None:
                await self.curtain.open(performance.zone)
            result = await performance.run()
        except asyncio.CancelledError:
            if playing.cut:
                return
            raise
        except CosyedgeError as error:
            result = ZoneResult(EventType.FAILED, error.code)
        except Exception:  # the boundary around one announcement
            log.exception("announcement failed", extra={"COSYEDGE_ID": key[0]})
            result = ZoneResult(EventType.FAILED, "internal")
        if playing.cut:
            return
        if result.outcome is not EventType.FINISHED:
            await performance.stop()
        self._leave(key, playing)
        now = self._clock.monotonic()
        self.carry_out(self.dispatcher.played(key[0], key[1], result, now))
        await self._close_curtain(key[1])

    async def _cut(self, cut: Cut, zone: str) -> None:
        id, key = cut.id, (cut.id, zone)
        playing = self._playing.get(key)
        if playing is not None and cut.reason == "preempted" and self.handover is not None:
            await self.handover.wait(id, zone)
        if playing is None or playing.cut or self._playing.get(key) is not playing:
            return
        playing.cut = True
        if playing.task is not None:
            playing.task.cancel()
        await playing.performance.stop()
        self._leave(key, playing)
        now = self._clock.monotonic()
        self.carry_out(self.dispatcher.stopped(id, zone, playing.performance.part, now))
        await self._close_curtain(zone)

    def _leave(self, key: tuple[str, str], playing: Playing) -> None:
        self._playing.pop(key, None)
        self._on_output(playing.performance)
        playing.stage.left -= 1
        if not playing.stage.left:
            playing.stage.close()

    async def _close_curtain(self, zone: str) -> None:
        if self.curtain is not None and self.playing_in(zone) is None:
            await self.curtain.close(zone)

    def _heard(self, performance: Performance) -> None:
        """Tell ``started`` at the first sample of the first zone."""
        self._last_heard[performance.zone] = performance.announcement
        self.on_change()
        story = self._stories.get(performance.announcement.id)
        if story is None or story.sounded:
            return
        story.sounded.add(performance.zone)
        self._tell(Tell(EventType.STARTED, performance.announcement), story)

    def _hold(self, hold: Hold) -> None:
        for (id, zone), playing in self._playing.items():
            if zone == hold.zone:
                self._spawn(playing.performance.hold(hold.paused), f"hold {id} in {zone}")

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self.dispatcher.next_deadline()
        if deadline is not None:
            delay_s = max(0.0, deadline - self._clock.monotonic())
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._tick)

    def _tick(self) -> None:
        self.carry_out(self.dispatcher.tick(self._clock.monotonic(), self._minute()))

    def _spawn(self, coroutine: Coroutine[object, object, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(coroutine, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
