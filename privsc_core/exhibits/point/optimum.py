"""How good a proper private learner of points can be: success over votes, over m, over d."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from privsc_core import catalog, progress
from privsc_core.concepts.shared.inequalities import halfway_steps
from privsc_core.concepts.shared.votes import log_named, log_unnamed, named, taxed, unnamed, untaxed
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need
from privsc_core.numerics import expectations
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "LEARNERS",
    "Needs",
    "OverVotes",
    "Price",
    "least_closed",
    "needs",
    "over_votes",
    "price",
]

# In the order in which they are drawn.
LEARNERS = ("margin", "permute-and-flip", "exponential")
_CONCEPT = "point"


@dataclass(frozen=True, slots=True, eq=False)
class OverVotes:
    """Log odds of success where the target alone has votes, k of them.

    Attributes
    ----------
    k : ndarray
    packing, packing_two, margin, flip, mechanism : ndarray
        Bounds, and learners over votes.
    free, half : float
        p0, and the k at which the margin learner passes one half.
    """

    k: NDArray[np.float64]
    packing: NDArray[np.float64]
    packing_two: NDArray[np.float64]
    margin: NDArray[np.float64]
    flip: NDArray[np.float64]
    mechanism: NDArray[np.float64]
    free: float
    half: float


def over_votes(
    k: NDArray[np.float64], log_n: float, log_rivals: float, epsilon: float
) -> OverVotes:
    """Return log odds over the number of votes.

    Parameters
    ----------
    k : ndarray
        Votes of the target; nobody else has any.
    log_n : float
        Log of the number N of candidates.
    log_rivals : float
        Log of n - 1, what the bounds count.
    epsilon : float
    """
    n, rivals, loss = np.array(log_n), np.array(log_rivals), np.array(epsilon)
    steps, spent = halfway_steps(k, rivals, loss)
    x = np.minimum(epsilon * k, 0.5 * (epsilon * k + untaxed(n)))
    # Named, or by luck; in logarithms, because with many candidates no float holds these chances.
    missed = log_unnamed(x, n)
    kept = np.logaddexp(log_named(x, n), missed - log_n)
    lost = missed + np.log(-np.expm1(-log_n))
    log_q = -0.5 * epsilon * k
    free = float(untaxed(n)) / epsilon
    with np.errstate(divide="ignore"):
        return OverVotes(
            k=k, packing=epsilon * k - log_rivals,
            # Without a step it is packing, also where no float holds the chance.
            packing_two=np.where(
                steps > 0.0, np.log(-np.expm1(-spent)) + spent, epsilon * k - log_rivals
            ),
            margin=kept - lost,
            flip=np.log(expectations.reached(n, log_q)) - np.log(expectations.missed(n, log_q)),
            mechanism=-log_q - (log_n + np.log1p(-np.exp(-log_n))), free=free,
            half=2.0 * float(np.logaddexp(log_n, -np.log(2.0))) / epsilon - free,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """Least m on `hard` over d: of two bounds and three learners, and what is guaranteed.

    Attributes
    ----------
    d : ndarray of int64
    rows : dict of str to ndarray
        By name of bound or learner.
    """

    d: NDArray[np.int64]
    rows: dict[str, NDArray[np.float64]]


def needs(d: NDArray[np.int64], epsilon: float, alpha: float, beta: float) -> Needs:
    """Return the least m on the hard distribution for every d."""
    at: dict[str, Any] = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    law = catalog.distribution(_CONCEPT, "hard")
    rows = {}
    names = ("packing", "packing-two", *LEARNERS)
    for name in progress.steps(names):
        if name in LEARNERS:
            rows[name] = need(catalog.learner(_CONCEPT, name), law, **at).m
        else:
            rows[name] = bound(catalog.bound(_CONCEPT, name), **at).m
    return Needs(d, rows)


def least_closed(d: int, epsilon: float, alpha: float, beta: float) -> int:
    """Return the m of the closed form sqrt(T/2) (1 - alpha (1 - e^{-eps/2}))^m <= beta.

    It suffices for the margin learner on the hard distribution, and on `single` with alpha = 1.
    """
    rate = -np.log1p(alpha * np.expm1(-0.5 * epsilon))
    wanted = 0.5 * (log_domain_scalar(d) - np.log(2.0)) - np.log(beta)
    return max(1, int(np.ceil(wanted / rate * (1.0 - 1e-14))))


@dataclass(frozen=True, slots=True, eq=False)
class Price:
    """Success on databases with votes for others too, which fit no concept.

    Attributes
    ----------
    others : ndarray
        V, all of them for one other candidate.
    margin, mechanism : ndarray
        Success of the margin learner, and of the exponential mechanism over votes.
    safe : float
        The V beyond which the margin learner falls below one half.
    """

    others: NDArray[np.float64]
    margin: NDArray[np.float64]
    mechanism: NDArray[np.float64]
    safe: float


def price(votes: int, others: NDArray[np.float64], d: int, epsilon: float) -> Price:
    """Return success with `votes` for the target and V for one other candidate."""
    log_n = log_domain_scalar(d)
    total = epsilon * (votes + others)
    own = taxed(np.full(others.shape, epsilon * votes), total, log_n)
    rival = taxed(epsilon * others, total, log_n)
    top, second = np.maximum(own, rival), np.minimum(own, rival)
    guess = unnamed(top, log_n) - named(second, log_n)
    kept = named(own, log_n) + guess * np.exp(-log_n)
    half = (
        2.0 * float(np.logaddexp(log_n, -np.log(2.0))) / epsilon - float(untaxed(log_n)) / epsilon
    )
    crowd = log_domain_scalar(d, 2)
    odds = np.logaddexp(0.5 * epsilon * others, crowd) - 0.5 * epsilon * votes
    return Price(others, kept, np.asarray(special.expit(-odds)), votes - half)
