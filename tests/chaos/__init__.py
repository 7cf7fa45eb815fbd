"""Kills at random instants under load, counted from outside."""
