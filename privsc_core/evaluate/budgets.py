"""Two budgets, labelled and unlabelled examples, on one plane; and over d.

Which class it is only a `TwoBudgets` knows: what success is over (m, u), and what is excluded.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell


# The learner with two budgets, and the one whose examples are all labelled, in every class.
LEARNER, BASELINE = "generic", "exponential"
MARGIN = 1.25  # labels of an example on the frontier, over those that can do at all
_NEVER = math.nan
_MOST = 10**8  # unlabelled examples
_STEPS = 17  # of u between two powers of two


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """Success of a learner over labelled and unlabelled examples, and its limits.

    Attributes
    ----------
    at : Cell
        The setting.
    m, u : ndarray of int64, shape (columns,), (rows,)
        Labelled and unlabelled examples of the cells.
    success : ndarray of float64, shape (rows, columns)
        At the learner's own settings.
    own, tuned : ndarray of float64, shape (columns,)
        Where success reaches 1 - beta: u between the cells, as the learner is and as it is best
        tuned; NaN beyond the map, and everywhere where nothing is tuned.
    wall : float
        The labels below which no pure private learner succeeds, whatever u.
    people : float
        The examples below which no proper one succeeds: excluded is m + u < people.
    labelled : float
        Least m of the learner that has all labelled.
    plenty : float
        Least m with any number of unlabelled examples.
    example : int
        Labels of the example on the frontier, a quarter more than `plenty`.
    u_own, u_tuned : float
        The unlabelled examples that it takes there.
    trials : int
        How many draws a cell of the map is averaged over; 0 for an exact law.
    """

    at: Cell
    m: NDArray[np.int64]
    u: NDArray[np.int64]
    success: NDArray[np.float64]
    own: NDArray[np.float64]
    tuned: NDArray[np.float64]
    wall: float
    people: float
    labelled: float
    plenty: float
    example: int
    u_own: float
    u_tuned: float
    trials: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """Labels, and people, over d; each of shape (places,), NaN where none suffices.

    Attributes
    ----------
    at : Cell
        The setting; its d is not used.
    d, labelled, labels, people, improper, wall, boosted, slack : ndarray of float64
        Bits; least m all labelled; least m with any u; what m + u comes to with a quarter more
        labels; least m of an improper learner, NaN where none is shown; the wall of labels; least m
        with any u of LabelBoost, NaN where it is not shown; what m + u comes to with a slack, likewise.
    proved : tuple of int
        Labels that the paper's theorems ask for on every distribution, of GenericLearner and of
        LabelBoost.
    """

    at: Cell
    d: NDArray[np.float64]
    labelled: NDArray[np.float64]
    labels: NDArray[np.float64]
    people: NDArray[np.float64]
    improper: NDArray[np.float64]
    wall: NDArray[np.float64]
    boosted: NDArray[np.float64]
    slack: NDArray[np.float64]
    proved: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoBudgets:
    """What a class says of its learner with two budgets; all of a setting.

    Attributes
    ----------
    concept, law : str
        The class, and the distribution, by their names.
    bounds : tuple of str
        Which bounds are shaded: the wall of labels, and those that count people.
    surface : callable
        (m, u, setting, draws) -> success, shape (len(u), len(m)); if simulated, with coins that are
        the same for every cell.
    plenty : callable
        (setting, draws) -> least m with any number of unlabelled examples; NaN for none.
    places : tuple of int
        The d of a picture over d.
    proved : callable
        (alpha, beta) -> as in `Against`.
    trials, rough : int
        Draws of a cell, and of one that is to be there soon; 0 for an exact law.
    cells : (int, int)
        Columns and rows of the map.
    tuned : callable, optional
        (m, u, setting) -> success as the learner is, and as it is best tuned.
    least : callable, optional
        (m, setting, whether it is tuned) -> least u; else found by simulation.
    others : mapping of str to callable
        More columns of `Against` by name: (m, setting) -> value.
    """

    concept: str
    law: str
    bounds: tuple[str, ...]
    surface: Callable[[Sequence[int], Sequence[int], Cell, int], NDArray[np.float64]]
    plenty: Callable[[Cell, int], float]
    places: tuple[int, ...]
    proved: Callable[[float, float], tuple[int, int]]
    trials: int = 0
    rough: int = 0
    cells: tuple[int, int] = (40, 36)
    tuned: (
        Callable[[Sequence[int], Sequence[int], Cell], tuple[NDArray[np.float64], ...]] | None
    ) = None
    least: Callable[[int, Cell, bool], float] | None = None
    others: tuple[tuple[str, Callable[[int, Cell], float]], ...] = ()

    def bound(self, name: str, at: Cell) -> float:
        """Return the number of a bound; NaN for none."""
        return float(bound(catalog.bound(self.concept, name), **_given(at)).m)

    def wall(self, at: Cell) -> float:
        """Return the labels below which no pure private learner succeeds."""
        return self.bound(self.bounds[0], at)

    def people(self, at: Cell) -> float:
        """Return the lower bound for proper learners: with m + u examples one can forget u labels."""
        return max(self.bound(name, at) for name in self.bounds[1:])

    def least_u(self, m: int, at: Cell, draws: int, *, tuned: bool = False) -> float:
        """Return the unlabelled examples that m labels need; NaN for none."""
        return self.least(m, at, tuned) if self.least else least_u(self, m, at, draws)


def _given(at: Cell) -> dict[str, Any]:
    return {"d": at.d, "epsilon": at.epsilon, "alpha": at.alpha, "beta": at.beta}


# The plane asks for it, and the picture over d again.
@functools.lru_cache(maxsize=256)
def labelled(concept: str, law: str, learner: str, at: Cell) -> float:
    """Return the least m of a learner that has all labelled; NaN for none."""
    who, where = catalog.learner(concept, learner), catalog.distribution(concept, law)
    return float(need(who, where, **_given(at)).m)


def crossing(
    u: NDArray[np.int64], success: NDArray[np.float64], goal: float
) -> NDArray[np.float64]:
    """Return for each column where it first reaches the goal, between the rows in log odds."""
    tiny = np.finfo(np.float64).tiny
    odds = np.log(np.maximum(success, tiny)) - np.log(np.maximum(1.0 - success, 1e-16))
    over = odds - math.log(goal / (1.0 - goal))
    row = np.argmax(over >= 0.0, axis=0)
    found = np.full(success.shape[1], _NEVER)
    for column in np.flatnonzero((over >= 0.0).any(axis=0)).tolist():
        at = row[column]
        if not at:
            found[column] = u[0]
            continue
        low, high = over[at - 1, column], over[at, column]
        found[column] = u[at - 1] + (u[at] - u[at - 1]) * low / (low - high)
    return found


# The plane and the picture over d share one.
@functools.lru_cache(maxsize=128)
def least_u(given: TwoBudgets, m: int, at: Cell, trials: int = 0) -> float:
    """Return the unlabelled examples with which m labels suffice, simulated; NaN for none."""
    draws = trials or given.trials
    goal, high = 1.0 - at.beta, 64
    while given.surface([m], [high], at, draws)[0, 0] < goal:
        high *= 2
        if high > _MOST:
            return _NEVER
    rows = np.unique(np.linspace(high // 2, high, _STEPS).astype(np.int64))
    return float(crossing(rows, given.surface([m], rows.tolist(), at, draws), goal)[0])


def plane(given: TwoBudgets, at: Cell, *, rough: bool = False) -> Plane:
    """Return the plane (m, u) of a learner; if simulated, by all draws, or by few on a coarse map."""
    draws, goal = given.rough if rough else given.trials, 1.0 - at.beta
    wall, people = given.wall(at), given.people(at)
    every = labelled(given.concept, given.law, BASELINE, at)
    enough = given.plenty(at, draws)
    if math.isnan(enough):
        raise InputError("epsilon", "must be larger for a plane to be drawn", at.epsilon)
    example = math.ceil(MARGIN * enough)
    with progress.stage(0.0, 0.2):
        needed = given.least_u(example, at, draws)
        tuned = given.least_u(example, at, draws, tuned=True) if given.tuned else _NEVER
    left = max(1.0, (enough if math.isnan(wall) else wall) / 2.0)
    right = 1.6 * max(enough, 0.0 if math.isnan(every) else every)
    columns, rows = (size // 2 if rough else size for size in given.cells)
    m = np.unique(np.geomspace(left, right, columns).astype(np.int64))
    top = 1.7 * (_MOST if math.isnan(needed) else needed) if draws else 2.0 * max(every, people)
    u = np.unique(np.linspace(0.0, top, rows).astype(np.int64))
    with progress.stage(0.2, 1.0):
        if given.tuned:
            success, best = given.tuned(m.tolist(), u.tolist(), at)
        else:
            success = given.surface(m.tolist(), u.tolist(), at, draws)
            best = np.zeros_like(success)
    return Plane(
        at, m, u, success, crossing(u, success, goal), crossing(u, best, goal),
        wall, people, every, enough, example, needed, tuned, draws,
    )  # fmt: skip


def against(given: TwoBudgets, at: Cell) -> Against:
    """Return labels and people against d."""
    others = dict(given.others)
    names = ("d", "labelled", "labels", "people", "wall", "improper", "boosted", "slack")
    rows: dict[str, list[float]] = {name: [] for name in names}
    for bits in progress.steps(given.places):
        here = replace(at, d=bits)
        labels, m, people = given.plenty(here, given.trials), 0, _NEVER
        if not math.isnan(labels):
            m = math.ceil(MARGIN * labels)
            people = m + given.least_u(m, here, given.trials, tuned=given.tuned is not None)
        every = labelled(given.concept, given.law, BASELINE, here)
        found = (float(bits), every, labels, people, given.wall(here))
        more = (others[name](m, here) if m and name in others else _NEVER for name in names[5:])
        for name, value in zip(names, (*found, *more), strict=True):
            rows[name].append(value)
    columns = {name: np.array(values) for name, values in rows.items()}
    return Against(at=at, proved=given.proved(at.alpha, at.beta), **columns)


# --- Asking few of many: labels of a random few among people who might all have been asked -------


_FROM, _TO, _PLACES = 0.01, 4.0, 14


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """How many labels are asked for, and of how many people, against the privacy loss.

    Attributes
    ----------
    at : Cell
        The setting; its epsilon is what is promised to everybody.
    inner : float
        The privacy loss of what is done with the labels that are asked.
    epsilon : ndarray of float64, shape (places,)
        The promise to everybody.
    known : ndarray of float64, shape (places,)
        Labels where it is public who is asked: the learner itself at epsilon.
    asked : float
        Labels where it is not: the learner at `inner`, whatever epsilon is.
    people, paper : ndarray of float64, shape (places,)
        People of whom they are drawn at random: exact (ours), and by BNS15; NaN from `inner` on,
        where no selection is needed.
    crowd : float
        `people` at the setting.
    least : float
        Labels that any learner must ask for that publishes whom it asked.
    """

    at: Cell
    inner: float
    epsilon: NDArray[np.float64]
    known: NDArray[np.float64]
    asked: float
    people: NDArray[np.float64]
    paper: NDArray[np.float64]
    crowd: float
    least: float


def asking(
    given: TwoBudgets,
    pool: Callable[[int, float, float], int],
    at: Cell,
    inner: float,
    least: float,
) -> Asking:
    """Return what asking few of many costs at a setting, at an inner loss above 0.

    `pool` returns from how many people the labels are drawn: (labels, inner, epsilon) -> people;
    `least` is as in `Asking`.

    Raises
    ------
    InputError
        Where no number of labels suffices.
    """
    epsilon = np.unique(np.append(np.geomspace(_FROM, _TO, _PLACES), at.epsilon))

    def plenty(loss: float) -> float:
        return given.plenty(replace(at, epsilon=loss), given.trials)

    known = np.array([plenty(loss) for loss in progress.steps(epsilon.tolist())])
    asked = plenty(inner)
    if math.isnan(asked):
        raise InputError("epsilon", "must be larger inside, for some number of labels", inner)
    few = int(asked)
    hidden = epsilon < inner
    people = np.array([float(pool(few, inner, loss)) for loss in epsilon.tolist()])
    paper = few * (3.0 + math.exp(2.0 * inner)) / epsilon
    return Asking(
        at, inner, epsilon, known, asked, np.where(hidden, people, math.nan),
        np.where(hidden, paper, math.nan), float(pool(few, inner, at.epsilon)),
        least,
    )  # fmt: skip
