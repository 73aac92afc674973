"""Two budgets, labelled and unlabelled examples, on one plane; and over d.

Which class it is only a `TwoBudgets` knows: what success is over (m, u), and what is excluded.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell


MARGIN = 1.25  # labels of an example on the frontier, over those that can do at all
_NEVER = math.nan
_COLUMNS, _ROWS = 40, 36  # cells of a simulated map
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
    surface : callable
        (m, u, setting, draws) -> success, shape (len(u), len(m)), simulated with coins that are the
        same for every cell.
    plenty : callable
        (setting, draws) -> least m with any number of unlabelled examples; NaN for none.
    wall, people, labelled : callable
        As in `Plane`; NaN for none.
    trials, rough : int
        Draws of a cell, and of one that is to be there soon.
    places : tuple of int
        The d of a picture over d.
    proved : callable
        (alpha, beta) -> as in `Against`.
    """

    surface: Callable[[Sequence[int], Sequence[int], Cell, int], NDArray[np.float64]]
    plenty: Callable[[Cell, int], float]
    wall: Callable[[Cell], float]
    people: Callable[[Cell], float]
    labelled: Callable[[Cell], float]
    trials: int
    rough: int
    places: tuple[int, ...]
    proved: Callable[[float, float], tuple[int, int]]


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


def simulated_plane(given: TwoBudgets, at: Cell, *, rough: bool = False) -> Plane:
    """Return the plane (m, u) of a learner that is simulated, by all draws or by few on a coarse map."""
    draws = given.rough if rough else given.trials
    wall, people, labelled = (law(at) for law in (given.wall, given.people, given.labelled))
    enough = given.plenty(at, draws)
    if math.isnan(enough):
        raise InputError("epsilon", "must be larger for a plane to be drawn", at.epsilon)
    example = math.ceil(MARGIN * enough)
    with progress.stage(0.0, 0.2):
        needed = least_u(given, example, at, draws)
    left = max(1.0, (enough if math.isnan(wall) else wall) / 2.0)
    right = 1.6 * max(enough, 0.0 if math.isnan(labelled) else labelled)
    columns, rows = (size // 2 if rough else size for size in (_COLUMNS, _ROWS))
    m = np.unique(np.geomspace(left, right, columns).astype(np.int64))
    top = 1.7 * (_MOST if math.isnan(needed) else needed)
    u = np.unique(np.linspace(0.0, top, rows).astype(np.int64))
    with progress.stage(0.2, 1.0):
        success = given.surface(m.tolist(), u.tolist(), at, draws)
    own = crossing(u, success, 1.0 - at.beta)
    never = np.full(m.shape, _NEVER)
    return Plane(
        at, m, u, success, own, never, wall, people, labelled, enough, example, needed, _NEVER,
        draws,
    )  # fmt: skip


def simulated_against(given: TwoBudgets, at: Cell) -> Against:
    """Return labels and people against d, of a learner that is simulated."""
    rows = []
    for bits in progress.steps(given.places):
        here = replace(at, d=bits)
        labels = given.plenty(here, given.trials)
        people = _NEVER
        if not math.isnan(labels):
            m = math.ceil(MARGIN * labels)
            people = m + least_u(given, m, here, given.trials)
        rows.append((float(bits), given.labelled(here), labels, people, _NEVER, given.wall(here)))
    d, labelled, labels, people, improper, wall = np.array(rows).T
    return Against(
        at, d, labelled, labels, people, improper, wall, np.full(d.shape, _NEVER),
        np.full(d.shape, _NEVER),
        given.proved(at.alpha, at.beta),
    )  # fmt: skip


# --- Asking few of many: labels of a random few among people who might all have been asked -------
#
# Which class it is only the number of labels at a privacy loss tells.


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
        where nobody need hide.
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
    plenty: Callable[[Cell], float],
    pool: Callable[[int, float, float], int],
    at: Cell,
    inner: float,
    least: float,
) -> Asking:
    """Return what asking few of many costs at a setting.

    Parameters
    ----------
    plenty : callable
        Setting -> least labels with any number of unlabelled examples; NaN for none.
    pool : callable
        (labels, inner, epsilon) -> people to draw that many from.
    at : Cell
    inner : float
        Above 0.
    least : float
        As in `Asking`.

    Raises
    ------
    InputError
        Where no number of labels suffices.
    """
    epsilon = np.unique(np.append(np.geomspace(_FROM, _TO, _PLACES), at.epsilon))
    known = np.array(
        [plenty(replace(at, epsilon=loss)) for loss in progress.steps(epsilon.tolist())]
    )
    asked = plenty(replace(at, epsilon=inner))
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
