"""The lower bounds for thresholds on [0, 1]."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.boxes import Boxes
from privsc_core.concepts.contracts import Bound, BoundValue, Source
from privsc_core.concepts.extremes import log_tail
from privsc_core.concepts.generic.packing import HALFWAY
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.inequalities import (
    halfway_failure,
    halfway_limit,
    log_odds,
    packing_failure,
    packing_limit,
)
from privsc_core.concepts.threshold.distributions import Around
from privsc_core.concepts.threshold.reference import UNIFORM, Reference
from privsc_core.numerics.binomial_windows import binomial_window
from privsc_core.numerics.decimals import ceiling, decimal

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Distribution, Learner, Setting

    Limit = Callable[..., NDArray[np.float64]]

__all__ = ["Packing", "PackingTwo", "Pair", "Theorem5", "log_kappa"]

_LOG2 = math.log(2.0)
_COUNTED = 36.0  # log of so many targets: above, a float does not tell one more


def log_kappa(b: int) -> float:
    """Return log kappa."""
    return b * _LOG2


PAIR_PROOF = (
    "No hypothesis is accurate for both. The two samples have the same points, and differ in the "
    "labels of the $K$ points that fall between the targets. By privacy for labels, what has "
    "probability $p$ on one sample has at least $e^{-\\varepsilon K} p$ on the other, so that the "
    "average success $\\bar p$ given $K$ satisfies $\\bar p\\,(1+e^{-\\varepsilon K}) \\le 1$. "
    "Average over $K$. $\\square$\n\nIt holds for every distribution without atoms, for learners that "
    "know it, proper or not."
)


class Pair(SearchBound):
    """E[1 / (1 + e^{-eps K})] >= 1 - beta for K ~ Bin(m, 2 alpha)."""

    name = "pair"
    title = "Two targets, labels private"
    legend = "Impossible even with labels alone private and the crowd known"
    source = Source("ours", "the packing converse with two targets")
    without = ("d", "delta")
    kind = "lower"
    constants = "sharp"
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,2\alpha)}\Bigl[\frac{1}{1+e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
    derivation = (
        "Take the target in the middle, and one with mass just over $2\\alpha$ between them; there is "
        f"one for $\\alpha < 1/4$. {PAIR_PROOF}"
    )
    applies_to = (
        "every learner that protects labels at least, without a slack δ, proper or not, also one that knows "
        "the distribution"
    )
    adjacency = "label"
    proved_on: ClassVar[tuple[str, ...]] = ("window", "uniform")
    # Above, only targets that are easier than the one in the middle can be a pair.
    alpha_below: ClassVar[float] = 0.25
    validity = "for α < 1/4"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.privacy in {"pure", "label"}

    def guess(self, at: Cell) -> float:
        """Return where eps K is about 1."""
        return 1.0 / (2.0 * at.alpha * min(at.epsilon, 1.0))

    def note(self, at: Cell) -> str:
        """Return that nothing is said where no target is that far from the one in the middle."""
        return f"says nothing: needs {self.validity[4:]}" if at.alpha >= self.alpha_below else ""

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner."""
        return self._mean(setting, packing_limit, np.ones(setting.shape))

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        return self._mean(setting, packing_failure, np.zeros(setting.shape))

    def _mean(
        self,
        setting: Setting,
        of: Callable[..., NDArray[np.float64]],
        silent: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        if setting.alpha >= self.alpha_below:
            return silent
        mass = float(2 * decimal(setting.alpha))
        found = of(setting.m, np.zeros(()), mass, setting.epsilon, setting.log_tail)
        return np.broadcast_to(found, setting.shape)


class _Blind(Bound):
    """What bounds share for learners that are fully private and do not know where the crowd is."""

    kind = "lower"
    applies_to = "every proper, fully ε-DP learner that does not know the crowd"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
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


class Packing(_Blind, SearchBound):
    """E[1 / (1 + (n-1) e^{-eps K})] >= 1 - beta, K ~ Bin(m, p), for the best interval."""

    name = "packing"
    title = "Packing bound"
    legend = (
        "Impossible for every proper, fully ε-DP learner that does not know the crowd, without the "
        "halfway database"
    )
    behind = True
    source = Source("ours", "sharpens CH11, Theorem 5")
    constants = "sharp"
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,p)}\Bigl[\frac{1}{1+(n-1)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta,"
        r"\qquad p = 2\alpha+(1-2\alpha)v,\; n = \Bigl\lceil \frac{v\kappa}{2\alpha} \Bigr\rceil"
    )
    derivation = (
        "Let the window have mass $\\lambda = 2\\alpha$. A threshold is then accurate only within "
        "$\\alpha/\\kappa$ of the target, so $n$ targets in an interval of length $v$, spaced by just "
        "over $2\\alpha/\\kappa$, have disjoint sets of good thresholds; their windows may overlap.\n\n"
        "Draw which examples come from the window, and the others' points, and share them. Uniform "
        "points outside the interval have the same label under all targets. Those inside do not, and "
        "neither do points of the windows: so samples differ in at most "
        "$K \\sim \\mathrm{Bin}(m, \\lambda+(1-\\lambda)v)$ examples. As for points, privacy gives "
        "$\\bar p\\,(1+(n-1)e^{-\\varepsilon K}) \\le 1$ for the average over the targets; average "
        "over $K$. $\\square$\n\n"
        "It grows as $\\log\\kappa/(\\varepsilon\\alpha)$: the paper's theorem lacks the $1/\\alpha$. "
        "It speaks of this window, with the target anywhere in the interval; whoever knows where the "
        "crowd is, is not bound.\n\n"
        "Reported for the best $v$ of a grid of powers of $2^{1/4}$, judged by where "
        "$(n-1)\\,\\mathbb{E}\\,e^{-\\varepsilon K}$ falls below $(1-\\beta)/\\beta$ or 1; every $v$ "
        "is a valid bound."
    )
    validity = "for α < 1/2, where two targets fit"
    proved_on = ("window",)
    packs = True
    limits: ClassVar[tuple[Limit, Limit]] = (packing_limit, packing_failure)

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
                "Who protects labels alone leaves this argument, and so does who knows where the "
                "crowd is: the noisy count, and the density learner with the crowd for its reference."
            ),
        )  # fmt: skip

    def reaches(self, distribution: Distribution, _at: Cell) -> bool:
        """Tell whether the window has the mass that the bound speaks of."""
        return isinstance(distribution, Around) and distribution.hard

    def guess(self, at: Cell) -> float:
        """Return where rivals * e^{-eps mass m} is 1."""
        width = self._width(at.d, at.alpha, at.epsilon, at.beta)
        return max(width.log_rivals, 1.0) / (at.epsilon * width.mass) if width else 1.0

    def note(self, at: Cell) -> str:
        """Return that nothing is said where no two targets fit."""
        silent = self._width(at.d, at.alpha, at.epsilon, at.beta) is None
        return f"says nothing at b = {at.d}: no two targets fit" if silent else ""

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of such a learner, averaged over targets."""
        return self._mean(setting, self.limits[0], 1.0)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the least probability of failure."""
        return self._mean(setting, self.limits[1], 0.0)

    @staticmethod
    def _width(b: int, alpha: float, epsilon: float, beta: float) -> _Width | None:
        return _best_width(b, alpha, epsilon, beta) if alpha < 0.5 else None

    def _mean(
        self, setting: Setting, of: Callable[..., NDArray[np.float64]], silent: float
    ) -> NDArray[np.float64]:
        bits, losses = np.broadcast_arrays(setting.d, setting.epsilon)
        cells = tuple(zip(bits.ravel().tolist(), losses.ravel().tolist(), strict=True))
        widths: tuple[_Width | None, ...] = (None,) * len(cells)
        if setting.alpha < 0.5:
            widths = _best_widths(cells, setting.alpha, setting.beta)
        said = np.array([width is not None for width in widths]).reshape(bits.shape)
        rivals, mass = np.array(
            [(width.log_rivals, width.mass) if width else (0.0, 0.5) for width in widths]
        ).T.reshape(2, *bits.shape)
        share = mass.item() if mass.size == 1 else mass
        found = of(setting.m, rivals, share, losses, setting.log_tail)
        return np.where(said, found, silent)


