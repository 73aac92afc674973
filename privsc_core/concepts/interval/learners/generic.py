"""GenericLearner for intervals: private medians of unlabelled examples, a choice by labelled ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.generic.medians import (
    Node,
    check_bits,
    cuts_of_many,
    drawn_cuts,
    in_scale,
    law_of_cuts,
    slots,
)
from privsc_core.concepts.interval.distributions import Hard, Threshold
from privsc_core.concepts.shared.laws import by_d, rao_blackwell
from privsc_core.concepts.shared.trace import choice
from privsc_core.concepts.shared.variants import WithUnlabelled
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import binomial_window
from privsc_core.numerics.logspace import draw, probabilities
from privsc_core.numerics.text import span, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.generic.medians import Cut
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# -------------------------------------------------------------------------------------------------
# How the generic learner of intervals does: what private cuts leave, and the choice by labels.
#
# On `hard` only the slots of the cuts matter: at the step, between point 1 and the step, behind it. They
# depend on the unlabelled examples alone, the choice on the labelled ones: a plane of (m, u) is a
# simulated table of slots for every u, and an exact one of shares for every m.


_SEEDS = 1 << 62


def cut_law(
    law: Hard, setting: Setting, u: int, levels: int,
    rate: Callable[[float], float], cut_rate: Callable[[float], float],
) -> Estimate:  # fmt: skip
    """Average the chance of success given the cuts and the labelled examples.

    Parameters
    ----------
    law, setting
        As for `Learner.success`.
    u, levels : int
        Unlabelled examples, and depth of the tree of medians.
    rate, cut_rate : callable
        epsilon -> factor of the mistakes, and of a median's score.
    """
    for d in np.unique(setting.d).tolist():
        law.check(d=d, alpha=setting.alpha)

    def counted(m: int, trials: int, rng: np.random.Generator) -> tuple[Any, ...]:
        a = setting.alpha
        seed = rng.integers(_SEEDS)  # first: so every m has the same cuts
        return (*rng.multinomial(m, [max(1.0 - 2.0 * a, 0.0), a, a], size=trials).T, seed)

    def given(
        d: int, epsilon: float, one: NDArray[np.int64], left: NDArray[np.int64],
        right: NDArray[np.int64], seed: np.int64,
    ) -> NDArray[np.float64]:  # fmt: skip
        at = d, cut_rate(epsilon), setting.alpha
        found = _patterns(law, u, levels, *at, one.size, int(seed))
        return share_of(found.T, one, left, right, rate(epsilon))

    return by_d(setting, lambda _d, part: rao_blackwell(part, counted, given))


def points_of(sample: Sample) -> NDArray[np.int64]:
    """Return the point of every example, in order."""
    return np.array(sample.points, dtype=np.int64).reshape(-1)[sample.index]


def patterns(
    law: Hard, u: int, levels: int, d: int, cut_rate: float, alpha: float, trials: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:  # fmt: skip
    """Draw how many thresholds of the class lie up to 1, up to j - 1, at j and behind, T + 1 with them.

    Returns
    -------
    ndarray of int64, shape (trials, 4)
        The second entry is 1 iff the target is there.
    """
    bits, log_scale = in_scale(d)
    j = law.target(bits)
    places = np.array([1, j - 1, j])
    people = rng.multinomial(u, [max(1.0 - 2.0 * alpha, 0.0), alpha, alpha], size=trials)
    cuts = cuts_of_many(places, people, 1 << bits, levels, cut_rate, rng, log_scale)
    found = slots(cuts, places)
    found[:, 3] += 1
    return found


# A curve over m, and a search for the least one, ask for the same again and again.
@lru_cache(maxsize=64)
def _patterns(
    law: Hard, u: int, levels: int, d: int, cut_rate: float, alpha: float, trials: int, seed: int
) -> NDArray[np.int64]:
    found = patterns(law, u, levels, d, cut_rate, alpha, trials, np.random.default_rng(seed))
    found.flags.writeable = False  # shared
    return found


def share_of(
    pattern: tuple[NDArray[np.int64], ...] | NDArray[np.int64], one: NDArray[np.int64],
    left: NDArray[np.int64], right: NDArray[np.int64], rate: float,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the target's share given slots and labelled examples on 1, j - 1 and j."""
    none, below, target, above = pattern
    odds = none * np.exp(-rate * (one + left)) + below * np.exp(-rate * left)
    return np.asarray(target / np.maximum(target + odds + above * np.exp(-rate * right), 1e-300))


