"""The plane over the whole numbers modulo p: its points as those of a sample, and its lines.

d stands for log2 p: p is the largest prime up to 2^d. Up to `MOST` bits it is looked for; beyond,
laws and bounds take 2^d itself, from which p differs by less than they could tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from privsc_core.errors import InputError
from privsc_core.numerics.text import whole

__all__ = ["MOST", "Plane", "log_prime", "prime"]

MOST = 64
# Witnesses that leave no composite number below 3.3 * 10^24 (Sorenson and Webster 2015).
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


@lru_cache(maxsize=256)
def prime(bits: int) -> int:
    """Return the largest prime up to 2^bits, for at most `MOST` bits."""
    return next(n for n in range(1 << bits, 1, -1) if _is_prime(n))


def log_prime(d: int) -> float:
    """Return log p, where p is near 2^d."""
    return math.log(prime(d)) if d <= MOST else d * math.log(2.0)


def _is_prime(n: int) -> bool:
    """Tell whether n >= 2 is prime (Miller and Rabin)."""
    if any(n % small == 0 for small in _WITNESSES):
        return n in _WITNESSES
    twos = ((n - 1) & (1 - n)).bit_length() - 1
    odd = (n - 1) >> twos
    return all(_passes(pow(base, odd, n), n, twos) for base in _WITNESSES)


def _passes(power: int, n: int, twos: int) -> bool:
    if power in {1, n - 1}:
        return True
    return any((power := power * power % n) == n - 1 for _ in range(twos - 1))


@dataclass(frozen=True, slots=True)
class Plane:
    """Z_p^2; its point (x, y) is the point 1 + x p + y of a sample. Later points lie on no line.

    Attributes
    ----------
    p : int
        A prime.
    """

    p: int

    @classmethod
    def of(cls, bits: int) -> Plane:
        """Return the largest plane that a sample with points of so many bits has room for.

        Raises
        ------
        InputError
            Where p is too large to be looked for.
        """
        if bits > 2 * MOST:
            raise InputError("d", f"must be at most {MOST} to run on lines", bits // 2)
        return cls(prime(max(bits // 2, 1)))

    def code(self, x: int, y: int) -> int:
        """Return the point of a sample for (x, y)."""
        return 1 + x * self.p + y

    def place(self, point: int) -> tuple[int, int] | None:
        """Return (x, y) of a point of a sample, None where it is not in the plane."""
        x, y = divmod(point - 1, self.p)
        return (x, y) if x < self.p else None

    def height(self, a: int, b: int, x: int) -> int:
        """Return y of the line y = ax + b at x."""
        return (a * x + b) % self.p

    def through(self, one: tuple[int, int], two: tuple[int, int]) -> tuple[int, int] | None:
        """Return (a, b) of the line through two points, None where one is above the other."""
        if one[0] == two[0]:
            return None
        a = (two[1] - one[1]) * pow(two[0] - one[0], -1, self.p) % self.p
        return a, (one[1] - a * one[0]) % self.p

    def name(self, point: int) -> str:
        """Return the place of a point in a few characters."""
        place = self.place(point)
        bits = self.p.bit_length()
        if place is None:
            return f"{whole(point, 2 * bits)}, off the plane"
        return f"({whole(place[0], bits)}, {whole(place[1], bits)})"
