"""The lower bounds for every pure private learner that count bits by entropy (FX14)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import BoundValue, Source
from privsc_core.concepts.inequalities import SEARCH_LIMIT
from privsc_core.concepts.interval.bounds.guesses import log_guess
from privsc_core.concepts.interval.bounds.littlestone import Improper
from privsc_core.concepts.interval.bounds.shares import (
    FEW,
    best_shares,
    least_m,
    littlestone_limit,
    near_guesses,
    over_shares,
    strongest,
    surely_one,
    wide_guesses,
)
from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Setting

__all__ = ["LittlestoneEntropy", "LittlestoneQuarter", "LittlestoneRate"]


class LittlestoneEntropy(Improper):
    """E[min(1, q e^{eps K})] >= 1 - beta for K ~ Bin(m, s), for every s and delta'."""

    name = "littlestone-entropy"
    validity = "for α < 1/2"
    title = "Littlestone bound, by entropy"
    legend = "Impossible for every ε-DP learner, proper or not, by the entropy of messages"
    behind = True
    source = Source("ours", "sharpens FX14, Theorems 2.5 and 3.1, Corollary 4.3")
    constants = "sharp"
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,s)}\bigl[\min(1,\,q\,e^{\varepsilon K})\bigr] \ge 1-\beta"
        r"\quad\text{for all } s, \delta',\qquad q = 1-\delta'^{\,1/M},\;"
        r"M = \bigl\lceil 2^{(1-H_2(\gamma))\,d}\bigr\rceil - 1,\;"
        r"\gamma = \tfrac{\alpha}{s}+\delta'-\tfrac{\alpha}{s}\delta' < \tfrac12"
    )
    derivation = (
        "**A dummy database knows the answer.** Mix any distribution, with weight $s$, into the "
        "mass on point 1, which $c_2, \\dots, c_{T+1}$ all label 1. With $K$ the number of "
        "other examples, the sample differs from the all-dummy database $D_0$ in $K$ entries. So "
        "for a target's set $G$ of hypotheses of error at most $\\alpha$ (error at most "
        "$\\alpha/s$ on the mixed-in distribution) and $q = \\Pr[A(D_0) \\in G]$, privacy gives "
        "$\\Pr[A(S) \\in G \\mid K] \\le \\min(1, q\\,e^{\\varepsilon K})$; average over $K$. This is "
        "the exact optimum over the cut $k_0$ of the usual proof, which we do not need.\n\n"
        "**Few candidates for all targets.** $N$ runs on $D_0$ contain a member of $G$ except with "
        "probability $(1-q)^N$. If that is at most $\\delta'$, they are an "
        "$(\\alpha/s, \\delta')$-probabilistic representation of size $N$.\n\n"
        "**But candidates must carry $d$ bits.** By FX14, Theorem 3.1, such a representation "
        "gives a one-way protocol with error $\\gamma$ and $\\log_2 N$ bits, and by Corollary 4.3 "
        "that takes $\\log_2 N \\ge (1-H_2(\\gamma))\\,\\mathrm{LDim}$, where "
        "$\\mathrm{LDim} = d$. The corollary is stated for private coins and the protocol has "
        "public ones: with the coins fixed, $N$ messages carry at most $\\log_2 N$ bits about $d$ "
        "uniform ones, of which Fano's inequality asks $(1-H_2(\\gamma_r))\\,d$ at coins of error "
        "$\\gamma_r$, and some coins have $\\gamma_r \\le \\gamma$. So the largest $M$ below that has $(1-q)^M > \\delta'$. "
        "$\\square$\n\n"
        "The distribution that a learner fails on need not be the hard one of the pictures.\n\n"
        "Reported: the least $m$ that no $(s, \\delta')$ excludes, on a fine grid; every pair "
        "is a valid bound."
    )

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        return self.leasts([at])[0]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Return them at settings that differ in d and epsilon alone."""
        if cells[0].alpha >= 0.5:
            return [BoundValue(1, note="says nothing: needs alpha < 1/2") for _ in cells]
        d, epsilon = np.array([at.d for at in cells]), np.array([at.epsilon for at in cells])
        found = strongest(d, epsilon, cells[0].alpha, cells[0].beta)
        beyond = f"more than {SEARCH_LIMIT:.0e} samples: not searched further"
        return [BoundValue(m) if m else BoundValue(None, beyond) for m in found.tolist()]

    def over(self, at: Cell, m: int) -> float | None:
        """Return the least log odds over s: that is below 0 where one of them excludes m.

        The number itself is looked for where m is so small that any s may exclude it.
        """
        if at.alpha >= 0.5:
            return super().over(at, m)
        found = over_shares(at, m, near_guesses(at.d, at.alpha))
        if found < 0.0 or (m > FEW and over_shares(at, FEW, near_guesses(at.d, at.alpha)) < 0.0):
            return found
        wide = over_shares(at, min(m, FEW), wide_guesses(at.d, at.alpha))
        if m <= FEW:
            return min(found, wide)
        return found if wide >= 0.0 else super().over(at, m)

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability of a pure private learner, by one s per d."""
        if setting.alpha >= 0.5:
            return np.ones(setting.shape)
        # Over d most values are 1, and each d has an s of its own.
        if setting.m.size == setting.epsilon.size == 1 and setting.d.size > 1:
            d, found = setting.d.ravel(), np.ones(setting.d.size)
            m, epsilon = setting.m.reshape(1), setting.epsilon.reshape(1)
            open_ = np.flatnonzero(~surely_one(m, d, epsilon, setting.alpha))
            if open_.size:
                found[open_] = _by_best_share(m, d[open_], epsilon, setting)
            return np.broadcast_to(found.reshape(setting.d.shape), setting.shape)
        found = _by_best_share(setting.m, setting.d, setting.epsilon, setting)
        return np.broadcast_to(found, setting.shape)


