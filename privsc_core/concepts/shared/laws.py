"""What the success laws of every concept class share."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import progress
from privsc_core.concepts.contracts import CHUNK, Estimate, Setting
from privsc_core.numerics.binomial import binomial_expectation
from privsc_core.numerics.intervals import Draws

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Method
    from privsc_core.numerics.binomial import Kernel

# What several are together, is the last of them.
_WORSE: tuple[Method, ...] = ("exact", "bracketed", "rao-blackwell", "monte-carlo")


def by_d(setting: Setting, law: Callable[[int, Setting], Estimate]) -> Estimate:
    """Evaluate a law that takes one d at a time, and put the cells together again."""
    m, d, epsilon = (x.ravel() for x in np.broadcast_arrays(setting.m, setting.d, setting.epsilon))
    parts = []
    for one in progress.steps(np.unique(d).tolist()):
        here = np.flatnonzero(d == one)
        part = replace(setting, m=m[here], d=d[here], epsilon=epsilon[here])
        parts.append((here, law(one, part)))
    return gathered(setting.shape, parts)


def gathered(
    shape: tuple[int, ...], parts: Sequence[tuple[NDArray[np.intp], Estimate]]
) -> Estimate:
    """Put the cells of several estimates, at their places in C order, together in one."""
    size = math.prod(shape)
    value, low, high, failure = np.empty((4, size))
    drawn = np.empty((len(fields(Draws)), size))
    for here, part in parts:
        value[here], low[here], high[here] = part.value, part.low, part.high
        failure[here] = np.nan if part.failure is None else part.failure
        drawn[:, here] = part.sums.table
    value, low, high, failure = (x.reshape(shape) for x in (value, low, high, failure))
    whole = Draws.of(drawn.reshape(-1, *shape))
    return Estimate(
        value, low, high, max((part.method for _, part in parts), key=_WORSE.index, default="exact"),
        None if any(part.failure is None for _, part in parts) else failure,
        None if all(part.drawn is None for _, part in parts) else whole,
    )  # fmt: skip


def exact(
    value: NDArray[np.float64], setting: Setting, failure: NDArray[np.float64] | None = None
) -> Estimate:
    """Wrap exact probabilities, broadcast to the setting's shape; `failure` as in `Estimate`.

    Without it, where it is needed, the difference must do: learners that always fail now and
    then leave it them. Sums of rounded weights may pass 1 by an ulp: cut there.
    """
    shape = setting.shape
    whole = np.asarray(np.minimum(value, 1.0))
    if whole.shape != shape:
        whole = np.broadcast_to(whole, shape)
    if failure is None and setting.tiny_beta:
        failure = 1.0 - whole
    if failure is not None:
        failure = np.broadcast_to(np.clip(failure, 0.0, 1.0), shape)
    return Estimate(whole, whole, whole, "exact", failure)


def certain(setting: Setting) -> Estimate:
    """Return the law of a learner that cannot fail."""
    return exact(np.ones(()), setting, np.zeros(()))


def exact_log(log_success: NDArray[np.float64], setting: Setting) -> Estimate:
    """Wrap the logs of exact probabilities: failure then comes for nothing."""
    return exact(np.exp(log_success), setting, -np.expm1(log_success))


def averaged(
    setting: Setting,
    probability: float,
    columns: tuple[NDArray[np.float64], ...],
    odds: Kernel,
    *,
    rate: NDArray[np.float64] | float,
) -> Estimate:
    """Return E[1 / (1 + R)] for R = odds(K, m - K, *columns), K ~ Bin(m, probability).

    Parameters
    ----------
    setting, probability, columns, rate
        As for `binomial_expectation`.
    odds : callable
        The odds against success at a count, with arguments as of a `Kernel`; it may change
        them in place, and must not be 0/0. Values above e^460 may be cut there.
    """
    success, failure = against(odds)

    def mean(kernel: Kernel) -> NDArray[np.float64]:
        return binomial_expectation(
            setting.m, probability, columns, kernel, rate=rate, log_tail=setting.log_tail
        )

    return from_smaller(setting, lambda: mean(success), lambda: mean(failure))


def against(odds: Kernel) -> tuple[Kernel, Kernel]:
    """Return success and failure as functions of what the odds against success depend on."""

    def success(*at: Any) -> NDArray[np.float64]:
        found = odds(*at)
        found += 1.0
        return np.asarray(np.reciprocal(found, out=found))

    def failure(*at: Any) -> NDArray[np.float64]:
        found = odds(*at)
        return np.asarray(found / (1.0 + found))

    return success, failure


def from_smaller(
    setting: Setting,
    success: Callable[[], NDArray[np.float64]],
    failure: Callable[[], NDArray[np.float64]],
) -> Estimate:
    """Return an exact law by the one of the two that the setting makes tiny, and 1 minus it."""
    if not setting.tiny_beta:
        return exact(success(), setting)
    if setting.beta < 0.5:
        lost = failure()
        return exact(1.0 - lost, setting, lost)
    reached = success()
    return exact(reached, setting, 1.0 - reached)


def rao_blackwell(
    setting: Setting,
    draw: Callable[[int, int, np.random.Generator], tuple[Any, ...]],
    conditional: Callable[..., NDArray[np.float64]],
) -> Estimate:
    """Average the conditional success probability over simulated samples.

    Parameters
    ----------
    setting : Setting
        Cells; every cell uses the same streams of random numbers, so that curves are smooth
        and a link shows the same picture everywhere.
    draw : callable
        (m, trials, generator) -> statistics of that many samples.
    conditional : callable
        (d, epsilon, *statistics) -> success probability given each sample, shape (trials,).

    Returns
    -------
    Estimate
        Means with the 95% intervals of `Draws.ends`.
    """
    cells = setting.cells()
    drawn = Draws.between(np.zeros(len(cells)), np.ones(len(cells)))
    last = setting.first_trial + setting.trials
    for start in progress.steps(range(setting.first_trial, last, CHUNK)):
        trials = min(CHUNK, last - start)
        known: dict[int, tuple[Any, ...]] = {}
        for cell, (size, bits, epsilon) in progress.steps(list(enumerate(cells))):
            if size not in known:
                known.clear()
                rng = np.random.default_rng([setting.seed, start // CHUNK])
                known[size] = draw(size, trials, rng)
            drawn.add(cell, conditional(bits, epsilon, *known[size]))
    return simulated(Draws.of(drawn.table.reshape(-1, *setting.shape)))


def corrected(rough: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return draws with the mean of costly numbers, from cheap ones near them and few costly ones.

    The multilevel Monte Carlo method (Giles, Oper. Res. 2008) with two levels: E[right] = E[rough] + E[right -
    rough], where the second mean needs few draws as the difference varies little. Whatever `rough` is, nothing is
    biased; where it is poor, what is returned varies more, and may lie outside [0, 1].

    Parameters
    ----------
    rough : ndarray, shape (..., samples)
        Cheap numbers for samples that are drawn independently.
    right : ndarray, shape (..., few)
        The costly numbers for the first few samples.
    """
    few = right.shape[-1]
    found = np.array(rough, dtype=np.float64)
    found[..., :few] += (right - found[..., :few]) * (rough.shape[-1] / few)
    return found


def simulated(drawn: Draws, known: NDArray[np.float64] | float = math.nan) -> Estimate:
    """Return the means of what was drawn with their intervals; what is `known` where nothing was."""
    return Estimate(drawn.mean(known), *drawn.ends(), "rao-blackwell", drawn=drawn)


def narrowed(proved: Estimate, where: NDArray[np.bool_], drawn: Estimate) -> Estimate:
    """Return an estimate with ends that are proved; between them what was drawn, `where` it was."""
    table = proved.sums.table
    table[:-2, where] = drawn.sums.table[:-2]
    return simulated(Draws.of(table), proved.value)
