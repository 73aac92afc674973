"""How much of everything: the usual run, the whole one, or the deep one.

``--whole`` runs what is marked `whole` too; ``--deep`` all of it, and more of the same.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

DEEP = False
"""Whether this run is a deep one; `tests/conftest.py` says so before tests are collected."""


def deep(usual: T, more: T) -> T:
    """Return `usual`, or `more` in a deep run. For what has more of the same, never other code."""
    return more if DEEP else usual


def whole(*values: Any) -> Any:
    """Return the values of one case that the usual run leaves out."""
    return pytest.param(*values, marks=pytest.mark.whole)


def firsts(cases: Iterable[Any], key: Callable[..., Hashable] = lambda *_: None) -> list[Any]:
    """Return the cases; those whose key an earlier one has are left out of the usual run.

    Without a key it keeps one.
    """
    seen: set[Hashable] = set()
    found = []
    for case in cases:
        known = hasattr(case, "values") and hasattr(case, "marks")
        given = case if known else pytest.param(*(case if isinstance(case, tuple) else (case,)))
        mark = key(*given.values)
        marks = (*given.marks, pytest.mark.whole) if mark in seen else given.marks
        seen.add(mark)
        found.append(pytest.param(*given.values, id=given.id, marks=marks))
    return found
