"""The paper's guarantees for the exponential mechanism over a net, with constants of its proofs."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.threshold.bounds.lower import log_kappa
from privsc_core.concepts.threshold.net import Net

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Cell, Learner

__all__ = ["Theorem8", "Theorem9"]

_SHORT = 1000  # bits of a whole number that is a float


def _log_net(b: int, alpha: float) -> float:
    """Return log |G|, G the net of ceil(2 kappa / alpha) thresholds."""
    if b > _SHORT:
        return log_kappa(b) + math.log(2.0) - math.log(alpha)
    return math.log(Net.of(b, alpha).size)


class _OfNet(Bound):
    """What both share."""

    kind = "upper"
    constants = "paper"
    applies_to = "the exponential mechanism over the net of ⌈2κ/α⌉ thresholds, on every κ-smooth distribution"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "net"

    @abstractmethod
    def terms(self, at: Cell, log_net: float, /) -> tuple[float, ...]:
        """Return the numbers of samples that the steps of the proof ask for."""

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        return BoundValue(math.ceil(max(self.terms(at, _log_net(at.d, at.alpha)))))


class Theorem9(_OfNet):
    """m >= max(400 log(4 |G| / beta), 3.09 log(4 / beta), 40 log(2 |G| / beta) / (3 eps)) / alpha."""

    name = "theorem-9"
    title = "Theorem 9"
    legend = "Guaranteed: exponential mechanism over a net, Theorem 9"
    headline = True
    source = Source("CH11", "Theorem 9, constants of its proof, corrected")
    statement = (
        r"m \ge \frac{1}{\alpha}\max\Bigl\{400\log\frac{4|G|}{\beta},\; 3.09\log\frac{4}{\beta},\;"
        r"\frac{40}{3\varepsilon}\log\frac{2|G|}{\beta}\Bigr\},\qquad |G| = \Bigl\lceil\frac{2\kappa}{\alpha}\Bigr\rceil"
    )
    derivation = (
        "$G$ has a threshold of error at most $\\alpha/4$, as $D$ is κ-smooth. By Chernoff it makes at "
        "most $\\frac34\\alpha m$ mistakes except with probability $e^{-\\alpha m/3.09}$, and "
        "a threshold of error above $\\alpha$ fewer than $\\frac{9}{10}\\alpha m$ with probability at "
        "most $e^{-\\alpha m/400}$ ($e^{-\\alpha m/200}$ is true as well). The mechanism then "
        "prefers one of them with probability at most $|G|\\,e^{-3\\alpha\\varepsilon m/40}$. "
        "$\\square$\n\n"
        "On the page the number is for the realizable case, with every other term of the proof at its "
        "own share of $\\beta$. For other classes $|G|$ is $(16\\kappa/\\alpha)^{d_U}$, with the "
        "doubling dimension of the reference."
    )

    def terms(self, at: Cell, log_net: float) -> tuple[float, ...]:
        """Return the numbers of samples that the steps of the proof ask for."""
        rare = -math.log(at.beta)
        return (
            400.0 / at.alpha * (math.log(4.0) + log_net + rare),
            3.09 / at.alpha * (math.log(4.0) + rare),
            40.0 / (3.0 * at.epsilon * at.alpha) * (math.log(2.0) + log_net + rare),
        )


class Theorem8(_OfNet):
    """m >= max(32 log(4 |G| / beta) / alpha^2, 8 log(2 |G| / beta) / (eps alpha))."""

    name = "theorem-8"
    title = "Theorem 8"
    legend = "Guaranteed: exponential mechanism over a net, even where no threshold is right"
    source = Source("CH11", "Theorem 8, constants of its proof")
    statement = (
        r"m \ge \max\Bigl\{\frac{32}{\alpha^2}\log\frac{4|G|}{\beta},\;"
        r"\frac{8}{\varepsilon\alpha}\log\frac{2|G|}{\beta}\Bigr\},\qquad |G| = \Bigl\lceil\frac{2\kappa}{\alpha}\Bigr\rceil"
    )
    derivation = (
        "For an error of at most $\\alpha$ above the best threshold's, whatever the labels are. By "
        "Hoeffding the shares of mistakes on the sample are within $\\alpha/8$ of the errors of all of "
        "$G$, except with probability $2|G|\\,e^{-\\alpha^2 m/32} \\le \\beta/2$; within $\\alpha/4$ "
        "would do, and make 8 of the 32. The mechanism loses at most $\\alpha/4$ more with "
        "probability $1 - \\beta/2$, and the net $\\alpha/4$. $\\square$"
    )

    def terms(self, at: Cell, log_net: float) -> tuple[float, ...]:
        """Return the numbers of samples that the steps of the proof ask for."""
        rare = -math.log(at.beta)
        return (
            32.0 / at.alpha**2 * (math.log(4.0) + log_net + rare),
            8.0 / (at.epsilon * at.alpha) * (math.log(2.0) + log_net + rare),
        )
