"""Which announcements a command means: by id, by class, by zone, or all of them."""

from dataclasses import dataclass

from cosyedge.core.announcement import Announcement


@dataclass(frozen=True, slots=True)
class Selector:
    """Every field that is set must fit; with none set it means all.

    ``zone`` narrows the command to that zone: the announcement goes on in its others.
    """

    id: str | None = None
    class_name: str | None = None
    zone: str | None = None

    def means(self, announcement: Announcement, zone: str) -> bool:
        """Whether ``announcement`` is meant where it sounds, or would sound, in ``zone``."""
        return (
            self.id in (None, announcement.id)
            and self.zone in (None, zone)
            and self.class_name in (None, announcement.class_name)
        )


ALL = Selector()
