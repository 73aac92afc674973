"""GenericLearner for points: unlabelled examples make a small class, labelled ones choose in it."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.point.laws import by_profile
from privsc_core.concepts.shared.laws import certain, exact
from privsc_core.concepts.shared.sample import uniform_point
from privsc_core.concepts.shared.trace import choice
from privsc_core.concepts.shared.variants import WithSlack, WithUnlabelled
from privsc_core.errors import InputError
from privsc_core.numerics import expectations
from privsc_core.numerics.binomial import LOG_TAIL, binomial_window
from privsc_core.numerics.logspace import draw, probabilities
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# --- The exact law of the generic learner of points on `hard`: a product of two small tables -----
#
# Which of the target i and the point 1 survive in the sanitised set B depends on the unlabelled
# examples alone, and how the exponential mechanism then does on the labelled ones alone. So a plane of
# (m, u) costs a table of four numbers for every m and for every u.


# Above so many bits the number of empty survivors is Poisson to every digit.
_POISSON_BITS = 40
_LAPLACE_LOG = 745.0
_NOTHING = 750.0  # e to its negative is 0


def survivors(d: int, spurious: float) -> float:
    """Return how many empty cells of T - 2 survive on average: `spurious`, at most half of them."""
    return min(spurious, 0.5 * max(2.0 ** min(d, 1000) - 2.0, 0.0))


def threshold_of(d: int, epsilon: float, spurious: float) -> float:
    """Return the threshold that noise Lap(2/epsilon) of an empty cell passes so rarely."""
    mean = survivors(d, spurious)
    if mean <= 0.0:
        return 0.0
    log_cells = math.log(2.0**d - 2.0) if d <= 1000 else d * math.log(2.0)
    return max(0.0, (2.0 / epsilon) * (log_cells - math.log(2.0 * mean)))


def _tails(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Pr[Lap(1) >= x] and Pr[Lap(1) < x], both without cancellation."""
    small = 0.5 * np.exp(-np.minimum(np.abs(x), _LAPLACE_LOG))
    return np.where(x >= 0.0, small, 1.0 - small), np.where(x >= 0.0, 1.0 - small, small)


@functools.lru_cache(maxsize=64)
def _window(u: int, mass: float, log_tail: float) -> tuple[int, NDArray[np.float64]]:
    """Return a binomial window; those of one u follow each other, over d and epsilon."""
    return binomial_window(u, mass, log_tail)


def _told_apart(size: int, *spans: tuple[float, float]) -> NDArray[np.intp]:
    """Return where each part begins of 0, ..., size - 1: every place in a span, and what is between."""
    parts, place = [], 0
    for low, high in sorted(spans):
        begin, end = (int(min(max(at, place), size)) for at in (low, high + 1.0))
        if begin > place:
            parts.append(np.array([place]))
        parts.append(np.arange(begin, end))
        place = max(place, end)
    if place < size:
        parts.append(np.array([place]))
    return np.concatenate(parts).astype(np.intp)


@functools.lru_cache(maxsize=4096)
def kept_tables(
    u: int, d: int, epsilon: float, mass: float, spurious: tuple[float, ...], log_tail: float = LOG_TAIL
) -> NDArray[np.float64]:  # fmt: skip
    """Return the joint law of what survives of u unlabelled examples, at several thresholds.

    Returns
    -------
    ndarray, shape (thresholds, 2, 2)
        Entry [.., i, one]: whether the target's point, and whether point 1, is in B.
    """
    first, weights = _window(u, mass, log_tail)
    tau = np.array([[threshold_of(d, epsilon, one)] for one in spurious])
    reach = 2.0 * _LAPLACE_LOG / epsilon  # beyond it noise makes no difference to any digit
    low, high = float(tau.min()) - reach, float(tau.max()) + reach
    begins = _told_apart(
        weights.size, (low - first, high - first), (u - high - first, u - low - first)
    )
    count = first + begins.astype(np.float64)
    if begins.size < weights.size:
        weights = np.add.reduceat(weights, begins)
    in_i, out_i = _tails((tau - count) * (0.5 * epsilon))
    in_1, out_1 = _tails((tau - u + count) * (0.5 * epsilon))
    rows = np.stack([out_i, in_i], axis=1) * weights
    return np.asarray(rows @ np.stack([out_1, in_1], axis=2))


