"""The proper private learner: the exponential mechanism over all p^2 lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.contracts import Estimate, Learner, Setting, Source, TinyInstance
from privsc_core.concepts.line.bundles import Bundles
from privsc_core.concepts.line.distributions import Mixture
from privsc_core.concepts.line.hypotheses import Line
from privsc_core.concepts.line.laws import by_profile
from privsc_core.concepts.line.mechanism import law
from privsc_core.concepts.line.plane import LARGEST, MOST, Modulus
from privsc_core.concepts.style import BLUE, Style
from privsc_core.concepts.trace import choice
from privsc_core.errors import InputError
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.coins import Coins
    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Choice, Recorder

__all__ = ["Exponential"]


@dataclass(frozen=True)
class Exponential(Learner):
    """Pick a line with probability proportional to exp(-eps * mistakes / 2)."""

    modulus: Modulus = LARGEST

    name: ClassVar[str] = "exponential"
    title: ClassVar[str] = "Exponential mechanism"
    source: ClassVar[Source] = Source("BBKN13", "Theorem 3.2, over all lines")
    summary: ClassVar[str] = (
        "Picks every one of the p² lines with probability proportional to exp(-ε · mistakes / 2)."
    )
    privacy: ClassVar[Privacy] = "pure"
    proper: ClassVar[bool] = True
    efficient: ClassVar[bool] = True
    laws: ClassVar[Mapping[str, Method]] = {
        "spread": "rao-blackwell", "anchor": "exact", "pair": "rao-blackwell",
        "mixture": "rao-blackwell",
    }  # fmt: skip
    foretold: ClassVar[Mapping[str, float]] = {"spread": 2.0, "pair": 2.0}
    tiny: ClassVar[TinyInstance] = TinyInstance(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric: ClassVar[bool] = True
    record_keys: ClassVar[tuple[str, ...]] = ("a", "b")
    style: ClassVar[Style] = BLUE

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def run(
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
        recorder: Recorder | None = None,
    ) -> Hypothesis:
        """Draw a bundle of lines that the sample cannot tell apart, then one of them."""
        del alpha, beta
        bundles = Bundles.of(sample, self.modulus.plane(sample.d))
        weights = bundles.log_weights(self.score_rate(epsilon))
        pick, best = draw(weights, rng)
        if recorder is not None:
            recorder.mechanism(
                _choice_of_lines(recorder, sample, bundles, weights, best, pick),
                "The score of a line is its number of mistakes on the sample. Lines that pass the "
                "same points of it make the same.",
                epsilon=epsilon,
            )
        return Line(bundles.plane, *bundles.line(pick, rng))

    def release(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, coins: Coins
    ) -> Hypothesis:
        """Draw a bundle of lines, then one of them."""
        del epsilon, alpha, beta
        bundles = Bundles.of(sample, self.modulus.plane(sample.d))
        pick = coins.exponential((-bundles.gains).tolist(), bundles.sizes)
        return Line(bundles.plane, *bundles.line(pick, coins))

    def check_shown(self, *, d: int, alpha: float, beta: float) -> None:
        """Refuse a p that is not looked for."""
        del alpha, beta
        if self.modulus.bits(d) > MOST:
            raise InputError("d", f"must be at most {MOST} to run on lines", d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every line, all of them gone through."""
        del alpha, beta, public
        plane = self.modulus.plane(sample.d)
        positive, negative = sample.tallies()
        gains = []
        for number in range(plane.p * plane.p):
            line = Line(plane, *divmod(number, plane.p))
            hits = np.array([line.predict(x) for x in sample.points])
            gains.append(float(hits @ (positive - negative)))
        shares = probabilities(self.score_rate(epsilon) * np.array(gains))
        return dict(enumerate(shares.tolist(), 1))

    def roughly(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return it for p^2 lines; a p that is given may have far fewer bits than d."""
        bits = np.full_like(setting.d, self.modulus.bits(0)) if self.modulus.given else setting.d
        setting = replace(setting, d=2 * bits)
        return super().roughly(distribution, setting)

    def idle(self, distribution: Distribution | None = None) -> dict[str, str]:
        """Return what cannot change `success`; alpha neither where wrong lines err on half or more.

        One that crosses the target errs on kappa + (1 - 2 kappa) / p, a parallel on more than kappa.
        """
        found = super().idle(distribution)
        if isinstance(distribution, Mixture) and 2.0 * distribution.k >= 1.0:
            found["alpha"] = "at κ ≥ 1/2 every wrong line errs on at least half of the points"
        return found

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on two points and for large p, else over simulated counts."""
        if distribution.name not in self.laws:
            raise InputError(
                "distribution", f"must be one of {', '.join(self.laws)}", distribution.label
            )
        return by_profile(distribution, setting, law)


def _choice_of_lines(
    recorder: Recorder,
    sample: Sample,
    bundles: Bundles,
    weights: NDArray[np.float64],
    best: NDArray[np.float64],
    drawn: int,
) -> Choice:
    plane, lines = bundles.plane, len(bundles.lines)
    bits = plane.p.bit_length()
    rows = [row for row, size in enumerate(bundles.sizes) if size]

    def name(row: int) -> str:
        bundle = rows[row]
        if bundle < lines:
            a, b = bundles.lines[bundle]
            return f"y = {whole(a, bits)} x + {whole(b, bits)}"
        if bundle < len(bundles.sizes) - 1:
            return f"through {recorder.name_of(plane.code(*bundles.places[bundle - lines]))} alone"
        return "through no point of the sample"

    target = None
    if recorder.target is not None:
        target = rows.index(bundles.passing(*divmod(recorder.target - 1, plane.p)))
    positives = int(sample.labels.sum())
    return choice(
        name=name,
        members=lambda row: whole(bundles.sizes[rows[row]], 2 * bits),
        scores=(positives - bundles.gains[rows]).astype(np.float64),
        log_weights=weights[rows], best=best[rows], drawn=rows.index(drawn), target=target,
        what="lines",
    )  # fmt: skip
