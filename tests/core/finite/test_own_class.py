"""A class of one's own: laws by enumeration, by the classes that they coincide with, by simulation."""

import itertools

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.sample import Sample
from privsc_core.finite import ready
from privsc_core.finite.concept import FINITE, of_matrix
from privsc_core.finite.concept import laws as own_laws
from tests import budget
from tests.core.support import conditionals, law, setting

LEARNERS = [entry.name for entry in FINITE.learners]
NAMED = pytest.mark.parametrize("name", LEARNERS)


def learner(concept, name):
    return next(entry for entry in concept.learners if entry.name == name)


def drawn(number, seed):
    """Yield small random classes, each with a distribution that has weights and a target."""
    coins = np.random.default_rng(seed)
    for _ in range(number):
        rows, points = coins.integers(2, 9), coins.integers(1, 5)
        of = pv.FiniteClass(coins.integers(0, 2, (rows, points)))
        weights = [*coins.integers(0, 4, points - 1).tolist(), 1]
        concept = of_matrix(of)
        target = int(coins.integers(1, len(of) + 1))
        yield concept, concept.distributions[1].resized(*weights, target)
        yield concept, concept.distributions[0].resized(target)


def by_samples(entry, distribution, m, epsilon, alpha):
    """Sum over all samples and over what the learner puts out, errors from the rows of the matrix."""
    rows, goal = np.array(entry.of.rows()), distribution.number - 1
    masses = np.array([float(mass) for mass in distribution.masses()])
    bits, total = entry.tiny.d, 0.0
    good = {i + 1 for i, row in enumerate(rows) if masses @ (row != rows[goal]) <= alpha + 1e-12}
    for points in itertools.product(np.flatnonzero(masses).tolist(), repeat=m):
        sample = Sample.of(bits, [x + 1 for x in points], rows[goal][list(points)].tolist())
        found = entry.output_distribution(sample, Cell(bits, epsilon, alpha, 0.1))
        total += masses[list(points)].prod() * sum(found[j] for j in good)
    return total


@NAMED
def test_the_law_is_the_sum_over_all_samples(name):
    for (concept, distribution), m in zip(drawn(8, 3), itertools.cycle((1, 2, 4))):
        entry = learner(concept, name)
        found = entry.success(distribution, setting(m, 1, 0.7, 0.25, 0.1))
        assert found.method == "exact"
        assert float(found.value) == pytest.approx(
            by_samples(entry, distribution, m, 0.7, 0.25), abs=1e-13
        )


# --- The same numbers as classes of the catalog --------------------------------------------------


def matrix_of(name, d):
    """Return the matrix of a class of the catalog and of its points, 1 to 2^d, by formula."""
    points = range(1, 2**d + 1)
    rows = {
        "point": [[x == j for x in points] for j in points],
        "interval": [[x < j for x in points] for j in range(1, 2**d + 2)],
        "parity": [[((j - 1) & (x - 1)).bit_count() & 1 for x in points] for j in points],
    }[name]
    return pv.FiniteClass(np.array(rows, dtype=int))


# (class, its learner, its distribution, weights of the points or none for uniform, target, settings)
# `hard` has mass just above alpha where weights have alpha: they are asked a little below.
SAME = [
    ("point", "hard", {1: 9, 8: 1}, 8, LEARNERS, ((20, 0.5), (100, 0.7), (500, 0.2))),
    ("interval", "hard", {1: 8, 3: 1, 4: 1}, 4, LEARNERS[:2], ((20, 0.5), (60, 1.0), (150, 0.3))),
    ("parity", "uniform", None, 8, LEARNERS[:1], ((3, 0.5), (9, 1.5), (14, 0.4))),
    (
        "parity",
        "spikes",
        {1: 3, 2: 1, 3: 1, 5: 1},
        8,
        LEARNERS[:2],
        ((3, 0.5), (20, 1.5), (60, 0.4)),
    ),
]


@pytest.mark.parametrize("same", SAME, ids=lambda same: f"{same[0]}-{same[1]}")
def test_a_matrix_of_a_class_of_the_catalog_has_its_laws(same):
    name, law_name, weights, target, names, settings = same
    theirs, d = catalog.concept(name), 3
    concept = of_matrix(matrix_of(name, d))
    distribution = concept.distributions[0].resized(target)
    if weights:
        every = [weights.get(x, 0) for x in range(1, 2**d + 1)]
        distribution = concept.distributions[1].resized(*every, target)
    other = catalog.distribution(name, law_name)
    for entry, (m, epsilon) in itertools.product(names, settings):
        own = law(learner(concept, entry), distribution, m, 1, epsilon, 0.0999, 0.1)
        ours = law(learner(theirs, entry), other, m, d, epsilon, 0.1, 0.1)
        assert own == pytest.approx(ours, abs=1e-12), (entry, m, epsilon)


# --- Drawn types ---------------------------------------------------------------------------------


@NAMED
def test_drawn_types_agree_with_the_sum_over_all(name, monkeypatch):
    concept = of_matrix(ready("subsets-6-2"))
    entry, distribution = (
        learner(concept, name),
        concept.distributions[1].resized(3, 1, 2, 1, 1, 4, 5),
    )
    cell = (9, 1, 0.8, 0.3, 0.1)
    exact = law(entry, distribution, *cell)
    with monkeypatch.context() as patch:
        patch.setattr(own_laws, "TYPES_MOST", 0)
        patch.setattr("privsc_core.finite.concept.learners.SUBSETS_MOST", 0)
        estimate, given = conditionals(entry, distribution, cell, monkeypatch, trials=4000)
        assert estimate.method == "rao-blackwell"
        budget.assert_mean(given, exact, what=name)
        # Planted: a group of points that is seen as often as another one.
        planted = concept.distributions[1].resized(1, 1, 2, 1, 3, 4, 5)
        _, wrong = conditionals(entry, planted, cell, monkeypatch, trials=4000)
    with pytest.raises(AssertionError):
        budget.assert_mean(wrong, exact, what=name)
