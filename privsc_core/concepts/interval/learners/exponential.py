"""The learners that choose among all of INTERVAL_d: without privacy, exponential, noise."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.interval.distributions import Hard, Threshold
from privsc_core.concepts.interval.laws import interval_law
from privsc_core.concepts.interval.trace import groups_of_thresholds
from privsc_core.concepts.shared.choosing import Choosing, FewestMistakes, Groups
from privsc_core.concepts.shared.hypotheses import Concepts, Noisy
from privsc_core.concepts.shared.inequalities import roughly_allowed
from privsc_core.concepts.shared.laws import exact
from privsc_core.concepts.shared.sample import BITS_MOST
from privsc_core.concepts.shared.trace import Step
from privsc_core.errors import InputError
from privsc_core.numerics.logspace import draw, each
from privsc_core.numerics.trinomial import two_sided_odds, two_sided_shares

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# --- The exponential mechanism over INTERVAL_d on many samples at a time -------------------------
#
# Rows are sorted; between two neighbouring points every threshold makes the same mistakes, which
# a running sum of labels counts in whole numbers, and a table turns counts into weights.


if TYPE_CHECKING:
    # Whole numbers, as floats where those hold them.
    _Cuts = NDArray[np.float64] | NDArray[np.int64]

# Examples per block of rows: small enough for the cache, large enough to hide Python.
_BLOCK = 1 << 15
# e^{-1000} is 0: a larger rate changes nothing, and could overflow.
_RATE_MOST = 1000.0
# Bits of a whole number that a float holds.
_EXACT = 52
# Segments in a bin.
_BIN = 16


def run_many(
    x: NDArray[np.integer],
    y: NDArray[np.uint8],
    *,
    d: int,
    rate: float,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Choose one threshold per sample, with probability proportional to e^{-rate * mistakes}.

    Parameters
    ----------
    x, y : ndarray, shape (samples, m)
        Points in [1, 2^d] and labels, as `checked_rows` returns them.
    d : int
        Bits, at most 62.
    rate : float
        The factor of the mistakes in the exponent, epsilon / 2 for privacy epsilon.
    rng : numpy.random.Generator
        One random number per sample for the segment, one for the threshold in it.

    Returns
    -------
    ndarray of int64, shape (samples,)
        The chosen j, in [1, 2^d + 1].
    """
    chosen = np.empty(len(x), dtype=np.int64)
    for rows, cuts, weight in _blocks(x, y, d, rate):
        pick = _choose(cuts, weight, rng)
        here = np.arange(len(cuts))
        low, high = cuts[here, pick].astype(np.int64), cuts[here, pick + 1].astype(np.int64)
        chosen[rows] = low + 2 + rng.integers(high - low)
    return chosen


