"""The recursive learners of thresholds, written out from their definition: slow, for any depth r.

Nothing here calls the product. Every stage is a full list over its grid, every cell of every level
is looked at, and nothing is a closed form. `Public` holds what may not depend on the sample.

Stage 0 is the grid 0..2T of thresholds, g = -D/2 and e = E. A stage with grid 0..2^n is followed by
a stage of levels: M(l) is the least e on the multiples of 2^l, f(2l) = M(l) - theta, f(2l - 1) the
median of f(2l - 2), f(2l) and 0, e = |f|. A candidate is a path: a dyadic cell (a, b) of the last
stage with g(a) < 0 < g(b), at its centre p the cell of level ceil(p / 2) one stage down, an end or
the centre of that, and so on down to a threshold.
"""
# ruff: noqa: PLR0917 - a setting is (d, m, epsilon, delta), in this order everywhere

import itertools
import math
from dataclasses import dataclass, replace
from statistics import median

import mpmath as mp
import numpy as np
from scipy.special import gammaln, logsumexp, xlogy

INFINITE = math.inf


def depth_of_logarithm(n):
    """Return ceil(log2 n) of a whole number n >= 1."""
    return (n - 1).bit_length()


def logs_of_grids(d, r):
    """Return n_0, ..., n_{r-1}: the grid of stage i is 0..2^{n_i}."""
    found = [d + 1]
    while len(found) < r:
        found.append(1 + depth_of_logarithm(found[-1]))
    return found


def most_paths(d, r):
    """Return k_r, the most candidates of positive score on any sample, consistent or not."""
    if r == 1:
        return d + 1
    return 2 ** (r - 1) * (logs_of_grids(d, r)[-1] - 1) + 3 ** (r - 2)


@dataclass(frozen=True)
class Public:
    """What is fixed before the sample is seen.

    `thetas` are theta_1, ..., theta_{r-1}. A number may be replaced by a function of the records:
    that is one of the planted faults.
    """

    d: int
    thetas: tuple
    most: object  # v
    k: int
    halved: bool = True

    @property
    def depth(self):
        return len(self.thetas) + 1

    @classmethod
    def of(cls, d, thetas, most):
        return cls(d, tuple(thetas), most, most_paths(d, len(thetas) + 1))

    @classmethod
    def for_score(cls, d, r, u):
        """Return the plan by which some candidate of every realizable sample reaches the score u."""
        slack = [u - 1]  # w_1, ..., w_{r-1}
        while len(slack) < r - 1:
            slack.append(2 * slack[-1] + u)
        thetas = [slack[r - i - 1] + u + (u if i == 1 else 0) for i in range(1, r)]
        return cls.of(d, thetas, (2**r + 1) * u - 2 ** (r - 1))

    def read(self, records):
        """Return theta_1, ... and v as numbers."""
        values = [x(records) if callable(x) else x for x in (*self.thetas, self.most)]
        return values[:-1], values[-1]


def mistakes(t, records):
    """Return (P, N) of threshold t: positives from t on, negatives below t."""
    return (
        sum(1 for x, y in records if y and x >= t),
        sum(1 for x, y in records if not y and x < t),
    )


def first_stage(public, records):
    """Return g and e over 0..2T."""
    size = 2**public.d
    share = 0.5 if public.halved else 1.0  # halves are exact in floats
    g, e = [-INFINITE], [INFINITE]
    for t in range(1, 2 * size):
        positives, negatives = mistakes(min(t, size + 1), records)
        g.append(share * (negatives - positives))
        e.append(max(positives, negatives))
    return [*g, INFINITE], [*e, INFINITE]


def next_stage(e, theta):
    """Return g and e of the stage of levels above a stage with these e."""
    n = depth_of_logarithm(len(e) - 1)
    assert len(e) == 2**n + 1
    least = [min(e[:: 2**level]) for level in range(n + 1)]  # M
    f = [INFINITE] * (2 ** (1 + depth_of_logarithm(n)) + 1)
    f[0] = -INFINITE
    for level in range(1, n):
        f[2 * level] = least[level] - theta
    for level in range(1, n + 1):
        f[2 * level - 1] = median((f[2 * level - 2], f[2 * level], 0))
    return f, [abs(x) for x in f]


def stages(public, records):
    """Return [(g, e)] of all stages, thresholds first."""
    thetas, _ = public.read(records)
    found = [first_stage(public, records)]
    for theta in thetas:
        found.append(next_stage(found[-1][1], theta))
    return found


