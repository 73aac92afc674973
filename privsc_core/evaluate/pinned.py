"""Two settings side by side: what differs, and by which factor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.evaluate.curves import Numbers

_ORDER = ("d", "epsilon", "m", "alpha", "beta", "delta", "constants", "distribution", "concept")


@dataclass(frozen=True, slots=True)
class Change:
    """One thing then and now.

    Attributes
    ----------
    name : str
        Of a parameter, or the title of a learner.
    before, now : float, str or None
        None where a learner has no least m.
    factor : float
        now / before; NaN where one of them is no number, or `before` is 0.
    """

    name: str
    before: float | str | None
    now: float | str | None
    factor: float


def _change(name: str, before: float | str | None, now: float | str | None) -> Change:
    factor = math.nan
    if isinstance(before, int | float) and isinstance(now, int | float) and before:
        factor = now / before
    return Change(name, before, now, factor)


def moved(pinned: Any, now: Any) -> tuple[Change, ...]:
    """Return the parameters, numbers and words, in which two settings differ.

    Both are a `Scenario`, or both are another setting that has some of its parameters.
    """
    here = (name for name in _ORDER if hasattr(now, name))
    pairs = ((name, getattr(pinned, name), getattr(now, name)) for name in here)
    return tuple(_change(*pair) for pair in pairs if pair[1] != pair[2])


def changes(before: Numbers, now: Numbers, learners: tuple[str, ...]) -> tuple[Change, ...]:
    """Return the least m of some learners at two settings, see `views.numbers`.

    Those without one at either setting are left out, and those that are pending.
    """
    then = {row.title: row.m for row in before.learners}
    told = (row for row in now.learners if row.name in learners and not row.pending)
    return compared(then, {row.title: row.m for row in told})


def compared(
    before: Mapping[str, float | None], now: Mapping[str, float | None]
) -> tuple[Change, ...]:
    """Return numbers by their titles at two settings; those that neither has are left out."""
    return tuple(
        _change(title, before.get(title), number)
        for title, number in now.items()
        if number is not None or before.get(title) is not None
    )
