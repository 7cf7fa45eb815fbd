"""A token bucket a topic: how many messages may come at once, and how fast after that."""

from collections import OrderedDict
from dataclasses import dataclass

TOPICS = 1_024


@dataclass(slots=True)
class Bucket:
    """Tokens left at ``at`` (monotonic seconds)."""

    tokens: float
    at: float
    refused: int = 0


class TokenBuckets:
    """Buckets by topic; the least recently used are forgotten beyond 1,024 topics."""

    def __init__(self, rate_per_s: float, burst: int) -> None:
        """``rate_per_s`` tokens come back a second, up to ``burst``."""
        self._rate_per_s = rate_per_s
        self._burst = burst
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, topic: str, now: float) -> bool:
        """Take a token; False where none is left."""
        bucket = self._buckets.get(topic)
        if bucket is None:
            bucket = self._buckets[topic] = Bucket(float(self._burst), now)
            if len(self._buckets) > TOPICS:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(topic)
        grown = bucket.tokens + (now - bucket.at) * self._rate_per_s
        bucket.tokens = min(float(self._burst), grown)
        bucket.at = now
        if bucket.tokens < 1.0:
            bucket.refused += 1
            return False
        bucket.tokens -= 1.0
        return True

    def refusals(self) -> dict[str, int]:
        """Refusals by topic since the last call, for one summary line."""
        counts = {topic: b.refused for topic, b in self._buckets.items() if b.refused}
        for bucket in self._buckets.values():
            bucket.refused = 0
        return counts
