"""The whole configuration as one model, with the checks between its sections."""

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from cosyedge.config.base import Language, Name
from cosyedge.config.cache import CacheSettings
from cosyedge.config.engine import EngineSettings
from cosyedge.config.journal import JournalSettings
from cosyedge.config.limits import LimitsSettings
from cosyedge.config.liveness import LivenessSettings
from cosyedge.config.log import LogSettings
from cosyedge.config.mqtt import MqttSettings
from cosyedge.config.node import NodeSettings
from cosyedge.config.outputs import OutputSettings
from cosyedge.config.paths import PathsSettings
from cosyedge.config.phrases import PhraseSettings
from cosyedge.config.policy import PolicySettings
from cosyedge.config.queue import QueueSettings
from cosyedge.config.schedule import ScheduleSettings
from cosyedge.config.text import TextSettings
from cosyedge.config.zones import ZoneSettings

ENV_PREFIX = "COSYEDGE_"
IMPLIED_OUTPUTS = ("mqtt", "player")
DEFAULT_ZONE = "default"

TemplateText = Annotated[str, Field(min_length=1, max_length=1000)]


class Settings(BaseSettings):
    """Every section; the environment wins over what is passed in (the file's tables)."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix=ENV_PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        hide_input_in_errors=True,
    )

    node: NodeSettings = Field(default_factory=NodeSettings)
    paths: PathsSettings = Field(default_factory=PathsSettings)
    mqtt: MqttSettings = Field(default_factory=MqttSettings)
    engine: EngineSettings = Field(default_factory=EngineSettings)
    cache: CacheSettings = Field(default_factory=CacheSettings)
    queue: QueueSettings = Field(default_factory=QueueSettings)
    limits: LimitsSettings = Field(default_factory=LimitsSettings)
    policy: PolicySettings = Field(default_factory=PolicySettings)
    text: TextSettings = Field(default_factory=TextSettings)
    log: LogSettings = Field(default_factory=LogSettings)
    journal: JournalSettings = Field(default_factory=JournalSettings)
    liveness: LivenessSettings = Field(default_factory=LivenessSettings)
    outputs: dict[Name, OutputSettings] = Field(default_factory=dict)
    zones: dict[Name, ZoneSettings] = Field(default_factory=dict)
    groups: dict[Name, tuple[Name, ...]] = Field(default_factory=dict)
    templates: dict[Name, dict[Language, TemplateText]] = Field(default_factory=dict)
    phrases: tuple[PhraseSettings, ...] = ()
    schedule: tuple[ScheduleSettings, ...] = ()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over the file, and read nothing else."""
        del settings_cls, dotenv_settings, file_secret_settings
        return env_settings, init_settings

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        self._check_outputs()
        self._check_zones()
        _check_known(
            "node.default_zone", (self.node.default_zone,), set(self.zones) or {DEFAULT_ZONE}
        )
        for index, entry in enumerate(self.schedule):
            _check_known(f"schedule.{index}.template", (entry.template,), set(self.templates))
        names = [entry.name for entry in self.schedule]
        if len(names) != len(set(names)):
            raise ValueError("schedule: two entries have the same name")
        return self

    def _check_outputs(self) -> None:
        known = {*self.outputs, *IMPLIED_OUTPUTS}
        for name, zone in self.zones.items():
            _check_known(f"zones.{name}.outputs", zone.outputs, known)
            _check_known(f"zones.{name}.fallback_output", (zone.fallback_output,), known)

    def _check_zones(self) -> None:
        zones = set(self.zones) or {DEFAULT_ZONE}
        both = zones & set(self.groups)
        if both:
            raise ValueError(f"groups.{min(both)}: a zone has this name")
        for name, members in self.groups.items():
            _check_known(f"groups.{name}", members, zones)
        for index, phrase in enumerate(self.phrases):
            _check_known(f"phrases.{index}.zone", (phrase.zone,), zones)
        for index, entry in enumerate(self.schedule):
            _check_known(f"schedule.{index}.zones", entry.zones, zones | set(self.groups) | {"all"})


def _check_known(key: str, names: tuple[str | None, ...], known: set[str]) -> None:
    for name in names:
        if name is not None and name not in known:
            raise ValueError(f"{key}: there is no {name!r}; known: {', '.join(sorted(known))}")
