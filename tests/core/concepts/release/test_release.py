"""Data release for POINT_d: the laws, by slow ones written a second time, and real runs.

The arithmetic is written out again from the definitions: a noisy count is released if it reaches
the threshold, and it is right if it is less than alpha m off.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from privsc_core.concepts.release import RELEASE
from privsc_core.concepts.release.bounds import LaplaceBound, Packing, Theorem72
from privsc_core.concepts.release.distributions import Hard, Single
from privsc_core.concepts.release.learners import Blr, Geometric, Laplace, Stability
from privsc_core.concepts.release.learners.blr import log_multisets
from privsc_core.concepts.release.learners.histogram import distinct_points, survivor_count
from privsc_core.concepts.shared.sample import Sample
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need
from privsc_core.evaluate.success import success
from tests import budget
from tests.classes.release import blr_success, histogram_success, stability_success, vectors
from tests.core.concepts.release.releases import HISTOGRAMS, USUAL, law, sample_of
from tests.core.support import decimal

# --- Slow, independent laws ---------------------------------------------------------------------


def full_counts(database, m, d, alpha):
    counts = database.counts(m=m, d=d, alpha=alpha)
    return [counts.get(j, 0) for j in range(1, 2**d + 1)]


TINY_CELLS = [
    (m, d, epsilon, alpha)
    for m in (1, 4, 7, 30, 52)
    for d in (1, 2, 4)
    for epsilon in (0.4, 2.0)
    for alpha in (0.07, 0.1, 0.2, 0.24, 0.3)
]


@pytest.mark.parametrize("database", [Single(), Hard()], ids=lambda x: x.name)
@pytest.mark.parametrize("learner", HISTOGRAMS, ids=str)
def test_histogram_laws_are_what_a_product_over_all_points_gives(learner, database):
    for m, d, epsilon, alpha in TINY_CELLS:
        found = law(learner, database, m, d, epsilon, alpha)
        right = histogram_success(learner, full_counts(database, m, d, alpha), epsilon, alpha)
        assert found == pytest.approx(right, rel=1e-9, abs=1e-300), (m, d, epsilon, alpha)


@pytest.mark.parametrize("database", [Single(), Hard()], ids=lambda x: x.name)
@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.2, 0.49])
def test_the_stability_law_is_what_a_product_over_the_seen_points_gives(database, delta):
    for m, d, epsilon, alpha in TINY_CELLS:
        found = law(Stability(), database, m, d, epsilon, alpha, delta=delta)
        right = stability_success(full_counts(database, m, d, alpha), epsilon, alpha, delta)
        assert found == pytest.approx(right, rel=1e-9, abs=1e-15)
        assert found == law(Stability(delta), database, m, d, epsilon, alpha)
        assert found == law(Stability().at(delta), database, m, d, epsilon, alpha)


@pytest.mark.parametrize("database", [Single(), Hard()], ids=lambda x: x.name)
@pytest.mark.parametrize(("d", "alpha"), [(1, 0.2), (1, 0.07), (2, 0.3), (3, 0.33), (1, 0.3)])
def test_the_law_of_blr_is_what_a_list_of_all_synthetic_databases_gives(database, d, alpha):
    for m, epsilon in itertools.product((1, 5, 24, 60), (0.3, 2.0)):
        counts = full_counts(database, m, d, alpha)
        right = blr_success(counts, epsilon, alpha)
        assert law(Blr(), database, m, d, epsilon, alpha) == pytest.approx(right, rel=1e-11)


def test_multisets_are_counted_by_their_largest_multiplicity():
    for d, fewer, size in [(1, 0, 4), (1, 1, 4), (1, 2, 3), (2, 1, 5), (3, 2, 4)]:
        points = 2**d - fewer
        counted = np.exp(log_multisets(d, fewer, size))
        for r in range(size + 1):
            tops = [max(v) for v in vectors(r, points)] if points else [0] * (r == 0)
            assert counted[r] == pytest.approx([tops.count(s) for s in range(size + 1)], rel=1e-12)


def test_multisets_of_huge_domains_add_up_to_the_binomial_coefficient():
    for d in (10, 60, 300):
        logs = log_multisets(d, 2, 12)
        for r in (1, 5, 12):
            total = np.exp(logs[r] - r * d * math.log(2)).sum()
            right = Fraction(math.comb(2**d - 2 + r - 1, r), 2 ** (r * d))
            assert total == pytest.approx(float(right), rel=1e-9)


# --- Reference values ---------------------------------------------------------------------------


def test_reference_values():
    # recipe: theory.md, items 14 and (P), by hand: k0 = ceil(log(9 (T-1)) / eps) entries.
    cell = {"d": [8, 16, 64], **USUAL}
    assert need(Laplace(), Single(), **cell).m.tolist() == [285, 506, 1837]
    assert bound(Packing(), **cell).m.tolist() == [76, 131, 466]
    assert bound(LaplaceBound(), **cell).m.tolist() == [285, 506, 1837]
    # recipe: as computed on 2026-11-21, checked against the brute-force laws above.
    assert need(Laplace(), Hard(), **cell).m.tolist() == [285, 506, 1837]
    assert need(Geometric(), Hard(), **cell).m.tolist() == [281, 511, 1841]
    assert need(Blr(), Hard(), **cell).m.tolist() == [822, 1708, 7032]
    assert need(Stability(), Hard(), **cell).m.tolist() == [201, 201, 201]
    assert bound(Theorem72(), **cell).m.tolist() == [51, 87, 311]


def test_d_of_a_million_answers_at_once():
    cell = {"d": 10**6, **USUAL}
    for learner in RELEASE.learners:
        for database in RELEASE.distributions:
            found = need(learner, database, **cell).m.item()
            right = law(learner, database, int(found), 10**6, 0.5, 0.1)
            assert right >= 0.9 > law(learner, database, int(found) - 1, 10**6, 0.5, 0.1)
    lower, upper = (bound(b, **cell).m.item() for b in (Packing(), LaplaceBound()))
    assert lower <= need(Laplace(), Hard(), **cell).m.item() <= upper < 4.01 * lower


def test_laws_take_arrays():
    m, d = np.array([[10], [300], [10**7]]), np.array([1, 20, 10**6])
    for learner, database in itertools.product(RELEASE.learners, RELEASE.distributions):
        found = success(learner, database, m=m, d=d, epsilon=0.5, alpha=0.3)
        assert found.method == "exact"
        assert found.value.shape == (3, 3)
        for i, j in itertools.product(range(3), range(3)):
            one = law(learner, database, int(m[i, 0]), int(d[j]), 0.5, 0.3)
            assert found.value[i, j] == pytest.approx(one, rel=1e-12)


# --- Real runs ----------------------------------------------------------------------------------

RUN_CELLS = [
    # learner, database, m, d, epsilon, alpha, trials
    (Laplace(), Single(), 60, 1, 0.5, 0.1, 3000),
    (Laplace(), Hard(), 200, 8, 0.5, 0.1, 3000),
    (Laplace(), Hard(), 240, 14, 0.8, 0.1, 1000),
    (Laplace(), Hard(), 60, 3, 0.5, 0.24, 3000),
    (Laplace(), Hard(), 40, 3, 0.5, 0.25, 3000),
    (Laplace(), Single(), 900, 50, 0.8, 0.1, 1500),
    (Laplace(), Hard(), 920, 51, 0.8, 0.1, 1500),
    (Laplace(), Hard(), 1700, 64, 0.5, 0.1, 1500),
    (Laplace(lost=0.01), Hard(), 1700, 64, 0.5, 0.1, 300),
    (Laplace(lost=0.1), Hard(), 60, 3, 0.5, 0.24, 3000),
    (Laplace(), Single(), 25_000, 1024, 0.569, 0.1, 300),
    (Geometric(), Single(), 60, 1, 0.5, 0.1, 3000),
    (Geometric(), Hard(), 200, 8, 0.5, 0.1, 3000),
    (Geometric(), Hard(), 40, 3, 0.5, 0.25, 3000),
    (Geometric(lost=0.1), Hard(), 60, 3, 0.5, 0.24, 3000),
    (Geometric(), Hard(), 900, 50, 0.8, 0.1, 1500),
    (Geometric(), Single(), 920, 51, 0.8, 0.1, 1500),
    (Blr(), Single(), 20, 1, 0.8, 0.2, 3000),
    (Blr(), Hard(), 60, 2, 0.8, 0.2, 3000),
    (Blr(), Hard(), 52, 3, 0.8, 0.25, 2000),
    (Stability(), Hard(), 120, 8, 0.5, 0.2, 3000),
    (Stability(0.05), Hard(), 12, 1000, 1.0, 0.3, 3000),
    (Stability(0.01), Single(), 20, 10, 0.5, 0.4, 3000),
]


@pytest.mark.parametrize("cell", RUN_CELLS, ids=lambda c: f"{c[0]}-{c[1].name}-{c[3]}-{c[2]}")
def test_real_runs_succeed_as_often_as_the_law_says(cell):
    learner, database, m, d, epsilon, alpha, trials = cell
    p = law(learner, database, m, d, epsilon, alpha)
    assert 0.02 < p < 0.98
    rng = np.random.default_rng(len(learner.name) + 1000 * d + m)
    sample = database.draw(m=m, d=d, alpha=alpha, rng=rng)
    hits = sum(
        database.succeeds(
            learner.run(sample, epsilon=epsilon, alpha=alpha, beta=0.1, rng=rng), d=d, alpha=alpha
        )
        for _ in range(trials)
    )
    budget.assert_rate(hits, trials, p, f"{learner.name} on {database.name}")


def test_a_run_at_d_of_a_million():
    # m ~ 2 d log 2 / (eps alpha): the law is in the middle.
    m, d, epsilon, alpha = 277_259, 10**6, 12.5, 0.4
    p = law(Laplace(), Single(), m, d, epsilon, alpha)
    assert 0.02 < p < 0.98
    rng = np.random.default_rng(5)
    sample = Single().draw(m=m, d=d, alpha=alpha, rng=rng)
    hits, largest = 0, 0
    for _ in range(120):
        release = Laplace().run(sample, epsilon=epsilon, alpha=alpha, beta=0.1, rng=rng)
        hits += Single().succeeds(release, d=d, alpha=alpha)
        largest = max(largest, len(release.values))
        assert "bits" in release.description or "point 1" in release.description
    assert largest > 1, "an empty point passed"
    budget.assert_rate(hits, 120, p, "laplace at d = 10^6")


@pytest.mark.parametrize("learner", [*HISTOGRAMS, Stability(0.05)], ids=str)
def test_runs_on_any_database(learner):
    counts, epsilon, trials = [9, 5, 0, 3, 1, 0, 0, 2], 1.0, 4000
    alpha = 0.25 if isinstance(learner, Stability) else 0.15
    sample = sample_of(dict(enumerate(counts, 1)), 3)
    if isinstance(learner, Stability):
        p = stability_success(counts, epsilon, alpha, learner.delta)
    else:
        p = histogram_success(learner, counts, epsilon, alpha)
    assert 0.02 < p < 0.98
    truth = {j: n for j, n in enumerate(counts, 1) if n}
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(trials):
        release = learner.run(sample, epsilon=epsilon, alpha=alpha, beta=0.1, rng=rng)
        assert release.useful(truth, alpha) == (release.error(truth) < decimal(alpha))
        hits += release.useful(truth, alpha)
    budget.assert_rate(hits, trials, p, f"{learner}")


def coarse(release, outcomes):
    """Put a release into the bins of an enumerated law."""
    levels = sorted({value for outcome in outcomes for value in outcome})
    values = [release.values.get(j, 0) for j in range(1, 2**release.d + 1)]
    return tuple(max((e for e in levels if e <= v), default=0) if v else 0 for v in values)


@pytest.mark.parametrize("learner", [Laplace(), Geometric(), Blr(), Stability(0.2)], ids=str)
def test_releases_are_distributed_as_enumerated(learner):
    cell = {"epsilon": 1.2, "alpha": 0.45, "beta": 0.1}
    for x in ([1, 1], [1, 2]):
        sample = Sample.of(1, x, [1] * len(x))
        chances = learner.output_distribution(sample, **cell)
        rng = np.random.default_rng(3)
        seen = dict.fromkeys(chances, 0)
        for _ in range(4000):
            seen[coarse(learner.run(sample, rng=rng, **cell), list(chances))] += 1
        budget.assert_distribution(seen, chances, learner.name)


def test_survivors_are_uniform_and_as_many_as_they_should_be():
    rng = np.random.default_rng(7)
    for d, taken in [(3, {2, 5}), (6, {1, 64}), (12, {7})]:
        number, trials = 3, 3000
        seen = dict.fromkeys(set(range(1, 2**d + 1)) - taken, 0)
        for _ in range(trials):
            found = distinct_points(d, number, taken, rng)
            assert len(set(found)) == number
            for point in found:
                seen[point] += 1
        if d < 7:
            for point, count in seen.items():
                budget.assert_rate(count, trials, number / (2**d - len(taken)), f"point {point}")
    for d in (4, 49, 50, 51, 400):
        mean = 3.0
        draws = [survivor_count(d, 2, math.log(mean) - d * math.log(2), rng) for _ in range(4000)]
        none = sum(x == 0 for x in draws)
        p = (1 - mean / 2**d) ** (2**d - 2) if d < 10 else math.exp(-mean)
        budget.assert_rate(none, len(draws), p, f"no survivor at d = {d}")


def test_the_release_does_not_tell_which_points_were_seen():
    rng = np.random.default_rng(2)
    sample = Sample.of(10, [900, 3, 900, 500], [1, 0, 1, 1])
    for learner in (Laplace(), Geometric(), Stability(0.3)):
        for _ in range(50):
            release = learner.run(sample, epsilon=0.7, alpha=0.3, beta=0.1, rng=rng)
            assert list(release.values) == sorted(release.values)


def test_labels_mean_nothing():
    x = [1, 1, 3, 2]
    for learner in RELEASE.learners:
        cell = {"epsilon": 0.7, "alpha": 0.3, "beta": 0.1}
        one, other = (Sample.of(2, x, y) for y in ([1, 1, 1, 1], [0, 1, 0, 1]))
        assert learner.output_distribution(one, **cell) == learner.output_distribution(
            other, **cell
        )
        first, second = (learner.run(s, rng=np.random.default_rng(1), **cell) for s in (one, other))
        assert first == second
