"""The success laws of the learner `tree`: exact on `hard`, elsewhere averaged over samples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privsc_core.concepts.interval.cascade import Cascade
from privsc_core.concepts.interval.cascade_runs import Occupied, Runs
from privsc_core.concepts.interval.distributions import Hard, Scattered
from privsc_core.concepts.interval.ladder import LARGEST, Ladder, groups
from privsc_core.concepts.interval.rungs import Scale
from privsc_core.concepts.laws import by_d, exact, from_smaller, rao_blackwell
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import binomial_expectation, of_count
from privsc_core.numerics.binomial_windows import LOG_TAIL, binomial_ends, binomial_window
from privsc_core.numerics.rows import mean_by_rows
from privsc_core.numerics.trinomial import two_counts
from privsc_core.numerics.trinomial_lattice import factors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.interval.ladder import Group

__all__ = ["hard_chances", "ladder_law"]

# Up to so many bits all scales of a cascade are counted, beyond it the points that matter.
_RUNS_FROM = 4096
# So many counts on either side are taken in pairs, all of them.
_PAIRS_MOST = 320
# Pairs at a time: windows can be wide, and all rows be wanted.
_CELLS = 1 << 18
# e^{-37} is below half an ulp of 1.
_NEGLIGIBLE = 37.0


def ladder_law(distribution: Distribution, setting: Setting) -> Estimate:
    """Return the law of the learner `tree`.

    Raises
    ------
    InputError
        For a delta of 0, and a d or an alpha at which the distribution does not exist.
    """
    for d in np.unique(setting.d).tolist():
        distribution.check(d=d, alpha=setting.alpha)
    if isinstance(distribution, Hard):
        trees = [groups(d, distribution.target(d)) for d in np.unique(setting.d).tolist()]
        if _of_right(trees[0]) and all(tree == trees[0] for tree in trees):
            return _by_right(setting, trees[0])
        return by_d(setting, lambda d, part: _on_hard(distribution, d, part))
    if not isinstance(distribution, Scattered):
        raise InputError("distribution", "must belong to INTERVAL_d", distribution.name)
    return by_d(setting, lambda d, part: _simulated(distribution, d, part))


def _scale(setting: Setting, d: int, epsilon: float) -> Scale:
    return Scale.of(d=d, epsilon=epsilon, beta=setting.beta, delta=setting.delta)


def _simulated(distribution: Scattered, d: int, setting: Setting) -> Estimate:
    if isinstance(distribution, Cascade) and d > _RUNS_FROM:
        return _by_runs(distribution, d, setting)
    ladder = Ladder.of(distribution, d, setting.alpha)

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], ...]:
        return (ladder.draw(m, trials, rng),)

    def conditional(d: int, epsilon: float, within: NDArray[np.int64]) -> NDArray[np.float64]:
        return ladder.chances(within, _scale(setting, d, epsilon))

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
    """Tell whether no score depends on the count on the left: the cells of all begin at 0."""
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


def _on_hard(distribution: Hard, d: int, setting: Setting) -> Estimate:
    tree = groups(d, distribution.target(d))
    lucky = _lucky(d)
    cells = setting.cells()
    value, failure = np.empty((2, len(cells)))
    for cell, (m, _, epsilon) in enumerate(cells):
        scale = _scale(setting, d, epsilon)
        if setting.extreme:
            certain = _full(m, setting, scale, lucky)
        else:
            certain = 0.0 if _sure(m, setting.alpha, scale, tree[1]) else None
        if certain is not None:
            value[cell], failure[cell] = 1.0 - certain, certain
            continue
        if not setting.extreme and setting.alpha < 0.5 and _wide(m, setting.alpha):
            value[cell] = _by_rows(m, setting.alpha, scale, tree, lucky)
            continue
        good = bad = 0.0
        for left, right, weight in two_counts(m, setting.alpha, setting.log_tail):
            one, other = hard_chances(left, right, scale, tree, lucky)
            good += float((weight * one).sum())
            bad += float((weight * other).sum())
        value[cell], failure[cell] = good, bad
    lost = failure.reshape(setting.shape) if setting.extreme else None
    return exact(value.reshape(setting.shape), setting, lost)


def _wide(m: int, alpha: float) -> bool:
    first, last = binomial_ends(m, alpha)
    return last - first >= _PAIRS_MOST


def _by_rows(
    m: int, alpha: float, scale: Scale, tree: tuple[bool, list[Group]], lucky: float
) -> float:
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
        chance, _ = hard_chances(left[:, None].astype(np.float64), count, scale, tree, lucky)
        return np.asarray(np.einsum("kl,kl->k", weight, chance) / weight.sum(axis=1))

    def rows(left: NDArray[np.int64]) -> NDArray[np.float64]:
        parts = min(-(-left.size * one.size // _CELLS), left.size)
        return np.concatenate([some(part) for part in np.array_split(left, parts)])

    most = float(scale.most)
    breaks = (most / 2.0, 2.0 * most / 3.0, most, 2.0 * most)
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


def _sure(m: int, alpha: float, scale: Scale, ancestors: list[Group]) -> bool:
    """Tell whether all counts that occur are so large that the target is sure, to rounding."""
    least = _fewest(m, alpha, LOG_TAIL)
    rival = scale.rate * max(scale.most - least, 0.0)
    number = sum(group.number for group in ancestors)
    others = np.logaddexp(scale.log_lump, rival + np.log(number))
    own = float(scale.log_gain(min(0.5 * least, scale.most)))
    return bool(others - own < -_NEGLIGIBLE)


def _full(m: int, setting: Setting, scale: Scale, lucky: float) -> float | None:
    """Return the failure where all counts that occur give the target the largest score, else None.

    Then nothing but the lump is left beside it, however many examples there are.
    """
    if 0.5 * _fewest(m, setting.alpha, setting.log_tail) < scale.most:
        return None
    own = float(_weights(np.array(float(scale.most)), scale)) - float(np.exp(-scale.log_lump))
    return (1.0 - lucky) / (1.0 + own)


def _fewest(m: int, alpha: float, log_tail: float) -> float:
    """Return the least count beside the step that occurs."""
    first, last = binomial_ends(m, alpha, log_tail)
    return float(min(first, m - last) if alpha == 0.5 else first)
