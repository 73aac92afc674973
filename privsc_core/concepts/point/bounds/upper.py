"""The upper bounds for POINT_d."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.generic.rate import FiniteClassBound, RateBound, Theorem32Bound
from privsc_core.concepts.point.learners.hashing import default_bits
from privsc_core.concepts.point.learners.noise_boosted import (
    run_count,
    run_samples,
    selection_samples,
)
from privsc_core.concepts.point.learners.representation import class_size
from privsc_core.concepts.shared.inequalities import shifted_rate
from privsc_core.numerics.decimals import decimal, floor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Setting


class FiniteClass(FiniteClassBound):
    """(T-1) (1 - alpha (1 - e^{-eps/2}))^m <= beta."""

    statement = r"(T-1)\,\bigl(1-\alpha(1-e^{-\varepsilon/2})\bigr)^m \le \beta"
    derivation = (
        "The target has weight 1. A concept of error above $\\alpha$ is chosen with probability "
        "at most its own weight $e^{-\\varepsilon M/2}$, where its number of mistakes $M$ "
        "dominates $\\mathrm{Bin}(m,\\alpha)$. On average that is at most "
        "$\\mathbb{E}\\,e^{-\\varepsilon M/2} \\le (1-\\alpha(1-e^{-\\varepsilon/2}))^m$. Add up "
        "over the at most $T-1$ such concepts. $\\square$\n\n"
        "Holds for every distribution and target. Any finite class with $|H|$ hypotheses, one "
        "of them without error, has the same bound with $|H|-1$ in place of $T-1$."
    )
    applies_to = "the exponential mechanism over POINT"
    fewer = 1


class Theorem32(Theorem32Bound):
    """m >= max(8, 4/eps) / alpha * log(2 T / beta)."""

    statement = r"m \ge \frac{\max(8,\,4/\varepsilon)}{\alpha}\,\log\frac{2T}{\beta}"
    derivation = (
        "The paper cites the theorem without constants; these are of the usual two-step "
        "proof, for a class that contains the target. With $m \\ge "
        "\\frac{8}{\\alpha}\\log\\frac{2T}{\\beta}$, by Chernoff no concept of error above "
        "$\\alpha$ makes fewer than $\\alpha m/2$ mistakes, except with probability $\\beta/2$. "
        "With $m \\ge \\frac{4}{\\varepsilon\\alpha}\\log\\frac{2T}{\\beta}$ the mechanism then "
        "picks one of them with probability at most $T e^{-\\varepsilon\\alpha m/4} \\le "
        "\\beta/2$."
    )
    applies_to = "the exponential mechanism over POINT"
    fewer = 1


class _OfRepresentation(RateBound):
    """What the bounds by a small class share: its best hypothesis has error alpha / 2."""

    kind = "upper"
    whom = Whom("representation")

    def outside(self, at: Cell) -> BoundValue | None:
        """Refuse d below 16."""
        return BoundValue(None, "the proof of Lemma 4.1 needs d >= 16") if at.d < 16 else None

    def rate(self, epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """Return -log r against a hypothesis of error alpha / 2."""
        return shifted_rate(epsilon, alpha, alpha / 2.0)


class Theorem42(_OfRepresentation):
    """(|H_d| - 1) r^m <= beta over the class of Lemma 4.1."""

    name = "theorem-4.2"
    title = "Theorem 4.2"
    source = Source(
        "BBKN13",
        "Lemma 4.1 and Theorem 4.2; size of the class as in the proof, number of examples ours",
    )
    completed = "the number of examples"
    statement = r"(|H_d|-1)\,r^m \le \beta,\quad |H_d|=\Bigl\lceil \tfrac{8e\,p^2}{d}\Bigr\rceil,\ p=d\bigl(1+\lfloor 2/\alpha\rfloor\bigr)"
    derivation = (
        "Lemma 4.1 shows that a good class exists: a random one is good with positive "
        "probability, and it is **selected**. The learner that runs draws a class of the same size "
        "and takes it as it is, so its curve is not what is guaranteed here.\n\n"
        "The class of Lemma 4.1 at accuracy $\\alpha/2$ holds, for every target and "
        "distribution, a set of error at most $\\alpha' = \\alpha/2$. Against it, a set of "
        "error above $\\alpha$ is chosen with probability at most $r^m$ with $r = "
        "1-\\alpha(1-e^{-\\varepsilon'/2})+\\alpha'(e^{\\varepsilon'/2}-1)$, where $\\varepsilon' "
        "= \\min(\\varepsilon, \\log 2)$ is the best privacy loss to spend.\n\n"
        "The proof of Lemma 4.1 takes $d \\ge 16$. Where $|H_d| \\ge T$ the class is no smaller "
        "than POINT itself, and the bound is of no use."
    )
    applies_to = (
        "the small-representation learner over a selected class (the learner that runs draws a "
        "class of that size without selecting)"
    )
    validity = "for d ≥ 16; useful only where the class is smaller than POINT itself"

    def log_failure(self, d: int, alpha: float) -> float:
        """Return log(|H_d| - 1)."""
        return math.log(class_size(d, alpha).sets - 1)

    def note(self, at: Cell) -> str:
        """Return for which class, and whether it is worth it."""
        which = "for a selected class; the learner runs a random one of that size"
        if class_size(at.d, at.alpha).sets >= 1 << at.d:
            return f"vacuous: the class is no smaller than POINT itself; {which}"
        return which


class RepresentationBound(_OfRepresentation):
    """16 e (1 + floor(4/alpha)) r^m <= beta."""

    name = "representation"
    without = ("d", "delta")
    title = "Representation without d"
    legend = "Guaranteed: a selected representation, 4/α (the learner runs a random one, 2/α)"
    source = Source("ours", "sharpens BBKN13, Theorem 4.2")
    statement = r"16e\,\bigl(1+\lfloor 4/\alpha\rfloor\bigr)\,r^m \le \beta"
    derivation = (
        "Select a class as in Lemma 4.1 with $p = d(1+\\lfloor 4/\\alpha\\rfloor)$. The masses of the $p$ sets "
        "through $j$, without $j$, sum to less than $d$, so fewer than $2d/\\alpha < p/2$ of them have error above "
        "$\\alpha' = \\alpha/2$: more than $p/2$ are good.\n\n"
        "With $N$ good sets in place of one, the inequality between arithmetic and harmonic mean on their weights "
        "divides the bound by $N$, and $|H_d|/N \\le 16e\\,p/d = 16e(1+\\lfloor 4/\\alpha\\rfloor)$. The $\\log d$ "
        "of Theorem 4.2 comes from the union bound alone: the paper's own class already gives $O(1)$ examples. $r$ "
        "is that of Theorem 4.2; the construction takes $d \\ge 16$. $\\square$"
    )
    applies_to = (
        "the small-representation learner over a selected class with p = d(1+⌊4/α⌋) (the learner "
        "that runs draws a class with p = d(1+⌊2/α⌋) without selecting)"
    )
    validity = "for d ≥ 16"

    def log_failure(self, d: int, alpha: float) -> float:
        """Return log(16 e (1 + floor(4/alpha))); nothing is promised below d = 16."""
        pieces = 1 + floor(4 / decimal(alpha))
        return math.log(16.0 * math.e * pieces) if d >= 16 else math.inf

    def note(self, at: Cell) -> str:
        """Return for which class."""
        per = floor(4 / decimal(at.alpha)), floor(2 / decimal(at.alpha))
        note = "for a selected class, p = d(1+{}); the learner runs a random one, p = d(1+{})"
        return note.format(*per)


class Claim45(Bound):
    """N runs of ceil(384 ln 4 / (eps (alpha/8)^2)) samples and a selection."""

    name = "claim-4.5"
    title = "Claim 4.5"
    source = Source("BBKN13", "Claim 4.5, as in the proof")
    without = ("d", "delta")
    kind = "upper"
    statement = r"m = N \Bigl\lceil \frac{384\,\ln 4}{\varepsilon(\alpha/8)^2}\Bigr\rceil + \Bigl\lceil \frac{24\,\ln(3/\beta^2)}{\varepsilon\alpha}\Bigr\rceil,\quad N = \lceil \log_{5/4}(5/\beta)\rceil"
    derivation = (
        "$N$ independent runs at accuracy $\\alpha/8$, each good with probability above $1/5$, and an "
        "exponential-mechanism choice on a fresh sample. The proof's failure probability is $\\beta/5 + \\beta^2/3 + "
        "N\\beta^2/3 + N\\beta^6/27$ once the selection has $24\\ln(3/\\beta^2)/(\\varepsilon\\alpha)$ samples (the "
        "text later writes $3/\\beta$: a slip).\n\n"
        "Valid where that is at most $\\beta$ (it is at 0.01, 0.05 and 0.1, and fails from about 0.14), for "
        "$\\varepsilon < 1$ and $\\alpha < 1/2$. It holds for every distribution and does not depend on $d$. Its "
        "constant is huge."
    )
    applies_to = "the boosted noise learner"
    whom = Whom("noise-boosted")
    validity = "for ε < 1, α < 1/2, and β up to about 0.14"

    def least(self, at: Cell) -> BoundValue:
        """Return the number of samples of all runs and the selection."""
        epsilon, alpha, beta = at.epsilon, at.alpha, at.beta
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


BOUNDS = (FiniteClass(), Theorem32(), Theorem42(), RepresentationBound(), Claim45())


# --- The hash learner for every distribution, at the best number of bits -------------------------


class HashBound(Bound):
    """2^-t / alpha' + (2^t - 1) r^m <= beta for the best t and alpha'."""

    name = "hash"
    title = "Hashing"
    legend = "Guaranteed: hashing at its best t (the learner runs t = ⌈log₂ 4/(αβ)⌉)"
    source = Source("ours", "constants for FX14, Section 3.1")
    without = ("d", "delta")
    kind = "upper"
    statement = (
        r"\min_{t,\,\alpha'}\Bigl\{\, m : \frac{2^{-t}}{\alpha'} + (2^t-1)\,r^m \le \beta \Bigr\}"
    )
    derivation = (
        "Two points share a bucket with probability $2^{-t}$, so the target's bucket has expected error at most "
        "$2^{-t}$, and error above $\\alpha'$ with probability at most $2^{-t}/\\alpha'$ (Markov). Otherwise each "
        "other bucket of error above $\\alpha$ is chosen with probability at most $r^m$, $r = "
        "1-\\alpha(1-e^{-\\varepsilon'/2})+\\alpha'(e^{\\varepsilon'/2}-1)$ with the best $\\varepsilon' \\le "
        "\\varepsilon$.\n\n"
        "The least $m$ over all $t$ and $\\alpha'$ is reported. It holds for every distribution and does not depend "
        "on $d$. $\\square$\n\n"
        "The curve of the hash learner is that of $t = \\lceil\\log_2(4/(\\alpha\\beta))\\rceil$ bits and all of "
        "$\\varepsilon$, so this guarantee is not about that curve."
    )
    applies_to = (
        "the hash learner with the number of bits t and the privacy loss up to ε that are best "
        "for the bound (the learner that runs has t = ⌈log₂ 4/(αβ)⌉ and spends all of ε)"
    )
    whom = Whom("hash")

    def least(self, at: Cell) -> BoundValue:
        """Return the least number of samples over t and alpha'."""
        return self.leasts([at])[0]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Return the least m of cells that differ in d and epsilon alone."""
        alpha, beta = cells[0].alpha, cells[0].beta
        place = {loss: k for k, loss in enumerate(dict.fromkeys(at.epsilon for at in cells))}
        best, runs = _bests(tuple(place), alpha, beta), default_bits(alpha, beta)
        told = [
            BoundValue(
                one.least,
                note=f"at t = {one.bits} bits and α' = {one.good:.3g}; the learner runs t = {runs}",
            )
            for one in best
        ]
        return [told[place[at.epsilon]] for at in cells]

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the guaranteed success probability of the hash that is best for beta."""
        distinct, place = np.unique(setting.epsilon, return_inverse=True)
        best = _bests(tuple(distinct.tolist()), setting.alpha, setting.beta)
        shape = setting.epsilon.shape
        bits, good, rate = (np.array([b[i] for b in best])[place].reshape(shape) for i in (1, 2, 3))
        failure = np.exp2(-bits) / good + np.exp(_log_buckets(bits, 1) - rate * setting.m)
        return np.broadcast_to(np.maximum(1.0 - failure, 0.0), setting.shape)


