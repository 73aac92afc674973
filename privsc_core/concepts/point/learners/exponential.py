"""The exponential mechanism over POINT_d, and over the points that a sample shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Cell, Estimate, Setting, Source
from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.point.laws import by_profile, crowd, lump_odds
from privsc_core.concepts.point.trace import groups_of_points
from privsc_core.concepts.shared import unseen
from privsc_core.concepts.shared.choosing import Choosing, Groups, WithLump
from privsc_core.concepts.shared.hypotheses import Concepts
from privsc_core.concepts.shared.laws import averaged, certain, exact, rao_blackwell
from privsc_core.concepts.shared.sample import BITS_MOST
from privsc_core.numerics.binomial import of_count
from privsc_core.numerics.logspace import log_domain, log_domain_scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample


# --- The exponential mechanism over POINT_d on many samples at a time ----------------------------
#
# Samples are taken as they are, consistent or not: rows are sorted, points seen once are only
# counted, points seen more often get a score each, and all unseen points of a row stay one lump
# (Lemma 3.4). Nothing has the size of the domain, nothing loops over examples, and only a row that
# chooses a seen point computes a weight per example.


# Examples per block of rows: small enough for the cache, large enough to hide Python.
_BLOCK = 1 << 18
# e^{-1000} is 0, also times 2^62: a larger rate changes nothing, and could overflow.
_RATE_MOST = 1000.0
# Runs of equal examples that are as long as this on average are worth looking at one by one.
_FEW = 4


def run_many(
    x: NDArray[np.integer],
    y: NDArray[np.uint8],
    *,
    d: int,
    rate: float,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Choose one point per sample, with probability proportional to e^{-rate * mistakes}.

    Parameters
    ----------
    x, y : ndarray, shape (samples, m)
        Points in [1, 2^d] and labels, as `checked_rows` returns them.
    d : int
        Bits, at most 62.
    rate : float
        The factor of the mistakes in the exponent, epsilon / 2 for privacy epsilon.
    rng : numpy.random.Generator
        Two random numbers per sample are drawn from it.

    Returns
    -------
    ndarray of int64, shape (samples,)
        The chosen points.
    """
    chosen = np.empty(len(x), dtype=np.int64)
    for rows, scores in _blocks(x, y, d):
        chosen[rows] = _choose(scores, _weigh(scores, rate), rng)
    chosen += 1
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """A block of samples, one per row.

    Attributes
    ----------
    point : ndarray of uint, shape (samples, places)
        The points of each row, minus 1, in increasing order where `last`.
    last : ndarray of bool, shape (samples, places)
        Whether this is a point of the row, and the last place that shows it.
    net : ndarray of int, shape (samples, places)
        Positive minus negative examples at the point, where `last`.
    plus, minus : ndarray of int64, shape (samples,)
        How many points with one example, a positive or a negative one, are not in `group`.
    distinct, unseen : ndarray of int64, shape (samples,)
        How many points each row has, and lacks.
    group, owner : ndarray of int64
        Positive minus negative examples at every other point, and its row.
    """

    point: NDArray[np.unsignedinteger]
    last: NDArray[np.bool_]
    net: NDArray[np.signedinteger]
    plus: NDArray[np.int64]
    minus: NDArray[np.int64]
    distinct: NDArray[np.int64]
    unseen: NDArray[np.int64]
    group: NDArray[np.int64]
    owner: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class _Weights:
    """Weights of points, relative to the largest weight of their row: no overflow.

    Attributes
    ----------
    rate : float
        The factor of the mistakes in the exponent.
    best : ndarray of float64, shape (samples,)
        The largest net of each row, in whole numbers; that of an unseen point is 0.
    lump, total : ndarray of float64, shape (samples,)
        The weight of all unseen points, and of all points.
    """

    rate: float
    best: NDArray[np.float64]
    lump: NDArray[np.float64]
    total: NDArray[np.float64]


