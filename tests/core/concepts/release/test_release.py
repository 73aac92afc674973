"""Data release for POINT_d: the laws, by slow ones written a second time, and real runs.

The arithmetic is written out again from the definitions: a noisy count is released if it reaches
the threshold, and it is right if it is less than alpha m off.
"""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.release import RELEASE
from privsc_core.concepts.release.bounds import (
    LaplaceBound,
    Packing,
    Theorem71,
    Theorem72,
)
from privsc_core.concepts.release.distributions import (
    Hard,
    Release,
    Single,
    entries,
    entries_scalar,
    least_m,
)
from privsc_core.concepts.release.learners import Blr, Geometric, Laplace, Stability
from privsc_core.concepts.release.learners.blr import (
    log_multisets,
    log_odds,
    splits_of,
    synthetic_size,
)
from privsc_core.concepts.release.learners.histogram import (
    distinct_points,
    survivor_count,
    survivors_most,
)
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need
from tests import budget
from tests.classes.release import blr_success, histogram_success, stability_success, vectors
from tests.core.concepts.release.releases import HISTOGRAMS, USUAL, law, sample_of, setting
from tests.core.support import decimal
from tests.depth import deep, spread, whole

# --- Slow, independent laws ---------------------------------------------------------------------


def full_counts(database, m, d, alpha):
    counts = database.counts(m=m, d=d, alpha=alpha)
    return [counts.get(j, 0) for j in range(1, 2**d + 1)]


