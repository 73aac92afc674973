"""A simulated learner of one's own, beside a loop over the same function that a reader would write by hand."""

import numpy as np

from privsc_core import catalog
from privsc_core.own import own
from privsc_core.own.runs import counted
from tests.benchmarks.timing import within
from tests.core.support import setting

POINT = catalog.concept("point")
TRIALS, EPSILON, ALPHA, BETA = 250, 0.5, 0.1, 0.1


def noisy_max(x, y, *, d, epsilon, rng):
    """Add noise to the number of examples that each point fits; return the best point."""
    size = 2**d
    score = np.bincount(x[y == 1] - 1, minlength=size) - np.bincount(x[y == 0] - 1, minlength=size)
    return 1 + np.argmax(score + rng.laplace(scale=2 / epsilon, size=size))


def by_hand(m, d):
    """Count over samples of the hard distribution: mass alpha on the target, the rest on point 1."""
    rng, target, hits = np.random.default_rng([1, 0]), 2**d, 0
    for _ in range(TRIALS):
        y = (rng.random(m) < ALPHA).astype(np.int64)
        x = np.where(y == 1, target, 1)
        hits += noisy_max(x, y, d=d, epsilon=EPSILON, rng=rng) == target
    return hits


def compare_all():
    """Print the ratios, at one process on both sides."""
    entry, hard = own(noisy_max, POINT), POINT.distributions[0]
    for m, d in ((50, 4), (300, 8), (500, 12), (2000, 16)):
        at = setting(m, d, EPSILON, ALPHA, BETA, trials=TRIALS)
        within("own", f"{TRIALS} runs, m = {m:,}, d = {d}", "a numpy loop over the same function",
               lambda at=at: counted(entry, hard, at, 1),
               lambda m=m, d=d: by_hand(m, d), wanted=1.3)  # fmt: skip
