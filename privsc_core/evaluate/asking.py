"""Asking few of many: labels of a random few among people who might all have been asked.

Which class it is only the number of labels at a privacy loss tells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import progress
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell

__all__ = ["Asking", "asking"]

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
