"""How much of everything: the usual run, the whole one, or the deep one.

``--whole`` runs what is marked `whole` too; ``--deep`` all of it, and more of the same.
"""

import itertools
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
    every = [_given(case) for case in cases]
    keys = [key(*case.values) for case in every]
    return [
        _kept(case, keys.index(mark) == place)
        for place, (case, mark) in enumerate(zip(every, keys, strict=True))
    ]


def spread(cases: Iterable[Any], most: int) -> list[Any]:
    """Return the cases, of which the usual run has so many, from the first to the last."""
    every = [_given(case) for case in cases]
    usual = {round(number * (len(every) - 1) / max(1, most - 1)) for number in range(most)}
    return [_kept(case, place in usual) for place, case in enumerate(every)]


def in_turn(cases: Iterable[Any], *axes: Iterable[Any]) -> list[Any]:
    """Return every case with all combinations of the axes; the usual run has one of each, in turn."""
    every = list(itertools.product(*axes))
    return [
        _kept(
            pytest.param(
                case, *rest, id="-".join(str(getattr(x, "name", x)) for x in (case, *rest))
            ),
            number % len(every) == place,
        )
        for number, case in enumerate(cases)
        for place, rest in enumerate(every)
    ]


def _given(case: Any) -> Any:
    if hasattr(case, "values") and hasattr(case, "marks"):
        return case
    return pytest.param(*(case if isinstance(case, tuple) else (case,)))


def _kept(case: Any, usual: bool) -> Any:
    marks = case.marks if usual else (*case.marks, pytest.mark.whole)
    return pytest.param(*case.values, id=case.id, marks=marks)
