"""What a mistake tree leaves of success over an axis; where that is 0 or 1, without a search."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.generic.guessing import surely_enough
from privsc_core.concepts.generic.littlestone import sharp_littlestones
from privsc_core.concepts.generic.paths import (
    SHORT,
    Paths,
    every_short_path,
    long_paths,
    path_limit,
    paths_enough,
    short_paths,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Setting

__all__ = ["littlestone_limit"]

_NOTHING = 1e-15  # what success, or failure, may be to count as none: far below a curve's rounding
_SHARES = 64  # of mistakes, of long paths: classes that are told of together


def littlestone_limit(setting: Setting) -> NDArray[np.float64]:
    """Return the largest success probability of a pure private learner, of the setting's shape.

    By two paths for each d and ε: that of the number of samples, and that which is best for many.
    """
    d, epsilon = np.broadcast_arrays(setting.d, setting.epsilon)
    depths, losses, tail = d.ravel(), epsilon.ravel(), setting.log_tail
    if not every_short_path(setting.alpha)[
        0
    ].lengths.size:  # alpha is 1 but for rounding: no mistakes fail
        return np.ones(setting.shape)
    if setting.m.size > 1:
        many = _many_samples(depths, setting.alpha)
        best = _best(depths, losses, setting, many)
        # Often both are one.
        same = np.array_equal(best.mistakes, many.mistakes) and np.array_equal(
            best.lengths, many.lengths
        )
        limits = [
            path_limit(
                setting.m, by.each(lambda column: column.reshape(d.shape)), epsilon, tail=tail
            )
            for by in ([many] if same else [best, many])
        ]
        return np.broadcast_to(np.minimum(limits[0], limits[-1]), setting.shape)
    # Over d or ε most values are 0 or 1, whichever path it is.
    m, found = setting.m.reshape(1), np.ones(depths.size)
    open_ = np.flatnonzero(~_surely_one(m, depths, losses, setting.alpha))
    if open_.size:
        many = _many_samples(depths[open_], setting.alpha)
        found[open_] = path_limit(m, many, losses[open_], tail=tail)
        some = np.flatnonzero(found[open_] > _NOTHING)
        many, open_ = many.at(some), open_[some]
    if open_.size:
        best = _best(depths[open_], losses[open_], setting, many)
        other = path_limit(m, best, losses[open_], tail=tail)
        found[open_] = np.minimum(found[open_], other)
    return np.broadcast_to(found.reshape(d.shape), setting.shape)


def _surely_one(
    m: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64], alpha: float
) -> NDArray[np.bool_]:
    """Tell where no path leaves less than 1 of success, without an expectation; elsewhere it may be so.

    Parameters
    ----------
    m : ndarray, shape (1,)
    d, epsilon : ndarray, shape (cells,)
    alpha : float
    """
    top = np.minimum(d, SHORT)
    every, beaten_from = every_short_path(alpha)
    used = (every.lengths <= top.max()) & (beaten_from > np.maximum(every.lengths, top.min()))
    paths = every.at(np.flatnonzero(used))
    losses, place = np.unique(epsilon, return_inverse=True)
    enough = paths_enough(m, paths, losses[:, None], _NOTHING)
    # From the first length on at which that is not known of a path.
    first = np.where(enough, SHORT + 1, paths.lengths).min(axis=1)
    sure = np.asarray(top < first[place])
    deep = np.flatnonzero(sure & (d > SHORT))
    if deep.size:
        sure[deep] = _long_surely_one(m, d[deep], epsilon[deep], alpha)
    return sure


def _long_surely_one(
    m: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64], alpha: float
) -> NDArray[np.bool_]:
    """Tell the same of paths of l > 64 nodes, α < j/l <= 1/2: of all of them together, for l up to d.

    Where j >= 2, M - 1 >= C(l, j-1) = C(l, j) j / (l - j + 1), and with x = j/l
    C(l, j) >= e^{l H(x)} / sqrt(8 l x (1-x)) >= e^{l H(x)} / sqrt(2 l) for the entropy H in nats
    (MacWilliams and Sloane, The Theory of Error-Correcting Codes, chapter 10, Lemma 7). So what is
    lost is at most 1 - 1/z, z = R e^{-εK}, K ~ Bin(m, α/x), where
    log R = l (log 2 - H(x)) + log(2l) / 2 + log((1 - x + 1/65) / x). It grows with l and falls with x,
    as does α/x: for x in an interval both are taken at its worse end.
    """
    if alpha >= 0.5:
        return np.ones(d.shape, dtype=np.bool_)  # there are none
    if alpha * (SHORT + 1) < 1.0:
        return np.zeros(d.shape, dtype=np.bool_)  # j may be 1
    shares = np.geomspace(alpha, 0.5, _SHARES + 1)
    x, length = shares[:-1], d[:, None].astype(np.float64)
    bits = math.log(2.0) + x * np.log(x) + (1.0 - x) * np.log1p(-x)
    rivals = length * bits + 0.5 * np.log(2.0 * length)
    rivals += np.log((1.0 - x + 1.0 / (SHORT + 1)) / x)
    enough = surely_enough(m, rivals, alpha / shares[1:], epsilon[:, None], _NOTHING)
    return np.asarray(enough.all(axis=1))


def _best(
    d: NDArray[np.int64], epsilon: NDArray[np.float64], setting: Setting, many: Paths
) -> Paths:
    """Return the paths that exclude most; those for many samples where nothing is excluded."""
    found = sharp_littlestones(
        tuple(d.tolist()), tuple(epsilon.tolist()), alpha=setting.alpha, beta=setting.beta
    )
    other = zip(many.lengths.tolist(), many.mistakes.tolist(), strict=True)
    pairs = [
        (by.length, by.mistakes) if by.length else pair
        for by, pair in zip(found, other, strict=True)
    ]
    return Paths.of(pairs, setting.alpha)


def _many_samples(d: NDArray[np.int64], alpha: float) -> Paths:
    """Return for each depth the one path that excludes most where many samples are excluded.

    Long ones do that best, where there are some: less than half of their nodes are mistakes.
    """
    depths = list(dict.fromkeys(d.tolist()))
    deep = tuple(depth for depth in depths if depth > SHORT)
    long = dict(zip(deep, long_paths(deep, alpha, dummy=True), strict=True))
    found = {}
    for depth in depths:
        paths = long.get(depth)
        if paths is None or not paths.lengths.size:
            paths = short_paths(min(depth, SHORT), alpha, dummy=True)
        found[depth] = paths.at(np.array([paths.rate().argmax()]))
    return Paths.joined([found[depth] for depth in d.tolist()])
