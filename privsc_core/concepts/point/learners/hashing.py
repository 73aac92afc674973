"""The hash learner: a random representation by inner-product hashing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.point.laws import by_profile, lump_odds
from privsc_core.concepts.shared.hypotheses import LabelFunction
from privsc_core.concepts.shared.laws import averaged, exact, rao_blackwell
from privsc_core.concepts.shared.sample import uniform_below
from privsc_core.concepts.shared.trace import choice
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.logspace import draw, log_domain_scalar, probabilities
from privsc_core.numerics.text import raised, whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import NoiseSource, Uniform
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder

# Simulated hashes are numbers of at most this many bits: floats hold them exactly, and that two
# of 257 points then share one too often has a probability below 2^-34.
_HASHED_BITS = 50


def default_bits(alpha: float, beta: float) -> int:
    """Return t = ceil(log2(4 / (alpha beta))), so that 2^-t <= alpha beta / 4."""
    target = 4 / (decimal(alpha) * decimal(beta))
    return max(math.ceil(target) - 1, 1).bit_length()


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """The buckets that a sample occupies, and all others together: what a run looks at.

    Attributes
    ----------
    occupied : tuple of int
        In increasing order.
    gains : ndarray of float64, shape (occupied,)
        Examples with label 1 less those with label 0 in each; 0 in all other buckets.
    log_others : float
        Log of the number of the other buckets, -inf where there is none.
    """

    occupied: tuple[int, ...]
    gains: NDArray[np.float64]
    log_others: float

    @classmethod
    def of(cls, sample: Sample, rows: list[int]) -> Buckets:
        """Sort the sample's points into the buckets of a hash."""
        positive, negative = sample.tallies()
        gains: dict[int, float] = {}
        for point, gain in zip(sample.points, (positive - negative).tolist(), strict=True):
            bucket = bucket_of(point, rows)
            gains[bucket] = gains.get(bucket, 0.0) + gain
        occupied = tuple(sorted(gains))
        others = (1 << len(rows)) - len(occupied)
        return cls(
            occupied,
            np.array([gains[bucket] for bucket in occupied], dtype=np.float64),
            math.log(others) if others else -math.inf,
        )

    def log_weights(self, epsilon: float) -> NDArray[np.float64]:
        """Return the log weights of the occupied buckets and, last, of all others together.

        Relative to the weight of one other bucket, whose mistakes are all positive examples.
        """
        return np.append(0.5 * epsilon * self.gains, self.log_others)


@dataclass(frozen=True)
class Hash(Learner):
    """Hash the domain to t bits, then run the exponential mechanism over the 2^t buckets.

    Notes
    -----
    Polynomial time at any alpha and beta: the 4 / (alpha beta) buckets are never listed. Those
    without an example make the same mistakes, so they are one lump, as unseen points are for
    the exponential mechanism.

    Attributes
    ----------
    bits : int or None
        t; by default `default_bits`.
    """

    bits: int | None = None

    name = "hash"
    title = "Hash learner"
    source = Source("FX14", "Section 3.1")
    summary = (
        "Hashes all points to t random bits and picks one hash value (a bucket) privately. The "
        "hypothesis labels all points of the bucket 1."
    )
    privacy = "pure"
    proper = False
    efficient = True
    laws = {"hard": "exact", "single": "exact", "bystanders": "rao-blackwell"}
    guess_within = {"bystanders": 2.0}
    reads = ("alpha", "beta")
    unmoved = {"": {"d": "the range of the hash functions does not depend on the domain"}}
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.4, beta=0.4)
    symmetric = True
    outputs = "buckets"
    enumerated = "The public hash is that of seed 1."

    def log_ones(self, at: Cell) -> float:
        """Return log2 of the points of a bucket."""
        return max(float(at.d - (self.bits or default_bits(at.alpha, at.beta))), 0.0)

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Draw the hash, then a bucket; O(t d m / 64 + m log m) word operations."""
        rows = self.draw_rows(sample.d, at.alpha, at.beta, rng)
        buckets = Buckets.of(sample, rows)
        weights = buckets.log_weights(at.epsilon)
        pick, best = draw(weights, rng)
        if recorder is not None:
            _tell(recorder, sample, rows, buckets, weights, best, pick, at.epsilon)
        if pick < len(buckets.occupied):
            bucket = buckets.occupied[pick]
        else:
            bucket = _other_bucket(buckets.occupied, len(rows), rng)
        return _answer(bucket, rows, sample.d)

    def release(self, sample: Sample, at: Cell, noise: NoiseSource) -> Hypothesis:
        """Draw the hash, which sees no data, then a bucket."""
        rows = self.draw_rows(sample.d, at.alpha, at.beta, noise)
        buckets = Buckets.of(sample, rows)
        seen = len(buckets.occupied)
        scores = [*(-buckets.gains).astype(np.int64).tolist(), 0]
        pick = noise.exponential(scores, [1] * seen + [(1 << len(rows)) - seen])
        if pick < seen:
            return _answer(buckets.occupied[pick], rows, sample.d)
        return _answer(_other_bucket(buckets.occupied, len(rows), noise), rows, sample.d)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every bucket, for the hash drawn from `public`."""
        rows = self.draw_rows(sample.d, at.alpha, at.beta, np.random.default_rng(public))
        buckets = Buckets.of(sample, rows)
        *own, lump = probabilities(buckets.log_weights(at.epsilon)).tolist()
        known = dict(zip(buckets.occupied, own, strict=True))
        others = (1 << len(rows)) - len(known)
        rest = lump / others if others else 0.0
        return {bucket: known.get(bucket, rest) for bucket in range(1 << len(rows))}

    def output_name(self, output: Hashable) -> str:
        """Return which bucket it is, by its number."""
        return f"bucket {output}"

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since the bits of a hash are chosen by alpha and beta.
        """
        return wanted not in {"alpha", "beta"} and super().eases(distribution, wanted)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law: exact with at most one bystander, else Rao-Blackwellised."""
        bits = self.bits or default_bits(setting.alpha, setting.beta)
        return by_profile(distribution, setting, lambda p, s: _law(p, s, bits))

    def draw_rows(self, d: int, alpha: float, beta: float, rng: Uniform) -> list[int]:
        """Draw the hash: t vectors of d bits, with which the points are multiplied."""
        bits = self.bits or default_bits(alpha, beta)
        size = (d + 7) // 8
        return [int.from_bytes(rng.bytes(size), "big") >> (-d % 8) for _ in range(bits)]


