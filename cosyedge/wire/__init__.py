"""The public contract as data: topics, payloads, events, and their JSON Schema."""