def _blocks(
    x: NDArray[np.integer], y: NDArray[np.uint8], d: int
) -> Iterator[tuple[slice, _Scores]]:
    """Yield the scores of a block of rows at a time, in arrays that are used again."""
    samples, m = x.shape
    step = min(samples, max(1, _BLOCK // m))
    # The narrowest type sorts fastest, but for bytes; with a sign it must hold m.
    kind = np.promote_types(np.min_scalar_type(max(2 << d, 2 * m)), np.uint16)
    keys, nets = np.empty((step, m), dtype=kind), np.empty((step, m), dtype=kind)
    # Behind a place for the example before the first one.
    edges = np.empty(keys.size + 1, dtype=np.bool_)
    for start in range(0, samples, step):
        rows = slice(start, min(start + step, samples))
        size = rows.stop - start
        key, net, edge = keys[:size], nets[:size], edges[: size * m + 1]
        # Points from 0: one bit fewer than from 1.
        np.subtract(x[rows], 1, out=key, casting="unsafe")
        key <<= 1
        key |= y[rows]
        key.sort(axis=1)
        _mark(key, edge)
        if np.count_nonzero(edge) * _FEW <= key.size:
            yield rows, _few(key, np.flatnonzero(edge[:-1]), 1 << d)
        else:
            yield rows, _many(key, net, edge, 1 << d)


def _mark(rows: NDArray[np.unsignedinteger], edge: NDArray[np.bool_]) -> None:
    """Mark where another value or row begins, and the end of all."""
    flat = rows.ravel()
    np.not_equal(flat[1:], flat[:-1], out=edge[1:-1])
    edge[:: rows.shape[1]] = True


def _few(key: NDArray[np.unsignedinteger], start: NDArray[np.intp], domain: int) -> _Scores:
    """Count examples in sorted rows of 2 * (point - 1) + label by their runs, given their starts."""
    samples, m = key.shape
    run, owner = key.ravel()[start], start // m
    net = np.diff(start, append=key.size)
    net *= 2 * (run & 1).astype(np.int64) - 1
    point = run >> 1
    # Where a row has a point with both labels, the negative run comes right before the positive
    # one: keep the second.
    both = np.flatnonzero((point[1:] == point[:-1]) & (owner[1:] == owner[:-1]))
    if both.size:
        net[both + 1] += net[both]
        point, net, owner = (np.delete(a, both) for a in (point, net, owner))
    distinct = np.bincount(owner, minlength=samples)
    last = np.arange(distinct.max()) < distinct[:, None]
    points, nets = np.zeros(last.shape, dtype=key.dtype), np.zeros(last.shape, dtype=np.int64)
    points[last], nets[last] = point, net
    none = np.zeros(samples, dtype=np.int64)
    return _Scores(points, last, nets, none, none, distinct, domain - distinct, net, owner)


def _many(
    key: NDArray[np.unsignedinteger],
    label: NDArray[np.unsignedinteger],
    edge: NDArray[np.bool_],
    domain: int,
) -> _Scores:
    """Count examples in sorted rows of 2 * (point - 1) + label, which become the points."""
    samples, m = key.shape
    np.bitwise_and(key, 1, out=label)
    net = label.view(f"i{label.itemsize}")
    net <<= 1
    net -= 1
    key >>= 1
    _mark(key, edge)
    last, nets = edge[1:].reshape(key.shape), net.ravel()
    # A group begins where an example, unlike the one before, is not the last of its point, and
    # ends where it is again.
    turn = np.flatnonzero(edge[1:] != edge[:-1])
    begin, end = turn[::2], turn[1::2]
    owner, size = begin // m, end - begin + 1
    group = (nets[begin] + nets[end]).astype(np.int64)
    # Most have two examples.
    more = np.flatnonzero(size > 2)
    if more.size:
        inner = np.stack((begin[more] + 1, end[more]), axis=1)
        group[more] += np.add.reduceat(nets, inner.ravel())[::2]
    single = m - _sums(owner, size, samples)
    balance = np.add.reduce(net, axis=1, dtype=net.dtype) - _sums(owner, group, samples)
    plus = (single + balance) >> 1
    nets[end] = group
    distinct = single + np.bincount(owner, minlength=samples)
    return _Scores(key, last, net, plus, single - plus, distinct, domain - distinct, group, owner)


def _sums(
    owner: NDArray[np.intp], values: NDArray[np.signedinteger], samples: int
) -> NDArray[np.int64]:
    """Return the sum of the values of each row, which a float holds."""
    return np.bincount(owner, weights=values, minlength=samples).astype(np.int64)


def _weigh(scores: _Scores, rate: float) -> _Weights:
    """Return the weights of all points, up to a factor for each row."""
    rate = min(rate, _RATE_MOST)
    # A row without single examples has a group.
    best = np.where(scores.minus > 0, -1, np.iinfo(np.int32).min)
    best[scores.plus > 0] = 1
    np.maximum.at(best, scores.owner, scores.group)
    np.maximum(best, 0, out=best, where=scores.unseen > 0)
    top = best.astype(np.float64)
    lump = scores.unseen * _powers(rate, top, 0)
    total = lump + scores.plus * _powers(rate, top, 1) + scores.minus * _powers(rate, top, -1)
    groups = _powers(rate, top[scores.owner], scores.group)
    total += np.bincount(scores.owner, weights=groups, minlength=len(total))
    return _Weights(rate, top, lump, total)


def _powers(
    rate: float, best: NDArray[np.float64], net: NDArray[np.signedinteger] | int
) -> NDArray[np.float64]:
    """Return e^{-rate * (best - net)}, or 1 where the net is of no point and exceeds the best."""
    # Differences of whole numbers first: exact however large the rate.
    power: NDArray[np.float64] = best - net
    np.maximum(power, 0.0, out=power)
    power *= -rate
    return np.exp(power, out=power)


def _choose(scores: _Scores, weights: _Weights, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a point, minus 1, for each sample."""
    wanted = rng.random(len(weights.total)) * weights.total - weights.lump
    rank = rng.integers(np.maximum(scores.unseen, 1))
    chosen = np.empty(len(wanted), dtype=np.int64)
    # Where the lump has weight 0, nothing is below it.
    row = np.flatnonzero(wanted < 0)
    chosen[row] = _unseen(scores, row, rank[row])
    row = np.flatnonzero(wanted >= 0)
    chosen[row] = _seen(scores, weights, row, wanted[row])
    return chosen


def _unseen(scores: _Scores, row: NDArray[np.intp], rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the unseen points, minus 1, of these ranks in these rows. No rejection."""
    point = scores.point[row]
    # Other places give way to the largest number: one more sort is cheap.
    again = np.flatnonzero(scores.distinct[row] < point.shape[1])
    if again.size:
        distinct = point if again.size == len(row) else point[again]
        distinct |= (scores.last[row[again]].view(np.int8) - 1).astype(point.dtype)
        distinct.sort(axis=1)
        if distinct is not point:
            point[again] = distinct
    # The answer exceeds its rank by the number of seen points below it, which are those whose
    # value minus position is at most the rank.
    point -= np.arange(point.shape[1]).astype(point.dtype)
    above = point > rank.astype(point.dtype)[:, None]
    place = above.argmax(axis=1)
    rank += np.where(above[np.arange(len(place)), place], place, point.shape[1])
    return rank


def _seen(
    scores: _Scores, weights: _Weights, row: NDArray[np.intp], wanted: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the seen points, minus 1, up to which the weights of these rows reach the wanted."""
    weight = _powers(weights.rate, weights.best[row, None], scores.net[row])
    weight *= scores.last[row]
    total = np.cumsum(weight, axis=1, out=weight)
    # Rounding may want all there is: that is the last point all the same.
    np.minimum(wanted, np.nextafter(total[:, -1], 0.0), out=wanted)
    place = (total > wanted[:, None]).argmax(axis=1)
    chosen: NDArray[np.int64] = scores.point[row, place].astype(np.int64)
    return chosen


@dataclass(frozen=True)
class Exponential(Choosing):
    """Pick c_j with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    O(m) time at any d: every unseen point makes the same mistakes, so they are one lump. The
    paper's lump has 2^d - m points, which is right only when no point repeats; it is 2^d
    minus the number of distinct sample points.
    """

    name = "exponential"
    title = "Exponential mechanism"
    source = Source("BBKN13", "Lemma 3.4")
    summary = "Picks every concept with probability proportional to exp(-ε · mistakes / 2)."
    privacy = "pure"
    proper = True
    efficient = True
    laws = {
        "hard": "exact", "single": "exact", "bystanders": "rao-blackwell",
        "uniform": "rao-blackwell",
    }  # fmt: skip
    guess_within = {"bystanders": 2.0}
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("point",)
    one_point = True
    symmetric = True

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the seen points, and all others together; O(m) time and memory for any d."""
        return groups_of_points(
            sample,
            "The score of a concept is its number of mistakes on the sample. All points that are not in the sample "
            f"have the same score: {int(sample.labels.sum()):,}, one on every example with label 1.",
        )

    def _run_many(
        self, x: NDArray[np.integer], y: NDArray[np.uint8], at: Cell, rng: np.random.Generator
    ) -> Sequence[Hypothesis]:
        """Draw a concept for every row together; one by one where points have too many bits."""
        if at.d > BITS_MOST:
            return super()._run_many(x, y, at, rng)
        return Concepts(run_many(x, y, d=at.d, rate=self.score_rate(at.epsilon), rng=rng), Point)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact with at most one bystander, else Rao-Blackwellised."""
        return by_profile(distribution, setting, _law)


def _law(profile: Profile, setting: Setting) -> Estimate:
    if profile.every_concept_succeeds:
        return certain(setting)
    if profile.others == 0:
        lump = log_domain(setting.d, 1) - 0.5 * setting.epsilon * setting.m
        return exact(special.expit(-lump), setting, special.expit(lump))
    if profile.others == 1:
        return averaged(
            setting, profile.mass, (log_domain(setting.d, 2), setting.epsilon), lump_odds,
            rate=0.5 * setting.epsilon,
        )  # fmt: skip
    return _simulated(profile, setting)


def _simulated(profile: Profile, setting: Setting) -> Estimate:
    others = profile.others

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
        hits = rng.binomial(m, profile.mass, size=trials)
        return hits.astype(np.float64), crowd(m - hits, others, rng)

    def conditional(
        d: int, epsilon: float, hits: NDArray[np.float64], seen: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        # Relative to the rarest bystander, so that not every term can underflow.
        least = seen.min(axis=1)
        excess = np.exp(-0.5 * epsilon * (seen - least[:, None])).sum(axis=1)
        bystanders = np.log(excess) - 0.5 * epsilon * least
        lump = np.logaddexp(log_domain_scalar(d, 1 + others), bystanders)
        return np.asarray(1.0 / (1.0 + np.exp(np.minimum(lump - 0.5 * epsilon * hits, 709.0))))

    return rao_blackwell(setting, draw, conditional)


# --- The (epsilon, delta)-private learner of points: seen points, and one lump for all -----------


@dataclass(frozen=True)
class Seen(WithLump):
    """Pick c_x with probability proportional to C/T + e^{eps n_x / 2} - 1.

    n_x counts the examples (x, 1); for C and the proof of privacy see `concepts.shared.unseen`.

    Parameters
    ----------
    delta : float
        The privacy slack, in [0, 1/2); at 0 the learner is purely private.
    """

    name = "seen"
    title = "Seen points, or a random one"
    source = Source("ours", "a choosing mechanism in one formula", "BNS13b, the choosing mechanism")
    summary = (
        "Picks point x with probability proportional to C/T + exp(ε · p / 2) - 1, where p counts "
        "the examples (x, 1). With δ > 0, C is at most max(1, (exp(ε/2) - 1)/δ); it replaces the "
        "domain "
        "size T."
    )
    derivation = (
        r"Let $n_x$ be the number of positive examples at $x$. One example that is replaced raises one $n_x$ "
        r"by 1, and lowers one. Point $x$ has the weight $C/T + e^{\varepsilon n_x/2} - 1$, and $C$ satisfies "
        r"$(e^{\varepsilon/2}-1)(1-C/T) \le C\delta$ and $C \ge 1$."
        "\n\n"
        r"The sum of all weights is $Z = C + \sum_x (e^{\varepsilon n_x/2}-1) \ge e^{\varepsilon n_j/2}$, so a "
        r"step changes it by a factor of at most $e^{\varepsilon/2}$. The weight of the point that gains "
        r"becomes $e^{\varepsilon/2}$ times what it was, plus $(e^{\varepsilon/2}-1)(1-C/T)$. Divided by $Z "
        r"\ge C$, what exceeds the factor $e^{\varepsilon}$ is at most $\delta$. No other weight grows. At "
        r"$\delta = 0$ it is $C = T$. $\square$"
    )
    privacy = "approximate"
    proper = True
    efficient = True
    laws = {"hard": "exact", "single": "exact", "bystanders": "exact", "uniform": "exact"}
    unmoved = {"bystanders": {"s": "bystanders do not count"}}
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("point",)
    one_point = True
    symmetric = True
    caveat = (
        "This learner ignores negative examples. On domains so small that αβT is about 1 or less it is no PAC "
        "learner, whatever the number of examples."
    )

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the seen points with their positive examples, and all others together."""
        return replace(
            groups_of_points(
                sample,
                "The score of a point is its number of examples with label 1, and a higher score is better. Examples "
                "with label 0 do not count.",
            ),
            mistakes=np.append(sample.tallies()[0], 0),
            score="positive examples",
        )

    def log_all(self, d: int, minus: int = 0) -> float:
        """Return the log of how many points there are, less `minus`."""
        return log_domain_scalar(d, minus)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law: only the target has positive examples."""
        return by_profile(distribution, setting, self._law)

    def _law(self, profile: Profile, setting: Setting) -> Estimate:
        if profile.every_concept_succeeds:
            return certain(setting)
        every, epsilon = log_domain(setting.d), setting.epsilon
        effective = unseen.log_effective(every, epsilon, setting.delta or self.delta)
        columns = -every, np.log1p(-np.exp(-every)), effective, 0.5 * epsilon
        return averaged(setting, profile.mass, columns, of_count(unseen.odds), rate=1.0)
