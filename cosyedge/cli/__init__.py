"""The command line: a verb a module, loaded when it is asked for."""
