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
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Learner

__all__ = ["audit"]

# Above this many databases an audit would take more than about a minute.
_DATABASES_MOST = 20_000
_CELLS_MOST = 20_000_000
_ROUNDING = 1e-9
_CANCELLED = 1e-13
_EXPONENT_MOST = 709.0


def audit(
    learner: Learner,
    *,
    d: int | None = None,
    m: int | None = None,
    epsilon: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    delta: float = 0.0,
    seed: int = 1,
) -> AuditResult:
    """Compare the exact output distributions of all adjacent databases.

    Adjacent databases differ by replacing one labelled example; all databases of m examples
    over the 2^d points and both labels are taken, consistent or not; over the points alone
    where labels do not matter. Outputs with probability zero on both sides are ignored.

    For approximate privacy the least slack at epsilon is computed too. Where a learner's outputs
    are enumerated in bins it is that of the bins, which the unbinned output may exceed.

    Parameters
    ----------
    learner : Learner
        Its `audited` variant is used.
    d, m, epsilon, alpha, beta
        The instance; each defaults to the learner's own tiny one.
    delta : float
        The privacy slack; at 0 a learner that has one uses its own default.
    seed : int
        Seed of the public randomness (random class, hash function).

    Returns
    -------
    AuditResult
        The worst privacy loss, a pair that attains it, and the least slack.

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
    variant = learner.at(scalar("delta", delta)).audited()
    seed = scalar("seed", seed)
    bits = d + 1 if variant.labelled else d
    if bits * m > math.log2(_DATABASES_MOST):
        written = "(2^(d+1))^m" if variant.labelled else "(2^d)^m"
        requirement = f"must leave at most {_DATABASES_MOST} databases, {written}"
        raise InputError("m", requirement, f"m = {m} at d = {d}")
    labels = (0, 1) if variant.labelled else (1,)
    records = list(itertools.product(range(1, (1 << d) + 1), labels))
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
            if len(databases) * len(outputs) > _CELLS_MOST:
                requirement = f"must leave at most {_CELLS_MOST} pairs of a database and an output"
                raise InputError("m", requirement, f"m = {m} at d = {d}")
            table = np.empty((len(databases), len(outputs)))
        table[row] = [chances[output] for output in outputs]
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    approximate = variant.privacy == "approximate"
    worst, pairs, least_delta = (-1.0, 0, 0, 0), 0, 0.0
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
        if approximate:
            # Every ordered pair comes up, so one direction here is both in the end.
            least_delta = max(least_delta, _least_delta(table[row], table[others], epsilon))
    loss, first, second, column = worst
    claimed = float(getattr(variant, "delta", 0.0)) if approximate else 0.0
    return AuditResult(
        epsilon=epsilon,
        worst=loss,
        pairs=pairs,
        private=_within(least_delta, claimed) if approximate else loss <= epsilon + _ROUNDING,
        database=tuple(records[r] for r in databases[first]),
        neighbour=tuple(records[r] for r in databases[second]),
        output="⊥" if outputs[column] is None else str(outputs[column]),
        delta=claimed,
        least_delta=least_delta,
    )


def _least_delta(here: NDArray[np.float64], others: NDArray[np.float64], epsilon: float) -> float:
    """Return the largest sum of max(p - e^epsilon q, 0) against the rows of `others`."""
    # Above the largest float's logarithm only outputs that q excludes count.
    factor = math.exp(min(epsilon, _EXPONENT_MOST))
    return float(np.maximum(here - factor * others, 0.0).sum(axis=1).max())


def _within(found: float, claimed: float) -> bool:
    """Tell whether a slack is at most the claimed one, up to rounding of probabilities near 1."""
    return found <= claimed * (1.0 + _ROUNDING) + _CANCELLED
