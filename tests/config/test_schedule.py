"""A schedule entry as the cron expression and the announcement that it stands for."""

import pytest
from pydantic import ValidationError

from cosyedge.config.schedule import ScheduleSettings


def test_days_become_the_weekday_of_the_expression() -> None:
    entry = ScheduleSettings(name="bell", cron="0 6 * * *", text="Shift.", days=("mon", "fri"))
    assert entry.cron_on_days == "0 6 * * mon,fri"
    assert ScheduleSettings(name="bell", cron="0 6 * * 1-5", text="x").cron_on_days == "0 6 * * 1-5"


def test_weekday_given_twice_is_refused() -> None:
    with pytest.raises(ValidationError, match="give it once"):
        ScheduleSettings(name="bell", cron="0 6 * * 1", text="x", days=("mon",))


def test_entry_is_the_announcement_of_its_content() -> None:
    entry = ScheduleSettings.model_validate(
        {"name": "stop", "cron": "* * * * *", "template": "line", "slots": {"line": "3"}}
    )
    assert entry.payload == {
        "template": "line",
        "slots": {"line": "3"},
        "zone": "all",
        "class": "normal",
    }
    spoken = ScheduleSettings(name="a", cron="* * * * *", text="Hi", zones=("hall",), lang="en")
    assert spoken.payload == {"text": "Hi", "zone": ["hall"], "class": "normal", "lang": "en"}
