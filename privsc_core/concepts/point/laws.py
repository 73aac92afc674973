"""What the success laws of the POINT_d learners share."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import CHUNK, Estimate, Setting
from privsc_core.concepts.point.distributions import PointDistribution
from privsc_core.errors import InputError
from privsc_core.numerics.intervals import interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.point.distributions import Profile

__all__ = ["by_profile", "exact", "lump_share", "rao_blackwell"]


def by_profile(
    distribution: Distribution,
    setting: Setting,
    law: Callable[[Profile, Setting], Estimate],
) -> Estimate:
    """Evaluate a law that takes one profile, splitting by d where the profile needs it."""
    if not isinstance(distribution, PointDistribution):
        raise InputError("distribution", "must belong to POINT_d", distribution.name)
    for d in np.unique(setting.d).tolist():
        distribution.check(d=d, alpha=setting.alpha)
    if not distribution.depends_on_d:
        first = int(setting.d.ravel()[0])
        return law(distribution.profile(d=first, alpha=setting.alpha), setting)
    shape = setting.shape
    m = np.broadcast_to(setting.m, shape).ravel()
    d = np.broadcast_to(setting.d, shape).ravel()
    epsilon = np.broadcast_to(setting.epsilon, shape).ravel()
    value, low, high = np.empty((3, m.size))
    method = "exact"
    for one in np.unique(d).tolist():
        here = np.flatnonzero(d == one)
        part = replace(setting, m=m[here], d=d[here], epsilon=epsilon[here])
        estimate = law(distribution.profile(d=one, alpha=setting.alpha), part)
        value[here], low[here], high[here] = estimate.value, estimate.low, estimate.high
        if estimate.method != "exact":
            method = estimate.method
    return Estimate(
        value.reshape(shape), low.reshape(shape), high.reshape(shape),
        "exact" if method == "exact" else "rao-blackwell",
    )  # fmt: skip


def exact(value: NDArray[np.float64], setting: Setting) -> Estimate:
    """Wrap exact probabilities, broadcast to the setting's shape.

    Sums of rounded weights may pass 1 by an ulp: cut there.
    """
    whole = np.broadcast_to(np.minimum(value, 1.0), setting.shape)
    return Estimate(whole, whole, whole, "exact")


def lump_share(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    log_lump: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return 1 / (1 + e^{log_lump - eps K / 2} + e^{-eps (K + rest) / 2}).

    The probability that the exponential mechanism picks the one hypothesis that makes no
    mistake, against a lump of hypotheses that miss K examples and one that misses all.
    """
    out = count * (-0.5 * epsilon)
    out += log_lump
    # Not further: times a small weight it would be subnormal, which is ten times slower.
    np.minimum(out, 460.0, out=out)
    np.exp(out, out=out)
    out += 1.0
    if not (isinstance(rest, float) and math.isinf(rest)):
        size = (count + rest)[:1]  # the same in every row: one row of exponentials
        out += np.exp(-0.5 * epsilon * size)
    np.reciprocal(out, out=out)
    return out


def rao_blackwell(
    setting: Setting,
    draw: Callable[[int, int, np.random.Generator], tuple[NDArray[np.float64], ...]],
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
        Means with normal 95% intervals from the sample variance.
    """
    shape, cells = setting.shape, setting.cells()
    total, squares = np.zeros((2, len(cells)))
    last = setting.first_trial + setting.trials
    for start in range(setting.first_trial, last, CHUNK):
        trials = min(CHUNK, last - start)
        known: dict[int, tuple[NDArray[np.float64], ...]] = {}
        for cell, (size, bits, epsilon) in enumerate(cells):
            if size not in known:
                known.clear()
                rng = np.random.default_rng([setting.seed, start // CHUNK])
                known[size] = draw(size, trials, rng)
            given = conditional(bits, epsilon, *known[size])
            total[cell] += given.sum()
            squares[cell] += (given * given).sum()
    value, half = interval(total, squares, setting.trials)
    value, half = value.reshape(shape), half.reshape(shape)
    low, high = np.maximum(value - half, 0.0), np.minimum(value + half, 1.0)
    return Estimate(value, low, high, "rao-blackwell")
