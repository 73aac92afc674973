"""The privacy audit: every pair of adjacent databases of a tiny instance."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.results import AuditResult
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Learner

__all__ = ["audit"]

# Above this many databases an audit would take more than about a minute.
_DATABASES_MOST = 20_000
_ROUNDING = 1e-9


def audit(
    learner: Learner,
    *,
    d: int | None = None,
    m: int | None = None,
    epsilon: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    seed: int = 1,
) -> AuditResult:
    """Compare the exact output distributions of all adjacent databases.

    Adjacent databases differ by replacing one labelled example; all databases of m examples
    over the 2^d points and both labels are taken, consistent or not. Outputs with probability
    zero on both sides are ignored.

    Parameters
    ----------
    learner : Learner
        Its `audited` variant is used.
    d, m, epsilon, alpha, beta
        The instance; each defaults to the learner's own tiny one.
    seed : int
        Seed of the public randomness (random class, hash function).

    Returns
    -------
    AuditResult
        The worst privacy loss and a pair that attains it.

    Raises
    ------
    InputError
        When the instance is too large to enumerate.
    """
    tiny = learner.tiny
    d, m = scalar("d", tiny.d if d is None else d), scalar("m", tiny.m if m is None else m)
    epsilon = scalar("epsilon", tiny.epsilon if epsilon is None else epsilon)
    alpha = scalar("alpha", tiny.alpha if alpha is None else alpha)
    beta = scalar("beta", tiny.beta if beta is None else beta)
    seed = scalar("seed", seed)
    if (d + 1) * m > math.log2(_DATABASES_MOST):
        requirement = f"must leave at most {_DATABASES_MOST} databases, (2^(d+1))^m"
        raise InputError("m", requirement, f"m = {m} at d = {d}")
    variant = learner.audited()
    records = list(itertools.product(range(1, (1 << d) + 1), (0, 1)))
    databases = list(itertools.product(range(len(records)), repeat=m))
    position = {database: row for row, database in enumerate(databases)}
    outputs: list[object] = []
    table = np.empty((0, 0))
    for row, database in enumerate(databases):
        x = [records[r][0] for r in database]
        y = [records[r][1] for r in database]
        chances = variant.output_distribution(
            Sample.of(d, x, y), epsilon=epsilon, alpha=alpha, beta=beta, public=seed
        )
        if not outputs:
            outputs = list(chances)
            table = np.empty((len(databases), len(outputs)))
        table[row] = [chances[output] for output in outputs]
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    worst, pairs = (-1.0, 0, 0, 0), 0
    for row, database in enumerate(databases):
        others = [
            position[(*database[:i], r, *database[i + 1 :])]
            for i in range(m)
            for r in range(len(records))
            if r != database[i]
        ]
        pairs += len(others)
        with np.errstate(invalid="ignore"):
            gap = np.abs(logs[row] - logs[others])
        gap = np.where(np.isnan(gap), 0.0, gap)
        at = int(np.argmax(gap))
        if gap.flat[at] > worst[0]:
            column = at % gap.shape[1]
            worst = (float(gap.flat[at]), row, others[at // gap.shape[1]], column)
    loss, first, second, column = worst
    return AuditResult(
        epsilon=epsilon,
        worst=loss,
        pairs=pairs,
        private=loss <= epsilon + _ROUNDING,
        database=tuple(records[r] for r in databases[first]),
        neighbour=tuple(records[r] for r in databases[second]),
        output="⊥" if outputs[column] is None else str(outputs[column]),
    )
