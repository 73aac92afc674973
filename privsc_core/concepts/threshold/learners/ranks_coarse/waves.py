"""The law of `RanksCoarse` where candidates are so close that J falls about evenly between them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from privsc_core.numerics.binomial_windows import binomial_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privsc_core.concepts.threshold.learners.ranks_coarse.asked import Asked

__all__ = ["by_waves", "waves"]

# Elements of a temporary.
_BLOCK = 1 << 13
# Below e^-that nothing is seen beside 1.
_UNSEEN = 40.0
# So many waves at most, of the chances of a remainder.
_WAVES = 2


def waves(asked: Asked) -> NDArray[np.int64]:
    """Return of every m how many waves J mod g has, given how many points are within reach.

    -1 where there are too many, or where cuts that are missing at the ends would be seen.
    """
    alpha = asked.setting.alpha
    m, step, speed = asked.m.astype(np.float64), asked.step, asked.speed.min(axis=1)
    # How the other points on a side vary.
    variance = 0.25 * m * (1.0 - 2.0 * alpha) / (1.0 - alpha)
    found = np.full(m.shape, -1)
    for n in range(_WAVES, -1, -1):
        flat = 2.0 * variance * np.sin(math.pi * (n + 1) / step) ** 2 > _UNSEEN
        found[(2 * n + 2 <= step) & flat] = n
    found[step == 1] = 0
    ends = m * (math.log(2.0) - np.log1p(np.exp(-speed))) - 0.5 * speed * step
    if asked.setting.extreme and asked.setting.beta >= 0.5:  # waves may cancel
        found[found > 0] = -1
    return np.where(ends > max(_UNSEEN, asked.setting.log_tail), found, -1)


def by_waves(asked: Asked) -> NDArray[np.float64]:
    """Return success, or failure, from how J mod g is spread: almost evenly.

    Let B of the points on one side be within reach, B ~ Bin(m, alpha), and h(y) = 1 / (q^y + q^(g-y)).
    Candidates at distance c, on the right where -J = c mod g, on the left where J is, are no good iff
    B <= c, or B < c. If J were even mod g whatever B is, success would fail with probability E[G(B)],

        G(b) = (1 - q^g)/g * sum over c >= b of q^c (h(c) + q h(c+1)), with c mod g and c+1 mod g in h,

    and as h(y) = h(g - y), a whole period from a multiple k of g on sums to q^k - q^(k+g). Else the
    chances of J mod g, given B, have waves too: for w = e^(2 pi i n/g) the terms of G get the factors
    w^(m+c) and w^(c+1), and the sum that of E[w^-J | B], on the left.
    """
    found = np.empty(asked.speed.shape)
    alpha, tail = asked.setting.alpha, asked.setting.log_tail
    for rows in _blocks(asked):
        m, step = asked.m[rows, None], asked.step[rows, None]
        first, weights = binomial_rows(asked.m[rows], alpha, tail)
        # Counts below 0 weigh nothing.
        count = np.maximum(first[:, None] + np.arange(weights.shape[1]), 0)
        whole, at = np.divmod(count, step)
        y = np.arange(int(step.max()))
        most = waves(asked.part(rows))[:, None]
        for column in range(asked.speed.shape[1]):
            speed = asked.speed[rows, column, None]
            fall, inside = speed * step, y < step
            left, right = (
                np.where(inside, -np.expm1(-fall) / step * _share(z, step, speed), 0.0)
                for z in (y + 1, y)
            )
            gone = np.exp(-fall * whole)
            if asked.rare:
                terms = gone * (np.exp(-fall) + _from(left + right, at))
            else:
                before = _from((left + right)[:, ::-1], y.size - at, empty=True)
                terms = gone * before - np.expm1(-fall * whole)
            for wave in range(1, int(most.max()) + 1):
                angle = 2.0 * math.pi * wave / step
                turn = np.exp(1j * angle * y)
                right_turned = right * np.exp(1j * angle * (m % step))
                sums = turn * (left * np.exp(1j * angle) + right_turned)
                after = _from(sums, at)
                after += sums.sum(axis=1, keepdims=True) * (np.exp(-fall) / -np.expm1(-fall))
                seen = gone * (_turned(angle, m, count, alpha) * after).real
                terms += np.where(most >= wave, (2.0 if asked.rare else -2.0) * seen, 0.0)
            found[rows, column] = (weights * terms).sum(axis=1)
    return found


def _turned(
    angle: NDArray[np.float64], m: NDArray[np.int64], count: NDArray[np.int64], alpha: float
) -> NDArray[np.complex128]:
    """Return E[e^(-i angle J) | B = count]: the other points lie left of z with one chance each."""
    other = np.log1p((0.5 - alpha) / (1.0 - alpha) * np.expm1(-1j * angle))
    return np.asarray(np.exp(other * (m - count) - 1j * angle * count))


def _blocks(asked: Asked) -> Iterator[slice]:
    """Cut numbers of samples into blocks whose tables are short enough."""
    tail, alpha = asked.setting.log_tail, asked.setting.alpha
    wide = 2.0 * np.sqrt(2.0 * tail * alpha * float(asked.m.max())) + tail
    rows = max(1, int(_BLOCK / (wide + asked.step.max())))
    for start in range(0, asked.m.size, rows):
        yield slice(start, start + rows)


def _from(terms: NDArray[Any], at: NDArray[np.int64], *, empty: bool = False) -> NDArray[Any]:
    """Return the sums of rows from the places `at` on, which may be their ends if `empty`."""
    sums = np.cumsum(terms[:, ::-1], axis=1)[:, ::-1]
    if empty:
        sums = np.concatenate([sums, np.zeros_like(sums[:, :1])], axis=1)
    return np.take_along_axis(sums, at, axis=1)


def _share(
    y: NDArray[np.int64], step: NDArray[np.int64], speed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return q^y / (q^y + q^(g - y))."""
    return np.asarray(special.expit(-speed * (2 * y - step)))
