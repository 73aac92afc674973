"""Goal 7, in the run that is timed: what is fast is also right."""

import math

import numpy as np

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.distributions import Hard
from privsc_core.concepts.point.learners import Exponential
from privsc_core.evaluate.success import success
from tests.core.concepts.point.chances import chances_of_point, simulated

LEARNER, HARD = Exponential(), Hard()
RUNS = 200_000


def lines():
    """Yield (what, measured, wanted, whether it holds)."""
    error = _against_mpmath()
    if error is not None:
        yield "exact law against mpmath, m <= 10^4, absolute error", error, 1e-13, error <= 1e-13
    error = _against_dense()
    yield "batch against the dense conditional law", error, 1e-12, error <= 1e-12
    for what, errors in _samplers():
        yield f"{what}, standard errors from its law", errors, 4.0, errors <= 4.0


def _exact(m, d, epsilon, alpha):
    return float(success(LEARNER, HARD, m=m, d=d, epsilon=epsilon, alpha=alpha).value)


def _against_mpmath():
    try:
        from mpmath import mp, mpf
    except ImportError:
        return None
    worst = 0.0
    with mp.workdps(40):
        for m in (1, 7, 40, 300, 2000, 10_000):
            for d, epsilon, alpha in (
                (2, 0.5, 0.1),
                (20, 1.0, 0.05),
                (120, 0.5, 0.3),
                (1024, 2.0, 0.1),
            ):
                a, decay = mpf(alpha), mp.exp(-mpf(epsilon) / 2)
                weight, share, total = (1 - a) ** m, mpf(1), mpf(0)
                none = decay**m
                for k in range(m + 1):
                    total += weight / (1 + (mpf(2) ** d - 2) * share + none)
                    weight *= a / (1 - a) * (m - k) / (k + 1)
                    share *= decay
                worst = max(worst, float(abs(mpf(_exact(m, d, epsilon, alpha)) - total)))
    return worst


def _against_dense():
    worst, rng = 0.0, np.random.default_rng(1)
    for d, m, epsilon in ((2, 5, 1.0), (6, 40, 0.5), (10, 200, 2.0)):
        x = rng.integers(1, 2**d + 1, size=(50, m))
        x[:25] = rng.integers(1, 4, size=(25, m))
        y = rng.integers(2, size=x.shape)
        net = np.stack([
            np.bincount(a - 1, weights=2.0 * b - 1, minlength=2**d) for a, b in zip(x, y, strict=True)
        ])  # fmt: skip
        law = np.exp(epsilon / 2 * (net - net.max(axis=1, keepdims=True)))
        law /= law.sum(axis=1, keepdims=True)
        for target in (1, 2, 3, 2**d):
            found = chances_of_point(x, y, d=d, epsilon=epsilon, target=target)
            worst = max(worst, float(np.abs(found - law[:, target - 1]).max()))
    return worst


def _samplers():
    rng = np.random.default_rng(2)
    given = {"m": 200, "d": 10, "epsilon": 0.5, "alpha": 0.1}
    p = _exact(**given)
    smooth = simulated(**given, trials=RUNS, rng=rng)
    yield "simulate, Rao-Blackwell", abs(smooth.mean() - p) / (smooth.std() / math.sqrt(RUNS))
    runs = simulated(**given, trials=RUNS, rng=rng, rao_blackwell=False)
    deviation = math.sqrt(p * (1 - p) / RUNS)
    yield "simulate, sampled", abs(runs.mean() - p) / deviation
    x, y = hard_data(20_000, 200, 10, rng)
    hits = LEARNER.run_many(x, y, Cell(10, 0.5, 0.1, 0.1), rng).numbers == 2**10
    deviation = math.sqrt(p * (1 - p) / len(hits))
    yield "run_many on hard data", abs(hits.mean() - p) / deviation


def hard_data(sets, m, d, rng):
    """Return samples of the hard distribution at alpha = 0.1, target 2^d."""
    y = (rng.random((sets, m)) < 0.1).astype(np.uint8)
    return np.where(y, 1 << d, 1), y


def uniform_data(sets, m, d, rng):
    """Return samples with uniform points and labels: nearly all points distinct."""
    return rng.integers(1, (1 << d) + 1, size=(sets, m)), rng.integers(
        2, size=(sets, m), dtype=np.uint8
    )
