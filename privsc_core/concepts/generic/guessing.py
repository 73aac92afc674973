"""What privacy leaves of a blind guess: limits on success that grow with the samples that tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.shared.inequalities import least_allowed, log_tail, roughly_allowed
from privsc_core.numerics.binomial import binomial_expectation, of_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST = 700.0  # e^{700} is still a float


def guessing_limit(
    m: NDArray[np.int64], masses: NDArray[np.float64], columns: tuple[NDArray[np.float64], ...],
    tail: float, *, lost: bool = False,
) -> NDArray[np.float64]:  # fmt: skip
    """Return E min(1, G / (o + R e^{-εK})), K ~ Bin(m, mass), or 1 less it without cancellation.

    Parameters
    ----------
    m, masses : ndarray
        The mass off the dummy; 1 where there is none. All broadcast.
    columns : tuple of ndarray
        log G, log R, log o and epsilon.
    tail : float
        As in `binomial_expectation`.
    lost : bool
        Which of the two.
    """
    table = _lost if lost else _kept
    sure = masses >= 1.0
    if m.size and sure.size and not sure.any():
        # Of one mass for all what is computed is shared.
        mass = float(masses.item()) if masses.size == 1 else masses
        found = binomial_expectation(
            m, mass, columns, of_count(table), rate=math.inf, log_tail=tail
        )
        return found.reshape(np.broadcast_shapes(found.shape, masses.shape))
    shape = np.broadcast(m, masses, *columns).shape
    if sure.all() or not m.size:
        return np.broadcast_to(table(m.astype(np.float64), *columns), shape)
    out, sure = np.empty(shape), np.broadcast_to(sure, shape)
    cells = [np.broadcast_to(column, shape) for column in (m, masses, *columns)]
    for where in (sure, ~sure):
        size, mass, *rest = (column[where] for column in cells)
        out[where] = guessing_limit(size, mass, tuple(rest), tail, lost=lost)
    return out


def least_guessing(
    log_good: NDArray[np.float64],
    log_rivals: NDArray[np.float64],
    masses: NDArray[np.float64],
    *,
    epsilon: float | NDArray[np.float64],
    beta: float,
    own: bool = True,
) -> NDArray[np.int64]:
    """Return the least m with E min(1, G / (o + R e^{-εK})) >= 1 - β, K ~ Bin(m, mass).

    Parameters
    ----------
    log_good, log_rivals, masses : ndarray, shape (limits,)
        log G, log R, and the mass off the dummy; 1 where there is none.
    epsilon : float or ndarray, shape (limits,)
    beta : float
    own : bool
        Whether o is 1, for limits that count the target itself apart; else 0.

    Returns
    -------
    ndarray of int64, shape (limits,)
        0 where more samples than are searched for are excluded.
    """
    shape = (masses.size, 1)
    columns = (
        log_good[:, None], log_rivals[:, None], np.full(shape, 0.0 if own else -np.inf),
        np.broadcast_to(epsilon, masses.shape)[:, None],
    )  # fmt: skip
    tail = log_tail(beta)
    alone = (log_good == 0.0) & own
    guess = roughly_allowed(beta, log_rivals - log_good, masses, epsilon, cut=~alone)

    def mean(which: NDArray[np.intp], m: NDArray[np.int64], *, lost: bool) -> NDArray[np.float64]:
        mine = tuple(column[which] for column in columns)
        return guessing_limit(m, masses[which, None], mine, tail, lost=lost)

    return least_allowed(
        beta,
        lambda which, m: mean(which, m, lost=False),
        lambda which, m: mean(which, m, lost=True),
        guess=guess,
    )


def surely_enough(
    m: NDArray[np.int64], log_rivals: NDArray[np.float64], masses: NDArray[np.float64],
    epsilon: NDArray[np.float64], beta: float, *, own: bool | NDArray[np.bool_] = False,
) -> NDArray[np.bool_]:  # fmt: skip
    """Return where E min(1, 1/z) is at least 1 - β without an expectation, z = R e^{-εK}, K ~ Bin(m, mass).

    What is lost is max(0, 1 - 1/z), which is at most z^t t^t / (1+t)^{1+t} for every t > 0. The
    expectation of z^t is known, and the best t nearly. Where that says nothing, it may hold all the same.

    Parameters
    ----------
    m, log_rivals, masses, epsilon : ndarray
        m, log R, the mass, and epsilon; they broadcast.
    beta : float
    own : bool or ndarray
        Where it is told of E 1/(1+z) instead: at most z^t t^t (1-t)^{1-t} is lost, for t < 1.
    """
    slack = m * epsilon - log_rivals
    with np.errstate(divide="ignore", invalid="ignore"):
        fallen = log_rivals * (1.0 - masses) / (masses * slack)
        t = np.minimum(-np.log(fallen) / epsilon, np.where(own, 0.99, 50.0))
        power = np.where(own, 1.0 - t, -1.0 - t)
        log_lost = t * (log_rivals + np.log(t)) + power * np.log(np.abs(power))
        log_lost += m * np.log1p(masses * np.expm1(-epsilon * t))
    return np.asarray((slack > 0.0) & (t > 0.0) & (log_lost <= math.log(beta)))


def _excess(
    count: NDArray[np.float64],
    log_good: NDArray[np.float64],
    log_rivals: NDArray[np.float64],
    log_own: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return (o + R e^{-εK}) / G - 1, at least 0, without cancellation where G = o = 1."""
    out = count * -epsilon
    out += log_rivals - log_good
    np.minimum(out, _LARGEST, out=out)
    np.exp(out, out=out)
    out += np.expm1(log_own - log_good)
    return np.asarray(np.maximum(out, 0.0, out=out))


def _kept(*arguments: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1.0 / (1.0 + _excess(*arguments)))


def _lost(*arguments: NDArray[np.float64]) -> NDArray[np.float64]:
    excess = _excess(*arguments)
    return np.asarray(excess / (1.0 + excess))
