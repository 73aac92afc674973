"""What the vote of blocks and the hashed lines guarantee, for every distribution and every p."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.line.hashes import design
from privsc_core.concepts.line.plane import LARGEST, Modulus
from privsc_core.concepts.line.votes import block_size, threshold
from privsc_core.numerics.tails import log_chance, tail_sum

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Demand, Setting


_WITHOUT = "says nothing for delta = 0: the learner needs a delta in (0, 0.5)"
_LOG2 = math.log(2.0)
_STEEP = 500.0  # an exponential of more may be no float
_LEAST = 1e-280  # below, scipy loses the digits of a tail


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
    # log of ((1 + eta (e^{eps/2} - 1))^N - 1) / (2 eta (1 - e^{-eps/2})).
    factor = np.where(
        half <= _STEEP,
        np.log1p(bad * np.expm1(np.minimum(half, _STEEP))),
        np.logaddexp(math.log1p(-bad), math.log(bad) + half),
    )
    growth = size.astype(np.float64) * factor
    log_bad = growth + np.log(-np.expm1(-growth)) - np.log(2.0 * bad * -np.expm1(-half))
    low = _best_level(size, good, least, half, log_bad)
    inside, log_lower, log_upper = _tails(size, good, low, half)
    lower, upper = np.exp(log_lower), np.exp(log_upper)
    stays = inside - 0.5 * np.minimum(lower, inside) + 0.5 * upper
    total = stays + np.exp(np.minimum(log_bad - half * low, 1.0))
    return np.where(votes >= 3, np.minimum(total, 1.0), 1.0)


def _best_level(
    size: NDArray[np.int64],
    good: float,
    least: NDArray[np.float64],
    half: NDArray[np.float64],
    log_bad: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the theta' from which on the sum grows, at least `least`.

    Times e^{eps theta' / 2} its derivative only grows, and beyond N it does not change its sign. So
    the whole number below it is searched for; from there to the next one it is known. On whole numbers
    the log of that product, a sum of log-concave ones, is concave: it reaches nothing before its chord
    to the next number does. The first one is that of e^{half (level - n)} over all n.
    """
    most = np.maximum(size, least)
    low, high = np.floor(least), np.ceil(most)
    log_bad = log_bad + _LOG2
    first = 0.5 * (log_bad - size * np.log1p(good * np.expm1(-half))) / half
    level, turn = np.clip(np.ceil(first), low, np.maximum(high - 1.0, low)), 0
    low = np.maximum(low, level - 1.0)
    while True:
        _, lower, upper = _tails(size, good, level, half)
        lacks = log_bad - half * level - np.logaddexp(lower, upper)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            odds = upper - lower
            ahead = np.ceil(
                lacks / (np.logaddexp(0.0, odds + 2.0 * half) - np.logaddexp(0.0, odds))
            )
        short = lacks >= 0.0
        high = np.where(short, high, np.minimum(high, level))
        known = np.where(ahead > 1.0, np.minimum(level + ahead, high) - 1.0, level)
        low = np.where(short, np.maximum(low, known), low)
        open_ = high - low > 1.0
        if not open_.any():
            break
        turn += 1
        # Should chords creep.
        level = np.where(open_, np.floor(0.5 * (low + high)) if turn % 3 == 0 else low + 1.0, low)
    low = np.maximum(low, least)
    _, lower, upper = _tails(size, good, low, half)
    # From here on lower falls like e^{-half t} and upper grows like e^{half t}.
    bad = log_bad - half * low
    with np.errstate(divide="ignore", invalid="ignore"):
        further = 0.5 * (bad + np.log1p(-np.exp(np.minimum(lower - bad, 0.0))) - upper) / half
    further = np.where(np.logaddexp(lower, upper) < bad, further, 0.0)
    return np.asarray(np.minimum(low + further, np.minimum(np.maximum(high, least), most)))


