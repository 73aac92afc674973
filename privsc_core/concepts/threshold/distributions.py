"""Distributions for thresholds on [0, 1]: crowds around the target z = 1/2."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Distribution, Knob, Source
from privsc_core.concepts.shared.hypotheses import FAILURE, Hypothesis
from privsc_core.concepts.shared.sample import BITS_MOST, Sample, uniform_below
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from numpy.typing import NDArray


# -------------------------------------------------------------------------------------------------
# The interval [0, 1] as this class sees it: a grid finer than any resolution, and smooth crowds.
#
# The target is z = 1/2 and U is uniform. A crowd of b bits and mass lam is the mixture of U, with
# weight 1 - lam, and the uniform distribution on a window of width w = lam / (kappa - 1 + lam)
# around z, kappa = 2^b: its density is kappa in the window, so that it is kappa-smooth for U, just
# so. Its mass outwards from z is linear, up to H = kappa w / 2 and, slower, from there on.
#
# Points are held as whole numbers x of a grid of 2^bits, which stand for (x - 1/2) / 2^bits. Samples
# that are drawn have FINE more bits than their crowd, so that those in the window are told apart
# however narrow it is.


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


# --- Thresholds on [0, 1] as hypotheses ----------------------------------------------------------


_SHOWN_BITS = 40


@dataclass(frozen=True, slots=True)
class Cut(Hypothesis):
    """The concept h_s: 1 left of s, 0 from s on.

    Attributes
    ----------
    j : int
        The first point of the grid with label 0, from 1 to 2^bits + 1.
    bits : int
        Of a point of the grid.
    """

    j: int
    bits: int

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        return int(point < self.j)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is."""
        if self.bits <= _SHOWN_BITS:
            return f"1 left of s = {(self.j - 1) / (1 << self.bits):.12g}, 0 from there on"
        away = self.j - middle(self.bits)
        if not away:
            return "1 left of s, 0 from there on; s = 1/2"
        side = "left" if away < 0 else "right"
        far = chance(math.log(abs(away)) - self.bits * math.log(2.0))
        return f"1 left of s, 0 from there on; s lies {far} {side} of 1/2"

    @property
    def weight(self) -> int:
        """The points of the grid below j get label 1."""
        return self.j - 1

    @property
    def parameters(self) -> dict[str, str]:
        """The first point of label 0, as exact text."""
        return {"j": str(self.j)}


def cut_of(number: float | Fraction, bits: int) -> Cut | None:
    """Return h_s for s from 0 to 1, or of a whole number the `Cut` with that j; None for any other."""
    j = number if isinstance(number, int) else 1 + math.floor(Fraction(number) * (1 << bits))
    return Cut(j, bits) if 1 <= j <= (1 << bits) + 1 else None


# --- A sample in its order: all that learners see who protect the labels alone -------------------
#
# Candidate k is h_s with s = x_(k+1), the point that has k examples before it: it labels these 1.


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The examples, sorted by their points.

    Attributes
    ----------
    points : tuple of int
        The distinct points, increasing.
    until : ndarray of int64
        How many examples lie at each of them or before.
    positive : ndarray of int64
        How many of those have label 1.
    bits : int
        Of a point.
    """

    points: tuple[int, ...]
    until: NDArray[np.int64]
    positive: NDArray[np.int64]
    bits: int

    @classmethod
    def of(cls, sample: Sample) -> Order:
        """Sort a sample."""
        order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
        positive, negative = sample.tallies()
        return cls(
            tuple(sample.points[i] for i in order),
            np.cumsum((positive + negative)[order]),
            np.cumsum(positive[order]),
            sample.d,
        )

    @property
    def size(self) -> int:
        """The number m of examples."""
        return int(self.until[-1])

    @property
    def positives(self) -> int:
        """How many of them have label 1."""
        return int(self.positive[-1])

    def cut(self, k: int) -> int:
        """Return j of candidate k: 1 (nothing is labelled 1) below 0, 2^bits + 1 (all) from m on."""
        if k < 0:
            return 1
        if k >= self.size:
            return (1 << self.bits) + 1
        return self.points[int(np.searchsorted(self.until, k, side="right"))]

    def mistakes(self, candidates: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return on how many examples candidates from 0 to m err."""
        place = np.searchsorted(self.until, candidates, side="right")
        before = np.concatenate(([0], self.until))[place]
        ones = np.concatenate(([0], self.positive))[place]
        return np.asarray(before - ones + self.positives - ones)


# --- What a learner knows of the crowd: the distribution by which it weighs thresholds -----------


_MOST = 10**6
_WORDS = ("half", "all")


