"""The worker: one process a voice, spoken to in frames; its own side and its parent's."""
