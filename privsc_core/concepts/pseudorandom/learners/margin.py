"""The margin learner over the images: who is named by votes, or else a random image."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import TinyInstance
from privsc_core.concepts.point.learners.margin import Margin as MarginOfPoints
from privsc_core.concepts.pseudorandom.generator import SQUARE_ROOT, SeedLength, images
from privsc_core.concepts.pseudorandom.learners.exponential_proper import (
    ExponentialProper,
    enumerate_images,
)
from privsc_core.concepts.trace import choice

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Method
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Choice, Recorder
    from privsc_core.concepts.votes import Named

__all__ = ["Margin"]


@dataclass(frozen=True)
class Margin(MarginOfPoints):
    """Name an image by its votes after tax, or else a random one.

    Notes
    -----
    The random image is uniform over the *distinct* images: all 2^l seeds are enumerated. A
    positive example at a point that is no image is an abstention.
    """

    seeds: SeedLength = SQUARE_ROOT

    title: ClassVar[str] = "Margin learner, images only"
    summary: ClassVar[str] = (
        "Every positive example is a vote for its image; every image is taxed half of all votes "
        "beyond the first log((n+1)/2)/ε, n the number of images, and what is left decides how "
        "surely it is named; otherwise a uniformly random image. It enumerates all 2^l seeds."
    )
    efficient: ClassVar[bool] = False
    laws: ClassVar[Mapping[str, Method]] = {"hard": "exact", "single": "exact"}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=3, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    caveat: ClassVar[str] = (
        "No guarantee where there are at most 1/(αβ) images, and no PAC learner at α = β = 0.1 up to "
        "2⁶: with no vote its random image may be a heavy wrong one. Takes time 2^l; above 2^16 images are counted "
        "up to collisions."
    )

    def log_candidates(self, d: int) -> float:
        """Return the log of the number of distinct images."""
        known = images(self.seeds.bits(d), d)
        return float(np.logaddexp(known.log_distinct, 0.0)) if known.first else known.log_distinct

    def votes(self, sample: Sample) -> NDArray[np.int64]:
        """Return the votes of the seen points; what is no image has none."""
        there = set(self.candidates(sample.d))
        mine = np.array([point in there for point in sample.points], dtype=np.int64)
        return sample.tallies()[0] * mine

    def guess(self, d: int, rng: np.random.Generator) -> int:
        """Return a uniformly random image, seen or not."""
        points = enumerate_images(self.seeds.bits(d), d)
        return points[int(rng.integers(len(points)))]

    def candidates(self, d: int) -> Collection[int]:
        """Return the distinct images."""
        return enumerate_images(self.seeds.bits(d), d)

    def check_shown(self, *, d: int, alpha: float, beta: float) -> None:
        """Refuse a class whose images are not listed in a moment."""
        ExponentialProper(self.seeds).check_shown(d=d, alpha=alpha, beta=beta)

    def chosen(
        self, recorder: Recorder, sample: Sample, votes: NDArray[np.int64], found: Named, drawn: int
    ) -> Choice:
        """Return the votes and the probabilities, all other images as one row."""
        there = self.candidates(sample.d)
        known = set(there)
        own = [i for i, point in enumerate(sample.points) if point in known]
        rows = {sample.points[i]: row for row, i in enumerate(own)}
        others = len(there) - len(own)
        lucky = found.log_guess - math.log(len(there))
        with np.errstate(divide="ignore"):
            weights = np.logaddexp(np.log(found.chances[own]), lucky).tolist()
        scores = votes[own].astype(np.float64).tolist()
        if others:
            weights.append(lucky + math.log(others))
            scores.append(0.0)
        return choice(
            name=lambda row: (
                recorder.name_of(sample.points[own[row]])
                if row < len(own)
                else f"{others:,} other images"
            ),
            members=lambda row: "1" if row < len(own) else f"{others:,}",
            scores=scores, log_weights=weights, best=None, drawn=rows.get(drawn, len(own)),
            target=recorder.row_of_target(rows, len(own) if others else None), score="votes",
            what="images",
        )  # fmt: skip
