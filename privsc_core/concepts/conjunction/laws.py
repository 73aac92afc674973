"""Success laws of conjunctions on independent bits: half of the examples are positive."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from privsc_core.concepts.conjunction.distributions import Conjunction, ConjunctionDistribution
from privsc_core.concepts.contracts import Estimate, Knob, Source
from privsc_core.concepts.shared.cube import LISTED_MOST
from privsc_core.concepts.shared.laws import (
    by_d,
    corrected,
    exact,
    gathered,
    narrowed,
    rao_blackwell,
)
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import binomial_ends, binomial_rows, binomial_window
from privsc_core.numerics.sums import add_supersets, interpolated
from privsc_core.numerics.tails import binomial_above, binomial_at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Setting
    from privsc_core.concepts.shared.hypotheses import Hypothesis


_BITS_MOST = 10_000
# An error this near to alpha is alpha: the chance of a 1 is a root, which no float is.
_TIE = 1e-12
# Of a window that is wide every k-th count will do, where every other one of these does as well:
# halving steps squares the error of a smooth integrand, at least.
_PER_DEVIATION = 16.0
_SAME, _PART = 1e-12, 1e-3
# Of so many counts the others follow: chances are smooth over a deviation of the number of positives.
_NODES = 64
_TINY, _ONE = 1e-300, 1.0 - 2.0**-53
_EXPONENT = [1.0 / (n * (2 * n - 1)) for n in range(24, 0, -1)]
_COINS = 1 << 22  # drawn at a time


@dataclass(frozen=True)
class Product(ConjunctionDistribution):
    """Independent bits, each 1 with probability 2^(-1/s): the target is 1 on half of the points."""

    literals: int = 4

    name = "product"
    title = "Product: independent bits"
    source = Source("ours", "so that both labels are equally likely")
    brief = "independent bits; half of the examples are positive"
    meaning = (
        "The target is the conjunction of the first s bits (of all bits if d < s). The bits are "
        "independent, and each is 1 with probability 2^(-1/s), so that half of the points have "
        "label 1."
    )
    knobs = (Knob("literals", "s", "literals of the target", 1, 10_000, 4),)

    @property
    def most_d(self) -> int:
        """The largest number of bits at which the law is computed."""
        return _BITS_MOST

    @property
    def steps_to(self) -> float:
        """Up to all literals of the target: a bit more is then one more that may be wrong."""
        return self.literals - 1

    def relevant(self, d: int) -> int:
        """Return how many literals the target has."""
        return min(self.literals, d)

    def one(self, d: int) -> float:
        """Return the probability that a bit is 1."""
        return math.exp2(-1.0 / self.relevant(d))

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse an alpha at which 0 everywhere would do, and a d that is too large."""
        if alpha >= 0.5:
            raise InputError("alpha", f"must be less than 1/2 for {self.name}", alpha)
        if d > self.most_d:
            raise InputError("d", f"must be at most {self.most_d} for {self.name}", d)

    def allowed(self, d: int, alpha: float) -> list[int]:
        """Return how many literals too many leave the error at alpha, after A too few, A = 0, 1, ...

        It is (1 - u (2 - 2^(A/s))) / 2 where u is the chance that all B literals too many are 1:
        it grows with A and with B. What no B leaves at alpha is left out.
        """
        s, found = self.relevant(d), []
        for dropped in range(s):
            room = (1.0 - 2.0 * (alpha + _TIE)) / (2.0 - math.exp2(dropped / s))
            if room > 1.0:
                break
            found.append(math.floor(-s * math.log2(room)))
        return found

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether the hypothesis has error at most alpha."""
        return super().succeeds(hypothesis, d=d, alpha=alpha + _TIE)

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction | None:
        """Return the error to sixteen digits, in a fraction."""
        one, goal = self.one(d), self.target(d) - 1
        if isinstance(hypothesis, Conjunction):
            picked = hypothesis.j - 1
            few, many = (goal & ~picked).bit_count(), (picked & ~goal).bit_count()
            s = self.relevant(d)
            return Fraction((1.0 - one**many * (2.0 - math.exp2(few / s))) / 2.0)
        if d > LISTED_MOST:
            return None
        wrong = 0.0
        for x in range(1, (1 << d) + 1):
            if hypothesis.predict(x) != self.truth(x, d):
                ones = (x - 1).bit_count()
                wrong += one**ones * (1.0 - one) ** (d - ones)
        return Fraction(wrong)

    def points(self, m: int, d: int, rng: np.random.Generator) -> list[int]:
        """Return m points drawn independently."""
        found, rows = [], max(1, _COINS // d)
        for begin in range(0, m, rows):
            bits = rng.random((min(rows, m - begin), d)) < self.one(d)
            packed = np.packbits(bits, axis=1, bitorder="little")
            found += [1 + int.from_bytes(row.tobytes(), "little") for row in packed]
        return found


def _positives(
    m: int, step: int, setting: Setting
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return numbers of positive examples with their weights, every k-th."""
    if step <= 1:
        first, weights = binomial_window(m, 0.5, setting.log_tail)
        return first + np.arange(weights.size), weights
    first, last = binomial_ends(m, 0.5, setting.log_tail)
    count = np.arange(first, last + 1, step)
    # Stirling's series; of x = 2k/m - 1 the exponent is m/2 (x^2 + x^4/6 + ... + x^2n/(n(2n-1))).
    square = ((2 * count - m) / m) ** 2
    k, rest = count.astype(np.float64), (m - count).astype(np.float64)
    logs = -0.5 * m * square * np.polyval(_EXPONENT, square) - 0.5 * np.log1p(-square)
    logs += sum((1.0 / (360.0 * part**2) - 1.0 / 12.0) / part for part in (k, rest))
    weights = np.exp(logs - logs.max())
    return count, weights / weights.sum()


