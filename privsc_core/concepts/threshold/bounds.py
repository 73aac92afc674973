"""The bounds for thresholds on [0, 1]."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.generic.packing import HALFWAY
from privsc_core.concepts.generic.rate import RateBound
from privsc_core.concepts.generic.search import CountBound, SearchBound
from privsc_core.concepts.interval.bounds import guesses
from privsc_core.concepts.shared.boxes import Boxes
from privsc_core.concepts.shared.inequalities import (
    SEARCH_LIMIT,
    halfway_limit,
    log_odds,
    log_tail,
)
from privsc_core.concepts.threshold.distributions import UNIFORM, Around, Reference
from privsc_core.concepts.threshold.laws import Net
from privsc_core.numerics.binomial import binomial_window
from privsc_core.numerics.decimals import ceiling, decimal
from privsc_core.numerics.logspace import each
from privsc_core.numerics.search import least_integer

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Distribution, Learner, Setting


# --- The lower bounds for thresholds on [0, 1] ---------------------------------------------------


_LOG2 = math.log(2.0)
_COUNTED = 36.0  # log of so many targets: above, a float does not tell one more


def log_kappa(b: int) -> float:
    """Return log kappa."""
    return b * _LOG2


PAIR_PROOF = (
    "No hypothesis is accurate for both. The two samples have the same points, and differ in the labels of the $K$ "
    "points that fall between the targets. By label privacy a set of outputs with probability $p$ on one sample has "
    "at least $e^{-\\varepsilon K} p$ on the other. So the average success $\\bar p$ given $K$ satisfies $\\bar "
    "p\\,(1+e^{-\\varepsilon K}) \\le 1$. Average over $K$. $\\square$\n\nIt holds for every distribution without "
    "atoms, for learners that know it, proper or not."
)


class Pair(CountBound):
    """E[1 / (1 + e^{-eps K})] >= 1 - beta for K ~ Bin(m, 2 alpha)."""

    name = "pair"
    title = "Two targets, labels private"
    legend = "Impossible even if only labels are private and the distribution is known"
    source = Source(
        "ours",
        "the packing argument with two targets",
        "CH11, lower bounds for learners that protect only the labels",
    )
    without = ("d", "delta")
    kind = "lower"
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,2\alpha)}\Bigl[\frac{1}{1+e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
    derivation = (
        "Take the target in the middle, and one with mass just over $2\\alpha$ between them; there is "
        f"one for $\\alpha < 1/4$. {PAIR_PROOF}"
    )
    applies_to = (
        "every learner, proper or not, that protects at least the labels with pure privacy, even "
        "if it knows the distribution"
    )
    applies_briefly = "every learner with purely private labels"
    whom = Whom(privacy=("pure", "label"))
    adjacency = "label"
    proved_on: ClassVar[tuple[str, ...]] = ("window", "uniform")
    # Above, only targets that are easier than the one in the middle can be a pair.
    alpha_below: ClassVar[float] = 0.25
    validity = "for α < 1/4"

    def guess(self, at: Cell) -> float:
        """Return where eps K is about 1."""
        return 1.0 / (2.0 * at.alpha * min(at.epsilon, 1.0))

    def note(self, at: Cell) -> str:
        """Return that nothing is said where no target is that far from the one in the middle."""
        return f"says nothing: needs {self.validity[4:]}" if at.alpha >= self.alpha_below else ""

    def differing(self, setting: Setting) -> tuple[NDArray[np.float64], float, bool]:
        """Return one rival, and the mass between both."""
        mass = float(2 * decimal(setting.alpha))
        return np.zeros(()), min(mass, 1.0), setting.alpha >= self.alpha_below


class _Blind(Bound):
    """What bounds share for learners that are fully private and do not know where the crowd is."""

    kind = "lower"
    applies_to = (
        "every proper ε-DP learner that protects whole examples and does not know the distribution"
    )
    applies_briefly = "every proper ε-DP learner for unknown distributions"

    def binds(self, learner: Learner) -> bool:
        """Return whether the bound speaks about this learner."""
        known: Reference = getattr(learner, "reference", UNIFORM)
        return learner.proper and learner.privacy == "pure" and not known.told


@dataclass(frozen=True, slots=True)
class _Width:
    """An interval of the packing: log of the rivals, and the mass where samples may differ."""

    log_rivals: float
    mass: float


@lru_cache(maxsize=4096)
def _mass(alpha: float, v: float) -> float:
    """Return the mass where samples may differ, for an interval of length v."""
    lam = 2 * decimal(alpha)
    return float(lam + (1 - lam) * decimal(v))


def _best_width(b: int, alpha: float, epsilon: float, beta: float) -> _Width | None:
    """Return the v that excludes most, judged by where (n - 1) E[e^{-eps K}] is (1-beta)/beta."""
    return _best_widths(((b, epsilon),), alpha, beta)[0]


# Both packing bounds ask for the same ones.
@lru_cache(maxsize=512)
def _best_widths(
    cells: tuple[tuple[int, float], ...], alpha: float, beta: float
) -> tuple[_Width | None, ...]:
    """Return the best v at every b and epsilon: a table of all that are tried tells which they are."""
    lam = 2 * decimal(alpha)
    share, spare = float(lam), max(-log_odds(beta), 0.0)
    # The best v is at least lam / (b + spare): there a smaller one loses more targets than mass.
    tried = [8 + math.ceil(4.0 * math.log2((b + 1 + spare) / share)) for b, _ in cells]
    v = np.array([2.0 ** (-0.25 * i) for i in range(1, max(tried) + 1)])
    bits = np.array([b for b, _ in cells])[:, None]
    fall = np.expm1([-epsilon for _, epsilon in cells])[:, None]
    window = share / (np.exp2(np.minimum(bits, 1000)) - 1.0 + share)
    spans = _LOG2 * bits + (np.log(v) - math.log(share))
    rates = -np.log1p((share + (1.0 - share) * v) * fall)
    told = (v <= 1.0 - window) & (spans > 1e-12) & (np.arange(v.size) < np.array(tried)[:, None])
    # There are no more rivals than e^span.
    most = np.where(told, (spans + spare) / rates, -math.inf)
    tops = most.argmax(axis=1)
    found: list[_Width | None] = []
    for row, top in enumerate(tops.tolist()):
        if most[row, top] == -math.inf:
            found.append(None)
            continue
        which, log_rivals = top, float(spans[row, top])
        if log_rivals < _COUNTED:
            b = cells[row][0]
            which, log_rivals = _counted(b, lam, v, most[row], spans[row], rates[row], spare)
        found.append(_Width(log_rivals, _mass(alpha, float(v[which]))))
    return tuple(found)


def _counted(
    b: int,
    lam: Fraction,
    v: NDArray[np.float64],
    most: NDArray[np.float64],
    spans: NDArray[np.float64],
    rates: NDArray[np.float64],
    spare: float,
) -> tuple[int, float]:
    """Return which v is best and its log of rivals, where n can be told from the quotient v kappa / lam.

    Those that may be best are counted, most promising first.
    """
    best, top, log_best = -math.inf, 0, 0.0
    for i in np.argsort(-most, kind="stable").tolist():
        if most[i] < best * (1.0 - 1e-9) or most[i] == -math.inf:
            break
        log_rivals = float(spans[i])
        if log_rivals < _COUNTED:
            log_rivals = math.log(ceiling(decimal(float(v[i])) * (1 << b) / lam) - 1)
        score = (log_rivals + spare) / rates[i]
        # Of equals the widest.
        if score > best or (score == best and i < top):
            best, top, log_best = score, i, log_rivals
    return top, log_best


class Packing(_Blind, CountBound):
    """E[1 / (1 + (n-1) e^{-eps K})] >= 1 - beta, K ~ Bin(m, p), for the best interval."""

    name = "packing"
    title = "Packing bound"
    legend = (
        "Impossible for every proper ε-DP learner that does not know the distribution, by the "
        "simple packing bound"
    )
    thin = True
    source = Source("ours", "sharpens CH11, Theorem 5")
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,p)}\Bigl[\frac{1}{1+(n-1)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta,"
        r"\qquad p = 2\alpha+(1-2\alpha)v,\; n = \Bigl\lceil \frac{v\kappa}{2\alpha} \Bigr\rceil"
    )
    derivation = (
        "Let the window have mass $\\lambda = 2\\alpha$. A threshold is then accurate only within $\\alpha/\\kappa$ "
        "of the target. So $n$ targets in an interval of length $v$, spaced by just over $2\\alpha/\\kappa$, have "
        "disjoint sets of good thresholds; their windows may overlap.\n\n"
        "Draw which examples come from the window, and the points of all others, for all targets alike. Uniform "
        "points outside the interval have the same label under all targets. Points inside the interval, and points "
        "of the windows, may differ in label or place. So samples differ in at most $K \\sim \\mathrm{Bin}(m, "
        "\\lambda+(1-\\lambda)v)$ examples. As for points, privacy gives $\\bar p\\,(1+(n-1)e^{-\\varepsilon K}) "
        "\\le 1$ for the average over the targets; average over $K$. $\\square$\n\n"
        "The bound grows like $\\log\\kappa/(\\varepsilon\\alpha)$; the theorem of the paper lacks the $1/\\alpha$. "
        "The bound is about this window, with the target anywhere in the interval. It does not bind a learner that "
        "knows where the window is.\n\n"
        "The number is for the best $v$ of a grid of powers of $2^{1/4}$, judged by where "
        "$(n-1)\\,\\mathbb{E}\\,e^{-\\varepsilon K}$ falls below $(1-\\beta)/\\beta$ or 1. Every $v$ gives a valid "
        "bound."
    )
    validity = "for α < 1/2, where two targets fit"
    proved_on = ("window",)
    packs = True

    def boxes(self, at: Cell) -> Boxes | None:
        """Return the sets of good answers of the targets."""
        width = self._width(at.d, at.alpha, at.epsilon, at.beta)
        if width is None:
            return None
        tail = log_tail(at.beta)
        return Boxes(
            log_rivals=width.log_rivals, share=width.mass,
            counts=lambda m: binomial_window(m, width.mass, tail),
            law=f"K ~ Bin(m, {width.mass:.4g})", one="threshold", many="thresholds",
            way_out=(
                "The argument does not apply to a learner that protects only labels (the noisy "
                "count), nor to one that knows the distribution (the density learner with the "
                "distribution as its reference)."
            ),
        )  # fmt: skip

    def reaches(self, distribution: Distribution, _at: Cell) -> bool:
        """Return whether the window has the mass that the bound speaks of."""
        return isinstance(distribution, Around) and distribution.hard

    def guess(self, at: Cell) -> float:
        """Return where rivals * e^{-eps mass m} is 1."""
        width = self._width(at.d, at.alpha, at.epsilon, at.beta)
        return max(width.log_rivals, 1.0) / (at.epsilon * width.mass) if width else 1.0

    def note(self, at: Cell) -> str:
        """Return that nothing is said where no two targets fit."""
        silent = self._width(at.d, at.alpha, at.epsilon, at.beta) is None
        return f"says nothing at b = {at.d}: no two targets fit" if silent else ""

    @staticmethod
    def _width(b: int, alpha: float, epsilon: float, beta: float) -> _Width | None:
        return _best_width(b, alpha, epsilon, beta) if alpha < 0.5 else None

    def differing(
        self, setting: Setting
    ) -> tuple[NDArray[np.float64], float | NDArray[np.float64], NDArray[np.bool_]]:
        """Return the rivals and the mass of the best width."""
        bits, losses = np.broadcast_arrays(setting.d, setting.epsilon)
        cells = tuple(zip(bits.ravel().tolist(), losses.ravel().tolist(), strict=True))
        widths: tuple[_Width | None, ...] = (None,) * len(cells)
        if setting.alpha < 0.5:
            widths = _best_widths(cells, setting.alpha, setting.beta)
        said = np.array([width is not None for width in widths]).reshape(bits.shape)
        rivals, mass = np.array(
            [(width.log_rivals, width.mass) if width else (0.0, 0.5) for width in widths]
        ).T.reshape(2, *bits.shape)
        return rivals, mass.item() if mass.size == 1 else mass, ~said


class PackingTwo(Packing):
    """E[1 - max_t 1 / (e^{eps t} + e^{eps (K-t)} / (n-1))] >= 1 - beta, K ~ Bin(m, p)."""

    name = "packing-two"
    title = "Packing bound, halfway"
    legend = "Impossible for every proper ε-DP learner that does not know the distribution"
    shaded = True
    thin = False
    source = Source("ours", "sharpens the packing bound; we know of no reference")
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,p)}\Bigl[1-\max_{0 \le t \le K}"
        r"\frac{1}{e^{\varepsilon t}+e^{\varepsilon (K-t)}/(n-1)}\Bigr] \ge 1-\beta,"
        r"\qquad p = 2\alpha+(1-2\alpha)v,\; n = \Bigl\lceil \frac{v\kappa}{2\alpha} \Bigr\rceil"
    )
    derivation = (
        "The setting of the packing bound, with the same interval: $n$ targets with disjoint "
        "sets of good thresholds. The samples $S_i$ agree in which examples come from the "
        "window, in their places in it, and in all other points; they differ in at most $K$ "
        "examples.\n\n"
        f"{HALFWAY}"
    )
    mean = staticmethod(halfway_limit)

    def boxes(self, at: Cell) -> Boxes | None:
        """Return the sets of good answers of the targets, to be held against halfway databases."""
        found = super().boxes(at)
        return found and replace(found, halfway=True)


class Theorem5(_Blind):
    """m <= (1/eps) log(kappa / 3 - 5/3) is impossible."""

    name = "theorem-5"
    without = ("alpha", "beta", "delta")
    title = "Theorem 5"
    shaded = True
    source = Source("CH11", "Theorem 5")
    statement = r"m > \frac{1}{\varepsilon}\,\log\Bigl(\frac{\kappa}{3}-\frac{5}{3}\Bigr)"
    derivation = (
        "The window has mass ½. Disjoint windows give $\\lfloor 1/\\eta \\rfloor - 2$ targets, $\\eta$ their "
        "spacing, whose samples differ in all $m$ examples; more than $\\beta$ would then be left to the wrong "
        "ones.\n\n"
        "The proof ends with “$m \\ge M$” in place of $m \\le M$, and $1/\\eta - 2$ should be $\\lfloor 1/\\eta "
        "\\rfloor - 2 \\ge 1/\\eta - 3$. Neither changes the theorem."
    )
    validity = "for κ > 8, α ≤ 1/5 and β < 1/2"
    shown_on = ("window",)

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        if at.alpha > 0.2 or at.beta >= 0.5:
            return BoundValue(None, "needs alpha <= 1/5 and beta < 1/2")
        if at.d <= 3:
            return BoundValue(None, "needs kappa > 8")
        if at.d < 50:
            log_count = math.log(((1 << at.d) - 5) / 3)
        else:
            log_count = log_kappa(at.d) - math.log(3.0)
        return BoundValue(math.floor(log_count / at.epsilon * (1.0 + 1e-14)) + 1)


# --- The bound for every fully private learner, proper or not, that serves every smooth crowd ----


class LittlestoneEntropy(guesses.LittlestoneEntropy):
    """That of the page Intervals at d = b, by entropy: a hypothesis may split a cell."""

    name = "littlestone-entropy"
    title = "Littlestone bound"
    legend = (
        "Impossible for every ε-DP learner, proper or not, that learns on every κ-smooth "
        "distribution"
    )
    thin = False
    source = Source("ours", "FX14, Theorems 2.5 and 3.1, Corollary 4.3, in cells of [0, 1]")
    applies_to = (
        "every ε-DP learner, proper or not, that protects whole examples and learns on "
        "every κ-smooth distribution"
    )
    applies_briefly = "every ε-DP learner for all κ-smooth distributions"
    shown_on = ("window",)
    derivation = (
        "Cut $[0,1]$ into $2^b = \\kappa$ cells and spread every point of $\\mathrm{INTERVAL}_b$ evenly over its "
        "cell. Distributions on the points become $\\kappa$-smooth, and a learner for these learns "
        "$\\mathrm{INTERVAL}_b$. A hypothesis may label only part of a cell 1. Replace it by its value at a random "
        "point of the cell: the error is the same on average, so $\\gamma$ does not change. So the proof of the "
        "bound by entropy, which stands on the page of thresholds on $2^d$ points, goes through with $d = b$. The "
        "sharper bound on that page does not carry over. In its proof a hypothesis is right or wrong at a point; but "
        "on half a cell it is half wrong under both labels.\n\n"
        "No finite number of examples suffices for every κ. A learner need not fail on the window; it fails on some "
        "κ-smooth distribution."
    )

    def binds(self, learner: Learner) -> bool:
        """Return whether the bound speaks about this learner."""
        known: Reference = getattr(learner, "reference", UNIFORM)
        return learner.privacy == "pure" and not known.told


# -------------------------------------------------------------------------------------------------
# The paper's guarantees for the exponential mechanism over a net, and with constants of ours.


_SHORT = 1000  # bits of a whole number that is a float


def _log_net(b: int, alpha: float) -> float:
    """Return log |G|, G the net of ceil(2 kappa / alpha) thresholds."""
    if b > _SHORT:
        return log_kappa(b) + math.log(2.0) - math.log(alpha)
    return math.log(Net.of(b, alpha).size)


class _OfNet(Bound):
    """What both share."""

    kind = "upper"
    applies_to = "the exponential mechanism over the net of ⌈2κ/α⌉ thresholds, on every κ-smooth distribution"
    whom = Whom("net")
    only_on = "κ-smooth distributions"

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
    shaded = True
    source = Source("CH11", "Theorem 9, constants of its proof, corrected")
    statement = (
        r"m \ge \frac{1}{\alpha}\max\Bigl\{400\log\frac{4|G|}{\beta},\; 3.09\log\frac{4}{\beta},\;"
        r"\frac{40}{3\varepsilon}\log\frac{2|G|}{\beta}\Bigr\},\qquad |G| = \Bigl\lceil\frac{2\kappa}{\alpha}\Bigr\rceil"
    )
    derivation = (
        "$G$ has a threshold of error at most $\\alpha/4$, as $D$ is κ-smooth. By Chernoff it "
        "makes at most $\\frac34\\alpha m$ mistakes except with probability $e^{-\\alpha "
        "m/3.09}$. A threshold of error above $\\alpha$ makes fewer than $\\frac{9}{10}\\alpha "
        "m$ with probability at most $e^{-\\alpha m/400}$ ($e^{-\\alpha m/200}$ is true as "
        "well). The mechanism then "
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
    shaded = False
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
        "For an error of at most $\\alpha$ above the best threshold's, whatever the labels are. "
        "By Hoeffding the shares of mistakes on the sample are within $\\alpha/8$ of the errors "
        "of all of $G$, except with probability $2|G|\\,e^{-\\alpha^2 m/32} \\le \\beta/2$. "
        "Within $\\alpha/4$ would suffice, with 8 in place of 32. The mechanism loses at most "
        "$\\alpha/4$ more with "
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
    name = "theorem-8-ours"
    title = "Theorem 8, our constant"
    legend = "Guaranteed: exponential mechanism over a net, whatever the labels are"
    source = Source("ours", "CH11, Theorem 8, with the constant that its proof allows")
    statement = Theorem8.statement.replace("32", "8")
    derivation = (
        "For an error of at most $\\alpha$ above the best threshold's, whatever the labels are. By Hoeffding the "
        "shares of mistakes on the sample are within $\\alpha/4$ of the errors of all of $G$, except with "
        "probability $2|G|\\,e^{-\\alpha^2 m/8} \\le \\beta/2$. (The paper has $\\alpha/8$ and 32.) This adds "
        "$\\alpha/4$ to the error for the output, and $\\alpha/4$ for the best threshold of $G$. The mechanism loses "
        "at most $\\alpha/4$ with probability $1 - \\beta/2$, and the net $\\alpha/4$. $\\square$"
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
    adjacency = "label"
    statement = (
        r"\Bigl(\tfrac12\sqrt{e_m}+\tfrac12\sqrt{e_m+4A}\Bigr)^2 \le \alpha,\quad "
        r"e_m = \frac{8\log(2em)+4\log\frac{16}{\beta}}{m},\; "
        r"A = \frac{\alpha}{4}+\frac{2}{\varepsilon m}\log\frac{2|G|}{\beta},\; "
        r"|G| = \Bigl\lceil\frac{4}{\alpha}\Bigr\rceil"
    )
    derivation = (
        "The candidates are within $\\alpha m/4$ mistakes of every threshold, and there are at most $\\lceil "
        "4/\\alpha\\rceil$ of them. The mechanism loses at most $\\frac2\\varepsilon\\log\\frac{2|G|}{\\beta}$ "
        "mistakes more with probability $1-\\beta/2$. So the share of mistakes of its output is at most $A$, as the "
        "target makes none. With probability $1-\\beta/2$ every threshold of error $x$ has a share of mistakes of at "
        "least $x - \\sqrt{x\\,e_m}$, for VC dimension 1. Both together: $x \\le \\sqrt{x\\,e_m} + A$, and solving "
        "for $\\sqrt x$ gives the claim. $\\square$\n\n"
        "The bound does not contain κ: the points are public, and their ranks serve as the net. The paper states the "
        "bound up to a constant, for arbitrary labels."
    )
    applies_to = (
        "CH11's A₂, every g-th cut, on every distribution without atoms (points of positive mass)"
    )
    whom = Whom("ranks-coarse")
    only_on = "distributions without atoms (points of positive mass)"

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
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e}: not searched further")
        return BoundValue(found)


# --- The upper bounds for thresholds on [0, 1] ---------------------------------------------------


_AT_INFINITY, _STEPS = 1.5936, 6  # the bound is flat where it is least


class NoisyCount(RateBound):
    """(1 - alpha (1 - e^{-eps}))^m <= beta, on every distribution without atoms."""

    name = "noisy-count"
    title = "Noisy count"
    legend = "Guaranteed: noisy count, labels private"
    source = Source(
        "ours", "the learner's exact law", "CH11, privacy of the labels alone; GRS09, the noise"
    )
    without = ("d", "delta")
    kind = "upper"
    adjacency = "label"
    statement = r"\bigl(1-\alpha(1-e^{-\varepsilon})\bigr)^m \le \beta"
    derivation = (
        "Noise $i \\ge 0$ puts the threshold at the $(i+1)$-st example to the right of the target: it is accurate "
        "iff $i+1$ examples lie within mass $\\alpha$ to the right. With noise $-i$ it is accurate iff $i$ examples "
        "lie within $\\alpha$ to the left. Where both sides have more mass than $\\alpha$ both numbers are "
        "distributed as $J \\sim \\mathrm{Bin}(m, \\alpha)$. With $q = e^{-\\varepsilon}$, $\\Pr[0 \\le i < J] + "
        "\\Pr[-J \\le i < 0] = \\frac{1-q^J}{1+q} + \\frac{q-q^{J+1}}{1+q} = 1-q^J$, and $\\mathbb{E}\\,q^J = "
        "(1-\\alpha(1-q))^m$: exact. Where a side has less mass, the learner succeeds more often. $\\square$\n\n"
        "The number does not depend on κ, and the distribution need not be known. So **hiding only the labels "
        "costs a constant factor.**"
    )
    applies_to = "the noisy count, on every distribution without atoms (points of positive mass)"
    whom = Whom("noisy-count")
    only_on = "distributions without atoms (points of positive mass)"

    def log_failure(self, _d: int, _alpha: float) -> float:
        """Return the log of the factor, 1."""
        return 0.0

    def rate(self, epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """Return -log of what each example leaves of the failure."""
        return np.asarray(-np.log1p(alpha * np.expm1(-epsilon)))


@dataclass(frozen=True)
class Density(SearchBound):
    """The least failure over alpha', for every target and every smooth distribution.

    Attributes
    ----------
    reference : Reference
        What the learner knows.
    """

    reference: Reference = UNIFORM

    name = "density"
    title = "Density learner"
    legend = "Guaranteed: density learner"
    shaded = True
    source = Source(
        "ours",
        "Cauchy and Schwarz on either side of the target",
        "CH11, the exponential mechanism over a net",
    )
    kind = "upper"
    statement = (
        r"\min_{0<\alpha'\le\alpha} \kappa\,\frac{\varrho(\alpha-\alpha')^{m+1}-\varrho(\alpha)^{m+1}}"
        r"{\alpha'^2\,(m+1)\,t} \le \beta,\qquad \varrho(x)=1-xt,\; t = 1-e^{-\varepsilon/2}"
    )
    derivation = (
        "Compare an inaccurate $s$ with the accurate thresholds on its own side of $z$. An accurate threshold of "
        "error $x$ makes fewer mistakes: the difference is the number of examples between the two, $\\mathrm{Bin}(m, "
        "e-x)$, where $e > \\alpha$ is the error of $s$. So with $G$ the $R$-mass of those of error up to "
        "$\\alpha'$, the chance that $s$ is drawn is at most $\\mathbb{E}\\bigl[w_s / \\int w_g\\, R(dg)\\bigr] \\le "
        "G^{-2} \\int \\varrho(e-x)^m R(dg)$, by Cauchy and Schwarz. $D$ is κ-smooth for $R$: the $R$-mass within "
        "error $x$ is at least $x/\\kappa$, and integrating over both gives the claim. $\\square$\n\n"
        "The bound holds for every target and every $D$ that is κ-smooth for $R$. With $R = D$ the integral has no "
        "κ, and is smaller:\n\n"
        "$$\\frac{2\\,[\\varrho(\\alpha-\\alpha')^{m+2}-\\varrho(\\alpha)^{m+2}]}{\\alpha'^2\\,(m+1)(m+2)\\,t^2}$$\n\n"
        "Of the reference only $k = b - r$ matters: κ is $2^k$."
    )
    applies_to = "the density learner, on every κ-smooth distribution (at most κ times as dense as the learner's reference)"
    whom = Whom("density")
    only_on = "κ-smooth distributions (at most κ times as dense as the learner's reference)"

    def guess(self, at: Cell) -> float:
        """Return where kappa rho(alpha)^m is beta, and a little more."""
        rate = -math.log1p(at.alpha * math.expm1(-0.5 * at.epsilon))
        return (self._log_kappa(at.d) + 8.0 - math.log(at.beta)) / rate

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is promised."""
        return np.asarray(0.0 - np.expm1(self._log_failure(setting)))

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the failure that is not exceeded."""
        return np.exp(self._log_failure(setting))

    def _log_kappa(self, b: int) -> float:
        return log_kappa(b - self.reference.bits(b))

    def _log_failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the log of the least failure over alpha', cut at 0."""
        size, t, logs = (
            np.broadcast_to(column, setting.shape).astype(np.float64)
            for column in (
                setting.m, -np.expm1(-0.5 * setting.epsilon), each(self._log_kappa, setting.d)
            )
        )  # fmt: skip

        best = _best_near(size, t, logs, setting.alpha)
        return np.asarray(np.minimum(_log_bound(best, size, t, logs, setting.alpha), 0.0))


