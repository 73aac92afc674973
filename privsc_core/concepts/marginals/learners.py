"""The mechanisms for marginals."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np
from scipy import special

from privsc_core import progress
from privsc_core.concepts.contracts import Cell, Learner, Source
from privsc_core.concepts.marginals.distributions import (
    RECORD_KEYS,
    Largest,
    Marginals,
    Table,
    answers,
    moments,
    pairs,
    symmetric,
)
from privsc_core.concepts.marginals.laws import (
    deviation,
    laplace_scale,
    log_within,
    turned,
    within_root,
)
from privsc_core.concepts.shared.laws import by_d, corrected, exact, exact_log, rao_blackwell
from privsc_core.concepts.shared.trace import Step
from privsc_core.concepts.shared.variants import WithSlack
from privsc_core.errors import InputError
from privsc_core.numerics.elliptope import Elliptope, nearest_correlation, where_distant

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import (
        Demand,
        Distribution,
        Estimate,
        Setting,
    )
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# --- What all mechanisms for marginals share: noise on every answer ------------------------------


@dataclass(frozen=True)
class Additive(Learner):
    """Add noise to every answer, and release what comes out."""

    proper = False
    efficient = True
    labelled = False
    symmetric = True
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    outputs = "releases"
    enumerated = (
        "Released answers, times m, are put into bins between whole numbers from -m to m. This does not hide any "
        "privacy loss."
    )
    record_keys = RECORD_KEYS
    of_scale: ClassVar[str]

    @abstractmethod
    def scale(
        self, n: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the scale of the noise on an answer."""

    @abstractmethod
    def below(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance that noise of scale 1 is at most x."""

    @abstractmethod
    def noise(self, number: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return draws of noise of scale 1."""

    @abstractmethod
    def on_root(self, distribution: Table, setting: Setting) -> Estimate:
        """Return the law of the root mean square of all errors."""

    @abstractmethod
    def on_largest(self, setting: Setting) -> Estimate:
        """Return the law of the largest of all errors."""

    def finish(
        self,
        noisy: NDArray[np.float64],
        recorder: Recorder | None,
    ) -> NDArray[np.float64]:
        """Return the matrix that is released: here the noisy one."""
        return noisy

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Release the noisy answers."""
        d, n = sample.d, sample.size
        true = moments(sample)
        scale = float(self.scale(np.array(n), np.array(d), np.array(at.epsilon)))
        noisy = symmetric(answers(true) + scale * self.noise(pairs(d), rng), d + 1, 1.0)
        if recorder is not None:
            many, most = pairs(d), int(turned(np.array(d)))
            recorder.step(
                "The answers",
                f"The means of {d:,} attributes and of all products of two, as signs: {many:,} answers. "
                f"Replacing one row changes at most {most:,} of them, by 2/m each.",
            )
            gap = answers(noisy - true)
            recorder.step(
                "The noise",
                f"Independent noise of scale {self.of_scale} = {scale:.4g} is added to every answer; here "
                f"its root mean square is {np.sqrt((gap * gap).mean()):.4g}, the largest {np.abs(gap).max():.4g}.",
            )
        found = Marginals(d, self.finish(noisy, recorder))
        if recorder is not None:
            recorder.output = Step("The release", f"Out comes: {found.description}.")
        return found

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the joint law of all answers times n, in bins between whole numbers."""
        n, d = sample.size, sample.d
        scale = n * float(self.scale(np.array(n), np.array(d), np.array(at.epsilon)))
        cuts = np.arange(-n, n + 1, dtype=np.float64)
        cells = []
        for true in (n * answers(moments(sample))).tolist():
            below = self.below((cuts - true) / scale)
            above = self.below((true - cuts) / scale)
            # Of two ways to write a difference the one without cancellation.
            inner = np.where(cuts[:-1] < true, np.diff(below), -np.diff(above))
            cells.append([float(below[0]), *inner.tolist(), float(above[-1])])
        names = [-n - 1, *range(-n, n + 1)]
        return {
            bins: float(np.prod([chances[place] for chances, place in zip(cells, at, strict=True)]))
            for bins, at in zip(
                product(names, repeat=len(cells)),
                product(range(len(names)), repeat=len(cells)),
                strict=True,
            )
        }

    def output_name(self, output: Hashable) -> str:
        """Return the lower ends of the bins."""
        if not isinstance(output, tuple):
            return super().output_name(output)
        return "(" + ", ".join(str(place) for place in output) + ")"

    def initial_guess(self, _distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return with how many the noise of an answer is about alpha."""
        one = self.scale(np.ones_like(setting.d), setting.d, setting.epsilon)
        return np.asarray(one / setting.alpha)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law of the error that counts."""
        if not isinstance(distribution, Table) or distribution.name not in self.laws:
            raise InputError("distribution", f"must have a law for {self.name}", distribution.name)
        for d in np.unique(setting.d).tolist():
            distribution.check(d=d, alpha=setting.alpha)
        if isinstance(distribution, Largest):
            return self.on_largest(setting)
        return self.on_root(distribution, setting)


# --- Laplace noise on every answer ---------------------------------------------------------------


if TYPE_CHECKING:
    # Root mean squares of draws over the sums of their absolute values.
    _Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Laplace(Additive):
    """Noise of scale 2 floor(D^2/4) / (m eps) on every answer, D = d + 1."""

    name = "laplace"
    title = "Laplace noise"
    source = Source("V17", "Theorem 2.1 with the exact sensitivity, ours")
    summary = (
        "Adds Laplace noise to every answer. Its scale is proportional to the number of answers "
        "that one row can change (the ℓ₁ sensitivity)."
    )
    privacy = "pure"
    laws = {
        "clusters": "rao-blackwell", "chain": "rao-blackwell", "uniform": "rao-blackwell",
        "copies": "rao-blackwell", "largest": "exact",
    }  # fmt: skip
    slow = ("clusters", "chain", "uniform", "copies")
    guess_within = dict.fromkeys(slow, 2.0)
    of_scale = "2⌊D²/4⌋/(mε)"

    def scale(
        self, n: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return b."""
        return laplace_scale(n, d, epsilon)

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return with how many the root mean square of the noise is about alpha."""
        # The square of a draw has twice the mean of 1, and deviates by root 5 times its mean.
        many = np.array([pairs(d) for d in setting.d.ravel().tolist()]).reshape(setting.d.shape)
        square = 2.0 * np.maximum(1.0 - special.ndtri(setting.beta) * np.sqrt(5.0 / many), 0.1)
        return np.asarray(np.sqrt(square) * super().initial_guess(distribution, setting))

    def below(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance that noise of scale 1 is at most x."""
        tail = 0.5 * np.exp(-np.abs(x))
        return np.where(x < 0.0, tail, 1.0 - tail)

    def noise(self, number: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return draws of noise of scale 1."""
        return rng.laplace(size=number)

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Release the sums of all products with noise, as means."""
        d, m = sample.d, sample.size
        sums = np.rint(m * answers(moments(sample))).astype(np.int64)
        noisy = noise.laplace(sums.tolist(), sensitivity=2 * int(turned(np.array(d))))
        return Marginals(d, symmetric(np.array(noisy) / m, d + 1, 1.0))

    def on_largest(self, setting: Setting) -> Estimate:
        """Return (1 - e^{-alpha / b})^P."""
        outside = -setting.alpha / self.scale(setting.m, setting.d, setting.epsilon)
        return exact_log(log_within(setting.d, outside), setting)

    def on_root(self, distribution: Table, setting: Setting) -> Estimate:
        """Return the law by the size of the noise, which is independent of its direction.

        The sum of the absolute values of P draws is Gamma(P); what they are as shares of it is
        simulated, and the size is integrated out.
        """

        def law(d: int, part: Setting) -> Estimate:
            many = pairs(d)

            def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[int, _Shares]:
                return m, _shares(many, trials, *rng.bit_generator.seed_seq.entropy)  # type: ignore[attr-defined]

            def conditional(bits: int, epsilon: float, m: int, shares: _Shares) -> _Shares:
                scale = laplace_scale(np.array(m), np.array(bits), np.array(epsilon))
                return np.asarray(special.gammainc(many, part.alpha / (scale * shares)))

            return rao_blackwell(part, draw, conditional)

        return by_d(setting, law)


@lru_cache(maxsize=1024)
def _shares(many: int, trials: int, *stream: int) -> _Shares:
    """Return the shares of so many answers' noise; they do not depend on m, so a search draws once."""
    noise = np.random.default_rng(stream).standard_exponential((trials, many))
    found = np.asarray(np.sqrt((noise * noise).mean(axis=1)) / noise.sum(axis=1))
    found.setflags(write=False)
    return found


# --- Gaussian noise on every answer --------------------------------------------------------------


@dataclass(frozen=True)
class Gauss(WithSlack, Additive):
    """Noise of the least private standard deviation on every answer.

    Parameters
    ----------
    delta : float
        The privacy slack, in (0, 1/2).
    """

    delta: float = 1e-6

    name = "gauss"
    title = "Gaussian noise"
    source = Source(
        "V17", "Theorem 2.7, with the noise of Balle and Wang 2018 and the exact sensitivity, ours"
    )
    summary = (
        "Adds Gaussian noise to every answer. With δ > 0 the scale of the noise grows only like d, as the ℓ₂ "
        "sensitivity does."
    )
    privacy = "approximate"
    laws = {
        "clusters": "exact", "chain": "exact", "uniform": "exact", "copies": "exact",
        "largest": "exact",
    }  # fmt: skip
    caveat = (
        "(ε, δ)-private with δ > 0, so lower bounds for pure privacy do not apply to it. Where δ is set to 0, this "
        "mechanism uses its own default, 10⁻⁶."
    )
    of_scale = "(2/m)√⌊D²/4⌋ · s(ε, δ)"

    def at(self, delta: float) -> Self:
        """Return the mechanism for a privacy slack; at 0, which it cannot have, itself."""
        return super().at(delta) if delta > 0.0 else self

    def scale(
        self, n: NDArray[np.int64], d: NDArray[np.int64], epsilon: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return sigma."""
        return deviation(n, d, epsilon, self.delta)

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since for few answers a mean of more squares may fluctuate by less than the noise grows.
        """
        return (wanted != "d" or isinstance(distribution, Largest)) and super().eases(
            distribution, wanted
        )

    def below(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance that noise of scale 1 is at most x."""
        return np.asarray(special.ndtr(x))

    def noise(self, number: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return draws of noise of scale 1."""
        return rng.normal(size=number)

    def on_largest(self, setting: Setting) -> Estimate:
        """Return erf(alpha / (sigma sqrt 2))^P."""
        at = self.at(setting.delta)
        ratio = setting.alpha / at.scale(setting.m, setting.d, setting.epsilon)
        outside = math.log(2.0) + special.log_ndtr(-np.minimum(ratio, 1e150))
        return exact_log(log_within(setting.d, outside), setting)

    def on_root(self, distribution: Table, setting: Setting) -> Estimate:
        """Return Pr[chi^2_P <= P alpha^2 / sigma^2]: the same on every table."""
        at = self.at(setting.delta)
        ratio = setting.alpha / at.scale(setting.m, setting.d, setting.epsilon)
        return exact(*_placed(within_root(setting.d, ratio), setting))


def _placed(
    both: tuple[NDArray[np.float64], NDArray[np.float64]], setting: Setting
) -> tuple[NDArray[np.float64], Setting, NDArray[np.float64]]:
    return both[0], setting, both[1]


# --- How large noise may be, in a direction, for a projection to come out at most alpha off ------


# From here on, times alpha, no noise in this direction is too large: what is nearest hardly moves.
_FAR = math.log(1e3)
_CLOSE = 1e-6
# Directions that tell all others where to begin, and those of them by which it begins.
_GUIDES, _FIRST = 16, 2
# From so many attributes on the radius is found in 6/d of the directions, and foretold in the others.
_FORETOLD, _FOUND = 40, 6
# Unless a regression explains so much of their variance: then a few radii are all that is drawn.
_TOLD = 0.5
# From so many times alpha on a radius takes fifteen decompositions or more, and fewer are found.
_DISTANT, _FEWER = 8.0, 3
_GUIDES_SEED = 11
_ENTRIES = 1 << 16  # of matrices that go together
_ROWS = 4  # features of a row, see `_of_rows`
_CONSTANT = 1e-9
_STEPS_MOST = 60


@lru_cache(maxsize=256)
def critical_radii(
    table: Table, d: int, alpha: float, trials: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how large the noise may be in random directions: of the first few, and about that of all.

    Parameters
    ----------
    table : Table
        Where the true answers are.
    d : int
        Attributes.
    alpha : float
        What the root mean square of the errors may be after the projection.
    trials, seed : int
        How many directions, and which.

    Returns
    -------
    radii : ndarray, shape (few,)
        Root mean squares of the noise; infinite where none is too large. They are at least alpha.
    foretold : ndarray, shape (trials,) or (few,)
        Numbers near them; the radii themselves of few attributes, and where they cannot be foretold.

    Notes
    -----
    For a point x of a convex set and a direction w, the distance of x to the projection of x + t w
    never falls with t (Toint 1988): there is one such size. It is found by Newton's method from where other
    directions tell to begin, and by the secant method where that does not settle.
    """
    rng = np.random.default_rng(seed)
    true, guide = table.moments(d), _guide(table, d, alpha)
    few = trials if d < _FORETOLD else max(1, trials * _FOUND // d // guide.fewer)
    last = trials if guide.told else few
    found, foretold = np.empty(few), np.empty(last)
    part = max(1, _ENTRIES // (d + 1) ** 2)
    for start in progress.steps(range(0, last, part)):
        directions = _drawn(min(part, last - start), d, rng)
        sizes = foretold[start : start + part]
        sizes[:] = guide.sizes(true, directions)
        here = found[start : start + part]
        if not here.size:
            continue
        first = directions[: here.size]
        here[:] = _found(true, first, alpha, sizes[: here.size], guide.begin(true, first))[0]
        if (open_ := np.flatnonzero(np.isnan(here))).size:
            here[open_] = _radii(true, first[open_], alpha, guide.size)
    if few == last:
        foretold = found
    found.setflags(write=False)
    foretold.setflags(write=False)
    return found, foretold


def _found(
    true: NDArray[np.float64],
    directions: NDArray[np.float64],
    alpha: float,
    sizes: float | NDArray[np.float64],
    shifts: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return radii, NaN where they are not found from this beginning, and shifts there."""
    return where_distant(true, directions, alpha, alpha * math.exp(_FAR), sizes, shifts)


class _Guide(NamedTuple):
    """What is foretold of a radius by its direction: fitted to those of a few directions.

    Attributes
    ----------
    size : float
        A radius in the middle.
    shifts : ndarray, shape (d + 1,)
        The mean shifts of a projection there.
    slopes : ndarray, shape (features,)
        How shifts follow the features of their rows.
    means, spreads, logs : ndarray, shape (sums,)
        Means and standard deviations of the features of directions, and how the log of a radius follows them.
    told : bool
        Whether radii can be foretold.
    fewer : int
        Radii are found in one of so many of the directions where they would be otherwise.
    """

    size: float
    shifts: NDArray[np.float64]
    slopes: NDArray[np.float64]
    means: NDArray[np.float64]
    spreads: NDArray[np.float64]
    logs: NDArray[np.float64]
    told: bool
    fewer: int = 1

    def begin(
        self, true: NDArray[np.float64], directions: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return about the shifts where directions have their radii."""
        return self.shifts + _of_rows(true, directions) @ self.slopes

    def sizes(
        self, true: NDArray[np.float64], directions: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return about the radii of directions."""
        features = (_of_directions(true, directions) - self.means) / self.spreads
        return np.asarray(self.size * np.exp(features @ self.logs))


@lru_cache(maxsize=64)
def _guide(table: Table, d: int, alpha: float) -> _Guide:
    """Return what is foretold, by directions of their own: so that no radius depends on what was asked before."""
    true = table.moments(d)
    directions = _drawn(_GUIDES, d, np.random.default_rng(_GUIDES_SEED))
    first, ends = _found(true, directions[:_FIRST], alpha, alpha, np.zeros(d + 1))
    size = float(np.median(np.where(np.isfinite(first), first, alpha)))
    none = np.zeros(_of_directions(true, directions[:1]).shape[1])
    # The way from no shifts and the least size is short: each step leads far along it.
    untold = _Guide(
        alpha, np.zeros(d + 1), np.zeros(_ROWS), none, none + 1.0, none, told=False, fewer=_FEWER
    )
    if d >= _FORETOLD and not (first < _DISTANT * alpha).all():
        return untold
    radii, ends = _found(true, directions, alpha, size, ends.mean(axis=0))
    told = np.isfinite(radii)
    if told.sum() < 2:
        return untold
    sums = _of_directions(true, directions[told])
    middle, logs = ends[told].mean(axis=0), np.log(radii[told])
    rows = _of_rows(true, directions[told])
    slopes = np.asarray(np.linalg.lstsq(rows.reshape(-1, _ROWS), (ends[told] - middle).ravel())[0])
    means, spreads = sums.mean(axis=0), sums.std(axis=0)
    # What is constant on a table but for rounding tells nothing.
    spreads = np.where(spreads > _CONSTANT * np.abs(means), spreads, math.inf)
    features, off = (sums - means) / spreads, logs - logs.mean()
    # The ridge is about as strong as one more direction: there are few of them for so many features.
    fit = np.linalg.solve(features.T @ features + np.eye(means.size), features.T)
    # Of each direction what the others do not tell.
    left = (off - features @ (fit @ off)) / (1.0 - np.vecdot(features, fit.T))
    well = d < _FORETOLD or bool(told.all() and left.var() <= (1.0 - _TOLD) * off.var())
    return _Guide(math.exp(logs.mean()), middle, slopes, means, spreads, fit @ off, told=well)


def _of_rows(true: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what tells most of where projections end: diagonals of W C, W W - D I, W W W, W W C.

    Shape (directions, d + 1, 4), for the true answers C and the directions W.
    """
    squares = directions @ directions
    return np.stack([
        (directions * true).sum(axis=2), (directions**2).sum(axis=2) - (len(true) - 1.0),
        (squares * directions).sum(axis=2), (squares * true).sum(axis=2) - (len(true) - 1.0),
    ], axis=-1)  # fmt: skip


def _of_directions(
    true: NDArray[np.float64], directions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what tells most of how large radii are, shape (directions, sums).

    Traces of W C, W CC, WW C, WW CC and WWW, for the true answers C and the directions W.
    """
    ways = directions.astype(
        np.float32
    )  # what is foretold is corrected: single precision is enough
    first, second = (each.reshape(-1, true.size) for each in (ways, ways @ ways))
    powers = np.stack([true, true @ true], dtype=np.float32).reshape(2, -1).T
    third = np.vecdot(first, second)[:, None]
    return np.concatenate([first @ powers, second @ powers, third], axis=1, dtype=np.float64)


def _drawn(count: int, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return random directions, as symmetric matrices of root mean square 1 off the diagonal."""
    noise = rng.standard_normal((count, pairs(d)))
    values = np.zeros((count, pairs(d) + 1))
    np.divide(noise, np.sqrt(np.vecdot(noise, noise) / pairs(d))[:, None], out=values[:, 1:])
    return values[:, _places(d)]


@lru_cache(maxsize=64)
def _places(d: int) -> NDArray[np.intp]:
    """Return where the entries of a symmetric matrix stand among the answers, from 1 on; 0 for its diagonal."""
    return symmetric(np.arange(1.0, pairs(d) + 1.0), d + 1, 0.0).astype(np.intp)


def _radii(
    true: NDArray[np.float64], directions: NDArray[np.float64], alpha: float, near: float
) -> NDArray[np.float64]:
    """Return the radii; `near` is a first guess.

    By the Illinois method in logarithms, every direction by itself and all of them at once.
    """
    count, size = len(directions), len(true)
    upper = np.triu_indices(size, 1)
    elliptope = Elliptope(count)

    def over(which: NDArray[np.intp], logs: NDArray[np.float64]) -> NDArray[np.float64]:
        sizes = np.exp(logs)
        noisy = true + sizes[:, None, None] * directions[which]
        gap = (elliptope(noisy, which, sizes) - true)[:, upper[0], upper[1]]
        error = np.sqrt((gap * gap).mean(axis=1))
        return np.asarray(np.log(np.maximum(error / alpha, math.exp(-_FAR))))

    least, most = math.log(alpha), math.log(alpha) + _FAR
    ends, values = np.full((2, count), math.log(near)), np.zeros((2, count))  # below and above
    values[:] = over(np.arange(count), ends[0])
    # Somewhat further than where a line of the usual slope ends, until it lies between two ends.
    steps = np.maximum(1.5 * np.abs(values[0]), 1e-3)
    found = np.full(count, math.nan)
    open_above, open_below = values[0] <= 0.0, values[0] > 0.0
    while (going := np.flatnonzero(open_above | open_below)).size:
        up = open_above[going]
        found[going[up & (ends[1, going] >= most)]] = math.inf
        found[going[~up & (ends[0, going] <= least)]] = least  # up to rounding: nothing was cut off
        going = going[np.isnan(found[going])]
        open_above &= np.isnan(found)
        open_below &= np.isnan(found)
        if not going.size:
            break
        side = np.where(open_above[going], 1, 0)
        ends[1 - side, going], values[1 - side, going] = ends[side, going], values[side, going]
        ends[side, going] = np.clip(
            ends[side, going] + np.where(side == 1, steps[going], -steps[going]), least, most
        )
        values[side, going] = over(going, ends[side, going])
        steps[going] *= 2.0
        open_above &= values[1] <= 0.0
        open_below &= values[0] > 0.0
    between = np.flatnonzero(np.isnan(found))
    last = np.zeros(count, dtype=np.int64)
    for _ in range(_STEPS_MOST):
        if not between.size:
            break
        (low, high), (at_low, at_high) = ends[:, between], values[:, between]
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        value = over(between, middle)
        found[between] = middle
        side = np.where(value > 0.0, 1, 0)
        ends[side, between], values[side, between] = middle, value
        again = side == np.where(last[between] > 0, 1, np.where(last[between] < 0, 0, -1))
        values[1 - side, between] = np.where(
            again, values[1 - side, between] / 2.0, values[1 - side, between]
        )
        last[between] = 2 * side - 1
        done = (np.abs(value) <= _CLOSE) | (ends[1, between] - ends[0, between] <= _CLOSE)
        between = between[~done]
    return np.asarray(np.exp(found))


# --- Gaussian noise, and then the nearest answers that are possible ------------------------------


# What is missing to 1 is lost in rounding.
_SURE = 1.0 - 1e-13


@dataclass(frozen=True)
class Projected(Gauss):
    """`gauss`, and then the nearest correlation matrix.

    Notes
    -----
    The second moments of signs are a mean of matrices x x^T: symmetric, positive semidefinite, with
    ones on the diagonal. These form a convex set, the elliptope. Going to its nearest point looks at
    the noisy answers alone, so privacy is kept, and brings them no further from any point of it.
    """

    name = "projected"
    title = "Gauss, projected"
    source = Source("V17", "Theorem 7.7, with the elliptope in place of the set L; the law is ours")
    summary = (
        "Adds Gaussian noise to every answer and then takes the nearest correlation matrix, "
        "because the true answers form one."
    )
    laws = dict.fromkeys(("clusters", "chain", "uniform", "copies"), "rao-blackwell")
    # What is nearest among all matrices of tables may be much nearer than noise alone.
    guess_within = dict.fromkeys(laws, 8.0)
    slow = tuple(laws)
    light_to = 24.0

    def audited(self) -> Learner:
        """Return the noise alone: what is done to its output costs no privacy."""
        return Gauss(self.delta)

    def finish(self, noisy: NDArray[np.float64], recorder: Recorder | None) -> NDArray[np.float64]:
        """Return the nearest correlation matrix."""
        found = nearest_correlation(noisy)
        if recorder is not None:
            before = np.linalg.eigvalsh(noisy)
            gap = (found - noisy)[np.triu_indices(len(noisy), 1)]
            recorder.step(
                "The projection",
                f"{int((before < 0.0).sum()):,} of {len(noisy):,} eigenvalues of the noisy matrix are negative, down "
                f"to {before[0]:.4g}: no table has such answers. The nearest matrix without negative eigenvalues, "
                f"and with 1 on the diagonal, changes the answers by {np.sqrt((gap * gap).mean()):.4g} (root mean "
                "square).",
            )
        return found

    def on_root(self, distribution: Table, setting: Setting) -> Estimate:
        """Return the law by the size of the noise, which is independent of its direction.

        In a direction the error grows with the size, so that there is one up to which it is at most
        alpha. Directions are simulated, the size, sigma chi_P, is integrated out. Of many attributes that
        radius is found in 6/d of the directions and foretold by a regression in the others, whose mean is
        corrected by these.
        """
        at = self.at(setting.delta)

        def law(d: int, part: Setting) -> Estimate:
            def draw(n: int, trials: int, rng: np.random.Generator) -> tuple[int, int, int]:
                return n, trials, int(rng.integers(1 << 62))

            def conditional(
                bits: int, epsilon: float, n: int, trials: int, seed: int
            ) -> NDArray[np.float64]:
                size = at.scale(np.array(n), np.array(bits), np.array(epsilon))
                # Noise alone may be small enough, whatever its direction.
                alone = within_root(np.array(d), part.alpha / size)[0]
                if alone >= _SURE:
                    return np.full(trials, alone)
                radii, foretold = critical_radii(distribution, d, part.alpha, trials, seed)
                right, rough = (
                    within_root(np.full(each.size, d), each / size)[0] for each in (radii, foretold)
                )
                return corrected(rough, right)

            return rao_blackwell(part, draw, conditional)

        return by_d(setting, law)
