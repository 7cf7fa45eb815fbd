"""Tests of the text door."""