def bucket_of(point: int, rows: list[int]) -> int:
    """Return the inner products of the point's bits with the rows, as one number."""
    value = 0
    for row in rows:
        value = value << 1 | ((point - 1) & row).bit_count() & 1
    return value


def _answer(bucket: int, rows: list[int], d: int) -> LabelFunction:
    """Return what is 1 on a bucket."""
    rank, image = _span(rows)
    reached = _in_image(bucket, image)
    return LabelFunction(
        lambda point: int(bucket_of(point, rows) == bucket),
        f"1 on the points whose {len(rows)}-bit hash is {bucket:0{len(rows)}b}",
        1 << (d - rank) if reached else 0,
    )


def _other_bucket(occupied: tuple[int, ...], bits: int, rng: Uniform) -> int:
    """Return a uniformly random bucket that is not occupied: its rank among those that are not."""
    bucket = uniform_below(rng, (1 << bits) - len(occupied))
    for taken in occupied:
        bucket += bucket >= taken
    return bucket


def _tell(
    recorder: Recorder,
    sample: Sample,
    rows: list[int],
    buckets: Buckets,
    weights: NDArray[np.float64],
    best: NDArray[np.float64],
    pick: int,
    epsilon: float,
) -> None:
    total = int(sample.labels.sum())
    of_points = [bucket_of(x, rows) for x in sample.points]
    own, last = buckets.occupied, len(buckets.occupied)
    others = (1 << len(rows)) - last
    many = whole(others, len(rows))
    shown = slice(None) if others else slice(last)
    places = {bucket: row for row, bucket in enumerate(own)}
    wanted = None if recorder.target is None else bucket_of(recorder.target, rows)
    # Relative to a hypothesis without mistakes, as in every learner's steps.
    mistaken = 0.5 * epsilon * total

    def name(row: int) -> str:
        if row == last:
            return f"{many} other buckets"
        here = [x for x, b in zip(sample.points, of_points, strict=True) if b == own[row]]
        more = "" if len(here) == 1 else f" and {len(here) - 1} more"
        first = next((x for x in here if x == recorder.target), min(here))
        return f"bucket of {recorder.name_of(first)}{more}"

    found = choice(
        name=name,
        members=lambda row: "1" if row < last else many,
        scores=np.append(total - buckets.gains, total)[shown],
        log_weights=(weights - mistaken)[shown],
        best=(best - mistaken)[shown],
        drawn=pick,
        target=None if wanted is None else places.get(wanted, last),
        what="buckets",
    )
    recorder.step(
        "The hash",
        f"A random hash function to t = {len(rows)} bits is drawn before any data are seen. A hypothesis labels 1 "
        f"the points of one of the 2{raised(len(rows))} buckets: {whole(1 << len(rows), len(rows))} hypotheses, "
        "whatever d is.",
    )
    recorder.mechanism(
        found,
        "The score of a bucket is the number of mistakes of its hypothesis on the sample: "
        f"{total:,} where no example fell.",
        epsilon=epsilon,
    )


def _span(rows: list[int]) -> tuple[int, list[tuple[int, int]]]:
    """Return the rank of the hash and the linear relations its values must satisfy.

    Elimination on the rows, remembering which rows were added up: a combination of rows that
    vanishes forces the same combination of hash bits to be zero.
    """
    basis: list[tuple[int, int]] = []
    relations: list[tuple[int, int]] = []
    for position, row in enumerate(rows):
        rest, trace = row, 1 << (len(rows) - 1 - position)
        for pivot_row, pivot_trace in basis:
            if rest ^ pivot_row < rest:
                rest, trace = rest ^ pivot_row, trace ^ pivot_trace
        if rest:
            basis.append((rest, trace))
            basis.sort(reverse=True)
        else:
            relations.append((0, trace))
    return len(basis), relations


