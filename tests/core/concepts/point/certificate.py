"""The alpha-representation certificate (BBKN13, Definition 3.1): one linear program per target.

In the tests alone: on domains small enough for it, the class of Lemma 4.1 holds every point, and the
answer is always yes.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """How well a finite class represents every target.

    `values` is max over distributions of the least error of a hypothesis, for each target: the
    value of a zero-sum game, exact up to the solver's 1e-9. The class alpha-represents the targets
    if and only if all are at most alpha. `worst` is the largest of them, and `distribution` attains
    it.
    """

    values: np.ndarray
    worst: float
    distribution: np.ndarray


def certify(hypotheses, targets):
    """Solve max_D min_h Pr_D[h(x) != c(x)] for every target; both are tables of labels."""
    distinct = np.unique(hypotheses, axis=0)
    points = distinct.shape[1]
    values = np.empty(len(targets))
    attained = np.zeros((len(targets), points))
    for row, target in enumerate(targets):
        # Maximise v with sum_x D(x) [h(x) != c(x)] >= v for every h.
        wrong = (distinct != target).astype(np.float64)
        solved = linprog(
            np.append(np.zeros(points), -1.0),
            A_ub=np.column_stack([-wrong, np.ones(len(wrong))]), b_ub=np.zeros(len(wrong)),
            A_eq=np.append(np.ones(points), 0.0)[None, :], b_eq=[1.0],
            bounds=[(0.0, 1.0)] * points + [(0.0, 1.0)],
        )  # fmt: skip
        values[row] = solved.x[points]
        attained[row] = solved.x[:points]
    worst = int(np.argmax(values))
    return Certificate(values, float(values[worst]), attained[worst])
