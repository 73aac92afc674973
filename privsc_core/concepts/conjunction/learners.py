"""The learners of conjunctions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from scipy import special

from privsc_core.concepts.conjunction.distributions import Conjunction, Spikes
from privsc_core.concepts.conjunction.laws import BITS_MOST, Product, mechanism_law, product_law
from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.contracts.settings import sure
from privsc_core.concepts.shared.choosing import Fit, Fitting
from privsc_core.concepts.shared.cube import OverAll
from privsc_core.concepts.shared.laws import exact
from privsc_core.concepts.shared.shattered_law import shattered_law
from privsc_core.concepts.shared.trace import Noised
from privsc_core.concepts.shared.variants import WithSlack
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import smooth_expectation
from privsc_core.numerics.logspace import each
from privsc_core.numerics.sums import add_supersets
from privsc_core.numerics.tails import gaussian_parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution, Privacy
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# --- The non-private learner ---------------------------------------------------------------------


@dataclass(frozen=True)
class Erm(Fitting):
    """Keep every literal that no positive example contradicts."""

    source = Source(
        "ours",
        "the elimination of literals, a textbook algorithm",
        "Valiant 1984, the same learner",
    )
    summary = (
        "Keeps every literal that no positive example contradicts. This is the longest "
        "conjunction that all positive examples satisfy."
    )
    derivation = (
        r"This learner protects no example. No literal of the target is ever removed, because all positive "
        r"examples satisfy it. So the answer labels an example 1 only if the target does, and it errs only on "
        r"positive examples in which a literal that is left, and is not the target's, is violated. The success "
        r"law is exact on the distributions named below: it counts which literals are left."
    )
    proper = True
    laws = {"spikes": "exact", "product": "exact"}
    record_keys = ("S",)

    def fit(self, sample: Sample) -> Fit:
        """Return the conjunction of all literals that are left."""
        found = _left(sample)
        return Fit(
            Conjunction(1 + found, sample.d),
            "The literals that are left",
            f"{int(sample.labels.sum()):,} of {sample.size:,} examples are positive. A bit that is 0 in a positive "
            f"example cannot be a literal of the target: {found.bit_count():,} of {sample.d:,} bits are left, and "
            "all of them are kept.",
            lambda: (1 + found, range(1, sample.domain_size + 1)),
        )

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return where on spikes as many others are left on average as may be; else as others do."""
        if not isinstance(distribution, Spikes):
            return super().initial_guess(distribution, setting)
        wrong = np.floor(setting.alpha * setting.d / distribution.a) + 0.5
        left = np.maximum((1.0 - distribution.share) * setting.d / wrong, 1.0)
        shape = np.broadcast_shapes(setting.d.shape, setting.epsilon.shape)
        return np.broadcast_to(np.maximum(setting.d / distribution.a * np.log(left), 1.0), shape)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: a literal of the target is always kept, another one until it is told."""
        if isinstance(distribution, Product):
            shape = setting.shape
            one = [distribution.one(d) for d in np.broadcast_to(setting.d, shape).ravel().tolist()]
            return product_law(
                distribution, setting, lambda cell, positive: np.asarray(one[cell] ** positive),
                np.zeros(len(one)),
            )  # fmt: skip
        if not isinstance(distribution, Spikes):
            raise InputError("distribution", f"must have a law for {self.name}", distribution.name)
        return shattered_law(
            distribution,
            setting,
            lambda m: m,
            lambda k, *_: np.where(k == 0.0, 1.0, 0.0),
            distribution.relevant,
        )


def _left(sample: Sample) -> int:
    """Return the bits that are 1 in every positive example."""
    positive, _ = sample.tallies()
    left = sample.domain_size - 1
    for place in np.flatnonzero(positive).tolist():
        left &= sample.points[place] - 1
    return left


# --- The exponential mechanism over all 2^d conjunctions -----------------------------------------


@dataclass(frozen=True)
class Exponential(OverAll):
    """Pick S with probability proportional to exp(-eps * mistakes / 2).

    Notes
    -----
    c_S errs on every positive example but those of the points above S, and on the negative ones
    of these: sums over supersets, O(m + d 2^d).
    """

    name = "exponential"
    title = "Exponential mechanism"
    source = Source("V17", "Theorem 8.3; the law is ours")
    summary = (
        "Picks every conjunction with probability proportional to exp(-ε · mistakes / 2), and "
        "goes through all 2^d of them."
    )
    laws = {"spikes": "exact", "product": "rao-blackwell"}
    slow = ("product",)
    unmoved = {"spikes": {"share": "a literal too many costs as much as one too few"}}
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)
    record_keys = ("S",)
    what = "conjunctions"
    counting = (
        "a conjunction is named by its bits. One pass of sums over larger sets for every bit counts "
        "them for all"
    )

    def concept(self, number: int, d: int) -> Hypothesis:
        """Return a conjunction by its number."""
        return Conjunction(number, d)

    def count(self, sample: Sample) -> NDArray[np.int64]:
        """Return the number of mistakes of every conjunction, by S."""
        positive, negative = sample.tallies()
        found = np.zeros(sample.domain_size, dtype=np.int64)
        found[np.array(sample.points) - 1] = negative - positive
        add_supersets(found)
        return np.asarray(found + positive.sum())

    def most_d(self, distribution: Distribution) -> int:
        """Return the largest d at which the law is computed: on product it is by all conjunctions."""
        return BITS_MOST if isinstance(distribution, Product) else distribution.most_d

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact on spikes, where literals are chosen apart; else over drawn samples."""
        if isinstance(distribution, Product):
            return mechanism_law(distribution, setting, self.score_rate)
        if not isinstance(distribution, Spikes):
            raise InputError("distribution", f"must have a law for {self.name}", distribution.name)
        return self.on_spikes(distribution, setting)


