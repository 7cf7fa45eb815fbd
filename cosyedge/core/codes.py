"""Every stable code with its meaning and its mend, as data.

Events, logs, the journal's catalogue and the documentation all read this one table.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a code means, and what its reader can do about it."""

    meaning: str
    mend: str


CODES: dict[str, Explanation] = {
    # Refusals of a text (raised by the text door)
    "empty_text": Explanation("the text is empty", "send a text that holds words"),
    "nothing_speakable": Explanation(
        "the text holds only punctuation, symbols or emoji", "add a word"
    ),
    "too_long": Explanation("the text exceeds limits.text_max_chars", "shorten or split it"),
    "unsupported_language": Explanation(
        "no reader for this language", "use one of the voice's languages, or auto"
    ),
    # Refusals of a payload
    "too_large": Explanation(
        "the payload or the audio exceeds a size limit", "shorten it, or raise the limit"
    ),
    "invalid_utf8": Explanation("the payload is not UTF-8", "send UTF-8"),
    "not_json": Explanation(
        "the payload begins like JSON and is none", "mend the JSON, or send plain text"
    ),
    "duplicate_key": Explanation("a key stands twice in the payload", "send it once"),
    "too_deep": Explanation("the payload is nested too deeply", "flatten it"),
    "wrong_type": Explanation("a field has the wrong type", "see cosyedge schema"),
    "invalid_value": Explanation("a field's value is out of its range", "see cosyedge schema"),
    "unknown_voice": Explanation("no such voice on this node", "see cosyedge voices"),
    "unknown_media": Explanation(
        "no such recorded message or chime on this node", "put the file into the recordings folder"
    ),
    "unknown_zone": Explanation("no such zone on this node", "see the node's info topic"),
    "retained": Explanation("the command is retained", "publish commands without retain"),
    "forbidden_topic": Explanation(
        "the response topic is not allowed", "use a plain topic outside our commands"
    ),
    "not_granted": Explanation("the topic does not grant this", "use a topic that does"),
    # Refusals for the node's sake
    "queue_full": Explanation("the queue is full", "send less, or raise queue.max_items"),
    "rate_limited": Explanation("too many messages on this topic", "send more slowly"),
    "overloaded": Explanation("the box is short of memory", "wait retry_after seconds"),
    "stopping": Explanation("the node is stopping", "send it again after the restart"),
    # Ends of an accepted announcement
    "expired": Explanation("the time to live ran out", "raise ttl, or look at the queue"),
    "cancelled": Explanation("a cancel command named it", "nothing to do"),
    "replaced": Explanation("a newer one with its coalesce_key came", "nothing to do"),
    "preempted": Explanation("a higher class cut it and it does not resume", "nothing to do"),
    "skipped": Explanation("a skip command ended it", "nothing to do"),
    "cleared": Explanation("a clear command ended it", "nothing to do"),
    "burst_limit": Explanation("too many waited after an outage", "raise queue.burst_max"),
    "max_duration": Explanation("max_duration was reached", "nothing to do"),
    "zone_busy": Explanation("the zone was not free", "use routing = stacked"),
    "muted": Explanation("the zone or the class is muted", "unmute it"),
    "quiet_hours": Explanation("quiet hours hold this class back", "use a higher class"),
    "interrupted": Explanation(
        "the daemon ended while it played", "set policy.on_crash = replay to hear it again"
    ),
    # Failures of the engine
    "out_of_memory": Explanation("the worker reached its memory cap", "raise engine.memory_cap_mb"),
    "bad_audio": Explanation("the engine made unusable audio", "see the worker's log"),
    "model_missing": Explanation("the voice's files are not there", "install the voice"),
    "model_invalid": Explanation(
        "a file of the voice is not what its manifest says", "install the voice again"
    ),
    "engine_unavailable": Explanation("no worker is ready", "see the worker's log"),
    "engine_crashed": Explanation("the worker died", "see the worker's log"),
    "engine_timeout": Explanation("the synthesis missed its deadline", "see the worker's log"),
    "engine_error": Explanation("the engine refused the request", "see the worker's log"),
    "synthesis_cancelled": Explanation("the synthesis gave way", "nothing to do"),
    # Failures of an output
    "device_missing": Explanation("the sound device or player is not there", "cosyedge doctor"),
    "device_busy": Explanation("the sound device is in use", "free it, or use a mixing device"),
    "device_lost": Explanation("the player died in mid-speech", "look at the device's cable"),
    "device_stuck": Explanation("the player takes no samples", "restart the sound server"),
    "broker_unavailable": Explanation(
        "the broker cannot be reached", "see that it runs, and mqtt.host and mqtt.port"
    ),
    "publish_refused": Explanation("the broker refused the publish", "grant the topic"),
    "unsupported_format": Explanation("the format cannot be written", "see cosyedge schema"),
    # Failures of storage and settings
    "disk": Explanation("the disk is full, read-only or broken", "free the disk"),
    "corrupt": Explanation("a stored file is damaged; it was moved aside", "nothing to do"),
    "in_use": Explanation("another daemon uses this directory", "stop it, or set another"),
    "settings": Explanation("the configuration cannot be used", "mend the key that it names"),
    # Faults of the connection
    "client_id_conflict": Explanation(
        "another client uses our id", "give each node a name of its own"
    ),
    "not_authorized": Explanation("the broker refused our credentials", "mend mqtt.username"),
    "protocol_error": Explanation("the broker broke the protocol", "look at the broker"),
    "certificate_expires": Explanation(
        "the broker's certificate ends within the days that the fault's name says", "renew it"
    ),
    "tls": Explanation("the TLS handshake failed", "look at certificates and clock"),
    # Faults of the box
    "clock_unset": Explanation(
        "the wall clock is earlier than it can be; hours are not known",
        "let the box reach a time server, or set its clock",
    ),
    "clock_jumped": Explanation(
        "the wall clock was stepped by more than a minute; believed after ten",
        "see who sets the clock",
    ),
    # Warnings
    "not_supported_yet": Explanation("the key is known and not acted on", "leave it out"),
    "unknown_key": Explanation("the key is not known", "see cosyedge schema"),
    "capped": Explanation("the topic grants less than was asked", "use a higher topic"),
    "unavailable_value": Explanation(
        "the text holds a value such as unavailable or None", "mend the template"
    ),
    "figures_unread": Explanation(
        "the text's language has no reader here and its voice reads no figures itself",
        "write figures as words, or use another voice",
    ),
    "reseeded": Explanation(
        "the voice failed at first and spoke at the second try", "nothing to do"
    ),
    "internal": Explanation("a fault of cosyedge itself", "report it with cosyedge doctor"),
}