TINY_CELLS = [
    (m, d, epsilon, alpha)
    for m in deep((4, 7, 52), (1, 4, 7, 30, 52))
    for d in (1, 2, 4)
    for epsilon in deep((0.4,), (0.4, 2.0))
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
@pytest.mark.parametrize(("d", "alpha"), [(1, 0.2), (1, 0.07), (2, 0.3), whole(3, 0.33), (1, 0.3)])
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


@pytest.mark.parametrize(
    "cell",
    spread([(cell,) for cell in RUN_CELLS], 12),
    ids=lambda c: f"{c[0]}-{c[1].name}-{c[3]}-{c[2]}",
)
def test_real_runs_succeed_as_often_as_the_law_says(cell):
    learner, database, m, d, epsilon, alpha, trials = cell
    trials = max(300, trials // deep(3, 1))
    p = law(learner, database, m, d, epsilon, alpha)
    assert 0.02 < p < 0.98
    rng = np.random.default_rng(len(learner.name) + 1000 * d + m)
    sample = database.draw(m=m, d=d, alpha=alpha, rng=rng)
    hits = sum(
        database.succeeds(
            learner.run(sample, Cell(sample.d, epsilon, alpha, 0.1), rng), d=d, alpha=alpha
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
        release = Laplace().run(sample, Cell(sample.d, epsilon, alpha, 0.1), rng)
        hits += Single().succeeds(release, d=d, alpha=alpha)
        largest = max(largest, len(release.values))
        assert "bits" in release.description or "point 1" in release.description
    assert largest > 1, "an empty point passed"
    budget.assert_rate(hits, 120, p, "laplace at d = 10^6")


@pytest.mark.parametrize("learner", [*HISTOGRAMS, Stability(0.05)], ids=str)
def test_runs_on_any_database(learner):
    counts, epsilon, trials = [9, 5, 0, 3, 1, 0, 0, 2], 1.0, deep(1500, 4000)
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
        release = learner.run(sample, Cell(sample.d, epsilon, alpha, 0.1), rng)
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
        chances = learner.output_distribution(sample, Cell(sample.d, **cell))
        rng = np.random.default_rng(3)
        seen = dict.fromkeys(chances, 0)
        for _ in range(deep(1500, 4000)):
            seen[coarse(learner.run(sample, Cell(sample.d, **cell), rng), list(chances))] += 1
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
            release = learner.run(sample, Cell(sample.d, 0.7, 0.3, 0.1), rng)
            assert list(release.values) == sorted(release.values)


def test_labels_mean_nothing():
    x = [1, 1, 3, 2]
    for learner in RELEASE.learners:
        cell = {"epsilon": 0.7, "alpha": 0.3, "beta": 0.1}
        one, other = (Sample.of(2, x, y) for y in ([1, 1, 1, 1], [0, 1, 0, 1]))
        assert learner.output_distribution(one, Cell(one.d, **cell)) == learner.output_distribution(
            other, Cell(other.d, **cell)
        )
        first, second = (
            learner.run(s, Cell(s.d, **cell), np.random.default_rng(1)) for s in (one, other)
        )
        assert first == second


# Data release for POINT_d: what its bounds promise and exclude, and whole numbers of entries.


mp.mp.dps = 50


def settings_of(draw):
    return {
        "d": draw(st.integers(1, 300)),
        "epsilon": draw(st.floats(0.05, 4.0)),
        "alpha": draw(st.integers(20, 333)) / 1000,
        "beta": draw(st.floats(0.01, 0.3)),
    }


@given(st.data())
@hypothesis_settings(max_examples=deep(30, 1_000))
def test_the_laplace_histogram_lies_between_its_bounds(data):
    cell = settings_of(data.draw)
    lower = bound(Packing(), **cell).m.item()
    paper = bound(Theorem72(), **cell).m.item()
    upper = bound(LaplaceBound(), **cell).m.item()
    assert paper <= lower
    if math.isnan(upper):
        assert cell["alpha"] == 0.25
        return
    for database in (Single(), Hard()):
        reached = law(Laplace(), database, int(upper), cell["d"], cell["epsilon"], cell["alpha"])
        assert reached >= 1 - cell["beta"] - 1e-12
    if cell["alpha"] <= 0.2:
        for database in (Single(), Hard()):
            assert lower <= need(Laplace(), database, **cell).m.item() <= upper


@pytest.mark.parametrize("lost", [0.5, 0.1, 0.003])
def test_the_laplace_bound_holds_on_every_database_it_covers(lost):
    learner, entry = Laplace(lost=lost), LaplaceBound(lost=lost)
    for m, d, epsilon, alpha in [
        (6, 2, 2.0, 0.17), (10, 2, 3.0, 0.1), (12, 2, 1.0, 0.3), (20, 1, 2.0, 0.25),
        (7, 2, 2.0, 0.6),
    ]:  # fmt: skip
        promised = float(entry.limit(setting(m, d, epsilon, alpha)))
        reach, checked = decimal(alpha) * m, 0
        for counts in vectors(m, 2**d):
            if list(counts) != sorted(counts):
                continue
            if lost == 0.5 and any(reach <= n < 2 * reach for n in counts):
                continue
            checked += 1
            assert histogram_success(learner, counts, epsilon, alpha) >= promised - 1e-12
        assert checked


def test_no_m_is_enough_for_a_count_at_the_threshold():
    # The databases with 10% of the entries at a point: alpha m entries exactly.
    for m in (100, 1000):
        counts = [m - m // 10, m // 10]
        at = [histogram_success(x, counts, 2.0, 0.1) for x in (Laplace(), Geometric())]
        assert max(at) < 0.74
        assert at[0] <= 0.5
        assert histogram_success(Laplace(lost=0.001), counts, 2.0, 0.1) > 0.99 or m == 100
    found = bound(LaplaceBound(), d=8, epsilon=0.5, alpha=0.25, beta=0.1)
    assert math.isnan(found.m)
    assert "threshold" in found.reason.item()
    every = bound(LaplaceBound(lost=0.001), d=8, epsilon=0.5, alpha=0.25, beta=0.1)
    assert every.m < 1.1 * bound(LaplaceBound(), d=8, epsilon=0.5, alpha=0.24, beta=0.1).m


def test_bounds_without_a_number_say_why():
    cell = {"d": 8, "epsilon": 0.5, "beta": 0.1}
    assert "rate" in bound(Theorem71(), alpha=0.1, **cell).reason.item()
    assert "3 alpha <= 1" in bound(Theorem72(), alpha=0.34, **cell).reason.item()
    wide = bound(Packing(), alpha=0.51, **cell)
    assert wide.m == 1
    assert "nothing" in wide.note.item()
    assert Packing().limit(setting(5, 8, 0.5, 0.51)) == 1
    tiny = bound(Packing(), d=10**6, epsilon=1e-9, alpha=0.1, beta=0.1)
    assert math.isnan(tiny.m)
    assert "searched" in tiny.reason.item()


@given(st.integers(1, 10**12), st.integers(1, 999_999_999), st.integers(1, 12),
       st.integers(1, 100))  # fmt: skip
def test_whole_numbers_of_entries_are_exact(m, digits, places, factor):
    alpha = float(f"0.{digits:0{places}d}")
    right = math.ceil(factor * Fraction(repr(alpha)) * m)
    assert entries_scalar(factor, alpha, m) == right
    assert entries(factor, alpha, np.array([m]))[0] == right
    if right > 1:
        least = least_m(factor, alpha, right)
        assert entries_scalar(factor, alpha, least) >= right
        assert least == 1 or entries_scalar(factor, alpha, least - 1) < right


# Data release for POINT_d: databases, releases, synthetic databases, and what is refused.


# --- Databases and releases ---------------------------------------------------------------------


def test_the_hard_database_is_counted_in_decimals():
    # 3 * 0.1 * 10 is 3.0000000000000004 in floats.
    assert Hard().counts(m=10, d=4, alpha=0.1) == {16: 3, 1: 7}
    assert Hard().counts(m=50, d=4, alpha=0.07) == {16: 11, 1: 39}
    assert Hard().counts(m=1, d=1, alpha=0.3) == {2: 1}
    assert Single().counts(m=9, d=1, alpha=0.9) == {2: 9}
    rng = np.random.default_rng(0)
    drawn = Hard().draw(m=10, d=4, alpha=0.1, rng=rng)
    assert drawn.size == 10
    assert drawn.labels.tolist() == [1] * 10
    assert [drawn.points[i] for i in drawn.index.tolist()].count(16) == 3


def test_usefulness_is_strict():
    one = Release.of(2, 10, {4: 9, 1: 1})
    assert not Single().succeeds(one, d=2, alpha=0.1)
    assert Single().succeeds(one, d=2, alpha=0.11)
    assert Single().succeeds(Release.of(2, 10, {4: 9.0001}), d=2, alpha=0.1)
    assert not Single().succeeds(FAILURE, d=2, alpha=0.1)
    with pytest.raises(TypeError, match="release"):
        Single().succeeds(Point(1), d=2, alpha=0.1)
    with pytest.raises(TypeError, match="database"):
        Laplace().success(None_(), setting(5, 2, 1.0, 0.1))


class None_:  # noqa: N801 - stands for a distribution of another class
    name = "uniform"


def test_a_release_describes_itself():
    one = Release.of(3, 10, {5: 2, 1: 7, 8: 0})
    assert list(one.values) == [1, 5]
    assert (one.fraction(1), one.fraction(8)) == (0.7, 0.0)
    assert [one.predict(j) for j in (1, 2, 5, 8)] == [1, 0, 1, 0]
    assert one.weight == 2
    assert one.parameters == {"counts": "0x1: 7, 0x5: 2", "total": "10"}
    assert one.description.count("\n") == 0
    assert "as 0" in Release.of(3, 10, {}).description


# --- Synthetic databases ------------------------------------------------------------------------


def least_deviation(fractions):
    """Solve for the nearest vector as a linear program."""
    size = len(fractions)
    rows = np.vstack([np.eye(size), -np.eye(size)])
    found = linprog(
        c=[0] * size + [1],
        A_ub=np.hstack([rows, -np.ones((2 * size, 1))]),
        b_ub=np.concatenate([fractions, -np.asarray(fractions)]),
        A_eq=[[1] * size + [0]], b_eq=[1],
    )  # fmt: skip
    return found.fun


@given(st.lists(st.floats(0, 30), min_size=4, max_size=4), st.integers(1, 40))
@hypothesis_settings(max_examples=deep(40, 1_000))
def test_the_synthetic_database_is_nearest_up_to_rounding(values, entries):
    one = Release.of(2, 20, dict(enumerate(values, 1)))
    made = one.synthetic(entries)
    assert sum(made.values.values()) == made.total == entries
    assert all(isinstance(v, int) and v > 0 for v in made.values.values())
    best = least_deviation([v / 20 for v in values])
    far = max(abs(made.fraction(j) - one.fraction(j)) for j in range(1, 5))
    assert far < best + 1 / entries + 1e-7
    fine = one.synthetic(10**9)
    far = max(abs(fine.fraction(j) - one.fraction(j)) for j in range(1, 5))
    assert far == pytest.approx(best, abs=1e-6)


def test_half_the_error_leaves_a_useful_synthetic_database():
    rng = np.random.default_rng(12)
    alpha, m, kept = 0.2, 300, 0
    for _ in range(60):
        d = int(rng.integers(1, 12))
        sample = Hard().draw(m=m, d=d, alpha=alpha, rng=rng)
        truth = Hard().counts(m=m, d=d, alpha=alpha)
        release = Laplace().run(sample, Cell(sample.d, 0.6, alpha / 2, 0.1), rng)
        made = release.synthetic()
        if release.error(truth) < decimal(alpha) / 2:
            kept += 1
            assert made.error(truth) < decimal(alpha) + Fraction(1, made.total)
            finer = release.synthetic(5 * m)
            assert finer.error(truth) < decimal(alpha) + Fraction(1, finer.total)
        # What is judged is the rounded one.
        assert Hard().succeeds(made, d=d, alpha=alpha) == (made.error(truth) < decimal(alpha))
    assert kept > 40


def test_synthetic_databases_of_huge_domains():
    empty = Release.of(10**6, 5, {})
    assert empty.synthetic().values == {1: 1, 2: 1, 3: 1, 4: 1, 5: 1}
    short = Release.of(10**6, 5, {2: 1.5, 1 << 10**6: 2.75})
    assert short.synthetic().values == {2: 2, 1 << 10**6: 3}
    full = Release.of(1, 4, {1: 8.0, 2: 2.0})
    assert full.synthetic().values == {1: 4}
    assert Release.of(1, 4, {}).synthetic(7).values == {1: 4, 2: 3}
    with pytest.raises(InputError, match=r"^entries must be at least 1; got 0\.$"):
        empty.synthetic(0)


# --- Refusals -----------------------------------------------------------------------------------


def test_refusals_are_one_sentence():
    rng = np.random.default_rng(1)
    few = Sample.of(64, [1, 2], [1, 1])
    cell = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
    refused = {
        "^m must be larger at d = 64: at most 100000 empty points": lambda: Laplace().run(
            few, Cell(few.d, **cell), rng
        ),
        "^m must be larger at d = 64": lambda: Geometric().run(few, Cell(few.d, **cell), rng),
        "^d must leave at most 200000 synthetic databases": lambda: Blr().run(
            few, Cell(few.d, **cell), rng
        ),
        "^d must leave at most 200000 joint releases": lambda: Laplace().output_distribution(
            Sample.of(4, [1, 2], [1, 1]), Cell(4, **cell)
        ),
        r"^alpha must be at most 1/3 for hard; got 0\.34": lambda: Hard().check(d=3, alpha=0.34),
        "^alpha must be at most 1/3 for hard": lambda: law(Laplace(), Hard(), 9, 3, 1.0, 0.4),
        r"^alpha must be at least 0\.02 for blr": lambda: law(Blr(), Single(), 9, 3, 1.0, 0.01),
        r"^delta must be in \(0, 0\.5\)": lambda: Stability(0.5).run(few, Cell(few.d, **cell), rng),
    }
    for match, ask in refused.items():
        with pytest.raises(InputError, match=match) as found:
            ask()
        message = str(found.value)
        assert message.endswith(".")
        assert "\n" not in message
        assert message.count("; got ") == 1


def test_a_refusal_does_not_depend_on_the_data():
    rng = np.random.default_rng(1)
    # 2^17 points, half of which pass: more than are allowed, whatever was seen.
    d, m = 18, 2**18 - 2
    cell = {"epsilon": 1e-9, "alpha": 0.1, "beta": 0.1}
    for points in (range(1, m + 1), [1] * m):
        index = np.array([p - 1 for p in points])
        sample = Sample(d, tuple(dict.fromkeys(points)), index, np.ones(m, dtype=np.uint8))
        with pytest.raises(InputError, match=r"^m must be larger"):
            Laplace().run(sample, Cell(sample.d, **cell), rng)
    assert survivors_most(10) == 100_000
    assert survivors_most(10**6) == 100


def test_at_keeps_the_default_without_a_delta():
    assert Stability().at(0.0) == Stability()
    assert Stability().at(1e-3) == Stability(1e-3)
    deltas = [need(Stability(), Single(), d=9, delta=x, **USUAL).m for x in (0.0, 1e-6, 1e-12)]
    assert deltas == [93, 93, 117]
    assert synthetic_size(0.1) == 20
    assert synthetic_size(0.3) == 7


# Sums over synthetic databases: what is left out changes nothing.


def plainly(d, splits, cell):
    """Log odds by every (split, largest multiplicity of the other points), one after the other."""
    far, limit, rate, m = cell
    number = log_multisets(d, len(splits.counts), splits.size)
    sums = {True: [-np.inf], False: [-np.inf]}
    for left, gap in zip(splits.left.tolist(), far.tolist(), strict=True):
        for s in range(splits.size + 1):
            error = max(gap, s * m)
            sums[error < limit].append(number[left, s] - rate * error / splits.size)
    return np.logaddexp.reduce(sums[True]) - np.logaddexp.reduce(sums[False])


@pytest.mark.parametrize("d", [1, 3, 12, 300])
@pytest.mark.parametrize(("size", "points"), [(7, 2), (23, 1)])
def test_log_odds_equal_the_plain_sum(d, size, points):
    rng = np.random.default_rng(d)
    splits = splits_of(size, points)
    m = rng.integers(1, 10**4, 6)
    truth = rng.dirichlet(np.ones(points + 1), 6)[:, :points]
    rate = 10.0 ** rng.uniform(-3, 1, 6)
    limit = m * size * rng.uniform(0.1, 0.6, 6)
    gap = splits.furthest(lambda j: m[:, None] * (splits.counts[j] - size * truth[:, j, None]))
    bits = np.array([d, d + 1, d, d + 5, d, d + 1])
    found = log_odds(bits, splits, lambda here: gap[here], limit, rate, m)
    wanted = [
        plainly(one, splits, cell)
        for one, cell in zip(bits.tolist(), zip(gap, limit, rate, m, strict=True), strict=True)
    ]
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-11)
