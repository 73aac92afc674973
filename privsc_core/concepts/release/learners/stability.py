"""The stability histogram: no dependence on d, at the price of delta."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from privsc_core.concepts.contracts import Cell, Source
from privsc_core.concepts.release.distributions import Hard, Release, entries, spare
from privsc_core.concepts.release.laws import joint, laplace_cell, log_half_sum
from privsc_core.concepts.release.learners.mechanism import (
    Mechanism,
    database,
    noised,
    tally,
    tell_release,
)
from privsc_core.concepts.shared.laws import exact_log
from privsc_core.concepts.shared.variants import WithSlack
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.text import small

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution, Estimate, Setting
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


@dataclass(frozen=True)
class Stability(WithSlack, Mechanism):
    """Noise Lap(2 / eps) on the seen counts only; release those above a threshold.

    Parameters
    ----------
    delta : float
        The privacy slack, in (0, 1/2).

    Notes
    -----
    (eps, delta)-DP: replacing one entry changes two counts by one. Where a point is seen on
    both sides its noise costs e^(eps/2). Where it is seen on one side only its count is 1, and
    it appears with probability Pr[1 + Lap(2 / eps) > t] = delta; if not, both sides look alike
    there. When both points are of that kind (an entry that is the only one of its value
    becomes another such), the two appearances are on different sides, so that delta is not
    paid twice; it is then paid in full.
    """

    delta: float = 1e-6

    name = "stability"
    title = "Stability histogram"
    source = Source("ours", "the histogram of Korolova, Kenthapadi, Mishra, Ntoulas 2009")
    summary = (
        "Adds noise Lap(2/ε) to the counts of the points that occur and releases the noisy counts above 1 + (2/ε) "
        "ln(1/(2δ)). The size d does not matter."
    )
    derivation = (
        r"A replaced entry changes two counts by 1. A point that is seen on both sides has noise "
        r"$\mathrm{Lap}(2/\varepsilon)$ and costs $e^{\varepsilon/2}$. A point that is seen on one side only "
        r"has count 1 there, and appears with probability $\Pr[1+\mathrm{Lap}(2/\varepsilon) > t] = \delta$. "
        r"If it does not appear, both sides look alike there. When both points are of that kind, the two "
        r"appearances are on different sides, so $\delta$ is not paid twice. $\square$"
    )
    privacy = "approximate"
    efficient = True
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    enumerated = (
        "Released counts are rounded down to whole numbers; finer counts can need a larger δ."
    )
    unmoved = {"": {"d": "only values that occur are counted"}}
    caveat = (
        "(ε, δ)-private with δ > 0, so lower bounds for pure privacy do not apply to it. A count near the threshold "
        "is released as 0 with probability about 1/2. Where δ is set to 0, this mechanism uses its own default, 10⁻⁶."
    )

    def at(self, delta: float) -> Self:
        """Return the mechanism for a privacy slack; at 0, which it cannot have, itself."""
        return super().at(delta) if delta > 0.0 else self

    def threshold(self, epsilon: float) -> float:
        """Return the count above which a seen point is released.

        Raises
        ------
        InputError
            For a delta outside (0, 1/2).
        """
        return 1.0 + 2.0 / epsilon * _log_half_inverse(self.delta)

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Release the noisy counts of the seen points; O(m) time at any d."""
        seen, least = tally(sample), self.threshold(at.epsilon)
        noise = rng.laplace(0.0, 2.0 / at.epsilon, size=len(seen)).tolist()
        noisy = {point: n + y for (point, n), y in zip(seen.items(), noise, strict=True)}
        kept = {point: value for point, value in noisy.items() if value > least}
        if recorder is not None:
            recorder.step(
                "The noise",
                f"Laplace noise of mean absolute size {2.0 / at.epsilon:.3g} (2/ε) is added to the counts that are "
                "not 0. The other counts stay 0, so d does not matter.",
                noised(recorder, seen, list(noisy.values()), least),
            )
            recorder.step(
                "The threshold",
                f"Counts up to {least:,.4g} = 1 + (2/ε) ln(1/(2δ)) are released as 0: a point with only one entry "
                f"appears with probability δ = {small(self.delta)}.",
            )
        found = Release.of(sample.d, sample.size, kept)
        tell_release(recorder, found)
        return found

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Release noisy counts above a threshold, which here are whole."""
        kept = noise.stable(tally(sample), delta=self.delta)
        return Release.of(sample.d, sample.size, dict(sorted(kept.items())))

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the joint law of the released counts of all points, in bins."""
        seen, least, m = tally(sample), self.threshold(at.epsilon), sample.size
        edges = [least, *(e for e in range(1, m + 1) if e > least)]
        absent = {0.0: 1.0, **dict.fromkeys(edges, 0.0)}
        points = range(1, sample.domain_size + 1)
        return joint(
            [
                laplace_cell(seen[j], edges, 0.5 * at.epsilon) if j in seen else absent
                for j in points
            ]
        )

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return half of it: few bins have noise."""
        return 0.5 * super().initial_guess(distribution, setting)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law: a product over the values that occur."""
        alpha, rate = setting.alpha, 0.5 * setting.epsilon
        least, up = self._least(setting), rate * alpha * setting.m
        total = np.zeros(())
        for count in database(distribution).heights(setting.m, alpha):
            lost = rate * (least - count)
            seen = np.where(
                count >= entries(1, alpha, setting.m), _log_heavy(up, lost), _log_light(up, lost)
            )
            total = total + np.where(count > 0, seen, 0.0)
        return exact_log(total, setting)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Return whether success never falls as m grows: not on `hard`.

        On `single` the one count m is heavy; the more, the less it is lost.
        """
        return not isinstance(distribution, Hard)

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since on `hard` what is not rare is released too often at a larger epsilon, and falls with alpha.
        """
        plain = wanted not in {"alpha", "epsilon"} or not isinstance(distribution, Hard)
        return plain and super().eases(distribution, wanted)

    def at_best(
        self, distribution: Distribution, wanted: Demand
    ) -> Callable[[Setting, Setting], Estimate] | None:
        """Return the law with every count as high as it may be where it is heavy, else as low."""
        if self.eases(distribution, wanted):
            return super().at_best(distribution, wanted)
        target = database(distribution)

        def most(hard: Setting, easy: Setting) -> Estimate:
            up = 0.5 * easy.epsilon * easy.alpha * easy.m
            total = np.zeros(())
            for here, there in zip(
                *(target.heights(s.m, s.alpha) for s in (hard, easy)), strict=True
            ):
                lost = 0.5 * easy.epsilon * (self._least(easy) - np.maximum(here, there))
                kept = 0.5 * hard.epsilon * (self._least(hard) - np.minimum(here, there))
                heavy = there >= entries(1, easy.alpha, easy.m)
                seen = np.where(heavy, _log_heavy(up, lost), _log_light(up, np.maximum(kept, lost)))
                total = total + np.where(np.minimum(here, there) > 0, seen, 0.0)
            return exact_log(total, easy)

        return most

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return what success is at least, and at most, from m = first.m to last.m.

        On `hard` the two counts never fall: 3 alpha <= 1, so a further entry goes to one of them.
        The rare count is heavy, and its factor never falls. The rest may be light: then it is
        released, and too large, if its noise reaches both alpha m, which grows, and what it needs
        to be released, which shrinks as the count grows; so each side of the factor takes the two
        from opposite ends. Or it may be heavy, which is the smaller factor for the same m: the
        lower side takes it as heavy wherever it may be, which is for alpha <= 1/4, and the upper
        side as light wherever it may be, which is until spare >= 1.
        """
        if self.monotone(distribution, first.alpha):
            return super().span(distribution, first, last)
        alpha, rate, least = first.alpha, 0.5 * first.epsilon, self._least(first)
        target = database(distribution)
        (rare_a, rest_a), (rare_b, rest_b) = (target.heights(s.m, alpha) for s in (first, last))
        up_a, up_b = rate * alpha * first.m, rate * alpha * last.m
        lost_a, lost_b = rate * (least - rest_a), rate * (least - rest_b)
        may = 4 * decimal(alpha) <= 1
        low = _log_heavy(up_a, lost_a) if may else _log_light(up_a, lost_b)
        high = np.where(rest_a > 0, _log_light(up_b, lost_a), 0.0)
        if may:
            high = np.where(spare(alpha, first.m) >= 1, _log_heavy(up_b, lost_b), high)
        return (
            exact_log(low + _log_heavy(up_a, rate * (least - rare_a)), first),
            exact_log(high + _log_heavy(up_b, rate * (least - rare_b)), last),
        )

    def _least(self, setting: Setting) -> NDArray[np.float64]:
        """Return the threshold, at the privacy slack of the setting or its own."""
        scale = 2.0 / setting.epsilon
        return np.asarray(1.0 + _log_half_inverse(setting.delta or self.delta) * scale)


def _log_heavy(up: NDArray[np.float64], lost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log of the chance that a count of at least alpha m is right: |noise| < up, not lost."""
    return _log_between(np.maximum(-up, lost), up)


def _log_light(up: NDArray[np.float64], lost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log of the chance that a count below alpha m is right: lost, or noise < up."""
    return np.asarray(np.log1p(-0.5 * np.exp(-np.maximum(up, lost))))


def _log_between(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log Pr[low < L < high] for the standard Laplace law, high > 0; -inf if low >= high."""
    above = 0.5 * np.exp(-high)
    narrow = 0.5 * np.exp(-np.maximum(low, 0.0)) - above
    with np.errstate(divide="ignore"):
        return np.where(
            low > 0.0, np.log(np.maximum(narrow, 0.0)), log_half_sum(high, -np.minimum(low, 0.0))
        )


def _log_half_inverse(delta: float) -> float:
    """Return log(1 / (2 delta)), or refuse the delta."""
    if not 0.0 < delta < 0.5:
        raise InputError("delta", "must be in (0, 0.5) for stability", delta)
    return -math.log(2.0 * delta)
