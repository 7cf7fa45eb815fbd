"""Engines: they turn one sentence into samples, in the worker process and nowhere else."""