_LOG2 = math.log(2.0)


def _log_buckets(bits: NDArray[np.float64], fewer: int) -> NDArray[np.float64]:
    """Return log(2^t - fewer), for t beyond every float."""
    return np.asarray(bits * _LOG2 + np.log1p(-fewer * np.exp2(-bits)))


_GRID = 65
_ROUNDS = 4
_MORE_BITS = 16
_TOGETHER = 24  # larger tables cost more in page faults


class _Best(NamedTuple):
    """The least m, t, alpha' and the rate there."""

    least: int
    bits: int
    good: float
    rate: float


@lru_cache(maxsize=512)
def _bests(epsilons: tuple[float, ...], alpha: float, beta: float) -> tuple[_Best, ...]:
    """Return the best at every epsilon, over a range of t and a refined grid of alpha'."""
    starts = range(0, len(epsilons), _TOGETHER)
    parts = (_searched(epsilons[k : k + _TOGETHER], alpha, beta) for k in starts)
    return tuple(itertools.chain.from_iterable(parts))


def _searched(epsilons: Sequence[float], alpha: float, beta: float) -> list[_Best]:
    """Return the best at a few epsilons, over a range of t and a refined grid of alpha'.

    Any (t, alpha') gives a true bound, so a coarse search costs sharpness, never truth. The
    first t is the least with 2^-t / alpha < beta; no other is useful below it.

    What is needed grows with the share of beta that is lost to 2^-t / alpha', which falls with alpha',
    and with 1 / rate, which grows: between two places of the grid it is at least that share at the upper
    one over the rate at the lower one. A t for which that is above the best is not looked at again.
    """
    first = max(1, math.floor(-math.log2(alpha) - math.log2(beta)) + 1)
    bits = np.arange(first, first + _MORE_BITS, dtype=np.float64)[:, None]
    share = np.linspace(0.0, 1.0, _GRID + 2)
    lowest = -bits * _LOG2 - math.log(beta)
    factor = _log_buckets(bits, 1) - math.log(beta)

    def asked(
        grid: NDArray[np.float64], which: NDArray[np.intp], loss: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return what is asked for at places log alpha' of rows of t, and the rates; alpha' too."""
        good, free = np.exp(grid), math.log(alpha) - grid
        # What is left of beta, as a share: 1 - 2^-t / (alpha' beta).
        left = -np.expm1(lowest[which] - grid)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_factor = np.where(left > 0.0, factor[which] - np.log(left), np.inf)
        # Some epsilon' < epsilon may be best: it is the same for all of those.
        loss = np.minimum(loss, free.max())
        rate = -np.log1p(alpha * np.expm1(-0.5 * loss) + good * np.expm1(0.5 * loss))
        if (free < loss.max()).any():
            most = -np.log1p(alpha * np.expm1(-0.5 * free) + good * np.expm1(0.5 * free))
            rate = np.where(loss <= free, rate, most)
        return log_factor, rate, good

    loss = np.array(epsilons)[:, None, None]
    low, high = lowest, np.full(bits.shape, math.log(alpha))
    grid = low + share * (high - low)
    factors, rates, goods = asked(grid, np.arange(_MORE_BITS), loss)
    needed = _over(factors, rates)
    place, row = np.indices(needed.shape[:2]).reshape(2, -1)
    at = np.clip(needed.argmin(axis=2), 1, _GRID).ravel()
    value = needed[place, row, at]
    rate = rates[place, row, at]
    bound = np.minimum(
        _over(factors[row, at], rates[place, row, at - 1]), _over(factors[row, at + 1], rate)
    )
    best = value.reshape(needed.shape[:2]).min(axis=1)
    open_ = np.flatnonzero(bound <= best[place] * (1.0 + 1e-9))
    place, row, at, value, rate = (x[open_] for x in (place, row, at, value, rate))
    good, middle = goods[row, at], grid[row, at]
    step = ((high - low) / (_GRID + 1))[row, 0]
    loss, rows = loss[place, :, 0], np.arange(place.size)
    for _ in range(_ROUNDS - 1):
        grid = (middle - step)[:, None] + share[1:-1] * ((middle + step) - (middle - step))[:, None]
        factors, rates, goods = asked(grid, row, loss)
        needed = _over(factors, rates)
        at = needed.argmin(axis=1)
        step = ((middle + step) - (middle - step)) / (_GRID + 1)
        middle = grid[rows, at]
        less = needed[rows, at] < value
        value = np.where(less, needed[rows, at], value)
        good, rate = np.where(less, goods[rows, at], good), np.where(less, rates[rows, at], rate)
    order = np.lexsort((value, place))
    tops = order[np.searchsorted(place[order], np.arange(len(epsilons)))]
    return [
        _Best(max(1, math.ceil(value[k])), int(bits[row[k], 0]), float(good[k]), float(rate[k]))
        for k in tops.tolist()
    ]


def _over(factor: NDArray[np.float64], rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return factor / rate, infinite where there is no rate."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rate > 0.0, factor / rate, np.inf)