def _best_near(
    m: NDArray[np.float64], t: NDArray[np.float64], logs: NDArray[np.float64], alpha: float
) -> NDArray[np.float64]:
    """Return the best alpha'.

    The bound is a multiple of ((1 + y)^P - 1) / y^2, y = alpha' t / rho(alpha), which is convex:
    P / y plus powers of y. It is least where P y / (1 + y) is 2 (1 - (1 + y)^-P): in w = P log(1 + y)
    that is one root, from 1.59 at P = infinity up to 3.01 at P = 3, and Newton's steps reach it.
    """
    power = m + np.where(logs > 0.0, 1.0, 2.0)
    w = np.full(power.shape, _AT_INFINITY)
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(_STEPS):
            over = -power * np.expm1(-w / power) + 2.0 * np.expm1(-w)
            w -= over / (np.exp(-w / power) - 2.0 * np.exp(-w))
        near = np.expm1(w / power) * (1.0 - alpha * t) / t
    # With P = 2 it falls for ever.
    return np.where(power > 2.0, np.minimum(near, alpha), alpha)


def _log_bound(
    near: NDArray[np.float64],
    m: NDArray[np.float64],
    t: NDArray[np.float64],
    logs: NDArray[np.float64],
    alpha: float,
) -> NDArray[np.float64]:
    """Return the log of the failure by alpha' = `near`; with kappa = 1 by the sharper form."""
    better, worse = np.log1p(-(alpha - near) * t), np.log1p(-alpha * t)
    power = m + np.where(logs > 0.0, 1.0, 2.0)
    rise = power * better + np.log(-np.expm1(power * (worse - better)))
    rise -= 2.0 * np.log(near) + np.log((m + 1.0) * t)
    sharper = rise + math.log(2.0) - np.log((m + 2.0) * t)
    return np.asarray(np.where(logs > 0.0, rise + logs, sharper))


def bounds_of(reference: Reference) -> tuple[Bound, ...]:
    """Return the bounds, for learners that know a reference."""
    return (
        Pair(), Packing(), PackingTwo(), LittlestoneEntropy(), Theorem5(), Density(reference),
        NoisyCount(), Theorem8Ours(), Theorem9Ours(), Theorem8(), Theorem9(), Theorem27(),
    )  # fmt: skip
