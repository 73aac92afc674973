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
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.labels import pool, proved_labels, transcript_labels
from privsc_core.concepts.point.distributions import Hard
from privsc_core.concepts.point.learners import (
    Exponential,
    Generic,
    GenericStable,
    Hash,
    LabelBoost,
)
from privsc_core.concepts.point.learners import generic as laws
from privsc_core.concepts.point.learners import label_boost as boosted
from privsc_core.draw.budgets_figures import Told, against_figure, asking_figure, plane_figure
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.budgets import MARGIN, Against, Plane, asking, crossing
from privsc_core.evaluate.need import need
from privsc_core.numerics.search import least_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.draw.picture import Picture


# How many empty cells may survive: the thresholds among which the tuned frontier takes the best.
SPURIOUS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
PLACES: tuple[int, ...] = (8, 12, 16, 24, 32, 64, 128, 256, 512, 1024)
OWN = Generic().spurious
_COLUMNS, _ROWS = 56, 56  # cells of the map
_MOST = 10**12
WALL, PEOPLE = "labels", ("packing", "packing-two")  # the bounds that are shaded
_NEVER = math.nan


def _mass(at: Cell) -> float:
    return Hard().profile(d=at.d, alpha=at.alpha).mass


def _success(
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
        best = _success([m], sizes.tolist(), at, able)[:, :, 0].max(axis=0)
        return np.asarray(best - (1.0 - at.beta))

    found = least_integer(score, limit=_MOST)
    return _NEVER if found is None else float(found)


def _given(at: Cell) -> dict[str, Any]:
    return {"d": at.d, "epsilon": at.epsilon, "alpha": at.alpha, "beta": at.beta}


def _bound(name: str, at: Cell) -> float:
    return float(bound(catalog.bound("point", name), **_given(at)).m)


def plane(at: Cell) -> Plane:
    """Return the plane (m, u) at a setting, with what is excluded and what suffices.

    The wall is the bound on labels, sharp. The diagonal is the larger of the packing bounds, which count
    people: who has m + u labelled examples can forget u labels and run the learner.
    """
    law = Hard()
    wall = _bound(WALL, at)
    labelled = float(need(Exponential(), law, **_given(at)).m)
    people = max(_bound(name, at) for name in PEOPLE)
    enough = plenty(at)
    example = math.ceil(MARGIN * enough)
    left = max(1.0, (enough if math.isnan(wall) else wall) / 2.0)
    m = np.unique(np.geomspace(left, 1.6 * max(labelled, enough), _COLUMNS).astype(np.int64))
    u = np.unique(np.linspace(0.0, 2.0 * max(labelled, people), _ROWS).astype(np.int64))
    all_of = _success(m.tolist(), u.tolist(), at, SPURIOUS)
    success, goal = all_of[SPURIOUS.index(OWN)], 1.0 - at.beta
    return Plane(
        at, m, u, success, crossing(u, success, goal), crossing(u, all_of.max(axis=0), goal),
        wall, people, labelled, enough, example,
        least_unlabelled(example, at, OWN), least_unlabelled(example, at, *SPURIOUS),
    )  # fmt: skip


def against(at: Cell) -> Against:
    """Return labels and people against d."""
    d = np.array(PLACES)
    law = Hard()
    same: dict[str, Any] = _given(at) | {"d": d}
    labels, people, slack = [], [], []
    for bits in progress.steps(PLACES):
        here = replace(at, d=bits)
        labels.append(plenty(here))
        m = math.ceil(MARGIN * labels[-1])
        people.append(m + least_unlabelled(m, here, *SPURIOUS))
        slack.append(m + least_stable(m, here))
    return Against(
        at, d.astype(np.float64), need(Exponential(), law, **same).m, np.array(labels),
        np.array(people), need(Hash(), law, **same).m,
        np.full(d.shape, _bound(WALL, at)),
        np.array([boosted_plenty(replace(at, d=bits)) for bits in PLACES]), np.array(slack),
        proved_labels(1, at.alpha, at.beta),
    )  # fmt: skip


# --- The pictures of labels and people for points ------------------------------------------------


TOLD = Told(
    concept="point", symbol="POINT_d", learner=Generic.title, labelled="exponential mechanism", hard="hard",
    sanitizer="a histogram",
    learners=(
        "erm", "exponential", "generic", "generic-flip", "generic-stable", "label-boost", "hash",
    ),
    bounds=(WALL, *PEOPLE),
    colours=(Generic.style.colour, Exponential.style.colour),
    improper=("Hash learner, improper, u = 0", Hash.style.colour),
    boosted=("Labels of LabelBoost", LabelBoost.style.colour),
    slack=("Its people with a slack δ = 10⁻⁶", GenericStable.style.colour), source="Exact laws",
    tuned=", and a threshold tuned for hard",
)  # fmt: skip


def plane_picture(d: int, epsilon: float, alpha: float, beta: float) -> tuple[Plane, Picture]:
    """Compute and draw success over labelled and unlabelled examples."""
    found = plane(Cell(d, epsilon, alpha, beta))
    return found, plane_figure(found, TOLD)


def against_picture(epsilon: float, alpha: float, beta: float) -> tuple[Against, Picture]:
    """Compute and draw labels, and people, against d."""
    found = against(Cell(PLACES[0], epsilon, alpha, beta))
    return found, against_figure(found, TOLD)


def asking_picture(
    d: int, epsilon: float, alpha: float, beta: float, inner: float, seen: str
) -> Picture:
    """Compute and draw what asking few of many costs; whose label it was is hidden or published."""
    least = transcript_labels(epsilon, alpha, beta)
    found = asking(plenty, pool, Cell(d, epsilon, alpha, beta), inner, least)
    return asking_figure(found, TOLD, published=seen == "published")