# --- A private learner by statistical queries: how often a bit is 0 in a positive example --------


_NAMED = 24  # bits whose counts are shown
# Examples per bit, in scales of the noise, and how many times as large each is as the one before.
_FINER = 1.15
_PER_NOISE = np.asarray(0.01 * _FINER ** np.arange(116.0))


@dataclass(frozen=True)
class SqLaplace(Learner):
    """Count for every bit the positive examples where it is 0; keep it if the noisy count is low.

    Notes
    -----
    One example moves each of the d counts by at most 1, and all of them where it is positive and
    all its bits are 0: the noise is Lap(d / eps). A bit is kept iff the noisy count is at most
    theta = alpha m / (2d), which is public.
    """

    name = "sq-laplace"
    title = "Noisy statistical queries"
    source = Source("ours", "after KLNRS11: statistical queries with Laplace noise")
    summary = (
        "For every bit, counts the positive examples in which it is 0, and adds Laplace noise of scale d/ε to each "
        "count. It keeps the bits whose noisy count is at most θ = αm/(2d). Fast."
    )
    derivation = (
        r"One example changes each of the $d$ counts by at most 1. All counts together move by at most $d$ in "
        r"absolute value, so noise $\mathrm{Lap}(d/\varepsilon)$ on each is $\varepsilon$-DP. The threshold "
        r"$\theta = \alpha m/(2d)$ is public, and the conjunction is computed from the noisy counts alone. "
        r"$\square$"
    )
    privacy: ClassVar[Privacy] = "pure"
    proper = True
    efficient = True
    laws = {"spikes": "exact", "product": "exact"}
    reads = ("alpha",)
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    symmetric = True
    record_keys = ("S",)
    of_scale: ClassVar[str] = "d/ε"

    def scale(self, d: NDArray[np.int64], epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return b, the scale of the noise."""
        return np.asarray(d / epsilon)

    def threshold(
        self, m: NDArray[np.int64], d: NDArray[np.int64], alpha: float
    ) -> NDArray[np.float64]:
        """Return theta, up to which a noisy count keeps its bit."""
        return np.asarray(alpha * m / (2 * d))

    def below(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance that noise of scale 1 is at most x."""
        tail = 0.5 * np.exp(-np.abs(x))
        return np.where(x < 0.0, tail, 1.0 - tail)

    def noise(self, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return d draws of noise of scale 1."""
        return rng.laplace(size=d)

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Return the conjunction of the bits whose noisy count is low."""
        d, counts = sample.d, _contradictions(sample)
        threshold = self._public(sample, at.alpha)
        scale = float(self.scale(np.array(d), np.array(at.epsilon)))
        noisy = counts + scale * self.noise(d, rng)
        if recorder is not None:
            shown = min(d, _NAMED)
            words = (
                f"For every bit the positive examples in which it is 0 are counted; noise of scale "
                f"{self.of_scale} = {scale:.4g} is added to each count. Bits whose noisy count is at most "
                f"θ = αm/(2d) = {threshold:.4g} are kept: {int((noisy <= threshold).sum()):,} of {d:,}."
            )
            recorder.step(
                "The noisy counts",
                words,
                Noised(
                    tuple(f"bit {1 + bit}" for bit in range(shown)),
                    tuple(counts[:shown].tolist()), tuple(noisy[:shown].tolist()), threshold,
                    what="bits" if shown == d else f"first {shown} bits",
                    passed="dropped", failed="kept",
                ),
            )  # fmt: skip
        return _kept(noisy <= threshold)

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Return the conjunction of the bits whose noisy count is low."""
        d = sample.d
        noisy = noise.laplace(_contradictions(sample).tolist(), sensitivity=d)
        return _kept(np.array(noisy) <= self._public(sample, at.alpha))

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every output, for tiny domains."""
        d = sample.d
        scale = self.scale(np.array(d), np.array(at.epsilon))
        kept = self.below(
            (self._public(sample, at.alpha) - _contradictions(sample)) / scale
        ).tolist()
        found: dict[Hashable, float] = {}
        for bits in product((0, 1), repeat=d):
            chances = [p if one else 1.0 - p for p, one in zip(kept, bits, strict=True)]
            number = sum(one << place for place, one in enumerate(bits))
            found[1 + number] = float(np.prod(chances))
        return found

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Return whether success never falls.

        It may, since the threshold follows m and the counts are whole.
        """
        return False

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return where noise makes of more bits what is wrong than may be about as rarely as beta; or of any literal."""
        odds = 1.0
        if isinstance(distribution, Spikes):
            return self._roughly_wrong(distribution, setting)
        if isinstance(distribution, Product):
            odds = distribution.literals / (2.0 * setting.beta)
        least = self.scale(setting.d, setting.epsilon) * 2.0 * setting.d / setting.alpha
        return least * max(math.log(odds), 0.1)

    def _roughly_wrong(self, distribution: Spikes, setting: Setting) -> NDArray[np.float64]:
        """Return where about so many bits are wrong as may be: their number is about normal."""
        a, alpha, d = distribution.a, setting.alpha, setting.d[..., None]
        scale = self.scale(d, setting.epsilon[..., None])
        literals = each(distribution.relevant, d) / d
        allowed = (each(lambda n: distribution.allowed(n, alpha), d) + 0.5) / d
        # A bit is told by a Poisson number of examples, which varies beside the noise.
        spread = np.sqrt(1.0 + a * _PER_NOISE / scale)
        dropped = self.below(-0.5 * alpha * _PER_NOISE)
        kept = self.below((0.5 * alpha - a) * _PER_NOISE / spread)
        mean = literals * dropped + (1.0 - literals) * kept
        variance = literals * dropped * (1.0 - dropped) + (1.0 - literals) * kept * (1.0 - kept)
        over = mean - special.ndtri(setting.beta) * np.sqrt(variance / d) - allowed
        at = np.clip((over > 0.0).sum(axis=-1, keepdims=True), 1, _PER_NOISE.size - 1)
        before, after = (np.take_along_axis(over, at - step, axis=-1) for step in (1, 0))
        share = np.clip(before / np.where(before > after, before - after, 1.0), 0.0, 1.0)
        found = (scale * d * _PER_NOISE[at - 1] * _FINER**share)[..., 0]
        return np.where(over[..., 0] > 0.0, found, 1.0)

    def monotone_at(self, distribution: Distribution, setting: Setting) -> NDArray[np.bool_]:
        """Return where noise hides that counts are whole: where h = 1/b is small enough.

        Notes
        -----
        On `spikes` where (1 - e^-h) / h >= alpha / (2a) (1 + a (e^h - 1)), as for all h <= 0.45. Let S(m, theta)
        be the success probability with m examples and any threshold, and follow (1 - s) S(m, theta(m + s)) +
        s S(m + 1, theta(m + s)) from s = 0 to 1. S is linear in the chance F(x), x = (theta - K_b) / b,
        that a bit b is kept that is no literal, with a factor -D_b that does not depend on it. One more
        example tells the bit with probability a/d, which adds D_b (F(x) - F(x - h)) a/d on average, at
        least D_b f(x) (1 - e^-h) a/d for the density f. A threshold that grows at the rate alpha/(2d) helps
        literals and takes D_b f(x) h alpha/(2d) from that bit, both at s = 0; with the other example,
        which tells some bit with probability at most a, D_b f(x) grows by a factor of at most e^h.

        On `product` one more example tells all D others with probability 1/2, each with probability q. Each is
        kept with chance c = E F(x), which falls by at least q (1 - e^-h) E f(x), and to no less than
        (1 - q (1 - e^-h)) c; 1 - c and E f(x) grow by a factor of at most 1 + v = 1 + q (e^h - 1). Success
        falls with c at the rate D Pr[Bin(D - 1, c) = B] where B may be too many, which between both chances
        is at least (1 - q (1 - e^-h))^B times that of c, and at the lower one at most (1 + v)^(D - 1) times.
        So it is enough that q (1 - e^-h) / h (1 - q (1 - e^-h))^B >= alpha/(2d) (1 + (1 + v)^D).
        """
        d, h = setting.d, 1.0 / self.scale(setting.d, setting.epsilon)
        # Beyond 700 the powers are no floats, and far beyond what is asked.
        up, down = np.expm1(np.minimum(h, 700.0)), -np.expm1(-h)
        if isinstance(distribution, Spikes):
            a = distribution.a
            found = down / h >= setting.alpha / (2.0 * a) * (1.0 + a * up)
        elif isinstance(distribution, Product):
            each, at = np.unique(d, return_inverse=True)
            rows = [
                (distribution.one(n), n - distribution.relevant(n), max(distribution.allowed(n, setting.alpha)))
                for n in each.tolist()
            ]  # fmt: skip
            one, others, most = np.array(rows).T[:, at.reshape(d.shape)]
            q = 1.0 - one
            grown = np.exp(np.minimum(others * np.log1p(q * up), 700.0))
            told = q * down / h * (1.0 - q * down) ** most
            found = (others == 0.0) | (told >= setting.alpha / (2.0 * d) * (1.0 + grown))
        else:
            return super().monotone_at(distribution, setting)
        return np.broadcast_to(found, setting.shape)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: a literal is dropped by noise alone, another bit is kept if told too rarely."""
        rate = self._rate(setting, setting.m)
        return self._law(distribution, setting, rate, rate, self._scale(setting))

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since a higher threshold, in scales of the noise, keeps more bits, of both kinds.
        """
        return wanted == "beta"

    def at_best(
        self, distribution: Distribution, wanted: Demand
    ) -> Callable[[Setting, Setting], Estimate] | None:
        """Return the law with the higher threshold for literals, the lower one for other bits, and the less noise."""
        if wanted == "beta":
            return None

        def most(hard: Setting, easy: Setting) -> Estimate:
            at = distribution.easiest(hard, easy)
            if at is None:
                return sure(easy)
            literals, others = (self._rate(end, end.m) for end in (easy, hard))
            return self._law(distribution, at, literals, others, self._scale(easy))

        return most

    def envelope(
        self, distribution: Distribution, first: Setting, last: Setting, *, upper: bool
    ) -> Estimate:
        """Return the law with the fewest examples and the worse end of each threshold, or the reverse.

        A higher threshold keeps more literals and more other bits; more examples drop more of these.
        """
        end, other = (last, first) if upper else (first, last)
        literals, others = (self._rate(end, m) for m in (end.m, other.m))
        return self._law(distribution, end, literals, others, self._scale(end))

    def _public(self, sample: Sample, alpha: float) -> float:
        """Return the threshold, for which a sample's size alone matters."""
        return float(self.threshold(np.array(sample.size), np.array(sample.d), alpha))

    def _scale(self, setting: Setting) -> NDArray[np.float64]:
        """Return the scale of the noise, at the privacy slack of the setting."""
        return self.at(setting.delta).scale(setting.d, setting.epsilon)

    def _rate(self, setting: Setting, m: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the threshold of m examples, in scales of the noise."""
        return self.threshold(m, setting.d, setting.alpha) / self._scale(setting)

    def _law(
        self,
        distribution: Distribution,
        setting: Setting,
        literals: NDArray[np.float64],
        others: NDArray[np.float64],
        scale: NDArray[np.float64],
    ) -> Estimate:
        """Return the law with one threshold for the literals, another for other bits, in scales of the noise."""
        if not isinstance(distribution, (Spikes, Product)):
            raise InputError("distribution", f"must have a law for {self.name}", distribution.name)
        shape = setting.shape
        told, untold, each = (
            np.broadcast_to(row, shape).ravel() for row in (literals, others, scale)
        )
        if isinstance(distribution, Product):
            bits = np.broadcast_to(setting.d, shape).ravel().tolist()

            def kept(cell: int, positive: NDArray[np.int64]) -> NDArray[np.float64]:
                return smooth_expectation(
                    positive, 1.0 - distribution.one(bits[cell]),
                    lambda k: self.below(untold[cell] - k / each[cell]),
                    log_tail=setting.log_tail,
                )  # fmt: skip

            return product_law(distribution, setting, kept, self.below(-told))
        return shattered_law(
            distribution,
            setting,
            lambda m: m,
            lambda k, _, cell: self.below(untold[cell] - k / each[cell]),
            distribution.relevant,
            self.below(-told),
        )


@dataclass(frozen=True)
class SqGauss(WithSlack, SqLaplace):
    """The same with Gaussian noise: all d counts together move by the root of d.

    Parameters
    ----------
    delta : float
        The privacy slack, in (0, 1/2).
    """

    delta: float = 1e-6

    name = "sq-gauss"
    title = "Noisy queries, Gauss"
    source = Source("ours", "statistical queries with the noise of Balle and Wang 2018")
    summary = (
        "For every bit, counts the positive examples in which it is 0, and adds Gaussian noise. With δ > 0 its scale "
        "need only grow with √d. Fast."
    )
    derivation = (
        r"One example changes each of the $d$ counts by at most 1, so the vector of counts moves by at most "
        r"$\sqrt d$ in the Euclidean norm. The scale of the noise is $\sqrt d\,s(\varepsilon, \delta)$, where "
        r"$s(\varepsilon, \delta)$ is the least standard deviation that is $(\varepsilon, \delta)$-private for "
        r"a number that moves by 1 (Balle and Wang 2018). The conjunction is computed from the noisy counts "
        r"alone. $\square$"
    )
    privacy = "approximate"
    caveat = (
        "(ε, δ)-private with δ > 0, so lower bounds for pure privacy do not apply to it. Where δ is set to 0, this "
        "learner uses its own default, 10⁻⁶."
    )
    of_scale = "√d · s(ε, δ)"

    def at(self, delta: float) -> Self:
        """Return the learner for a privacy slack; at 0, which it cannot have, itself."""
        return super().at(delta) if delta > 0.0 else self

    # The density of its noise falls too fast far out for what is said of the other one.
    monotone_at = Learner.monotone_at

    def envelope(
        self, distribution: Distribution, first: Setting, last: Setting, *, upper: bool
    ) -> Estimate:
        """Return the envelope; the plain bound from the first m on where that suffices."""
        if upper or not isinstance(distribution, Spikes):
            return super().envelope(distribution, first, last, upper=upper)
        lost = np.broadcast_to(self._lost_from(distribution, first), last.shape).copy()
        value, open_ = 1.0 - lost, lost > 0.5 * first.beta
        if open_.any():
            low, high = (
                replace(
                    s,
                    m=np.broadcast_to(s.m, last.shape)[open_],
                    d=np.broadcast_to(s.d, last.shape)[open_],
                    epsilon=np.broadcast_to(s.epsilon, last.shape)[open_],
                )
                for s in (first, last)
            )
            found = super().envelope(distribution, low, high, upper=False)
            value[open_], lost[open_] = found.value, found.failure
        return exact(value, last, lost)

    def _lost_from(self, distribution: Spikes, setting: Setting) -> NDArray[np.float64]:
        """Return more than the chance to fail with any m from the setting's on.

        Notes
        -----
        For every t >= 0 a bit that is no literal is kept with chance E F((theta - K) / b) at most
        exp(t^2 / 2 + t theta / b - m (a/d) (1 - e^(-t/b))), and as theta is alpha m / (2d) that never grows
        with m where alpha t / (2b) <= a (1 - e^(-t/b)), as for all t <= b log(2a / alpha). A literal is
        dropped with chance F(-theta / b). The counts K are negatively associated, so too is what is wrong,
        and of its sum Chernoff's bound holds (Dubhashi and Ranjan 1998).
        """
        a, alpha, m, d = distribution.a, setting.alpha, setting.m, setting.d
        b = self.at(setting.delta).scale(d, setting.epsilon)
        # About the best t.
        per_noise = special.lambertw(m / d * (a - 0.5 * alpha) / b**2, 0).real
        t = b * np.minimum(per_noise, math.log(2.0 * a / alpha))
        falls = 0.5 * alpha * t / b + a * np.expm1(-t / b)
        kept = np.exp(np.minimum(0.5 * t * t + m / d * falls, 0.0))
        literals, wrong = (
            each(of, d) / d
            for of in (distribution.relevant, lambda n: distribution.allowed(n, alpha) + 1)
        )
        mean = literals * self.below(-self.threshold(m, d, alpha) / b) + (1.0 - literals) * kept
        divergence = special.kl_div(wrong, mean) + special.kl_div(1.0 - wrong, 1.0 - mean)
        return np.where(wrong > mean, np.exp(-d * divergence), 1.0)

    def scale(self, d: NDArray[np.int64], epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least standard deviation that is private."""
        return np.sqrt(d) / each(lambda e: gaussian_parameter(e, self.delta), epsilon)

    def below(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance that noise of scale 1 is at most x."""
        return np.asarray(special.ndtr(x))

    def noise(self, d: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return d draws of noise of scale 1."""
        return rng.normal(size=d)

    # The library of noise has no Gaussian: what it inherits would draw the other noise.
    release = Learner.release


def _contradictions(sample: Sample) -> NDArray[np.int64]:
    """Return for every bit the number of positive examples where it is 0, shape (d,)."""
    positive, _ = sample.tallies()
    counts = np.zeros(sample.d, dtype=np.int64)
    size = (sample.d + 7) // 8
    for place in np.flatnonzero(positive).tolist():
        packed = np.frombuffer((sample.points[place] - 1).to_bytes(size, "little"), dtype=np.uint8)
        ones = np.unpackbits(packed, bitorder="little", count=sample.d)
        counts += positive[place] * (1 - ones.astype(np.int64))
    return counts


def _kept(bits: NDArray[np.bool_]) -> Hypothesis:
    """Return the conjunction of some of the bits."""
    number = int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
    return Conjunction(1 + number, bits.size)
