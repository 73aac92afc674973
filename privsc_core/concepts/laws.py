"""What the success laws of every concept class share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import CHUNK, Estimate, Setting
from privsc_core.numerics.intervals import interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Method

__all__ = ["by_d", "exact", "rao_blackwell"]


def by_d(setting: Setting, law: Callable[[int, Setting], Estimate]) -> Estimate:
    """Evaluate a law that takes one d at a time, and put the cells together again."""
    shape = setting.shape
    m = np.broadcast_to(setting.m, shape).ravel()
    d = np.broadcast_to(setting.d, shape).ravel()
    epsilon = np.broadcast_to(setting.epsilon, shape).ravel()
    value, low, high = np.empty((3, m.size))
    method: Method = "exact"
    for one in np.unique(d).tolist():
        here = np.flatnonzero(d == one)
        part = replace(setting, m=m[here], d=d[here], epsilon=epsilon[here])
        estimate = law(one, part)
        value[here], low[here], high[here] = estimate.value, estimate.low, estimate.high
        if estimate.method != "exact":
            method = estimate.method
    return Estimate(value.reshape(shape), low.reshape(shape), high.reshape(shape), method)


def exact(value: NDArray[np.float64], setting: Setting) -> Estimate:
    """Wrap exact probabilities, broadcast to the setting's shape.

    Sums of rounded weights may pass 1 by an ulp: cut there.
    """
    whole = np.broadcast_to(np.minimum(value, 1.0), setting.shape)
    return Estimate(whole, whole, whole, "exact")


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
