"""The learners of thresholds that choose by rank, by a noisy count, or from a net."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Setting, Source
from privsc_core.concepts.shared.choosing import Choosing, Groups
from privsc_core.concepts.shared.inequalities import SEARCH_LIMIT
from privsc_core.concepts.shared.laws import averaged, exact
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.concepts.threshold.distributions import FINE, Cut, Order
from privsc_core.concepts.threshold.laws import Net, weighing_law
from privsc_core.concepts.threshold.learners.erm import ByLabels, Weighing
from privsc_core.concepts.threshold.ranks_coarse import gap, law, log_most, span
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.logspace import probabilities
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource, Uniform
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


@dataclass(frozen=True)
class Ranks(Choosing, ByLabels):
    """CH11's learner for label privacy, with every cut of the sample as a candidate."""

    name = "ranks"
    title = "All cuts (labels private)"
    source = Source("CH11", "Figure 3, with all cuts of the sample for its cover")
    summary = (
        "The exponential mechanism over the m + 1 thresholds at the points of the sample, scored by their mistakes. "
        "It protects only the labels."
    )

    def candidates(self, m: int, alpha: float) -> NDArray[np.int64]:
        """Return how many points lie before each cut."""
        return np.arange(m + 1)

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the cuts, each by itself, in O(m log m)."""
        order = Order.of(sample)
        candidates = self.candidates(order.size, at.alpha)
        return Groups(
            mistakes=order.mistakes(candidates),
            member=lambda row, _: Cut(order.cut(int(candidates[row])), sample.d),
            name=lambda row, _: f"behind {candidates[row]:,} points",
            outputs=lambda row: [order.cut(int(candidates[row]))],
            every=range(1, sample.domain_size + 2),
            words="The points are public. A candidate puts the threshold behind the first k of them; "
            "its score is its number of mistakes.",
            what="cuts",
        )

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over how many points lie left of z.

        With J of m there and q = e^{-eps/2}, cut k has weight q^{|k - J|}, and it is accurate iff
        enough points lie within mass alpha. Summed over k, with r = 1 - 2 alpha (1 - q):
        (1 + q - r^{m-J} - q r^J) / (1 + q - q^{J+1} - q^{m-J+1}).
        """
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        speed = 0.5 * setting.epsilon
        slow = -np.log1p(2.0 * setting.alpha * np.expm1(-speed))
        return averaged(setting, 0.5, (speed, slow), _odds, rate=slow)


