"""The exact law of LabelBoost on `hard`: the labelling that is picked, and then the base learner.

K of the kept labelled examples and J of the kept unlabelled ones are on the target's point, the
others on point 1. The labelling picked depends on K, the concept found on it and on K + J: a sum over
J for every K, which is a correlation.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from privsc_core.concepts.point.unlabelled_laws import enough_labels
from privsc_core.numerics.binomial_windows import LOG_TAIL, binomial_window
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["boosted_law"]

_NEVER = -np.inf


def _picked(
    hits: NDArray[np.float64], m: int, d: int, pick: float, *, target: bool, one: bool
) -> NDArray[np.float64]:
    """Return the chances of the labellings target, none and one, shape (3, places).

    Of m labelled examples `hits` are on the target's point; whether that point and point 1 are among
    all that were kept decides which labellings there are.
    """
    log_weights = np.full((3, hits.size), _NEVER)
    if target:
        log_weights[0] = 0.0
    if d > 1 or not (target and one):  # else every concept is 1 on one of the two
        log_weights[1] = -0.5 * pick * hits
    if one:
        log_weights[2] = -0.5 * pick * m
    weights = np.exp(log_weights - log_weights.max(axis=0))
    return np.asarray(weights / weights.sum(axis=0))


def _found(on_target: NDArray[np.float64], size: int, d: int, base: float) -> NDArray[np.float64]:
    """Return success and failure of the base learner, by labelling; shape (3, 2, places).

    `on_target` of `size` relabelled examples are on the target's point, the others on point 1.
    """
    rate = 0.5 * base
    others = log_domain_scalar(d, 2)
    hits, rest = rate * on_target, rate * (size - on_target)
    whole = np.full(hits.shape, rate * size)
    odds = [  # of the target's concept, in logarithms, against all others
        -np.logaddexp(others - hits, -whole),
        -hits - np.logaddexp(others, -rest),
        -whole - np.logaddexp(0.0, others - rest),
    ]
    return np.array([[expit(one), expit(-one)] for one in odds])


@functools.lru_cache(maxsize=4096)
def boosted_law(
    m: int, u: int, d: int, pick: float, base: float, mass: float, log_tail: float = LOG_TAIL
) -> tuple[float, float]:
    """Return success and failure with m labelled and u unlabelled examples, all of them kept.

    Parameters
    ----------
    m, u : int
        After the subsampling.
    d : int
    pick, base : float
        Privacy losses of the pick of a labelling, and of the base learner.
    mass : float
        Of the target's point.
    log_tail : float
        Minus the logarithm of what may be left out.
    """
    m = min(m, enough_labels(d, min(pick, base), mass, log_tail))
    u = min(u, enough_labels(d, base, mass, log_tail))
    size = m + u
    first_k, of_k = binomial_window(m, mass, log_tail)
    first_j, of_j = binomial_window(u, mass, log_tail)
    k = first_k + np.arange(of_k.size, dtype=np.float64)
    both = first_k + first_j + np.arange(of_k.size + of_j.size - 1, dtype=np.float64)
    found = _found(both, size, d, base)
    # Where only one of the points is there, the labellings are others: apart.
    found[:, :, (both == 0) | (both == size)] = 0.0
    picked = _picked(k, m, d, pick, target=True, one=True)
    total = np.zeros(2)
    for chances, law in zip(picked, found, strict=True):
        total += [float((of_k * chances) @ np.correlate(part, of_j, "valid")) for part in law]
    for on_target in {0, size}:
        hits = 0 if on_target == 0 else m
        place_k, place_j = hits - first_k, (0 if on_target == 0 else u) - first_j
        if not (0 <= place_k < of_k.size and 0 <= place_j < of_j.size):
            continue
        shares = _picked(
            np.array([float(hits)]), m, d, pick, target=on_target > 0, one=on_target < size
        )
        law = _found(np.array([float(on_target)]), size, d, base)
        weight = of_k[place_k] * of_j[place_j]
        total += weight * sum(
            share[0] * part[:, 0] for share, part in zip(shares, law, strict=True)
        )
    return float(total[0]), float(total[1])
