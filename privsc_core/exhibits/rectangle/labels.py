"""Labelled and unlabelled examples for rectangles: success over both budgets, simulated on `hard8`."""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.labels import proved_labels
from privsc_core.concepts.rectangle.distributions import Hard8
from privsc_core.concepts.rectangle.laws import drawn_grids, drawn_labels, shares
from privsc_core.concepts.rectangle.learners import Generic
from privsc_core.draw.budgets_figures import Told, against_figure, plane_figure
from privsc_core.evaluate.budgets import TwoBudgets, against, crossing, plane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Against, Plane


_TRIALS, _ROUGH = 400, 60
_SEED = 1
_OWN = Generic()
_ALL_PEOPLE = 10**9
_STEPS = 25
_MOST = 10**6


def _surface(
    m: Sequence[int], u: Sequence[int], at: Cell, trials: int = _TRIALS
) -> NDArray[np.float64]:
    """Return success: grids drawn for every u, against labels drawn for every m."""
    law = Hard8()
    law.check(d=at.d, alpha=at.alpha)
    grids = [
        drawn_grids(
            law, n, _OWN.levels, at.d, _OWN.cut_rate(at.epsilon), at.alpha, trials,
            np.random.default_rng(_SEED),
        )
        for n in progress.steps(u, end=0.2)
    ]  # fmt: skip
    found = np.empty((len(grids), len(m)))
    for column, n in enumerate(progress.steps(m, begin=0.2)):
        labels = drawn_labels(law, n, at.alpha, trials, np.random.default_rng(_SEED + 1))
        found[:, column] = [
            shares(grid, labels, _OWN.score_rate(at.epsilon)).mean() for grid in grids
        ]
    return found


@lru_cache(maxsize=64)
def _plenty(at: Cell, trials: int = _TRIALS) -> float:
    high = 64
    while _surface([high], [_ALL_PEOPLE], at, trials)[0, 0] < 1.0 - at.beta:
        high *= 2
        if high > _MOST:
            return math.nan
    m = np.unique(np.linspace(high // 2, high, _STEPS).astype(np.int64))
    success = _surface(m.tolist(), [_ALL_PEOPLE], at, trials)
    return float(np.ceil(crossing(m, success.T, 1.0 - at.beta)[0]))


PLANE = TwoBudgets(
    concept="rectangle", law="hard8", bounds=("labels", "packing"), surface=_surface, plenty=_plenty,
    places=(8, 12, 16, 24, 32, 64, 128), proved=partial(proved_labels, 4), trials=_TRIALS, rough=_ROUGH,
)  # fmt: skip


# --- The pictures of labels and people for rectangles --------------------------------------------


TOLD = Told(
    of=PLANE, symbol="RECTANGLE_d on a board of 2^d times 2^d points", learner=Generic.title,
    labelled="exponential mechanism",
    sanitizer="private medians of each coordinate, four levels",
    learners=("erm", "exponential", "generic"),
    own="-rectangles",
    source="Simulated", wall="ours, not attained", enough="; simulated",
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
