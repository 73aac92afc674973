"""The expected share of one group when numbers of members are multinomial.

With N_c members of group c, each of weight w_c and w_0 = 1, the exponential mechanism picks
group 0 with probability N_0 / sum_c N_c w_c. Writing 1/S as the integral of e^{-tS} turns the
expectation over Multinomial(n; p) into one integral,

    n p_0 * integral_0^inf e^{-t} (sum_c p_c e^{-t w_c})^{n-1} dt,

which a Gauss rule computes to about 1e-14 where the integrand decays before e^{-t} bends, and the
trapezoidal rule in log t to about 1e-12 anywhere: an exact law where simulation would be the
obvious way.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["expected_rest", "expected_share"]

# From this rate of decay on, Gauss and Laguerre's 10 nodes leave an error of 1e-14 (against 80 of
# Legendre's, over random groups and rates up to 1e7; 8 nodes leave 4e-14).
_RATE = 60.0
_GAUSS_NODES, _GAUSS_WEIGHTS = np.polynomial.laguerre.laggauss(10)
# Other groups whose share is below this do not matter.
_NOTHING = 1e-17
_STEP = 0.25
_NODES = 8
_SPENT = 1e-15
# So few cells are not told apart by their groups.
_FEW = 128
# Smaller weights count as 0.
_LEAST = 1e-300


def expected_share(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: Sequence[NDArray[np.float64]],
    weights: Sequence[NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return E[N_0 / (N_0 + sum_c N_c w_c)] for multinomial N (0 when N_0 = 0).

    Parameters
    ----------
    members : ndarray
        n, the total number of members; at least 1.
    first : ndarray
        p_0, the probability of group 0 (weight 1).
    probabilities, weights : sequences of ndarray
        p_c and w_c in [0, 1] of the other groups; with p_0 they sum to 1. All arrays
        broadcast with each other.

    Returns
    -------
    ndarray of float64
        Of the broadcast shape.
    """
    # Groups without weight, of which there are many, only take time.
    heavy = [c for c, w in enumerate(weights) if np.any(w)]
    arrays = np.broadcast_arrays(
        members, first, *(probabilities[c] for c in heavy), *(weights[c] for c in heavy)
    )
    shape = np.broadcast_shapes(arrays[0].shape, *(np.shape(a) for a in (*probabilities, *weights)))
    if arrays[0].shape != shape:
        arrays = np.broadcast_arrays(*arrays, np.empty(shape))[:-1]
    flat = np.array([a.ravel() for a in arrays], dtype=np.float64)
    size, own = flat[:2]
    chances, loads = flat[2 : 2 + len(heavy)], flat[2 + len(heavy) :]
    mixed = chances * loads
    # Where nobody else has any weight: 1 unless there is no member.
    out = -np.expm1(size * np.log1p(-np.minimum(own, 1.0 - 1e-16)))
    rate = (size - 1.0) * (own + mixed.sum(axis=0))
    # Cells by the rule, and many of them by the groups that matter there, which are mostly few.
    matters = mixed > _NOTHING * own
    kind = (1 << np.arange(len(heavy))) @ matters
    if kind.size <= _FEW:
        kind[kind != 0] = np.bitwise_or.reduce(kind)
    kind[rate >= _RATE] *= -1
    for which in np.unique(kind[kind != 0]).tolist():
        groups = np.array([c for c in range(len(heavy)) if abs(which) >> c & 1])
        cells, integral = np.flatnonzero(kind == which), _gauss if which < 0 else _integral
        for start in range(0, cells.size, 512):
            here = cells[start : start + 512]
            there = np.ix_(groups, here)
            found = integral(size[here], own[here], chances[there], loads[there])
            out[here] = np.minimum(found, 1.0)
    return np.asarray(out.reshape(shape))


