"""Rectangles: reference values, weights by brute force, laws on hard8 by other means."""

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from privsc_core.certify.balls import At
from privsc_core.concepts.contracts import Cell, TinyInstance
from privsc_core.concepts.rectangle import RECTANGLE
from privsc_core.concepts.rectangle.laws import by_sides, conditional
from privsc_core.concepts.rectangle.learners import Exponential, Generic, weights_of
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit, audited
from privsc_core.numerics.binomial import binomial_ends, binomial_span
from tests import budget
from tests.classes.rectangle import KNOWN
from tests.core.support import law, setting

HARD8, UNIFORM = RECTANGLE.distributions
ERM, EXPONENTIAL, GENERIC = RECTANGLE.learners
UNSEEN, LABELS, PACKING, FINITE = RECTANGLE.bounds


# recipe: section 6 of the notes on BNS15, at alpha = beta = 0.1
def test_least_m_of_the_bounds():
    assert [LABELS.least(Cell(16, e, 0.1, 0.1)).m for e in (0.1, 0.5, 1, 2)] == [379, 89, 54, 37]
    assert [PACKING.least(Cell(d, 0.5, 0.1, 0.1)).m for d in (8, 16, 64)] == [56, 113, 452]


# Windows are rounded: those of 319 draws may begin one count before those of 318. Planted: they did not
# fit in what had been counted for the least and the most.
def test_sizes_together_are_as_each_alone():
    sizes = np.array([318, 319, 320])
    assert binomial_ends(319, 0.22)[0] < binomial_ends(318, 0.22)[0]
    together = LABELS.failure(setting(sizes, 16, 0.5, 0.055, 0.1))
    alone = [LABELS.failure(setting([size], 16, 0.5, 0.055, 0.1)).item() for size in sizes]
    np.testing.assert_allclose(together.ravel(), alone, rtol=1e-13)


def test_a_span_holds_the_windows_of_all_sizes():
    sizes = np.arange(1, 3000)
    for share in (0.04, 0.22, 0.5, 0.9, 1.0):
        ends = np.array([binomial_ends(int(size), share) for size in sizes])
        for begin in range(0, 2900, 100):
            low, high = binomial_span(sizes[begin : begin + 100], share)
            here = ends[begin : begin + 100]
            assert (low, high) == (here[:, 0].min(), here[:, 1].max())


# (d, epsilon, alpha, beta)
CELLS = [
    (16, 0.5, 0.1, 0.1),
    (9, 1.0, 0.05, 0.2),
    (5, 0.2, 0.12, 0.05),
    (64, 3.0, 0.02, 0.01),
    (3, 0.7, 0.25, 0.1),
]


@pytest.mark.parametrize("cell", CELLS, ids=str)
@pytest.mark.parametrize("entry", RECTANGLE.bounds, ids=lambda x: x.name)
def test_a_number_is_the_least_that_a_second_writing_allows(entry, cell):
    m, holds = entry.least(Cell(*cell)).m, KNOWN.holds[entry.name]
    assert holds(m, *cell)
    assert m == 1 or not holds(m - 1, *cell)


def test_the_second_writing_is_complete_and_learners_answer_with_rectangles():
    assert not KNOWN.missing(RECTANGLE)
    for entry in (ERM, EXPONENTIAL, Generic(u=1, levels=2)):
        rng = np.random.default_rng(3)
        for sample in samples(4, 3, 20, 9):
            found = entry.run(sample, epsilon=0.5, alpha=0.1, beta=0.1, rng=rng)
            assert KNOWN.is_concept([found.predict(x) for x in range(1, 17)])
    assert not KNOWN.is_concept([1, 0, 0, 1] + [0] * 12)


def test_the_law_without_privacy_is_the_sum_over_all_samples():
    for m in (1, 4):
        wanted = KNOWN.enumerators["erm"](ERM, HARD8, m, 3, 1.0, 0.1, 0.1)
        assert law(ERM, HARD8, m, 3, 1.0, 0.1, 0.1) == pytest.approx(wanted, abs=1e-13)
    assert wanted > 0


@pytest.mark.parametrize(("d", "wanted"), [(8, 377), (16, 622), (64, 2061)])
def test_least_m_of_the_mechanism_on_hard8(d, wanted):
    before, at = (
        EXPONENTIAL.success(HARD8, setting(m, d, 0.5, 0.1, 0.1)) for m in (wanted - 1, wanted)
    )
    assert before.high < 0.9 <= at.low
    assert at.method == "exact"


# --- The law -------------------------------------------------------------------------------------


