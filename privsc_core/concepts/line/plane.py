"""The plane over the whole numbers modulo p: its points as those of a sample, and its lines.

d stands for log2 p: p is the largest prime up to 2^d, if none is given. Up to `MOST` bits it is looked
for; beyond, laws and bounds take 2^d itself, from which p differs by less than they could tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from privsc_core.concepts.shared.hypotheses import Hypothesis
from privsc_core.errors import InputError
from privsc_core.numerics.text import whole

MOST = 64
# From so many bits on p - 1 is p, and two examples at one place are none, up to 2^-40.
LARGE = 41
_GIVEN_MOST = 10**12
_SIZE_MOST = 1e280
# Witnesses that leave no composite number below 3.3 * 10^24 (Sorenson and Webster 2015).
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


@lru_cache(maxsize=256)
def prime(bits: int) -> int:
    """Return the largest prime up to 2^bits, for at most `MOST` bits."""
    return next(n for n in range(1 << bits, 1, -1) if _is_prime(n))


def _is_prime(n: int) -> bool:
    """Return whether n >= 2 is prime (Miller and Rabin)."""
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

    def line(self, numbers: tuple[int, int]) -> Line | None:
        """Return the line with these whole a and b, None where they are not from 0 to p - 1."""
        if not all(value == int(value) and 0 <= value < self.p for value in numbers):
            return None
        a, b = map(int, numbers)
        return Line(self, a, b)


@dataclass(frozen=True, slots=True)
class Modulus:
    """Which p a number of bits stands for.

    Attributes
    ----------
    given : int
        A prime, whatever d is; 0 for the largest up to 2^d.
    """

    given: int = 0

    @classmethod
    def of(cls, text: str) -> Modulus:
        """Return the modulus of a text: a prime, or ``largest``.

        Raises
        ------
        InputError
            For any other text, and a prime above 10^12.
        """
        if text == "largest":
            return LARGEST
        given = int(text) if text.isdecimal() and len(text) <= len(str(_GIVEN_MOST)) else 0
        if text != str(given) or not 2 <= given <= _GIVEN_MOST or not _is_prime(given):
            raise InputError("p", f"must be a prime from 2 to {_GIVEN_MOST:,} or largest", text)
        return cls(given)

    def bits(self, d: int) -> int:
        """Return how many bits p has: d, if none is given."""
        return max((self.given - 1).bit_length(), 1) if self.given else d

    def prime(self, d: int) -> int:
        """Return p; of a d above `MOST` one of so many bits stands for it."""
        return self.given or prime(min(d, MOST))

    def log(self, d: int) -> float:
        """Return log p, where p is near 2^d."""
        return d * math.log(2.0) if d > MOST and not self.given else math.log(self.prime(d))

    def log2(self, d: int) -> float:
        """Return the logarithm of p to base 2, where p is near 2^d."""
        return float(d) if d > MOST and not self.given else math.log2(self.prime(d))

    def size(self, d: int) -> float:
        """Return p as a float, the largest one that can still be reckoned with where it is larger."""
        if d <= MOST or self.given:
            return float(self.prime(d))
        return math.exp(min(self.log(d), math.log(_SIZE_MOST)))

    def plane(self, bits: int) -> Plane:
        """Return the plane of a sample with points of so many bits, the largest that it has room for.

        Raises
        ------
        InputError
            Where p is too large to be looked for, or for the points.
        """
        if self.given:
            if bits < 2 * self.bits(0):
                raise InputError("d", f"must be at least {self.bits(0)} for this p", bits // 2)
            return Plane(self.given)
        if bits > 2 * MOST:
            raise InputError("d", f"must be at most {MOST} to run on lines", bits // 2)
        return Plane(prime(max(bits // 2, 1)))


LARGEST = Modulus()


# --- Lines, single points and the empty set as hypotheses on the plane ---------------------------


# What a record of a run has: a and b of a line, or the place of a point.
KEYS = ("a", "b", "x", "y")


@dataclass(frozen=True, slots=True)
class Line(Hypothesis):
    """The concept c_{a,b}: 1 where y = ax + b."""

    plane: Plane
    a: int
    b: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        place = self.plane.place(point)
        return int(place is not None and self.plane.height(self.a, self.b, place[0]) == place[1])

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return f"the line y = {self.a} x + {self.b} modulo {self.plane.p}"

    @property
    def weight(self) -> int:
        """A line has p points."""
        return self.plane.p

    @property
    def parameters(self) -> dict[str, str]:
        """Slope and intercept, as exact texts."""
        return {"a": str(self.a), "b": str(self.b)}


@dataclass(frozen=True, slots=True)
class Spot(Hypothesis):
    """1 at one point of a sample."""

    plane: Plane
    point: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(point == self.point)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return f"1 at the point {self.plane.name(self.point)} alone"

    @property
    def weight(self) -> int:
        """One point gets label 1."""
        return 1

    @property
    def parameters(self) -> dict[str, str]:
        """The place of the point, as exact texts."""
        x, y = divmod(self.point - 1, self.plane.p)
        return {"x": str(x), "y": str(y)}


@dataclass(frozen=True, slots=True)
class Empty(Hypothesis):
    """0 everywhere."""

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return 0

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        return "0 everywhere"

    @property
    def weight(self) -> int:
        """Nothing gets label 1."""
        return 0
