"""Benchmarks: verbs of the command, never imported by the daemon."""
