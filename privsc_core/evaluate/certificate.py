"""The alpha-representation certificate: one linear program per target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog

from privsc_core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Certificate", "certify"]


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """How well a finite class represents every target.

    Attributes
    ----------
    values : ndarray of float64, shape (targets,)
        max over distributions of the least error of a hypothesis: the value of a zero-sum
        game. The class alpha-represents the targets if and only if all are at most alpha.
    worst : float
        The largest of them.
    distribution : ndarray of float64, shape (points,)
        A distribution that attains it.
    """

    values: NDArray[np.float64]
    worst: float
    distribution: NDArray[np.float64]


def certify(hypotheses: NDArray[np.bool_], targets: NDArray[np.bool_]) -> Certificate:
    """Solve max_D min_h Pr_D[h(x) != c(x)] for every target (BBKN13, Definition 3.1).

    Parameters
    ----------
    hypotheses : ndarray of bool, shape (hypotheses, points)
        The label of every point under every hypothesis.
    targets : ndarray of bool, shape (targets, points)
        The concepts.

    Returns
    -------
    Certificate
        The game values, exact up to the solver's 1e-9.

    Raises
    ------
    InputError
        When the two tables are empty or have different numbers of points.
    """
    if hypotheses.ndim != 2 or targets.ndim != 2 or hypotheses.shape[1] != targets.shape[1]:
        raise InputError(
            "hypotheses", "must have as many points as the targets",
            f"shapes {hypotheses.shape} and {targets.shape}",
        )  # fmt: skip
    if not hypotheses.size or not targets.size:
        raise InputError("hypotheses", "must not be empty", f"shape {hypotheses.shape}")
    distinct = np.unique(hypotheses, axis=0)
    points = distinct.shape[1]
    values = np.empty(len(targets))
    attained = np.zeros((len(targets), points))
    cost = np.append(np.zeros(points), -1.0)
    for row, target in enumerate(targets):
        # Maximise v with sum_x D(x) [h(x) != c(x)] >= v for every h.
        wrong = (distinct != target).astype(np.float64)
        solved = linprog(
            cost,
            A_ub=np.column_stack([-wrong, np.ones(len(wrong))]), b_ub=np.zeros(len(wrong)),
            A_eq=np.append(np.ones(points), 0.0)[None, :], b_eq=[1.0],
            bounds=[(0.0, 1.0)] * points + [(0.0, 1.0)],
        )  # fmt: skip
        if solved.x is None:
            msg = f"the linear program of target {row} was not solved: {solved.message}"
            raise ArithmeticError(msg)
        values[row] = solved.x[points]
        attained[row] = solved.x[:points]
    worst = int(np.argmax(values))
    return Certificate(values, float(values[worst]), attained[worst])
