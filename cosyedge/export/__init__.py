"""From an official checkpoint folder to a voice bundle that the engine can load."""
