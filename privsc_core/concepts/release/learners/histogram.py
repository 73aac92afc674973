"""Noisy counts of all 2^d points, released above a public threshold."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from privsc_core.concepts.contracts import Cell, Source
from privsc_core.concepts.release.distributions import Hard, Release, entries, entries_scalar, spare
from privsc_core.concepts.release.laws import all_light, joint, laplace_cell, log_half_sum
from privsc_core.concepts.release.learners.mechanism import (
    Mechanism,
    database,
    noised,
    tally,
    tell_release,
)
from privsc_core.concepts.shared.laws import exact_log
from privsc_core.concepts.shared.noise_source import LISTED_BITS
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.logspace import log_domain_scalar
from privsc_core.numerics.text import chance, raised

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution, Estimate, Setting
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# --- The empty points whose noise passes the threshold, without visiting all 2^d -----------------


# A release of more points than this is of no use; at large d, where one point is
# d bits, fewer are allowed.
SURVIVORS_MOST = 100_000
_BITS_MOST = 10**8
# numpy's binomial sampler is wrong for more than about 2^53 draws.
_BINOMIAL_MOST = 1 << 50


def survivors_most(d: int) -> int:
    """Return how many surviving empty points may be expected before a run is refused."""
    return min(SURVIVORS_MOST, max(_BITS_MOST // d, 1))


def survivor_count(d: int, seen: int, log_chance: float, rng: np.random.Generator) -> int:
    """Draw Bin(2^d - seen, chance), or refuse.

    Whether it refuses depends on d and the chance only, not on the data: a refusal that told
    how many points were seen would not be private. Above 2^50 points the count is Poisson,
    which differs by at most `chance`, here below 10^-10, in total variation.

    Raises
    ------
    InputError
        When more points would be expected than `survivors_most`.
    """
    log_most = math.log(survivors_most(d))
    log_expected = log_domain_scalar(d) + log_chance
    if log_expected > log_most:
        expected = f"{log_expected / math.log(10.0):.1f}"
        requirement = (
            f"must be larger at d = {d}: at most {survivors_most(d)} empty points may be "
            "expected to pass the threshold"
        )
        raise InputError("m", requirement, f"10^{expected} of them")
    if d <= _BINOMIAL_MOST.bit_length() - 1:
        return int(rng.binomial((1 << d) - seen, math.exp(log_chance)))
    return int(rng.poisson(math.exp(log_expected)))


def distinct_points(
    d: int, number: int, taken: Collection[int], rng: np.random.Generator
) -> list[int]:
    """Return `number` distinct uniform points of [2^d] outside `taken`."""
    chosen = set(taken)
    if d < 40 and 1 << d <= 4 * (len(chosen) + number):
        free = np.setdiff1d(np.arange(1, (1 << d) + 1), np.fromiter(chosen, dtype=np.int64))
        return [int(point) for point in rng.choice(free, number, replace=False)]
    found: list[int] = []
    while len(found) < number:
        point = 1 + uniform_below(rng, 1 << d)
        if point not in chosen:
            chosen.add(point)
            found.append(point)
    return found


_Number = TypeVar("_Number", float, "NDArray[np.float64]")


@dataclass(frozen=True)
class Histogram(Mechanism):
    """Add noise to every count; release those that reach a public threshold, the rest as 0.

    Parameters
    ----------
    lost : float
        The probability with which a count of exactly alpha m is lost below the threshold, in
        (0, 1/2]; at the default, 1/2, the threshold is alpha m. A smaller one lowers it, so
        that the mechanism is useful on every database, and lets more empty points through.

    Notes
    -----
    Replacing one entry changes two counts by one. Noise of rate eps / 2 hides each of these
    changes up to e^(eps/2), so the noisy counts are eps-DP, and the threshold looks only at
    them. O(m + survivors) time at any d: the empty points that pass are drawn as a number,
    their values and their positions.
    """

    lost: float = 0.5

    privacy = "pure"
    efficient = True
    reads = ("alpha",)
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)

    def rate(self, epsilon: _Number) -> _Number:
        """Return how fast the noise decays; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    @abstractmethod
    def threshold(self, m: int, *, epsilon: float, alpha: float) -> float:
        """Return the least count that is released."""

    @abstractmethod
    def noisy(
        self, counts: NDArray[np.int64], rate: float, rng: np.random.Generator
    ) -> NDArray[np.floating] | NDArray[np.integer]:
        """Return the counts with noise."""

    @abstractmethod
    def log_survival(self, tau: float, rate: float) -> float:
        """Return the log probability that the noise alone reaches the threshold."""

    @abstractmethod
    def surviving(
        self, tau: float, number: int, rate: float, rng: np.random.Generator
    ) -> NDArray[np.floating] | NDArray[np.integer]:
        """Return noise that reached the threshold."""

    @abstractmethod
    def cell(self, count: int, m: int, tau: float, rate: float) -> dict[float, float]:
        """Return the law of one released count, coarsened to finitely many outcomes."""

    @abstractmethod
    def log_tail(self, setting: Setting) -> NDArray[np.float64]:
        """Return log Pr[noise >= alpha m]."""

    @abstractmethod
    def log_heavy(
        self, count: NDArray[np.int64] | NDArray[np.float64], setting: Setting
    ) -> NDArray[np.float64]:
        """Return the log probability that a count of at least alpha m is released well."""

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Release the noisy counts; refuse where too many empty points would pass.

        Raises
        ------
        InputError
            For an m so small that the release would be a list of empty points.
        """
        seen, rate = tally(sample), self.rate(at.epsilon)
        tau = self.threshold(sample.size, epsilon=at.epsilon, alpha=at.alpha)
        number = survivor_count(sample.d, len(seen), self.log_survival(tau, rate), rng)
        counts = np.fromiter(seen.values(), dtype=np.int64, count=len(seen))
        values = self.noisy(counts, rate, rng).tolist()
        released = {point: v for point, v in zip(seen, values, strict=True) if v >= tau}
        empty = distinct_points(sample.d, number, seen, rng)
        others = self.surviving(tau, number, rate, rng).tolist()
        released |= dict(zip(empty, others, strict=True))
        if recorder is not None:
            recorder.step(
                "The noise",
                f"Independent noise of mean absolute size about {2.0 / at.epsilon:.3g} (2/ε) is "
                f"added to the count of every one of the 2{raised(sample.d)} points: counts that "
                "do not "
                "occur get it too.",
                noised(recorder, seen, values, tau, others),
            )
            recorder.step(
                "The threshold",
                f"Noisy counts below {tau:,.4g} are released as 0. A point without entries passes with probability "
                f"{chance(self.log_survival(tau, rate))}; {number:,} did. Their number, values and places are drawn "
                "without going through all points.",
            )
        found = Release.of(sample.d, sample.size, released)
        tell_release(recorder, found)
        return found

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Release the noisy counts of all points that reach the threshold.

        Raises
        ------
        InputError
            For a domain with too many points to list.
        """
        if sample.d > LISTED_BITS:
            raise InputError(
                "d", f"must be at most {LISTED_BITS} to release by {self.name}", sample.d
            )
        seen, tau = tally(sample), self.threshold(sample.size, epsilon=at.epsilon, alpha=at.alpha)
        noisy = self.noisy_by(noise, [seen.get(j, 0) for j in range(1, sample.domain_size + 1)])
        return Release.of(
            sample.d, sample.size, {j: value for j, value in enumerate(noisy, 1) if value >= tau}
        )

    @abstractmethod
    def noisy_by(self, noise: NoiseSource, counts: list[int]) -> Sequence[float]:
        """Return the counts with noise for a release."""

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the joint law of the released counts of all points, in bins.

        Binning looks only at the release, and the bins are fine enough to show the whole loss.
        """
        seen, rate = tally(sample), self.rate(at.epsilon)
        tau = self.threshold(sample.size, epsilon=at.epsilon, alpha=at.alpha)
        points = range(1, sample.domain_size + 1)
        return joint([self.cell(seen.get(j, 0), sample.size, tau, rate) for j in points])

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law: a product over the points."""
        heights = _rows(database(distribution).heights(setting.m, setting.alpha), setting)
        heavy = heights >= entries(1, setting.alpha, setting.m)
        return exact_log(self._log_law(heights, heavy, setting), setting)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Return whether success never falls as m grows: on `hard`, only for alpha > 1/4.

        Pr[noise >= alpha m] never rises. On `single` the one count m is heavy, and m - ceil(alpha
        m) and (1 - alpha) m never fall. On `hard` the rare count is at least alpha m above the
        threshold: it fails with a probability that only alpha m decides. For alpha > 1/4 the
        rest m - ceil(3 alpha m) is below alpha m always.
        """
        return not isinstance(distribution, Hard) or 4 * decimal(alpha) > 1

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since with alpha the threshold grows, and what is not rare on `hard` falls.
        """
        return wanted != "alpha" and super().eases(distribution, wanted)

    def at_best(
        self, distribution: Distribution, wanted: Demand
    ) -> Callable[[Setting, Setting], Estimate] | None:
        """Return, for alpha, a limit on success: with the noise of the larger, the threshold of the smaller.

        Every count is then as large as it may be. What is heavy at the larger alpha is so at every one
        between, and what is light somewhere is better off than it is where it is heavy.
        """
        if wanted != "alpha":
            return super().at_best(distribution, wanted)
        target = database(distribution)

        def most(hard: Setting, easy: Setting) -> Estimate:
            here, there = (_rows(target.heights(s.m, s.alpha), s) for s in (hard, easy))
            heavy = there >= entries(1, easy.alpha, easy.m)
            low, high = (
                self.threshold(s.m.item(), epsilon=s.epsilon.item(), alpha=s.alpha)
                for s in (hard, easy)
            )
            counts = np.maximum(here, there) + (high - low)
            return exact_log(self._log_law(counts, heavy, easy), easy)

        return most

    @abstractmethod
    def rest(self, setting: Setting) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ends of the rest of `hard` whose distance to the threshold never falls with m."""

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return what success is at least, and at most, from m = first.m to last.m.

        All but one factor never fall (see `monotone`). That of the rest of `hard` does, for
        alpha <= 1/4: it depends on whether the rest reaches alpha m, and on how far it passes the
        threshold. A count that reaches it has the smaller factor, Pr[|noise| < alpha m, not lost]
        <= Pr[noise < alpha m]. At least: as if it reached it, by the least distance that
        `rest` allows, at the first m. At most: as if it did not, at the last m; from spare >= 1
        on it does (`spare`), by at most the largest distance.
        """
        if self.monotone(distribution, first.alpha):
            return super().span(distribution, first, last)
        m = np.stack([np.broadcast_to(s.m, s.shape) for s in (first, last)])
        both = replace(first, m=m)
        rest = np.stack([end[side] for side, end in enumerate(self.rest(both))])
        heavy = np.ones((2, *m.shape), dtype=np.bool_)
        heavy[1, 1] = spare(first.alpha, m[0]) >= 1
        counts = np.stack([entries(3, first.alpha, m), rest])
        log_success = self._log_law(counts, heavy, both)
        return exact_log(log_success[0], first), exact_log(log_success[1], last)

    def falls(self, distribution: Distribution, alpha: float) -> str:
        """Return why success falls short at some m however large, as a clause."""
        if isinstance(distribution, Hard) and 4 * decimal(alpha) == 1:
            return "at every multiple of 4 a count is exactly αm, and the noise loses it too often"
        return ""

    def _log_law(
        self,
        counts: NDArray[np.int64] | NDArray[np.float64],
        heavy: NDArray[np.bool_],
        setting: Setting,
    ) -> NDArray[np.float64]:
        """Return log success for counts of at least alpha m where `heavy`, the points in rows."""
        light = all_light(setting.d, heavy.sum(axis=0), self.log_tail(setting))
        return np.asarray(light + np.where(heavy, self.log_heavy(counts, setting), 0.0).sum(axis=0))