@dataclass(frozen=True, slots=True)
class Reference:
    """R_r: the crowd's own shape, known to r of its b bits; r = 0 is U, r = b the crowd itself.

    Attributes
    ----------
    known : str
        r as it is typed: a number, ``half`` or ``all``.
    """

    known: str = "0"

    @classmethod
    def of(cls, text: str) -> Reference:
        """Return the reference of a text.

        Raises
        ------
        InputError
            For any other text.
        """
        number = text.isdecimal() and text == str(int(text)) and int(text) <= _MOST
        if text not in _WORDS and not number:
            raise InputError(
                "concept", f"must be threshold(r) with r from 0 to {_MOST}, half or all", text
            )
        return cls(text)

    def bits(self, b: int) -> int:
        """Return r at b: never more than there are."""
        if self.known in _WORDS:
            return b if self.known == "all" else b // 2
        return min(int(self.known), b)

    @property
    def told(self) -> bool:
        """Whether anything is known but that data lie in [0, 1]."""
        return self.known != "0"


UNIFORM = Reference()


class Around(Distribution):
    """A distribution that is alike on both sides of z."""

    ordered = True

    @property
    def hard(self) -> bool:
        """Whether the window has mass 2 alpha: what bounds and references speak of."""
        return False

    @abstractmethod
    def crowd(self, b: int, alpha: float) -> Crowd:
        """Return what it is at b."""

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse an alpha at which a learner need not learn."""
        if alpha >= 0.5:
            raise InputError("alpha", f"must be less than 1/2 for {self.name}", alpha)

    def target(self, d: int) -> int:
        """Return the j of the target on the grid of a drawn sample."""
        return middle(d + FINE)

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether the hypothesis has error at most alpha."""
        if hypothesis is FAILURE:
            return False
        if not isinstance(hypothesis, Cut):
            wanted = "must return a threshold here: the error of no other function is computed"
            raise InputError("learner", wanted, hypothesis.description)
        # A threshold between two points of the grid is held by the farther one.
        away = abs(hypothesis.j - middle(hypothesis.bits))
        near = max(away - 1, 0) if hypothesis.bits >= d + FINE else away
        return self.crowd(d, alpha).error(near, hypothesis.bits) <= decimal(alpha)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error of a threshold; None for any other hypothesis."""
        if not isinstance(hypothesis, Cut):
            return None
        away = abs(hypothesis.j - middle(hypothesis.bits))
        return self.crowd(d, alpha).error(away, hypothesis.bits)

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return m examples drawn independently and labelled by the target concept.

        Points are known to FINE bits more than the crowd has: two may be equal with a chance of
        m^2 / 2^FINE, which no success probability notices.
        """
        bits, crowd = d + FINE, self.crowd(d, alpha)
        j = middle(bits)
        # A crowd of no bits is the uniform distribution, and its window all there is.
        inside = rng.random(m) < (crowd.mass if crowd.b else 0.0)
        half = 0.5 * crowd.reach_on(bits) if crowd.b else 1.0
        offset = np.floor(rng.uniform(-half, half, size=m)).astype(np.int64)
        if bits <= BITS_MOST:
            spread = 1 + rng.integers(1 << bits, size=m)
            points = np.where(inside, j + offset, spread).tolist()
        else:
            points = [
                j + near if close else 1 + uniform_below(rng, 1 << bits)
                for near, close in zip(offset.tolist(), inside.tolist(), strict=True)
            ]
        return Sample.of(bits, points, [int(x < j) for x in points])


@dataclass(frozen=True)
class Window(Around):
    """With probability lam uniform on a window around z of density kappa, else uniform."""

    lam: float = 0.0

    name = "window"
    title = "Window: data concentrated at the target"
    source = Source("CH11", "proof of Theorem 5, with the mass 2α in place of ½")
    brief = "mass 2α on a window of density 2ᵇ around the target, the rest uniform"
    meaning = (
        "Mass λ lies on a window around the target, in which the density is κ = 2^b; the rest is uniform on [0, 1]. "
        "λ = 0 stands for λ = 2α; in the paper λ = 0.5."
    )
    knobs = (Knob("lam", "λ", "mass of the window; 0 stands for 2α", 0.0, 1.0, 0.0, integer=False),)

    @property
    def hard(self) -> bool:
        """Whether the window has mass 2 alpha."""
        return not self.lam

    def mass(self, alpha: float) -> float:
        """Return lam."""
        return self.lam or float(2 * decimal(alpha))

    def crowd(self, b: int, alpha: float) -> Crowd:
        """Return what it is at b."""
        return Crowd(b, self.mass(alpha))


@dataclass(frozen=True)
class Uniform(Around):
    """The uniform distribution on [0, 1]: the crowd of 0 bits."""

    name = "uniform"
    title = "Uniform: a benign case"
    source = Source("ours", "contrast to the worst case")
    idle = {"d": "the uniform distribution is the same for every b"}
    meaning = (
        "All of [0, 1] is equally likely. Every threshold near the target is accurate, so the bits of resolution do "
        "not matter."
    )

    def crowd(self, b: int, alpha: float) -> Crowd:
        """Return what it is at b."""
        return Crowd(0, 1.0)
