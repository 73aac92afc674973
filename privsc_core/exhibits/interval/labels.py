"""Labelled and unlabelled examples for thresholds: success over both budgets.

What cuts the unlabelled examples leave is drawn, a table of patterns for every u; the choice by labels
is exact given a pattern.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.labels import pool, proved_labels, transcript_labels
from privsc_core.concepts.interval.distributions import Hard
from privsc_core.concepts.interval.learners import Generic
from privsc_core.concepts.interval.learners.generic import guaranteed, patterns, shares, unlimited
from privsc_core.draw.budgets_figures import Told, against_figure, asking_figure, plane_figure
from privsc_core.evaluate.budgets import TwoBudgets, against, asking, plane
from privsc_core.numerics.search import least_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Against, Plane


_TRIALS, _ROUGH = 1000, 60
_SEED = 1
_MOST = 10**7
_OWN = Generic()


def _surface(
    m: Sequence[int], u: Sequence[int], at: Cell, trials: int = _TRIALS
) -> NDArray[np.float64]:
    """Return success: patterns drawn for every u, times exact shares for every m."""
    law, rate = Hard(), _OWN.cut_rate(at.epsilon)
    drawn = [
        patterns(law, n, _OWN.levels, at.d, rate, at.alpha, trials, np.random.default_rng(_SEED))
        for n in progress.steps(u, end=0.5)
    ]
    kinds, back = np.unique(np.concatenate(drawn), axis=0, return_inverse=True)
    times = np.zeros((len(drawn), len(kinds)))
    row = np.repeat(np.arange(len(drawn)), trials)
    np.add.at(times, (row, back.ravel()), 1.0 / trials)
    there = kinds[:, 2] > 0
    table = [
        shares(kinds[there], n, _OWN.score_rate(at.epsilon), at.alpha)
        for n in progress.steps(m, begin=0.5)
    ]
    return np.asarray(times[:, there] @ np.array(table).T)


def plenty(at: Cell) -> float:
    """Return the labels that suffice with any number of unlabelled examples; NaN for none."""
    return _plenty(at.epsilon, at.alpha, at.beta)


# The same at every d.
@lru_cache(maxsize=256)
def _plenty(epsilon: float, alpha: float, beta: float) -> float:
    def score(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        rate = _OWN.score_rate(epsilon)
        found = [unlimited(m, rate, alpha, _OWN.levels) for m in sizes.tolist()]
        return np.array(found) - (1.0 - beta)

    found = least_integer(score, limit=_MOST)
    return math.nan if found is None else float(found)


PLANE = TwoBudgets(
    concept="interval", law="hard", bounds=("labels", "packing", "packing-two"), surface=_surface,
    plenty=lambda at, _: plenty(at), places=(8, 12, 16, 24, 32, 64, 128, 256),
    proved=partial(proved_labels, 1), trials=_TRIALS, rough=_ROUGH,
)  # fmt: skip


# --- The pictures of labels and people for thresholds --------------------------------------------


def _promise(at: Cell) -> str:
    """Write what suffices on every distribution, from the fewest labels to the fewest people."""
    found = guaranteed(at)
    if not found:
        return ""
    few, many = found[0], found[-1]
    return (
        f" For every target on every distribution {few.labels:,} labels with {few.people:,} "
        "unlabelled examples "
        f"suffice, or {many.labels:,} with {many.people:,} (ours; {few.levels} and {many.levels} levels, choice at ε or less)."
    )


TOLD = Told(
    of=PLANE, symbol="INTERVAL_d", learner=Generic.title, labelled="exponential mechanism",
    sanitizer="private medians, four levels",
    learners=("erm", "exponential", "generic"),
    own="-intervals",
    source="People simulated, labels exact", promise=_promise,
)  # fmt: skip


def plane_picture(
    d: int, epsilon: float, alpha: float, beta: float, *, rough: bool = False
) -> tuple[Plane, Picture]:
    """Compute and draw success over labelled and unlabelled examples."""
    found = plane(PLANE, Cell(d, epsilon, alpha, beta), rough=rough)
    return found, plane_figure(found, TOLD)


def against_picture(epsilon: float, alpha: float, beta: float) -> tuple[Against, Picture]:
    """Compute and draw labels, and people, against d."""
    found = against(PLANE, Cell(PLANE.places[0], epsilon, alpha, beta))
    return found, against_figure(found, TOLD)


def asking_picture(
    d: int, epsilon: float, alpha: float, beta: float, inner: float, seen: str
) -> Picture:
    """Compute and draw what asking few of many costs; whose label it was is hidden or published."""
    least = transcript_labels(epsilon, alpha, beta)
    found = asking(PLANE, pool, Cell(d, epsilon, alpha, beta), inner, least)
    return asking_figure(found, TOLD, published=seen == "published")
