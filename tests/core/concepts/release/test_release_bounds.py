"""Data release for POINT_d: what its bounds promise and exclude, and whole numbers of entries."""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from privsc_core.concepts.release import RELEASE
from privsc_core.concepts.release.bounds import (
    LaplaceBound,
    Packing,
    PackingTwo,
    Theorem71,
    Theorem72,
)
from privsc_core.concepts.release.distributions import (
    Hard,
    Single,
    entries,
    entries_scalar,
    least_m,
)
from privsc_core.concepts.release.learners import Geometric, Laplace
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.need import need
from tests.classes.release import histogram_success, vectors
from tests.core.concepts.release.releases import USUAL, law, setting
from tests.core.support import decimal
from tests.depth import deep

mp.mp.dps = 50


def settings_of(draw):
    return {
        "d": draw(st.integers(1, 300)),
        "epsilon": draw(st.floats(0.05, 4.0)),
        "alpha": draw(st.integers(20, 333)) / 1000,
        "beta": draw(st.floats(0.01, 0.3)),
    }


@given(st.data())
@hypothesis_settings(max_examples=deep(60, 1_000))
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


@given(st.data())
@hypothesis_settings(max_examples=deep(60, 1_000))
def test_lower_bounds_satisfy_their_inequality_and_one_less_does_not(data):
    cell = settings_of(data.draw)
    for entry, factor in ((Packing(), 2), (Theorem72(), 3)):
        m = int(bound(entry, **cell).m)

        def holds(m, factor=factor):
            changed = math.ceil(factor * decimal(cell["alpha"]) * m)
            rivals = mp.mpf(2) ** cell["d"] - 1
            b = mp.mpf(cell["beta"])
            return rivals * mp.exp(-mp.mpf(cell["epsilon"]) * changed) * (1 - b) <= b

        assert holds(m)
        assert m == 1 or not holds(m - 1)


@pytest.mark.parametrize("entry", [Packing(), PackingTwo()], ids=lambda x: x.name)
def test_the_limit_of_a_packing_bound_passes_one_minus_beta_at_its_number(entry):
    m = int(bound(entry, d=16, **USUAL).m)
    limits = entry.limit(setting([m - 1, m], 16, 0.5, 0.1))
    assert limits[0] < 0.9 <= limits[1]
    # No pure mechanism does better, averaged over the family (k entries i, the rest 1).
    for sizes, d in ((np.arange(1, 40), 2), (np.arange(1, 40), 3)):
        for learner in (Laplace(), Geometric()):
            for m in sizes.tolist():
                k = entries_scalar(2, 0.2, m)
                rare = histogram_success(learner, [m - k, k] + [0] * (2**d - 2), 1.0, 0.2)
                single = histogram_success(learner, [m] + [0] * (2**d - 1), 1.0, 0.2)
                average = (single + (2**d - 1) * rare) / 2**d
                assert average <= entry.limit(setting(m, d, 1.0, 0.2)) + 1e-12


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


def test_bounds_bind_whom_they_should():
    names = {b.name: [a.name for a in RELEASE.learners if b.binds(a)] for b in RELEASE.bounds}
    pure = ["laplace", "geometric", "blr"]
    assert names == {
        "packing": pure, "packing-two": pure, "theorem-7.2": pure, "laplace": ["laplace"], "theorem-7.1": ["blr"],
    }  # fmt: skip
    for entry in RELEASE.bounds:
        for text in (entry.statement, entry.derivation):
            assert text.count("$") % 2 == 0
            assert text.count("{") == text.count("}")
        for database in RELEASE.distributions:
            assert entry.holds_on(database, d=1, epsilon=0.5, alpha=0.1, beta=0.1)


def test_the_limit_of_the_laplace_bound_broadcasts_over_small_and_large_domains():
    d = np.array([1, 2, 3, 9, 100])
    limits = LaplaceBound().limit(setting([[50], [500]], d, 2.0, 0.1))
    for (row, m), (column, bits) in itertools.product(enumerate((50, 500)), enumerate(d.tolist())):
        one = float(LaplaceBound().limit(setting(m, bits, 2.0, 0.1)))
        assert limits[row, column] == pytest.approx(one, rel=1e-13)


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
