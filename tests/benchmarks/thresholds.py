"""Goal 5, thresholds: the exponential mechanism over INTERVAL_d beside numpy by hand."""

import itertools
import math

import numpy as np
from scipy.special import gammaln, xlogy

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.interval.distributions import Hard, Uniform
from privsc_core.concepts.interval.learners import Exponential
from privsc_core.evaluate.need import need
from privsc_core.evaluate.success import success
from tests.benchmarks.timing import compare, faster, row
from tests.core.concepts.point.chances import chances_of_range

LEARNER, HARD, UNIFORM = Exponential(), Hard(), Uniform()
M, EPSILON, ALPHA, TRIALS = 200, 1.0, 0.1, 10_000
SOME = 500  # trials of a peer in one turn; times are per trial


# --- Peers: one sample at a time ---------------------------------------------------------------


def accurate(d):
    """Return the first and the last threshold that count as accurate on uniform data."""
    left, right = UNIFORM.allowed(d=d, alpha=ALPHA)
    return (1 << (d - 1)) - left, (1 << (d - 1)) + right


def _share(cuts, weight, ends):
    """Return the share of the accurate thresholds, those of segment i being cuts[i]+1..cuts[i+1]."""
    every = weight @ (cuts[1:] - cuts[:-1])
    inside = np.minimum(np.maximum(cuts, ends[0] - 1), ends[1])
    return (weight @ (inside[1:] - inside[:-1])) / every


def _runs(points):
    """Return where runs of equal points begin, and behind the last: how many points come before."""
    edge = np.empty(points.size + 1, dtype=bool)
    edge[0] = edge[-1] = True
    np.not_equal(points[1:], points[:-1], out=edge[1:-1])
    return edge.nonzero()[0]


def _cuts(points, runs, d):
    cuts = np.empty(runs.size + 1)
    cuts[0], cuts[-1] = 0.0, (1 << d) + 1
    cuts[1:-1] = points[runs[:-1]]
    return cuts


def grouped_uniform(d, rate, ends, rng):
    """Draw, sort, group equal points, weigh the segments between them."""
    points = rng.integers(1, (1 << d) + 1, size=M)
    points.sort()
    runs = _runs(points)
    mistakes = np.abs(runs - points.searchsorted(1 << (d - 1)))
    return _share(_cuts(points, runs, d), np.exp(-rate * mistakes), ends)


class Tuned:
    """The same with what does not change kept: no groups (empty segments weigh nothing)."""

    def __init__(self, d, rate, ends):
        self.d, self.ends = d, ends
        # |i - positive| for i = 0..m is a window of this table.
        self.table = np.exp(-rate * np.abs(np.arange(-M, M + 1)))
        self.cuts = np.empty(M + 2)
        self.cuts[0], self.cuts[-1] = 0.0, (1 << d) + 1

    def __call__(self, rng):
        points = rng.integers(1, (1 << self.d) + 1, size=M)
        points.sort()
        self.cuts[1:-1] = points
        positive = int(points.searchsorted(1 << (self.d - 1)))
        return _share(self.cuts, self.table[M - positive : 2 * M + 1 - positive], self.ends)


def _grouped(x, y, d, rate):
    """Return cuts and weights of one given sample, whatever its labels."""
    key = 2 * x
    key += y
    key.sort()
    points = key >> 1
    runs = _runs(points)
    key &= 1
    # Mistakes of segment i against the first: one more per negative example passed, one fewer
    # per positive one.
    passed = np.zeros(key.size + 1, dtype=np.int64)
    np.cumsum(1 - 2 * key, out=passed[1:])
    mistakes = passed[runs]
    return _cuts(points, runs, d), np.exp(-rate * (mistakes - mistakes.min()))


def grouped_chance(x, y, d, rate, ends):
    """Return the probability of an accurate threshold given one sample."""
    return _share(*_grouped(x, y, d, rate), ends)


def grouped_run(x, y, d, rate, rng):
    """Run the mechanism on one sample."""
    cuts, weight = _grouped(x, y, d, rate)
    length = cuts[1:] - cuts[:-1]
    total = np.cumsum(weight * length)
    pick = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
    return int(cuts[pick]) + 1 + int(rng.integers(int(length[pick])))


def double_sum(m, d, rate):
    """Return the exact law on hard at alpha = 0.1: every pair of counts that matters."""
    spread = 9 * math.sqrt(m * ALPHA * (1 - ALPHA)) + 10
    low, high = max(0, int(m * ALPHA - spread)), min(m, int(m * ALPHA + spread))
    left = np.arange(low, high + 1.0)[:, None]
    right = left.T
    rest = np.maximum(m - left - right, 0.0)
    log = gammaln(m + 1) - gammaln(left + 1) - gammaln(right + 1) - gammaln(rest + 1)
    weight = np.exp(log + (left + right) * math.log(ALPHA) + xlogy(rest, 1 - 2 * ALPHA))
    weight[left + right > m] = 0.0
    side = (d - 1) * math.log(2)
    share = 1 + np.exp(side + math.log1p(-(2.0 ** (2 - d))) - rate * left)
    share = share + np.exp(side + math.log1p(2.0 ** (1 - d)) - rate * right)
    return float((weight / (share + np.exp(-rate * (m - right)))).sum())


# --- Rows of the table -------------------------------------------------------------------------


def data(d, rng, *, sure):
    """Return 10,000 uniform samples, labelled by the target or by coins."""
    x = rng.integers(1, (1 << d) + 1, size=(TRIALS, M))
    if sure:
        return x, (x < 1 << (d - 1)).astype(np.uint8)
    return x, rng.integers(2, size=x.shape, dtype=np.uint8)


