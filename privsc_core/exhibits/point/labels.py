"""Labelled and unlabelled examples for points: the plane (m, u), and labels against d.

Laws are exact and on `hard`. What survives of u unlabelled examples and how the choice then does on
m labelled ones are two small tables (`unlabelled_laws`), so a plane is one product of them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.generic.labels import label_wall
from privsc_core.concepts.point import unlabelled_laws as laws
from privsc_core.concepts.point.distributions import Hard
from privsc_core.concepts.point.learners import Exponential, Generic, Hash
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.budgets import MARGIN, Against, Plane, crossing
from privsc_core.evaluate.need import need
from privsc_core.numerics.search import least_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell

__all__ = [
    "PLACES",
    "SPURIOUS",
    "against",
    "least_unlabelled",
    "plane",
    "plenty",
    "tuned_unlabelled",
]

# How many empty cells may survive: the thresholds among which the tuned frontier takes the best.
SPURIOUS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
PLACES: tuple[int, ...] = (8, 12, 16, 24, 32, 64, 128, 256, 512, 1024)
_OWN = Generic().spurious
_COLUMNS, _ROWS = 56, 56  # cells of the map
_COARSE = 3  # every third row where ten thresholds are tried, and of the columns
_MOST = 10**12
_PEOPLE = ("packing", "packing-two")
_NEVER = math.nan


def _mass(at: Cell) -> float:
    return Hard().profile(d=at.d, alpha=at.alpha).mass


def _success(
    m: Sequence[int], u: Sequence[int], at: Cell, spurious: float
) -> NDArray[np.float64]:  # fmt: skip
    """Return success, shape (len(u), len(m)): two tables and their product."""
    mass = _mass(at)
    kept = np.array([laws.kept_shares(n, at.d, at.epsilon, mass, spurious) for n in u])
    drawn = np.array([laws.drawn_shares(n, at.d, at.epsilon, mass, spurious)[0] for n in m])
    return np.asarray(kept.reshape(len(u), 4) @ drawn.reshape(len(m), 4).T)


def plenty(at: Cell) -> float:
    """Return the labels that suffice when target and point 1 survive: the limit of large u."""
    mass, spurious = _mass(at), SPURIOUS[0]

    def score(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        found = [laws.drawn_shares(m, at.d, at.epsilon, mass, spurious) for m in sizes.tolist()]
        return np.array([one[0, 1, 1] for one in found]) - (1.0 - at.beta)

    found = least_integer(score, limit=_MOST)
    return _NEVER if found is None else float(found)


def least_unlabelled(m: int, at: Cell, spurious: float = _OWN) -> float:
    """Return the least u with which m labels suffice at one threshold; NaN for none."""
    ceiling = laws.drawn_shares(m, at.d, at.epsilon, _mass(at), spurious)[0, 1, 1]
    if ceiling < 1.0 - at.beta:
        return _NEVER

    def score(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(_success([m], sizes.tolist(), at, spurious)[:, 0] - (1.0 - at.beta))

    found = least_integer(score, limit=_MOST)
    return _NEVER if found is None else float(found)


def tuned_unlabelled(m: int, at: Cell) -> float:
    """Return the least u at the best threshold of `SPURIOUS`; NaN for none."""
    found = [least_unlabelled(m, at, spurious) for spurious in progress.steps(SPURIOUS)]
    return min((u for u in found if not math.isnan(u)), default=_NEVER)


def _given(at: Cell) -> dict[str, Any]:
    return {"d": at.d, "epsilon": at.epsilon, "alpha": at.alpha, "beta": at.beta}


def plane(at: Cell) -> Plane:
    """Return the plane (m, u) at a setting, with what is excluded and what suffices.

    The wall is `label_wall`, sharp. The diagonal is the larger of the packing bounds, which count
    people: who has m + u labelled examples can forget u labels and run the learner.
    """
    law = Hard()
    wall = label_wall(at.epsilon, at.alpha, at.beta)
    labelled = float(need(Exponential(), law, **_given(at)).m)
    people = max(float(bound(catalog.bound("point", name), **_given(at)).m) for name in _PEOPLE)
    enough = plenty(at)
    example = math.ceil(MARGIN * enough)
    left = max(1.0, (wall or enough) / 2.0)
    m = np.unique(np.geomspace(left, 1.6 * max(labelled, enough), _COLUMNS).astype(np.int64))
    u = np.unique(np.linspace(0.0, 2.0 * max(labelled, people), _ROWS).astype(np.int64))
    success = _success(m.tolist(), u.tolist(), at, _OWN)
    # All columns where the frontier bends.
    bend = np.flatnonzero((m >= (wall or enough)) & (m <= 2.0 * enough))
    tried_at = np.union1d(bend, np.arange(0, m.size, _COARSE))
    some, rows = m[tried_at], u[::_COARSE]
    tried = progress.steps(SPURIOUS, end=0.5)
    best = np.max([_success(some.tolist(), rows.tolist(), at, one) for one in tried], axis=0)
    goal = 1.0 - at.beta
    tuned = np.full(m.shape, _NEVER)
    tuned[tried_at] = crossing(rows, best, goal)
    there = np.isfinite(tuned)
    inside = (m >= m[there].min()) & (m <= m[there].max()) if there.any() else there
    tuned[inside] = np.interp(np.log(m[inside]), np.log(m[there]), tuned[there])
    with progress.stage(0.5, 1.0):
        u_tuned = tuned_unlabelled(example, at)
    return Plane(
        at, m, u, success, crossing(u, success, goal), tuned,
        _NEVER if wall is None else float(wall), people, labelled, enough, example,
        least_unlabelled(example, at), u_tuned,
    )  # fmt: skip


def against(at: Cell) -> Against:
    """Return labels and people against d."""
    d = np.array(PLACES)
    law = Hard()
    same: dict[str, Any] = _given(at) | {"d": d}
    labels, people = [], []
    for bits in progress.steps(PLACES):
        here = replace(at, d=bits)
        labels.append(plenty(here))
        m = math.ceil(MARGIN * labels[-1])
        people.append(m + tuned_unlabelled(m, here))
    wall = label_wall(at.epsilon, at.alpha, at.beta)
    return Against(
        at, d.astype(np.float64), need(Exponential(), law, **same).m, np.array(labels),
        np.array(people), need(Hash(), law, **same).m,
        np.full(d.shape, _NEVER if wall is None else float(wall)),
    )  # fmt: skip
