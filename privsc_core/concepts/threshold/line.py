"""The interval [0, 1] as this class sees it: a grid finer than any resolution, and smooth crowds.

The target is z = 1/2 and U is uniform. A crowd of b bits and mass lam is the mixture of U, with
weight 1 - lam, and the uniform distribution on a window of width w = lam / (kappa - 1 + lam)
around z, kappa = 2^b: its density is kappa in the window, so that it is kappa-smooth for U, just
so. Its mass outwards from z is linear, up to H = kappa w / 2 and, slower, from there on.

Points are held as whole numbers x of a grid of 2^bits, which stand for (x - 1/2) / 2^bits. Samples
that are drawn have FINE more bits than their crowd, so that those in the window are told apart
however narrow it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privsc_core.numerics.decimals import decimal

__all__ = ["FINE", "Crowd", "middle"]

FINE = 40
# Beyond so many bits a window is nothing against the whole interval, up to e^-41.
_NARROW = 60


def middle(bits: int) -> int:
    """Return the j of the threshold at z: points below j lie left of it."""
    return (1 << (bits - 1)) + 1 if bits else 1


@lru_cache(maxsize=256)
def _reach_on(b: int, mass: float, bits: int) -> int:
    p, q = decimal(mass).as_integer_ratio()
    return (p << bits) // ((q << b) - q + p)


@dataclass(frozen=True, slots=True)
class Crowd:
    """A smooth distribution around z.

    Attributes
    ----------
    b : int
        log2 of kappa.
    mass : float
        lam, in (0, 1].
    """

    b: int
    mass: float

    @property
    def half(self) -> float:
        """H, the mass of the window on one side of z."""
        lam = float(decimal(self.mass))
        return 0.5 * lam / (1.0 - (1.0 - lam) * math.ldexp(1.0, -min(self.b, 1074)))

    @property
    def reach(self) -> float:
        """W / 2, how far the window reaches from z; 0 where no float is that small."""
        return math.ldexp(self.half, -min(self.b, 1_000_000_000))

    @property
    def rest(self) -> float:
        """1 - lam, the density beyond the window."""
        return float(1 - decimal(self.mass))

    @property
    def end(self) -> Fraction:
        """W / 2 exactly, for b of few bits."""
        lam = decimal(self.mass)
        return lam / (2 * ((1 << self.b) - 1 + lam))

    def place(self, mass: float) -> Fraction:
        """Return how far from z a mass reaches, exactly, for b of few bits."""
        aim, end = decimal(mass), self.end
        inside = (1 << self.b) * end
        if aim <= inside:
            return aim / (1 << self.b)
        return end + (aim - inside) / (1 - decimal(self.mass))

    def reach_on(self, bits: int) -> int:
        """Return w / 2 in units of 2^-(bits + 1), rounded down."""
        return _reach_on(self.b, self.mass, bits)

    def error(self, cells: int, bits: int) -> Fraction:
        """Return the mass between z and a point `cells` cells of 2^-bits away, bits >= b."""
        lam, fine = decimal(self.mass), bits - self.b
        if self.b <= _NARROW:
            width = lam / ((1 << self.b) - 1 + lam)
            away = Fraction(cells, 1 << bits)
        else:
            # 2^b more precisely than that would take seconds to reduce.
            width = Fraction(0)
            away = Fraction((cells << 64) >> bits, 1 << 64)
        inside = (
            Fraction(cells << 64 >> fine, 1 << 64) if fine > _NARROW else Fraction(cells, 1 << fine)
        )
        half = ((1 << self.b) * width if width else lam) / 2
        return inside if inside <= half else half + (1 - lam) * (away - width / 2)
