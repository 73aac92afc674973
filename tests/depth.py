"""How much of everything: the usual run, or the deep one behind ``pytest --deep``."""

from typing import TypeVar

T = TypeVar("T")

DEEP = False
"""Whether this run is a deep one; `tests/conftest.py` says so before tests are collected."""


def deep(usual: T, more: T) -> T:
    """Return `usual`, or `more` in a deep run. For what has more of the same, never other code."""
    return more if DEEP else usual
