"""How often a bit is seen on `spikes` where the sample's size is Poisson, and what noise makes of it.

Of so many counts that all else is smooth over their steps every so-manieth is looked at.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privsc_core.numerics.binomial_windows import LOG_TAIL
from privsc_core.numerics.poisson import log_poisson, poisson_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Counts"]

_STRIDE = 64  # counts whose waves are those of the first of them, times few others
# From this mean on everything but noise is smooth over a twentieth of the deviation, which is looked at
# closer where slopes are those of e^-rare. Noise is so as well if sums over every other count say the same.
_WIDE = 1e4
_PER_DEVIATION, _SLOPE = 20.0, 0.5
_SAME, _SURE = 1e-13, 50.0
# So many steps each way a count speaks for those between, and over how many of them it fades.
_FAR, _FADES = 32, 3.5
_ENTRIES = 1 << 20


class Counts(NamedTuple):
    """How often a bit is seen where the sample's size is Poisson, on a circle |z| = radius m.

    Attributes
    ----------
    m, d : int
    a : float
        The mass of the points of the d bits.
    rare : float
        Probabilities matter down to e^-rare.
    radius : float
        Any is right; 1 where what is looked for is not rare.
    at : ndarray of float64, shape (counts,)
        The k that matter, or every so-manieth of them.
    weights : ndarray of float64, shape (counts,)
        Poisson weights of the k.
    """

    m: int
    d: int
    a: float
    rare: float
    radius: float
    at: NDArray[np.float64]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, m: int, d: int, a: float, rare: float = 0.0, radius: float = 1.0) -> Counts:
        """Return those of a radius, which are described above."""
        if not m or not d:
            return cls(0, d, a, rare, radius, np.zeros(1), np.ones(1))
        mean = a * radius * m / d
        reach = math.sqrt((144.0 + 4.0 * rare) * mean) + 40.0 + rare
        each = max(_PER_DEVIATION, math.sqrt(2.0 * max(rare - LOG_TAIL, 0.0)) / _SLOPE)
        step = max(1, math.floor(math.sqrt(mean) / each)) if mean > _WIDE else 1
        first, last = max(0, math.floor(mean - reach)), math.ceil(mean + reach)
        at = np.arange(first, last + 1, step).astype(np.float64)
        weights = poisson_weights(at, mean) if step == 1 else np.exp(log_poisson(at, mean))
        return cls(m, d, a, rare, radius, at, weights / weights.sum())

    def seen(
        self, profile: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return rho at the counts; where it is steep what makes up for the counts between them.

        All else is a smooth function g of the count, and g(k) the sum over the counts j that are looked
        at of g(j) phi(k - j), phi a sinc that fades. So rho(j) is the sum of rho(k) phi(k - j), over the
        step: it may be below 0 or above 1 beside a jump.

        Parameters
        ----------
        profile : callable
            Counts -> how likely a bit that was seen so often is wrong; it never rises.
        """
        rho = profile(self.at)
        step = self.step
        if step == 1:
            return rho
        coarse = self.weights[::2] / self.weights[::2].sum()
        sums = [
            (float(np.sum(self.weights * p)), float(np.sum(coarse * p[::2])))
            for p in (rho, 1.0 - rho)
        ]
        # On another circle chances are small that are looked for.
        nothing = math.exp(-max(self.rare, _SURE)) / self.d if self.radius == 1.0 else 0.0
        if all(math.isclose(*both, rel_tol=_SAME, abs_tol=nothing) for both in sums):
            return rho
        offset = np.arange(-_FAR * step, _FAR * step) / step
        phi = (np.sinc(offset) * np.exp(-0.5 * (offset / _FADES) ** 2)).reshape(-1, step) / step
        starts = self.at[0] + step * np.arange(-_FAR, self.at.size + _FAR + 1.0)
        ends = profile(np.maximum(starts, 0.0))
        # What falls is constant between two counts at which it is the same: mostly all but few.
        told = ends[:-1, None] * phi.sum(axis=1)
        open_ = np.flatnonzero(ends[:-1] != ends[1:])
        for some in np.array_split(open_, open_.size * step // _ENTRIES + 1):
            every = starts[some, None] + np.arange(float(step))
            told[some] = np.einsum("jk,ik->ji", profile(np.maximum(every, 0.0)), phi)
        found = np.zeros(self.at.size)
        for far in range(2 * _FAR):
            found += told[far : far + found.size, far]
        return found

    @property
    def step(self) -> int:
        """From one count to the next."""
        return int(self.at[1] - self.at[0]) if self.at.size > 1 else 1

    @property
    def rest(self) -> float:
        """How many examples lie elsewhere on average."""
        return (1.0 - self.a) * self.radius * self.m

    def waves(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return weights times the cosine and sine of (k - k0) theta, shape (2, angles, counts)."""
        return _waves(theta, int(self.at[0]) - self.middle, self.step, self.weights)

    @property
    def middle(self) -> int:
        """A count about which waves turn slowly."""
        return round(self.a * self.radius * self.m / self.d) if self.m else 0


def _waves(
    theta: NDArray[np.float64], first: int, step: int, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return weights times the cosine and sine of k theta, k = first, first + step, ...

    A product of two short tables of powers: most of the time would go into cosines.
    """
    rows = math.ceil(weights.size / _STRIDE)
    far = np.exp(1j * np.outer(theta, first + step * _STRIDE * np.arange(rows)))
    near = np.exp(1j * np.outer(theta, step * np.arange(_STRIDE)))
    waves = (far[:, :, None] * near[:, None, :]).reshape(theta.size, -1)[:, : weights.size]
    return np.stack([waves.real * weights, waves.imag * weights])
