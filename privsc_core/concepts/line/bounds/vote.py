"""What the vote of blocks guarantees, for every distribution and every p."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.line.votes import block_size, threshold

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["VoteBound", "failure_of_votes"]

_WITHOUT = "says nothing for delta = 0: the learner needs a delta in (0, 0.5)"
_LEVELS = np.linspace(0.0, 1.0, 61)


def failure_of_votes(
    votes: NDArray[np.int64],
    epsilon: NDArray[np.float64],
    *,
    alpha: float,
    delta: float,
    block: int,
) -> NDArray[np.float64]:
    """Return the guarantee for N blocks of `block` examples: the least over theta', at most 1.

    Parameters
    ----------
    votes : ndarray of int64
        N, of the shape of epsilon.
    epsilon : ndarray
    alpha, delta : float
    block : int
        t, with alpha t >= 1.6.
    """
    good, bad = 0.5 - math.exp(-alpha * block), (1.0 - alpha) ** block
    half = 0.5 * epsilon
    least = 1.0 - math.log(2.0 * delta) / half
    # More votes than decide are as good as those.
    enough = np.maximum(20.0 * least + 4000.0 / np.minimum(epsilon, 1.0), 5000.0) / good
    size = np.clip(votes, 1, enough.astype(np.int64) + 1)
    top = np.maximum(size * good, least)
    level = least[..., None] + (top - least)[..., None] * _LEVELS
    missed = _stays(size[..., None], good, level, half[..., None])
    # ((1 + eta (e^{eps/2} - 1))^N - 1) e^{-eps theta'/2} / (2 eta (1 - e^{-eps/2})), in logarithms.
    growth = size * np.log1p(bad * np.expm1(np.minimum(half, 500.0)))
    logs = (growth + np.log(-np.expm1(-growth)))[..., None] - half[..., None] * level
    logs = logs - np.log(2.0 * bad * -np.expm1(-half))[..., None]
    total = missed + np.exp(np.minimum(logs, 1.0))
    return np.where(votes >= 3, np.minimum(total.min(axis=-1), 1.0), 1.0)


def _stays(
    votes: NDArray[np.int64], share: float, level: NDArray[np.float64], half: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return Pr[n + Lap(1 / half) <= level], n ~ Bin(votes, share): three tails, two of them tilted.

    It is Pr[n <= level] - E[e^{half (n - level)}; n <= level] / 2 + E[e^{half (level - n)}; n > level] / 2.
    """
    size, whole = votes.astype(np.float64), np.floor(level)
    capped = np.minimum(half, 600.0)

    def tilted(sign: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        log_mean = np.logaddexp(math.log1p(-share), math.log(share) + sign * capped)
        return size * log_mean - sign * capped * level, np.exp(
            math.log(share) + sign * capped - log_mean
        )

    reached = np.minimum(whole, size)
    inside = special.bdtr(reached, votes, share)
    log_up, up = tilted(1.0)
    log_down, down = tilted(-1.0)
    with np.errstate(divide="ignore"):
        lower = np.exp(np.minimum(log_up + np.log(special.bdtr(reached, votes, up)), 0.0))
        beyond = special.bdtrc(reached, votes, down)
        # Where no float is that small, Chernoff's bound.
        ratio = np.clip((whole + 1.0) / size, down, 1.0)
        far = special.rel_entr(ratio, down) + special.rel_entr(1.0 - ratio, 1.0 - down)
        upper = np.exp(
            np.minimum(log_down + np.where(beyond > 0.0, np.log(beyond), -size * far), 0.0)
        )
    upper = np.where(whole >= size, 0.0, upper)
    return np.asarray(inside - 0.5 * np.minimum(lower, inside) + 0.5 * upper)


class VoteBound(SearchBound):
    """Some good answer gets its share of the votes, and no bad one passes a level theta'."""

    name = "vote"
    title = "Vote of blocks"
    legend = "Guaranteed: vote of blocks"
    headline = True
    source = Source("ours", "simplifies FX14, Theorem 6.1")
    kind = "upper"
    constants = "sharp"
    statement = (
        r"\min_{\theta'\ge\theta}\ \Pr\bigl[\mathrm{Bin}(N,g)+\mathrm{Lap}(\tfrac2\varepsilon)\le\theta'\bigr]"
        r"+\frac{(1+\eta(e^{\varepsilon/2}-1))^N-1}{2\eta\,(1-e^{-\varepsilon/2})}\,e^{-\varepsilon\theta'/2}"
        r"\le\beta,\quad N=\lfloor m/t\rfloor,\ t=\lceil 2/\alpha\rceil"
    )
    derivation = (
        "Let $r$ be the mass of the target. If $r < \\alpha$ every vote and the empty set are accurate. "
        "Else let $\\eta = (1-\\alpha)^t$ and $g = \\frac12-e^{-\\alpha t}$. An answer that is not accurate "
        "gets a block's vote with probability at most $\\eta$: the block must miss a mass of $\\alpha$. "
        "Some accurate one gets it with probability at least $g$: with $a$ the heaviest point of the "
        "target, either the others are so light that $a$ alone is accurate, or two places are seen often "
        "enough.\n\n"
        "Fix any $\\theta' \\ge \\theta = 1+\\frac2\\varepsilon\\ln\\frac1{2\\delta}$. If the noisy count of "
        "the good answer is above $\\theta'$ and no bad one is, an accurate answer is released. The first "
        "fails with the first term. For a bad answer of share $s$ the chance is at most "
        "$\\frac12 e^{-\\varepsilon\\theta'/2}\\,\\mathbb{E}[e^{\\varepsilon n/2};\\, n \\ge 1]$, "
        "$n \\sim \\mathrm{Bin}(N,s)$, at most $\\frac12 e^{-\\varepsilon\\theta'/2}"
        "\\frac{(1+s(e^{\\varepsilon/2}-1))^N-1}{1-e^{-\\varepsilon/2}}$. That is convex in $s$ and 0 at 0, "
        "and the shares sum to less than 1, each at most $\\eta$: the second term. $\\square$\n\n"
        "No $p$ anywhere, at the price of $\\ln(1/\\delta)$: **a slack of a millionth buys what pure "
        "privacy pays $\\log p$ for.** It needs $N \\ge 3$."
    )
    applies_to = "the learner vote, on every distribution"
    validity = "for δ > 0 and α < 1/2"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "vote"

    def silent(self, at: Cell) -> str:
        """Return that nothing is said without a slack, or for blocks of a coin's accuracy."""
        if at.delta == 0.0:
            return _WITHOUT
        return "needs alpha < 1/2" if at.alpha >= 0.5 else ""

    def limit(self, setting: Setting) -> NDArray[np.float64] | None:
        """Return the success probability that is promised; none without a slack."""
        return None if setting.delta == 0.0 or setting.alpha >= 0.5 else self.success(setting)

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return 1 minus the bound on failure."""
        return 1.0 - self.failure(setting)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the bound on failure."""
        m, _, epsilon = np.broadcast_arrays(setting.m, setting.d, setting.epsilon)
        t = block_size(setting.alpha)
        return failure_of_votes(m // t, epsilon, alpha=setting.alpha, delta=setting.delta, block=t)

    def guess(self, at: Cell) -> float:
        """Return where the good votes reach the threshold, and a little more."""
        return 1.3 * block_size(at.alpha) * threshold(at.epsilon, at.delta) / 0.365
