"""Tower packing: why a larger domain makes thresholds harder for every proper learner with a slack.

A mechanism for n points between 0 and b^(S-1) - 1 yields one for fewer points between 0 and S - 1: the
points x become the numbers whose first x digits are those of a secret number with S - 1 random digits
to the base b, and the rest zeros. Copies of the secret number join them. What the mechanism answers
shares with it at least as many digits as the least x tells. If more than the largest x tells, it has
guessed a digit, which each copy makes more likely by one step of privacy alone.

Domains are too large to form, so they are told by how often a power of two is taken (`Domain`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

from privsc_core.concepts.shared.inequalities import log_tail, over_allowed, tiny_beta, walked
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import binomial_window
from privsc_core.numerics.decimals import complement
from privsc_core.numerics.search import least_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_LOG2 = math.log(2.0)
STEPS_MOST = 7
"""Up to so many steps are tried."""

_LIMIT = 10**12
# Powers of two up to this are floats with all their digits.
_PLAIN = 50.0
# What a logarithm of such a power may lose at most where something small is taken off: it stays below.
_LESS = 1e-9
# The log of a number of answers need not be larger: it is then nothing beside the slack, or any count.
_LOG_MOST = 1e15


class Domain(NamedTuple):
    """A number N of points, as log2 N = 2^2^...^top, with `rise` powers; never more than it is.

    Attributes
    ----------
    rise : int
    top : float
    """

    rise: int
    top: float

    @classmethod
    def of_bits(cls, d: int) -> Domain:
        """Return the domain of 2^d points."""
        return cls(0, float(d))

    @classmethod
    def of_log2_bits(cls, log2_d: float) -> Domain:
        """Return a domain of 2^d points, log2(d + 1) = `log2_d`, in [1, 2^32].

        Raises
        ------
        InputError
            For a number outside.
        """
        if not 1.0 <= log2_d <= 2.0**32:
            raise InputError("log2_d", "must be in [1, 2^32]", log2_d)
        if log2_d <= _PLAIN:
            return cls(0, math.floor(2.0**log2_d + _LESS) - 1.0)
        return cls(1, log2_d - _LESS)

    @classmethod
    def of_height(cls, h: int) -> Domain:
        """Return the domain of 2↑↑h points, a tower of h twos, h in [2, 40].

        Raises
        ------
        InputError
            For another height.
        """
        if not 2 <= h <= 40:
            raise InputError("h", "must be in [2, 40]", h)
        tower = (1.0, 2.0, 4.0, 16.0, 65536.0)
        return cls(0, tower[h - 1]) if h <= 5 else cls(h - 5, 65536.0)

    @property
    def log(self) -> float:
        """The natural logarithm of N, or `_LOG_MOST` where that is less."""
        found = self.top
        for _ in range(self.rise):
            found = 2.0**found if found < _PLAIN else math.inf
        return min(found * _LOG2, _LOG_MOST)

    def digits(self, bits: int, spare: int = 0) -> Domain | None:
        """Return the largest S with (2^bits)^(S - 1) at most N / 2^spare; None where S is below 2."""
        if self.rise == 0:
            size = (self.top - spare) // bits + 1.0
            return Domain(0, math.log2(size)) if size >= 2.0 else None
        fewer = math.log2(bits)
        if self.rise == 1:
            return Domain(0, self.top - fewer - _LESS)
        # 2^top less than fewer + 1: where the power is that large, next to nothing.
        if self.rise == 2 and self.top <= _PLAIN:
            return Domain(0, 2.0**self.top - fewer - _LESS)
        return Domain(self.rise - 1, self.top - _LESS)


# --- One step, for learners -----------------------------------------------------------------------


def one_step_lost(
    m: int, log_base: NDArray[np.float64], log_digit: NDArray[np.float64], *, epsilon: float, delta: float,
    alpha: float, tail: float, rare: bool = False, enough: float = 0.0,
) -> NDArray[np.float64]:  # fmt: skip
    """Return E[(1 - pi_K(1/s) - pi_K'(1/b))^+], (K, K') the counts of two kinds of mass alpha each.

    Parameters
    ----------
    m : int
    log_base, log_digit : ndarray, shape (bases,)
        log s and log b.
    epsilon, delta, alpha : float
    tail : float
        As in `binomial_window`.
    rare : bool
        Whether it must be right relative to itself, however small: a double sum, of few counts alone.
    enough : float
        A number that is at most `enough` may be told as a larger one that is so, too: that saves most of the time.

    Returns
    -------
    ndarray of float64, shape (bases,)

    Notes
    -----
    Let J(v) = Pr[1 - pi_K >= v, pi_K' < v]: the expectation is the integral of J over v. As v grows
    past a value of pi_K' a row of the lattice of counts comes in, past one of 1 - pi_K a column goes,
    and each of them is one probability of K times a tail of K' given K, or the other way about.
    """
    first, weights = binomial_window(m, alpha, tail)
    size = weights.size
    count = first + np.arange(size, dtype=np.float64)
    loss, slack = np.array(epsilon), np.array(delta)
    kept = walked(count, log_base[:, None], loss, slack)[1]
    digit = walked(count, log_digit[:, None], loss, slack)[0]
    other = alpha / (1.0 - alpha)
    if rare and size <= _SQUARE:
        beside = _beside(m, count, other)
        left = (np.maximum(one[:, None] - two, 0.0) for one, two in zip(kept, digit, strict=True))
        return np.array([float((weights * (part * beside).sum(axis=1)).sum()) for part in left])
    # Each of the two terms alone leaves at least as much.
    found = np.minimum(kept @ weights, (1.0 - digit) @ weights)
    some = found > enough
    if some.any():
        found[some] = _lost(m, first, weights, kept[some], digit[some], other)
    return found


def _lost(
    m: int, first: int, weights: NDArray[np.float64], kept: NDArray[np.float64], digit: NDArray[np.float64],
    other: float,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the integral of `one_step_lost`; kept and digit are 1 - pi_K and pi_K' by base and count."""
    size = weights.size
    values = np.concatenate([kept[:, ::-1], digit], axis=1)
    order = np.argsort(values, axis=1, kind="stable")
    row = order >= size
    rows = np.cumsum(row, axis=1)
    columns = size - (np.arange(1, 2 * size + 1) - rows)
    place = np.where(row, order - size, size - 1 - order)
    # A row sees the columns that are left, a column the rows that have come.
    most = first + np.where(row, columns, rows) - 1
    chance = weights[place] * _at_most(most, m - (first + place), other)
    inside = np.cumsum(np.where(row, chance, -chance), axis=1)
    gaps = np.diff(np.take_along_axis(values, order, axis=1), axis=1)
    return np.asarray((inside[:, :-1] * gaps).sum(axis=1))


_SQUARE = 1500


def _at_most(
    most: NDArray[np.int64], draws: NDArray[np.int64], chance: float
) -> NDArray[np.float64]:
    """Return Pr[Bin(draws, chance) <= most]."""
    some = (most >= 0) & (most < draws)
    found = (most >= draws).astype(np.float64)
    low, rest = most[some], draws[some]
    found[some] = special.betainc(rest - low, low + 1.0, 1.0 - chance)
    return found


def _beside(m: int, count: NDArray[np.float64], chance: float) -> NDArray[np.float64]:
    """Return the chance of each count of the other kind given each count of the one, shape (one, other)."""
    draws = m - count[:, None]
    rest = np.maximum(draws - count, 0.0)
    logs = special.gammaln(draws + 1.0) - special.gammaln(count + 1.0) - special.gammaln(rest + 1.0)
    logs = logs + special.xlogy(count, chance) + special.xlog1py(rest, -chance)
    return np.where(draws >= count, np.exp(logs), 0.0)


@dataclass(frozen=True, slots=True)
class Excluded:
    """What tower packing excludes.

    Attributes
    ----------
    m : int
        For learners the least number of examples not excluded, at least 1; 0 where that is more than
        is searched for.
    steps : int
        How many steps say so; 0 where none says anything.
    bits : int
        log2 of the base of the first digits.
    """

    m: int
    steps: int = 0
    bits: int = 0


def learner(
    domain: Domain, *, epsilon: float, delta: float, alpha: float, beta: float, start: int = 1,
    steps: Sequence[int] = tuple(range(1, STEPS_MOST + 1)),
) -> Excluded:  # fmt: skip
    """Return the least m that tower packing does not exclude for proper learners of thresholds.

    Parameters
    ----------
    domain : Domain
        Of the points.
    epsilon, delta, alpha, beta : float
        The privacy loss and slack, accuracy and confidence.
    start : int
        The answer for a smaller domain, from where the search goes up; 1 where none is known.
    steps : sequence of int
        Which numbers of steps are tried.

    Returns
    -------
    Excluded
        The largest over the steps. Exact for one step; for more of them at most the exact number.
    """
    best = Excluded(start)
    if alpha >= 0.5:
        return best
    for number in steps:
        at = (epsilon, delta, alpha, beta)
        found = _one(domain, best, *at) if number == 1 else _several(domain, best, number, *at)
        if found.m == 0 or found.m > best.m:
            best = found
        if found.m == 0:
            break
    return best


def learners(
    domains: Sequence[Domain], *, epsilon: float, delta: float, alpha: float, beta: float
) -> list[Excluded]:
    """Return `learner` for domains that grow: between two of the same answer there is no other."""
    at = partial(learner, epsilon=epsilon, delta=delta, alpha=alpha, beta=beta)
    found: dict[int, Excluded] = {}

    def find(low: int, high: int) -> None:
        """Find all between two places."""
        if found[low].m == found[high].m:
            found.update(dict.fromkeys(range(low, high), found[low]))
        elif high - low > 1:
            middle = (low + high) // 2
            more = at(domains[middle], start=found[low].m)
            found[middle] = more if more.steps else found[low]
            find(low, middle)
            find(middle, high)

    for place in {0, len(domains) - 1}:
        found[place] = at(domains[place])
    find(0, len(domains) - 1)
    return [found[place] for place in range(len(domains))]


def most_success(
    domain: Domain, m: int, *, epsilon: float, delta: float, alpha: float, beta: float
) -> tuple[float, float]:
    """Return the largest success probability that tower packing allows at m, and 1 less it.

    The parameters are as in `learner`; beta says how small a failure must be right.
    """
    if alpha >= 0.5:
        return 1.0, 0.0
    lost = 0.0
    bases = _bases(domain, 1, epsilon, delta, spare=2)
    if bases:
        logs = np.array([one for one, _ in bases])
        for some in (logs[:1], logs[1:]):  # after the best one few others are close
            parts = one_step_lost(
                m, *some.T, epsilon=epsilon, delta=delta, alpha=alpha, tail=log_tail(beta),
                rare=tiny_beta(beta), enough=lost,
            )  # fmt: skip
            lost = max(lost, float(parts.max(initial=0.0)))
    for steps in range(2, STEPS_MOST + 1):
        for numbers, _ in _bases(domain, steps, epsilon, delta, spare=2)[:_BEST]:
            for masses in _shares(steps + 1):
                if _base_lost(m, numbers[0], 2.0 * alpha * masses[0], epsilon, delta) <= lost:
                    break
                table = lost_by_count(numbers, masses, epsilon, delta)
                lost = max(lost, 0.0 if table is None else _mean(table, m, alpha))
    return 1.0 - lost, lost


def digit_sizes(domain: Domain, epsilon: float, delta: float) -> list[int]:
    """Return log2 of the bases b that are tried: whole bits, up to where 1/b is nothing.

    Nothing beside c = delta / (e^eps - 1), which the walk starts from however small 1/b is, or beside
    1/s many times over.
    """
    most = 4.0 * domain.log / _LOG2 if domain.rise == 0 else math.inf
    if domain.rise == 0 and domain.top > 64.0:
        most = 4.0 * math.log2(domain.top) + 40.0
    elif domain.rise == 1:
        most = 4.0 * domain.top + 40.0
    if delta > 0.0:
        grows = epsilon + math.log(-math.expm1(-epsilon))
        most = min(most, max((grows - math.log(delta)) / _LOG2, 0.0) + 8.0)
    most = min(most, 1e9)
    plain = list(range(1, int(min(most, _BY_ONE)) + 1))
    if most <= _BY_ONE:
        return plain
    further = np.geomspace(_BY_ONE + 1, most, _FURTHER).tolist()
    return [*plain, *sorted({int(bits) for bits in further})]


_BY_ONE, _FURTHER = 64, 40


def _one(
    domain: Domain, best: Excluded, epsilon: float, delta: float, alpha: float, beta: float
) -> Excluded:
    """Return the best base of one step, where it excludes more than `best`."""
    bases = _bases(domain, 1, epsilon, delta, spare=2)
    if not bases:
        return best
    logs = np.array([one for one, _ in bases])
    tail, rare = log_tail(beta), tiny_beta(beta)

    def over(m: int, which: NDArray[np.intp]) -> NDArray[np.float64]:
        lost = one_step_lost(
            m, *logs[which].T, epsilon=epsilon, delta=delta, alpha=alpha, tail=tail, rare=rare,
            enough=beta * (1.0 - 1e-9),
        )  # fmt: skip
        return over_allowed(beta, lambda: 1.0 - lost, lambda: lost)

    high, left = best.m, np.arange(len(bases))
    if high == 1:
        most = math.log(1.0 / delta) if delta else math.inf
        start = max(min(*bases[0][0], most) / (epsilon * alpha), 1.0)
        first = np.arange(1)
        found = least_integer(
            lambda m: np.array([over(x, first)[0] for x in np.ravel(m).tolist()]),
            guess=min(start, float(_LIMIT)), limit=_LIMIT,
        )  # fmt: skip
        if found is None:
            return Excluded(0, 1, bases[0][1])
        high, left = found, left[1:]
    # Others say little more: step by step, further and further, then by halves.
    low, step = 0, 1
    while (some := left[over(high, left) < 0.0]).size:
        if high >= _LIMIT:
            return Excluded(0, 1, bases[int(some[0])][1])
        left, low = some, high
        high, step = min(high + step, _LIMIT), 2 * step
    while low and high - low > 1:
        middle = (low + high) // 2
        some = left[over(middle, left) < 0.0]
        low, high, left = (middle, high, some) if some.size else (low, middle, left)
    return Excluded(high, 1, bases[int(left[0]) if low else 0][1]) if high > best.m else best


# --- More steps, for learners ---------------------------------------------------------------------


def _several(
    domain: Domain, best: Excluded, steps: int, epsilon: float, delta: float, alpha: float, beta: float
) -> Excluded:  # fmt: skip
    """Return the best base of several steps, where it excludes more than `best`."""
    found = best
    for logs, bits in _bases(domain, steps, epsilon, delta, spare=2)[:_BEST]:
        for masses in _shares(steps + 1):
            # The first kind alone loses more than all together.
            if _base_lost(found.m, logs[0], 2.0 * alpha * masses[0], epsilon, delta) <= beta:
                break
            lost = lost_by_count(logs, masses, epsilon, delta)
            if lost is None:
                return found
            low = high = found.m
            while _mean(lost, high, alpha) * (1.0 - 1e-12) > beta:
                low, high = high, 2 * high
            while high - low > 1:
                m = (low + high) // 2
                low, high = (m, high) if _mean(lost, m, alpha) * (1.0 - 1e-12) > beta else (low, m)
            found = Excluded(high, steps, bits) if high > found.m else found
    return found


_BEST = 3


def _bases(
    domain: Domain, steps: int, epsilon: float, delta: float, *, spare: int = 0
) -> list[tuple[tuple[float, ...], int]]:
    """Return (log s, log b_1, .., log b_steps) and log2 b_1 for the first bases, the best first.

    That is the one of which both terms are about equally small, or one next to it.
    """
    sizes = digit_sizes(domain, epsilon, delta)
    grows = math.log(delta) - epsilon - math.log(-math.expm1(-epsilon)) if delta else -math.inf
    found = []
    for bits in sizes:
        base: Domain | None = domain
        for level in range(steps, 0, -1):
            if base is not None:
                base = base.digits(
                    bits if level == 1 else sizes[-1], spare if level == steps else 0
                )
        if base is not None:
            found.append(((base.log, bits * _LOG2, *[sizes[-1] * _LOG2] * (steps - 1)), bits))

    def small(one: tuple[tuple[float, ...], int]) -> float:
        largest = max(-one[0][0], -one[0][1], grows)
        return largest + math.log(
            sum(math.exp(x - largest) for x in (-one[0][0], -one[0][1], grows))
        )

    return sorted(found, key=small)


def _shares(kinds: int) -> list[tuple[float, ...]]:
    """Return ways to split the mass: half for each label, the lower half of the kinds has label 1.

    Equal parts say most where the base is large; else the base needs more. Its part grows.
    """
    low = kinds // 2
    if low == 1:
        return [(0.5 * part, 0.5 * (1.0 - part), 0.5) for part in _PARTS]
    return [(0.5 / low,) * low + (0.5 / (kinds - low),) * (kinds - low)]


_PARTS = (0.5, 0.6, 0.7, 0.8, 0.9)


def _base_lost(m: int, log_base: float, mass: float, epsilon: float, delta: float) -> float:
    """Return E[1 - pi_K(1/s)], K ~ Bin(m, mass)."""
    first, weights = binomial_window(m, mass)
    count = first + np.arange(weights.size, dtype=np.float64)
    return float(weights @ walked(count, np.array(log_base), np.array(epsilon), np.array(delta))[1])


def _mean(lost: NDArray[np.float64], m: int, alpha: float) -> float:
    """Return the expectation of `lost` at N ~ Bin(m, 2 alpha), 0 beyond its end."""
    first, weights = binomial_window(m, 2.0 * alpha)
    part = lost[first : first + weights.size]
    return float(weights[: part.size] @ part)


@lru_cache(maxsize=64)
def lost_by_count(
    logs: tuple[float, ...], masses: tuple[float, ...], epsilon: float, delta: float
) -> NDArray[np.float64] | None:
    """Return at most E[(1 - sum_i pi_{K_i}(1/b_i))^+] given that N examples are of one of the kinds.

    Parameters
    ----------
    logs : tuple of float
        log b_i of every kind, at least three.
    masses : tuple of float
        The share of every kind among them; 1 altogether.
    epsilon, delta : float

    Returns
    -------
    ndarray of float64, shape (counts,) or None
        For N = 0, 1, ...; beyond, 0 is a lower end. None where it would take too long.

    Notes
    -----
    Multinomial counts are independent Poisson ones given their sum. All but the last kind are added up
    one by one, on a lattice of N and of the sum of the pi; this is rounded up, to one of `_CELLS` values,
    for three kinds not at all.
    """
    tables = []
    for log_number in logs:
        # From about there on pi is 1/2, and twice as far it is 1.
        half = (log_number if not delta else min(log_number, math.log(1.0 / delta))) / epsilon
        size = (
            int(2.0 * half + 40.0 / epsilon) + 2
            if delta == 0.0
            else int(2.0 * half + 4.0 / epsilon) + 2
        )
        if size > _COUNTS:
            return None
        pi = walked(
            np.arange(size, dtype=np.float64),
            np.array(log_number),
            np.array(epsilon),
            np.array(delta),
        )[0]
        tables.append(pi[pi < 1.0])
    middle = sum(int(np.searchsorted(pi, 0.5)) for pi in tables)
    most = middle + max(pi.size for pi in tables)
    mean = [max(middle, 1.0) * p for p in masses]
    poisson = [
        np.exp(special.xlogy(k := np.arange(pi.size), m) - m - special.gammaln(k + 1.0))
        for pi, m in zip(tables, mean, strict=True)
    ]
    if len(logs) == 3:
        found = _three(tables, poisson, most)
    else:
        if most * _CELLS * sum(pi.size for pi in tables) > _WORK:
            return None
        found = _many(tables, poisson, most)
    n, total = np.arange(found.size), sum(mean)
    return np.asarray(found / np.exp(special.xlogy(n, total) - total - special.gammaln(n + 1.0)))


_COUNTS, _CELLS, _WORK = 400, 512, 4 * 10**8


def _three(
    tables: list[NDArray[np.float64]], poisson: list[NDArray[np.float64]], most: int
) -> NDArray[np.float64]:
    one, two, last = tables
    left = 1.0 - one[:, None] - two
    open_ = left > 0.0
    if not open_.any():
        return np.zeros(1)
    place = np.add.outer(np.arange(one.size), np.arange(two.size))[open_]
    weight, left = np.multiply.outer(poisson[0], poisson[1])[open_], left[open_]
    found = np.zeros(max(most, int(place.max())) + last.size + 1)
    for k, (pi, chance) in enumerate(zip(last, poisson[2], strict=True)):
        sums = np.bincount(place, weight * np.maximum(left - pi, 0.0))
        found[k : k + sums.size] += chance * sums
    return found[: most + 1]


def _many(
    tables: list[NDArray[np.float64]], poisson: list[NDArray[np.float64]], most: int
) -> NDArray[np.float64]:
    state = np.zeros((most + 1, _CELLS))
    state[0, 0] = 1.0
    for pi, chances in zip(tables[:-1], poisson[:-1], strict=True):
        after = np.zeros_like(state)
        cells = np.ceil(pi * _CELLS).astype(int)
        for k, (cell, chance) in enumerate(zip(cells.tolist(), chances.tolist(), strict=True)):
            if cell < _CELLS and k <= most:
                after[k:, cell:] += chance * state[: most + 1 - k, : _CELLS - cell]
        state = after
    sums = np.arange(_CELLS) / _CELLS
    left = np.maximum(1.0 - sums[:, None] - tables[-1], 0.0) * poisson[-1]
    parts = state @ left
    found = np.zeros(most + 1)
    for k in range(parts.shape[1]):
        if k <= most:
            found[k:] += parts[: most + 1 - k, k]
    return found


# --- The interior point problem -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Interior:
    """How many points tower packing excludes for the interior point problem.

    Attributes
    ----------
    n : int
        The largest number excluded; the need is one more.
    copies : tuple of int
        How many copies of the base point and of every secret number: they add up to n.
    bits : int
        log2 of the base of the first digits; 0 without a step.
    """

    n: int
    copies: tuple[int, ...]
    bits: int = 0


def interior(
    domain: Domain, *, epsilon: float, delta: float, beta: float,
    steps: Sequence[int] = tuple(range(STEPS_MOST + 1)),
) -> Interior:  # fmt: skip
    """Return the largest number of points that tower packing excludes for the interior point problem.

    Every (epsilon, delta)-private mechanism is right with probability at most pi_{g_0}(1/s) +
    sum_i pi_{g_i}(1/b_i) on some databases of g_0 + ... + g_r points; without a step these are copies of
    one point.

    Parameters
    ----------
    domain : Domain
    epsilon, delta, beta : float
    steps : sequence of int
        Which numbers of steps r are tried; 0 for copies alone.

    Returns
    -------
    Interior
    """
    best = Interior(0, (0,))
    for number in steps:
        bases: list[tuple[tuple[float, ...], int]] = [((domain.log,), 0)]
        if number:
            bases = _bases(domain, number, epsilon, delta)
        for logs, bits in bases:
            copies = _copies(logs, epsilon, delta, complement(beta))
            if sum(copies) > best.n:
                best = Interior(sum(copies), copies, bits)
    return best


_BLOCKS = 250


def _copies(logs: Sequence[float], epsilon: float, delta: float, most: float) -> tuple[int, ...]:
    """Return the g_i with the largest sum for which the sum of the pi stays below `most`.

    Where many copies count, they come in blocks, so that the sum is at most so much smaller.
    """
    least, chosen = np.zeros(1), []
    floor = math.log(1.0 / delta) if delta else math.inf
    sizes = [int((2.0 * min(one, floor) + 40.0) / epsilon) + 2 for one in logs]
    block = max(1, max(sizes) // _BLOCKS)
    for log_number, size in zip(logs, sizes, strict=True):
        count = np.arange(0, size, block, dtype=np.float64)
        pi = walked(count, np.array(log_number), np.array(epsilon), np.array(delta))[0]
        pi = pi[pi < most]
        if not pi.size:
            return (0,) * len(logs)
        # The least sum for every number of copies, and how many of them are of this kind.
        sums = np.full((pi.size, least.size + pi.size - 1), np.inf)
        for g, value in enumerate(pi.tolist()):
            sums[g, g : g + least.size] = least + value
        chosen.append(sums.argmin(axis=0))
        least = sums.min(axis=0)
    left = np.flatnonzero(least < most * (1.0 - 1e-15))
    if not left.size:
        return (0,) * len(logs)
    n, copies = int(left[-1]), []
    for pick in reversed(chosen):
        g = int(pick[n])
        copies.append(block * g)
        n -= g
    return tuple(reversed(copies))
