"""Names of zones: single ones, groups of them, and ``all``."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from cosyedge.core.errors import Refusal

EVERY_ZONE = "all"


def expand(
    names: Iterable[str], zones: Collection[str], groups: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Put zones in the place of groups and ``all``, each once, in the order of the names.

    Raises Refusal("unknown_zone", field="zone") for a name that is neither.
    """
    found: dict[str, None] = {}
    for name in names:
        if name in zones:
            found[name] = None
        elif name in groups:
            found.update(dict.fromkeys(zone for zone in groups[name] if zone in zones))
        elif name == EVERY_ZONE:
            found.update(dict.fromkeys(zones))
        else:
            raise Refusal("unknown_zone", f"no zone or group {name!r}", field="zone")
    if not found:
        raise Refusal("unknown_zone", "no zone is named", field="zone")
    return tuple(found)