def _nodes(first: int, last: int) -> NDArray[np.int64]:
    """Return whole numbers near the places of a Chebyshev polynomial's extrema."""
    angles = np.linspace(0.0, math.pi, _NODES)
    return np.unique(
        np.rint(first + (last - first) * (1.0 - np.cos(angles)) / 2.0).astype(np.int64)
    )


def _followed(
    chance: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    positives: NDArray[np.int64],
    unseen: float,
) -> NDArray[np.float64]:
    """Return chances at every number of positives; where there are many, those of some tell the others.

    They follow in their logs, so that small ones are right relative to themselves. They fall, and where
    even the first is below `unseen` the others are as well.
    """
    if positives.size <= 2 * _NODES:
        return chance(positives)
    nodes = _nodes(positives[0], positives[-1])
    if chance(nodes[:1])[0] < unseen:
        return np.zeros(positives.size)
    found = chance(nodes)
    if found.min() < _TINY:
        return chance(positives)
    return np.exp(np.minimum(interpolated(nodes, np.log(found), positives), 0.0))


def product_law(
    distribution: Product,
    setting: Setting,
    kept: Callable[[int, NDArray[np.int64]], NDArray[np.float64]],
    dropped: NDArray[np.float64],
) -> Estimate:
    """Return the law of a learner that decides every literal apart, given how many positives there are.

    Parameters
    ----------
    distribution, setting
        As for `Learner.success`.
    kept : callable
        (cell, numbers of positive examples) -> how likely it keeps a literal that the target has not.
    dropped : ndarray of float64, shape (cells,)
        How likely it drops one that the target has.

    Notes
    -----
    N ~ Bin(m, 1/2) positives; A ~ Bin(s, dropped) literals too few, and given N independently
    B ~ Bin(d - s, kept(N)) too many.
    """
    value, lost = np.zeros((2, dropped.size))
    literals = np.array([distribution.relevant(d) for _, d, _ in setting.cells()], dtype=np.int64)
    # At 0 and 1 there would be no ratio of neighbours.
    first, likely = binomial_rows(literals, dropped.clip(_TINY, _ONE), setting.log_tail)
    for cell, (m, d, _) in enumerate(setting.cells()):
        distribution.check(d=d, alpha=setting.alpha)
        s, most = distribution.relevant(d), distribution.allowed(d, setting.alpha)
        unseen = math.exp(-setting.log_tail) / max(d - s, 1)

        def chances(positives: NDArray[np.int64]) -> NDArray[np.float64]:
            return _followed(lambda n: kept(cell, n), positives, unseen)  # noqa: B023 - called at once

        few = np.zeros(len(most))
        place = first[cell] + np.arange(likely.shape[1])
        there = (place >= 0) & (place < len(most))
        few[place[there]] = likely[cell, there]
        step = 1 << max(math.floor(math.log2(math.sqrt(m) / 2.0 / _PER_DEVIATION)), 0)
        # Nothing is told of what is rarer than the positives that are left out.
        nothing = _PART * math.exp(-setting.log_tail)
        while True:
            positives, weights = _positives(m, step, setting)
            sums = _sums(weights, chances(positives), few, most, d - s)
            if step == 1 or np.isclose(sums[1], sums[0], _SAME, nothing).all():
                break
            step //= 2
        value[cell], lost[cell] = sums[0]
        lost[cell] += float(binomial_above(len(most) - 1, s, dropped[cell]))
    return exact(value.reshape(setting.shape), setting, lost.reshape(setting.shape))


