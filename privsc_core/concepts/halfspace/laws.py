"""Success laws of half-spaces that are averaged over simulated samples.

Circle, density learner: clockwise from the target's boundary the points lie at masses u_1 < u_2 < ...,
uniform on (0, 1) for every distribution without atoms, and anticlockwise at 1 - u_m < ... With B(u) the
share of all angles up to mass u and q = e^{-eps/2}, the normals up to mass c weigh
A(c) = sum_i (q^{i-1} - q^i) B(min(u_i, c)) + q^m B(c) on one side, and success given the sample is
A(alpha) / A(1), both sides added.

Averaging: with the target e_1 only two numbers of sum y_i x_i matter, its first coordinate, and the
length of the rest, a walk whose steps have random directions. Given these and the direction of the
noise the output is accurate on an interval of the noise's length, which is Gamma(n, 2 / eps).
"""

from __future__ import annotations

import functools
import math
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from privsc_core.concepts.halfspace.distributions import Directions, OnCircle
from privsc_core.concepts.halfspace.hypotheses import fibonacci
from privsc_core.concepts.shared.laws import by_d, rao_blackwell
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting

# By how much what is left out may change a weight: e^-23.
_NEGLIGIBLE = 23.0
# Numbers drawn at once, of them those that are kept, and of a block.
_NUMBERS, _KEPT, _BLOCK = 1 << 21, 1 << 20, 1 << 15
# Beyond so many examples their sum is taken for Gaussian.
STEPS_MOST = 300
_AT_ONCE = 32
# Of the ordinary sphere.
NET = 2000
_COUNTED_MOST = 2000
# Of the circle points are drawn one by one up to so many, if no weight is below e^-600.
_POINTS_MOST, _STEEP = 100_000, 600.0


def of_directions(distribution: Distribution, setting: Setting, laws: Iterable[str]) -> Directions:
    """Return the distribution, or refuse one on which there is no law, and what it refuses."""
    if not isinstance(distribution, Directions) or distribution.name not in laws:
        raise InputError("distribution", f"must be one of {', '.join(laws)}", distribution.name)
    for d in {int(setting.d.min()), int(setting.d.max())}:
        distribution.check(d=d, alpha=setting.alpha)
    return distribution


def circle_law(law: Directions, setting: Setting, rate: Callable[[float], float]) -> Estimate:
    """Return the law of drawing an angle of the circle with weight e^{-rate * mistakes}."""
    part = law.part if isinstance(law, OnCircle) else 1.0
    angle = None if part == 1.0 else functools.partial(_angles, part=part)
    cut = setting.alpha if angle is None else float(angle(np.array(setting.alpha)))
    span = _NEGLIGIBLE - math.log(part * setting.alpha)

    def given(m: int, trials: int, tag: int, speed: float) -> NDArray[np.float64]:
        keep = min(m, math.ceil(span / speed) + 1) if speed > 0.0 else m
        return _on_circle(m, trials, tag, speed, keep, (cut, 1.0), angle)

    return _of_samples(setting, rate, given)


def _of_samples(
    setting: Setting,
    rate: Callable[[float], float],
    given: Callable[[int, int, int, float], NDArray[np.float64]],
) -> Estimate:
    """Average success given samples that are named by their size, their number and a tag."""

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        return np.array(m), np.array(trials), np.array(rng.integers(1 << 62))

    def conditional(d: int, epsilon: float, *which: NDArray[Any]) -> NDArray[np.float64]:
        del d
        m, trials, tag = map(int, which)
        return given(m, trials, tag, rate(epsilon))

    return rao_blackwell(setting, draw, conditional)