def _odds(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    speed: NDArray[np.float64],
    slow: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the odds against success: all terms are differences without cancellation."""
    q = np.exp(-speed)
    missed = np.exp(-slow * right) * -np.expm1(-speed - right * (speed - slow))
    missed = missed + q * np.exp(-slow * left) * -np.expm1(-left * (speed - slow))
    hit = -np.expm1(-slow * right) - q * np.expm1(-slow * left)
    return np.asarray(missed / np.maximum(hit, 1e-300))


# --- CH11's learner for label privacy as it stands there: few cuts, spread evenly over the ranks --


# Up to so many examples `need` tries every m that the formulas of `span` leave open.
SCANNED = 5000


@dataclass(frozen=True)
class RanksCoarse(Ranks):
    """CH11's A_2: candidates at every g-th rank, a packing and a cover at the scale alpha / 4."""

    name = "ranks-coarse"
    title = "A₂: every g-th cut (labels private)"
    source = Source("CH11", "Figure 3")
    summary = (
        "The exponential mechanism over every g-th of the m + 1 cuts between the points of the sample, g = ⌊αm/4⌋ + "
        "1, scored by their mistakes. It protects only the labels."
    )
    reads = ("alpha",)
    caveat = (
        f"Its success falls a little where g grows. Up to about {SCANNED:,} examples, the least m is the smallest "
        "that suffices. For more examples it is one of the places where success crosses 1 - β."
    )
    # So that g is 2, and the candidates are not all cuts.
    tiny = Cell(d=1, m=7, epsilon=1.0, alpha=0.6, beta=0.2)

    def candidates(self, m: int, alpha: float) -> NDArray[np.int64]:
        """Return how many points lie before each cut."""
        return np.arange(0, m + 1, gap(m, decimal(alpha)))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over how many points lie left of z.

        With J of m there and q = e^{-eps/2}, cut k has weight q^{|k - J|}. It is accurate iff of
        the points on its side, m - J or J, each within mass alpha of z with probability 2 alpha,
        more than k - J, at least J - k are.
        """
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        return law(setting)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Return whether success never falls.

        It may, as g grows, or as another cut comes in at k = m.
        """
        return False

    def monotone_at(self, distribution: Distribution, setting: Setting) -> NDArray[np.bool_]:
        """Return where so many examples are needed that they are not tried one by one: see `caveat`."""
        most = log_most(
            replace(setting, m=np.array(SCANNED)), replace(setting, m=np.array(SEARCH_LIMIT))
        )
        return np.broadcast_to(most > math.log(setting.beta), setting.shape)

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return what success is at least, and at most, for every m of an interval."""
        return span(first, last)


# --- The noisy count: privacy for labels at no price but a constant factor -----------------------


@dataclass(frozen=True)
class NoisyCount(ByLabels):
    """Count the positive labels, add geometric noise, and put the cut behind so many points.

    Flipping a label moves the count by one, so two-sided geometric noise Pr[i] proportional to
    e^{-eps |i|} makes the count, and what follows from it and the points, eps-private for labels.
    """

    name = "noisy-count"
    title = "Noisy count (labels private)"
    source = Source(
        "ours",
        "a noisy count among the visible points",
        "CH11, privacy of the labels alone; GRS09, the noise",
    )
    summary = (
        "Counts the examples with label 1, and adds two-sided geometric noise. The threshold is put behind so many "
        "of the sorted points. It protects only the labels."
    )
    derivation = (
        r"The points are public, and only the labels are protected. Flipping one label changes the count by 1. "
        r"Noise $i$ has probability proportional to $e^{-\varepsilon|i|}$, so every noisy count changes by a "
        r"factor of at most $e^{\varepsilon}$; the threshold is computed from it and the points alone."
        "\n\n"
        r"Noise $i \ge 0$ succeeds if and only if more than $i$ points lie within mass $\alpha$ to the right "
        r"of the target, and noise $-i$ if at least $i$ lie within mass $\alpha$ to its left. Both numbers of "
        r"points are $\mathrm{Bin}(m, \alpha)$, so success is exactly $1-(1-\alpha(1-e^{-\varepsilon}))^m$. "
        r"$\square$"
    )

    def rate(self, epsilon: float) -> float:
        """Return by how much each step away from the true count lowers the log probability."""
        return epsilon

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Return the threshold behind a noisy number of points."""
        order = Order.of(sample)
        # The difference of two geometric variables, each an exponential one rounded down.
        up, down = np.floor(rng.standard_exponential(2) / self.rate(at.epsilon)).tolist()
        noise = int(min(max(up - down, -sample.size - 1.0), sample.size + 1.0))
        k = order.positives + noise
        if recorder is not None:
            recorder.step(
                "The count", f"{order.positives:,} of {order.size:,} examples have label 1."
            )
            recorder.step(
                "The noise",
                f"Drawn: {noise:+,}. Two-sided geometric noise: each step away from 0 is e^ε times "
                f"less likely. ε = {at.epsilon:g}. The noisy count is {k:,}.",
            )
            recorder.step(
                "The walk",
                f"The points are public. The threshold is put behind {min(max(k, 0), order.size):,} "
                f"of the {order.size:,} sorted points.",
            )
        return Cut(order.cut(k), sample.d)

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Return the threshold behind a noisy number of points."""
        order = Order.of(sample)
        (k,) = noise.geometric([order.positives], sensitivity=1)
        return Cut(order.cut(k), sample.d)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        order, q = Order.of(sample), math.exp(-self.rate(at.epsilon))
        found: dict[Hashable, float] = dict.fromkeys(range(1, sample.domain_size + 2), 0.0)
        found[order.cut(-1)] += q ** (order.positives + 1) / (1.0 + q)
        for k in range(order.size):
            found[order.cut(k)] += (1.0 - q) / (1.0 + q) * q ** abs(k - order.positives)
        found[order.cut(order.size)] += q ** (order.size - order.positives) / (1.0 + q)
        return found

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return 1 - (1 - alpha (1 - e^{-eps}))^m.

        Noise i >= 0 succeeds iff i + 1 points lie within mass alpha to the right of z, noise -i iff
        i lie within alpha to its left; both numbers are Bin(m, alpha).
        """
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        lost = setting.m * np.log1p(setting.alpha * np.expm1(-setting.epsilon))
        return exact(-np.expm1(lost), setting, np.exp(lost))


# --- The exponential mechanism over a net: CH11's learner for smooth crowds ----------------------


@dataclass(frozen=True)
class OnNet(Weighing):
    """Pick one of N evenly spaced thresholds, by their mistakes.

    N = ceil(2 kappa' / alpha), where kappa' is a guess of kappa. The paper gets it from m, by a
    constant that it does not state.

    Attributes
    ----------
    guess : int or None
        log2 of kappa'; None for b, the truth.
    """

    guess: int | None = None

    name = "net"
    title = "Exponential mechanism over a net"
    source = Source("CH11", "Figure 2")
    summary = (
        "Cuts [0, 1] into 2κ/α parts, and chooses among their middles by the exponential "
        "mechanism. It protects whole examples and must know κ."
    )
    reads = ("d", "alpha")

    def net(self, bits: int, alpha: float) -> Net:
        """Return the net for points of so many bits: drawn ones have more than b."""
        b = bits - FINE if bits > FINE else bits
        return Net.of(b if self.guess is None else self.guess, alpha)

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the thresholds of the net, cut by the points, in O(m log m)."""
        order, net = Order.of(sample), self.net(sample.d, at.alpha)
        places = [0, *(net.before(x, sample.d) for x in order.points), net.size]
        counts = [b - a for a, b in itertools.pairwise(places)]

        def member(row: int, coins: Uniform) -> Hypothesis:
            i = places[row] + 1 + uniform_below(coins, counts[row])
            return Cut(net.cut(i, sample.d), sample.d)

        return Groups(
            mistakes=order.mistakes(np.concatenate(([0], order.until))),
            sizes=counts,
            member=member,
            name=lambda row, _: f"behind {row:,} points",
            members=lambda row: whole(counts[row], sample.d),
            words=f"The net has {whole(net.size, sample.d)} thresholds. Between neighbouring points of "
            "the sample all of them make the same mistakes.",
            what="thresholds of the net",
        )

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every labelling of a tiny domain."""
        order, net = Order.of(sample), self.net(sample.d, at.alpha)
        size = sample.domain_size
        places = [0, *(net.before(x, sample.d) for x in range(1, size + 1)), net.size]
        row = np.searchsorted(np.array(order.points), np.arange(1, size + 1), side="left")
        row = np.append(row, len(order.points))
        mistakes = order.mistakes(np.concatenate(([0], order.until)))[row]
        weights = _logs([b - a for a, b in itertools.pairwise(places)])
        weights = weights - self.score_rate(at.epsilon) * mistakes
        return dict(enumerate(probabilities(weights).tolist(), start=1))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over simulated samples."""
        return weighing_law(
            distribution, setting,
            lambda crowd, b, alpha: self.net(b + FINE, alpha).scale(crowd, alpha), self.score_rate,
        )  # fmt: skip


def _logs(counts: list[int]) -> NDArray[np.float64]:
    return np.array([math.log(count) if count else -math.inf for count in counts])
