"""Distributions for thresholds on [0, 1]: crowds around the target z = 1/2."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Distribution, Knob, Source
from privsc_core.concepts.rows import BITS_MOST
from privsc_core.concepts.sample import Sample, uniform_below
from privsc_core.concepts.threshold.hypotheses import Cut
from privsc_core.concepts.threshold.line import FINE, Crowd, middle
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["Around", "Uniform", "Window"]


class Around(Distribution):
    """A distribution that is alike on both sides of z."""

    ordered: ClassVar[bool] = True

    @property
    def hard(self) -> bool:
        """Whether the window has mass 2 alpha: what bounds and references speak of."""
        return False

    @abstractmethod
    def crowd(self, b: int, alpha: float) -> Crowd:
        """Return what it is at b."""

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse an alpha at which a learner need not learn."""
        del d
        if alpha >= 0.5:
            raise InputError("alpha", f"must be less than 1/2 for {self.name}", alpha)

    def target(self, d: int) -> int:
        """Return the j of the target on the grid of a drawn sample."""
        return middle(d + FINE)

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Tell whether the hypothesis has error at most alpha."""
        if not isinstance(hypothesis, Cut):
            return False
        # A threshold between two points of the grid is held by the farther one.
        away = abs(hypothesis.j - middle(hypothesis.bits))
        near = max(away - 1, 0) if hypothesis.bits >= d + FINE else away
        return self.crowd(d, alpha).error(near, hypothesis.bits) <= decimal(alpha)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error of a threshold; None for any other hypothesis."""
        del m
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

    name: ClassVar[str] = "window"
    title: ClassVar[str] = "Window: a crowd at the target"
    source: ClassVar[Source] = Source("CH11", "proof of Theorem 5, with the mass 2α in place of ½")
    brief: ClassVar[str] = "mass 2α on a window of density 2ᵇ around the target, the rest uniform"
    meaning: ClassVar[str] = (
        "Mass λ is spread over a window around the target in which the density is κ = 2^b, the rest "
        "over all of [0, 1]; λ = 2α where it is written 0, and λ = 0.5 in the paper."
    )
    knobs: ClassVar[tuple[Knob, ...]] = (
        Knob("lam", "λ", "mass of the window; 0 stands for 2α", 0.0, 1.0, 0.0, integer=False),
    )

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

    name: ClassVar[str] = "uniform"
    title: ClassVar[str] = "Uniform: a benign case"
    source: ClassVar[Source] = Source("ours", "contrast to the worst case")
    idle: ClassVar[Mapping[str, str]] = {"d": "the uniform distribution is the same for every b"}
    meaning: ClassVar[str] = (
        "All of [0, 1] is equally likely: every threshold near the target is accurate, so the "
        "bits of resolution drop out."
    )

    def crowd(self, b: int, alpha: float) -> Crowd:
        """Return what it is at b."""
        del b, alpha
        return Crowd(0, 1.0)
