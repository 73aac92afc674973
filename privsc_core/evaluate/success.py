"""The probability of success."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import Distribution, Estimate, Learner, Setting
from privsc_core.concepts.shared.laws import gathered
from privsc_core.errors import InputError
from privsc_core.evaluate.results import SuccessResult
from privsc_core.own.runs import counted
from privsc_core.parameters import scalar, validated

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.concepts.contracts import Method

# Repeated real runs are offered only where one run takes about a millisecond.
_RUNS_MOST = 20_000
_EXAMPLES_MOST = 20_000_000


def method_of(learner: Learner, distribution: Distribution) -> Method:
    """Return how success is computed: by a law where there is one, else by repeated runs."""
    return learner.laws.get(distribution.name, "monte-carlo")


def success(
    learner: Learner,
    distribution: Distribution,
    *,
    m: ArrayLike,
    d: ArrayLike,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike = 0.1,
    delta: ArrayLike = 0.0,
    trials: int = 1000,
    seed: int = 1,
    first_trial: int = 0,
) -> SuccessResult:
    """Return the probability that the learner's output has error at most alpha.

    Parameters
    ----------
    learner, distribution
        From the catalog.
    m, d, epsilon, alpha, beta, delta : array_like
        They broadcast. `beta` matters only to learners that are built for a confidence.
    trials : int
        Simulated samples per cell where the law is not exact.
    seed : int
        Seed of the simulation.
    first_trial : int
        Where in the stream of simulated samples to start; see `Setting`.

    Returns
    -------
    SuccessResult
        Of the broadcast shape.

    Raises
    ------
    InputError
        For values outside their domain, or a distribution that does not exist at some d.
    """
    m_, d_, epsilon_ = validated("m", m), validated("d", d), validated("epsilon", epsilon)
    alpha_, beta_ = validated("alpha", alpha), validated("beta", beta)
    delta_ = validated("delta", delta)
    trials, seed = scalar("trials", trials), scalar("seed", seed)

    def law(
        same: tuple[float, ...],
        m: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64],
    ) -> Estimate:  # fmt: skip
        alpha, beta, delta = same
        setting = Setting(m, d, epsilon, alpha, beta, delta, trials, seed, first_trial)
        if distribution.name in learner.laws:
            return learner.at(delta).success(distribution, setting)
        return _repeated_runs(learner, distribution, setting)

    scalars = alpha_, beta_, delta_
    if all(x.size == 1 and x.ndim <= max(m_.ndim, d_.ndim, epsilon_.ndim) for x in scalars):
        return _result(law(tuple(x.item() for x in scalars), m_, d_, epsilon_))
    columns = np.broadcast_arrays(m_, d_, epsilon_, alpha_, beta_, delta_)
    flat = [column.ravel() for column in columns]
    keys, which = _distinct(*flat[3:])
    parts = []
    for position, same in enumerate(zip(*(key.tolist() for key in keys), strict=True)):
        here = np.flatnonzero(which == position)
        cells = [column[here] for column in flat[:3]]
        ask = partial(law, same)
        exact = method_of(learner, distribution) == "exact"
        parts.append((here, _crossed(ask, *cells) if exact else ask(*cells)))
    return _result(gathered(columns[0].shape, parts))


def _crossed(
    law: Callable[..., Estimate],
    m: NDArray[np.int64],
    d: NDArray[np.int64],
    epsilon: NDArray[np.float64],
) -> Estimate:
    """Return an exact law of cells with an m, d and epsilon each.

    Where the cells are at least half of all combinations of some m and some (d, epsilon), the law is
    computed for all of these: combinations share tables.
    """
    (sizes,), row = _distinct(m)
    (bits, losses), column = _distinct(d, epsilon)
    if sizes.size * bits.size > 2 * m.size:
        return law(m, d, epsilon)
    found, cells = law(sizes[:, None], bits[None], losses[None]), (row, column)
    failure = None if found.failure is None else found.failure[cells]
    return Estimate(found.value[cells], found.low[cells], found.high[cells], found.method, failure)


def _distinct(*columns: NDArray[Any]) -> tuple[list[NDArray[Any]], NDArray[np.intp]]:
    """Return the different rows of columns in their order, as columns, and the place of each row."""
    place = np.zeros(columns[0].size, dtype=np.intp)
    for column in columns:
        values, code = np.unique(column, return_inverse=True)
        _, first, place = np.unique(
            place * values.size + code, return_index=True, return_inverse=True
        )
    return [column[first] for column in columns], place


def _result(found: Estimate) -> SuccessResult:
    return SuccessResult(
        found.value, found.low, found.high, found.method, found.failure, found.drawn
    )


def _repeated_runs(learner: Learner, distribution: Distribution, setting: Setting) -> Estimate:
    """Count over real runs, few enough to be waited for."""
    trials, ready, cells = setting.trials, learner.at(setting.delta), setting.cells()
    examples = sum(size + ready.unlabelled for size, _, _ in cells)
    most = max(2, min(_RUNS_MOST // len(cells), _EXAMPLES_MOST // examples))
    if trials > most:
        requirement = (
            f"must be at most {most} here: {learner.name} has no law on "
            f"{distribution.label}, every trial is a real run"
        )
        raise InputError("trials", requirement, trials)
    return counted(learner, distribution, setting)
