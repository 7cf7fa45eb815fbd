"""The pure heart: announcements, events, order, cache policy and samples, with no I/O."""
