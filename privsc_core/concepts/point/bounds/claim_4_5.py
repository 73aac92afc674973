"""The boosted noise learner with the constants of the proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.point.learners.noise_boosted import (
    run_count,
    run_samples,
    selection_samples,
)

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Constants, Kind, Learner

__all__ = ["Claim45"]


@dataclass(frozen=True)
class Claim45(Bound):
    """N runs of ceil(384 ln 4 / (eps (alpha/8)^2)) samples and a selection."""

    name: ClassVar[str] = "claim-4.5"
    title: ClassVar[str] = "Claim 4.5"
    source: ClassVar[Source] = Source("BBKN13", "Claim 4.5, as in the proof")
    kind: ClassVar[Kind] = "upper"
    constants: ClassVar[Constants] = "paper"
    statement: ClassVar[str] = (
        r"m = N \Bigl\lceil \frac{384\,\ln 4}{\varepsilon(\alpha/8)^2}\Bigr\rceil + \Bigl\lceil \frac{24\,\ln(3/\beta^2)}{\varepsilon\alpha}\Bigr\rceil,\quad N = \lceil \log_{5/4}(5/\beta)\rceil"
    )
    derivation: ClassVar[str] = (
        "$N$ independent runs at accuracy $\\alpha/8$, each good with probability above $1/5$, "
        "and an exponential-mechanism choice on a fresh sample. The proof's failure "
        "probability is $\\beta/5 + \\beta^2/3 + N\\beta^2/3 + N\\beta^6/27$ once the selection "
        "has $24\\ln(3/\\beta^2)/(\\varepsilon\\alpha)$ samples (the text later writes $3/\\beta$: "
        "a slip).\n\n"
        "Valid where that is at most $\\beta$ (it is at 0.01, 0.05 and 0.1, and fails from "
        "about 0.14), for $\\varepsilon < 1$ and $\\alpha < 1/2$. It holds for every "
        "distribution and has no $d$; that the constant is huge is part of the story."
    )
    applies_to: ClassVar[str] = "the boosted noise learner"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "noise-boosted"

    def samples(
        self, *, d: int, epsilon: float, alpha: float, beta: float, delta: float = 0.0
    ) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        del d, delta
        if epsilon >= 1.0:
            return BoundValue(None, "the proof needs epsilon < 1")
        if alpha >= 0.5:
            return BoundValue(None, "the proof needs alpha < 1/2")
        runs = run_count(beta)
        failure = beta / 5 + beta**2 / 3 + runs * beta**2 / 3 + runs * beta**6 / 27
        if failure > beta:
            return BoundValue(
                None, f"the proof's failure probability {failure:.3g} exceeds beta = {beta:g}"
            )
        return BoundValue(
            runs * run_samples(epsilon, alpha) + selection_samples(epsilon, alpha, beta)
        )
