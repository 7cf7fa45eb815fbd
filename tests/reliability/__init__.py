"""The promises R1 to R16 and the faults, each with a test of its name, on the whole daemon."""
