"""The success laws of the trees of thresholds: exact on `hard`, elsewhere averaged over samples."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from privsc_core.concepts.interval.cascade import WEIGHED_MOST, Cascade, Occupied, Runs
from privsc_core.concepts.interval.deeper import (
    Reach,
    Step,
    chances,
    ends_of,
    hard_by_paths,
    hard_by_regimes,
    regimes,
)
from privsc_core.concepts.interval.distributions import Hard, Scattered
from privsc_core.concepts.interval.nodes import (
    LARGEST,
    LOG2_D_MOST,
    Ancestors,
    Scale,
    alternating_groups,
    groups,
    named,
)
from privsc_core.concepts.shared.laws import by_d, exact, from_smaller, rao_blackwell
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import (
    LOG_TAIL,
    binomial_ends,
    binomial_expectation,
    binomial_window,
    of_count,
)
from privsc_core.numerics.sums import mean_by_rows
from privsc_core.numerics.trinomial import two_counts
from privsc_core.numerics.trinomial_sums import factors
from privsc_core.parameters import TARGET

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.interval.nodes import Group


# Up to so many bits all scales of a cascade are counted, beyond it the points that matter.
_RUNS_FROM = 4096
# So many counts on either side are taken in pairs, all of them.
_PAIRS_MOST = 320
# Pairs at a time: windows can be wide, and all rows be wanted.
_CELLS = 1 << 18
# e^{-37} is below half an ulp of 1.
_NEGLIGIBLE = 37.0


def hard_span(distribution: Hard, first: Setting, last: Setting) -> tuple[Estimate, Estimate]:
    """Return what the law on `hard` at depth 2 is at least, and at most, for every m of an interval.

    The more examples there are the more often the target is drawn as a candidate, and the less often the lump
    where there are no others. These come and go: with no examples thresholds without mistakes score too.
    """

    def lost(setting: Setting, *, alone: bool) -> NDArray[np.float64]:
        def at(d: int, part: Setting) -> Estimate:
            tree = Grown.at(d, distribution.target(d), 2)
            return on_hard(replace(tree.alone() if alone else tree, lucky=0.0), part)

        found = by_d(setting, at)
        return 1.0 - found.value if found.failure is None else found.failure

    share = np.vectorize(_lucky, otypes=[np.float64])(first.d)
    least = lost(first, alone=False)
    most = np.maximum(lost(last, alone=False) - share * lost(first, alone=True), 0.0)
    return exact(1.0 - least, first, least), exact(1.0 - most, last, most)


def ladder_law(distribution: Distribution, setting: Setting, depth: int = 1) -> Estimate:
    """Return the law of a tree of some depth.

    Raises
    ------
    InputError
        For a delta of 0, and a d or an alpha at which the distribution does not exist.
    """
    for d in np.unique(setting.d).tolist():
        distribution.check(d=d, alpha=setting.alpha)
    if isinstance(distribution, Hard):
        trees = {
            d: Grown.at(d, distribution.target(d), depth) for d in np.unique(setting.d).tolist()
        }
        first = next(iter(trees.values())).ladder
        if first and _of_right(first) and all(tree.ladder == first for tree in trees.values()):
            return _by_right(setting, first)
        law = on_hard if depth <= DEEPEST else _drawn_on_hard
        return by_d(setting, lambda d, part: law(trees[d], part))
    if not isinstance(distribution, Scattered):
        raise InputError("distribution", "must belong to INTERVAL_d", distribution.name)
    return by_d(setting, lambda d, part: _simulated(distribution, d, part, depth))


def law_beyond(distribution: Distribution, setting: Setting, depth: int, log2_d: float) -> Estimate:
    """Return the law on `hard` with the alternating target, where there are 2^log2_d levels; d is not read.

    Raises
    ------
    InputError
        For another distribution or target, and where there is no such law.
    """
    if not isinstance(distribution, Hard) or distribution.goal == TARGET.default:
        raise InputError(
            "log2_d",
            f"must be left out on {distribution.label}: hard(alternating) alone takes it",
            log2_d,
        )
    return on_hard(Grown.beyond(log2_d, depth), setting)


def _scale(setting: Setting, d: int, epsilon: float, depth: int = 1) -> Scale:
    return Scale.of(d=d, epsilon=epsilon, beta=setting.beta, delta=setting.delta, depth=depth)


def _simulated(distribution: Scattered, d: int, setting: Setting, depth: int) -> Estimate:
    if depth > 1:
        return _deeper(distribution, d, setting, depth)
    if isinstance(distribution, Cascade) and d > _RUNS_FROM:
        return _by_runs(distribution, d, setting)
    ancestors = Ancestors.of(distribution, d, setting.alpha)

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], ...]:
        return (ancestors.draw(m, trials, rng),)

    def conditional(d: int, epsilon: float, within: NDArray[np.int64]) -> NDArray[np.float64]:
        return ancestors.chances(within, _scale(setting, d, epsilon))

    return rao_blackwell(setting, draw, conditional)


def _deeper(distribution: Scattered, d: int, setting: Setting, depth: int) -> Estimate:
    if isinstance(distribution, Cascade) and d > WEIGHED_MOST:
        requirement = f"must be at most {WEIGHED_MOST} on {distribution.name} for {named(depth)}"
        raise InputError("d", requirement, d)
    ancestors = Ancestors.of(distribution, d, setting.alpha, merged=False)
    j = distribution.target(d)
    reach = Reach.of(d + 1, j, distribution.allowed(d=d, alpha=setting.alpha))

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], ...]:
        return (ancestors.draw(m, trials, rng),)

    def conditional(d: int, epsilon: float, within: NDArray[np.int64]) -> NDArray[np.float64]:
        scale = _scale(setting, d, epsilon, depth)
        return chances(ends_of(ancestors, within, d, j), scale, reach, ancestors.lucky)[0]

    return rao_blackwell(setting, draw, conditional)


def _by_runs(distribution: Cascade, d: int, setting: Setting) -> Estimate:
    runs = Runs.of(distribution, d, setting.alpha)
    # Drawn for the strictest privacy, where most points matter.
    least = float(setting.epsilon.min())
    widest = _scale(setting, d, least)

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[Occupied]:
        return (runs.draw(m, trials, runs.kept(m, widest, least), rng),)

    def conditional(d: int, epsilon: float, found: Occupied) -> NDArray[np.float64]:
        return runs.chances(found, _scale(setting, d, epsilon))

    return rao_blackwell(setting, draw, conditional)


class _Scales(NamedTuple):
    """What `hard_chances` takes of scales, of many settings."""

    rate: NDArray[np.float64]
    log_lump: NDArray[np.float64]
    most: NDArray[np.float64]


def _of_right(tree: tuple[bool, list[Group]]) -> bool:
    """Return whether no score depends on the count on the left: the cells of all begin at 0."""
    at_zero, ancestors = tree
    return at_zero and all(group.left and not group.below for group in ancestors)


def _by_right(setting: Setting, tree: tuple[bool, list[Group]]) -> Estimate:
    """Return the law where the count on the right is all that matters: its chance rises with it."""
    bits, losses = np.broadcast_arrays(setting.d, setting.epsilon)
    cells = list(zip(bits.ravel().tolist(), losses.ravel().tolist(), strict=True))
    known = {cell: (_scale(setting, *cell), _lucky(cell[0])) for cell in set(cells)}
    rows = [
        (scale.rate, scale.log_lump, scale.most, lucky)
        for scale, lucky in (known[cell] for cell in cells)
    ]
    columns = tuple(column.reshape(bits.shape) for column in np.array(rows, dtype=np.float64).T)

    def mean(which: int) -> NDArray[np.float64]:
        def chance(count: NDArray[np.float64], *at: NDArray[np.float64]) -> NDArray[np.float64]:
            *scale, lucky = at
            return hard_chances(np.zeros(()), count, _Scales(*scale), tree, lucky)[which]

        return binomial_expectation(
            setting.m, setting.alpha, columns, of_count(chance), rate=math.inf,
            log_tail=setting.log_tail,
        )  # fmt: skip

    return from_smaller(setting, lambda: mean(0), lambda: mean(1))


def _lucky(d: int) -> float:
    """Return the share of the lump that falls to the target."""
    share = float(np.exp2(-min(d, 1074)))
    return share / (1.0 + share)


@dataclass(frozen=True, slots=True)
class Grown:
    """The paths to thresholds on `hard`, at one target of some number of bits.

    Attributes
    ----------
    depth, d, log2_d
        As for `Scale.of`; where log2_d is above 0, d has as few bits as show the same.
    chances : callable
        left, right, scale=, lucky= -> the probability of the target and 1 minus it; see `hard_chances`.
    lucky : float
        The share of the lump that falls to the target.
    ladder : (bool, list of Group) or None
        What `groups` returns, at depth 1.
    """

    depth: int
    d: int
    log2_d: float
    chances: partial[tuple[NDArray[np.float64], NDArray[np.float64]]]
    lucky: float
    ladder: tuple[bool, list[Group]] | None

    @classmethod
    def at(cls, d: int, j: int, depth: int) -> Self:
        """Return the paths at a target below 2^d."""
        return cls._of(Step.of(d, j), groups(d, j), depth, d)

    @classmethod
    def beyond(cls, log2_d: float, depth: int) -> Self:
        """Return the paths at the alternating target of domains with 2^log2_d levels.

        Raises
        ------
        InputError
            Where these are fewer than 8, or more than the law of this depth counts.
        """
        most = _BEYOND.get(depth)
        if most is None:
            raise InputError(
                "log2_d", f"must be left out, {named(depth)} has no law for it", log2_d
            )
        if not _LEAST <= log2_d <= most:
            requirement = f"must be in [{_LEAST}, {most}] for the law of {named(depth)}"
            raise InputError("log2_d", requirement, log2_d)
        # At depth 2 every further level of the second tree is like the one before.
        counted = min(log2_d, _COUNTED) if depth > 1 else log2_d
        d, more = int(2.0**counted) - 1, math.ceil(log2_d) - math.ceil(counted)
        return cls._of(Step.alternating(d), alternating_groups(d), depth, d, log2_d, more)

    @classmethod
    def _of(
        cls, step: Step, ladder: tuple[bool, list[Group]], depth: int, d: int, log2_d: float = 0.0,
        more: int = 0,
    ) -> Self:  # fmt: skip
        law: Any
        if depth == 1:
            law = partial(hard_chances, tree=ladder)
        elif depth == 2:
            law = partial(hard_by_regimes, found=regimes(step, more))
        else:
            law = partial(hard_by_paths, step=step)
        return cls(depth, d, log2_d, law, _lucky(d), ladder if depth == 1 else None)

    def alone(self) -> Self:
        """Return the paths to the target without all others, at depth 2."""
        found = [regime._replace(others={}) for regime in self.chances.keywords["found"]]
        return replace(self, chances=partial(hard_by_regimes, found=found))

    def scale(self, setting: Setting, epsilon: float) -> Scale:
        """Return the scale of the setting."""
        return Scale.of(
            d=self.d, log2_d=self.log2_d, epsilon=epsilon, beta=setting.beta, delta=setting.delta,
            depth=self.depth,
        )  # fmt: skip


DEEPEST = 2
"""Up to this depth the law on `hard` is exact."""

# The log of the number of levels up to which the law of a depth counts: at depth 1 numbers of levels are floats.
_LEAST, _BEYOND = 3, {1: 512, 2: LOG2_D_MOST}
_COUNTED = 60


def _drawn_on_hard(tree: Grown, setting: Setting) -> Estimate:
    """Return the law on `hard` averaged over drawn counts: all pairs of counts would take too long."""
    alpha = setting.alpha

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], ...]:
        counts = rng.multinomial(m, [alpha, alpha, max(1.0 - 2.0 * alpha, 0.0)], size=trials)
        return (counts[:, :2],)

    def conditional(_: int, epsilon: float, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        left, right = counts.T.astype(np.float64)
        scale = tree.scale(setting, epsilon)
        return np.asarray(tree.chances(left, right, scale=scale, lucky=tree.lucky)[0])

    return rao_blackwell(setting, draw, conditional)


def on_hard(tree: Grown, setting: Setting) -> Estimate:
    """Return the law on `hard`, from both counts beside the step."""
    cells = setting.cells()
    value, failure = np.empty((2, len(cells)))
    for cell, (m, _, epsilon) in enumerate(cells):
        scale = tree.scale(setting, epsilon)
        certain = _certain(m, setting, scale, tree)
        if certain is not None:
            value[cell], failure[cell] = 1.0 - certain, certain
            continue
        if not setting.tiny_beta and setting.alpha < 0.5 and _wide(m, setting.alpha):
            value[cell] = _by_rows(m, setting.alpha, scale, tree)
            continue
        good = bad = 0.0
        for left, right, weight in two_counts(m, setting.alpha, setting.log_tail):
            one, other = tree.chances(left, right, scale=scale, lucky=tree.lucky)
            good += float((weight * one).sum())
            bad += float((weight * other).sum())
        value[cell], failure[cell] = good, bad
    lost = failure.reshape(setting.shape) if setting.tiny_beta else None
    return exact(value.reshape(setting.shape), setting, lost)


def _wide(m: int, alpha: float) -> bool:
    first, last = binomial_ends(m, alpha)
    return last - first >= _PAIRS_MOST


def _by_rows(m: int, alpha: float, scale: Scale, tree: Grown) -> float:
    """Return E[chance of the target] from its means given some counts on the left.

    The chance bends along lines through the counts (K, L) on which two scores are equal: K = L,
    2K + L = 2v, K + 2L = 2v, and multiples of v/3 of either. Given K, and among the even or the odd
    ones, these stand at places whose fractions do not change: the mean over L is smooth in K but
    where two of the lines cross.
    """
    window = binomial_window(m, alpha)
    first, one, both = factors(m, alpha)
    count = np.arange(first, first + one.size, dtype=np.float64)
    sums = np.lib.stride_tricks.sliding_window_view(both, one.size)

    def some(left: NDArray[np.int64]) -> NDArray[np.float64]:
        weight = sums[left - first] * one
        chance, _ = tree.chances(
            left[:, None].astype(np.float64), count, scale=scale, lucky=tree.lucky
        )
        return np.asarray(np.einsum("kl,kl->k", weight, chance) / weight.sum(axis=1))

    def rows(left: NDArray[np.int64]) -> NDArray[np.float64]:
        parts = min(-(-left.size * one.size // _CELLS), left.size)
        return np.concatenate([some(part) for part in np.array_split(left, parts)])

    most = float(scale.most)
    breaks = (most / 2.0, 2.0 * most / 3.0, most, 2.0 * most, *_breaks(scale))
    return mean_by_rows(*window, rows, breaks=breaks, stride=2)


def hard_chances(
    left: NDArray[np.float64], right: NDArray[np.float64], scale: Scale | _Scales,
    tree: tuple[bool, list[Group]], lucky: float | NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # fmt: skip
    """Return the probability of the target given the counts beside the step, and 1 minus it.

    Parameters
    ----------
    left, right : ndarray of float64
        How many examples lie on j - 1 and on j; they broadcast.
    scale : Scale
        Or arrays of what it holds, which broadcast with the counts.
    tree
        What `groups` returns.
    lucky : float or ndarray
        The share of the lump that falls to the target.
    """
    at_zero, ancestors = tree
    base, top = np.exp(-scale.log_lump), _weights(np.asarray(scale.most, np.float64), scale)
    half_left, half_right = _weights(0.5 * left, scale), _weights(0.5 * right, scale)
    ends = {
        (False, False): np.minimum(half_left, half_right), (True, False): half_right,
        (False, True): half_left, (True, True): np.array(np.inf),
    }  # fmt: skip
    room = {
        below: _weights(np.maximum(scale.most - count, 0.0), scale)
        for below, count in ((True, left), (False, right))
    }
    own = np.minimum(ends[at_zero, False], top) - base
    others = np.zeros(np.broadcast_shapes(left.shape, right.shape))
    for group in ancestors:
        weight = np.minimum(ends[group.left, group.right], room[group.below])
        others = others + group.number * (weight - base)
    total = 1.0 + own + others
    return (own + lucky) / total, (others + 1.0 - lucky) / total


def _weights(score: NDArray[np.float64], scale: Scale | _Scales) -> NDArray[np.float64]:
    """Return e^{rate score} / C."""
    return np.asarray(np.exp(np.minimum(scale.rate * score - scale.log_lump, LARGEST)))


def _certain(m: int, setting: Setting, scale: Scale, tree: Grown) -> float | None:
    """Return the failure where it is the same for all counts that occur, else None.

    So it is, to rounding, where no other candidate comes near the target's weight, and where all counts
    give the target its largest score: then nothing but the lump is left beside it.
    """
    if not setting.tiny_beta and _sure(m, setting.alpha, scale, tree):
        return 0.0
    if (setting.tiny_beta or tree.depth > 1) and (
        0.5 * _fewest(m, setting.alpha, setting.log_tail) >= scale.most
    ):
        enough = np.array(2.0 * scale.most)
        return float(tree.chances(enough, enough, scale=scale, lucky=tree.lucky)[1])
    return None


def _sure(m: int, alpha: float, scale: Scale, tree: Grown) -> bool:
    """Return whether all counts that occur are so large that the target is sure, to rounding."""
    if tree.ladder is None:
        return False
    least = _fewest(m, alpha, LOG_TAIL)
    rival = scale.rate * max(scale.most - least, 0.0)
    number = sum(group.number for group in tree.ladder[1])
    others = np.logaddexp(scale.log_lump, rival + np.log(float(number)))
    own = float(scale.log_gain(min(0.5 * least, scale.most)))
    return bool(others - own < -_NEGLIGIBLE)


def _breaks(scale: Scale) -> list[float]:
    """Return counts at which the margins of the levels turn."""
    return [turn for centre in scale.centres for turn in (float(centre), 2.0 * centre)]


def _fewest(m: int, alpha: float, log_tail: float) -> float:
    """Return the least count beside the step that occurs."""
    first, last = binomial_ends(m, alpha, log_tail)
    return float(min(first, m - last) if alpha == 0.5 else first)
