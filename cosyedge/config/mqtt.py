"""[mqtt]: the broker, how to reach it and what its topics may command."""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from cosyedge.config.base import ClassName, Number, Section, Whole


def _plain_host(host: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._:%-]{1,253}", host):
        raise ValueError("a host name or an address, with no scheme, user or password in it")
    return host


class TlsSettings(Section):
    """The broker's certificate is always verified; there is no switch for it."""

    enabled: bool = Field(False, description="Speak TLS to the broker (its port is often 8883).")
    ca_file: Path | None = Field(
        None,
        description="Certificates of the authority. Default: the system's.",
        examples=["/etc/cosyedge/ca.crt"],
    )
    cert_file: Path | None = Field(
        None,
        description="Our own certificate, where the broker asks for one.",
        examples=["/etc/cosyedge/node.crt"],
    )
    key_file: Path | None = Field(
        None,
        description="The key of cert_file; must not be readable by everybody.",
        examples=["/etc/cosyedge/node.key"],
    )

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        if (self.cert_file is None) != (self.key_file is None):
            raise ValueError("cert_file and key_file belong together")
        if not self.enabled and (self.ca_file or self.cert_file):
            raise ValueError("files are given, but enabled is false")
        return self


class GrantsSettings(Section):
    """Authority comes from the topic alone."""

    say: ClassName = Field("high", description="The highest class that plain `say` may claim.")
    say_default: ClassName = Field(
        "normal", description="The class of a `say` that claims none; `say/<class>` has its own."
    )


class MqttSettings(Section):
    """The connection to the broker."""

    host: Annotated[str, AfterValidator(_plain_host)] = Field(
        "127.0.0.1", description="The broker's host name or address."
    )
    port: Whole = Field(1883, ge=1, le=65535, description="The broker's port.")
    username: str | None = Field(
        None, max_length=256, description="User name at the broker.", examples=["cosyedge"]
    )
    password_file: Path | None = Field(
        None,
        description="File that holds the password; must not be readable by everybody.",
        examples=["/etc/cosyedge/mqtt_password"],
    )
    password_credential: str = Field(
        "mqtt_password",
        pattern=r"^[A-Za-z0-9_.-]{1,64}$",
        description="Name of the systemd credential that holds the password, if there is one.",
    )
    client_id: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9_.:-]{1,64}$",
        description="Client id, one a node. Default: base and node name joined by a hyphen.",
        examples=["cosyedge-hall"],
    )
    version: Literal["auto", "5", "3.1.1"] = Field(
        "auto", description="MQTT version; auto tries 5 and falls back to 3.1.1."
    )
    keepalive_s: Whole = Field(30, ge=5, le=3600, description="Keep-alive in seconds.")
    connect_timeout_s: Number = Field(
        10.0, ge=1, le=120, description="Deadline of one attempt to connect, in seconds."
    )
    reconnect_min_s: Number = Field(
        1.0, ge=0.1, le=60, description="First pause between attempts, in seconds."
    )
    reconnect_max_s: Number = Field(
        60.0, ge=1, le=3600, description="Longest pause between attempts, in seconds."
    )
    session_expiry_s: Whole = Field(
        600,
        ge=0,
        le=86400,
        description="How long the broker keeps our session while we are away, in seconds.",
    )
    receive_maximum: Whole = Field(
        20, ge=1, le=1000, description="Unacknowledged messages that the broker may send us."
    )
    max_packet_bytes: Whole = Field(
        131072, ge=20480, le=16777216, description="Largest packet that the broker may send us."
    )
    broker_max_bytes: Whole = Field(
        1000000,
        ge=4096,
        le=268435455,
        description="Largest packet that we send to a broker that states no limit (MQTT 3.1.1).",
    )
    tls: TlsSettings = Field(default_factory=TlsSettings, description="Encryption.")
    grants: GrantsSettings = Field(
        default_factory=GrantsSettings, description="What each topic may command."
    )

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        if self.reconnect_min_s > self.reconnect_max_s:
            raise ValueError("reconnect_min_s exceeds reconnect_max_s")
        return self
