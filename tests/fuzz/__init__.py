"""Nonsense for everything that reads what others wrote; seeded, the same every time."""