def crossing(g, step):
    """Return all x, multiples of step, with g(x) < 0 < g(x + step)."""
    return [x for x in range(0, len(g) - 1, step) if g[x] < 0 < g[x + step]]


def paths(public, records):
    """Return {path: (score, threshold)} over all paths whose cells cross, scores from 0 on.

    A path is named by what does not depend on the sample: the cell (a, b) of the last stage, and
    per stage below the cell (x, x + 2^level) and which of its ends, or its centre, was taken.
    """
    every, (_, most) = stages(public, records), public.read(records)
    top = public.depth - 1
    g, size = every[top][0], len(every[top][0]) - 1
    found = {}
    for step in (2**level for level in range(depth_of_logarithm(size))):
        for a in range(0, size, 2 * step):
            b = a + 2 * step
            if g[a] < 0 < g[b]:
                centre, score = a + step, min(-g[a], g[b])
                _descend(every, top, centre, score, ((a, b),), step == 1, found)
    e = every[0][1]
    return {name: (max(0, min(score, most - e[t])), t) for name, (score, t) in found.items()}


def _descend(every, stage, position, score, name, leaf, found):
    if position in {0, len(every[stage][0]) - 1}:
        return  # ends of a stage are dropped
    if stage == 0:
        found[name] = (score, position)
        return
    g = every[stage - 1][0]
    step = 2 ** -(-position // 2)
    if step > len(g) - 1:
        return
    for x in crossing(g, step):
        lower = min(score, -g[x], g[x + step])
        ends, centre = [x, x + step], [x + step // 2]
        places = ends if position % 2 == 0 else centre if leaf else [*ends, *centre]
        for place in places:
            _descend(every, stage - 1, place, lower, (*name, (x, step, place)), False, found)


# --- Weights and chances ------------------------------------------------------------------------


def lump(public, gain, delta):
    """Return C; `gain` is e^{eps'}."""
    return public.k * max(1, (gain - 1) / delta)


def weights(public, records, root, delta):
    """Return {path or threshold pair: weight} and the lump's.

    `root` is e^{eps' / 2}, because scores are multiples of a half: a float, a fraction or an
    interval, and so are the weights.
    """
    own = {
        (name, t): root ** int(2 * score) - 1
        for name, (score, t) in paths(public, records).items()
        if score > 0
    }
    return own, lump(public, root * root, delta)


def chances(public, records, root, delta):
    """Return the chance of every path and of the lump: all that is drawn, before it is forgotten."""
    own, more = weights(public, records, root, delta)
    total = sum(own.values(), more)
    return {key: weight / total for key, weight in own.items()} | {"lump": more / total}


def by_threshold(public, records, root, delta):
    """Return the chance of the lump and of every grid threshold 1..2T - 1, its paths together."""
    drawn = chances(public, records, root, delta)
    found = {"lump": drawn.pop("lump")} | dict.fromkeys(range(1, 2 << public.d), 0)
    for (_, t), chance in drawn.items():
        found[t] += chance
    return found


def outputs(public, records, root, delta):
    """Return the chance of every hypothesis 1..T + 1: what the learner gives away."""
    last, drawn = 2**public.d + 1, by_threshold(public, records, root, delta)
    found = dict.fromkeys(range(1, last + 1), drawn.pop("lump") / last)
    for t, chance in drawn.items():
        found[min(t, last)] += chance
    return found


# --- Every sample of a tiny domain, and every neighbour -----------------------------------------
#
# The chances depend on P(t) and N(t) alone, and these count examples: the order of the examples does
# not matter. Two ordered samples that differ in one place have counts that differ by one example
# taken away and one added, or equal counts. Conversely, take counts, one example that occurs in them,
# and another that replaces it: every order of the counts has a neighbour with the new ones. So the
# least delta over all ordered pairs of neighbours is the least over these pairs of counts.


def every_record(d):
    return list(itertools.product(range(1, 2**d + 1), (0, 1)))


def every_bag(d, m):
    """Return all samples of m examples up to order, as rows of counts per record."""
    records = every_record(d)
    picks = itertools.combinations_with_replacement(range(len(records)), m)
    return np.array([np.bincount(pick, minlength=len(records)) for pick in picks])


def as_records(d, counts):
    return [record for record, n in zip(every_record(d), counts, strict=True) for _ in range(n)]


def neighbours(counts):
    """Yield (from, to): rows of the counts, and of a neighbour of each, for all pairs of records."""
    index = {tuple(row): i for i, row in enumerate(counts.tolist())}
    for old, new in itertools.permutations(range(counts.shape[1]), 2):
        here = np.flatnonzero(counts[:, old])
        moved = counts[here].copy()
        moved[:, old] -= 1
        moved[:, new] += 1
        yield here, np.array([index[tuple(row)] for row in moved.tolist()])


@dataclass(frozen=True)
class Found:
    """What an enumeration found: least delta (an upper end), sensitivity, most candidates."""

    slack: float
    sensitivity: float
    candidates: int
    samples: int
    pairs: int


def enumerate_privacy(public, m, *, epsilon, delta, rate=None):
    """Compare all samples of m examples with all their neighbours.

    Parameters
    ----------
    rate : float
        The factor of scores in the exponent, eps / 2 unless it is a planted fault.

    Returns
    -------
    Found
        `slack` is the least delta with which the drawn path, or the lump, is (epsilon, delta)-private.
        The largest excess is found in floats, whose error is below 1e-12 (sums of at most k + 1
        positive terms, each within a few units in the last place); all pairs within 1e-9 of it are
        evaluated again in interval arithmetic, and the upper end is returned.
    """
    rate = epsilon / 2 if rate is None else rate
    counts = every_bag(public.d, m)
    bags = [as_records(public.d, row) for row in counts.tolist()]
    scores = [paths(public, bag) for bag in bags]
    names = {name: i for i, name in enumerate(sorted({name for row in scores for name in row}))}
    table = np.zeros((len(bags), len(names)))
    for row, found in zip(table, scores, strict=True):
        for name, (score, _) in found.items():
            row[names[name]] = score
    drawn = np.column_stack(
        [np.expm1(rate * table), np.full(len(bags), lump(public, math.exp(rate), delta))]
    )
    drawn /= drawn.sum(axis=1, keepdims=True)
    factor, moves, pairs, worst = math.exp(epsilon), 0.0, 0, []
    for here, there in neighbours(counts):
        pairs += len(here)
        moves = max(moves, float(np.abs(table[here] - table[there]).max(initial=0)))
        excess = np.maximum(drawn[here] - factor * drawn[there], 0.0).sum(axis=1)
        near = np.flatnonzero(excess >= max([e for e, *_ in worst], default=0.0) - 1e-9)
        worst += [(excess[i], here[i], there[i]) for i in near]
        best = max((e for e, *_ in worst), default=0.0)
        worst = [w for w in worst if w[0] >= best - 1e-9][:64]
    slack = max(excess_of(public, bags[i], bags[j], epsilon, delta, rate) for _, i, j in worst)
    return Found(slack, moves, int((table > 0).sum(axis=1).max()), len(bags), pairs)


def excess_of(public, records, others, epsilon, delta, rate=None, of=chances):
    """Return an upper end of sum (p - e^eps q)^+ over what is drawn, in interval arithmetic."""
    iv = mp.iv
    root = iv.exp((iv.mpf(epsilon) / 2 if rate is None else iv.mpf(rate)) / 2)
    p, q = (of(public, x, root, iv.mpf(delta)) for x in (records, others))
    total = iv.mpf(0)
    for key in p:
        gap = p[key] - iv.exp(iv.mpf(epsilon)) * q.get(key, 0)
        total += iv.mpf([max(gap.a, 0), max(gap.b, 0)])
    return float(total.b)


FAULTS = ("k forgotten", "D not halved", "v from the data", "theta from the data")


def broken(public, fault):
    """Return the plan with a planted fault; the numbers from the data are three times the positives."""
    tripled = lambda records: 3 * sum(y for _, y in records)  # noqa: E731
    return {
        "k forgotten": lambda: replace(public, k=1),
        "D not halved": lambda: replace(public, halved=False),
        "v from the data": lambda: replace(public, most=tripled),
        "theta from the data": lambda: replace(public, thetas=(tripled, *public.thetas[1:])),
    }[fault]()


# --- Utility, the guarantee, and the law of two examples' points ---------------------------------


def best_score(public, records):
    return max(score for score, _ in paths(public, records).values())


def success(public, records, target, root, delta):
    """Return the chance that the very target is drawn, the lump's guess counted as failure."""
    drawn = chances(public, records, root, delta)
    last = 2**public.d + 1
    return sum(p for key, p in drawn.items() if key != "lump" and min(key[1], last) == target)


def log_most_paths(r, *, d=None, log2_levels=None):
    """Return log k_r, where the thresholds have d + 1 levels, or 2^log2_levels."""
    if r == 1:
        return math.log(d + 1) if d else log2_levels * math.log(2.0)
    grids = [1 + (d.bit_length() if d else math.ceil(log2_levels))]  # n_1, ...
    while len(grids) < r - 1:
        grids.append(1 + depth_of_logarithm(grids[-1]))
    return math.log(2 ** (r - 1) * (grids[-1] - 1) + 3 ** (r - 2))


def log_lump(r, *, epsilon, delta, **size):
    return log_most_paths(r, **size) + max(0.0, math.log(math.expm1(epsilon / 2) / delta))


def enough(r, *, epsilon, delta, beta, **size):
    """Return u: the least whole score with which the lump keeps at most beta / 2."""
    other = log_lump(r, epsilon=epsilon, delta=delta, **size) + math.log(2.0 / beta - 1.0)
    return math.ceil(np.logaddexp(0.0, other) / (epsilon / 2))


def log_gain(rate, score):
    """Return log(e^{rate score} - 1), -inf for scores up to 0."""
    score = np.maximum(np.asarray(score, dtype=np.float64), 0.0)
    with np.errstate(divide="ignore"):
        return rate * score + np.log(-np.expm1(-rate * score))


def guarantee(m, r, *, epsilon, delta, alpha, beta, **size):
    """Return the bound on Pr[error > alpha] for every distribution and target, term by term."""
    rate, u = epsilon / 2, enough(r, epsilon=epsilon, delta=delta, beta=beta, **size)
    v, many = (2**r + 1) * u - 2 ** (r - 1), log_lump(r, epsilon=epsilon, delta=delta, **size)
    x = np.arange(min(v, m + 1))
    chance = gammaln(m + 1) - gammaln(x + 1) - gammaln(m - x + 1)
    chance += x * math.log(alpha) + (m - x) * math.log1p(-alpha)
    bad = math.log(2.0) + log_most_paths(r, **size) + logsumexp(chance + log_gain(rate, v - x))
    both = np.logaddexp(many, log_gain(rate, u))
    return math.exp(many - both) + math.exp(min(bad - both, 100.0))


def least(holds):
    """Return the least m >= 1 from which `holds`, a step from false to true, is true."""
    high = 1
    while not holds(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def least_guaranteed(r, *, epsilon=0.5, delta=1e-6, alpha=0.1, beta=0.1, **size):
    at = {"epsilon": epsilon, "delta": delta, "alpha": alpha, "beta": beta, **size}
    return least(lambda m: guarantee(m, r, **at) <= beta)


def alternating(d):
    """Return the target with ones at the even bits up to d - 2."""
    return sum(4**i for i in range(d // 2))


def law_of_two(m, d, *, epsilon, delta, alpha, most, theta):
    """Return the success of depth 2 on `hard` with the alternating target, by the paper's list.

    K_L positives lie at j - 1, K_R negatives at j, the rest at point 1. Candidates are j itself and,
    per level 2^(i - 1) of levels, the two ends of its cell. The lump's guess counts as failure.
    """
    rate, many = epsilon / 2, log_lump(2, epsilon=epsilon, delta=delta, d=d)
    middle = m * alpha
    k = np.arange(m + 1)
    k = k[np.abs(k - middle) <= 8 * math.sqrt(middle) + 40]
    left, right = (x.ravel() for x in np.meshgrid(k, k, indexing="ij"))
    left, right = left[left + right <= m], right[left + right <= m]
    rest = m - left - right
    chance = gammaln(m + 1) - gammaln(left + 1) - gammaln(right + 1) - gammaln(rest + 1)
    chance += (left + right) * math.log(alpha) + xlogy(rest, 1.0 - 2.0 * alpha)
    lesser, top = np.minimum(left, right), d - 2 - d % 2  # the highest one bit of the target
    weight = lambda score: np.exp(log_gain(rate, score) - many)  # noqa: E731
    own = weight(np.minimum(np.minimum(lesser - theta, lesser / 2), most))
    total = 1.0 + own
    for i in range(d.bit_length()):
        level, upper = 2**i, 2 ** (i + 1)
        above = lesser - theta if upper <= top else right - theta if upper <= d else math.inf
        depth = (lesser if level <= top else right) / 2
        total += weight(np.minimum(np.minimum(above, depth), most - right))
        if level <= top:
            total += weight(np.minimum(np.minimum(above, depth), most - left))
    return float((np.exp(chance) * np.where(lesser > theta, own / total, 0.0)).sum())
