"""Known bugs, and the test that finds each."""