def shares(
    pattern: NDArray[np.int64], m: int, rate: float, alpha: float
) -> NDArray[np.float64]:  # fmt: skip
    """Return the target's exact share for patterns, over m labelled examples of `hard`.

    Parameters
    ----------
    pattern : ndarray, shape (patterns, 4)
        As `patterns` returns them.

    Returns
    -------
    ndarray, shape (patterns,)
    """
    start, chance = binomial_window(m, 2.0 * alpha)
    total = np.zeros(len(pattern))
    none, below, target, above = (column[:, None] for column in pattern.T)
    for both, weight in enumerate(chance.tolist(), start):
        first, split = _sides(both)
        left = first + np.arange(split.size)
        given = share_of((none, below, target, above), np.array(m - both), left, both - left, rate)
        total += weight * (given @ split)
    return total


# Every m asks for those of its neighbours again.
@lru_cache(maxsize=4096)
def _sides(both: int) -> tuple[int, NDArray[np.float64]]:
    """Return how many of the examples at the step lie left of it: the least, and chances from it on."""
    return binomial_window(both, 0.5)


def unlimited(m: int, rate: float, alpha: float, levels: int) -> float:
    """Return the success of m labels with any number of unlabelled examples; levels at least 3.

    With all points found the target's left half of cuts has 2^(levels - 2) on its near side, and
    half as many behind the step; T + 1 and the cuts up to point 1 take their part too.
    """
    half = 1 << (levels - 2)
    start, chance = binomial_window(m, 2.0 * alpha)
    total = 0.0
    for both, weight in enumerate(chance.tolist(), start):
        first, split = _sides(both)
        left = first + np.arange(split.size)
        right = both - left
        odds = half * np.exp(-rate * left) + half / 2 * np.exp(-rate * right)
        total += weight * float((1.0 / (1.0 + odds + np.exp(-rate * (m - right)))) @ split)
    return total if math.isfinite(total) else 0.0


# -------------------------------------------------------------------------------------------------
# What suffices to the generic learner of intervals on every distribution: labels against people.
#
# For any x, eta in (0, 1) and a < alpha it fails with probability at most
#
#     r T e^{-eps x / (2r)} + ceil(1/eta) Pr[Bin(u, a - eta) <= u 2^-r + 2x] + (2^r - 1) rho^m,
#
# rho = 1 - alpha (1 - e^{-e/2}) + a (e^{e/2} - 1), e = min(eps, log(alpha/a)), r levels of medians. First: on a
# level the ranges are disjoint, so that all its medians have a score of at most x with probability
# 1 - T e^{-eps x / (2r)}; then a leaf holds at most u 2^-r + 2x people. Second: a gap of mass over a, lifted to
# [0, 1] by its randomised quantile, holds a window of length a - eta that starts at a multiple of eta, and few
# people fall into one of these. So some cut is within a of the target, and third the exponential mechanism, at
# loss e, prefers it to each of the others that err on more than alpha.


# Levels, a as a share of alpha, x as a share of a u; eta is a / 80.
_LEVELS = np.arange(5, 9)[:, None, None]
_SHARES = np.linspace(0.2, 0.5, 7)[None, :, None]
_SCORES = np.linspace(0.02, 0.49, 48)[None, None, :]
_WINDOWS = 80
_MOST = 2.0**40


class Guarantee(NamedTuple):
    """So many labels and people suffice, with so many levels of medians."""

    labels: int
    people: int
    levels: int


