"""What is cut for a higher one sounds on until the higher one can sound."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from cosyedge.core.announcement import Announcement
from cosyedge.core.utterance import Utterance
from cosyedge.service.handover import Handover


def announcement(id: str) -> Announcement:
    spoken = (Utterance("Hello.", "Hello.", "en"),)
    return Announcement(
        id=id, priority=200, zones=("hall",), utterances=spoken, received_at=0.0, expires_at=60.0
    )


class SlowStudio:
    """Makes nothing until it is told that a part is ready."""

    def __init__(self) -> None:
        self.ready: dict[str, asyncio.Event] = {}
        self.soon: set[str] = set()
        self.forgotten: list[str] = []

    def of(self, id: str) -> asyncio.Event:
        return self.ready.setdefault(id, asyncio.Event())

    async def prepare(self, announcement: Announcement, number: int) -> None:
        await self.of(announcement.id).wait()

    def is_soon(self, announcement: Announcement, number: int) -> bool:
        return announcement.id in self.soon

    def forget(self, id: str) -> None:
        self.forgotten.append(id)


class Line:
    """Who is next in the zone, as the dispatcher would say."""

    def __init__(self) -> None:
        self.next: str | None = "urgent"

    def heir(self, id: str, zone: str) -> tuple[Announcement, int] | None:
        return None if self.next is None else (announcement(self.next), 0)


@pytest.fixture
async def stage() -> AsyncIterator[tuple[Handover, SlowStudio, Line, asyncio.Task[None]]]:
    studio, line = SlowStudio(), Line()
    handover = Handover(line.heir, studio)
    wait = asyncio.create_task(handover.wait("low", "hall"))
    await turns()
    yield handover, studio, line, wait
    wait.cancel()


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


Scene = tuple[Handover, SlowStudio, Line, asyncio.Task[None]]


async def test_lower_one_sounds_until_the_higher_one_is_made(stage: Scene) -> None:
    _, studio, _, wait = stage
    assert not wait.done()
    studio.of("urgent").set()
    await asyncio.wait_for(wait, 5)


async def test_newer_and_higher_one_that_is_ready_is_not_kept_waiting(stage: Scene) -> None:
    handover, studio, line, wait = stage
    studio.of("emergency").set()
    line.next = "emergency"
    handover.look_again()
    await asyncio.wait_for(wait, 5)


async def test_command_that_ends_the_lower_one_silences_it_at_once(stage: Scene) -> None:
    handover, _, line, wait = stage
    line.next = None
    handover.look_again()
    await asyncio.wait_for(wait, 5)


async def test_other_news_change_nothing(stage: Scene) -> None:
    handover, _, _, wait = stage
    handover.look_again()
    await turns()
    assert not wait.done()


async def test_what_is_made_within_the_fade_is_not_waited_for() -> None:
    studio, line = SlowStudio(), Line()
    studio.soon.add("urgent")
    await asyncio.wait_for(Handover(line.heir, studio).wait("low", "hall"), 5)
    studio.of("urgent").set()
    await turns()


def test_end_of_an_announcement_drops_what_was_prepared() -> None:
    studio = SlowStudio()
    Handover(Line().heir, studio).forget("urgent")
    assert studio.forgotten == ["urgent"]