@functools.lru_cache(maxsize=4096)
def stable_shares(
    u: int, threshold: float, epsilon: float, mass: float, log_tail: float = LOG_TAIL
) -> NDArray[np.float64]:
    """Return the surviving counts, above a threshold, where points without an example cannot survive.

    Shape (2, 2), as a table of `kept_tables`.
    """
    first, weights = binomial_window(u, mass, log_tail)
    count = first + np.arange(weights.size, dtype=np.float64)
    sides = []
    for size in (count, u - count):
        inside, outside = _tails((threshold - size) * (0.5 * epsilon))
        sides.append([np.where(size > 0.0, outside, 1.0), np.where(size > 0.0, inside, 0.0)])
    return np.asarray((np.array(sides[0]) * weights) @ np.array(sides[1]).T)


def kept_shares(
    u: int, d: int, epsilon: float, mass: float, spurious: float, log_tail: float = LOG_TAIL
) -> NDArray[np.float64]:
    """Return the law of `kept_tables` at one threshold, shape (2, 2)."""
    return np.asarray(kept_tables(u, d, epsilon, mass, (spurious,), log_tail)[0])


@functools.lru_cache(maxsize=256)
def _empty(
    d: int, spurious: tuple[float, ...], log_tail: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return numbers of other survivors, and the chances of each of them, a row a threshold."""
    found = [_empty_of(d, survivors(d, one), log_tail) for one in spurious]
    low = min(first for first, _ in found)
    high = max(first + chances.size for first, chances in found)
    table = np.zeros((len(found), high - low))
    for row, (first, chances) in zip(table, found, strict=True):
        row[first - low : first - low + chances.size] = chances
    return np.arange(low, high, dtype=np.float64), table


def _empty_of(d: int, mean: float, log_tail: float) -> tuple[int, NDArray[np.float64]]:
    if mean <= 0.0:
        return 0, np.ones(1)
    if d <= _POISSON_BITS:
        cells = (1 << d) - 2
        return binomial_window(cells, mean / cells, log_tail)
    last = math.ceil(mean + log_tail + math.sqrt(2.0 * mean * log_tail))
    logs = np.cumsum(np.log(np.append(1.0, mean / np.arange(1.0, last + 1.0)))) - mean
    kept = np.flatnonzero(logs >= -log_tail - math.log(last + 1.0))  # the others: below e^-log_tail
    return int(kept[0]), np.exp(logs[kept[0] : kept[-1] + 1])


def _shares(
    rivals: NDArray[np.float64], log_p: NDArray[np.float64], q: float, *, flip: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return success and failure against rivals of weight p: without and with one of weight q."""
    if not flip:
        odds = rivals * np.exp(log_p)
        alone, joined = [np.array([np.ones_like(o), o]) / (1.0 + o) for o in (odds, odds + q)]
        return alone, joined
    log_count = np.log(rivals + 1.0)
    won, lost = expectations.reached(log_count, log_p), expectations.missed(log_count, log_p)
    # The integral over x in [0, 1] of (1 - x p)^rivals (1 - x q).
    less = q * (won - expectations.beside(log_count, np.log(rivals + 2.0), log_p))
    return np.array([won, lost]), np.array([won - less, lost + less])


@functools.lru_cache(maxsize=4096)
def _choices(
    m: int, bits: int, epsilon: float, mass: float, spurious: tuple[float, ...], log_tail: float, *,
    flip: bool,
) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
    """Return the shares, success and failure, given each number of survivors.

    They are against them alone, beside point 1, beside one more, and beside both. Above
    `_POISSON_BITS` the bits make no difference.
    """
    first, over_k = binomial_window(m, mass, log_tail)
    log_p = -0.5 * epsilon * (first + np.arange(over_k.size, dtype=np.float64))
    last = int(np.searchsorted(-log_p, _NOTHING))  # from there on a rival's weight is 0
    over_k, log_p = (
        np.append(over_k[:last], over_k[last:].sum()),
        np.append(log_p[:last], -_NOTHING),
    )
    count, _ = _empty(bits, spurious, log_tail)
    q = math.exp(-0.5 * epsilon * m)
    # One more of weight p: the representative, which there is none of where B holds all others.
    last = min(count[-1] + 1.0, max(count[-1], 2.0**bits - 2.0))
    rivals = np.arange(count[0], last + 1.0)
    more = np.minimum(np.arange(1, count.size + 1), rivals.size - 1)
    alone, joined = [found @ over_k for found in _shares(rivals[:, None], log_p, q, flip=flip)]
    few = slice(count.size)
    return alone[:, few], joined[:, few], alone[:, more], joined[:, more]


@functools.lru_cache(maxsize=4096)
def drawn_tables(
    m: int, d: int, epsilon: float, mass: float, spurious: tuple[float, ...],
    log_tail: float = LOG_TAIL, *, flip: bool = False,
) -> NDArray[np.float64]:  # fmt: skip
    """Return success and failure of the choice on m labelled examples, given what survived.

    Returns
    -------
    ndarray, shape (thresholds, 2, 2, 2)
        Entry [.., 0, i, one] is success, [.., 1, i, one] failure, given whether the target's point
        and point 1 are in B.
    """
    bits = min(d, _POISSON_BITS + 1)
    count, chances = _empty(bits, spurious, log_tail)
    alone, joined, third, both = _choices(m, bits, epsilon, mass, spurious, log_tail, flip=flip)
    cells = 2.0**d - 2.0 if d <= 1000 else math.inf
    is_one = 1.0 / (cells + 1.0 - count)  # with i alone in B the representative is point 1
    given = np.empty((2, 2, 2, count.size))
    given[:, 1, 1] = both
    given[:, 1, 0] = is_one * joined + (1.0 - is_one) * third
    for one, known in ((0, alone), (1, joined)):
        hit = 1.0 / (cells + 2.0 - one - count)  # the representative is the target's point
        given[0, 0, one] = known[0] * hit
        given[1, 0, one] = 1.0 - hit + hit * known[1]
    return np.asarray((given.reshape(8, -1) @ chances.T).T.reshape(-1, 2, 2, 2))


def drawn_shares(
    m: int, d: int, epsilon: float, mass: float, spurious: float,
    log_tail: float = LOG_TAIL, *, flip: bool = False,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the shares of `drawn_tables` at one threshold, shape (2, 2, 2)."""
    return np.asarray(drawn_tables(m, d, epsilon, mass, (spurious,), log_tail, flip=flip)[0])


def enough_labels(d: int, epsilon: float, mass: float, log_tail: float = LOG_TAIL) -> int:
    """Return from how many labels on every rival's weight is 0 to every digit, and more are no help."""
    most = 4.0 * (d * math.log(2.0) + log_tail + 750.0) / (epsilon * mass) + 16.0 * log_tail / mass
    return math.ceil(most)


def generic_law(
    m: int, u: int, d: int, epsilon: float, mass: float, spurious: float,
    log_tail: float = LOG_TAIL, *, flip: bool = False,
) -> tuple[float, float]:  # fmt: skip
    """Return success and failure of the generic learner on `hard`."""
    kept = kept_shares(u, d, epsilon, mass, spurious, log_tail)
    return with_labels(kept, m, d, epsilon, mass, spurious, log_tail, flip=flip)


def with_labels(
    kept: NDArray[np.float64], m: int, d: int, epsilon: float, mass: float, spurious: float,
    log_tail: float = LOG_TAIL, *, flip: bool = False,
) -> tuple[float, float]:  # fmt: skip
    """Return success and failure with m labels, given the law of what survives."""
    labels = min(m, enough_labels(d, epsilon, mass, log_tail))
    drawn = drawn_shares(labels, d, epsilon, mass, spurious, log_tail, flip=flip)
    return float((kept * drawn[0]).sum()), float((kept * drawn[1]).sum())


_COINS = (1 << 62) - 1


@dataclass(frozen=True)
class Generic(WithUnlabelled, Learner):
    """Sanitise the unlabelled points, keep one concept per labelling of them, choose by labels.

    Parameters
    ----------
    u : int
        Unlabelled examples.
    spurious : float
        How many empty cells survive the noise on average, at most half of them.

    Notes
    -----
    Noise Lap(2/eps) on every count of D and a threshold make B; the concepts are c_b for b in B and
    one c_t, t uniformly outside B. The exponential mechanism on S chooses. S and D are disjoint, so
    the whole is eps-private. Time O(m + u + survivors) at any d.
    """

    spurious: float = 0.01

    name = "generic"
    title = "GenericLearner"
    source = Source("BNS15", "Algorithm 1, with a histogram as sanitizer (ours)")
    summary = (
        "Privately selects representative points from u unlabelled examples, and chooses one of their labellings by "
        "m labelled examples."
    )
    privacy = "pure"
    proper = True
    efficient = True
    laws = {"hard": "exact"}
    one_point = True
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("point",)
    caveat = "The threshold for counts is tuned for the hard distribution; there is no proof for all distributions."
    flip: ClassVar[bool] = False
    counted: ClassVar[str] = "Every count of the domain"

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Draw B from the unlabelled points and a concept by the labelled ones."""
        labelled, unlabelled = sample.parts(self.u)
        d, seen = sample.d, unlabelled.points
        tau = self.threshold(d, at.epsilon)
        kept = self._survivors(unlabelled, at.epsilon, tau, rng)
        others = frozenset(kept)
        if len(others) < 1 << d:
            kept.append(uniform_point(rng, d, others))
        kept.sort()
        mistakes = _mistakes(labelled, kept)
        weights = -self.score_rate(at.epsilon) * mistakes
        if self.flip:
            accepts = np.exp(weights - weights.max())
            order = rng.permutation(len(kept))
            pick = next(i for i in itertools.cycle(order.tolist()) if rng.random() < accepts[i])
            best = None
        else:
            pick, best = draw(weights, rng)
        if recorder is not None:
            recorder.step(
                "The unlabelled points",
                f"{unlabelled.size:,} unlabelled examples lie on {len(seen):,} points. {self.counted} gets noise "
                f"Lap(2/ε); counts that reach {tau:.1f} survive: {len(others):,}, of which "
                f"{len(others - set(seen)):,} have no example.",
            )
            shown = choice(
                name=lambda row: (
                    recorder.name_of(kept[row]) if kept[row] in others else
                    f"{whole(kept[row], d)}, for all 0"
                ),
                members=lambda _row: "1", scores=mistakes, log_weights=weights, best=best,
                drawn=pick, score="mistakes",
                target=recorder.row_of_target({x: row for row, x in enumerate(kept)}, None),
            )  # fmt: skip
            words = (
                "The candidates are one concept for every point that survives, and one for the labelling that is 0 "
                f"everywhere: {len(kept):,} in place of {whole(1 << d, d)}. Their scores are their mistakes on the "
                f"{labelled.size:,} labelled examples."
            )
            if self.flip:
                recorder.step("The choice", words, shown)
            else:
                recorder.mechanism(shown, words, epsilon=at.epsilon)
        return Point(kept[pick])

    def threshold(self, d: int, epsilon: float) -> float:
        """Return the noisy count from which on a point survives."""
        return threshold_of(d, epsilon, self.spurious)

    def _survivors(
        self, unlabelled: Sample, epsilon: float, tau: float, rng: np.random.Generator
    ) -> list[int]:
        """Draw B: seen points, and others among all points without an example."""
        kept = _passed(unlabelled, epsilon, tau, rng)
        taken = set(unlabelled.points)
        empty = self._empty_survivors(unlabelled.d, len(taken), epsilon, tau, rng)
        for _ in range(empty):
            point = uniform_point(rng, unlabelled.d, frozenset(taken))
            taken.add(point)
            kept.append(point)
        return kept

    @staticmethod
    def _empty_survivors(
        d: int, seen: int, epsilon: float, tau: float, rng: np.random.Generator
    ) -> int:
        chance = 0.5 * math.exp(-0.5 * epsilon * tau)
        empty = (1 << d) - seen
        if empty <= _COINS:
            return int(rng.binomial(empty, chance))
        return int(rng.poisson(math.exp(d * math.log(2.0) - 0.5 * epsilon * tau - math.log(2.0))))

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output: all sets B of a tiny domain."""
        if sample.d > 3:
            raise InputError(
                "d", "must be at most 3 where every set of survivors is listed", sample.d
            )
        labelled, unlabelled = sample.parts(self.u)
        size = sample.domain_size
        counts = np.zeros(size)
        places = np.array(unlabelled.points, dtype=np.intp)[unlabelled.index] - 1
        np.add.at(counts, places, 1.0)
        inside = self._inside(counts, self.threshold(sample.d, at.epsilon), at.epsilon)
        every = np.array(list(itertools.product((0, 1), repeat=size)), dtype=bool)
        chances = np.where(every, inside, 1.0 - inside).prod(axis=1)
        weights = -self.score_rate(at.epsilon) * _mistakes(labelled, list(range(1, size + 1)))
        found = np.zeros(size)
        for kept, chance in zip(every, chances.tolist(), strict=True):
            # With all in B there is no representative.
            classes = (
                [kept] if kept.all() else [_with(kept, t) for t in np.flatnonzero(~kept).tolist()]
            )
            for members in classes:
                found[members] += chance / len(classes) * self._choose(weights[members])
        return dict(zip(range(1, size + 1), found.tolist(), strict=True))

    def _inside(
        self, counts: NDArray[np.float64], tau: float, epsilon: float
    ) -> NDArray[np.float64]:
        """Return how likely each cell survives."""
        gap = (tau - counts) * (0.5 * epsilon)
        small = 0.5 * np.exp(-np.abs(gap))
        return np.where(gap >= 0.0, small, 1.0 - small)

    def _choose(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.flip:
            return expectations.first_accepted(np.exp(weights - weights.max()))
        return probabilities(weights)

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since with a larger epsilon more points survive, which may be wrong ones.
        """
        return wanted != "epsilon" and super().eases(distribution, wanted)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law on `hard`."""

        def law(profile: Profile, at: Setting) -> Estimate:
            if profile.every_concept_succeeds:
                return certain(at)
            cells = [self._found(*cell, profile.mass, at.log_tail) for cell in at.cells()]
            value, failure = np.array(cells).T
            return exact(value.reshape(at.shape), at, failure.reshape(at.shape))

        return by_profile(distribution, setting, law)

    def _found(
        self, m: int, d: int, epsilon: float, mass: float, log_tail: float
    ) -> tuple[float, float]:
        """Return success and failure on `hard`."""
        return generic_law(m, self.u, d, epsilon, mass, self.spurious, log_tail, flip=self.flip)


@dataclass(frozen=True)
class GenericStable(WithSlack, Generic):
    """The same, but only points that are seen can survive: d plays no role, for a slack.

    Parameters
    ----------
    delta : float
        The privacy slack, in (0, 1/2).

    Notes
    -----
    The stability histogram: noise Lap(2/eps) on the counts of the seen points, and those from
    1 + (2/eps) log(1/(2 delta)) on survive. It is (eps, delta)-private; the choice is eps-private on
    other examples.
    """

    delta: float = 1e-6

    name = "generic-stable"
    title = "GenericLearner, with δ"
    source = Source("ours", "BNS15, Algorithm 1, with a stability histogram")
    summary = (
        "As GenericLearner, but only a point that about 1 + (2/ε) ln(1/(2δ)) people have can be selected. Neither "
        "the number of labels nor the number of people grows with d."
    )
    derivation = (
        r"The set $B$ of points that survive is a stability histogram of the $u$ unlabelled examples. One of "
        r"them moves two counts by 1. A point that is seen on both sides costs $e^{\varepsilon/2}$; one that "
        r"is seen on one side only has count 1, and $1 + \mathrm{Lap}(2/\varepsilon)$ passes the threshold $1 "
        r"+ \frac2\varepsilon\ln\frac{1}{2\delta}$ with probability $\delta$. So $B$ is $(\varepsilon, "
        r"\delta)$-private."
        "\n\n"
        r"The exponential mechanism then chooses among the points of $B$ and a random one by the $m$ labelled "
        r"examples; it is $\varepsilon$-DP for every $B$. An example is labelled or unlabelled, and affects "
        r"one of the two steps. $\square$"
    )
    privacy = "approximate"
    caveat = (
        "(ε, δ)-private with δ > 0, so lower bounds for pure privacy do not apply to it. Where δ is set to 0, this "
        "learner uses its own default, 10⁻⁶."
    )
    counted = "Every count of these"

    def at(self, delta: float) -> Self:
        """Return the learner for a privacy slack; at 0, which it cannot have, itself."""
        return super().at(delta) if delta > 0.0 else self

    def threshold(self, d: int, epsilon: float) -> float:
        """Return the noisy count from which on a seen point survives."""
        return 1.0 - 2.0 / epsilon * math.log(2.0 * self.delta)

    def _survivors(
        self, unlabelled: Sample, epsilon: float, tau: float, rng: np.random.Generator
    ) -> list[int]:
        """Draw B among the seen points."""
        return _passed(unlabelled, epsilon, tau, rng)

    def _inside(
        self, counts: NDArray[np.float64], tau: float, epsilon: float
    ) -> NDArray[np.float64]:
        """Return how likely each cell survives; an empty one never does."""
        return np.where(counts > 0.0, super()._inside(counts, tau, epsilon), 0.0)

    def _found(
        self, m: int, d: int, epsilon: float, mass: float, log_tail: float
    ) -> tuple[float, float]:
        """Return success and failure on `hard`: there are no others that survive."""
        kept = stable_shares(self.u, self.threshold(d, epsilon), epsilon, mass, log_tail)
        return with_labels(kept, m, d, epsilon, mass, 0.0, log_tail)


@dataclass(frozen=True)
class GenericFlip(Generic):
    """The same with permute-and-flip for the choice: never worse on average, as private."""

    name = "generic-flip"
    title = "GenericLearner, permute-and-flip"
    source = Source("ours", "BNS15, Algorithm 1, with MS20's choice")
    summary = (
        "As GenericLearner, but goes through the candidates in random order, and answers with the first that passes "
        "a random test."
    )
    derivation = (
        r"The set $B$ of points that survive comes from noise $\mathrm{Lap}(2/\varepsilon)$ on every count of "
        r"the $u$ unlabelled examples: one example moves two counts by 1, so $B$ is $\varepsilon$-private."
        "\n\n"
        r"Permute-and-flip (MS20) goes through the candidates in random order, and accepts one with "
        r"probability $e^{-\varepsilon k/2}$, where $k$ is how many more mistakes it has than the best one. It "
        r"is $\varepsilon$-DP for every $B$, as the exponential mechanism is. An example is labelled or "
        r"unlabelled, and affects one of the two steps. $\square$"
    )
    flip = True


def _passed(unlabelled: Sample, epsilon: float, tau: float, rng: np.random.Generator) -> list[int]:
    """Draw which of the seen points survive."""
    seen = unlabelled.points
    counts = np.bincount(unlabelled.index, minlength=len(seen))
    noisy = counts + rng.laplace(0.0, 2.0 / epsilon, len(seen))
    return [point for point, value in zip(seen, noisy.tolist(), strict=True) if value >= tau]


def _with(kept: NDArray[np.bool_], place: int) -> NDArray[np.bool_]:
    found = kept.copy()
    found[place] = True
    return found


def _mistakes(sample: Sample, points: list[int]) -> NDArray[np.float64]:
    """Return the mistakes on the labelled examples of the concept of every point."""
    positive, negative = sample.tallies()
    gain = dict(zip(sample.points, (negative - positive).tolist(), strict=True))
    total = int(positive.sum())
    return np.array([total + gain.get(point, 0) for point in points], dtype=np.float64)