def guaranteed(at: Cell) -> tuple[Guarantee, ...]:
    """Return what suffices for every target on every distribution: the fewest people for each of the labels.

    Ours. A third of beta goes to the people, the rest to the labels; the best of a grid of levels, a and x.

    Parameters
    ----------
    at : Cell

    Returns
    -------
    tuple of Guarantee
        More labels and fewer people from one to the next; empty where the grid has none.
    """
    r, gap = _LEVELS, at.alpha * _SHARES
    loss = np.minimum(at.epsilon, -np.log(_SHARES))
    rho = 1.0 + at.alpha * np.expm1(-0.5 * loss) + gap * np.expm1(0.5 * loss)
    rivals = r * math.log(2.0) + np.log1p(-(2.0**-r)) - math.log(2.0 * at.beta / 3.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        labels = np.where(rho < 1.0, np.ceil(-rivals / np.log(rho)), np.inf)
    window = gap * (1.0 - 1.0 / _WINDOWS)
    starts = np.ceil(_WINDOWS / gap)

    def enough(people: NDArray[np.float64]) -> NDArray[np.bool_]:
        score = _SCORES * gap * people
        log_missed = np.log(r) + at.d * math.log(2.0) - at.epsilon * score / (2.0 * r)
        crowded = np.floor(people * 2.0**-r + 2.0 * score)
        few = special.betaincc(crowded + 1.0, np.maximum(people - crowded, 1.0), window)
        few[crowded >= people] = 1.0
        lost = np.exp(np.minimum(log_missed, 1.0)) + starts * few
        return np.asarray(lost <= at.beta / 3.0)

    low = np.ones(np.broadcast_shapes(r.shape, gap.shape, _SCORES.shape))
    high = np.full(low.shape, _MOST)
    reached = enough(high)
    while (high - low > 1.0).any():
        middle = np.floor(0.5 * (low + high))
        good = enough(middle)
        high, low = np.where(good, middle, high), np.where(good, low, middle)
    found: list[Guarantee] = []
    every = np.isfinite(labels) & reached
    levels = np.broadcast_to(r, low.shape)[every].tolist()
    sizes = np.broadcast_to(labels, low.shape)[every].tolist(), high[every].tolist()
    for m, u, depth in sorted(zip(*sizes, levels, strict=True)):
        if not found or u < found[-1].people:
            found.append(Guarantee(int(m), int(u), int(depth)))
    return tuple(found)


_LEVELS_MOST = 12  # 4095 cuts


@dataclass(frozen=True)
class Generic(WithUnlabelled, Learner):
    """Cut the domain by medians of medians of u points, then choose among the cuts.

    Parameters
    ----------
    u : int
        Unlabelled examples.
    levels : int
        Of the tree of medians, 1 to 12: up to 2^levels - 1 cuts.

    Notes
    -----
    Every level is a private median of each node's points at eps / levels. The concepts are c_b for
    every cut b, and c_{T+1}. S and D are disjoint, so the whole is eps-private. Time
    O(m log m + u log u + levels * u) up to d = 62.
    """

    u: int = 4000
    levels: int = 4

    name = "generic"
    title = "GenericLearner"
    source = Source("BNS15", "Algorithm 1, with private medians as sanitizer (ours)")
    summary = (
        "Cuts the domain at private medians of u unlabelled examples, and chooses one of the cuts by m labelled "
        "examples."
    )
    privacy = "pure"
    proper = True
    efficient = True
    laws = {"hard": "rao-blackwell"}
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("j",)
    caveat = (
        "Four levels of medians: at ε = 1/2, with fewer than about 176 labels, no number of "
        "unlabelled examples suffices on the hard distribution. Runs up to d = 62."
    )

    def __post_init__(self) -> None:
        """Refuse a tree that is too deep."""
        if not 1 <= self.levels <= _LEVELS_MOST:
            raise InputError("levels", f"must be from 1 to {_LEVELS_MOST}", self.levels)

    def audited(self) -> Self:
        """Return the variant for the tiny instance, with two levels of cuts."""
        return replace(super().audited(), levels=2)

    def score_rate(self, epsilon: float) -> float:
        """Return the factor of the mistakes in the exponent; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def cut_rate(self, epsilon: float) -> float:
        """Return the factor of a median's score; eps / 2 over the levels is what privacy allows."""
        return 0.5 * epsilon / self.levels

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Draw the cuts, then one of them."""
        check_bits(sample.d)
        labelled, people = sample.parts(self.u)
        size = sample.domain_size
        cuts = drawn_cuts(
            Node.of(points_of(people), size), self.levels, self.cut_rate(at.epsilon), rng
        )
        listed = _listed(cuts, size)
        mistakes = _mistakes(labelled, listed)
        weights = -self.score_rate(at.epsilon) * mistakes
        pick, best = draw(weights, rng)
        if recorder is not None:
            _tell(recorder, cuts, people.size, sample.d, self.levels)
            recorder.mechanism(
                choice(
                    name=lambda row: _name(listed[row], sample.d, recorder.target),
                    members=lambda _row: "1", scores=mistakes, log_weights=weights, best=best,
                    drawn=pick, target=recorder.row_of_target({j: i for i, j in enumerate(listed)}, None),
                    what="thresholds",
                ),
                f"The candidates are one threshold for every cut, and one behind the whole domain: {len(listed):,} "
                f"in place of {whole(size + 1, sample.d)}. Their scores are their mistakes on the {labelled.size:,} "
                "labelled examples.",
                epsilon=at.epsilon,
            )  # fmt: skip
        return Threshold(listed[pick])

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, over all sets of cuts of a tiny domain."""
        labelled, people = sample.parts(self.u)
        size = sample.domain_size
        mistakes = _mistakes(labelled, range(1, size + 2))
        found = np.zeros(size + 1)
        law = law_of_cuts(Node.of(points_of(people), size), self.levels, self.cut_rate(at.epsilon))
        for cuts, chance in law.items():
            places = np.array([*cuts, size + 1]) - 1
            found[places] += chance * probabilities(-self.score_rate(at.epsilon) * mistakes[places])
        return dict(zip(range(1, size + 2), found.tolist(), strict=True))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over drawn samples and cuts."""
        if not isinstance(distribution, Hard):
            raise InputError("distribution", "must be hard", distribution.label)
        return cut_law(distribution, setting, self.u, self.levels, self.score_rate, self.cut_rate)


def _listed(cuts: Sequence[Cut], size: int) -> list[int]:
    return [*sorted(cut.at for cut in cuts), size + 1]


def _name(j: int, d: int, target: int | None) -> str:
    return f"j = {whole(j, d)}" + (" (target)" if j == target else "")


def _mistakes(sample: Sample, thresholds: Sequence[int]) -> NDArray[np.float64]:
    """Return the mistakes of thresholds on the labelled examples."""
    positive, negative = sample.tallies()
    points = np.array(sample.points, dtype=np.int64).reshape(-1)
    order = np.argsort(points)
    lost = np.concatenate(([0], np.cumsum((negative - positive)[order])))
    below = np.searchsorted(points[order], np.array(thresholds, dtype=np.int64))
    return np.asarray(positive.sum() + lost[below], dtype=np.float64)


def _tell(recorder: Recorder, cuts: Sequence[Cut], people: int, d: int, levels: int) -> None:
    """Record the medians, one step a level."""
    for level in range(levels):
        own = [cut for cut in cuts if cut.level == level]
        if not own:
            break
        shown = "; ".join(
            f"{whole(cut.at, d)} in {span(cut.low, cut.high, d)} ({cut.count:,})" for cut in own[:8]
        )
        start = f"{people:,} unlabelled examples: a" if not level else "A"
        recorder.step(
            f"Medians, level {level + 1}",
            f"{start} private median of every range, ε/{levels} for the level; examples on a cut are dropped. The "
            f"table lists cut, range and number of examples in the range: {shown}{'; …' if len(own) > 8 else '.'}",
        )
