"""The probability of success, and the least number of samples that reaches a target."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Distribution, Estimate, Learner, Setting
from privsc_core.concepts.extremes import extreme
from privsc_core.concepts.inequalities import SEARCH_LIMIT
from privsc_core.errors import InputError
from privsc_core.evaluate.results import NeedResult, SuccessResult
from privsc_core.numerics.decimals import complement
from privsc_core.numerics.intervals import wilson
from privsc_core.numerics.search import least_integer, log_odds_over
from privsc_core.parameters import scalar, validated

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.concepts.contracts import Method

__all__ = ["method_of", "need", "success"]

# Repeated real runs are offered only where one run takes about a millisecond.
_RUNS_MOST = 20_000
_EXAMPLES_MOST = 20_000_000
# A simulated least m is searched only this far: beyond, drawing samples takes too long.
_SIMULATED_LIMIT = 10**6
# Of events as rare as one in the most trials, simulation knows nothing.
_SIMULATED_RAREST = 1e-6


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

    def block(
        m: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64],
        alpha: float, beta: float, delta: float,
    ) -> Estimate:  # fmt: skip
        setting = Setting(m, d, epsilon, alpha, beta, delta, trials, seed, first_trial)
        if distribution.name in learner.laws:
            return learner.success(distribution, setting)
        return _repeated_runs(learner, distribution, setting)

    if alpha_.size == beta_.size == delta_.size == 1:
        found = block(m_, d_, epsilon_, alpha_.item(), beta_.item(), delta_.item())
        shape = np.broadcast_shapes(found.value.shape, alpha_.shape, beta_.shape, delta_.shape)
        if shape == found.value.shape:
            return SuccessResult(found.value, found.low, found.high, found.method, found.failure)
        return SuccessResult(
            np.broadcast_to(found.value, shape), np.broadcast_to(found.low, shape),
            np.broadcast_to(found.high, shape), found.method,
            None if found.failure is None else np.broadcast_to(found.failure, shape),
        )  # fmt: skip
    m_, d_, epsilon_, alpha_, beta_, delta_ = np.broadcast_arrays(
        m_, d_, epsilon_, alpha_, beta_, delta_
    )
    parts = np.empty((4, m_.size))
    known = True
    method = method_of(learner, distribution)
    keys = np.stack([alpha_.ravel(), beta_.ravel(), delta_.ravel()])
    distinct, inverse = np.unique(keys, axis=1, return_inverse=True)
    for position in range(distinct.shape[1]):
        here = np.flatnonzero(inverse.ravel() == position)
        found = block(
            m_.ravel()[here], d_.ravel()[here], epsilon_.ravel()[here],
            *map(float, distinct[:, position]),
        )  # fmt: skip
        parts[:3, here] = found.value, found.low, found.high
        if found.failure is None:
            known = False
        else:
            parts[3, here] = found.failure
    value, low, high, failure = (part.reshape(m_.shape) for part in parts)
    return SuccessResult(value, low, high, method, failure if known else None)


def need(
    learner: Learner,
    distribution: Distribution,
    *,
    d: ArrayLike,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    delta: ArrayLike = 0.0,
    trials: int = 1000,
    seed: int = 1,
) -> NeedResult:
    """Return the least m with success probability at least 1 - beta.

    Rounds up: the value reaches the target at m and not at m - 1. Where the law is simulated
    it is the least m of the simulated curve.

    Parameters
    ----------
    learner, distribution
        From the catalog.
    d, epsilon, alpha, beta, delta : array_like
        They broadcast.
    trials, seed : int
        As for `success`.

    Returns
    -------
    NeedResult
        NaN with a reason where no number of samples suffices.

    Raises
    ------
    InputError
        As for `success`.
    """
    trials, seed = scalar("trials", trials), scalar("seed", seed)
    method = method_of(learner, distribution)
    if method == "monte-carlo":
        sentence = f"must have a law for {learner.name}: one of {', '.join(learner.laws)}"
        raise InputError("distribution", sentence, distribution.label)

    # One search serves every d where nothing depends on it.
    free = learner.free_of_d and not distribution.depends_on_d
    for bits in np.unique(validated("d", d)).tolist():
        distribution.check(d=bits, alpha=float(validated("alpha", alpha).max()))
    same = int(np.max(validated("d", d)))

    def one(
        d: int, epsilon: float, alpha: float, beta: float, delta: float
    ) -> tuple[float, str, str]:
        bits = same if free else d
        return (*_need(learner, distribution, bits, epsilon, alpha, beta, delta, trials, seed), "")

    return tabulate(one, method, d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta)


def tabulate(
    one: Callable[[int, float, float, float, float], tuple[float, str, str]],
    method: str,
    *,
    d: ArrayLike,
    epsilon: ArrayLike,
    alpha: ArrayLike,
    beta: ArrayLike,
    delta: ArrayLike,
) -> NeedResult:
    """Validate, broadcast and collect (m, reason, note) of one setting at a time."""
    arrays = np.broadcast_arrays(
        validated("d", d), validated("epsilon", epsilon), validated("alpha", alpha),
        validated("beta", beta), validated("delta", delta),
    )  # fmt: skip
    shape = arrays[0].shape
    rows = [one(*cell) for cell in zip(*(a.ravel().tolist() for a in arrays), strict=True)]
    return NeedResult(
        np.array([row[0] for row in rows], dtype=np.float64).reshape(shape),
        np.array([row[1] for row in rows], dtype=np.str_).reshape(shape),
        np.array([row[2] for row in rows], dtype=np.str_).reshape(shape),
        method,
    )


@lru_cache(maxsize=16384)
def _need(
    learner: Learner, distribution: Distribution, d: int, epsilon: float, alpha: float,
    beta: float, delta: float, trials: int, seed: int,
) -> tuple[float, str]:  # fmt: skip
    limit = SEARCH_LIMIT
    if learner.laws[distribution.name] != "exact":
        limit = _SIMULATED_LIMIT
        if min(beta, complement(beta)) < _SIMULATED_RAREST:
            requirement = (
                f"and 1 - beta must be at least {_SIMULATED_RAREST:g} where the law is simulated "
                f"({learner.name} on {distribution.label}): rarer events do not occur in samples"
            )
            raise InputError("beta", requirement, beta)

    def at(m: int) -> Estimate:
        setting = Setting(
            np.array(m), np.array(d), np.array(epsilon), alpha, beta, delta, trials, seed
        )
        return learner.success(distribution, setting)

    def score(m: int) -> float:
        found = at(m)
        failure = None if found.failure is None else float(found.failure)
        return log_odds_over(beta, float(found.value), failure if extreme(beta) else None)

    # At the guess the weight of all 2^d points is about balanced.
    guess = max(1, int(min(2.0 * d * math.log(2.0) / (epsilon * alpha), 1e9)))
    found = least_integer(score, guess=guess, limit=limit)
    if found is not None:
        return float(found), ""
    return math.nan, _shortfall(at(limit), beta, limit)


def _shortfall(top: Estimate, beta: float, limit: int) -> str:
    """Return why no m suffices, in the smaller of success and failure: digits are seen there."""
    if beta > 0.5:
        goal = complement(beta)
        reached, aim = _apart(float(top.value), goal)
        return f"the success probability stays below {aim}: it is {reached} at m = {limit:.0e}"
    failure = 1.0 - float(top.value) if top.failure is None else float(top.failure)
    left, aim = _apart(failure, beta)
    return f"it fails with probability {left} at m = {limit:.0e}, more than beta = {aim}"


def _apart(one: float, other: float) -> tuple[str, str]:
    """Return two numbers with so many digits that they look different; at least four."""
    aim = f"{other:.6g}"
    for digits in range(4, 17):
        if f"{one:.{digits}g}" != f"{other:.{digits}g}":
            return f"{one:.{digits}g}", aim
    return f"{one:.17g}", aim


def _repeated_runs(learner: Learner, distribution: Distribution, setting: Setting) -> Estimate:
    """Run the learner on fresh samples and count, with Wilson intervals."""
    trials, ready = setting.trials, learner.at(setting.delta)
    shape, cells = setting.shape, setting.cells()
    examples = sum(size for size, _, _ in cells)
    most = max(2, min(_RUNS_MOST // len(cells), _EXAMPLES_MOST // examples))
    if trials > most:
        requirement = (
            f"must be at most {most} here: {learner.name} has no law on "
            f"{distribution.label}, every trial is a real run"
        )
        raise InputError("trials", requirement, trials)
    hits = np.empty(len(cells))
    for cell, (size, bits, eps) in enumerate(cells):
        distribution.check(d=bits, alpha=setting.alpha)
        rng = np.random.default_rng(setting.seed)
        hits[cell] = sum(
            run_once(
                ready, distribution, m=size, d=bits, epsilon=eps, alpha=setting.alpha,
                beta=setting.beta, rng=rng,
            )
            for _ in range(trials)
        )  # fmt: skip
    low, high = wilson(hits, trials)
    return Estimate(
        (hits / trials).reshape(shape), low.reshape(shape), high.reshape(shape), "monte-carlo"
    )


def run_once(
    learner: Learner,
    distribution: Distribution,
    *,
    m: int,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
    rng: np.random.Generator,
) -> bool:
    """Draw a sample, run the learner for real, and tell whether it succeeded."""
    sample = distribution.draw(m=m, d=d, alpha=alpha, rng=rng)
    hypothesis = learner.run(sample, epsilon=epsilon, alpha=alpha, beta=beta, rng=rng)
    return distribution.succeeds(hypothesis, d=d, alpha=alpha)
