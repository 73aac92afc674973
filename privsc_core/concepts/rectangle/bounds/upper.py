"""The upper bound for rectangles."""

from __future__ import annotations

import math

from privsc_core.concepts.generic.mechanism import FiniteClassBound

__all__ = ["FiniteClass"]


class FiniteClass(FiniteClassBound):
    """(T (T+1) / 2)^2 (1 - alpha (1 - e^{-eps/2}))^m <= beta, for every distribution."""

    statement = (
        r"\Bigl(\tfrac{T(T+1)}{2}\Bigr)^2\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    )
    derivation = (
        "A rectangle of error above $\\alpha$ is chosen with probability at most "
        "$\\mathbb{E}\\,e^{-\\varepsilon\\,\\mathrm{mistakes}/2} \\le "
        "(1-\\alpha(1-e^{-\\varepsilon/2}))^m$, as the target makes no mistake. With the empty one there "
        "are $(T(T+1)/2)^2 + 1$ rectangles, $T = 2^d$. $\\square$"
    )
    applies_to = "the exponential mechanism, on every distribution"

    def log_wrong(self, d: int) -> float:
        """Return the log of the number of rectangles other than the target."""
        once = math.log(2.0)
        return 2.0 * (2.0 * d * once + math.log1p(0.5**d) - once)