def _by_best_share(
    m: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64], setting: Setting
) -> NDArray[np.float64]:
    """Return the limit by the s that is best for many samples; m, d and epsilon broadcast."""
    bits, inverse = np.unique(d, return_inverse=True)
    shares, guesses = best_shares(tuple(bits.tolist()), setting.alpha)
    mass: Any = float(shares[0])
    if bits.size > 1:
        mass = shares[inverse].reshape(d.shape)
    guess = guesses[inverse].reshape(d.shape)
    return littlestone_limit(m, guess, mass, epsilon, setting.log_tail)


class LittlestoneQuarter(Improper):
    """The same with the papers' accuracy and confidence of 1/4 in place of the best ones."""

    name = "corollary-4.3"
    validity = "for α ≤ 1/4, and d large enough for one bit to be left over"
    dash = "dot"
    title = "Littlestone bound at ¼, ¼"
    source = Source("FX14", "Theorems 2.5 and 3.1 at (1/4, 1/4), Corollary 4.3")
    constants = "paper"
    completed = "the expectation over K, and the step to public coins"
    statement = (
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,4\alpha)}\bigl[\min(1,\,q\,e^{\varepsilon K})\bigr] \ge 1-\beta,"
        r"\qquad q = 1-4^{-1/M},\; M = \bigl\lceil 2^{(1-H_2(7/16))\,d}\bigr\rceil - 1"
    )
    derivation = (
        "The route of the Littlestone bound at the point where the paper defines its dimensions: "
        "a $(\\frac14, \\frac14)$-probabilistic representation, so $s = 4\\alpha$, "
        "$\\delta' = \\frac14$, $\\gamma = \\frac7{16}$. Only $1 - H_2(\\frac7{16}) = 0.0113$ of each "
        "bit is then counted. The paper itself hides the constant of the first step in "
        "$\\Omega(\\cdot)$; **ours** is the exact expectation. The paper states Corollary 4.3 for "
        "private coins; Theorem 3.1 needs it for public ones, for which the proof is under the "
        "Littlestone bound and ours too. Valid for $\\alpha \\le \\frac14$."
    )

    def least(self, at: Cell) -> BoundValue:
        """Return the bound's number of samples at one setting."""
        return self.leasts([at])[0]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Return them at settings that differ in d and epsilon alone."""
        alpha, beta = cells[0].alpha, cells[0].beta
        if alpha > 0.25:
            return [BoundValue(None, "needs alpha <= 1/4") for _ in cells]
        guess = log_guess(np.array([at.d for at in cells]), np.array(0.25), np.array(0.25))
        epsilon = np.array([at.epsilon for at in cells])
        found = least_m(guess, np.full(guess.size, 4.0 * alpha), epsilon, beta)
        silent = (guess >= math.log(complement(beta))).tolist()
        return [
            BoundValue(m or None, "" if m else f"more than {SEARCH_LIMIT:.0e} samples",
                       "says nothing at this d" if none else "")
            for m, none in zip(found.tolist(), silent, strict=True)
        ]  # fmt: skip

    def over(self, at: Cell, m: int) -> float | None:
        """Return the log odds of the limit less those of 1 - beta: below 0 where m is excluded."""
        if at.alpha > 0.25:
            return super().over(at, m)
        guess = log_guess(np.array([at.d]), np.array(0.25), np.array(0.25))
        return over_shares(at, m, (guess, np.array([4.0 * at.alpha])))


class LittlestoneRate(Improper):
    """Omega(d / (alpha eps)), without a constant."""

    name = "littlestone-rate"
    dash = "dashdot"
    title = "Littlestone bound, as stated"
    source = Source("FX14", "Theorem 2.5, Theorem 3.1, Corollary 4.3")
    constants = "rate"
    statement = (
        r"m = \Omega\Bigl(\frac{\mathrm{LDim}}{\alpha\,\varepsilon}\Bigr) = "
        r"\Omega\Bigl(\frac{d}{\alpha\,\varepsilon}\Bigr)"
    )
    derivation = (
        "The closed form of the paper: a straight line in $d$, of unknown height. It has no "
        "number; the Littlestone bound above is ours with one."
    )

    def least(self, _at: Cell) -> BoundValue:
        """Refuse a number: the paper gives only a rate."""
        return BoundValue(None, "a rate without a constant: d / (alpha epsilon)")
