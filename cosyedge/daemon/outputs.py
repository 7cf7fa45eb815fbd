"""The ways out of the zones, made from their sections of the configuration."""

from collections.abc import Mapping

from cosyedge.adapters.encoding import Encoder
from cosyedge.adapters.file_output import FileOutput
from cosyedge.adapters.mqtt_output import MqttOutput, MqttOutputSettings
from cosyedge.adapters.null_output import NullOutput
from cosyedge.adapters.player import PlayerOutput, PlayerSettings
from cosyedge.config import outputs as config
from cosyedge.service.ports import Broker, Output
from cosyedge.wire.topics import Topics


def make_outputs(
    sections: Mapping[str, config.OutputSettings],
    topics: Topics,
    broker: Broker,
    encoder: Encoder,
) -> dict[str, Output]:
    """One output a section; nothing is opened or started yet."""
    return {
        name: _output(name, section, topics, broker, encoder) for name, section in sections.items()
    }


def _output(
    name: str, section: config.OutputSettings, topics: Topics, broker: Broker, encoder: Encoder
) -> Output:
    match section:
        case config.MqttOutputSettings():
            settings = MqttOutputSettings(
                profile=section.profile,
                format=section.format,
                rate_hz=section.rate_hz,
                chunk_bytes=section.chunk_bytes,
                pace=section.pace,
            )
            return MqttOutput(name, settings, broker, topics, encoder.encode)
        case config.PlayerOutputSettings():
            return PlayerOutput(
                name,
                PlayerSettings(
                    argv=section.argv,
                    device=section.device,
                    rate_hz=section.rate_hz,
                    lead_in_s=section.lead_in_s,
                    keep_awake=section.keep_awake,
                    buffer_ms=section.buffer_ms,
                ),
            )
        case config.FileOutputSettings():
            return FileOutput(
                name, section.directory, format=section.format, max_files=section.max_files
            )
        case config.NullOutputSettings():
            return NullOutput(name, paced=section.pace == "realtime")
