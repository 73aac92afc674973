"""What every bound promises: words, whole numbers rounded as stated, and a limit that agrees."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from privsc_core.catalog import bound
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.bounds.lower import Nonprivate
from privsc_core.literature.papers import papers
from tests.classes import inequality, known
from tests.classes.point import hashing, packing_mean, violates_3_9
from tests.core.suites import NUMBERED
from tests.core.support import BOUNDS, LEARNERS, setting
from tests.depth import deep, spread
from tests.referee.anyone import anyone

rng = np.random.default_rng(20)
# Settings drawn once: (d, epsilon, alpha, beta); claim-4.5 needs epsilon < 1, beta < 0.14.
CELLS = [
    (
        int(np.exp(rng.uniform(0, np.log(120)))),
        float(rng.uniform(0.2, 0.99)),
        float(np.round(rng.uniform(0.05, 0.45), 3)),
        float(np.round(rng.uniform(0.01, 0.13), 3)),
    )
    for _ in range(deep(4, 8))
] + [
    (2, 3.0, 0.3, 0.6),
    (1, 1.0, 0.1, 0.1),
    (16, 1.0, 0.07, 0.1),
    (40, 4.0, 0.2, 0.3),
    (30, 1.0, 0.06, 0.1),
]


def samples(entry, cell, concept=None):
    d, epsilon, alpha, beta = cell
    return entry.least(Cell(d, epsilon, alpha, beta, delta=slack(concept, entry)))


def slack(concept, entry):
    return known(concept).slack.get(entry.name, 0.0) if concept else 0.0


@pytest.mark.parametrize(("concept", "entry"), BOUNDS)
def test_is_described(concept, entry):
    assert entry.title
    assert entry.source.place
    assert entry.source.paper in papers() or entry.source.paper == "ours"
    assert len(entry.statement) > 10
    assert entry.statement.count("{") == entry.statement.count("}")
    assert len(entry.derivation) > 100
    assert entry.derivation.count("$") % 2 == 0
    assert entry.applies_to
    assert any(entry.binds(x) for x in concept.learners)


@pytest.mark.parametrize(("concept", "learner"), LEARNERS)
def test_a_lower_bound_for_private_learners_does_not_bind_the_others(concept, learner):
    bound_by = {b.name for b in concept.bounds if b.kind == "lower" and b.binds(learner)}
    for name, speaks_of in known(concept).binds.items():
        assert (name in bound_by) == speaks_of(learner), name


@pytest.mark.parametrize(("concept", "entry"), [p for p in BOUNDS if p.values[1].kind == "lower"])
def test_a_bound_on_full_privacy_is_not_drawn_for_learners_that_protect_labels_alone(
    concept, entry
):
    for proper in (True, False):
        label, full, free = (
            anyone("functions", privacy, proper=proper) for privacy in ("label", "pure", "none")
        )
        if entry.binds(label) and not entry.binds(free):
            assert entry.adjacency == "label"
        # Who protects whole examples protects labels.
        assert entry.binds(full) or not entry.binds(label)


@pytest.mark.parametrize(
    ("concept", "entry"), [p for p in BOUNDS if p.values[1].constants == "rate"]
)
def test_a_rate_has_no_number(concept, entry):
    for cell in CELLS:
        found = samples(entry, cell)
        assert found.m is None
        assert "without a constant" in found.reason


@pytest.mark.parametrize(("concept", "entry"), spread(NUMBERED, 39))
def test_the_number_is_the_least_that_the_inequality_allows(concept, entry):
    own = known(concept)
    holds, compared = inequality(concept, entry.name), 0
    for cell in CELLS:
        found = samples(entry, cell, concept)
        if found.m is None:
            assert found.reason
            continue
        assert isinstance(found.m, int)
        assert found.m >= 1
        assert holds(found.m + math.ceil(own.searched.get(entry.name, 0) * found.m), *cell), (
            cell,
            found.m,
        )
        assert found.m == 1 or not holds(found.m - 1, *cell), (cell, found.m)
        compared += found.m > 1
    assert compared >= 4


@pytest.mark.parametrize(("concept", "entry"), BOUNDS)
def test_the_limit_crosses_the_target_exactly_at_the_number(concept, entry):
    seen = entry.constants == "rate"
    for d, epsilon, alpha, beta in CELLS:
        found = samples(entry, (d, epsilon, alpha, beta), concept)
        if found.m is None:
            continue
        seen = True
        m = [found.m, max(found.m - 1, 1)]
        limit = entry.limit(setting(m, d, epsilon, alpha, beta, delta=slack(concept, entry)))
        if limit is None:
            assert entry.constants == "paper" or entry.name in known(concept).without_limit
            continue
        assert limit.shape == (2,)
        assert limit[0] >= 1 - beta - 1e-12
        # The number takes the best s of a grid, the limit one s: it may cross a little earlier.
        assert found.m == 1 or limit[1] < 1 - beta or entry.name in known(concept).searched
    assert seen


@pytest.mark.parametrize(("concept", "entry"), BOUNDS)
def test_limits_broadcast_and_never_fall_with_m(concept, entry):
    m = np.unique(np.geomspace(1, 10**6, 60).astype(np.int64))[:, None]
    grid = entry.limit(setting(m, [[20]], [0.2, 1.0, 3.0], 0.1, 0.1, delta=slack(concept, entry)))
    if grid is None:
        return
    assert grid.shape == (len(m), 3)
    assert (np.diff(grid, axis=0) >= -1e-12).all()
    assert grid.max() <= 1 + 1e-12
    assert grid[0, 0] < grid[-1, 0]


@pytest.mark.parametrize(("concept", "entry"), spread(BOUNDS, 41))
def test_huge_settings_are_answered(concept, entry):
    for cell in ((10**6, 0.01, 0.01, 0.01), (10**6, 50.0, 0.49, 0.5), (1, 1e-6, 1e-4, 1e-6)):
        found = samples(entry, cell, concept)
        assert (found.m is None) == bool(found.reason)


# (1 - 1/2)^m / 2 = 2^-k holds with equality at m = k - 1: the tie is allowed, not excluded.
@pytest.mark.parametrize("k", range(2, 40))
def test_ties_round_to_the_tie(k):
    assert Nonprivate().least(Cell(4, 1.0, 0.5, 2.0**-k)).m == k - 1
    assert Fraction(1, 2) ** (k - 1) / 2 == Fraction(1, 2**k)


def test_the_packing_limit_in_thirteen_digits():
    entry = bound("point", "packing")
    for m, d, epsilon, alpha in ((1, 2, 0.5, 0.1), (300, 16, 0.5, 0.1), (1018, 64, 0.5, 0.1),
                                 (10_000, 1000, 0.5, 0.2), (77, 3, 4.0, 0.45)):  # fmt: skip
        wanted = packing_mean(m, d, epsilon, alpha)
        found = float(entry.limit(setting(m, d, epsilon, alpha, 0.1)))
        assert float(abs(found - wanted) / wanted) < 1e-13 + 1e-15 * d, (m, d)


def test_lemma_3_9_reports_one_more_than_the_largest_violation():
    # At d = 8, alpha = beta = 0.1, epsilon = 0.5 exactly m = 4..27 violate.
    assert [m for m in range(1, 200) if violates_3_9(m, 8, 0.5, 0.1, 0.1)] == list(range(4, 28))
    assert bound("point", "lemma-3.9").least(Cell(8, 0.5, 0.1, 0.1)).m == 28


def test_claim_4_5_is_silent_where_its_proof_is():
    entry = bound("point", "claim-4.5")
    for beta, valid in ((0.01, True), (0.05, True), (0.1, True), (0.15, False), (0.3, False)):
        runs = mp.ceil(mp.log(5 / mp.mpf(beta)) / mp.log(1.25))
        failure = beta / 5 + beta**2 / 3 + runs * beta**2 / 3 + runs * beta**6 / 27
        found = entry.least(Cell(8, 0.5, 0.1, beta))
        assert (failure <= beta) is valid
        assert (found.m is not None) is valid
    assert entry.least(Cell(8, 1.0, 0.1, 0.1)).m is None
    assert entry.least(Cell(8, 0.5, 0.5, 0.1)).m is None


def test_theorem_4_2_is_vacuous_until_d_17():
    entry = bound("point", "theorem-4.2")
    notes = {d: entry.least(Cell(d, 0.5, 0.1, 0.1)) for d in range(1, 40)}
    assert all(notes[d].m is None for d in range(1, 16))
    # |H_d| = 8 e 21^2 d = 9590 d against 2^d.
    assert all(notes[d].note.startswith("vacuous") for d in (16, 17))
    assert not any("vacuous" in notes[d].note for d in range(18, 40))


@pytest.mark.parametrize(
    "cell", [(9, 6.0, 0.02, 0.01), (9, 3.0, 0.005, 0.05), (9, 0.1, 0.02, 0.01)]
)
def test_the_hash_bound_is_the_best_of_a_finer_grid(cell):
    m = samples(bound("point", "hash"), cell).m
    assert hashing(m, *cell)
    assert not hashing(math.floor(m * 0.9995) - 1, *cell)
