"""Two settings side by side: what differs, and by which factor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["Change", "changes", "moved"]

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


def moved(pinned: Scenario, now: Scenario) -> tuple[Change, ...]:
    """Return the parameters, numbers and words, in which two settings differ."""
    pairs = ((name, getattr(pinned, name), getattr(now, name)) for name in _ORDER)
    return tuple(_change(*pair) for pair in pairs if pair[1] != pair[2])


def changes(before: Numbers, now: Numbers, learners: tuple[str, ...]) -> tuple[Change, ...]:
    """Return the least m of some learners at two settings, see `views.numbers`.

    Those without one at either setting are left out.
    """
    then = {row.name: row.m for row in before.learners}
    rows = (row for row in now.learners if row.name in learners)
    return tuple(
        _change(row.title, then.get(row.name), row.m)
        for row in rows
        if row.m is not None or then.get(row.name) is not None
    )
