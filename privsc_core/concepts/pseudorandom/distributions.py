"""Distributions for pseudorandom points: those for points, with the target an image."""

from __future__ import annotations

from dataclasses import dataclass

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.point import distributions as points
from privsc_core.concepts.pseudorandom.generator import SQUARE_ROOT, SeedLength, image, target_seed


def _target(seeds: SeedLength, d: int) -> int:
    length = seeds.bits(d)
    return image(target_seed(length, d), length, d)


@dataclass(frozen=True)
class Hard(points.Hard):
    """Mass alpha (just above) on an image of the generator, the rest on point 1."""

    seeds: SeedLength = SQUARE_ROOT

    source = Source("BBKN13", "Section 6, with the proof of Lemma 3.9")
    brief = "mass 1-α on one point, slightly more than α on the target, an image of the generator"
    meaning = (
        "Point 1 has mass 1-α. The target, an image of the generator, has mass slightly above α: "
        "a hypothesis that misses it fails."
    )

    def target(self, d: int) -> int:
        """Return the target point, the image of the first seed."""
        return _target(self.seeds, d)

    @property
    def least_d(self) -> int:
        """The smallest number of bits at which the distribution exists."""
        return max(2, self.seeds.fixed + 1)

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse a d that leaves no target: not above the length of the seeds, or 1."""
        target_seed(self.seeds.bits(d), d)


@dataclass(frozen=True)
class Single(points.Single):
    """All mass on an image of the generator."""

    seeds: SeedLength = SQUARE_ROOT

    source = Source("BBKN13", "Section 6, with the proof of Proposition 3.7")
    meaning = "Every example is the target, an image of the generator, with label 1."

    def target(self, d: int) -> int:
        """Return the target point, the image of the first seed."""
        return _target(self.seeds, d)

    @property
    def least_d(self) -> int:
        """The smallest number of bits at which the distribution exists."""
        return max(2, self.seeds.fixed + 1)

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse a d that leaves no target: not above the length of the seeds, or 1."""
        target_seed(self.seeds.bits(d), d)
