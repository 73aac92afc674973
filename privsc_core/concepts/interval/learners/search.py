"""The baseline with a slack: binary search by noisy counts."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Cell, Learner, Source
from privsc_core.concepts.interval.distributions import Hard, Threshold
from privsc_core.concepts.shared.laws import by_d, exact
from privsc_core.concepts.shared.variants import WithSlack
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import binomial_ends
from privsc_core.numerics.tails import gaussian_parameter
from privsc_core.numerics.text import small, whole
from privsc_core.numerics.trinomial import either_fails, product_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder

# Each of d steps handles numbers of d bits.
_BITS_MOST = 4096
_NEGLIGIBLE = 1e-17
# Phi(x / sd)^t is entire. At x + i sd / 2 it is at most some e^3 times as large as at x: there
# -t (log Phi)'' / 8 is about log(t) / 6 where Phi^t turns, and Phi^t goes down where that goes up. So
# its Fourier coefficients at a frequency s fall like e^{-sd s / 2}.
_TURNS = 2.0 * math.pi


@dataclass(frozen=True)
class Search(WithSlack, Learner):
    """Halve the thresholds d + 1 times, each time by a count under Gaussian noise.

    Parameters
    ----------
    delta : float
        The privacy slack, in (0, 1/2).

    Notes
    -----
    The count at x is that of the positives from x on minus that of the negatives up to x; one
    replaced example changes it by at most 2. So d + 1 answers with noise of standard deviation
    2 sqrt(d + 1) / mu together are mu-Gaussian private, adaptive or not, which is exactly
    (eps, delta) for the mu of `gaussian_parameter`.
    """

    delta: float = 1e-6

    name = "search"
    title = "Noisy binary search"
    source = Source(
        "ours",
        "binary search with exact Gaussian composition",
        "Balle and Wang 2018, the exact noise; Dong, Roth and Su 2022, its composition",
    )
    summary = (
        "Halves the set of thresholds d + 1 times. Each time a count with Gaussian noise decides which half is kept. "
        "It needs about √(d log d) examples."
    )
    derivation = (
        r"The count at $x$ is the number of positive examples from $x$ on, minus the number of negative ones "
        r"up to $x$. One replaced example changes it by at most 2. So $d+1$ answers with Gaussian noise of "
        r"standard deviation $2\sqrt{d+1}/\mu$ together are as private as one answer with noise $1/\mu$ on a "
        r"number that changes by 1. It does not matter whether later questions depend on earlier answers. The "
        r"parameter $\mu$ is the one at which this is exactly $(\varepsilon, \delta)$-private. $\square$"
    )
    privacy = "approximate"
    proper = True
    efficient = True
    laws = {"hard": "exact"}
    tiny = Cell(d=2, m=4, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("j",)
    symmetric = True
    caveat = (
        "(ε, δ)-private, for δ > 0 only, so lower bounds for pure privacy do not apply to it. "
        "Real runs up to d = 4096."
    )

    def spread(self, d: int, epsilon: float) -> float:
        """Return the standard deviation of the noise.

        Raises
        ------
        InputError
            For a delta outside (0, 1/2).
        """
        if not 0.0 < self.delta < 0.5:
            raise InputError("delta", "must be in (0, 0.5) for search", self.delta)
        return 2.0 * math.sqrt(d + 1.0) / gaussian_parameter(epsilon, self.delta)

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Search; d + 1 counts by bisection of the sorted sample."""
        d = sample.d
        if d > _BITS_MOST:
            raise InputError("d", f"must be at most {_BITS_MOST} for search to run", d)
        count, spread = _counter(sample), self.spread(d, at.epsilon)
        noise = (spread * rng.standard_normal(d + 1)).tolist()
        low, right = 1, 0
        for level, coin in zip(range(d, -1, -1), noise, strict=True):
            half = 1 << level
            if count(low + half - 1) + coin > 0:
                low, right = low + half, right + 1
        j = min(low, sample.domain_size + 1)
        if recorder is not None:
            recorder.step(
                "The noise",
                f"Every count gets Gaussian noise of standard deviation {spread:,.4g}: "
                f"2√(d + 1)/μ, μ by the exact composition of {d + 1:,} counts at ε = {at.epsilon:g}, "
                f"δ = {small(self.delta)}.",
            )
            recorder.step(
                "The search",
                f"{d + 1:,} times the remaining thresholds are halved. The right half is kept if, noise included, "
                "the positives from the middle on outnumber the negatives before it. The right half was kept "
                f"{right:,} times, and the search ends at {whole(j, d)}.",
            )
        return Threshold(j)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        count, spread = _counter(sample), self.spread(sample.d, at.epsilon)
        last = sample.domain_size + 1
        found: dict[Hashable, float] = dict.fromkeys(range(1, last + 1), 0.0)
        for leaf, chance in _leaves(count, spread, 1, sample.d, 1.0):
            found[min(leaf, last)] += chance
        return found

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law on `hard`: the search must take the one way to the target."""
        if not isinstance(distribution, Hard):
            raise InputError("distribution", "must be hard for search", distribution.name)
        for d in np.unique(setting.d).tolist():
            distribution.check(d=d, alpha=setting.alpha)
        ready = self.at(setting.delta or self.delta)
        return by_d(setting, lambda d, part: ready.on_hard(distribution, d, part))

    def on_hard(self, distribution: Hard, d: int, setting: Setting) -> Estimate:
        """Return the law at one d, with its own slack."""
        ones = (distribution.target(d) - 1).bit_count()
        cells = setting.cells()
        value, failure = np.empty((2, len(cells)))
        for cell, (m, _, epsilon) in enumerate(cells):
            spread = self.spread(d, epsilon)
            least = binomial_ends(m, setting.alpha)[0] if setting.alpha < 0.5 else 0
            if not setting.tiny_beta and (d + 1) * special.ndtr(-least / spread) < _NEGLIGIBLE:
                value[cell], failure[cell] = 1.0, 0.0
                continue
            right_ways, left_ways = (_Ways(times, spread) for times in (ones, d + 1 - ones))
            if setting.tiny_beta:
                ways = right_ways.log, left_ways.log
                lost = either_fails(m, setting.alpha, *ways, setting.log_tail)
                value[cell], failure[cell] = 1.0 - lost, lost
                continue
            value[cell] = product_mean(
                m, setting.alpha, right_ways.chance, left_ways.chance, _TURNS / spread
            )
        missed = failure.reshape(setting.shape) if setting.tiny_beta else None
        return exact(value.reshape(setting.shape), setting, missed)


@dataclass(frozen=True, slots=True)
class _Ways:
    """So many times a count must beat the noise of a spread."""

    times: int
    spread: float

    def log(self, count: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log of the chance that it does."""
        return np.asarray(self.times * special.log_ndtr(count / self.spread))

    def chance(self, count: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance that it does."""
        return np.exp(self.log(count))


def _counter(sample: Sample) -> Callable[[int], int]:
    """Return x -> positives from x on minus negatives up to x."""
    order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
    points = [sample.points[i] for i in order]
    positive, negative = (column[order].tolist() for column in sample.tallies())
    ones, zeros = [0, *accumulate(positive)], [0, *accumulate(negative)]

    def count(x: int) -> int:
        return int(ones[-1] - ones[bisect_left(points, x)] - zeros[bisect_left(points, x + 1)])

    return count


def _leaves(
    count: Callable[[int], int], spread: float, low: int, level: int, chance: float
) -> Iterator[tuple[int, float]]:
    """Yield where the search ends, with the probability of the way there."""
    if level < 0:
        yield low, chance
        return
    half = 1 << level
    right = float(special.ndtr(count(low + half - 1) / spread))
    yield from _leaves(count, spread, low, level - 1, chance * (1.0 - right))
    yield from _leaves(count, spread, low + half, level - 1, chance * right)
