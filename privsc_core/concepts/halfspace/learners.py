"""The learners of half-spaces."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Cell, Estimate, Learner, Setting, Source
from privsc_core.concepts.halfspace.hypotheses import (
    KEYS,
    HalfPlane,
    HalfSpace,
    borders,
    coordinates,
    dimension,
    fibonacci,
    turn,
)
from privsc_core.concepts.halfspace.hypotheses import Arcs as Cut
from privsc_core.concepts.halfspace.laws import (
    NET,
    averaging_law,
    circle_law,
    net_law,
    of_directions,
)
from privsc_core.concepts.shared.choosing import Choosing, Fit, Fitting, Groups
from privsc_core.concepts.shared.laws import exact
from privsc_core.errors import InputError
from privsc_core.numerics.logspace import probabilities
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.noise_source import Uniform
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.concepts.shared.trace import Recorder


# --- What the learners of half-spaces share ------------------------------------------------------


def all_borders(sample: Sample) -> list[int]:
    """Return every angle at which the labels of a tiny domain change: they cut it into cells."""
    points = range(1, sample.domain_size + 1)
    return sorted({end for x in points for end in borders(x, sample.d)})


class OfDirections(Learner):
    """All of them put out a half-space."""

    proper = True
    efficient = True
    symmetric = True
    record_keys = KEYS
    tiny = Cell(d=2, m=3, epsilon=1.0, alpha=0.2, beta=0.2)


@dataclass(frozen=True)
class OfCircle(OfDirections):
    """Those that sort a circle: there is no order on other spheres."""

    laws = dict.fromkeys(("circle", "band-in", "band-out"), "exact")

    def flat(self, sample: Sample) -> Sample:
        """Return the sample, or refuse one of more dimensions."""
        n = dimension(sample.d)
        if n > 2:
            raise InputError("d", f"must be 2 for {self.name}, which works on the circle", n)
        return sample


def cell(ends: list[int], phi: int) -> int:
    """Return which cell of a tiny domain an angle is in, the first of them 1."""
    return 1 + bisect.bisect_left(ends, phi) % len(ends)


# --- The exponential mechanism over the arcs of the circle: privacy for labels -------------------


@dataclass(frozen=True)
class Arcs(Choosing, OfCircle):
    """Draw one of the 2m arcs by its mistakes, and put out its clockwise end."""

    name = "arcs"
    title = "Arcs of the circle (labels private)"
    source = Source("CH11", "Figure 3, with all arcs for its cover")
    summary = (
        "The exponential mechanism over the 2m arcs into which the points cut the circle of "
        "normals. It protects only the labels."
    )
    privacy = "label"
    caveat = "labels alone are private: the output lies at a point of the sample"
    counted = False
    unmoved = {
        "band-in": {"gamma": "only the order of the points matters"},
        "band-out": {"margin": "only the order of the points matters"},
    }
    tiny = Cell(d=3, m=3, epsilon=1.0, alpha=0.2, beta=0.2)

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the arcs, each by itself, in O(m log m)."""
        arcs = Cut.of(self.flat(sample))
        return Groups(
            mistakes=arcs.mistakes,
            member=lambda row, _: HalfPlane(arcs.ends[row], sample.d),
            name=lambda row, _: arcs.name(row),
            words="The points are public. They cut the circle of normals into arcs, two arcs for each point. The "
            "score of an arc is the number of mistakes that its half-planes make.",
            what="arcs",
        )

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every cell of a tiny domain."""
        ends, shares = all_borders(sample), probabilities(self.weighed(sample, at))
        found: dict[Hashable, float] = dict.fromkeys(range(1, len(ends) + 1), 0.0)
        for end, share in zip(Cut.of(sample).ends, shares.tolist(), strict=True):
            found[cell(ends, end)] += share
        return found

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return (1 - (1 - alpha (1 - q))^m) / (1 - q^m), q = e^{-eps/2}.

        Arc k from the target's clockwise has weight q^k, and there are m in either direction. With J
        points within mass alpha clockwise, arcs 0 to J - 1 are accurate; with as many anticlockwise,
        J are, from weight q on. Summed over all 2m: (1 - E q^J) / (1 - q^m).
        """
        of_directions(distribution, setting, self.laws)
        speed = 0.5 * setting.epsilon
        slow = -np.log1p(setting.alpha * np.expm1(-speed))
        size = setting.m
        rest = np.exp(-slow * size) * -np.expm1(-size * (speed - slow))
        every = -np.expm1(-speed * size)
        return exact(-np.expm1(-slow * size) / every, setting, rest / every)


