"""Data release for POINT_d: what a mechanism may tell, and planted ones that tell more.

The laws of releases are enumerated for all pairs of neighbours: pure mechanisms keep to epsilon,
and what stability tells beyond epsilon is its delta.
"""

import itertools
import math
from dataclasses import dataclass

import mpmath as mp
import numpy as np
import pytest

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.release.distributions import Hard, Release
from privsc_core.concepts.release.learners import Blr, Laplace, Stability
from privsc_core.concepts.shared.sample import Sample
from tests import budget
from tests.classes.release import laplace_mass, vectors
from tests.core.concepts.release.releases import HISTOGRAMS, law, sample_of

# --- Planted faults -----------------------------------------------------------------------------


class TooLittleNoise(Laplace):
    """Lap(1/eps), sold as Lap(2/eps)."""

    def rate(self, epsilon):
        return epsilon


class NoThreshold(Laplace):
    """Releases every seen count, however small: it shows which points were seen."""

    def run(self, sample, at: Cell, rng):
        right = super().run(sample, at, rng)
        noise = rng.laplace(0, 2 / at.epsilon, size=len(sample.points)).tolist()
        counts = np.bincount(sample.index).tolist()
        seen = {j: n + y for j, n, y in zip(sample.points, counts, noise, strict=True)}
        return Release.of(sample.d, sample.size, {**right.values, **seen})


@dataclass(frozen=True)
class LowBar(Stability):
    """Forgets that the lonely count is 1."""

    def threshold(self, epsilon):
        return super().threshold(epsilon) - 1.0


@pytest.mark.parametrize(("planted", "m"), [(TooLittleNoise(), 200), (NoThreshold(), 60)])
def test_planted_mechanisms_are_rejected_by_simulation(planted, m):
    d, epsilon, alpha, trials = (8, 0.5, 0.1, 3000) if m == 200 else (3, 0.5, 0.24, 3000)
    claimed = law(Laplace(), Hard(), m, d, epsilon, alpha)
    rng = np.random.default_rng(4)
    sample = Hard().draw(m=m, d=d, alpha=alpha, rng=rng)
    cell = {"epsilon": epsilon, "alpha": alpha, "beta": 0.1}
    hits = sum(
        Hard().succeeds(planted.run(sample, Cell(sample.d, **cell), rng), d=d, alpha=alpha)
        for _ in range(trials)
    )
    with pytest.raises(AssertionError, match="expected"):
        budget.assert_rate(hits, trials, claimed, "planted")


# --- Privacy ------------------------------------------------------------------------------------


def worst_loss(learner, d, m, epsilon, alpha):
    """Compare all databases of points with all their neighbours; labels play no part."""
    points = range(1, 2**d + 1)
    known = {}
    for x in itertools.combinations_with_replacement(points, m):
        chances = learner.output_distribution(
            Sample.of(d, list(x), [1] * m), Cell(d, epsilon, alpha, 0.1)
        )
        assert math.fsum(chances.values()) == pytest.approx(1, abs=1e-12)
        known[x] = chances
    worst = 0.0
    for x, p in known.items():
        for place, j in itertools.product(range(m), points):
            q = known[tuple(sorted((*x[:place], j, *x[place + 1 :])))]
            assert p.keys() == q.keys()
            for output, chance in p.items():
                if chance or q[output]:
                    safe = chance > 0 and q[output] > 0
                    worst = max(worst, abs(math.log(chance / q[output])) if safe else math.inf)
    return worst


PURE = [*HISTOGRAMS, Blr()]


@pytest.mark.parametrize("epsilon", [0.1, 3.0])
@pytest.mark.parametrize("learner", PURE, ids=str)
def test_pure_mechanisms_are_private(learner, epsilon):
    for d, m, alpha in [(1, 4, 0.2), (2, 3, 0.3), (2, 2, 0.4), (1, 3, 0.34)]:
        found = worst_loss(learner, d, m, epsilon, alpha)
        assert found <= epsilon + 1e-9
        assert found > 0.5 * epsilon, "the instance shows most of the loss"


def excess(p, q, epsilon):
    """Return the hockey-stick divergence: the least delta for which p <= e^eps q + delta."""
    return math.fsum(np.maximum(p - math.exp(epsilon) * q, 0).ravel())


def pieces(n, cuts, epsilon):
    """Return the law of one released count: at 0, and between the cuts (above the threshold)."""
    if n == 0:
        return np.array([1.0] + [0.0] * len(cuts))
    masses = [float(laplace_mass(a - n, b - n, epsilon)) for a, b in
              itertools.pairwise([-mp.inf, *cuts, mp.inf])]  # fmt: skip
    return np.array(masses)


def pairs_of_counts(m):
    """Yield the counts of the two points that a replacement changes: before and after."""
    for lost, won in itertools.product(range(1, m + 1), range(m)):
        if lost + won <= m:
            yield (lost, won), (lost - 1, won + 1)


def stated_excess(learner, m, epsilon, cuts, at):
    """Return the largest excess over all neighbours; the points in common cancel."""
    worst = 0.0
    for before, after in pairs_of_counts(m):
        p, q = (np.outer(*(pieces(n, cuts, epsilon) for n in pair)) for pair in (before, after))
        worst = max(worst, excess(p, q, at), excess(q, p, at))
    return worst


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.05), (0.3, 1e-3), (2.0, 1e-4)])
def test_stability_spends_exactly_its_delta(epsilon, delta):
    # Above every count the ratio of two densities does not change: one piece is exact.
    learner, m = Stability(delta), 3
    cuts = [learner.threshold(epsilon)]
    assert cuts[0] >= m
    found = stated_excess(learner, m, epsilon, cuts, epsilon)
    assert found <= delta * (1 + 1e-9)
    assert found > 0.1 * delta
    planted = stated_excess(learner, m, epsilon, [LowBar(delta).threshold(epsilon)], epsilon)
    # One piece is then only a lower bound on the excess, which is enough.
    assert planted > delta * 1.1


def test_stability_keeps_its_delta_with_a_threshold_among_the_counts():
    # Within a piece of width h a ratio of densities changes by at most e^(eps h), in both
    # points together e^(2 eps h): the excess at eps is at most that of the pieces at less.
    epsilon, delta, m, width = 3.0, 0.2, 4, 0.01
    learner = Stability(delta)
    first = learner.threshold(epsilon)
    assert first < m
    cuts = [first + width * i for i in range(int((m + 1 - first) / width))]
    found = stated_excess(learner, m, epsilon, cuts, epsilon - 2 * epsilon * width)
    assert found <= delta * (1 + 1e-9)
    assert found > 0.1 * delta


def test_stability_enumerates_what_the_pieces_say():
    learner, epsilon = Stability(0.2), 3.0
    cuts = [learner.threshold(epsilon), 2, 3]
    for counts in vectors(3, 2):
        chances = learner.output_distribution(
            sample_of({1: counts[0], 2: counts[1]}, 1), Cell(1, epsilon, 0.2, 0.1)
        )
        right = np.outer(*(pieces(n, cuts, epsilon) for n in counts)).ravel()
        assert list(chances.values()) == pytest.approx(right.tolist(), abs=1e-12)