def _rows(heights: tuple[NDArray[np.int64], ...], setting: Setting) -> NDArray[np.int64]:
    """Stack the points' counts along an axis before those of the setting."""
    rows = np.stack(heights)
    more = (1,) * (len(setting.shape) - setting.m.ndim)
    return rows.reshape(len(heights), *more, *setting.m.shape)


# --- The geometric histogram: the Laplace histogram in whole numbers -----------------------------


@dataclass(frozen=True)
class Geometric(Histogram):
    """Two-sided geometric noise of ratio e^(-eps/2) on all counts, threshold ceil(alpha m)."""

    name = "geometric"
    title = "Geometric histogram"
    source = Source("ours", "the noise of Ghosh, Roughgarden, Sundararajan 2009, with a threshold")
    summary = (
        "To the count of every point, adds a whole number k with probability proportional to exp(-ε|k|/2). It "
        "releases the counts that reach αm, and the rest as 0."
    )
    derivation = (
        r"A replaced entry changes two counts by 1. Noise $k$ has probability proportional to "
        r"$e^{-\varepsilon|k|/2}$, so each of the two noisy counts costs $e^{\varepsilon/2}$: "
        r"$\varepsilon$-DP. The noise of the points is independent, and the threshold is public and applied "
        r"afterwards. $\square$"
    )
    caveat = (
        "A count of exactly αm falls below the threshold with probability nearly 1/2, whatever m "
        "is. So for small β no m is enough for every database. The numbers are for the database "
        "that is shown."
    )
    enumerated = (
        "Released counts of m or more are taken as m, which does not hide any privacy loss."
    )

    def threshold(self, m: int, *, epsilon: float, alpha: float) -> int:
        """Return the least count that is released; 0 itself needs no release."""
        rate = np.asarray(self.rate(epsilon))
        return max(entries_scalar(1, alpha, m) - int(self._drop(rate)), 1)

    def noisy(
        self, counts: NDArray[np.int64], rate: float, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the counts with noise: the difference of two geometric numbers."""
        chance = -math.expm1(-rate)
        plus, minus = rng.geometric(chance, size=(2, len(counts)))
        return np.asarray(counts + plus - minus, dtype=np.int64)

    def noisy_by(self, noise: NoiseSource, counts: list[int]) -> Sequence[float]:
        """Return the counts with noise: an entry that is replaced moves two of them by one."""
        return noise.geometric(counts, sensitivity=2)

    def log_survival(self, tau: float, rate: float) -> float:
        """Return the log probability that the noise alone reaches the threshold."""
        return -rate * tau - math.log1p(math.exp(-rate))

    def surviving(
        self, tau: float, number: int, rate: float, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return noise that reached the threshold: from there on it is geometric."""
        steps = rng.geometric(-math.expm1(-rate), size=number) - 1
        return np.asarray(int(tau) + steps, dtype=np.int64)

    def cell(self, count: int, m: int, tau: float, rate: float) -> dict[float, float]:
        """Return the law of one released count; m stands for m and more."""
        edges = [*range(int(tau), max(m, int(tau)) + 1)]
        reach = [_at_least(edge - count, rate) for edge in edges]
        law: dict[float, float] = {0: 1.0 - reach[0]}
        law |= {e: _exactly(e - count, rate) for e in edges[:-1]}
        return law | {edges[-1]: reach[-1]}

    def log_tail(self, setting: Setting) -> NDArray[np.float64]:
        """Return log Pr[noise >= alpha m]."""
        rate = self.rate(setting.epsilon)
        reach = entries(1, setting.alpha, setting.m)
        return np.asarray(-rate * reach - np.log1p(np.exp(-rate)))

    def rest(self, setting: Setting) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ends of the rest of `hard` whose distance to ceil(alpha m) never falls with m.

        It is `spare` or one less, which is what the law looks at; `spare` never falls.
        """
        far = entries(1, setting.alpha, setting.m) + spare(setting.alpha, setting.m)
        return np.asarray(far - 1.0), np.asarray(far, dtype=np.float64)

    def log_heavy(
        self, count: NDArray[np.int64] | NDArray[np.float64], setting: Setting
    ) -> NDArray[np.float64]:
        """Return log Pr[-alpha m < noise < alpha m, noise >= tau - count].

        With k = ceil(alpha m) the noise may fall by less than s = min(k, count - tau + 1), so
        this is 1 - (q^k + q^s) / (1 + q), written without cancellation.
        """
        rate = np.asarray(self.rate(setting.epsilon))
        reach = entries(1, setting.alpha, setting.m)
        tau = np.maximum(reach - self._drop(rate), 1)
        down = np.clip(count - tau, 0, reach - 1)
        q = np.exp(-rate)
        lost = (np.exp(-rate * reach) + q * np.exp(-rate * down)) / (1.0 + q)
        direct = np.log(-np.expm1(-rate * reach) - q * np.expm1(-rate * down)) - np.log1p(q)
        few = lost < 0.5
        return np.where(few, np.log1p(-np.where(few, lost, 0.0)), direct)

    def _drop(self, rate: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how far the threshold is below ceil(alpha m).

        The most with which a count at ceil(alpha m) is lost with probability at least as
        small as stated: q^(drop + 1) / (1 + q) <= lost.
        """
        steps = np.ceil(-np.log(self.lost * (1.0 + np.exp(-rate))) / rate - 1e-12)
        return np.asarray(np.maximum(steps - 1, 0), dtype=np.int64)


def _at_least(value: int, rate: float) -> float:
    """Return Pr[L >= value] for Pr[L = l] = (1 - q) / (1 + q) q^|l|, q = e^-rate."""
    tail = math.exp(-rate * max(value, 1 - value)) / (1.0 + math.exp(-rate))
    return tail if value >= 1 else 1.0 - tail


def _exactly(value: int, rate: float) -> float:
    return math.tanh(0.5 * rate) * math.exp(-rate * abs(value))


# --- The Laplace histogram -----------------------------------------------------------------------


# A few times what a float loses of a number below 1.
_ROUNDING = 1e-15


@dataclass(frozen=True)
class Laplace(Histogram):
    """Noise Lap(2 / eps) on all counts, threshold alpha m.

    Notes
    -----
    The floats that computers draw in place of real noise are not quite private (Mironov
    2012): the numbers shown are those of the real-valued mechanism. The geometric histogram
    has no such gap.
    """

    name = "laplace"
    title = "Laplace histogram"
    source = Source(
        "ours", "the histogram of Dwork, McSherry, Nissim, Smith 2006, with a threshold"
    )
    summary = (
        "Adds noise Lap(2/ε) to the count of every point and releases the counts that reach "
        "αm, the rest as 0."
    )
    derivation = (
        r"A replaced entry changes two counts by 1. Each of the two noisy counts, with noise "
        r"$\mathrm{Lap}(2/\varepsilon)$, costs $e^{\varepsilon/2}$: $\varepsilon$-DP for real-valued noise. "
        r"The threshold is public and applied afterwards. $\square$"
    )
    caveat = (
        "A count of exactly αm falls below the threshold with probability 1/2, whatever m is. So "
        "for small β no m is enough for every database. The numbers are for the database that is "
        "shown."
    )
    enumerated = (
        "Released counts are rounded down to whole numbers, which does not hide any privacy loss."
    )

    def slack(self, epsilon: float) -> float:
        """Return how far the threshold is below alpha m."""
        return -math.log(2.0 * self.lost) / self.rate(epsilon)

    def threshold(self, m: int, *, epsilon: float, alpha: float) -> float:
        """Return the least count that is released."""
        return max(alpha * m - self.slack(epsilon), 0.0)

    def noisy(
        self, counts: NDArray[np.int64], rate: float, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return the counts with noise."""
        return counts + rng.laplace(0.0, 1.0 / rate, size=len(counts))

    def noisy_by(self, noise: NoiseSource, counts: list[int]) -> Sequence[float]:
        """Return the counts with noise: an entry that is replaced moves two of them by one."""
        return noise.laplace(counts, sensitivity=2)

    def log_survival(self, tau: float, rate: float) -> float:
        """Return the log probability that the noise alone reaches the threshold."""
        return -rate * tau - math.log(2.0)

    def surviving(
        self, tau: float, number: int, rate: float, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return noise that reached the threshold: from there on it is exponential."""
        return tau + rng.exponential(1.0 / rate, size=number)

    def cell(self, count: int, m: int, tau: float, rate: float) -> dict[float, float]:
        """Return the law of one released count in bins between whole numbers."""
        return laplace_cell(count, [tau, *(e for e in range(1, m + 1) if e > tau)], rate)

    def log_tail(self, setting: Setting) -> NDArray[np.float64]:
        """Return log Pr[noise >= alpha m]."""
        return np.asarray(-self.rate(setting.epsilon) * setting.alpha * setting.m - math.log(2.0))

    def rest(self, setting: Setting) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ends of the rest of `hard` whose distance to alpha m never falls with m.

        The rest is (1 - 3 alpha) m rounded down. It passes alpha m by at most (1 - 4 alpha) m,
        and by more than that minus 1; and by what is lost as alpha m is rounded.
        """
        far = float(1 - 4 * decimal(setting.alpha)) * setting.m + setting.alpha * setting.m
        rounding = _ROUNDING * setting.m
        return far - 1.0 - rounding, far + rounding

    def log_heavy(
        self, count: NDArray[np.int64] | NDArray[np.float64], setting: Setting
    ) -> NDArray[np.float64]:
        """Return log Pr[-alpha m < noise < alpha m, noise >= tau - count]."""
        rate, reach = self.rate(setting.epsilon), setting.alpha * setting.m
        tau = np.maximum(reach + math.log(2.0 * self.lost) / rate, 0.0)
        up = rate * reach
        down = np.clip(rate * (count - tau), 0.0, up)
        return log_half_sum(up, down)