def _in_image(bucket: int, relations: list[tuple[int, int]]) -> bool:
    return all((bucket & trace).bit_count() % 2 == 0 for _, trace in relations)


def _law(profile: Profile, setting: Setting, bits: int) -> Estimate:
    if profile.others == 0:
        lump = log_domain_scalar(bits, 1) - 0.5 * setting.epsilon * setting.m
        return exact(special.expit(-lump), setting, special.expit(lump))
    if profile.others == 1:
        columns = (np.full(setting.epsilon.shape, log_domain_scalar(bits, 2)), setting.epsilon)
        apart = averaged(setting, profile.mass, columns, lump_odds, rate=0.5 * setting.epsilon)
        if profile.slack < 1:
            return _mixture(setting, bits, apart, exact(np.zeros(()), setting, np.ones(())))
        # alpha >= 1/2: the target's bucket is accurate even when it holds the bystander.
        columns = (np.full(setting.epsilon.shape, log_domain_scalar(bits, 1)), setting.epsilon)
        shared = averaged(setting, profile.mass, columns, _shared_bucket, rate=0.0)
        return _mixture(setting, bits, apart, shared)
    return _simulated(profile, setting, bits)


def _mixture(setting: Setting, bits: int, apart: Estimate, shared: Estimate) -> Estimate:
    """Return the law where target and bystander share a bucket with probability 2^-t."""
    share = math.ldexp(1.0, -bits)
    failure = None
    if apart.failure is not None and shared.failure is not None:
        failure = (1.0 - share) * apart.failure + share * shared.failure
    return exact((1.0 - share) * apart.value + share * shared.value, setting, failure)


def _shared_bucket(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    log_others: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the odds against a bucket that gains the positives and loses the bystander's."""
    return np.asarray(np.exp(np.minimum(log_others - 0.5 * epsilon * (count - rest), 460.0)))


def _simulated(profile: Profile, setting: Setting, bits: int) -> Estimate:
    others, buckets = profile.others, 1 << bits
    hashes = 1 << min(bits, _HASHED_BITS)
    low_bits = max((others - 1).bit_length(), 0)

    def draw(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
        hits = rng.binomial(m, profile.mass, size=trials)
        crowd = rng.multinomial(m - hits, np.full(others, 1.0 / others))
        # Bystanders are the points 1..s: their hashes are the sums of those of the low
        # bits. The target has all d bits: its hash is independent of theirs, or, when there
        # are no higher bits, the sum of those of all low bits.
        basis = rng.integers(hashes, size=(trials, low_bits))
        hashed = np.zeros((trials, others), dtype=np.int64)
        for bit in range(low_bits):
            has = (np.arange(others) >> bit) & 1
            hashed ^= basis[:, bit : bit + 1] * has
        target = rng.integers(hashes, size=trials)
        filled = np.bitwise_xor.reduce(basis, axis=1)
        return (
            hits.astype(np.float64), crowd.astype(np.float64), hashed.astype(np.float64),
            target.astype(np.float64), filled.astype(np.float64),
        )  # fmt: skip

    def conditional(
        d: int, epsilon: float, hits: NDArray[np.float64], crowd: NDArray[np.float64],
        hashed: NDArray[np.float64], target: NDArray[np.float64], filled: NDArray[np.float64],
    ) -> NDArray[np.float64]:  # fmt: skip
        mates = hashed == (target if d > low_bits else filled)[:, None]
        lost = (crowd * mates).sum(axis=1)
        good = mates.sum(axis=1) <= profile.slack
        # Buckets of bystanders other than the target's: each loses the positives and its
        # own crowd; counted once per bucket, at its first bystander.
        own = np.zeros_like(crowd)
        first = ~mates
        for column in range(others):
            same = hashed == hashed[:, column : column + 1]
            own[:, column] = (crowd * same).sum(axis=1)
            if column:
                first[:, column] &= ~same[:, :column].any(axis=1)
        rate = -0.5 * epsilon
        with np.errstate(divide="ignore"):
            log_rest = np.logaddexp(
                _log_less(buckets - 1, first.sum(axis=1)),
                np.log(np.where(first, np.exp(rate * own), 0.0).sum(axis=1)),
            )
        odds = np.exp(np.minimum(log_rest + rate * (hits - lost), 709.0))
        return np.where(good, 1.0 / (1.0 + odds), 0.0)

    return rao_blackwell(setting, draw, conditional)


def _log_less(number: int, fewer: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log(number - fewer), -inf where nothing is left; the number may pass all floats."""
    if number >> 53:
        return np.full(fewer.shape, math.log(number))
    return np.asarray(np.log(np.maximum(number - fewer, 0)), dtype=np.float64)
