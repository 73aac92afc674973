"""The average of the labelled points, with and without noise: in every dimension, and efficient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Estimate, Setting, Source
from privsc_core.concepts.halfspace.circle import turn
from privsc_core.concepts.halfspace.hypotheses import HalfPlane, HalfSpace
from privsc_core.concepts.halfspace.laws import averaging_law, of_directions
from privsc_core.concepts.halfspace.learners.common import OfDirections, all_borders, cell
from privsc_core.concepts.halfspace.sphere import coordinates
from privsc_core.concepts.style import GREEN, Style

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Method, Privacy
    from privsc_core.concepts.hypotheses import Hypothesis
    from privsc_core.concepts.sample import Sample
    from privsc_core.concepts.trace import Recorder

__all__ = ["Averaging", "Mean"]

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
    """Who looks at the sum alone."""

    laws: ClassVar[Mapping[str, Method]] = dict.fromkeys(_PLACES, "rao-blackwell")
    foretold: ClassVar[Mapping[str, float]] = dict.fromkeys(_PLACES, 2.0)
    caveat: ClassVar[str] = _GAUSSIAN

    def roughly(self, distribution: Distribution, setting: Setting) -> NDArray[np.float64]:
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

    name: ClassVar[str] = "mean"
    title: ClassVar[str] = "Non-private: the mean"
    source: ClassVar[Source] = Source("ours", "the averaging learner without noise")
    summary: ClassVar[str] = (
        "Adds up the points with label 1 and the negatives of the others, and takes the direction of the "
        "sum as normal."
    )
    privacy: ClassVar[Privacy] = "none"

    def run(
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
        recorder: Recorder | None = None,
    ) -> Hypothesis:
        """Return the direction of the sum, in O(mn)."""
        del epsilon, alpha, beta, rng
        total = _sum(sample)
        if recorder is not None:
            _told(recorder, total, sample.size)
        return _normal(total, sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the exact probability of every cell of a tiny domain."""
        del epsilon, alpha, beta, public
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

    name: ClassVar[str] = "averaging"
    title: ClassVar[str] = "Averaging with noise"
    source: ClassVar[Source] = Source("ours", "for uniform directions")
    summary: ClassVar[str] = (
        "Adds noise to the sum of the labelled points and takes its direction as normal: whole examples "
        "are protected, in every dimension, in time O(mn)."
    )
    privacy: ClassVar[Privacy] = "pure"
    outputs: ClassVar[str] = "cells"
    style: ClassVar[Style] = GREEN
    enumerated: ClassVar[str] = (
        "Outputs are the cells between the borders of the tiny domain, with probabilities by quadrature."
    )

    def noise_rate(self, epsilon: float) -> float:
        """Return by how much the noise's log density falls a unit; eps / 2 is what privacy allows."""
        return 0.5 * epsilon

    def run(
        self,
        sample: Sample,
        *,
        epsilon: float,
        alpha: float,
        beta: float,
        rng: np.random.Generator,
        recorder: Recorder | None = None,
    ) -> Hypothesis:
        """Return the direction of the noisy sum, in O(mn)."""
        del alpha, beta
        total = _sum(sample)
        noise = rng.standard_normal(len(total))
        noise *= rng.standard_gamma(len(total)) / (self.noise_rate(epsilon) * np.linalg.norm(noise))
        if recorder is not None:
            _told(recorder, total, sample.size)
            recorder.step(
                "The noise",
                f"A vector of length {np.linalg.norm(noise):.4g} in a random direction is added: its length "
                f"is Gamma-distributed with mean 2n/ε = {len(total) / self.noise_rate(epsilon):.4g}. One "
                "example moves the sum by 2 at most.",
            )
        return _normal(total + noise, sample.d)

    def output_distribution(
        self, sample: Sample, *, epsilon: float, alpha: float, beta: float, public: int = 0
    ) -> Mapping[Hashable, float]:
        """Return the probability of every cell of a tiny domain, by quadrature."""
        del alpha, beta, public
        ends, whole = all_borders(sample), turn(sample.d)
        total = _sum(sample)
        angles = 2.0 * math.pi * np.array(ends) / whole
        length = float(np.hypot(*total))
        own = math.atan2(total[1], total[0]) if length > _CLOSE else 0.0
        rate = self.noise_rate(epsilon)
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
