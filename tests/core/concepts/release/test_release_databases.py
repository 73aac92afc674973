"""Data release for POINT_d: databases, releases, synthetic databases, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from privsc_core.concepts.point.distributions import Point
from privsc_core.concepts.release.distributions import Hard, Release, Single
from privsc_core.concepts.release.learners import Blr, Geometric, Laplace, Stability
from privsc_core.concepts.release.learners.blr import synthetic_size
from privsc_core.concepts.release.learners.histogram import survivors_most
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.need import need
from tests.core.concepts.release.releases import USUAL, law, setting
from tests.core.support import decimal
from tests.depth import deep

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
@hypothesis_settings(max_examples=deep(80, 1_000))
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
        release = Laplace().run(sample, epsilon=0.6, alpha=alpha / 2, beta=0.1, rng=rng)
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
            few, rng=rng, **cell
        ),
        "^m must be larger at d = 64": lambda: Geometric().run(few, rng=rng, **cell),
        "^d must leave at most 200000 synthetic databases": lambda: Blr().run(few, rng=rng, **cell),
        "^d must leave at most 200000 joint releases": lambda: Laplace().output_distribution(
            Sample.of(4, [1, 2], [1, 1]), **cell
        ),
        r"^alpha must be at most 1/3 for hard; got 0\.34": lambda: Hard().check(d=3, alpha=0.34),
        "^alpha must be at most 1/3 for hard": lambda: law(Laplace(), Hard(), 9, 3, 1.0, 0.4),
        r"^alpha must be at least 0\.02 for blr": lambda: law(Blr(), Single(), 9, 3, 1.0, 0.01),
        r"^delta must be in \(0, 0\.5\)": lambda: Stability(0.5).run(few, rng=rng, **cell),
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
    cell = {"epsilon": 1e-9, "alpha": 0.1, "beta": 0.1, "rng": rng}
    for points in (range(1, m + 1), [1] * m):
        index = np.array([p - 1 for p in points])
        sample = Sample(d, tuple(dict.fromkeys(points)), index, np.ones(m, dtype=np.uint8))
        with pytest.raises(InputError, match=r"^m must be larger"):
            Laplace().run(sample, **cell)
    assert survivors_most(10) == 100_000
    assert survivors_most(10**6) == 100


def test_at_keeps_the_default_without_a_delta():
    assert Stability().at(0.0) == Stability()
    assert Stability().at(1e-3) == Stability(1e-3)
    deltas = [need(Stability(), Single(), d=9, delta=x, **USUAL).m for x in (0.0, 1e-6, 1e-12)]
    assert deltas == [93, 93, 117]
    assert synthetic_size(0.1) == 20
    assert synthetic_size(0.3) == 7
