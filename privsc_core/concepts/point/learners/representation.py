"""The learner over a small random class that represents POINT_d (BBKN13, Section 4.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.point.laws import by_profile
from privsc_core.concepts.shared.hypotheses import Hypothesis
from privsc_core.concepts.shared.laws import from_smaller
from privsc_core.concepts.shared.trace import Choice, choice
from privsc_core.errors import InputError
from privsc_core.numerics.binomial import binomial_expectation
from privsc_core.numerics.decimals import ceiling, decimal, floor
from privsc_core.numerics.expectations import expected_rest, expected_share
from privsc_core.numerics.logspace import draw, probabilities
from privsc_core.numerics.text import whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Demand, Distribution
    from privsc_core.concepts.point.distributions import Profile
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder
    from privsc_core.numerics.binomial import Kernel

    _Array = NDArray[np.float64]
    _Groups = tuple[_Array, _Array, list[_Array], list[_Array]]

# e to more digits than a float has, so that the ceiling below is taken exactly.
_E = Fraction("2.718281828459045235360287471352662497757247")
_ENUMERABLE = 12
_BITS = 9  # as if so many decided, at any d


@dataclass(frozen=True, slots=True)
class ClassSize:
    """The numbers of Lemma 4.1's construction.

    Attributes
    ----------
    copies : int
        p: how many sets are meant to contain each point.
    sets : int
        k = |H_d|.
    members : int
        s: the size of each set, out of 2T points.
    """

    copies: int
    sets: int
    members: int

    def inclusion(self, d: int) -> float:
        """Return pi = s / 2T, the probability that a set contains a given point."""
        return self.members / (2 << d)

    def joint(self, d: int) -> float:
        """Return rho = s(s-1) / 2T(2T-1), the probability that it contains two given points."""
        whole = 2 << d
        return self.inclusion(d) * ((self.members - 1) / (whole - 1))


def class_size(d: int, alpha: float, *, per_alpha: int = 2) -> ClassSize:
    """Return the size of the class of Lemma 4.1 at accuracy alpha / 2 (BBKN13, Theorem 4.2).

    Parameters
    ----------
    d : int
        Bits.
    alpha : float
        The learner's accuracy.
    per_alpha : int
        p = d (1 + floor(per_alpha / alpha)): 2 as in the theorem; 4 in the bound without d.
    """
    copies = d * (1 + floor(per_alpha / decimal(alpha)))
    sets = ceiling(8 * _E * copies * copies / d)
    # round(4 p T / k), as whole numbers: T may have a million bits.
    members = max(1, ((8 * copies << d) + sets) // (2 * sets))
    return ClassSize(copies, sets, min(members, 2 << d))


def draw_class(d: int, alpha: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw the class for real: k random sets of s out of 2T points, cut to the first T.

    Returns
    -------
    ndarray of bool, shape (k, T)
        Entry (h, x-1) tells whether set h contains point x. For tiny domains.
    """
    if d > _ENUMERABLE:
        raise InputError("d", f"must be at most {_ENUMERABLE} to draw every set", d)
    size = class_size(d, alpha)
    whole = 2 << d
    member = np.zeros((size.sets, whole), dtype=np.bool_)
    member[:, : size.members] = True
    return rng.permuted(member, axis=1)[:, : whole // 2]


class RandomSet(Hypothesis):
    """One of the random sets, known on the sample's points, continued by a keyed function.

    Given what is known, every other point belongs with probability
    (members left) / (points left); a key fixes the answers. In a domain of up to 2^12 points
    all are known.
    """

    def __init__(self, known: dict[int, int], share: Fraction, d: int, key: bytes) -> None:
        self._known = known
        self._threshold = floor(share * (1 << 64))
        self._d = d
        self._key = key

    def predict(self, point: int) -> int:
        """Return the label that the hypothesis gives to `point`."""
        if point in self._known:
            return self._known[point]
        text = (point - 1).to_bytes((self._d + 7) // 8, "big")
        digest = blake2b(text, key=self._key, digest_size=8).digest()
        return int(int.from_bytes(digest, "big") < self._threshold)

    @property
    def description(self) -> str:
        """One line that says what the hypothesis is, without what the sample's points tell."""
        return "one of the random sets of the public class"


@dataclass(frozen=True)
class Representation(Learner):
    """The exponential mechanism over k random sets that represent POINT_d."""

    name = "representation"
    title = "Small representation"
    source = Source("BBKN13", "Lemma 4.1, Theorem 4.2")
    summary = (
        "Runs the exponential mechanism over a small public class of random sets instead of all "
        "2^d points. Some class of this size has a good hypothesis for every point and "
        "distribution."
    )
    privacy = "pure"
    proper = False
    efficient = False
    laws = {"hard": "exact", "single": "exact"}
    reads = ("alpha",)
    tiny = Cell(d=2, m=2, epsilon=1.0, alpha=0.4, beta=0.2)
    symmetric = True
    outputs = "sets"
    enumerated = "The public class is the one of seed 1."
    looser_costs = "the class that it draws is smaller"
    caveat = (
        "The class is public and drawn before the data are seen. The success probability is an average over this "
        "draw, which includes classes without a good hypothesis."
    )

    def log_ones(self, at: Cell) -> float:
        """Return log2 of the points of a set: its members are spread over twice the domain."""
        return max(math.log2(class_size(at.d, at.alpha).members) - 1.0, 0.0)

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Draw what the sample can see of the class, then a set.

        The k sets are exchangeable, so only the numbers of sets with each membership pattern
        on the sample's points are drawn (exactly: without replacement within a set): the law
        is that of k real sets, at any d, in time independent of T.
        """
        _check(at.alpha)
        size = class_size(sample.d, at.alpha)
        positive, negative = sample.tallies()
        counts, patterns = draw_patterns(size, sample.d, len(sample.points), rng)
        # Set h errs on positives outside it and on negatives inside it.
        mistakes = (~patterns) @ positive + patterns @ negative
        weights = np.log(counts) - 0.5 * at.epsilon * mistakes
        group, best = draw(weights, rng)
        if recorder is not None:
            recorder.step(
                "The class",
                f"A public class of {size.sets:,} random sets is drawn before any data are seen. Of each set it "
                "matters only which points of the sample it contains.",
            )
            recorder.mechanism(
                _choice_of_sets(recorder, sample, counts, patterns, mistakes, weights, best),
                "The score of a set is its number of mistakes on the sample: label 1 outside the set, label 0 inside.",
                epsilon=at.epsilon,
            )
        inside = patterns[group]
        known = dict(zip(sample.points, inside.astype(int).tolist(), strict=True))
        members = size.members - int(inside.sum())
        if sample.d <= _ENUMERABLE:
            # Small enough to draw the rest of the set for real.
            rest = [p for p in range(1, (2 << sample.d) + 1) if p not in known]
            drawn = set(rng.choice(len(rest), size=members, replace=False).tolist())
            known |= {point: int(place in drawn) for place, point in enumerate(rest)}
        left = (2 << sample.d) - len(known)
        share = Fraction(0) if not left else _ratio(members, left)
        return RandomSet(known, share, sample.d, rng.bytes(16))

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every set, for the class drawn from `public`."""
        _check(at.alpha)
        member = draw_class(sample.d, at.alpha, np.random.default_rng(public))
        positive, negative = sample.tallies()
        seen = member[:, np.array(sample.points) - 1]
        mistakes = (~seen) @ positive + seen @ negative
        return dict(enumerate(probabilities(-0.5 * at.epsilon * mistakes).tolist()))

    def output_name(self, output: Hashable) -> str:
        """Return which set it is, by its number."""
        return f"set {output}"

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return the guess for few bits: d hardly matters to a choice among sets."""
        return super().initial_guess(
            distribution, replace(setting, d=np.minimum(setting.d + 1, _BITS))
        )

    def eases(self, distribution: Distribution, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since the size of its class is a whole number that d and alpha move.
        """
        return wanted not in {"d", "alpha"} and super().eases(distribution, wanted)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the exact law, averaged over samples and draws of the class."""
        _check(setting.alpha)
        return by_profile(distribution, setting, _law)


def _choice_of_sets(
    recorder: Recorder,
    sample: Sample,
    counts: NDArray[np.float64],
    patterns: NDArray[np.bool_],
    mistakes: NDArray[np.int64],
    weights: NDArray[np.float64],
    best: NDArray[np.float64],
) -> Choice:
    wanted = np.array([x == recorder.target for x in sample.points])
    fits = np.flatnonzero((patterns == wanted).all(axis=1) & (recorder.target is not None))

    def name(row: int) -> str:
        split: tuple[list[int], list[int]] = ([], [])
        for x, has in zip(sample.points, patterns[row], strict=True):
            split[not has].append(x)
        inside = [recorder.name_of(x) for x in split[0]]
        outside = [whole(x, sample.d) for x in split[1]]
        if not inside:
            return "without them all" if len(outside) > 1 else f"without {outside[0]}"
        return f"with {', '.join(inside)}" + (f", not {', '.join(outside)}" if outside else "")

    return choice(
        name=name,
        members=lambda row: f"{counts[row]:,.0f}",
        scores=mistakes.astype(np.float64),
        log_weights=weights,
        best=best,
        drawn=int(np.argmax(best)),
        target=int(fits[0]) if fits.size else None,
        what="sets",
    )


def _check(alpha: float) -> None:
    if alpha >= 0.5:
        raise InputError("alpha", "must be in (0, 1/2) for the learner representation", alpha)


def _ratio(part: int, whole: int) -> Fraction:
    """Return part / whole to 64 bits: reducing a fraction of a million bits takes seconds."""
    return Fraction((part << 64) // whole, 1 << 64)


def draw_patterns(
    size: ClassSize, d: int, points: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return how many sets show each pattern on the sample's points, and the patterns."""
    counts = np.array([size.sets], dtype=np.int64)
    patterns = np.zeros((1, points), dtype=np.bool_)
    whole = 2 << d
    for point in range(points):
        held = patterns.sum(axis=1)
        chance = np.array([max(size.members - h, 0) / (whole - point) for h in range(point + 1)])
        inside = rng.binomial(counts, chance[held])
        joined = patterns[inside > 0]
        joined[:, point] = True
        stay = counts - inside
        patterns = np.concatenate([patterns[stay > 0], joined])
        counts = np.concatenate([stay[stay > 0], inside[inside > 0]])
    return counts.astype(np.float64), patterns


def _law(profile: Profile, setting: Setting) -> Estimate:
    distinct, inverse = np.unique(setting.d, return_inverse=True)
    sizes = [(class_size(bits, setting.alpha), bits) for bits in distinct.tolist()]
    table = np.array(
        [(float(size.sets), size.inclusion(bits), size.joint(bits)) for size, bits in sizes]
    )
    sets, one, both = table[inverse.reshape(setting.d.shape)].transpose(-1, *range(setting.d.ndim))
    if profile.others == 0:
        missed = np.exp(-0.5 * setting.epsilon * setting.m)
        groups = (sets, one, [1.0 - one], [missed])
        return from_smaller(
            setting, lambda: expected_share(*groups), lambda: expected_rest(*groups)
        )

    def mean(kernel: Kernel) -> NDArray[np.float64]:
        return binomial_expectation(
            setting.m, profile.mass, (sets, one, both, setting.epsilon), kernel,
            rate=0.5 * setting.epsilon, log_tail=setting.log_tail, costly=True,
        )  # fmt: skip

    return from_smaller(setting, lambda: mean(_share), lambda: mean(_rest))


def _share(*at: Any) -> NDArray[np.float64]:
    """Return the expected share of the sets that hold the target and not point 1."""
    return expected_share(*_groups(*at))


def _rest(*at: Any) -> NDArray[np.float64]:
    """Return the expected share of the other sets."""
    return expected_rest(*_groups(*at))


def _groups(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    sets: NDArray[np.float64],
    one: NDArray[np.float64],
    both: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> _Groups:
    """Return what the shares of the four kinds of sets depend on; see `expected_share`."""
    rate = -0.5 * epsilon
    missed = np.exp(rate * count)
    if isinstance(rest, float) and math.isinf(rest):
        crowd = whole = np.zeros_like(missed)
    else:
        crowd, whole = np.exp(rate * rest), np.exp(rate * (rest + count))
    return sets, one - both, [both, one - both, 1.0 - 2.0 * one + both], [crowd, whole, missed]
