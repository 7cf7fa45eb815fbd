"""Zone names, groups and selectors."""

import pytest

from cosyedge.core.errors import Refusal
from cosyedge.core.selectors import ALL, Selector
from cosyedge.core.zones import expand
from tests.core.announcing import make

ZONES = ["hall", "yard", "dock"]
GROUPS = {"outside": ["yard", "dock"]}


def test_groups_and_all_stand_for_their_zones_once_each() -> None:
    assert expand(["dock", "outside"], ZONES, GROUPS) == ("dock", "yard")
    assert expand(["all"], ZONES, GROUPS) == ("hall", "yard", "dock")


@pytest.mark.parametrize("names", [["attic"], ["hall", "attic"], []])
def test_unknown_or_missing_names_are_refused(names: list[str]) -> None:
    with pytest.raises(Refusal) as caught:
        expand(names, ZONES, GROUPS)
    assert caught.value.code == "unknown_zone"
    assert caught.value.field == "zone"


def test_selector_means_what_fits_all_its_fields() -> None:
    urgent = make("u1", "urgent")
    assert ALL.means(urgent, "hall")
    assert Selector(id="u1").means(urgent, "hall")
    assert not Selector(id="u2").means(urgent, "hall")
    assert Selector(class_name="urgent", zone="hall").means(urgent, "hall")
    assert not Selector(class_name="urgent", zone="hall").means(urgent, "yard")
    assert not Selector(class_name="high").means(urgent, "hall")
