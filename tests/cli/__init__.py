"""The command line, as a person calls it: output, exit status, error sentences."""