def _sums(
    weights: NDArray[np.float64],
    chance: NDArray[np.float64],
    few: NDArray[np.float64],
    most: list[int],
    others: int,
) -> NDArray[np.float64]:
    """Return success and failure by numbers of positives, and by every other one of them.

    Parameters
    ----------
    weights, chance : ndarray of float64
        Of numbers of positives, and how likely a literal is kept then that is too many.
    few : ndarray of float64
        How likely so many literals are too few.
    most : list of int
        How many may then be too many.
    others : int
        How many there are.
    """
    total = np.zeros((2, chance.size))
    for odd, many in zip(few.tolist(), most, strict=True):
        above = binomial_above(many, others, chance)
        # The tail that is near 1 takes scipy many times longer than what is left of 1.
        likely = above.max() < 0.5
        total[0] += odd * (1.0 - above if likely else binomial_at_most(many, others, chance))
        total[1] += odd * above
    return np.stack([total @ weights, total[:, ::2] @ weights[::2] / weights[::2].sum()])


# --- What the exponential mechanism does on independent bits, averaged over drawn samples --------
#
# Given a sample a conjunction is drawn with probability proportional to e^{-rate * mistakes}: success is
# G / (G + F), the weights of the accurate ones over all. Sums over supersets count the mistakes of all
# 2^d conjunctions at once, so that the coins of the mechanism are integrated out and only those of the
# sample are drawn.
#
# The target weighs 1, and 1 / (1 + x) is convex, so that success is at least 1 / (1 + E F). E F is known:
# A literals too few and B too many err with probability e(A, B), and such a conjunction weighs
# (1 - e(A, B) (1 - e^{-rate}))^m on average. Where that leaves nothing open, nothing is drawn.
#
# Of many bits all conjunctions are weighed on few of the samples. On the others G and F are replaced by their
# means given the positive examples and how many literals of the target the negative ones lack (`nearly`): that
# takes 2^(d - s) numbers in place of 2^d, or far fewer, and the few samples correct its mean (`corrected`).


BITS_MOST = 16
"""The most bits: on some samples the mistakes of all 2^d conjunctions are counted."""

_NARROW = 1e-4  # Nothing is drawn where at most so much is open.
_ENTRIES = 1 << 21  # of mistakes that are counted at once
_TOGETHER = 1 << 15  # of them that fit into a cache
_NOTHING = 40.0  # e^-40 of the weight of the target is lost in rounding
# Conjunctions are weighed one by one at so many rates; at more they are counted first.
# From so many bits on all conjunctions are weighed on one of so many samples. At larger rates the means are
# poorer, and one of fewer keeps the intervals honest: what is corrected must vary less than numbers in [0, 1]
# may (measured up to epsilon = 8).
_FEW_RATES = 2
_MANY, _SHARE, _STEEP, _STEEP_SHARE = 11, 25, 1.0, 5
# On the others all sets of up to so many bits beside the target's are told apart, of more those of at most two, which
# suffices unless they are accurate (measured at 16 bits, 1 to 3 literals of the target and rates up to 4).
_OTHERS_MOST = 12


