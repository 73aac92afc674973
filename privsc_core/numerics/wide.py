"""Numbers far beyond the range of floats: a fraction times a power of two, elementwise.

So that 2^d at d = 10^6 is a number like any other: its logarithm is exact, and nothing overflows in silence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MOST = 2.0**26
"""With a larger exponent of two, powers would have fewer than eight correct digits: see `Wide.beyond`."""

_PLAIN = 1000  # between two to the power of minus and plus this floats are as precise as ever
_LN2 = math.log(2.0)
# ln 2 in two parts: the first has few digits, so that its multiples are exact.
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


@dataclass(frozen=True, slots=True, eq=False)
class Wide:
    """Arrays of numbers m 2^e that broadcast; the caller sets the error state of numpy.

    Attributes
    ----------
    m, e : ndarray of float64
        ``|m|`` is in [0.5, 1), or 0; e is a whole number.
    """

    m: NDArray[np.float64]
    e: NDArray[np.float64]

    @classmethod
    def of(cls, values: ArrayLike) -> Wide:
        """Return finite floats."""
        return cls.scaled(np.asarray(values, dtype=np.float64), np.zeros(()))

    @classmethod
    def scaled(cls, values: NDArray[np.float64], e: NDArray[np.float64]) -> Wide:
        """Return values 2^e of finite floats."""
        m, more = np.frexp(values)
        return cls(m, np.where(m == 0.0, 0.0, e + more))

    @classmethod
    def power_of_two(cls, t: NDArray[np.float64]) -> Wide:
        """Return 2^t."""
        t = np.clip(t, -4.0 * MOST, 4.0 * MOST)
        whole = np.floor(t)
        return cls.scaled(np.exp2(t - whole), whole)

    @property
    def beyond(self) -> NDArray[np.bool_]:
        """Where a number is too large, or too near 0, to be told with eight digits."""
        return abs(self.e) > MOST

    def plain(self) -> NDArray[np.float64]:
        """Return floats: infinite, or 0, where they are outside of the range."""
        return np.ldexp(self.m, np.maximum(np.minimum(self.e, 4000), -4000).astype(np.int64))

    def __neg__(self) -> Wide:
        """Return the negative."""
        return Wide(-self.m, self.e)

    def __add__(self, other: Wide) -> Wide:
        """Return the sum."""
        e = np.where(self.m == 0.0, other.e, np.maximum(self.e, other.e))
        e = np.where(other.m == 0.0, self.e, e)
        both = Wide(self.m, self.e - e).plain() + Wide(other.m, other.e - e).plain()
        return Wide.scaled(both, e)

    def __sub__(self, other: Wide) -> Wide:
        """Return the difference."""
        return self + -other

    def __mul__(self, other: Wide) -> Wide:
        """Return the product."""
        return Wide.scaled(self.m * other.m, self.e + other.e)

    def __truediv__(self, other: Wide) -> Wide:
        """Return the quotient; of a division by 0 the number itself."""
        return Wide.scaled(self.m / np.where(other.m == 0.0, 1.0, other.m), self.e - other.e)

    def sqrt(self) -> Wide:
        """Return the square root of what is at least 0."""
        odd = self.e % 2.0
        return Wide.scaled(np.sqrt(np.ldexp(abs(self.m), odd.astype(np.int64))), (self.e - odd) / 2)

    def log2(self) -> NDArray[np.float64]:
        """Return the logarithm to base 2 of the absolute value; of 0 that of 1."""
        m = np.where(self.m == 0.0, 1.0, abs(self.m))
        near = abs(self.e) < _PLAIN
        return np.where(near, np.log2(Wide(m, self.e).plain()), self.e + np.log2(m))

    def log(self) -> NDArray[np.float64]:
        """Return the natural logarithm of the absolute value; of 0 that of 1."""
        m = np.where(self.m == 0.0, 1.0, abs(self.m))
        near = abs(self.e) < _PLAIN
        return np.where(near, np.log(Wide(m, self.e).plain()), self.e * _LN2 + np.log(m))

    def exp(self) -> Wide:
        """Return e to this power."""
        x = np.clip(self.plain(), -2.0 * MOST, 2.0 * MOST)
        k = np.rint(x / _LN2)
        return Wide.scaled(np.exp(x - k * _LN2_HIGH - k * _LN2_LOW), k)

    def power(self, to: Wide) -> Wide:
        """Return a power; that of a negative number only to a whole one, of 0 only to at least 0."""
        by, log2 = to.plain(), self.log2()
        t = np.where(log2 == 0.0, 0.0, by * log2)
        near = (abs(t) < _PLAIN) & (abs(self.e) < _PLAIN) & (abs(by) < 2.0**53)
        floats = np.power(np.where(near, abs(self.plain()), 1.0), np.where(near, by, 0.0))
        large, small = Wide.power_of_two(np.where(near, 0.0, t)), Wide.of(floats)
        sign = np.where((self.m < 0.0) & (abs(by) % 2.0 == 1.0), -1.0, 1.0)
        nothing = (self.m == 0.0) & (by > 0.0)
        m = np.where(nothing, 0.0, sign * np.where(near, small.m, large.m))
        return Wide(m, np.where(nothing, 0.0, np.where(near, small.e, large.e)))

    def smaller(self, other: Wide) -> Wide:
        """Return the smaller one of two, elementwise."""
        mine = (self - other).m <= 0.0
        return Wide(np.where(mine, self.m, other.m), np.where(mine, self.e, other.e))

    def iterated_log(self) -> NDArray[np.float64]:
        """Return log*: how often log2 is taken until the number is at most 1."""
        above = (self - Wide.of(1.0)).m > 0.0
        x, count = np.where(above, self.log2(), 0.0), above.astype(np.float64)
        while (more := x > 1.0).any():
            x, count = np.log2(np.where(more, x, 1.0)), count + more
        return count
