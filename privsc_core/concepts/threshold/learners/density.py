"""The density learner: full privacy, proper, for every crowd that is smooth for its reference."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Setting, Source
from privsc_core.concepts.shared.choosing import Groups
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.concepts.threshold.distributions import (
    FINE,
    UNIFORM,
    Crowd,
    Cut,
    Order,
    Reference,
    Window,
)
from privsc_core.concepts.threshold.laws import density_law
from privsc_core.concepts.threshold.learners.erm import Weighing
from privsc_core.numerics.logspace import probabilities
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.shared.sample import Sample


# -------------------------------------------------------------------------------------------------
# The thresholds of [0, 1] cut by a sample: cells on which the number of mistakes is constant.


_LOG2 = math.log(2.0)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells, from left to right.

    Attributes
    ----------
    ends : tuple of int
        Their ends, one more than cells, from z in units of 2^-(bits + 1).
    mistakes : ndarray of int64
        On how many examples the thresholds of each cell err.
    bits : int
        Of a point.
    """

    ends: tuple[int, ...]
    mistakes: NDArray[np.int64]
    bits: int

    @classmethod
    def of(cls, sample: Sample) -> Cells:
        """Cut by a sample, in O(m log m)."""
        order, bits = Order.of(sample), sample.d
        inner = [place_of(x, bits) for x in order.points]
        candidates = np.concatenate(([0], order.until))
        size = 1 << bits
        return cls((-size, *inner, size), order.mistakes(candidates), bits)

    def log_masses(self, known: Crowd) -> NDArray[np.float64]:
        """Return the log of the mass that a crowd gives to each cell."""
        pairs = itertools.pairwise(self.ends)
        return np.array([log_mass(a, b, known, self.bits) for a, b in pairs])

    def draw(self, pick: int, known: Crowd, rng: np.random.Generator) -> int:
        """Return the j of a threshold of a cell, drawn from what the crowd is on it."""
        a, b = self.ends[pick], self.ends[pick + 1]
        if known.b:
            low, high = _overlap(a, b, known, self.bits)
            inside = _log_window(low, high, known, self.bits)
            share = math.exp(min(inside - log_mass(a, b, known, self.bits), 0.0))
            if rng.random() < share:
                a, b = low, high
        return (a + uniform_below(rng, b - a) + (1 << self.bits) + 1) // 2 + 1

    def name(self, row: int) -> str:
        """Return which cell it is, in a few characters."""
        a, b = self.ends[row : row + 2]
        shown = self.bits + 1
        size = 1 << shown
        if 1000 * max(abs(a), abs(b)) > size:
            low, high = (0.5 + (end << 60) // size / 2.0**60 for end in (a, b))
            return f"s from {low:.4g} to {high:.4g}"
        if a < 0 < b:
            return f"{_away(-a, shown)} left to {_away(b, shown)} right of 1/2"
        side = "left" if b <= 0 else "right"
        near, far = sorted((abs(a), abs(b)))
        return f"{_away(near, shown)} to {_away(far, shown)} {side} of 1/2"


def _away(units: int, shift: int) -> str:
    return chance(math.log(units) - shift * _LOG2) if units else "0"


def place_of(x: int, bits: int) -> int:
    """Return where a point lies, from z in units of 2^-(bits + 1)."""
    return 2 * x - 1 - (1 << bits)


def target_row(ends: tuple[int, ...], j: int, bits: int) -> int:
    """Return the cell that holds the threshold j of the grid."""
    place = 2 * (j - 1) - (1 << bits)
    return next(row for row, end in enumerate(ends[1:]) if place < end or end == ends[-1])


def log_mass(a: int, b: int, known: Crowd, bits: int) -> float:
    """Return the log of a crowd's mass between two places, a < b."""
    spread = math.log(b - a) - (bits + 1) * _LOG2
    if not known.b:
        return spread
    inside = _log_window(*_overlap(a, b, known, bits), known, bits)
    outside = spread + math.log(known.rest) if known.rest else -math.inf
    return float(np.logaddexp(outside, inside))


def _overlap(a: int, b: int, known: Crowd, bits: int) -> tuple[int, int]:
    reach = known.reach_on(bits)
    return max(a, -reach), min(b, reach)


def _log_window(low: int, high: int, known: Crowd, bits: int) -> float:
    if high <= low:
        return -math.inf
    reach = known.reach_on(bits)
    return math.log(known.mass) + math.log(high - low) - math.log(2 * reach)


@dataclass(frozen=True)
class Density(Weighing):
    """Pick s with density proportional to R(ds) exp(-eps * mistakes(s) / 2).

    Between two neighbouring points of the sample every threshold makes the same mistakes, so that
    m + 1 cells are chosen from, in O(m log m), and s then drawn from R on the cell. It is CH11's
    A_1r without a net: R must be known, kappa need not be.

    Attributes
    ----------
    reference : Reference
        R.
    """

    reference: Reference = UNIFORM

    name = "density"
    title = "Density learner"
    source = Source("ours", "CH11, Figure 2, without a net")
    summary = (
        "Draws a threshold with a density proportional to exp(-ε · mistakes / 2) times that of "
        "the reference, a distribution fixed before the data. It protects whole examples."
    )
    derivation = (
        r"This is the exponential mechanism with the reference as its measure. One replaced example changes "
        r"the number of mistakes of every threshold by at most 1. So the density before normalisation changes "
        r"by a factor of at most $e^{\varepsilon/2}$, and so does its integral: $\varepsilon$-DP."
        "\n\n"
        r"Between two neighbouring points of the sample all thresholds make equally many mistakes. So one of "
        r"$m+1$ cells is drawn, with its probability under the reference times "
        r"$e^{-\varepsilon\,\mathrm{mistakes}/2}$, and then a threshold in it from the reference. That is the "
        r"same distribution, without a net. $\square$"
    )
    guess_within = {"window": 2.0}
    counted = False
    enumerated = (
        "Outputs are the cells between the points of the tiny domain: within a cell the density is "
        "the same on every sample up to a factor."
    )

    def known(self, bits: int, alpha: float) -> Crowd:
        """Return the reference as a crowd, for points of so many bits: drawn ones have more than b."""
        b = bits - FINE if bits > FINE else bits
        return Crowd(self.reference.bits(b), Window().mass(alpha))

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the cells between the points, as heavy as the reference says, in O(m log m)."""
        cells, known = Cells.of(sample), self.known(sample.d, at.alpha)
        masses = cells.log_masses(known)
        return Groups(
            mistakes=cells.mistakes,
            logs=masses,
            member=lambda row, coins: Cut(cells.draw(row, known, coins), sample.d),
            name=lambda row, _: cells.name(row),
            members=lambda row: chance(float(masses[row])),
            target=lambda j: target_row(cells.ends, j, sample.d),
            words="The score of a threshold is its number of mistakes on the sample. Between neighbouring points it "
            f"is constant: {len(cells.mistakes):,} cells to compare; the weight of a cell includes its probability "
            "under the reference.",
            what="thresholds",
        )

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every cell between points of a tiny domain."""
        size = sample.domain_size
        known = self.known(sample.d, at.alpha)
        places = [-size, *range(1 - size, size, 2), size]
        fine = Cells(tuple(places), np.zeros(size + 1, dtype=np.int64), sample.d)
        cells = Cells.of(sample)
        row = np.searchsorted(np.array(cells.ends), np.array(places[:-1]), side="right") - 1
        rate = self.score_rate(at.epsilon)
        weights = fine.log_masses(known) - rate * cells.mistakes[row]
        return dict(enumerate(probabilities(weights).tolist(), start=1))

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return the guess for the bits that the reference does not know."""
        hidden = [b - self.reference.bits(b) for b in setting.d.ravel().tolist()]
        return super().initial_guess(
            distribution, replace(setting, d=np.array(hidden).reshape(setting.d.shape))
        )

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over simulated samples."""
        return density_law(distribution, setting, self.reference, self.score_rate)