# -------------------------------------------------------------------------------------------------
# The average of the labelled points, with and without noise: in every dimension, and efficient.


_PLACES = ("uniform", "circle", "sphere")
# Sums of a few points of a tiny domain are exact but for rounding.
_CLOSE = 1e-9
_GAUSSIAN = "beyond 300 examples their sum is taken for Gaussian"


def _sum(sample: Sample) -> NDArray[np.float64]:
    """Return the sum of y_i x_i, y_i = +1 or -1."""
    positive, negative = sample.tallies()
    return np.asarray((positive - negative) @ coordinates(sample.points, sample.d))


def _normal(v: NDArray[np.float64], bits: int) -> Hypothesis:
    if len(v) > 2:
        return HalfSpace(tuple((v / np.linalg.norm(v)).tolist()), bits)
    return HalfPlane(_angle(v, bits), bits)


def _angle(v: NDArray[np.float64], bits: int) -> int:
    """Return the angle of a vector, 0 of none."""
    if np.hypot(*v) < _CLOSE:
        return 0
    part = round((math.atan2(v[1], v[0]) / (2.0 * math.pi)) * 2.0**48) % (1 << 48)
    # Rounded up: arcs of normals have their last angle, not their first.
    return -(-part * turn(bits) >> 48) % turn(bits)