def mechanism_law(
    distribution: Product, setting: Setting, rate: Callable[[float], float]
) -> Estimate:
    """Return the law of drawing a conjunction with weight e^{-rate(epsilon) * mistakes}.

    Raises
    ------
    InputError
        Where there are too many conjunctions to count the mistakes of all of them.
    """
    for d in (int(setting.d.min()), int(setting.d.max())):
        distribution.check(d=d, alpha=setting.alpha)
        if d > BITS_MOST:
            wanted = f"must be at most {BITS_MOST} on {distribution.name} to weigh all conjunctions"
            raise InputError("d", wanted, d)
    return by_d(setting, partial(_at_one_d, distribution, rate))


def _at_one_d(
    distribution: Product, rate: Callable[[float], float], d: int, setting: Setting
) -> Estimate:
    m = np.broadcast_to(setting.m, setting.shape)
    epsilon = np.broadcast_to(setting.epsilon, setting.shape)
    most = np.array(distribution.allowed(d, setting.alpha))
    low = np.exp(-np.logaddexp(0.0, _log_rivals(distribution, rate, d, m, epsilon, most)))
    proved = Estimate(low, low, np.ones(setting.shape), "rao-blackwell")
    open_ = 1.0 - low > _NARROW
    if not open_.any():
        return proved

    part = replace(setting, m=m[open_], d=np.array(d), epsilon=epsilon[open_])
    rates = {x: rate(x) for x in part.epsilon.tolist()}
    longest = int(part.m[part.m < 1 << d].max(initial=0))

    @lru_cache(maxsize=1)  # the examples of a smaller m are the first ones of a larger m
    def points(trials: int, *stream: int) -> NDArray[np.int32]:
        return _points(distribution, d, longest, trials, np.random.default_rng(stream))

    def drawn(here: NDArray[np.intp]) -> Estimate:
        losses = np.unique(part.epsilon[here])
        weigh = _Weighing(distribution, d, most, np.array([rates[x] for x in losses.tolist()]))

        def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.float64]]:
            if m >= 1 << d:
                return (weigh.counts(m, trials, rng),)
            stream = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined]
            return (weigh.points(points(trials, *stream)[:m]),)

        return rao_blackwell(
            replace(part, m=part.m[here], epsilon=part.epsilon[here]),
            draw,
            lambda _, loss, chances: chances[np.searchsorted(losses, loss)],
        )

    # Rates of another share are weighed apart: no number depends on what else is asked.
    shares = np.array([_share(distribution, d, most, rates[x]) for x in part.epsilon.tolist()])
    parts = [(here, drawn(here)) for one in np.unique(shares) for here in np.nonzero(shares == one)]
    return narrowed(proved, open_, gathered(part.m.shape, parts))


def _share(distribution: Product, d: int, most: NDArray[np.int64], rate: float) -> int:
    """Return on one of how many samples all conjunctions are weighed."""
    # Beside a single literal two others that are accurate leave the means too poor.
    if d < _MANY or (distribution.relevant(d) == 1 and most[0] >= 2):
        return 1
    return _SHARE if rate <= _STEEP else _STEEP_SHARE


