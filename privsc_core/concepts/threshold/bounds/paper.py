"""The paper's guarantees for the exponential mechanism over a net, and with constants of ours."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.inequalities import SEARCH_LIMIT
from privsc_core.concepts.threshold.bounds.lower import log_kappa
from privsc_core.concepts.threshold.net import Net
from privsc_core.numerics.decimals import ceiling, decimal
from privsc_core.numerics.search import least_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Constants, Learner

__all__ = ["Theorem8", "Theorem8Ours", "Theorem9", "Theorem9Ours", "Theorem27"]

_SHORT = 1000  # bits of a whole number that is a float


def _log_net(b: int, alpha: float) -> float:
    """Return log |G|, G the net of ceil(2 kappa / alpha) thresholds."""
    if b > _SHORT:
        return log_kappa(b) + math.log(2.0) - math.log(alpha)
    return math.log(Net.of(b, alpha).size)


class _OfNet(Bound):
    """What both share."""

    kind = "upper"
    constants: ClassVar[Constants] = "paper"
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

    chernoff: ClassVar[float] = 400.0
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
            self.chernoff / at.alpha * (math.log(4.0) + log_net + rare),
            3.09 / at.alpha * (math.log(4.0) + rare),
            40.0 / (3.0 * at.epsilon * at.alpha) * (math.log(2.0) + log_net + rare),
        )


class Theorem9Ours(Theorem9):
    """The same with 200 for 400."""

    chernoff = 200.0
    constants = "sharp"
    headline = False
    name = "theorem-9-ours"
    title = "Theorem 9, our constant"
    legend = "Guaranteed: exponential mechanism over a net"
    source = Source("ours", "CH11, Theorem 9, with the constant that its proof allows")
    statement = Theorem9.statement.replace("400", "200")
    derivation = (
        "As for Theorem 9: $G$ has a threshold of error at most $\\alpha/4$, which makes at most "
        "$\\frac34\\alpha m$ mistakes except with probability $e^{-\\alpha m/3.09}$. A threshold of error "
        "above $\\alpha$ makes fewer than $\\frac{9}{10}\\alpha m$ with probability at most "
        "$e^{-(1/10)^2\\alpha m/2} = e^{-\\alpha m/200}$ by Chernoff, where the paper has 400. The "
        "mechanism then prefers one of them with probability at most "
        "$|G|\\,e^{-3\\alpha\\varepsilon m/40}$. $\\square$"
    )


class Theorem8(_OfNet):
    """m >= max(32 log(4 |G| / beta) / alpha^2, 8 log(2 |G| / beta) / (eps alpha))."""

    hoeffding: ClassVar[float] = 32.0
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
            self.hoeffding / at.alpha**2 * (math.log(4.0) + log_net + rare),
            8.0 / (at.epsilon * at.alpha) * (math.log(2.0) + log_net + rare),
        )


class Theorem8Ours(Theorem8):
    """The same with 8 for 32."""

    hoeffding = 8.0
    constants = "sharp"
    name = "theorem-8-ours"
    title = "Theorem 8, our constant"
    legend = "Guaranteed: exponential mechanism over a net, whatever the labels are"
    source = Source("ours", "CH11, Theorem 8, with the constant that its proof allows")
    statement = Theorem8.statement.replace("32", "8")
    derivation = (
        "For an error of at most $\\alpha$ above the best threshold's, whatever the labels are. By "
        "Hoeffding the shares of mistakes on the sample are within $\\alpha/4$ of the errors of all of "
        "$G$, except with probability $2|G|\\,e^{-\\alpha^2 m/8} \\le \\beta/2$, where the paper has "
        "$\\alpha/8$ and 32: that is $\\alpha/4$ for the output, and $\\alpha/4$ for the best of $G$. The "
        "mechanism loses at most $\\alpha/4$ with probability $1 - \\beta/2$, and the net "
        "$\\alpha/4$. $\\square$"
    )


class Theorem27(Bound):
    """The least m with ((sqrt(e) + sqrt(e + 4 A)) / 2)^2 <= alpha, for private labels.

    e = (8 log(2e m) + 4 log(16 / beta)) / m and A = alpha / 4 + 2 log(2 |G| / beta) / (eps m). Both
    fall as m grows: the derivative of the first has the sign of 8 - 8 log(2e m) - 4 log(16 / beta),
    below 0 from m = 1 on. So the least m that does is the least from which on all do.
    """

    name = "theorem-27"
    title = "Theorem 27"
    legend = "Guaranteed: every g-th cut, labels private, Theorem 27"
    source = Source("CH11", "Theorem 27 for a right concept, constants of its proof")
    without = ("d", "delta")
    kind = "upper"
    constants = "paper"
    adjacency = "label"
    statement = (
        r"\Bigl(\tfrac12\sqrt{e_m}+\tfrac12\sqrt{e_m+4A}\Bigr)^2 \le \alpha,\quad "
        r"e_m = \frac{8\log(2em)+4\log\frac{16}{\beta}}{m},\; "
        r"A = \frac{\alpha}{4}+\frac{2}{\varepsilon m}\log\frac{2|G|}{\beta},\; "
        r"|G| = \Bigl\lceil\frac{4}{\alpha}\Bigr\rceil"
    )
    derivation = (
        "The candidates are within $\\alpha m/4$ mistakes of every threshold, and there are at most "
        "$\\lceil 4/\\alpha\\rceil$ of them. The mechanism loses at most "
        "$\\frac2\\varepsilon\\log\\frac{2|G|}{\\beta}$ mistakes more with probability "
        "$1-\\beta/2$. So the share of mistakes of its output is at most $A$, as the target makes "
        "none. With probability $1-\\beta/2$ every threshold of error $x$ has a share of mistakes of "
        "at least $x - \\sqrt{x\\,e_m}$, for VC dimension 1. Both together: "
        "$x \\le \\sqrt{x\\,e_m} + A$, and solving for $\\sqrt x$ gives the claim. $\\square$\n\n"
        "No κ: the points are public, and their own ranks are the net. The paper states it up to a "
        "constant, for labels that no concept need fit."
    )
    applies_to = "CH11's A₂, every g-th cut, on every distribution without atoms"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "ranks-coarse"

    def least(self, at: Cell) -> BoundValue:
        """Return the least m that satisfies the inequality."""
        rare = -math.log(at.beta)
        cuts = math.log(2.0) + math.log(ceiling(4 / decimal(at.alpha))) + rare

        def room(m: NDArray[np.int64]) -> NDArray[np.float64]:
            size = m.astype(np.float64)
            spread = (8.0 * (1.0 + np.log(2.0 * size)) + 4.0 * (math.log(16.0) + rare)) / size
            share = 0.25 * at.alpha + 2.0 * cuts / (at.epsilon * size)
            worst = 0.25 * (np.sqrt(spread) + np.sqrt(spread + 4.0 * share)) ** 2
            return np.asarray(math.log(at.alpha) - np.log(worst))

        guess = (16.0 * rare + 200.0 + 4.0 * cuts / at.epsilon) / at.alpha
        found = least_integer(room, guess=guess, limit=SEARCH_LIMIT)
        if found is None:
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e} samples: not searched further")
        return BoundValue(found)
