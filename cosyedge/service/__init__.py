"""The story: one announcement from a message to its outcome, over ports."""