def expected_rest(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: Sequence[NDArray[np.float64]],
    weights: Sequence[NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return 1 - `expected_share` without cancellation: the expected share of all others.

    The share of group c has N_c w_c in place of N_0, and so w_c e^{-t w_c} in place of e^{-t} in
    the integral. Where no member has any weight at all the others have the share 1. Weights
    and results below 1e-300 count as 0.
    """
    arrays = np.broadcast_arrays(members, first, *probabilities, *weights)
    shape = arrays[0].shape
    flat = [np.asarray(a, dtype=np.float64).ravel() for a in arrays]
    out = np.empty(flat[0].size)
    groups = len(probabilities)
    for start in range(0, out.size, 512):
        part = [a[start : start + 512] for a in flat]
        out[start : start + 512] = _rest(
            part[0], part[1], np.array(part[2 : 2 + groups]), np.array(part[2 + groups :])
        )
    return np.asarray(out.reshape(shape))


def _rest(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    heavy = weights > _LEAST
    weights = np.where(heavy, weights, 0.0)
    weightless = np.where(heavy, 0.0, probabilities).sum(axis=0)
    loaded = first + np.where(heavy, probabilities, 0.0).sum(axis=0)
    with np.errstate(divide="ignore"):
        empty = np.where(loaded < 0.5, np.log1p(-np.minimum(loaded, 0.5)), np.log(weightless))
    total = np.exp(members * empty)
    # Without members of group 0 the others have the share 1; beside one, at most n times a weight.
    with np.errstate(divide="ignore"):
        nobody = np.where(
            first < 0.5, np.log1p(-np.minimum(first, 0.5)), np.log(probabilities.sum(axis=0))
        )
    alone = np.exp(members * nobody)
    light = members * np.where(probabilities > 0.0, weights, 0.0).max(axis=0) <= _NOTHING * alone
    total[light] = alone[light]
    busy = np.flatnonzero(~light)
    total[busy] = _loaded(
        members[busy], first[busy], probabilities[:, busy], weights[:, busy], total[busy]
    )
    return np.asarray(np.minimum(total, 1.0))


def _loaded(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    weights: NDArray[np.float64],
    total: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Add to `total` the integral of `expected_rest`, every cell only where it has some.

    Weights may be 1e-300, and then there are hundreds of orders of t between what is decided by
    some groups and by the others.
    """
    mixed = probabilities * weights
    rate = 1.0 + (members - 1.0) * (first + mixed.sum(axis=0))
    following = np.zeros(members.size)  # the block of nodes that is next
    while (block := following.min(initial=math.inf)) < math.inf:
        here = np.flatnonzero(following == block)
        n, p, w, load = members[here], probabilities[:, here], weights[:, here], mixed[:, here]
        own, known = first[here], total[here]
        y = (-3.6 + _STEP * (block * _NODES + np.arange(_NODES)))[:, None]
        t = np.exp(np.minimum(y - np.exp(-y), 700.0)) / rate[here]
        jacobian = t * (1.0 + np.exp(-y))
        # Two ways to the sum of p e^{-tw}: the one for where it is near 1, and the other.
        drop, left = own * -np.expm1(-t), own * np.exp(-t)
        alive, decay = np.zeros(t.shape), np.empty_like(w)
        for c in range(len(p)):
            spent = t * -w[c]
            fallen = np.exp(spent)
            drop -= p[c] * np.expm1(spent)
            left += p[c] * fallen
            alive += load[c] * fallen
            decay[c] = fallen[-1]
        near = np.log1p(-np.minimum(drop, 0.5))
        others = np.exp((n - 1.0) * np.where(drop < 0.5, near, np.log(np.maximum(left, _LEAST))))
        # Weights are as small as floats, their product with t is not.
        known += n * _STEP * (others * (alive * jacobian)).sum(axis=0)
        total[here] = known
        # What a group can still add: n p e^{-tw} times the others' factor, which falls; and nothing
        # before t w has grown to its share of that.
        most, little = n * others[-1] * p, _NOTHING * known
        matters = (load > 0.0) & (most * decay > little)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            grown = np.log(little * rate[here]) - np.log(most * w)
        begins = np.where(matters, (grown + 3.6) / (_STEP * _NODES), math.inf).min(axis=0)
        following[here] = np.maximum(np.floor(begins), block + 1.0)
    return total


def _gauss(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    # In units of the decay at the beginning u = 1 - e^{-t} is the variable of an integrand that is nearly
    # e^{-u}: e^{-t} dt = du, and p (1 - e^{-tw}) is nearly p w u.
    rate = (members - 1.0) * (first + (probabilities * weights).sum(axis=0))
    u = _GAUSS_NODES[:, None] / rate
    t = np.log1p(-u)
    kept = u * -first
    for p, w in zip(probabilities, weights, strict=True):
        fall = t * w
        np.expm1(fall, out=fall)
        fall *= p
        kept += fall
    np.maximum(kept, -1.0, out=kept)
    with np.errstate(divide="ignore"):
        exponent = np.log1p(kept, out=kept)
    exponent *= members - 1.0
    exponent += _GAUSS_NODES[:, None]
    total = _GAUSS_WEIGHTS @ np.exp(exponent, out=exponent)
    return np.asarray(members * first / rate * total)


def _integral(
    members: NDArray[np.float64],
    first: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    # In units of the initial decay rate the integrand is smooth in log t over the whole
    # range; e^{-e^{-y}} cuts the left end.
    rate = 1.0 + (members - 1.0) * first
    for p, w in zip(probabilities, weights, strict=True):
        rate = rate + (members - 1.0) * p * w
    top = math.log(45.0 * float(rate.max()))
    y = np.arange(-3.6, top + _STEP, _STEP)[:, None]
    stretched = y - np.exp(-y)
    scaled = np.exp(stretched)
    total = np.zeros(members.size)
    for start in range(0, len(y), _NODES):
        t = scaled[start : start + _NODES] / rate
        jacobian = t * (1.0 + np.exp(-y[start : start + _NODES]))
        drop = first * -np.expm1(-t)
        for p, w in zip(probabilities, weights, strict=True):
            drop = drop - p * np.expm1(-t * w)
        with np.errstate(divide="ignore"):
            exponent = -t + (members - 1.0) * np.log1p(-np.minimum(drop, 1.0))
        integrand = np.exp(exponent)
        total += (integrand * jacobian).sum(axis=0)
        # N_0 / S <= N_0, so what is left of the integral is at most the integrand itself.
        if (integrand[-1] <= _SPENT * _STEP * total).all():
            break
    return np.asarray(members * first * total * _STEP)