def _on_circle(
    m: int,
    trials: int,
    tag: int,
    rate: float,
    keep: int,
    ends: tuple[float, float],
    angle: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None,
) -> NDArray[np.float64]:
    """Return A(alpha) / A(1) for every sample, by the `keep` points nearest to 0 and to 1.

    `angle` is B, the identity where it is left out, and `ends` its values at alpha and 1.
    """
    step = max(1, min(trials, _NUMBERS // keep))
    fall = np.exp(-rate * np.arange(keep)) * -math.expm1(-rate)
    last = math.exp(-rate * m) if keep == m else 0.0
    found = np.empty(trials)
    for start in range(0, trials, step):
        columns = min(step, trials - start)
        good, every = (np.full(columns, 2.0 * last * end) for end in ends)
        for first, places in _nearest(m, keep, columns, (tag, start)):
            weights = fall[first : first + len(places)]
            angles = places if angle is None else angle(places)
            passed = weights @ angles
            every += passed
            # Nearly always a block is within alpha, or beyond it, in all samples.
            if angles[-1].max() <= ends[0]:
                good += passed
            elif angles[0].min() >= ends[0]:
                good += weights.sum() * ends[0]
            else:
                good += weights @ np.minimum(angles, ends[0])
        found[start : start + columns] = good / every
    return found


class _Gaps:
    """Sums of exponential variables, the gaps between points from either end, for more and more points.

    What is drawn first is the same for every m.
    """

    def __init__(self, tag: int, start: int, columns: int) -> None:
        """Begin with no points."""
        self._streams = [np.random.default_rng([tag, start, part]) for part in range(2)]
        self._sums = [np.empty((0, columns)) for _ in self._streams]
        self._lock = threading.Lock()

    def upto(self, count: int) -> tuple[NDArray[np.float64], ...]:
        """Return the sums of at least so many gaps, from both ends."""
        with self._lock:
            have, columns = self._sums[0].shape
            if have < count:
                for side, rng in enumerate(self._streams):
                    known, more = (
                        self._sums[side],
                        rng.standard_exponential((count - have, columns)),
                    )
                    if have:
                        more[0] += known[-1]
                    self._sums[side] = np.concatenate([known, more.cumsum(axis=0)])
            return tuple(self._sums)


# Each of the four blocks of trials, of a pilot and of a look at two: six in a search.
@lru_cache(maxsize=6)
def _gaps(tag: int, start: int, columns: int) -> _Gaps:
    return _Gaps(tag, start, columns)


def _nearest(
    m: int, keep: int, columns: int, seed: tuple[int, int]
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the `keep` of m uniform points that are nearest to 0, and those nearest to 1, from there.

    In blocks, each with the number of points before it.
    """
    near = (_gaps if keep * columns <= _KEPT else _Gaps)(*seed, columns)
    if m + 1 <= 2 * keep:
        # All gaps: beyond the middle the points are those of the other end.
        counts = (m + 2) // 2, (m + 1) // 2
        sums = near.upto(counts[0])
        whole = sums[0][counts[0] - 1] + sums[1][counts[1] - 1]
        for end, count in enumerate(counts):
            own = min(count, keep)
            yield from _blocks(sums[end][:own], whole)
            rest = whole - sums[1 - end][m - keep : m - own][::-1]
            yield from _blocks(rest, whole, own)
        return
    sums = near.upto(keep)
    whole = sums[0][keep - 1] + sums[1][keep - 1]
    whole += np.random.default_rng([*seed, 2]).standard_gamma(m + 1.0 - 2 * keep, size=columns)
    for side in sums:
        yield from _blocks(side[:keep], whole)


def _blocks(
    sums: NDArray[np.float64], whole: NDArray[np.float64], first: int = 0
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield shares of the whole, in blocks that stay in the cache."""
    rows = max(1, _BLOCK // whole.size)
    for start in range(0, len(sums), rows):
        yield first + start, sums[start : start + rows] / whole


def _angles(mass: NDArray[np.float64], part: float) -> NDArray[np.float64]:
    """Return B: which share of the half turn has so much mass, from the boundary on."""
    return np.where(mass <= 0.5, part * mass, 1.0 - part * (1.0 - mass))


def averaging_law(law: Directions, setting: Setting, *, private: bool) -> Estimate:
    """Return the law of the direction of sum y_i x_i, with noise where it is private."""
    slope = math.tan(math.pi * setting.alpha)

    def one(d: int, part: Setting) -> Estimate:
        n = law.dimension(d)

        def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
            noise = _coordinate(n, trials, rng), _coordinate(n - 1, trials, rng)
            return *noise, *_sums(n, m, trials, int(rng.integers(1 << 62)))

        def conditional(d: int, epsilon: float, *at: NDArray[Any]) -> NDArray[np.float64]:
            del d
            along, aside, first, rest = at
            if not private:
                return np.asarray(rest <= slope * first, dtype=np.float64)
            low, high = _accurate(along, aside, first, rest, slope)
            ends = np.minimum(0.5 * epsilon * np.stack([low, high]), 1e300)
            return np.asarray(np.maximum(np.subtract(*special.gammainc(n, ends)[::-1]), 0.0))

        return rao_blackwell(part, draw, conditional)

    return by_d(setting, one)


def _coordinate(n: int, size: int | tuple[int, int], rng: np.random.Generator) -> NDArray[Any]:
    """Return a coordinate of uniform points of S^{n-1}."""
    drawn = rng.standard_normal(size)
    if n == 1:
        return np.sign(drawn)
    return np.asarray(
        drawn / np.sqrt(drawn * drawn + 2.0 * rng.standard_gamma(0.5 * (n - 1), size))
    )


class _Walk:
    """Sums of more and more examples: the first coordinate, and the length of the rest."""

    def __init__(self, n: int, trials: int, tag: int) -> None:
        """Begin with no examples."""
        self._n, self._trials, self._lock = n, trials, threading.Lock()
        self._streams = [np.random.default_rng([tag, part]) for part in range(2)]
        self._sums = [(np.zeros(trials), np.zeros(trials))]

    def upto(self, m: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return both sums of the first m examples."""
        with self._lock:
            while len(self._sums) <= m:
                self._extend()
            first, square = self._sums[m]
        return first, np.sqrt(square)

    def _extend(self) -> None:
        # Always as many at once: what is drawn does not depend on who asked first.
        size = (_AT_ONCE, self._trials)
        along, turn = (
            _coordinate(self._n - part, size, rng) for part, rng in enumerate(self._streams)
        )
        aside = 1.0 - along * along
        first, square = self._sums[-1]
        for row in range(_AT_ONCE):
            step = aside[row] + 2.0 * np.sqrt(square * aside[row]) * turn[row]
            first, square = first + abs(along[row]), np.maximum(square + step, 0.0)
            self._sums.append((first, square))


@lru_cache(maxsize=24)
def _walk(n: int, trials: int, tag: int) -> _Walk:
    return _Walk(n, trials, tag)


def _sums(n: int, m: int, trials: int, tag: int) -> tuple[NDArray[np.float64], ...]:
    """Return the first coordinate of the sum of m examples, and the length of the rest."""
    if m <= STEPS_MOST:
        return _walk(n, trials, tag).upto(m)
    rng = np.random.default_rng(tag)
    log_mean = special.gammaln(0.5 * n) - special.gammaln(0.5 * n + 0.5)
    mean = math.exp(log_mean) / math.sqrt(math.pi)
    spread = math.sqrt(max(m * (1.0 / n - mean * mean), 0.0))
    first = m * mean + spread * rng.standard_normal(trials)
    return first, np.sqrt(m / n * 2.0 * rng.standard_gamma(0.5 * (n - 1), trials))


def _accurate(
    along: NDArray[np.float64], aside: NDArray[np.float64], first: NDArray[np.float64],
    rest: NDArray[np.float64], slope: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # fmt: skip
    """Return between which lengths of the noise the output lies in the cone around e_1.

    The noise's direction has the first coordinate `along`; `aside` is the cosine between the rest of
    it and that of the sum. A cone is convex: the lengths form an interval, whose ends solve
    a g^2 + 2 b g + c = 0.
    """
    across, steep = np.sqrt(np.maximum(1.0 - along * along, 0.0)), slope * slope
    a = steep * along * along - across * across
    b = steep * first * along - rest * across * aside
    c = steep * first * first - rest * rest
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    # By the larger of the two sums: without cancellation.
    q = -(b + np.where(b >= 0.0, root, -root))
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.sort(np.stack([q / a, c / q]), axis=0)
    low, high = np.nan_to_num(ends, nan=0.0, posinf=np.inf, neginf=-np.inf)
    within = a > 0.0
    middle = first - b / np.where(a == 0.0, 1.0, a) * along
    hit = within | ((b * b > a * c) & (middle >= 0.0))
    start = np.where(within, np.where(along > 0.0, high, -np.inf), low)
    stop = np.where(within, np.where(along > 0.0, np.inf, low), high)
    start, stop = np.maximum(start, 0.0), np.where(hit, stop, 0.0)
    return start, np.maximum(stop, start)


# --- The net of the ordinary sphere -------------------------------------------------------------


@dataclass(eq=False)
class _Counted:
    """The mistakes of the net on growing parts of the same samples."""

    tag: int
    trials: int
    size: int = 0
    mistakes: NDArray[np.int32] = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Begin with no examples."""
        self.mistakes = np.zeros((self.trials, NET), dtype=np.int32)

    def upto(self, m: int) -> NDArray[np.int32]:
        """Return the mistakes on the first m examples."""
        with self._lock:
            return self._upto(m).copy()

    def _upto(self, m: int) -> NDArray[np.int32]:
        if m < self.size:
            self.size = 0
            self.mistakes = np.zeros((self.trials, NET), dtype=np.int32)
        net = fibonacci(NET).T.astype(np.float32)
        for row in range(self.trials if m > self.size else 0):
            drawn = np.random.default_rng([self.tag, row]).standard_normal((m, 3))[self.size :]
            drawn *= np.where(drawn[:, :1] < 0.0, -1.0, 1.0)
            self.mistakes[row] += (drawn.astype(np.float32) @ net < 0.0).sum(axis=0, dtype=np.int32)
        self.size = m
        return self.mistakes


@lru_cache(maxsize=24)
def _counted(tag: int, trials: int) -> _Counted:
    return _Counted(tag, trials)


def net_law(law: Directions, setting: Setting, rate: Callable[[float], float]) -> Estimate:
    """Return the law of the exponential mechanism over the net of the circle or the ordinary sphere."""
    given = _on_half_net if law.dimension(2) == 2 else _on_net
    return _of_samples(setting, rate, functools.partial(given, alpha=setting.alpha))


def _on_net(m: int, trials: int, tag: int, rate: float, alpha: float) -> NDArray[np.float64]:
    """Return success over the net of the ordinary sphere for every sample."""
    away = np.arccos(np.clip(fibonacci(NET)[:, 0], -1.0, 1.0)) / math.pi
    size = min(m, _COUNTED_MOST)
    counts = _counted(tag, trials).upto(size).astype(np.float64)
    if size < m:
        # A sum of so many has all the correlations of a larger one: only its scale changes.
        counts = m * away + math.sqrt(m / size) * (counts - size * away)
    return _chosen(counts, rate, away <= alpha)


def _chosen(
    mistakes: NDArray[np.float64], rate: float, good: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the chance of good normals of the exponential mechanism, row by row."""
    lost = mistakes - mistakes.min(axis=1, keepdims=True)
    weights = np.exp(-np.minimum(rate * lost, 700.0))
    return np.asarray(weights @ good / weights.sum(axis=1))


# Half turns between the target's normal and those clockwise of it; as many are on the other side.
_HALF_NET = (2.0 * np.arange(NET // 2) + 1.0) / NET
# Of a Poisson number x is off by more than sqrt(2 s x) + s with a chance of about e^-s.
_SURE = 32.0


def _on_half_net(m: int, trials: int, tag: int, rate: float, alpha: float) -> NDArray[np.float64]:
    """Return success over the net of the circle for every sample.

    As on the circle, where B counts the normals up to a mass; for very many points they are counted
    between neighbouring normals.
    """
    before = m / NET
    before += math.sqrt(2.0 * _SURE * before) + _SURE  # no more points before the first normal
    keep = min(m, math.ceil(before + (_NEGLIGIBLE + math.log(NET)) / rate) + 1)
    if m <= _POINTS_MOST and rate * keep < _STEEP:
        good = float(np.count_nonzero(alpha >= _HALF_NET))
        return _on_circle(m, trials, tag, rate, keep, (good, NET / 2), _normals)
    # So many points before a normal that it counts for nothing.
    beyond = (_NEGLIGIBLE + math.log(NET)) / rate
    beyond = (math.sqrt(0.5 * _SURE) + math.sqrt(0.5 * _SURE + beyond)) ** 2
    count = math.ceil(0.5 * NET * min(beyond / m, 1.0))
    nodes = edges = _HALF_NET
    if 4 * count <= NET:  # those of one side are not among the other's
        nodes = _HALF_NET[:count]
        edges = np.concatenate([nodes, 1.0 - nodes[::-1]])
    shares = np.diff(edges, prepend=0.0, append=1.0)
    drawn = np.random.default_rng(tag).multinomial(m, shares / shares.sum(), size=trials)
    passed = drawn.cumsum(axis=1)[:, :-1]
    sides = passed[:, : nodes.size], m - passed[:, ::-1][:, : nodes.size]
    counts = np.concatenate(sides, axis=1).astype(np.float64)
    return _chosen(counts, rate, np.tile(nodes <= alpha, 2))


def _normals(mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many normals of the net of the circle lie before a mass, on one side."""
    return np.rint(0.5 * NET * mass)
