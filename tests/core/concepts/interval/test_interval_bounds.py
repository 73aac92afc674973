"""Littlestone's bound: against the word of theory.md, against a finer grid, and its slope."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest

import privsc_core as pv
from privsc_core.catalog import bound
from privsc_core.concepts.interval import Exponential, Hard
from tests.classes.interval import (
    bits_per_bit,
    by_the_book,
    corollary_4_3,
    hopeless_runs,
    littlestone_entropy,
)
from tests.core.support import law, setting

LITTLESTONE = bound("interval", "littlestone")
ENTROPY = bound("interval", "littlestone-entropy")
QUARTER = bound("interval", "corollary-4.3")
STANDARD = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}


# recipe: theory.md, section 3: the largest impossible m at alpha = beta = 0.1, epsilon = 0.5.
@pytest.mark.parametrize(("d", "largest"), [(16, 7), (64, 44), (1024, 834), (10_000, 8134)])
def test_a_search_by_the_book_excludes_what_theory_md_says(d, largest):
    below, above = math.floor(largest * 0.985) - 1, math.ceil(largest * 1.01) + 1
    assert not by_the_book(below, d, **STANDARD)
    assert by_the_book(above, d, **STANDARD)
    assert ENTROPY.samples(d=d, **STANDARD).m - 1 >= largest


@pytest.mark.parametrize("d", [16, 64, 1024, 10_000])
def test_a_finer_grid_says_the_same(d):
    m = ENTROPY.samples(d=d, **STANDARD).m
    holds = littlestone_entropy
    assert not holds(m - 1, d, *STANDARD.values())
    assert holds(math.ceil(m * 1.003) + 1, d, *STANDARD.values())


rng = np.random.default_rng(43)
CELLS = [
    {
        "d": int(np.exp(rng.uniform(np.log(3), np.log(3000)))),
        "epsilon": float(np.exp(rng.uniform(np.log(0.05), np.log(4)))),
        "alpha": float(np.round(rng.uniform(0.02, 0.45), 3)),
        "beta": float(np.round(rng.uniform(0.01, 0.3), 3)),
    }
    for _ in range(25)
]


@pytest.mark.parametrize("cell", CELLS, ids=lambda c: " ".join(f"{v:.3g}" for v in c.values()))
def test_ours_is_never_weaker_than_the_book(cell):
    m = ENTROPY.samples(**cell).m
    assert LITTLESTONE.samples(**cell).m >= m
    for more in (0, 1, max(2, m // 50)):
        assert by_the_book(m + more, **cell), more


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8, 20, 88, 89, 300, 2000, 10**4, 10**5])
@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.24, 0.25])
def test_the_papers_point_at_any_d(d, alpha):
    for epsilon, beta in ((0.1, 0.1), (2.0, 0.3), (0.5, 0.01)):
        cell = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta}
        m = QUARTER.samples(**cell).m
        if m < 10**5:
            assert corollary_4_3(m, **cell)
            assert m == 1 or not corollary_4_3(m - 1, **cell)
        assert m <= ENTROPY.samples(**cell).m <= LITTLESTONE.samples(**cell).m, cell


def test_the_papers_point_needs_alpha_at_most_a_quarter():
    found = QUARTER.samples(d=100, epsilon=1.0, alpha=0.251, beta=0.1)
    assert found.m is None
    assert "alpha" in found.reason
    # 1 - H2(7/16) = 0.0113 of each bit; below 89 bits it is one bit, one run.
    assert float(bits_per_bit(mp.mpf(7) / 16)) == pytest.approx(0.0113, abs=5e-5)
    assert [hopeless_runs(d, mp.mpf(1) / 4, mp.mpf(1) / 4) for d in (1, 88, 89)] == [1, 1, 2]


# recipe: theory-fx14.md, section 0: the least m not excluded, alpha = beta = 0.1, epsilon = 1/2, 1.
@pytest.mark.parametrize(
    ("d", "half", "one"),
    [(8, 53, 31), (32, 53, 31), (64, 71, 38), (128, 126, 66), (256, 234, 121), (1024, 873, 443),
     (10**4, 8221, 4129)],
)  # fmt: skip
def test_the_drawn_bound_is_the_tree_s(d, half, one):
    found = [LITTLESTONE.samples(d=d, epsilon=e, alpha=0.1, beta=0.1).m for e in (0.5, 1.0)]
    assert found == [half, one]


def test_nothing_is_said_by_entropy_from_alpha_one_half_on():
    for alpha in (0.5, 0.7):
        found = ENTROPY.samples(d=1000, epsilon=0.1, alpha=alpha, beta=0.1)
        assert (found.m, bool(found.note)) == (1, True)
        at = setting([1, 100], 1000, 0.1, alpha, 0.1)
        assert ENTROPY.limit(at).tolist() == [1, 1]
        # Of two concepts that part at one point only one can be right.
        assert LITTLESTONE.samples(d=1, epsilon=0.1, alpha=alpha, beta=0.1).m > 1
    for alpha in (0.499, 0.4999999, 0.49999999999):
        assert ENTROPY.samples(d=1000, epsilon=0.1, alpha=alpha, beta=0.1).m >= 1


def slope(name, d):
    m = pv.bound(concept="interval", bound=name, d=d, **STANDARD).m
    return np.polyfit(np.log(d), np.log(m), 1)[0]


def test_the_slope_in_d_is_one():
    d = np.unique(np.geomspace(10**3, 10**5, 15).astype(int))
    assert slope("littlestone", d) == pytest.approx(1, abs=0.02)
    assert slope("packing", d) == pytest.approx(1, abs=0.02)
    # So proper or not makes a constant: about 17 here, growing no more.
    ratio = [
        pv.bound(concept="interval", bound="packing", d=x, **STANDARD).m
        / pv.bound(concept="interval", bound="littlestone", d=x, **STANDARD).m
        for x in (10**4, 10**5)
    ]
    assert ratio[0] == pytest.approx(ratio[1], rel=0.02)


def test_the_number_turns_as_alpha_and_epsilon_do():
    m = {
        (e, a): LITTLESTONE.samples(d=10**4, epsilon=e, alpha=a, beta=0.1).m
        for e, a in itertools.product((0.1, 0.2, 1.0), (0.01, 0.02, 0.1))
    }
    for e in (0.1, 0.2, 1.0):
        assert m[e, 0.01] / m[e, 0.02] == pytest.approx(2, rel=0.02)
    for a in (0.01, 0.02, 0.1):
        assert m[0.1, a] / m[0.2, a] == pytest.approx(2, rel=0.05)


@pytest.mark.parametrize("entry", [LITTLESTONE, ENTROPY], ids=lambda b: b.name)
@pytest.mark.parametrize("cell", CELLS[:12], ids=lambda c: f"{c['d']}")
def test_the_limit_never_contradicts_the_number(cell, entry):
    rest = cell["d"], cell["epsilon"], cell["alpha"], cell["beta"]
    m = entry.samples(**cell).m
    sizes = np.unique(np.round(m * np.geomspace(0.3, 3, 40)).astype(int).clip(1))
    limit = entry.limit(setting(sizes, *rest))
    assert (np.diff(limit) >= -1e-13).all()
    excluded = limit < 1 - cell["beta"]
    assert (sizes[excluded] < m).all()
    if m > 300:
        # One s for all m is nearly the best for many samples.
        assert excluded[sizes < 0.97 * m].all()


# Planted: deep trees have no long path then, and one was looked for among none.
@pytest.mark.parametrize("alpha", [0.499, 0.5, 0.7, 0.99, 1.0 - 1e-12])
def test_a_deep_tree_has_a_limit_at_every_accuracy(alpha):
    for m, d, epsilon in (
        ([1, 17, 10**6], 1000, 0.3),
        (2, [3, 100, 10**5], 0.01),
        (1, 100, [1e-3, 2]),
    ):
        found = LITTLESTONE.limit(setting(m, d, epsilon, alpha, 0.4))
        assert ((found > 0.0) & (found <= 1.0)).all()
    # By few nodes, all of them mistakes: what 64 exclude, so many more do as well.
    few = LITTLESTONE.limit(setting([1, 2], 64, 0.01, alpha, 0.4))
    assert (LITTLESTONE.limit(setting([1, 2], 1000, 0.01, alpha, 0.4)) <= few + 1e-12).all()


@pytest.mark.parametrize("entry", [LITTLESTONE, ENTROPY], ids=lambda b: b.name)
@pytest.mark.parametrize("cell", CELLS[:6], ids=lambda c: f"{c['d']}")
def test_what_is_told_over_an_axis_without_a_search_is_so_with_one(cell, entry):
    rest, least = (cell["alpha"], cell["beta"]), entry.samples(**cell).m
    d = np.unique(np.geomspace(2, 10_000, 25).astype(int))
    loss = np.geomspace(0.02, 10, 25)
    axes = [(int(bits), cell["epsilon"]) for bits in d], [(cell["d"], e) for e in loss]
    ones = 0
    for m, over in itertools.product((2 * least, 40 * least), axes):
        bits, epsilon = (np.unique(column) for column in zip(*over, strict=True))
        found = entry.limit(setting(m, bits, epsilon, *rest))
        # Curves over m are computed point by point.
        alone = [entry.limit(setting([m, m + 1], *at, *rest))[0] for at in over]
        assert found == pytest.approx(alone, abs=1e-12)
        ones += int((found == 1.0).sum())
    assert ones


def test_no_learner_is_above_the_limit():
    d, m = np.array([[3], [16], [64], [500]]), np.unique(np.geomspace(1, 5000, 40).astype(int))
    for epsilon, alpha in ((0.3, 0.1), (2.0, 0.3), (5.0, 0.45)):
        at = setting(m, d, epsilon, alpha, 0.1)
        assert (Exponential().success(Hard(), at).value <= LITTLESTONE.limit(at) + 1e-12).all()


def test_a_learner_that_beats_it_would_be_seen():
    # Sold at epsilon / 40, the mechanism passes what pure privacy allows.
    m = LITTLESTONE.samples(d=500, epsilon=0.05, alpha=0.1, beta=0.1).m - 1
    assert law(Exponential(), Hard(), m, 500, 0.05, 0.1, 0.1) < 0.9
    assert law(Exponential(), Hard(), m, 500, 2.0, 0.1, 0.1) >= 0.9


def test_packing_in_thirteen_digits():
    entry = bound("interval", "packing")
    for m, d, epsilon, alpha in ((1, 3, 0.5, 0.1), (150, 16, 0.5, 0.1), (900, 100, 0.3, 0.3),
                                 (77, 2, 4.0, 0.45), (9, 5, 1.0, 0.5)):  # fmt: skip
        mass = 2 * mp.mpf(alpha)
        wanted = mp.fsum(
            mp.binomial(m, k) * mass**k * (1 - mass) ** (m - k)
            / (1 + (mp.mpf(2) ** d - 3) * mp.exp(-mp.mpf(epsilon) * k))
            for k in range(m + 1)
        )  # fmt: skip
        found = float(entry.limit(setting(m, d, epsilon, alpha, 0.1)))
        assert float(abs(found - wanted) / wanted) < 1e-12, (m, d)


def test_packing_says_nothing_in_the_smallest_domain_and_above_one_half():
    entry = bound("interval", "packing")
    assert entry.limit(setting([1, 50], 1, 0.5, 0.1, 0.1)).tolist() == [1, 1]
    assert entry.limit(setting([1, 50], 9, 0.5, 0.6, 0.1)).tolist() == [1, 1]
    assert entry.samples(d=1, epsilon=0.5, alpha=0.1, beta=0.1).m == 1
    assert entry.samples(d=9, epsilon=0.5, alpha=0.6, beta=0.1).m == 1
