"""The CosyVoice voice: reading, exporting, and speaking."""