def _tails(
    votes: NDArray[np.int64], share: float, level: NDArray[np.float64], half: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return Pr[n <= level], log E[e^{half (n - level)}; n <= level], log E[e^{half (level - n)}; n > level].

    n ~ Bin(votes, share). Pr[n + Lap(1 / half) <= level] is the first less half of the second and
    plus half of the third (of their exponentials); its density there is half / 2 times both.
    """
    size, whole = votes.astype(np.float64), np.floor(level)
    capped, reached = np.minimum(half, 600.0), np.minimum(whole, size)

    def tilted(sign: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        log_mean = np.logaddexp(math.log1p(-share), math.log(share) + sign * capped)
        return size * log_mean - sign * capped * level, np.exp(
            math.log(share) + sign * capped - log_mean
        )

    def weighed(
        log_scale: NDArray[np.float64], chance: NDArray[np.float64], edge: NDArray[np.float64],
        *fraction: NDArray[np.float64],
    ) -> NDArray[np.float64]:  # fmt: skip
        """Return the log of scale * chance, where that is hardly a float by its tail from an edge on."""
        with np.errstate(divide="ignore"):
            found = np.asarray(log_scale + np.log(chance))
        far = chance < _LEAST
        if far.any():
            sums = np.log1p(-fraction[2][far]) + np.log(tail_sum(*(x[far] for x in fraction)))
            edges = log_chance(edge[far], size[far], share)
            found[far] = edges - half[far] * np.abs(level - edge)[far] + sums
        return found

    half = np.broadcast_to(half, level.shape)
    log_up, up = tilted(1.0)
    log_down, down = tilted(-1.0)
    after = np.minimum(whole + 1.0, size)
    lower = weighed(log_up, _at_most(reached, size, up), reached,
                    size - reached, reached + 1.0, 1.0 - up)  # fmt: skip
    upper = weighed(log_down, np.asarray(special.betainc(after, size - after + 1.0, down)), after,
                    after, size - after + 1.0, down)  # fmt: skip
    upper = np.where(whole >= size, -np.inf, upper)
    return (
        _at_most(reached, size, np.full_like(size, share)),
        np.minimum(lower, 0.0),
        np.minimum(upper, 0.0),
    )


def _at_most(
    count: NDArray[np.float64], size: NDArray[np.float64], chance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return Pr[Bin(size, chance) <= count]; `bdtr` knows no size from 2^31 on."""
    below = special.betainc(np.maximum(size - count, 1.0), count + 1.0, 1.0 - chance)
    return np.where(count >= size, 1.0, below)


class VoteBound(SearchBound):
    """Some good answer gets its share of the votes, and no bad one passes a level theta'."""

    name = "vote"
    title = "Vote of blocks"
    legend = "Guaranteed: vote of blocks"
    shaded = True
    source = Source("ours", "simplifies FX14, Theorem 6.1")
    without = ("d",)
    kind = "upper"
    statement = (
        r"\min_{\theta'\ge\theta}\ \Pr\bigl[\mathrm{Bin}(N,g)+\mathrm{Lap}(\tfrac2\varepsilon)\le\theta'\bigr]"
        r"+\frac{(1+\eta(e^{\varepsilon/2}-1))^N-1}{2\eta\,(1-e^{-\varepsilon/2})}\,e^{-\varepsilon\theta'/2}"
        r"\le\beta,\quad N=\lfloor m/t\rfloor,\ t=\lceil 2/\alpha\rceil"
    )
    derivation = (
        "Let $r$ be the mass of the target. If $r < \\alpha$ every vote and the empty set are accurate. Otherwise "
        "let $\\eta = (1-\\alpha)^t$ and $g = \\frac12-e^{-\\alpha t}$. For each inaccurate answer, a block votes for "
        "it with probability at most $\\eta$, as it must then miss a mass of $\\alpha$. There is one accurate answer for which it "
        "votes with probability at least $g$. To see this, let $a$ be the heaviest point of the target: either its "
        "other points are so light that $a$ alone is accurate, or two places are seen often enough.\n\n"
        "Fix any $\\theta' \\ge \\theta = 1+\\frac2\\varepsilon\\ln\\frac1{2\\delta}$. If the noisy count of the "
        "good answer is above $\\theta'$ and no other is, an accurate answer is released. The first condition fails "
        "with at most the first term. For a bad answer of share $s$ the chance is at most $\\frac12 "
        "e^{-\\varepsilon\\theta'/2}\\,\\mathbb{E}[e^{\\varepsilon n/2};\\, n \\ge 1]$, $n \\sim "
        "\\mathrm{Bin}(N,s)$, at most $\\frac12 "
        "e^{-\\varepsilon\\theta'/2}\\frac{(1+s(e^{\\varepsilon/2}-1))^N-1}{1-e^{-\\varepsilon/2}}$. That is convex "
        "in $s$ and 0 at 0, and the shares sum to less than 1, each at most $\\eta$: the second term. $\\square$\n\n"
        "$p$ does not occur: **$\\ln(1/\\delta)$ takes the place of the $\\log p$ of pure privacy.** It needs $N "
        "\\ge 3$.\n\n"
        "For ε above about 5 the guarantee does not hold for all larger $N$, but fails again where $N$ is large: "
        "$e^{\\varepsilon n/2}$ then weighs samples that do not occur. At the number shown the guarantee holds, and "
        "with one block fewer it does not."
    )
    applies_to = "the learner vote, on every distribution"
    whom = Whom("vote")
    validity = "for δ > 0 and α < 1/2"

    def silent(self, at: Cell) -> str:
        """Return that nothing is said without a slack, or for blocks of a coin's accuracy."""
        if at.delta == 0.0:
            return _WITHOUT
        return "needs alpha < 1/2" if at.alpha >= 0.5 else ""

    def limit(self, setting: Setting) -> NDArray[np.float64] | None:
        """Return the success probability that is promised; none without a slack."""
        return None if setting.delta == 0.0 or setting.alpha >= 0.5 else self.success(setting)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the bound on failure."""
        m, epsilon = np.broadcast_arrays(setting.m, setting.epsilon)
        t = block_size(setting.alpha)
        found = failure_of_votes(m // t, epsilon, alpha=setting.alpha, delta=setting.delta, block=t)
        return np.broadcast_to(found, setting.shape)

    def guess(self, at: Cell) -> float:
        """Return where the good votes reach the threshold, and a little more."""
        return 1.3 * block_size(at.alpha) * threshold(at.epsilon, at.delta) / 0.365


# --- What the hashed lines guarantee, for every distribution -------------------------------------


# Of so many bits two heights share a bucket more rarely than any alpha times beta.
_BITS_ENOUGH = 128
_TOO_SMALL = "says nothing: p is too small for a hash of so many bits"


@dataclass(frozen=True)
class HashLineBound(Bound):
    """2^-t / alpha' + p 2^t r^m <= beta, for the best t, alpha' and eps'."""

    modulus: Modulus = LARGEST

    name = "hash-line"
    title = "Hashed lines"
    legend = "Guaranteed: hashed lines"
    source = Source("ours", "the route of FX14, Section 3.1, on lines")
    kind = "upper"
    statement = (
        r"\frac{2^{-t}}{\alpha'} + p\,2^t r^m \le \beta,\quad r = 1-\alpha(1-e^{-\varepsilon'/2})"
        r"+\alpha'(e^{\varepsilon'/2}-1),\quad 2^t \le \tfrac p2,\ \alpha' \le \alpha,\ "
        r"\varepsilon' \le \varepsilon"
    )
    derivation = (
        "Two heights share a bucket of $g$ with probability at most $2^{-t}$. The hypothesis with the target's slope "
        "and bucket errs only on other parallels of its bucket, so its error is at most $2^{-t}$ on average over "
        "$g$. By Markov's inequality it is above $\\alpha'$ with probability at most $2^{-t}/\\alpha'$. If it is "
        "not, take a hypothesis of error above $\\alpha$ that makes $\\Delta$ mistakes more. It is drawn with "
        "probability at most $\\min\\{1, e^{-\\varepsilon\\Delta/2}\\} \\le e^{-\\varepsilon'\\Delta/2}$, for every "
        "$\\varepsilon' \\le \\varepsilon$. Every example multiplies this by a factor of mean at most $r$, and there "
        "are at most $p\\,2^t$ such hypotheses. $\\square$\n\n"
        "The number is for the best $t$, $\\alpha'$ and $\\varepsilon'$ of a grid; the learner takes this $t$. It "
        "grows like $2\\ln p/(\\varepsilon\\alpha)$ for small $\\varepsilon$, **half of the bound for the class of "
        "lines itself** and twice the lower bound for all purely private learners. Below 16 bits of p the constants "
        "outweigh this gain, and the bound for finite classes is smaller."
    )
    applies_to = "the learner hash-line, on every distribution"
    whom = Whom("hash-line")
    validity = "where 2^(-t)/α is below β for some t up to ⌊log₂ p⌋-1"

    def eases(self, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since the bits of a hash, whole, are limited by p.
        """
        return wanted != "d"

    def at_best(self, wanted: Demand) -> Callable[[Cell, Cell, int], float] | None:
        """Return, for d, a limit on `over`: a larger p is worse where no hash needs as many bits as p has."""

        def most(hard: Cell, easy: Cell, m: int) -> float:
            if easy.d < _BITS_ENOUGH and easy.d != hard.d:
                return math.inf
            found = self.over(easy, m)
            return -math.inf if found is None else found

        return most if wanted == "d" else None

    def least(self, at: Cell) -> BoundValue:
        """Return the least m that the best design needs."""
        found = design(self.modulus, at.d, at.epsilon, at.alpha, at.beta)
        if not found.promises:
            return BoundValue(None, _TOO_SMALL)
        return BoundValue(
            max(math.ceil(found.least(at.beta)), 1), note=f"with hashes of t = {found.bits} bits"
        )

    def limit(self, setting: Setting) -> NDArray[np.float64] | None:
        """Return the success probability that is promised."""
        shape = setting.shape
        m, d, epsilon = (
            np.broadcast_to(x, shape).ravel() for x in (setting.m, setting.d, setting.epsilon)
        )
        value = np.zeros(m.size)
        for i, (size, bits, loss) in enumerate(
            zip(m.tolist(), d.tolist(), epsilon.tolist(), strict=True)
        ):
            found = design(self.modulus, bits, loss, setting.alpha, setting.beta)
            if found.promises:
                lost = found.missed + math.exp(min(found.log_bad - found.rate * size, 0.0))
                value[i] = max(1.0 - lost, 0.0)
        return value.reshape(shape)
