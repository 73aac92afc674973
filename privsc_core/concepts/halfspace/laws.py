"""Success laws that are averaged over simulated samples.

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

import math
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from privsc_core.concepts.halfspace.distributions import Directions, OnCircle
from privsc_core.concepts.halfspace.sphere import fibonacci
from privsc_core.concepts.laws import by_d, rao_blackwell
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting

__all__ = ["NET", "STEPS_MOST", "averaging_law", "circle_law", "net_law", "of_directions"]

# By how much what is left out may change a weight: e^-23.
_NEGLIGIBLE = 23.0
_NUMBERS = 1 << 21
# Beyond so many examples their sum is taken for Gaussian.
STEPS_MOST = 300
_AT_ONCE = 32
# Of the ordinary sphere.
NET = 2000
_COUNTED_MOST = 2000


def of_directions(distribution: Distribution, setting: Setting, laws: Iterable[str]) -> Directions:
    """Return the distribution, or refuse one on which there is no law, and what it refuses."""
    if not isinstance(distribution, Directions) or distribution.name not in laws:
        raise InputError("distribution", f"must be one of {', '.join(laws)}", distribution.name)
    for d in {int(setting.d.min()), int(setting.d.max())}:
        distribution.check(d=d, alpha=setting.alpha)
    return distribution


def circle_law(law: Directions, setting: Setting, rate: Callable[[float], float]) -> Estimate:
    """Return the law of who weighs the angles of the circle by e^{-rate * mistakes}."""
    part = law.part if isinstance(law, OnCircle) else 1.0

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        return np.array(rng.integers(1 << 62)), np.array(m), np.array(trials)

    def conditional(
        d: int, epsilon: float, tag: NDArray[Any], m: NDArray[Any], trials: NDArray[Any]
    ) -> NDArray[np.float64]:
        del d
        return _on_circle(int(m), int(trials), int(tag), rate(epsilon), part, setting.alpha)

    return rao_blackwell(setting, draw, conditional)


def _on_circle(
    m: int, trials: int, tag: int, rate: float, part: float, alpha: float
) -> NDArray[np.float64]:
    span = _NEGLIGIBLE - math.log(part * alpha)
    keep = int(min(m, math.ceil(span / rate) + 1)) if rate > 0.0 else m
    step = max(1, min(trials, _NUMBERS // keep))
    found = np.empty(trials)
    for start in range(0, trials, step):
        columns = min(step, trials - start)
        sides = _nearest(m, keep, columns, [tag, start])
        cuts = _angles(np.array([alpha, 1.0]), part)
        good, every = (sum(_weights(_angles(u, part), m, c, rate) for u in sides) for c in cuts)
        found[start : start + columns] = good / every
    return found


def _nearest(m: int, keep: int, columns: int, seed: list[int]) -> list[NDArray[np.float64]]:
    """Return the `keep` of m uniform points that are nearest to 0, and those nearest to 1, from there.

    Gaps are exponential variables; what is drawn first is the same for every m.
    """
    one, two, rest = (np.random.default_rng([*seed, part]) for part in range(3))
    if m + 1 <= 2 * keep:
        half = (m + 2) // 2
        gaps = one.standard_exponential((half, columns))
        more = two.standard_exponential((m + 1 - half, columns))
        gaps = np.concatenate([gaps, more[::-1]])
        sums = gaps.cumsum(axis=0)
        back = gaps[::-1].cumsum(axis=0)
        return [sums[:keep] / sums[-1], back[:keep] / back[-1]]
    sides = [rng.standard_exponential((keep, columns)).cumsum(axis=0) for rng in (one, two)]
    total = sides[0][-1] + sides[1][-1] + rest.standard_gamma(m + 1.0 - 2 * keep, size=columns)
    return [side / total for side in sides]


def _angles(mass: NDArray[np.float64], part: float) -> NDArray[np.float64]:
    """Return B: which share of the half turn has so much mass, from the boundary on."""
    return np.where(mass <= 0.5, part * mass, 1.0 - part * (1.0 - mass))


def _weights(places: NDArray[np.float64], m: int, cut: float, rate: float) -> NDArray[np.float64]:
    """Return the integral of e^{-rate * points passed} up to an angle, for every column."""
    keep = len(places)
    fall = np.exp(-rate * np.arange(keep)) * -math.expm1(-rate)
    last = math.exp(-rate * m) if keep == m else 0.0
    return np.asarray(fall @ np.minimum(places, cut) + last * cut)


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
        """Return both for the first m examples."""
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
    if law.dimension(2) == 2:
        away = np.concatenate([_HALF_NET, -_HALF_NET])
        mistakes = _on_half_net
    else:
        away = np.arccos(np.clip(fibonacci(NET)[:, 0], -1.0, 1.0)) / math.pi
        mistakes = _on_net
    good = abs(away) <= setting.alpha

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        return np.array(rng.integers(1 << 62)), np.array(m), np.array(trials)

    def conditional(
        d: int, epsilon: float, tag: NDArray[Any], m: NDArray[Any], trials: NDArray[Any]
    ) -> NDArray[np.float64]:
        del d
        counts = mistakes(int(m), int(trials), int(tag), away)
        lost = counts - counts.min(axis=1, keepdims=True)
        weights = np.exp(-np.minimum(rate(epsilon) * lost, 700.0))
        return np.asarray(weights @ good / weights.sum(axis=1))

    return rao_blackwell(setting, draw, conditional)


def _on_net(m: int, trials: int, tag: int, away: NDArray[np.float64]) -> NDArray[np.float64]:
    size = min(m, _COUNTED_MOST)
    counts = _counted(tag, trials).upto(size).astype(np.float64)
    if size < m:
        # A sum of so many has all the correlations of a larger one: only its scale changes.
        counts = m * away + math.sqrt(m / size) * (counts - size * away)
    return counts


# Half turns between the target's normal and those clockwise of it; as many are on the other side.
_HALF_NET = (2.0 * np.arange(NET // 2) + 1.0) / NET


def _on_half_net(m: int, trials: int, tag: int, away: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mistakes: clockwise the points that were passed, and the others anticlockwise."""
    del away
    shares = np.diff(_HALF_NET, prepend=0.0, append=1.0)
    rng = np.random.default_rng(tag)
    passed = rng.multinomial(m, shares / shares.sum(), size=trials).cumsum(axis=1)[:, :-1]
    return np.concatenate([passed, m - passed[:, ::-1]], axis=1).astype(np.float64)
