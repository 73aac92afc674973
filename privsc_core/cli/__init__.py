"""The command line: words in, words out."""

from privsc_core.cli.main import main

__all__ = ["main"]
