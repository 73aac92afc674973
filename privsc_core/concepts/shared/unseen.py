"""A choice between the answers that were seen and one lump for all of them: what delta buys.

n_x is how often the sample speaks for answer x; one example may raise one of the n_x by 1, and
lower one. With e' = epsilon / 2 answer x has the weight C/N + e^{e' n_x} - 1, where N is the number
of all answers and

    C = max(1, 1 / (1/N + delta / (e^{e'} - 1))),

the lump's weight: a uniformly random answer. Ours. (epsilon, delta)-differentially private: let
n_j grow and at most one other count fall. The sum of all weights is Z = C + sum (e^{e' n_x} - 1)
>= e^{e' n_j}, as C >= 1, so it grows by a factor of at most e^{e'}, and shrinks by no more. The
weight of j becomes e^{e'} times what it was plus (e^{e'} - 1)(1 - C/N), that of no other answer
grows: beyond the factor e^epsilon there is at most (e^{e'} - 1)(1 - C/N)/C <= delta. With delta = 0
it is C = N: a pure exponential mechanism whose scores are the counts.

So delta replaces the number of all answers by C <= max(1, (e^{e'} - 1) / delta).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Above it odds may be cut: see `averaged`.
_ODDS_MOST = 460.0


def log_effective(
    log_all: NDArray[np.float64] | float, epsilon: NDArray[np.float64] | float, delta: float
) -> NDArray[np.float64]:
    """Return log C, the log of how many answers there effectively are.

    Parameters
    ----------
    log_all : ndarray of float64
        log N of the number of all answers.
    epsilon : ndarray of float64
        Privacy losses; they broadcast with `log_all`.
    delta : float
        The privacy slack, in [0, 1/2).
    """
    if delta == 0.0:
        return np.asarray(log_all + np.zeros(np.shape(epsilon)))
    capped = math.log(delta) - log_gain(0.5 * np.asarray(epsilon), 1.0)
    return np.asarray(np.maximum(-np.logaddexp(-np.asarray(log_all), capped), 0.0))


def bits_of(epsilon: float, delta: float) -> float:
    """Return log2((e^{epsilon / 2} - 1) / delta), of how many bits a domain effectively is at most."""
    return float(log_gain(np.array(0.5 * epsilon), 1.0) - math.log(delta)) / math.log(2.0)


def log_gain(rate: NDArray[np.float64], count: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return log(e^{rate count} - 1), elementwise; -inf where the count is 0."""
    exponent = np.asarray(rate * count)
    with np.errstate(divide="ignore"):
        return np.asarray(exponent + np.log(-np.expm1(-exponent)))


def log_weights(
    count: NDArray[np.int64], log_all: float, log_rest: float, rate: float, log_lump: float
) -> NDArray[np.float64]:
    """Return the log weights of some answers and, last, of all others together.

    Parameters
    ----------
    count : ndarray of int64, shape (answers,)
        How often the sample speaks for each, all answers with a count above 0 among them.
    log_all, log_rest : float
        Logs of the number of all answers, and of those that are not in `count` (-inf for none).
    rate : float
        e', half of the privacy loss.
    log_lump : float
        log C; the lump is shared out, each answer having its part of it.
    """
    each = log_lump - log_all
    own = np.logaddexp(log_gain(np.array(rate), count.astype(np.float64)), each)
    return np.append(own, log_rest + each)


def odds(
    count: NDArray[np.float64],
    log_good: NDArray[np.float64],
    log_bad: NDArray[np.float64],
    log_lump: NDArray[np.float64],
    rate: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the odds against a good answer, where the sample speaks for one of them alone.

    C b / (C g + e^{e' n} - 1) for n = `count`, g and b = 1 - g being the shares of good and of bad
    answers among all, given by their logs; `log_lump` is log C, and `rate` is e'. They broadcast.
    """
    own = np.logaddexp(log_good, log_gain(rate, count) - log_lump)
    return np.asarray(np.exp(np.minimum(log_bad - own, _ODDS_MOST)))
