"""Theorem 5.4 run for real: a proper learner out of an improper one (BBKN13, Section 5.1).

The exhibit shows the lemma and the number of samples; here the whole construction runs on them.
And Littlestone's dimension of any few concepts, by trying every first question.
"""

import math
from functools import cache

import numpy as np

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.exhibits.interval.switching import switch
from privsc_core.numerics.logspace import draw


def choose_from_switch(labels, sample, epsilon, rng):
    """Return a concept of SWITCH(h) by the exponential mechanism, epsilon-DP in the sample."""
    candidates = np.array(switch(labels))
    return int(candidates[draw(-0.5 * epsilon * _mistakes(candidates, sample), rng)[0]])


def proper_from_switching(inner, sample, *, runs, per_run, most, epsilon, alpha, beta, rng):
    """Return j of the concept, or None (the paper's FAIL) when no run has few switching points.

    Every part of the sample is used once, so epsilon-DP of the parts is epsilon-DP of the whole.
    The choice runs at min(epsilon, log 4), where `selection_samples` has its best rate; the paper
    runs it at epsilon.
    """
    fresh = sample.subset(slice(runs * per_run, None))
    for part in range(runs):
        hypothesis = inner.run(
            sample.subset(slice(part * per_run, (part + 1) * per_run)),
            Cell(sample.d, epsilon, alpha / 4, beta / 6),
            rng,
        )
        if hypothesis is FAILURE:
            continue
        labels = np.array([hypothesis.predict(x) for x in range(1, 2**sample.d + 1)], np.uint8)
        if len(switch(labels)) <= most:
            return choose_from_switch(labels, fresh, min(epsilon, math.log(4)), rng)
    return None


def _mistakes(candidates, sample):
    """Return how many examples each c_j gets wrong: 1s at j or above, 0s below j."""
    x, y = np.array(sample.points)[sample.index], sample.labels
    return ((x < candidates[:, None]) != y).sum(axis=1)


def littlestone_dimension(concepts):
    """Return the depth of the deepest complete mistake tree of rows of labels (FX14, Section 2.5).

    0 for a single concept, else the largest 1 + min over both answers, over the points at which
    both answers are possible.
    """
    table = np.unique(np.asarray(concepts), axis=0)
    # A set of concepts is a number with one bit each.
    ones = {sum(1 << i for i in np.flatnonzero(column).tolist()) for column in table.T}

    @cache
    def depth(members):
        splits = ((members & one, members & ~one) for one in ones)
        return max((1 + min(depth(a), depth(b)) for a, b in splits if a and b), default=0)

    return depth((1 << len(table)) - 1)
