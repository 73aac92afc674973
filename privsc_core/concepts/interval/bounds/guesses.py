"""How rarely a fixed distribution guesses an accurate hypothesis, by the entropy of messages (FX14)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Promising = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.bool_]]

__all__ = ["best_guesses", "least_possible_guess", "log_guess"]

_LOG2 = math.log(2.0)
_TRIED = np.geomspace(1e-9, 1.0 - 1e-4, 240)
_COARSE = np.concatenate([np.geomspace(_TRIED[0], 1e-3, 6)[:-1], np.geomspace(1e-3, 1.0, 20)])
_SMOOTH = 30.0  # from e^{-30} on 1 - e^{-x} is x
_PAIRS = 128  # pairs of a table that stays in the cache


def entropy(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the binary entropy in bits."""
    p = np.clip(probability, 1e-300, 1.0 - 1e-16)
    return np.asarray(-(p * np.log(p) + (1.0 - p) * np.log1p(-p)) / _LOG2)


def log_guess(
    dimension: NDArray[np.int64], accuracy: NDArray[np.float64], confidence: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return an upper bound on the log probability of guessing an accurate hypothesis.

    Let every target's good hypotheses have probability q or more in one fixed distribution.
    N independent draws from it contain a good one except with probability delta' = (1-q)^N, so
    they are an (accuracy, delta')-probabilistic representation, which costs
    log2 N >= (1 - H2(gamma)) LDim, gamma = accuracy + delta' - accuracy * delta' < 1/2 (FX14,
    Theorem 3.1 and Corollary 4.3). With M the largest N that violates this, (1-q)^M > delta'.

    Parameters
    ----------
    dimension : ndarray
        Littlestone dimensions of classes.
    accuracy : ndarray
        In (0, 1/2).
    confidence : ndarray
        Values of delta' to try, in (0, 1).

    Returns
    -------
    ndarray of float64
        log q at most this, for each delta'; 0 where nothing is said. All broadcast.
    """
    bits = _kept(accuracy, confidence) * dimension
    return _log_guess(bits, np.log(-np.log(confidence)))


def _kept(accuracy: NDArray[np.float64], confidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - H2(gamma), the share of each bit that counts; 0 from gamma = 1/2 on."""
    gamma = accuracy + confidence - accuracy * confidence
    return np.where(gamma < 0.5, 1.0 - entropy(np.minimum(gamma, 0.5)), 0.0)


def _log_guess(bits: NDArray[np.float64], log_log: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `log_guess` from log2 N and log(-log delta')."""
    log_most = bits * _LOG2
    # M = ceil(2^bits) - 1 where that can be told from 2^bits.
    small = np.nonzero(bits < 50.0)
    whole = np.ceil(np.exp2(bits[small]) * (1.0 - 1e-12)) - 1.0
    with np.errstate(divide="ignore"):
        log_most[small] = np.log(np.maximum(whole, 0.0))
    # q < 1 - delta'^{1/M}, which is the exponent itself where that is tiny.
    share = log_log - log_most
    near = np.nonzero(share >= -_SMOOTH)
    few = np.minimum(share[near], 4.0)  # 1 - e^{-e^4} is 1
    share[near] = np.log(-np.expm1(-np.exp(few)))
    share[tuple(axis[whole < 1.0] for axis in small)] = 0.0
    return np.minimum(share, 0.0)


def least_possible_guess(
    dimension: NDArray[np.int64], accuracy: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what `best_guesses` are at least, from a few delta'; it grows with an accuracy below 1/2.

    Between two delta' gamma is at least what it is at the lower one, which says how many bits count at
    most, and -log delta' what it is at the upper one: 1 - delta'^{1/M} is least at both ends. M is less
    than 2^bits.

    Parameters
    ----------
    dimension, accuracy : ndarray
        They broadcast; the accuracy is in (0, 1/2).
    """
    most = ((0.5 - accuracy) / (1.0 - accuracy))[..., None]
    ends = most * _COARSE
    bits = _kept(accuracy[..., None], ends[..., :-1]) * dimension[..., None]
    share = np.log(-np.log(ends[..., 1:])) - bits * _LOG2
    least = np.asarray(share.min(axis=-1))
    found = np.log(-np.expm1(-np.exp(np.clip(least, -_SMOOTH, 4.0))))
    return np.where(least < -_SMOOTH, least, found)


def best_guesses(
    dimension: NDArray[np.int64],
    accuracy: NDArray[np.float64],
    promising: Promising | None = None,
) -> NDArray[np.float64]:
    """Return the least `log_guess` over delta', pair by pair; 0 where the accuracy is too poor.

    Both have shape (pairs,). Where `promising` says of a pair's value on a grid of delta', and of what
    it is at least between grid points, that it is not, the first value stays.
    """
    found = np.zeros(dimension.size)
    # Half of the work depends on the accuracy alone, and dimensions share few.
    accuracies, inverse = np.unique(accuracy, return_inverse=True)
    most = np.maximum((0.5 - accuracies) / (1.0 - accuracies), 0.0)
    said = most[inverse] > 0.0
    with np.errstate(divide="ignore"):
        tried = most[:, None] * _TRIED
        kept, log_log = _kept(accuracies[:, None], tried), np.log(-np.log(tried))
    places = np.zeros(found.size, dtype=np.intp)
    for start in range(0, found.size, _PAIRS):
        pairs = np.flatnonzero(said[start : start + _PAIRS]) + start
        which = inverse[pairs]
        places[pairs], found[pairs] = _least_guess(kept[which], dimension[pairs], log_log[which])
    below, above = np.maximum(places - 1, 0), np.minimum(places + 1, _TRIED.size - 1)
    if promising is not None:
        # As many bits as at one end, and the delta' of the other.
        bits, log = kept[inverse, below] * dimension, log_log[inverse, above]
        said &= promising(found, _log_guess(bits, log))
    rest = np.flatnonzero(said)
    for start in range(0, rest.size, _PAIRS):
        pairs = rest[start : start + _PAIRS]
        of = inverse[pairs]
        between = np.linspace(tried[of, below[pairs]], tried[of, above[pairs]], 65, axis=1)
        fine = _kept(accuracy[pairs, None], between), dimension[pairs], np.log(-np.log(between))
        found[pairs] = np.minimum(found[pairs], _least_guess(*fine)[1])
    return found


def _least_guess(
    kept: NDArray[np.float64], dimension: NDArray[np.int64], log_log: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return where in each row `_log_guess` is least, and how much it is there.

    It is at least what it would be if M were 2^bits, which mostly leaves few to look at.
    """
    smooth = kept * dimension[:, None]
    smooth *= -_LOG2
    smooth += log_log
    rows, at = np.arange(len(smooth)), smooth.argmin(axis=1)
    found = _log_guess(kept[rows, at] * dimension, log_log[rows, at])
    with np.errstate(divide="ignore"):
        most = np.log(-np.log1p(-np.exp(np.minimum(found, -1e-300))))
    near, columns = np.nonzero(smooth <= np.where(found > -_SMOOTH, most, found)[:, None] + 1e-9)
    values = _log_guess(kept[near, columns] * dimension[near], log_log[near, columns])
    table = np.zeros(smooth.shape)
    table[near, columns] = values
    at = table.argmin(axis=1)
    return at, table[rows, at]