class PackingTwo(Packing):
    """E[1 - max_t 1 / (e^{eps t} + e^{eps (K-t)} / (n-1))] >= 1 - beta, K ~ Bin(m, p)."""

    name = "packing-two"
    title = "Packing bound, halfway"
    legend = "Impossible for every proper, fully ε-DP learner that does not know the crowd"
    headline = True
    behind = False
    source = Source("ours", "sharpens the packing bound; we know of no reference")
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,p)}\Bigl[1-\max_{0 \le t \le K}"
        r"\frac{1}{e^{\varepsilon t}+e^{\varepsilon (K-t)}/(n-1)}\Bigr] \ge 1-\beta,"
        r"\qquad p = 2\alpha+(1-2\alpha)v,\; n = \Bigl\lceil \frac{v\kappa}{2\alpha} \Bigr\rceil"
    )
    derivation = (
        "The setting of the packing bound, with the same interval: $n$ targets whose sets of good "
        "thresholds are disjoint, and samples $S_i$ that share which examples come from the window, "
        "where in it, and all other points; they differ in $K$ examples at most.\n\n"
        f"{HALFWAY}"
    )
    limits = (halfway_limit, halfway_failure)

    def boxes(self, at: Cell) -> Boxes | None:
        """Return the sets of good answers of the targets, to be held against halfway databases."""
        found = super().boxes(at)
        return found and replace(found, halfway=True)


class Theorem5(_Blind):
    """m <= (1/eps) log(kappa / 3 - 5/3) is impossible."""

    name = "theorem-5"
    without = ("alpha", "beta", "delta")
    title = "Theorem 5"
    headline = True
    source = Source("CH11", "Theorem 5")
    constants = "paper"
    statement = r"m > \frac{1}{\varepsilon}\,\log\Bigl(\frac{\kappa}{3}-\frac{5}{3}\Bigr)"
    derivation = (
        "The window has mass ½. Disjoint windows give $\\lfloor 1/\\eta \\rfloor - 2$ targets, "
        "$\\eta$ their spacing, whose samples differ in all $m$ examples; more than $\\beta$ would "
        "then be left to the wrong ones.\n\n"
        "The proof ends with “$m \\ge M$” for $m \\le M$, and $1/\\eta - 2$ should be "
        "$\\lfloor 1/\\eta \\rfloor - 2 \\ge 1/\\eta - 3$: neither changes the theorem."
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
