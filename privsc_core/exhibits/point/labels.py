"""Labelled and unlabelled examples for points: the plane (m, u), and labels against d.

Laws are exact and on `hard`. What survives of u unlabelled examples and how the choice then does on
m labelled ones are two small tables (`unlabelled_laws`), so a plane is one product of them.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.labels import pool, proved_labels, transcript_labels
from privsc_core.concepts.point.distributions import Hard
from privsc_core.concepts.point.learners import (
    Generic,
    GenericStable,
    Hash,
    LabelBoost,
)
from privsc_core.concepts.point.learners import generic as laws
from privsc_core.concepts.point.learners import label_boost as boosted
from privsc_core.draw.budgets_figures import Told, against_figure, asking_figure, plane_figure
from privsc_core.evaluate.budgets import TwoBudgets, against, asking, labelled, plane
from privsc_core.numerics.search import least_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Against, Plane


# How many empty cells may survive: the thresholds among which the tuned frontier takes the best.
SPURIOUS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
OWN = Generic().spurious
_MOST = 10**12
_NEVER = math.nan


def _mass(at: Cell) -> float:
    return Hard().profile(d=at.d, alpha=at.alpha).mass


def success(
    m: Sequence[int], u: Sequence[int], at: Cell, spurious: tuple[float, ...]
) -> NDArray[np.float64]:  # fmt: skip
    """Return success, shape (thresholds, len(u), len(m)): two tables and their product."""
    mass = _mass(at)
    kept = np.array([laws.kept_tables(n, at.d, at.epsilon, mass, spurious) for n in u])
    most = laws.enough_labels(at.d, at.epsilon, mass)
    drawn = np.array(
        [laws.drawn_tables(min(n, most), at.d, at.epsilon, mass, spurious)[:, 0] for n in m]
    )
    return np.asarray(np.einsum("ukij,mkij->kum", kept, drawn, optimize=True))


def plenty(at: Cell) -> float:
    """Return the labels that suffice when target and point 1 survive: the limit of large u."""
    mass, spurious = _mass(at), SPURIOUS[0]

    def score(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        found = [laws.drawn_shares(m, at.d, at.epsilon, mass, spurious) for m in sizes.tolist()]
        return np.array([one[0, 1, 1] for one in found]) - (1.0 - at.beta)

    found = least_integer(score, limit=_MOST)
    return _NEVER if found is None else float(found)


def least_stable(m: int, at: Cell) -> float:
    """Return the least u with which m labels suffice to the learner with a slack; NaN for none."""
    learner, mass = GenericStable(), _mass(at)
    threshold = learner.threshold(at.d, at.epsilon)
    drawn = laws.drawn_shares(m, at.d, at.epsilon, mass, 0.0)[0]
    if drawn[1, 1] < 1.0 - at.beta:
        return _NEVER

    def score(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        kept = [laws.stable_shares(n, threshold, at.epsilon, mass) for n in sizes.tolist()]
        return np.array([float((one * drawn).sum()) for one in kept]) - (1.0 - at.beta)

    found = least_integer(score, limit=_MOST)
    return _NEVER if found is None else float(found)


def boosted_plenty(at: Cell) -> float:
    """Return the labels that suffice for LabelBoost with any number of unlabelled examples."""
    mass = _mass(at)
    learner = LabelBoost()
    people = laws.enough_labels(at.d, at.epsilon, mass)

    def score(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        kept = (learner.kept(m, at.epsilon)[0] for m in sizes.tolist())
        found = [
            boosted.boosted_law(m, people, at.d, learner.pick, at.epsilon, mass)[0] for m in kept
        ]
        return np.array(found) - (1.0 - at.beta)

    found = least_integer(score, limit=_MOST)
    return _NEVER if found is None else float(found)


def least_unlabelled(m: int, at: Cell, *spurious: float) -> float:
    """Return the least u with which m labels suffice at the best of some thresholds; NaN for none."""
    ceilings = laws.drawn_tables(m, at.d, at.epsilon, _mass(at), spurious)[:, 0, 1, 1]
    able = tuple(one for one, top in zip(spurious, ceilings, strict=True) if top >= 1.0 - at.beta)
    if not able:
        return _NEVER

    def score(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        best = success([m], sizes.tolist(), at, able)[:, :, 0].max(axis=0)
        return np.asarray(best - (1.0 - at.beta))

    found = least_integer(score, limit=_MOST)
    return _NEVER if found is None else float(found)


def _tuned(
    m: Sequence[int], u: Sequence[int], at: Cell
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    every = success(m, u, at, SPURIOUS)
    return every[SPURIOUS.index(OWN)], every.max(axis=0)


PLANE = TwoBudgets(
    concept="point", law="hard", bounds=("labels", "packing", "packing-two"),
    surface=lambda m, u, at, _: success(m, u, at, (OWN,))[0], plenty=lambda at, _: plenty(at),
    places=(8, 12, 16, 24, 32, 64, 128, 256, 512, 1024), proved=partial(proved_labels, 1), cells=(56, 56),
    tuned=_tuned,
    least=lambda m, at, tuned: least_unlabelled(m, at, *(SPURIOUS if tuned else (OWN,))),
    others=(
        ("improper", lambda _, at: labelled("point", "hard", "hash", at)),
        ("boosted", lambda _, at: boosted_plenty(at)),
        ("slack", lambda m, at: m + least_stable(m, at)),
    ),
)  # fmt: skip


# --- The pictures of labels and people for points ------------------------------------------------


TOLD = Told(
    of=PLANE, symbol="POINT_d", learner=Generic.title, labelled="exponential mechanism",
    sanitizer="a histogram",
    learners=(
        "erm", "exponential", "generic", "generic-flip", "generic-stable", "label-boost", "hash",
    ),
    improper=("Hash learner, improper, u = 0", Hash.name),
    boosted=("Labels of LabelBoost", LabelBoost.name),
    slack=("Its people with a slack δ = 10⁻⁶", GenericStable.name), source="Exact laws",
    tuned=", and a threshold tuned for hard",
)  # fmt: skip


def plane_picture(d: int, epsilon: float, alpha: float, beta: float) -> tuple[Plane, Picture]:
    """Compute and draw success over labelled and unlabelled examples."""
    found = plane(PLANE, Cell(d, epsilon, alpha, beta))
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
