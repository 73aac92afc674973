"""What the batches of the exponential mechanism choose with which probability, and how often.

The products draw; here the same weights become probabilities, to hold against enumeration.
"""

import numpy as np

from privsc_core.concepts.interval.learners import exponential as intervals
from privsc_core.concepts.point.learners import exponential as points
from privsc_core.concepts.shared.sample import checked_rows
from privsc_core.numerics.logspace import log_domain

RATE = 0.5  # of the mistakes in the exponent, for each unit of epsilon


def chances_of_point(x, y, *, d, epsilon, target):
    """Return for each row the probability with which `run_many` chooses the target."""
    x, y, d = checked_rows(x, y, d)
    chances = np.empty(len(x))
    for rows, scores in points._blocks(x, y, d):
        weights = points._weigh(scores, RATE * epsilon)
        part = weights.lump / np.maximum(scores.unseen, 1)
        here = np.flatnonzero((scores.point == target - 1) & scores.last)
        owner = here // scores.point.shape[1]
        part[owner] = points._powers(weights.rate, weights.best[owner], scores.net.ravel()[here])
        np.divide(part, weights.total, out=chances[rows])
    return chances


def chances_of_range(x, y, *, d, epsilon, accurate):
    """Return for each row the probability of a threshold from the first to the last accurate."""
    x, y, d = checked_rows(x, y, d)
    low, high = accurate
    chances = np.empty(len(x))
    for rows, cuts, weight in intervals._blocks(x, y, d, RATE * epsilon):
        length = np.zeros(weight.shape)
        every = np.vecdot(weight, intervals._lengths(cuts, length))
        np.maximum(cuts, low - 2, out=cuts)
        np.minimum(cuts, high - 1, out=cuts)
        good = np.vecdot(weight, intervals._lengths(cuts, length))
        np.divide(good, every, out=chances[rows])
    return chances


def simulated(*, m, d, epsilon, alpha, trials, rng, rao_blackwell=True):
    """Run the exponential mechanism over points on the hard distribution, by binomial counts.

    Returns the chances of success given each sample, or 0 and 1.
    """
    hits = rng.binomial(m, alpha, size=trials)
    # One value per count that occurs, not per trial.
    least = int(hits.min())
    count = np.arange(least, int(hits.max()) + 1, dtype=np.float64)[:, None]
    # Relative to the target: point 1, and all that neither example shows.
    unseen = log_domain(np.array(d), 2) - RATE * epsilon * count
    others = np.exp(-RATE * epsilon * m) + np.exp(np.minimum(unseen, 700.0))
    table = (1.0 / (1.0 + others))[:, 0]
    hits -= least
    chances = table[hits]
    if rao_blackwell:
        return chances
    return (rng.random(trials) < chances).astype(np.float64)
