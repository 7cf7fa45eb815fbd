"""Every cause of an event of an announcement, as data.

The dispatcher ends announcements with these very objects, and docs/announcements.md prints them.
"""

from dataclasses import dataclass

from cosyedge.core.events import TERMINAL, EventType, ZoneResult


@dataclass(frozen=True, slots=True)
class Cause:
    """What happens, the event that tells it, and the event's reason; None where any code may be."""

    happens: str
    event: EventType
    reason: str | None = None

    @property
    def result(self) -> ZoneResult:
        """How it ends in one zone."""
        return ZoneResult(self.event, self.reason)

    @property
    def is_end(self) -> bool:
        """Whether it ends an accepted id."""
        return self.event in TERMINAL


E = EventType

DUPLICATE = Cause("its id was accepted in the last 24 hours", E.DUPLICATE)
COALESCED = Cause("it has no id, and the same content came within 2 s", E.COALESCED)
NO_ROOM = Cause("the queue is full and it does not outrank the lowest", E.REJECTED, "queue_full")
NO_SUCH_ZONE = Cause("it names a zone or group that is not there", E.REJECTED, "unknown_zone")
REFUSED = Cause("its text, payload, topic or rate is refused, or the box is short", E.REJECTED)

ACCEPTED = Cause("it is taken, and will end exactly once", E.ACCEPTED)
STARTED = Cause("its first sample sounds", E.STARTED)
CUT = Cause("a higher one cut it in a zone, and it waits to go on", E.INTERRUPTED, "preempted")
RESUMED = Cause("it goes on after a cut", E.RESUMED)

FINISHED = Cause("it was heard in every zone, and every time", E.FINISHED)
ACKNOWLEDGED = Cause("until_ack: somebody acknowledged it", E.FINISHED)
ZONES_DIFFER = Cause("its zones ended differently; each has its result", E.PARTIAL)
TOO_LONG = Cause("it spoke for max_duration", E.PARTIAL, "max_duration")
ROUNDS_EXPIRED = Cause("the time to live ran out between its repeats", E.PARTIAL, "expired")
FAILED = Cause("no zone could sound it", E.FAILED)
CRASHED = Cause("the daemon ended while it played (on_crash = drop)", E.FAILED, "interrupted")
ZONE_GONE = Cause("a new configuration has its zone no more", E.FAILED, "unknown_zone")
EXPIRED = Cause(
    "the time to live ran out: in the queue, in a pause, after a cut, or because the zones of an "
    "all_or_nothing never came free together",
    E.EXPIRED,
    "expired",
)
CANCELLED = Cause("a cancel command means it", E.CANCELLED, "cancelled")
REPLACED = Cause("a newer one of its coalesce_key came", E.CANCELLED, "replaced")
PREEMPTED = Cause("a higher one cut it, and its resume is drop", E.CANCELLED, "preempted")
PUSHED_OUT = Cause("a higher one took its place in a full queue", E.CANCELLED, "queue_full")
SKIPPED = Cause("a skip command ended it", E.CANCELLED, "skipped")
CLEARED = Cause("a clear command ended its waiting", E.CANCELLED, "cleared")
BURST = Cause("more than burst_max waited after an outage", E.CANCELLED, "burst_limit")
ZONE_BUSY = Cause(
    "routing partial: others were free and this zone was not", E.CANCELLED, "zone_busy"
)
MUTED = Cause("the zone or the class is muted", E.SUPPRESSED, "muted")
QUIET = Cause("quiet hours hold its class back", E.SUPPRESSED, "quiet_hours")

CAUSES: tuple[Cause, ...] = tuple(
    value for value in list(vars().values()) if isinstance(value, Cause)
)
HELD_BACK: dict[str, Cause] = {"muted": MUTED, "quiet_hours": QUIET}