def rows():
    """Print the comparisons of goal 5, and how the exact law on hard fares."""
    _uniform(16)
    for d in (16, 20):
        for sure in (True, False):
            _given(d, sure=sure)
    _exact()


def _uniform(d):
    rng = np.random.default_rng(5)
    rate, ends = LEARNER.score_rate(EPSILON), accurate(d)
    tuned = Tuned(d, rate, ends)

    def ours():
        return success(LEARNER, UNIFORM, m=M, d=d, epsilon=EPSILON, alpha=ALPHA, trials=TRIALS)

    def grouped():
        return [grouped_uniform(d, rate, ends, rng) for _ in range(SOME)]

    def kept():
        return [tuned(rng) for _ in range(SOME)]

    for name, theirs, wanted in (
        ("numpy, grouped per trial", grouped, 10),
        ("the same without groups, tuned", kept, None),
    ):
        what = f"Rao-Blackwell, uniform data, d = {d}"
        row("5", what, name, _each(compare(ours, theirs)), wanted=wanted)


def _given(d, *, sure):
    rng = np.random.default_rng(6)
    rate, ends = LEARNER.score_rate(EPSILON), accurate(d)
    x, y = data(d, rng, sure=sure)
    kind = "true" if sure else "random"

    def chances():
        return chances_of_range(x, y, d=d, epsilon=EPSILON, accurate=ends)

    def runs():
        return LEARNER.run_many(x, y, Cell(d, EPSILON, ALPHA, 0.1), rng).numbers

    def each_chance():
        return [grouped_chance(x[i], y[i], d, rate, ends) for i in range(SOME)]

    def each_run():
        return [grouped_run(x[i], y[i], d, rate, rng) for i in range(SOME)]

    for what, ours, theirs in (
        ("chances given the data", chances, each_chance),
        ("run_many", runs, each_run),
    ):
        found = _each(compare(ours, theirs))
        row("5", f"{what}, {kind} labels, d = {d}", "numpy, grouped per trial", found, wanted=6)


def _each(times):
    ours, theirs, ratio = times
    return ours / TRIALS, theirs / SOME, ratio * TRIALS / SOME


def _exact():
    """Compare laws that share nothing with an earlier call: every call has an m of its own."""
    for m, d in ((450, 16), (3400, 120), (28_000, 1000)):
        fresh = itertools.cycle(range(m, m + m // 20))
        what = f"exact on hard, m = {m}, d = {d}"
        faster("-", what, "numpy double sum over its window", lambda d=d, fresh=fresh: _law(next(fresh), d),
               lambda m=m, d=d: double_sum(m, d, 0.25), wanted=None)  # fmt: skip


def _law(m, d):
    return float(success(LEARNER, HARD, m=m, d=d, epsilon=0.5, alpha=ALPHA).value)


# --- Correctness, in the same run --------------------------------------------------------------


def lines():
    """Yield (what, measured, wanted, whether it holds)."""
    error = _against_each()
    yield "thresholds: chances given the data against one at a time", error, 1e-12, error <= 1e-12
    error = max(
        abs(_law(m, d) - double_sum(m, d, 0.25)) for m, d in ((20, 3), (450, 16), (3400, 120))
    )
    yield "thresholds: exact law against the double sum", error, 1e-12, error <= 1e-12
    m = int(need(LEARNER, HARD, d=400, epsilon=0.5, alpha=ALPHA, beta=0.1).m)
    error = max(0.0, 0.9 - double_sum(m, 400, 0.25), double_sum(m - 1, 400, 0.25) - 0.9)
    yield "thresholds: least m is least", error, 0.0, error <= 0.0
    for what, errors in _samplers():
        yield f"thresholds: {what}, standard errors", errors, 4.0, errors <= 4.0


def _against_each():
    rng, worst = np.random.default_rng(7), 0.0
    for d in (3, 8, 16, 20, 50):
        for sure in (True, False):
            x, y = data(d, rng, sure=sure)
            ends = accurate(d)
            found = chances_of_range(x[:200], y[:200], d=d, epsilon=EPSILON, accurate=ends)
            each = [
                grouped_chance(a, b, d, 0.5, ends) for a, b in zip(x[:200], y[:200], strict=True)
            ]
            worst = max(worst, float(np.abs(found - each).max()))
    return worst


def _samplers():
    rng, runs, d, epsilon = np.random.default_rng(8), 20_000, 16, 0.1
    ends, rate = accurate(d), LEARNER.score_rate(epsilon)
    ours = success(LEARNER, UNIFORM, m=M, d=d, epsilon=epsilon, alpha=ALPHA, trials=runs, seed=9)
    each = np.array([grouped_uniform(d, rate, ends, rng) for _ in range(runs)])
    deviation = each.std() / math.sqrt(runs)
    yield "simulation against one at a time", abs(ours.value - each.mean()) / (1.5 * deviation)
    # A sum of chances against a sum of hits, given the data.
    x, y = data(d, rng, sure=True)
    chances = chances_of_range(x, y, d=d, epsilon=epsilon, accurate=ends)
    chosen = LEARNER.run_many(x, y, Cell(d, epsilon, ALPHA, 0.1), rng).numbers
    hits = (chosen >= ends[0]) & (chosen <= ends[1])
    deviation = math.sqrt((chances * (1 - chances)).sum())
    yield "run_many against its chances", abs(hits.sum() - chances.sum()) / deviation