def by_hand(sample, rate):
    """Return the weight of every rectangle of the board, in plain loops."""
    high = 2 ** (sample.d // 2)
    places = [divmod(x - 1, high) for x in sample.points]
    gains = [p - n for p, n in zip(*(t.tolist() for t in sample.tallies()), strict=True)]
    across, up = (
        itertools.combinations_with_replacement(range(n), 2)
        for n in (2 ** (sample.d - sample.d // 2), high)
    )
    found = {(1, 0, 1, 0): 1.0}
    for (left, right), (bottom, top) in itertools.product(across, list(up)):
        gain = sum(
            g
            for (x, y), g in zip(places, gains, strict=True)
            if left <= x <= right and bottom <= y <= top
        )
        found[left + 1, right + 1, bottom + 1, top + 1] = math.exp(rate * gain)
    return found


def samples(d, m, number, seed):
    rng = np.random.default_rng(seed)
    for _ in range(number):
        yield Sample.of(d, rng.integers(1, 2**d + 1, m).tolist(), rng.integers(0, 2, m).tolist())


@pytest.mark.parametrize("d", [1, 2, 3, 5, 6])
def test_the_sum_of_all_weights_is_that_of_the_definition(d):
    for sample in samples(d, 7, 8, d):
        wanted = math.fsum(by_hand(sample, 0.35).values())
        assert weights_of(sample, 0.35).log_total() == pytest.approx(math.log(wanted), abs=1e-12)


def test_runs_follow_the_weights():
    (sample,) = samples(4, 6, 1, 3)
    by_box = by_hand(sample, 2.0)
    total = sum(by_box.values())
    rng, trials = np.random.default_rng(8), 1500
    seen = {}
    for _ in range(trials):
        found = EXPONENTIAL.run(sample, epsilon=4.0, alpha=0.1, beta=0.1, rng=rng).box
        seen[found] = seen.get(found, 0) + 1
    shares = {box: weight / total for box, weight in by_box.items()}
    budget.assert_distribution(seen, shares, "rectangles of a run")
    steep = by_hand(sample, 1.0)
    halved = {box: weight / sum(steep.values()) for box, weight in steep.items()}
    with pytest.raises(AssertionError):
        budget.assert_distribution(seen, halved, "rectangles of another run")


@pytest.mark.parametrize("rate", [0.05, 0.6])
def test_the_chance_given_the_counts_is_that_over_all_rectangles(rate):
    rng = np.random.default_rng(2)
    for counts in rng.multinomial(12, [1 / 9] * 9, size=4):
        x = [1 + (a - 1) * 8 + b - 1 for a, b in HARD8.atoms(3)]
        points = np.repeat(x, counts).tolist()
        sample = Sample.of(6, points, np.repeat([1] * 5 + [0] * 4, counts).tolist())
        weights = by_hand(sample, rate)
        wanted = weights[2, 6, 2, 6] / math.fsum(weights.values())
        assert conditional(3, rate, counts[None])[0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("m", "d", "epsilon"), [(90, 3, 1.0), (60, 4, 2.0), (200, 16, 2.0), (300, 9, 0.5)]
)
def test_the_law_by_sides_is_the_mean_over_drawn_counts(m, d, epsilon):
    found = EXPONENTIAL.success(HARD8, setting(m, d, epsilon, 0.1, 0.1))
    counts = np.random.default_rng(m).multinomial(m, [0.2, *[0.1] * 8], size=20_000)
    given = conditional(d, epsilon / 2, counts)
    error = budget.mean_tolerance(given, 0, 1)
    assert float(found.low) - error <= given.mean() <= float(found.high) + error


def test_what_misses_the_centre_is_bounded_and_the_rest_exact_to_the_last_digits():
    # recipe: the product of four sides by all counts of m = 9 examples
    m, d, epsilon, total = 9, 3, 1.3, 0.0
    for counts in itertools.product(range(m + 1), repeat=4):
        if sum(counts) > m:
            continue
        rest = m - sum(counts)
        chance = math.factorial(m) * 0.2**rest / math.factorial(rest)
        for side, n in enumerate(counts):
            chance *= sum(
                0.1**n / (math.factorial(k) * math.factorial(n - k))
                / (1 + 2 * math.exp(-epsilon * k / 2) + (2 - (side % 2 == 0)) * math.exp(-epsilon * (n - k) / 2))
                for k in range(n + 1)
            )  # fmt: skip
        total += chance
    found = EXPONENTIAL.success(HARD8, setting(m, d, epsilon, 0.1, 0.1, trials=4000))
    assert float(found.low) < total

    value, lost, miss = by_sides(d, np.array([m]), 0.1, epsilon / 2, 31.0)
    assert value[0] == pytest.approx(total, rel=1e-11)
    assert value[0] + lost[0] == pytest.approx(1, abs=1e-12)
    assert 0 < miss[0] < 1


def test_failures_are_right_relative_to_themselves():
    (tiny,) = (EXPONENTIAL.success(HARD8, setting(m, 16, 2.0, 0.1, 1e-12)).failure for m in (700,))
    # recipe: to first order four sides, each with T/4 - 1 or T/4 outside and T/4 inside
    near = 2.0**14
    k = np.arange(701)
    log_pmf = [math.lgamma(701) - math.lgamma(a + 1) - math.lgamma(701 - a) for a in k]
    chance = np.exp(np.array(log_pmf) + k * math.log(0.1) + (700 - k) * math.log(0.9))
    one = chance @ (near * np.exp(-k) / (1 + near * np.exp(-k)))
    assert float(tiny) == pytest.approx(8 * one, rel=1e-3)
    lost = float(UNSEEN.failure(setting(400, 16, 1.0, 0.1, 1e-12)))
    assert lost == pytest.approx(2 * 0.9**400, rel=1e-6)


def test_the_labels_bound_is_the_mean_over_drawn_counts():
    for m, epsilon in ((89, 0.5), (30, 2.0)):
        counts = np.random.default_rng(m).multinomial(m, [0.1] * 4 + [0.6], size=40_000)[:, :4]
        given = np.prod(1 / (1 + np.exp(-epsilon * counts)), axis=1)
        limit = float(LABELS.limit(setting(m, 16, epsilon, 0.1, 0.1)))
        budget.assert_mean(given, limit)
    # Of very many examples the product of the means is told, which is no less.
    one = float(LABELS.failure(setting(9_000, 16, 1e-3, 0.1, 0.1)))
    two = float(LABELS.failure(setting(11_000, 16, 1e-3, 0.1, 0.1)))
    assert two < one < 2 * two


@dataclass(frozen=True)
class Steep(Exponential):
    def score_rate(self, epsilon):
        return epsilon


def test_the_mechanism_is_private_and_a_steeper_one_is_not():
    assert audit(EXPONENTIAL).private
    assert audited(Steep(), TinyInstance(d=2, m=3, epsilon=1.0, alpha=0.1, beta=0.1)).worst > 1.1


def test_settings_that_do_not_exist_are_refused():
    with pytest.raises(InputError, match=r"^alpha must be at most 1/8 for hard8; got 0\.2"):
        law(EXPONENTIAL, HARD8, 9, 4, 1.0, 0.2, 0.1)
    with pytest.raises(InputError, match=r"^d must be from 3 to 200 for hard8; got 2"):
        law(ERM, HARD8, 9, 2, 1.0, 0.1, 0.1)
    with pytest.raises(
        InputError, match=r"^m must have at most 40,000 examples on the eight points"
    ):
        law(EXPONENTIAL, HARD8, 10**6, 16, 1e-4, 0.1, 0.1)


def test_a_share_of_one_leaves_no_other_point():
    # recipe: the largest alpha that exist: all examples are on the eight, and on the four points
    counts = np.random.default_rng(4).multinomial(150, [0.0, *[0.125] * 8], size=20_000)
    found = EXPONENTIAL.success(HARD8, setting(150, 9, 1.0, 0.125, 0.1))
    given = conditional(9, 0.5, counts)
    error = budget.mean_tolerance(given, 0, 1)
    assert float(found.low) - error <= given.mean() <= float(found.high) + error
    counts = np.random.default_rng(5).multinomial(20, [0.25] * 4, size=40_000)
    limit = float(LABELS.limit(setting(20, 9, 1.0, 0.25, 0.1)))
    budget.assert_mean(np.prod(1 / (1 + np.exp(-counts)), axis=1), limit)


def test_certified_routes_hold_what_floats_say():
    pytest.importorskip("flint")
    routes = RECTANGLE.certified
    at = At(90, 16, *(Fraction(x) for x in ("1/2", "1/10", "1/10", "0")), law=HARD8)
    found = float(routes.success["erm", "hard8"](at))
    assert found == pytest.approx(law(ERM, HARD8, 90, 16, 0.5, 0.1, 0.1), rel=1e-12)
    for entry, m in ((UNSEEN, 29), (FINITE, 2025)):
        found = float(routes.limits[entry.name](replace(at, m=m)))
        assert found == pytest.approx(float(entry.limit(setting(m, 16, 0.5, 0.1, 0.1))), rel=1e-11)