@dataclass(frozen=True, slots=True, eq=False)
class _Weighing:
    """How likely an accurate conjunction is drawn at some rates, given samples.

    Attributes
    ----------
    distribution, d
        Where examples come from.
    most : ndarray of int64
        How many literals too many an accurate conjunction may have, by how many it has too few.
    rates : ndarray of float64
        Factors of the mistakes in the exponent.
    """

    distribution: Product
    d: int
    most: NDArray[np.int64]
    rates: NDArray[np.float64]

    def points(self, points: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the chances for samples of these points less 1, shape (rates, samples)."""
        m, trials = points.shape
        few = self._few(trials)
        step = max(1, _ENTRIES >> self.d)
        right = self.right(
            m,
            (
                _tally(points[:, at : min(at + step, few)], 1 << self.d)
                for at in range(0, few, step)
            ),
        )
        if few == trials:
            return right
        goal, s = self.distribution.target(self.d) - 1, self.distribution.relevant(self.d)
        absent = goal & ~points
        missing = np.bitwise_count(absent).astype(points.dtype)
        place = np.bitwise_count(absent - 1).astype(points.dtype)  # of a single one
        return corrected(
            self.nearly(
                self._positive(points >> s, missing == 0),
                _tally(place, s, missing == 1),
                _tally(missing, s + 1),
            ),
            right,
        )

    def counts(self, m: int, trials: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the chances for samples of m examples, drawn as how often every point occurs."""
        few, s, goal = (
            self._few(trials),
            self.distribution.relevant(self.d),
            self.distribution.target(self.d) - 1,
        )
        step = max(1, _ENTRIES >> self.d)
        sizes = [min(step, few - start) for start in range(0, few, step)]
        masses = self._masses(self.d)
        tables = (
            np.ascontiguousarray(rng.multinomial(m, masses, size=n).T, _kind(m)) for n in sizes
        )
        if few == trials:
            return self.right(m, tables)
        whole = list(tables)
        found = np.concatenate(whole, axis=1)
        # Of the other samples only what `nearly` takes.
        by_literals = found.reshape(-1, goal + 1, few).sum(axis=0)
        absent = s - np.bitwise_count(np.arange(goal + 1)).astype(np.int64)
        shares = np.array([self._masses(s)[absent == size].sum() for size in range(s + 1)])
        missing = rng.multinomial(m, shares / shares.sum(), size=trials - few).T
        single = rng.multinomial(missing[1], np.full(s, 1.0 / s)).T
        positive = rng.multinomial(missing[0], self._masses(self.d - s)).T
        first = np.stack([by_literals[absent == size].sum(axis=0) for size in range(s + 1)])
        return corrected(
            self.nearly(
                _mistakes_on_positive(np.hstack([found[goal :: goal + 1], positive])),
                np.hstack([by_literals[goal ^ (1 << np.arange(s))], single]),
                np.hstack([first, missing]),
            ),
            self.right(m, whole),
        )

    def _positive(self, points: NDArray[np.int32], where: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return mistakes on positive examples, see `nearly`; of many bits only those of at most two others."""
        bits = self.d - self.distribution.relevant(self.d)
        # Where two others are still accurate, three must not be taken for their mean.
        if bits <= _OTHERS_MOST or self.most[0] >= 2:
            return _mistakes_on_positive(_tally(points, 1 << bits, where))
        both = np.zeros((points.shape[1], bits, bits), dtype=np.float32)
        rows = max(1, _TOGETHER * 8 // (points.shape[1] * bits))
        for at in range(0, len(points), rows):
            part, counts = ~points[at : at + rows], where[at : at + rows, :, None]
            zeros = (part[:, :, None] >> np.arange(bits) & counts).astype(np.float32)
            both += zeros.transpose(1, 2, 0) @ zeros.transpose(1, 0, 2)
        single = np.einsum("kii->ki", both)
        first, second = np.triu_indices(bits, 1)
        either = single[:, first] + single[:, second] - both[:, first, second]
        every = where.sum(axis=0, dtype=np.float32)[:, None]
        return np.concatenate([np.zeros_like(every), single, either, every], axis=1).T

    def _few(self, trials: int) -> int:
        """Return on how many samples all conjunctions are weighed."""
        share = _share(self.distribution, self.d, self.most, self.rates.max())
        return max(1, trials // share)

    def _masses(self, bits: int) -> NDArray[np.float64]:
        """Return the probabilities of all values of so many bits."""
        one, ones = self.distribution.one(self.d), np.bitwise_count(np.arange(1 << bits))
        chances = one**ones * (1.0 - one) ** (bits - ones)
        return np.asarray(chances / chances.sum())

    def right(self, m: int, tables: Iterable[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the chances given how often every point occurs in samples, shape (rates, samples).

        Of many rates conjunctions are counted by their mistakes first: then each costs little. The target makes
        none, so that of all with very many mistakes nothing is left.
        """
        accurate = _accurate_ones(self.distribution, self.d, tuple(self.most.tolist()))
        most = math.ceil(
            min(m, (self.d * math.log(2.0) + _NOTHING) / max(self.rates.min(), 1e-300))
        )
        numbers, found = np.arange(most + 1.0), []
        for mistakes in map(partial(_mistakes, self.distribution, self.d), tables):
            if self.rates.size > _FEW_RATES and most < len(mistakes):
                every, some = _tallied(mistakes, most), _tallied(mistakes[accurate], most)
                weights = np.exp(-self.rates[:, None] * numbers)
                found.append((weights @ some) / (weights @ every))
                continue
            each = (
                np.exp(-rate * np.arange(m + 1.0))[mistakes]
                if m < len(mistakes)
                else np.exp(-rate * mistakes)
                for rate in self.rates.tolist()
            )
            ones = np.ones(len(mistakes))  # a product is quicker than a sum over rows
            found.append(np.stack([x[accurate].sum(axis=0) / (ones @ x) for x in each]))
        return np.concatenate(found, axis=1)

    def nearly(
        self, positive: NDArray[Any], single: NDArray[Any], missing: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Return G / (G + F) of their means given a part of the samples, shape (rates, samples).

        Parameters
        ----------
        positive : ndarray, shape (2^(d - s), samples) or (1 + (d - s) + C(d - s, 2) + 1, samples)
            Mistakes on positive examples of the conjunctions of all sets of the bits that are no literals of the
            target, the last of them all bits; or of the sets of at most two, and the number of positive examples.
        single : ndarray of int, shape (s, samples)
            How many negative examples have a 0 in each literal of the target alone.
        missing : ndarray of int, shape (s + 1, samples)
            How many examples have so many zeros among these.

        Notes
        -----
        A conjunction that lacks a literals of the target and has b others errs on the positive examples where
        one of the others is 0, and on the negative ones where all of its bits are 1. Given how many literals j a
        negative example lacks, the chance is q^b C(a, j) / C(s, j), where q is that of a 1, or q^b for j = 1 where
        the conjunction lacks that one and 0 else. Sums over all conjunctions that lack a literals are elementary
        symmetric polynomials of the weights on the examples that lack one. Where only sets of at most two other bits
        are given, larger ones weigh on the positive examples what they do on average, given how many there are.
        """
        s, one = self.distribution.relevant(self.d), self.distribution.one(self.d)
        few, many = np.arange(s + 1), np.arange(self.d - s + 1)
        whole = len(positive) == 1 << (self.d - s)
        sizes = (
            np.bitwise_count(np.arange(len(positive)))
            if whole
            else np.repeat([0, 1, 2], special.binom(self.d - s, [0, 1, 2]).astype(int))
        )
        mistakes = positive[: sizes.size]
        of_size = (sizes == many[:, None]).astype(np.float32)
        inside = special.binom(few[:, None], few) / special.binom(s, few)
        fine = _accurate(few, many[:, None], self.most)
        numbers = special.binom(self.d - s, many[3:, None])
        found = np.empty((self.rates.size, mistakes.shape[1]))
        for at, rate in enumerate(self.rates.tolist()):
            on_positive = of_size @ np.exp(np.float32(-rate) * mistakes)
            if not whole:
                kept = np.log1p((1.0 - one ** many[3:, None]) * math.expm1(-rate))
                on_positive[3:] = numbers * np.exp(kept * positive[-1])
            with np.errstate(divide="ignore"):
                logs = np.log1p(one ** many[:, None, None] * inside * math.expm1(-rate))
            logs = np.maximum(logs, -rate)
            # The chance with a = s is that of the one literal.
            on_single = np.exp(logs[:, s, 1, None, None] * single)
            sums = np.zeros((many.size, s + 1, mistakes.shape[1]))
            sums[:, 0] = on_positive
            for literal in range(s):
                sums[:, 1:] += sums[:, :-1] * on_single[:, None, literal]
            sums *= np.exp(logs[:, :, 2:] @ missing[2:])
            found[at] = sums[fine].sum(axis=0) / sums.sum(axis=(0, 1))
        return found


def _mistakes_on_positive(counts: NDArray[Any]) -> NDArray[np.float32]:
    """Return the mistakes of all conjunctions from how often every positive point occurs; changes this."""
    add_supersets(counts)
    # Single precision is enough: what is right corrects it.
    return np.asarray(counts[0] - counts, dtype=np.float32)


def _tallied(mistakes: NDArray[Any], most: int) -> NDArray[np.float64]:
    """Return how many make each number of mistakes up to `most`, shape (numbers, samples)."""
    samples, counts = mistakes.shape[1], np.zeros((most + 2) * mistakes.shape[1])
    for rows in np.array_split(mistakes, max(mistakes.size // _TOGETHER, 1)):
        places = np.minimum(rows, most + 1).astype(np.intp)
        places *= samples
        places += np.arange(samples)
        counts += np.bincount(places.ravel(), minlength=counts.size)
    return counts.reshape(most + 2, samples)[:-1]


def _wrong(distribution: Product, d: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many literals of the target are missing, and how many others there are, for every S."""
    goal = distribution.target(d) - 1
    bits = np.arange(1 << d)
    few, many = np.bitwise_count(goal & ~bits), np.bitwise_count(bits & ~goal)
    return few.astype(np.int64), many.astype(np.int64)


@lru_cache(maxsize=32)
def _accurate_ones(distribution: Product, d: int, most: tuple[int, ...]) -> NDArray[np.intp]:
    """Return the places of the conjunctions that are accurate."""
    return np.flatnonzero(_accurate(*_wrong(distribution, d), np.array(most)))


def _accurate(
    few: NDArray[np.int64], many: NDArray[np.int64], most: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which conjunctions are accurate, by numbers of surplus and missing literals."""
    return (few < most.size) & (many <= most[np.minimum(few, most.size - 1)])


def _log_rivals(
    distribution: Product,
    rate: Callable[[float], float],
    d: int,
    m: NDArray[np.int64],
    epsilon: NDArray[np.float64],
    most: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the logarithm of the mean weight of all conjunctions that are not accurate."""
    s = distribution.relevant(d)
    few, many = (x.ravel() for x in np.mgrid[: s + 1, : d - s + 1])
    bad = ~_accurate(few, many, most)
    few, many = few[bad], many[bad]
    error = (1.0 - distribution.one(d) ** many * (2.0 - np.exp2(few / s))) / 2.0
    log_count = sum(
        special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
        for n, k in ((s, few), (d - s, many))
    )
    kept = np.array([-np.expm1(-rate(loss)) for loss in epsilon.ravel().tolist()])
    each = log_count + m.ravel()[:, None] * np.log1p(-error * kept[:, None])
    return np.asarray(special.logsumexp(each, axis=1)).reshape(m.shape)


def _mistakes(distribution: Product, d: int, counts: NDArray[Any]) -> NDArray[Any]:
    """Return the mistakes of all conjunctions from how often every point occurs, of the same shape; in place."""
    goal = distribution.target(d) - 1
    # The points with label 1: the literals of the target are the first bits.
    positive = counts[goal :: goal + 1]
    told = positive.sum(axis=0, dtype=counts.dtype)
    np.negative(positive, out=positive)
    # It errs on every positive example but those above it, and on the negative ones above it: what stands at
    # the point of ones is added to all.
    counts[-1] += told
    add_supersets(counts)
    return counts


def _kind(m: int) -> type[np.signedinteger[Any]]:
    """Return the smallest type of numbers up to m."""
    return np.int16 if m < 1 << 15 else np.int32 if m < 1 << 31 else np.int64


def _tally(
    values: NDArray[np.int32], size: int, where: NDArray[np.bool_] | None = None
) -> NDArray[Any]:
    """Return how often each value below `size` occurs in every column, or `where` it counts, shape (size, columns)."""
    columns = values.shape[1]
    places = values * columns + np.arange(columns, dtype=values.dtype)
    counts = np.zeros(size * columns, dtype=_kind(len(values)))
    np.add.at(counts, (places.ravel() if where is None else places[where]), counts.dtype.type(1))
    return counts.reshape(size, columns)


def _points(
    distribution: Product, d: int, m: int, trials: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Return points less 1, shape (m, samples); the first ones are the same whatever m is."""
    rows = max(1, _COINS // (trials * d))
    found = np.empty((m, trials), dtype=np.int32)
    for begin in range(0, m, rows):
        coins = rng.random((min(rows, m - begin), trials, d)) < distribution.one(d)
        packed = np.packbits(coins, axis=2, bitorder="little").astype(np.int64)
        found[begin : begin + rows] = (packed << 8 * np.arange(packed.shape[2])).sum(axis=2)
    return found