@dataclass(frozen=True)
class _OfSum(OfDirections):
    """A learner that looks at the sum alone."""

    laws = dict.fromkeys(_PLACES, "rao-blackwell")
    guess_within = dict.fromkeys(_PLACES, 2.0)
    caveat = _GAUSSIAN

    def initial_guess(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return with how many the sum is about alpha off, for its points and for its noise."""
        law = of_directions(distribution, setting, self.laws)
        n = np.array([law.dimension(d) for d in setting.d.ravel().tolist()], dtype=np.float64)
        n = n.reshape(setting.d.shape)
        # What is aside of the target may be so much for every example: along it is B(n/2, 1/2) / pi.
        along = special.beta(0.5 * n, 0.5) / math.pi
        allowed = math.tan(math.pi * setting.alpha) * along
        points = special.chdtri(n - 1.0, setting.beta) / n / allowed**2
        noise = special.gammainccinv(n, setting.beta) * np.sqrt(1.0 - 1.0 / n) / allowed
        times = 2.0 / setting.epsilon if self.privacy != "none" else np.zeros_like(setting.epsilon)
        return np.asarray(1.0 + np.hypot(points, times * noise))


@dataclass(frozen=True)
class Mean(_OfSum):
    """The direction of the sum of y_i x_i; no privacy."""

    name = "mean"
    title = "Non-private: the mean"
    source = Source(
        "ours",
        "the averaging learner without noise",
        "Servedio 1999, the averaging algorithm under the uniform distribution",
    )
    summary = (
        "Adds up the points with label 1, subtracts the points with label 0, and takes the "
        "direction of the sum as normal."
    )
    derivation = (
        r"This learner protects no example. Each example, with its sign, is a unit vector on the target's "
        r"side. For a distribution of points that is symmetric around the target's normal, their sum points "
        r"towards that normal on average, and what is perpendicular to it grows only like $\sqrt m$. The "
        r"success probability is averaged over simulated samples."
    )
    privacy = "none"

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Return the direction of the sum, in O(mn)."""
        total = _sum(sample)
        if recorder is not None:
            _told(recorder, total, sample.size)
        return _normal(total, sample.d)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every cell of a tiny domain."""
        ends = all_borders(sample)
        found = cell(ends, _angle(_sum(sample), sample.d))
        return {row: float(row == found) for row in range(1, len(ends) + 1)}

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over simulated samples."""
        return averaging_law(
            of_directions(distribution, setting, self.laws), setting, private=False
        )


@dataclass(frozen=True)
class Averaging(_OfSum):
    """The direction of the sum of y_i x_i and noise b with density ~ exp(-eps |b| / 2)."""

    name = "averaging"
    title = "Averaging with noise"
    source = Source(
        "ours",
        "for uniform directions",
        "Chaudhuri, Monteleoni and Sarwate 2011, the same noise, added to the minimiser of a regularised risk",
    )
    summary = (
        "Adds up the points with label 1, subtracts those with label 0, adds noise, and takes "
        "the direction of the sum as normal. It protects whole examples, in every dimension, in "
        "time O(mn)."
    )
    derivation = (
        r"Every example adds a unit vector, so one that is replaced moves the sum by at most 2. The density of "
        r"the noise $b$ is proportional to $e^{-\varepsilon\|b\|/2}$, and changes by a factor of at most "
        r"$e^{\varepsilon}$ under such a move. The direction is computed from the noisy sum alone: "
        r"$\varepsilon$-DP in every dimension. $\square$"
    )
    privacy = "pure"
    outputs = "cells"
    enumerated = "Outputs are the cells between the borders of the tiny domain, with probabilities by quadrature."

    def noise_rate(self, epsilon: float) -> float:
        """Return by how much the noise's log density falls a unit; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def run(
        self, sample: Sample, at: Cell, rng: np.random.Generator, recorder: Recorder | None = None
    ) -> Hypothesis:
        """Return the direction of the noisy sum, in O(mn)."""
        total = _sum(sample)
        noise = rng.standard_normal(len(total))
        noise *= rng.standard_gamma(len(total)) / (
            self.noise_rate(at.epsilon) * np.linalg.norm(noise)
        )
        if recorder is not None:
            _told(recorder, total, sample.size)
            recorder.step(
                "The noise",
                f"A vector of length {np.linalg.norm(noise):.4g} in a random direction is added: its length "
                f"is Gamma-distributed with mean 2n/ε = {len(total) / self.noise_rate(at.epsilon):.4g}. One "
                "example moves the sum by 2 at most.",
            )
        return _normal(total + noise, sample.d)

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the probability of every cell of a tiny domain, by quadrature."""
        ends, whole = all_borders(sample), turn(sample.d)
        total = _sum(sample)
        angles = 2.0 * math.pi * np.array(ends) / whole
        length = float(np.hypot(*total))
        own = math.atan2(total[1], total[0]) if length > _CLOSE else 0.0
        rate = self.noise_rate(at.epsilon)
        further = [(angle - own) % (2.0 * math.pi) for angle in angles.tolist()]
        upto = [_passed(psi, length, rate) for psi in further]
        # In the cell of the sum itself angles begin anew.
        shares = [
            upto[row] - upto[row - 1] + (further[row] < further[row - 1])
            for row in range(len(ends))
        ]
        return dict(enumerate(np.maximum(shares, 0.0).tolist(), start=1))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over simulated samples."""
        return averaging_law(of_directions(distribution, setting, self.laws), setting, private=True)


def _told(recorder: Recorder, total: NDArray[np.float64], size: int) -> None:
    first, length = float(total[0]), float(np.linalg.norm(total))
    turned = (
        f", {math.acos(max(-1.0, min(1.0, first / length))) / math.pi:.4g} half turns off the target"
        if length
        else ""
    )
    recorder.step(
        "The sum",
        f"The {size:,} points are added up, those with label 0 as their negatives: a vector of length "
        f"{length:.4g}{turned}.",
    )


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(80)


def _passed(psi: float, length: float, rate: float) -> float:
    """Return the chance that the direction of c + b lies from c's own to psi further, 0 <= psi < 2 pi.

    |c| = length, b has a density ~ e^{-rate |b|}. Along a ray of noise at delta > psi the direction
    passes psi where |b| = |c| sin psi / sin(delta - psi).
    """
    if length < _CLOSE:
        return psi / (2.0 * math.pi)
    if abs(psi - math.pi) < _CLOSE:
        return 0.5
    if psi > math.pi:
        return 1.0 - _passed(2.0 * math.pi - psi, length, rate)
    half = 0.5 * (math.pi - psi)
    delta = psi + half * (1.0 + _NODES)
    reach = np.minimum(rate * length * math.sin(psi) / np.sin(delta - psi), 700.0)
    beyond = (1.0 + reach) * np.exp(-reach)
    return 0.5 - float((half * _WEIGHTS) @ beyond) / (2.0 * math.pi)


# --- The density learner of the circle: full privacy ---------------------------------------------


@dataclass(frozen=True)
class Density(Choosing, OfCircle):
    """Pick the normal with density proportional to exp(-eps * mistakes / 2)."""

    name = "density"
    title = "Density learner"
    source = Source("ours", "CH11, Figure 2, without a net")
    summary = (
        "Draws a normal with a density proportional to exp(-ε · mistakes / 2). It protects whole examples. On the "
        "circle the learner so chooses among 2m arcs."
    )
    derivation = (
        r"This is the exponential mechanism over all normals, with the uniform distribution as its measure. "
        r"One replaced example changes the number of mistakes of every normal by at most 1. So the density "
        r"before normalisation and its integral change by factors of at most $e^{\varepsilon/2}$ each: "
        r"$\varepsilon$-DP."
        "\n\n"
        r"On the circle the number of mistakes is constant on $2m$ arcs. So an arc is drawn with its length "
        r"times $e^{-\varepsilon\,\mathrm{mistakes}/2}$, and then a normal in it uniformly. $\square$"
    )
    privacy = "pure"
    caveat = (
        "It takes polynomial time on the circle. In more dimensions no polynomial algorithm for it is listed here, "
        "and it is too slow to run beyond a few."
    )
    laws = dict.fromkeys(("circle", "band-in", "band-out"), "rao-blackwell")
    guess_within = {"circle": 2.0, "band-out": 2.0}
    outputs = "cells"
    counted = False
    enumerated = (
        "Outputs are the cells between the borders of the tiny domain: within a cell the density is "
        "the same on every sample up to a factor."
    )

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the arcs, each as heavy as it is long, in O(m log m)."""
        arcs = Cut.of(self.flat(sample))
        whole = math.log(turn(sample.d))
        return Groups(
            mistakes=arcs.mistakes,
            logs=np.array([math.log(length) for length in arcs.lengths]),
            member=lambda row, coins: HalfPlane(arcs.draw(row, coins), sample.d),
            name=lambda row, _: arcs.name(row),
            members=lambda row: chance(math.log(arcs.lengths[row]) - whole),
            words="The score of a normal is its half-plane's number of mistakes. Between neighbouring borders it is "
            f"constant: {len(arcs.ends):,} arcs to compare, and the weight of an arc includes its length.",
            what="normals",
        )

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every cell of a tiny domain."""
        arcs, ends = Cut.of(sample), all_borders(sample)
        fine = Cut(tuple(ends), np.zeros(len(ends), dtype=np.int64), sample.d)
        lengths = np.log(np.array(fine.lengths, dtype=np.float64))
        mistakes = arcs.mistakes[[arcs.row(end) for end in ends]]
        weights = lengths - self.score_rate(at.epsilon) * mistakes
        return dict(enumerate(probabilities(weights).tolist(), start=1))

    def initial_guess(self, _distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
        """Return with how many the density at alpha is about beta of the target's."""
        rate = self.score_rate(1.0) * setting.epsilon * setting.alpha
        return np.broadcast_to(-math.log(setting.beta) / rate, setting.shape)

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over simulated samples."""
        return circle_law(of_directions(distribution, setting, self.laws), setting, self.score_rate)


# --- The non-private learner of the circle -------------------------------------------------------


@dataclass(frozen=True)
class Erm(OfCircle, Fitting):
    """The last angle of the arc that fits the sample; no privacy."""

    title = "Non-private, on the circle"
    source = Source("BBKN13", "Theorem 2.4, on the circle")
    summary = (
        "Takes the clockwise end of the arc whose half-planes make the fewest mistakes on "
        "the sample."
    )
    unmoved = {
        "band-in": {"gamma": "only the order of the points matters"},
        "band-out": {"margin": "only the order of the points matters"},
    }

    def fit(self, sample: Sample) -> Fit:
        """Return the end of the first best arc, in O(m log m)."""
        arcs = Cut.of(self.flat(sample))
        best = int(np.argmin(arcs.mistakes))

        def listed() -> tuple[int, range]:
            ends = all_borders(sample)
            return cell(ends, arcs.ends[best]), range(1, len(ends) + 1)

        return Fit(
            HalfPlane(arcs.ends[best], sample.d),
            "The arc that fits",
            f"The points cut the circle into {len(arcs.ends):,} arcs of normals. {arcs.name(best)} "
            f"makes {arcs.mistakes[best]:,} mistakes, the fewest: its clockwise end is the answer.",
            listed,
        )

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return 1 - (1 - alpha)^m: some point lies within mass alpha clockwise of the target."""
        of_directions(distribution, setting, self.laws)
        lost = setting.m * np.log1p(-setting.alpha)
        return exact(-np.expm1(lost), setting, np.exp(lost))


# --- The exponential mechanism over a net of the ordinary sphere: full privacy -------------------


_SPACE = 3


@dataclass(frozen=True)
class OnNet(Choosing, OfDirections):
    """Pick one of 2,000 evenly spread normals, by their mistakes."""

    name = "net"
    title = "Net of 2,000 normals"
    source = Source("CH11", "Figure 2, over Fibonacci points")
    summary = (
        "The exponential mechanism over 2,000 evenly spread normals of the circle or the "
        "ordinary sphere, by their mistakes. It protects whole examples."
    )
    privacy = "pure"
    laws = dict.fromkeys(("circle", "sphere"), "rao-blackwell")
    caveat = (
        "In three dimensions every normal is within an angle of 0.0194 · 180° of the net. Four dimensions would take "
        "some 50,000 normals. Beyond 2,000 examples mistakes are scaled up from 2,000 (normal approximation)"
    )
    outputs = "cells"
    counted = False
    enumerated = (
        "The net is that of the circle. Outputs are the cells between the borders of the tiny domain: within a cell "
        "all normals have the same probability."
    )

    def mistakes(self, sample: Sample) -> NDArray[np.int64]:
        """Return the mistakes of every normal of the net.

        Raises
        ------
        InputError
            For samples of more than three dimensions.
        """
        n = dimension(sample.d)
        if n > _SPACE:
            raise InputError("d", f"must be at most {_SPACE} for {self.name}", n)
        if n < _SPACE:
            arcs = Cut.of(sample)
            return arcs.mistakes[[arcs.row(phi) for phi in _angles(sample.d)]]
        positive, negative = sample.tallies()
        ones = coordinates(sample.points, sample.d) @ fibonacci(NET).T >= 0.0
        return np.asarray(positive @ ~ones + negative @ ones)

    def groups(self, sample: Sample, at: Cell) -> Groups:
        """Return the normals of the net, each by itself, in time O(m) for each."""

        def member(row: int, _: Uniform) -> Hypothesis:
            if dimension(sample.d) == _SPACE:
                return HalfSpace(tuple(fibonacci(NET)[row].tolist()), sample.d)
            return HalfPlane(_angles(sample.d)[row], sample.d)

        return Groups(
            mistakes=self.mistakes(sample),
            member=member,
            name=lambda row, _: f"normal {row + 1:,}",
            words=f"The net has {NET:,} normals, spread evenly. The score of a normal is the number of mistakes of "
            "its half-space.",
            what="normals",
        )

    def output_distribution(
        self, sample: Sample, at: Cell, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every cell of a tiny domain."""
        ends, shares = all_borders(sample), probabilities(self.weighed(sample, at))
        found = np.zeros(len(ends))
        np.add.at(found, [cell(ends, phi) - 1 for phi in _angles(sample.d)], shares)
        return dict(enumerate(found.tolist(), start=1))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over simulated samples."""
        return net_law(of_directions(distribution, setting, self.laws), setting, self.score_rate)


def _angles(bits: int) -> list[int]:
    """Return the net of the circle: no border of a tiny domain is among them."""
    whole = turn(bits)
    return [(2 * i + 1) * whole // (2 * NET) for i in range(NET)]
