"""All vote vectors and all their neighbours: the audit of the margin mechanism, written apart."""

import functools
import math

import numpy as np


def chances(votes, n, epsilon, *, share=0.5, free=lambda n: math.log((n + 1) / 2)):
    """Return P of every candidate with a place in `votes`, from the definition, in floats.

    `share` of the votes beyond free(n)/eps is the tax: both are there to be spoilt.
    """
    law, _ = _law(tuple(votes), n, epsilon, share, free)
    return law


def _law(votes, n, epsilon, share, free):
    """Return P of the listed candidates, and of one that has no vote and is not listed."""
    tax = share * max(sum(votes) - free(n) / epsilon, 0.0)
    u1 = math.log(n + 0.5) / epsilon
    left = [max(s - tax, 0.0) for s in votes]
    named = [
        math.expm1(epsilon * u) / (2 * n)
        if u <= u1
        else 1 - (0.5 + 0.25 / n) * math.exp(-epsilon * (u - u1))
        for u in left
    ]
    top = max(range(len(left)), key=left.__getitem__)
    rest = (
        (0.5 + 0.25 / n) * math.exp(-epsilon * (left[top] - u1))
        if left[top] > u1
        else 1 - named[top]
    )
    guess = rest - sum(x for i, x in enumerate(named) if i != top)
    return np.array(named) + guess / n, guess / n


def everything(places, most):
    """Yield the vote vectors with at most `most` votes in all, largest first: the rest is symmetry."""

    def grow(left, room, largest):
        if room == 0:
            yield ()
            return
        for s in range(min(left, largest), -1, -1):
            for more in grow(left - s, room - 1, s):
                yield (s, *more)

    yield from grow(most, places, most)


def worst_loss(n, m, epsilon, **spoilt):
    """Return the largest |log ratio| over vote vectors, neighbours and outputs, and how many.

    Only m + 1 candidates can matter besides one that stands for all without a vote.
    """
    places = min(n, m + 1)
    law = functools.cache(lambda votes: _law(votes, n, epsilon, spoilt.get("share", 0.5), spoilt.get("free", _free)))  # fmt: skip
    worst, count = 0.0, 0
    for votes in everything(places, m):
        here, blank = law(votes)
        logs = np.log(np.append(here, blank)) if min(here.min(), blank) > 0 else None
        for there in _neighbours(votes, m):
            order = sorted(range(places), key=lambda i: -there[i])
            found, empty = law(tuple(there[i] for i in order))
            back = np.empty(places)
            back[order] = found
            if logs is None or min(back.min(), empty) <= 0:
                return math.inf, count
            gap = np.abs(np.log(np.append(back, empty)) - logs)
            worst, count = max(worst, float(gap.max())), count + gap.size
    return worst, count


def _free(n):
    return math.log((n + 1) / 2)


def _neighbours(votes, m):
    """Yield what a replacement leads to: a vote moved, dropped, or added."""
    places = range(len(votes))
    for i in places:
        if votes[i]:
            dropped = [s - (k == i) for k, s in enumerate(votes)]
            yield dropped
            for j in places:
                if j != i:
                    yield [s + (k == j) for k, s in enumerate(dropped)]
        if sum(votes) < m:
            yield [s + (k == i) for k, s in enumerate(votes)]