def _blocks(
    x: NDArray[np.integer], y: NDArray[np.uint8], d: int, rate: float
) -> Iterator[tuple[slice, _Cuts, NDArray[np.float64]]]:
    """Yield rows, cuts (segment i is the thresholds cuts[i]+2..cuts[i+1]+1) and its weights.

    Behind the m + 1 segments stands one of weight 0, so that rows have as many as cuts. The
    arrays may be changed, and are used again for the next rows.
    """
    samples, m = x.shape
    table = np.append(np.exp(-min(rate, _RATE_MOST) * np.arange(m + 1)), 0.0)
    step = min(samples, max(1, _BLOCK // m))
    keys = np.empty((step, m), dtype=np.min_scalar_type(-(1 << d) * 2))
    every = np.empty((step, m + 2), dtype=np.float64 if d <= _EXACT else np.int64)
    errors, weights = np.empty((step, m + 2), dtype=np.int32), np.empty((step, m + 2))
    places = np.arange(m + 2, dtype=np.int32)
    for start in range(0, samples, step):
        rows = slice(start, min(start + step, samples))
        size = rows.stop - start
        key, cuts, mistakes, weight = keys[:size], every[:size], errors[:size], weights[:size]
        # Points from 0, so that 62 bits and a label fill an int64 and no more.
        np.subtract(x[rows], 1, out=key, casting="unsafe")
        key <<= 1
        key |= y[rows]
        key.sort(axis=1)
        cuts[:, 0], cuts[:, -1] = -1, 1 << d
        np.right_shift(key, 1, out=cuts[:, 1:-1], casting="unsafe")
        # One mistake more behind a negative example, one fewer behind a positive one.
        key &= 1
        mistakes[:, 0] = mistakes[:, -1] = 0
        np.cumsum(key, axis=1, dtype=np.int32, out=mistakes[:, 1:-1])
        mistakes *= -2
        mistakes += places
        mistakes -= mistakes.min(axis=1, keepdims=True)
        # The last place is beyond the table, and clipped to its 0.
        table.take(mistakes, out=weight, mode="clip")
        yield rows, cuts, weight


def _lengths(cuts: _Cuts, out: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fill `out` with the lengths of all segments, those between two rows included."""
    flat = cuts.ravel()
    np.subtract(flat[1:], flat[:-1], out=out.ravel()[:-1])
    return out


def _choose(cuts: _Cuts, weight: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw one segment per row, with probability proportional to its weight times its length.

    First a bin of segments, then one of the bin: running sums are short.
    """
    samples, segments = weight.shape
    bins = -(-segments // _BIN)
    length = _lengths(cuts, np.zeros(weight.shape))
    share = np.zeros((samples, bins, _BIN))
    np.multiply(weight, length, out=share.reshape(samples, -1)[:, :segments])
    here = np.arange(samples)
    total = np.cumsum(np.einsum("ijk->ij", share), axis=1)
    which, rest = _first_above(total, rng.random(samples) * total[:, -1])
    inside, _ = _first_above(np.cumsum(share[here, which], axis=1), rest)
    return which * _BIN + inside


def _first_above(
    total: NDArray[np.float64], wanted: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return where running sums first exceed what is wanted, and by how much it passed the last.

    Rounding may want all there is, or less than nothing: that is something all the same.
    """
    wanted = np.clip(wanted, 0.0, np.nextafter(total[:, -1], 0.0))
    place = (total > wanted[:, None]).argmax(axis=1)
    before = total[np.arange(len(place)), np.maximum(place - 1, 0)]
    return place, np.where(place > 0, wanted - before, wanted)


# --- The non-private proper learner --------------------------------------------------------------


@dataclass(frozen=True)
class Erm(FewestMistakes):
    """Fewest mistakes, ties broken uniformly: no privacy, and no dependence on d."""

    source = Source("BBKN13", "Theorem 2.4")
    summary = (
        "Empirical risk minimisation: a uniformly random threshold among those with the fewest "
        "mistakes. If a threshold fits the sample, that is one in the gap between the labels."
    )
    proper = True
    laws = {
        "hard": "exact", "band": "rao-blackwell", "uniform": "rao-blackwell",
        "cascade": "rao-blackwell",
    }  # fmt: skip
    record_keys = ("j",)

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the thresholds, cut behind every sample point."""
        return groups_of_thresholds(
            sample, "The smallest number of mistakes that a threshold makes on the sample: {}."
        )

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on `hard`, elsewhere averaged over simulated samples."""
        return interval_law(distribution, setting, self._hard, lambda _: math.inf)

    def _hard(self, distribution: Hard, setting: Setting) -> Estimate:
        value, _, failure = hard_success(distribution, setting)
        return exact(value, setting, failure)


def hard_success(
    distribution: Hard, setting: Setting
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return on `hard` the probabilities of the target, of c_1, and of all but the target.

    c_1 is the one other threshold that errs on point 1.

    With a point beside the step unseen, the threshold is a guess in the gap that remains.
    """
    m, a = setting.m.astype(np.float64), setting.alpha
    # Sizes beyond 2^1000 make every guess hopeless.
    bits = np.minimum(setting.d, 1000)
    j, size = each(lambda d: float(distribution.target(d)), bits), np.exp2(bits)
    right = size + 2.0 - j
    one, neither, only = (1.0 - a) ** m, (1.0 - 2.0 * a) ** m, a**m
    # Seen on one side only, or on none, the target is guessed; each term is positive.
    single = one - neither
    lucky = single / right + (single - only) / (j - 1.0) + only / j + neither / size
    unlucky = single * (1.0 - 1.0 / right) + (single - only) * (1.0 - 1.0 / (j - 1.0))
    unlucky = unlucky + only * (1.0 - 1.0 / j) + neither * (1.0 - 1.0 / size)
    seen = -np.expm1(m * math.log1p(-a)) - single
    return np.maximum(seen + lucky, 0.0), only / j, unlucky


@dataclass(frozen=True)
class Exponential(Choosing):
    """Pick c_j with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    O(m log m) time at any d: between two neighbouring sample points every threshold makes the
    same mistakes, so the T + 1 concepts are at most m + 1 segments.
    """

    name = "exponential"
    title = "Exponential mechanism"
    source = Source("BBKN13", "Theorem 3.2, for INTERVAL_d")
    summary = "Picks every concept with probability proportional to exp(-ε · mistakes / 2)."
    privacy = "pure"
    proper = True
    efficient = True
    laws = {
        "hard": "exact", "band": "rao-blackwell", "uniform": "rao-blackwell",
        "cascade": "rao-blackwell",
    }  # fmt: skip
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("j",)
    symmetric = True

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the thresholds, cut behind every sample point, in O(m log m) for any d."""
        return groups_of_thresholds(
            sample,
            "The score of a threshold is its number of mistakes on the sample. Between neighbouring points of the "
            f"sample the score is constant, so there are {len(sample.points) + 1:,} segments to compare.",
        )

    def _run_many(
        self, x: NDArray[np.integer], y: NDArray[np.uint8], at: Cell, rng: np.random.Generator
    ) -> Sequence[Hypothesis]:
        """Draw a concept for every row together; one by one where points have too many bits."""
        if at.d > BITS_MOST:
            return super()._run_many(x, y, at, rng)
        return Concepts(
            run_many(x, y, d=at.d, rate=self.score_rate(at.epsilon), rng=rng), Threshold
        )

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return about where each of both sides fails with half of beta, on `hard`."""
        if not isinstance(distribution, Hard):
            return super().initial_guess(distribution, setting)
        others = each(lambda d: max(distribution.log_others(d)), setting.d)
        rate = self.score_rate(1.0) * setting.epsilon
        return roughly_allowed(0.5 * setting.beta, others, setting.alpha, rate)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on `hard`, elsewhere averaged over simulated samples."""
        return interval_law(distribution, setting, self._hard, self.score_rate)

    def _hard(self, distribution: Hard, setting: Setting) -> Estimate:
        # j-2 thresholds miss the left point alone, T+1-j the right one.
        bits, place = np.unique(setting.d, return_inverse=True)
        others = np.array([distribution.log_others(d) for d in bits.tolist()])
        columns = np.broadcast_arrays(
            setting.m, *np.moveaxis(others[place.reshape(setting.d.shape)], -1, 0),
            self.score_rate(1.0) * setting.epsilon,
        )  # fmt: skip
        m, left, right, rate = (column.ravel() for column in columns)
        if not setting.tiny_beta:
            found = two_sided_shares(m, setting.alpha, left, right, rate)
            return exact(found.reshape(setting.shape), setting)
        value, failure = np.empty((2, m.size))
        wanted: Literal["share", "rest"] = "rest" if setting.beta < 0.5 else "share"
        cells = zip(*(column.tolist() for column in (m, left, right, rate)), strict=True)
        for cell, (size, one, other, speed) in enumerate(cells):
            both = two_sided_odds(
                size, setting.alpha, one, other, speed, setting.log_tail, wanted=wanted
            )
            if both is None:
                requirement = (
                    f"must be less extreme for {self.name} on hard with m = {size} examples"
                )
                raise InputError("beta", requirement, setting.beta)
            value[cell], failure[cell] = both
        return exact(value.reshape(setting.shape), setting, failure.reshape(setting.shape))


# --- Independent noise (BBKN13, Definition 5.6): the trick for points, which fails here ----------


@dataclass(frozen=True)
class Noise(Learner):
    """Learn a threshold without privacy, then flip every value with probability alpha / 8.

    Notes
    -----
    Not private, at any epsilon that does not grow with T: one example can move the inner
    threshold across the domain, and then the values of all points between change sides. The
    output's log-probability may change by log((1-mu)/mu) at each of them, up to T times, while for
    points the inner concepts differ at two points only. Theorem 5.8: the inner threshold can be
    read off the output.
    """

    name = "noise"
    title = "Independent noise (not private)"
    source = Source("BBKN13", "Definition 5.6, Theorem 5.8")
    summary = (
        "Takes the threshold of the non-private learner and flips its value at every point "
        "independently with probability α/8."
    )
    looser_costs = "its noise grows with alpha"
    caveat = (
        "Not private: one example can move the threshold past any number of points. Each such point adds up to "
        "ln((1-μ)/μ) to the privacy loss, where μ = α/8."
    )
    privacy = "none"
    proper = False
    efficient = False
    laws = {"hard": "exact"}
    reads = ("alpha",)
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.4, beta=0.2)
    symmetric = True

    def flip(self, alpha: float) -> float:
        """Return the probability mu with which each value is flipped, that of algorithm A1."""
        return alpha / 8.0

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Return the inner threshold under noise, its values drawn when they are asked for."""
        flip = self.flip(at.alpha)
        groups = Erm().groups(sample, at)
        weights = groups.log_weights(math.inf)
        pick, best = draw(weights, rng)
        inner = groups.member(pick, rng)
        if recorder is not None:
            found = groups.choice(recorder, weights, best, pick)
            fewest = (
                f"The smallest number of mistakes that a threshold makes: {found.drawn.score:,.0f}."
            )
            recorder.step("The scores", fewest, found)
            beneath = f"Without any privacy: {inner.description}."
            recorder.step("The threshold beneath", beneath, found, "chance")
            recorder.step(
                "The noise",
                f"Every value is flipped independently with probability {flip:.4g}. For "
                "thresholds this noise can be undone, see “Noise hides nothing”.",
            )
            recorder.output = Step(
                "The hypothesis",
                f"The answer is a threshold of which every value is flipped with probability {flip:g}.",
            )
        return Noisy(inner.predict, flip, rng)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every row of labels, for tiny domains."""
        flip, size = self.flip(at.alpha), sample.domain_size
        inner: Mapping[Any, float] = Erm().output_distribution(sample, at)
        chances: dict[Hashable, float] = {}
        for row in itertools.product((0, 1), repeat=size):
            chances[row] = math.fsum(
                share
                * math.prod(
                    1.0 - flip if label == int(x < j) else flip for x, label in enumerate(row, 1)
                )
                for j, share in inner.items()
            )
        return chances

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples; it may, since the noise grows with alpha."""
        return wanted != "alpha" and super().eases(distribution, wanted)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law on `hard`: three values must come through."""
        if not isinstance(distribution, Hard):
            raise InputError("distribution", "must be hard for noise", distribution.name)
        for d in np.unique(setting.d).tolist():
            distribution.check(d=d, alpha=setting.alpha)
        flip = self.flip(setting.alpha)
        right, first, other = hard_success(distribution, setting)
        kept, lost = 1.0 - flip, flip
        if distribution.forgives_first(setting.alpha):
            kept = lost = 1.0
        others = np.maximum(other - first, 0.0)
        value = (1.0 - flip) * (
            right * (1.0 - flip) * kept + others * flip * kept + first * flip * lost
        )
        return exact(value, setting)
