"""Intervals: the laws on their distributions, and which thresholds are accurate, by other means."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.catalog import bound
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.interval import Band, Erm, Exponential, Hard, Noise, Uniform
from privsc_core.concepts.interval.bounds.finite import FiniteClass
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit
from tests import budget
from tests.classes.interval import (
    bits_per_bit,
    by_the_book,
    corollary_4_3,
    hopeless_runs,
    interval_masses,
    littlestone_entropy,
)
from tests.core.concepts.point.chances import chances_of_range
from tests.core.support import INTERVAL, conditionals, decimal, law, runs, setting
from tests.depth import deep, in_turn, spread, whole

# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere


# --- Distributions: names, and how far an accurate threshold may lie ------------------------------


@pytest.mark.parametrize(("text", "label", "values"), [
    ("band", "band", (16, 0.5)), ("band(64)", "band(64)", (64, 0.5)),
    ("band(64,0.5)", "band(64)", (64, 0.5)), ("band(64,0.9)", "band(64,0.9)", (64, 0.9)),
    ("band(64, 0.9)", "band(64,0.9)", (64, 0.9)), ("band(16,0.5)", "band", (16, 0.5)),
    ("band(16,0.25)", "band(16,0.25)", (16, 0.25)), ("band(1,0)", "band(1,0)", (1, 0)),
    ("band(1048576,1)", "band(1048576,1)", (1 << 20, 1)),
    ("band(3,0.123456789)", "band(3,0.123456789)", (3, 0.123456789)),
])  # fmt: skip
def test_bands_are_written_and_read(text, label, values):
    found = catalog.distribution("interval", text)
    assert (found.label, (found.w, found.lam)) == (label, values)
    assert catalog.distribution("interval", label) == found


@pytest.mark.parametrize("text", [
    "band(0)", "band(3000000)", "band(1048577)", "band(8,1.5)", "band(8,2)", "band(1,2,3)",
    "band(2.5)", "band(4,0.5,1)", "uniform(3)", "hard(1)", "bystanders", "band()", "band(-3)",
    "band(8,-0.5)", "band(8,nan)", "band(a)", "band(8", "Band", "band(8,)", "band(8;0.5)",
])  # fmt: skip
def test_other_bands_are_refused_in_one_sentence(text):
    with pytest.raises(InputError, match=r"^distribution must [^\n]+; got [^\n]+\.$") as caught:
        catalog.distribution("interval", text)
    assert len(str(caught.value)) < 150


def test_where_the_distributions_do_not_exist():
    cell = {"concept": "interval", "learner": "exponential", "m": 20, "epsilon": 1.0}
    for distribution in ("hard", "uniform", "band(4)"):
        for d in (1, 2):
            with pytest.raises(InputError, match=r"^d must be at least 3 for [^\n]+; got [12]\.$"):
                pv.success(**cell, distribution=distribution, d=d, alpha=0.1)
    for alpha in (0.51, 0.9):
        with pytest.raises(InputError, match=r"^alpha must be at most 1/2 for hard; got 0\.\d+\.$"):
            pv.success(**cell, distribution="hard", d=5, alpha=alpha)
        assert pv.success(**cell, distribution="band", d=5, alpha=alpha).value > 0
    assert 0 < pv.success(**cell, distribution="hard", d=5, alpha=0.5).value < 1


@pytest.mark.parametrize("w", [1, 2, 3, 5, 6, 7, 14, 15, 16, 255, 256, 510, 511, 1 << 20])
def test_a_band_needs_room(w):
    def fits(d):
        j = 2 ** (d - 1)
        return j - math.ceil(w / 2) >= 1 and j - math.ceil(w / 2) + w - 1 <= 2**d

    member = Band(w=w)
    assert member.least_d == next(d for d in range(3, 40) if fits(d))
    member.check(d=member.least_d, alpha=0.1)
    with pytest.raises(InputError, match=r"^d must be at least"):
        member.check(d=member.least_d - 1, alpha=0.1)


def farthest(member, d, alpha):
    """Return how far left and right the accurate thresholds reach, from the definition."""
    size, j = 2**d, 2 ** (d - 1)
    mass = {x: v for x, (v, _) in interval_masses(member, size, decimal(alpha)).items()}
    found = []
    # Threshold j - o errs on j-1, ..., j-o; threshold j + o on j, ..., j+o-1.
    for points in (range(j - 1, 0, -1), range(j, size + 1)):
        offset, error = 0, Fraction(0)
        for x in points:
            error += mass.get(x, 0)
            if error > decimal(alpha):
                break
            offset += 1
        found.append(offset)
    return tuple(found)


ALPHAS = (1e-9, 0.01, 0.07, 0.1, 0.125, 0.2, 0.25, 0.3, 0.375, 0.45, 0.5, 0.6, 0.75, 0.9, 0.999)
LAMS = (0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 0.9, 1.0)


@pytest.mark.parametrize("d", [3, 4, 5, whole(6), whole(7)])
def test_accurate_offsets_of_every_small_band(d):
    widths = [w for w in (1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 30, 62) if Band(w=w).least_d <= d]
    members = [Uniform(), *(Band(w=w, lam=lam) for w in widths for lam in LAMS)]
    for member, alpha in itertools.product(members, ALPHAS):
        assert member.allowed(d=d, alpha=alpha) == farthest(member, d, alpha), (member.label, alpha)


# alpha is exactly the mass of so many points next to the step: allowed, one more is not.
@pytest.mark.parametrize(("d", "w", "lam", "alpha", "left", "right"), [
    (5, 10, 1.0, 0.3, 3, 3), (5, 8, 0.5, 0.078125, 1, 1), (5, 8, 0.5, 0.15625, 2, 2),
    (5, 8, 0.5, 0.3125, 4, 4), (5, 8, 0.5, 0.328125, 5, 5), (6, 5, 1.0, 0.6, 31, 33),
    (4, 10, 0.2, 0.07, 1, 1), (4, 10, 0.2, 0.14, 2, 2), (4, 10, 0.2, 0.21, 3, 3),
    (7, 7, 0.0, 0.25, 32, 32), (4, 1, 0.5, 0.5, 0, 9), (4, 1, 0.5, 0.53125, 1, 9),
    (10, 100, 1.0, 0.07, 7, 7), (10, 100, 1.0, 0.29, 29, 29), (10, 100, 1.0, 0.57, 511, 513),
])  # fmt: skip
def test_ties_are_decided_on_the_decimals_that_were_typed(d, w, lam, alpha, left, right):
    member = Band(w=w, lam=lam)
    assert farthest(member, d, alpha) == (left, right)
    assert member.allowed(d=d, alpha=alpha) == (left, right)


@pytest.mark.parametrize("d", [20, 52, 53, 62, 64, 200, 5000])
def test_accurate_offsets_in_large_domains(d):
    size = 2**d
    for (w, lam), alpha in itertools.product(
        itertools.product((1, 7, 16, 1000, 99_999), LAMS), ALPHAS
    ):
        member = Band(w=w, lam=lam)
        near = (math.ceil(w / 2), w // 2)
        for close, side, offset in zip(
            near, (size // 2 - 1, size // 2 + 1), member.allowed(d=d, alpha=alpha), strict=True
        ):

            def error(o, close=close, w=w, lam=lam):
                return decimal(lam) * Fraction(min(o, close), w) + (1 - decimal(lam)) * Fraction(
                    o, size
                )

            assert error(offset) <= decimal(alpha)
            assert offset == side or error(offset + 1) > decimal(alpha), (member.label, alpha)


# --- The exact laws on `hard` ---------------------------------------------------------------------


def multinomial(m, a):
    """Yield (chance, left, right) of the numbers of examples at j-1 and at j."""
    for left in range(m + 1):
        for right in range(m + 1 - left):
            ways = math.comb(m, left) * math.comb(m - left, right)
            rest = m - left - right
            yield ways * a ** (left + right) * (1 - 2 * a) ** rest, left, right


def chances_of_thresholds(m, left, right, j, size, rate):
    """Return the choice probabilities of all thresholds, by counting every mistake."""
    t = np.arange(1, size + 2)
    # Examples (1, 1), (j-1, 1) and (j, 0); threshold t says 1 below t.
    mistakes = (m - left - right) * (t <= 1) + left * (t <= j - 1) + right * (t > j)
    weights = np.exp(-rate * (mistakes - mistakes.min()))
    return weights / weights.sum()


@pytest.mark.parametrize(("m", "d", "epsilon", "alpha"), [
    (1, 3, 1.0, 0.2), (5, 3, 1.0, 0.2), (9, 3, 0.2, 0.5), (12, 4, 3.0, 0.49), (40, 5, 1.0, 0.15),
    (17, 6, 4.0, 0.3), (30, 8, 2.5, 0.45), (25, 3, 1e-6, 0.1), (25, 7, 60.0, 0.1),
])  # fmt: skip
def test_the_laws_sum_over_all_counts_and_thresholds(m, d, epsilon, alpha):
    size, j = 2**d, 2 ** (d - 1)
    for learner, rate in ((Exponential(), epsilon / 2), (Erm(), 1e6)):
        wanted = math.fsum(
            chance * chances_of_thresholds(m, left, right, j, size, rate)[j - 1]
            for chance, left, right in multinomial(m, alpha)
        )
        found = law(learner, Hard(), m, d, epsilon, alpha, 0.1)
        assert found == pytest.approx(wanted, abs=1e-12), learner.name


@pytest.mark.parametrize(("m", "d", "alpha"), [(1, 3, 0.2), (3, 3, 0.4), (4, 5, 0.32), (4, 4, 0.5)])
def test_the_law_of_noise_sums_over_thresholds_and_flips(m, d, alpha):
    size, j, flip = 2**d, 2 ** (d - 1), alpha / 8
    forgiven = 1 - 2 * decimal(alpha) <= decimal(alpha)
    total = []
    for chance, left, right in multinomial(m, alpha):
        inner = chances_of_thresholds(m, left, right, j, size, 1e6)
        for t, share in enumerate(inner.tolist(), 1):
            right_at = [1 - flip if int(x < t) == int(x < j) else flip for x in (1, j - 1, j)]
            total.append(chance * share * math.prod(right_at[forgiven:]))
    assert law(Noise(), Hard(), m, d, 1.0, alpha, 0.1) == pytest.approx(math.fsum(total), abs=1e-13)


def test_domains_of_a_million_bits():
    at = setting([2, 10**3, 3_300_000, 3_467_000, 3_700_000, 10**7], 10**6, 1.0, 0.4, 0.1)
    value = Exponential().success(Hard(), at).value
    assert value[:3] == pytest.approx([0, 0, 0], abs=1e-9)
    assert 0.1 < value[3] < 0.9
    assert value[4:] == pytest.approx([1, 1], abs=1e-9)
    erm = Erm().success(Hard(), setting(10, [1000, 10**6], 1.0, 0.4, 0.1)).value
    assert erm == pytest.approx(1 - 2 * 0.6**10 + 0.2**10, rel=1e-14)


# --- Band and uniform: the Rao-Blackwellised laws -------------------------------------------------

BANDS = [(1, 0.5), (2, 1), (3, 0.9), (16, 0.5), (16, 0), (7, 0.2), (101, 1)]
# Points of the domain within the band; hardly ever; never (the logarithmic route).
PLACES = [8, 40, 55]


def drawn(member, trials, m, d, alpha, seed=3):
    """Return samples as rows of points and labels."""
    rng = np.random.default_rng(seed)
    sample = member.draw(m=trials * m, d=d, alpha=alpha, rng=rng)
    x = np.array(sample.points, dtype=np.int64)[sample.index]
    return x.reshape(trials, m), sample.labels.reshape(trials, m)


def chances_on_drawn_data(learner, member, trials, cell):
    """Return the success probabilities given samples that were really drawn."""
    m, d, epsilon, alpha, _ = cell
    x, y = drawn(member, trials, m, d, alpha)
    j, (left, right) = 2 ** (d - 1), member.allowed(d=d, alpha=alpha)
    # Fewest mistakes: another mistake costs e^-1000.
    spent = epsilon if learner.name == "exponential" else 2000.0
    return chances_of_range(x, y, d=d, epsilon=spent, accurate=(j - left, j + right))


def members_at(d):
    found = [Uniform(), *(Band(w=w, lam=lam) for w, lam in BANDS)]
    return [x for x in found if x.least_d <= d]


SPREAD = spread(
    [
        pytest.param(learner, member, d, id=f"{learner.name}-{member.label}-{d}")
        for learner in (Erm(), Exponential())
        for d in PLACES
        for member in members_at(d)
    ],
    16,
)


@pytest.mark.parametrize(("learner", "member", "d"), SPREAD)
def test_laws_agree_with_samples_that_are_drawn(learner, member, d, monkeypatch):
    trials, seen = deep(2_000, 5_000), []
    for epsilon, alpha in ((1.5, 0.07), (5.0, 0.3)) if d == 8 else ((8.0, 0.07), (14.0, 0.3)):
        rest = (d, epsilon, alpha, 0.1)
        m = next(
            m
            for m in (3, 6, 12, 25, 50, 100, 200)
            if m == 200 or law(learner, member, m, *rest, trials=250) > 0.3
        )
        estimate, values = conditionals(
            learner, member, (m, *rest), monkeypatch, trials=trials, seed=5
        )
        assert estimate.method == "rao-blackwell"
        assert float(estimate.value) == pytest.approx(values.mean(), abs=1e-12)
        other = np.minimum(chances_on_drawn_data(learner, member, trials, (m, *rest)), 1.0)
        # Two independent streams of chances: their differences have mean zero.
        what = f"{learner.name} on {member.label}, {(m, *rest)}"
        budget.assert_mean(values - other, 0.0, low=-1.0, high=1.0, what=what)
        seen.append(float(estimate.value))
    assert any(0.1 < value < 0.99 for value in seen), seen


@pytest.mark.parametrize(
    "member", [Band(), *map(whole, [Uniform(), Band(w=5, lam=1.0), Band(w=64, lam=0.8)])]
)
@pytest.mark.parametrize("learner", [Erm(), Exponential()], ids=lambda x: x.name)
def test_laws_agree_with_runs_in_domains_of_200_bits(learner, member, monkeypatch):
    m, trials = (6 if learner.name == "erm" else 60), 2_000
    epsilon = next(
        e
        for e in np.geomspace(0.3, 100, 40).tolist()
        if law(learner, member, m, 200, e, 0.15, 0.1, trials=250) > 0.3
    )
    cell = (m, 200, epsilon, 0.15, 0.1)
    _, values = conditionals(learner, member, cell, monkeypatch, trials=trials, seed=5)
    hits = runs(learner, member, *cell, trials=trials)
    what = f"{learner.name} on {member.label}, {cell}"
    budget.assert_mean(values - hits, 0.0, low=-1.0, high=1.0, what=what)
    assert 0.2 < values.mean() < 0.98, values.mean()


def test_uniform_does_not_depend_on_d_and_the_band_does():
    d = [20, 52, 300, 999, 1000, 1001, 2000, 10**6]
    for learner in (Erm(), Exponential()):
        at = setting(12, d, 2.0, 0.1, 0.1, trials=2000)
        value = learner.success(Uniform(), at).value
        # The same draws: only the grain of the domain differs.
        assert np.ptp(value) < 1e-4
        assert 0.1 < value[0] < 0.95
    band = Exponential().success(Band(), at).value
    assert band[0] > band[2] > 0
    assert band[-1] < 1e-100


@pytest.mark.parametrize("w", [1, 16, 4096])
def test_both_routes_agree_where_they_meet(w, monkeypatch):
    # m w / 2^d passes 1e-12 between d = 40 and d = 60: neighbours on both sides nearly agree.
    values = [
        conditionals(Exponential(), Band(w=w, lam=0.7), (50, d, 9.0, 0.2, 0.1), monkeypatch,
                     trials=2_000)[0].value.item()
        for d in range(40, 61)
    ]  # fmt: skip
    steps = np.diff(np.log(values))
    assert np.abs(np.diff(steps)).max() < 0.05


def test_a_band_without_weight_is_uniform():
    at = setting([5, 60, 900], 30, 1.0, 0.1, 0.1, trials=4000)
    for learner in (Erm(), Exponential()):
        one, other = (learner.success(x, at).value for x in (Band(w=9, lam=0.0), Uniform()))
        assert one == pytest.approx(other, abs=0.02)


def test_the_band_is_hard_when_it_is_two_points():
    # band(2, 2 alpha + x): both points have mass above alpha / 2; only the target is accurate.
    member, cell = Band(w=2, lam=1.0), (30, 12, 2.0, 0.45, 0.1)
    exact = law(Exponential(), Hard(), 30, 12, 2.0, 0.5, 0.1)
    found = law(Exponential(), member, *cell, trials=40_000)
    assert member.allowed(d=12, alpha=0.45) == (0, 0)
    assert found == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize("member", [Uniform(), Band(), Band(w=3, lam=0.9), Band(w=1, lam=0.4)])
def test_the_finite_class_bound_holds_on_them_too(member):
    for d, epsilon, alpha, beta in ((6, 1.0, 0.2, 0.1), (40, 0.5, 0.1, 0.05), (200, 3.0, 0.3, 0.2)):
        m = FiniteClass().least(Cell(d, epsilon, alpha, beta)).m
        assert law(Exponential(), member, m, d, epsilon, alpha, beta) >= 1 - beta


# --- Planted faults -------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShiftedBand(Band):
    """The band one point too far left in the law; what is drawn is right."""

    def near(self, d):
        left, right = super().near(d)
        return left + 1, right - 1


@dataclass(frozen=True)
class WholeEpsilon(Exponential):
    """epsilon in place of epsilon / 2."""

    def score_rate(self, epsilon):
        return epsilon


@pytest.mark.parametrize("d", [8, whole(40), 55])
@pytest.mark.parametrize(("broken", "member"), [
    (Exponential(), ShiftedBand(w=4, lam=0.9)), (Erm(), ShiftedBand(w=4, lam=0.9)),
    (WholeEpsilon(), Band(w=4, lam=0.9)), (WholeEpsilon(), Uniform()),
])  # fmt: skip
def test_planted_faults_are_rejected(broken, member, d, monkeypatch):
    epsilon = 9.0 if d > 8 and isinstance(member, Band) else 1.5
    trials, cell = 5_000, (4 if isinstance(broken, Erm) else 20, d, epsilon, 0.2, 0.1)
    right = Band(w=member.w, lam=member.lam) if isinstance(member, Band) else member
    _, values = conditionals(broken, member, cell, monkeypatch, trials=trials, seed=5)
    honest = Erm() if isinstance(broken, Erm) else Exponential()
    other = np.minimum(chances_on_drawn_data(honest, right, trials, cell), 1.0)
    with pytest.raises(AssertionError, match="expected"):
        budget.assert_mean(values - other, 0.0, low=-1.0, high=1.0)


# --- Privacy --------------------------------------------------------------------------------------


def test_noise_is_not_private_and_worse_on_larger_domains():
    mu, losses = 0.4 / 8, []
    for d in (1, 2):
        found = audit(Noise(), d=d, m=2, epsilon=1.0, alpha=0.4)
        assert not found.private
        most = 2**d * math.log((1 - mu) / mu)
        assert found.epsilon < found.worst <= most + 1e-9, (
            "one example moves the inner threshold past up to T points, and each label of the "
            "output then changes its log-probability by at most log((1-mu)/mu)"
        )
        losses.append(found.worst)
    assert losses[1] > losses[0] + 1, (
        "the more points a threshold can be moved past, the more the output tells: no rate of "
        f"flips that works for all d; losses {losses}"
    )
    # At any epsilon the same: it does not look at it.
    assert audit(Noise(), d=2, m=2, epsilon=5.0, alpha=0.4).worst == losses[1]
    assert not audit(Noise(), d=2, m=2, epsilon=5.0, alpha=0.4).private


def test_a_simulation_that_would_not_fit_is_refused_with_one_sentence():
    uniform = next(x for x in INTERVAL.distributions if x.name == "uniform")
    learner = next(x for x in INTERVAL.learners if x.name == "exponential")
    with pytest.raises(InputError, match=r"^epsilon must be at least .* to simulate here; got"):
        law(learner, uniform, 10**7, 30, 1e-6, 0.1, 0.1)
    assert 0 <= law(learner, uniform, 100, 30, 1e-6, 0.1, 0.1, trials=20) <= 1


# --- The cascade: stretches of scales that weigh nothing are not drawn ----------------------------


@pytest.mark.parametrize(("d", "m", "alpha"), [
    (4, 4, 0.2), (12, 2, 0.05), (12, 1, 0.5), (40, 9, 0.1), (40, 300, 0.01), (300, 900, 0.2), (300, 30, 0.4999),
])  # fmt: skip
@pytest.mark.parametrize("rate", [0.05, 2.0, math.inf])
def test_a_cascade_weighs_every_threshold(d, m, alpha, rate):
    """Against sums over single scales; what was not drawn is weighed at most, from how many points lie before."""
    cascade, trials = catalog.distribution("interval", "cascade"), 20
    scales, reached, j = cascade.scales(d), cascade.reached(d, alpha), cascade.target(d)
    found = cascade.draw_stretches(m, trials, d=d, rates=[rate], rng=np.random.default_rng(3))
    chances = cascade.chances(found, d=d, alpha=alpha, rate=rate)
    width, sides = found.within.shape[1], (j - 1, (1 << d) + 1 - j)
    begins = range(0, scales, width)
    points = np.array([min(width, scales - begin) for begin in begins] * 2) / (2 * scales)
    counts = np.random.default_rng(3).multinomial(m, points, size=trials).reshape(trials, 2, -1)

    def weight(mistakes):
        return Fraction(math.exp(-rate * mistakes)) if mistakes else 1

    for trial, chance in enumerate(chances.tolist()):
        total, good, left_out = 1, 1, 0
        for side, place in itertools.product((0, 1), range(len(begins))):
            begin = begins[place]
            end = min(begin + width, scales)
            rows = (found.trial == trial) & (found.side == side) & (found.first == begin)
            before = int(counts[trial, side, :place].sum())
            if not rows.any():
                many = (1 << end) - (1 << begin) if end < scales else sides[side] - (1 << begin) + 1
                left_out += many * weight(before)
                continue
            within = [before, *found.within[rows][0].tolist()]
            assert within[end - begin] == before + counts[trial, side, place]
            for scale, mistakes in zip(range(begin, end), within[1:], strict=False):
                many = 1 << scale if scale < scales - 1 else sides[side] - (1 << scale) + 1
                total += many * weight(mistakes)
                good += many * weight(mistakes) if scale < reached else 0
        assert left_out <= 1e-10 * total
        assert chance == pytest.approx(float(Fraction(good) / Fraction(total)), rel=1e-12)


# Littlestone's bound: against the proof's own inequality, a finer grid, and its slope.


LITTLESTONE = bound("interval", "littlestone")
ENTROPY = bound("interval", "littlestone-entropy")
QUARTER = bound("interval", "corollary-4.3")
STANDARD = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}


# recipe: the largest impossible m by the proof's inequality, at alpha = beta = 0.1, epsilon = 0.5.
@pytest.mark.parametrize(("d", "largest"), [(16, 7), (64, 44), (1024, 834), (10_000, 8134)])
def test_a_search_by_the_book_excludes_what_was_computed_apart(d, largest):
    below, above = math.floor(largest * 0.985) - 1, math.ceil(largest * 1.01) + 1
    assert not by_the_book(below, d, **STANDARD)
    assert by_the_book(above, d, **STANDARD)
    assert ENTROPY.least(Cell(d=d, **STANDARD)).m - 1 >= largest


@pytest.mark.parametrize("d", [16, 64, 1024, 10_000])
def test_a_finer_grid_says_the_same(d):
    m = ENTROPY.least(Cell(d=d, **STANDARD)).m
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
    for _ in range(deep(12, 25))
]


@pytest.mark.parametrize(
    "cell", spread(CELLS, 6), ids=lambda c: " ".join(f"{v:.3g}" for v in c.values())
)
def test_ours_is_never_weaker_than_the_book(cell):
    m = ENTROPY.least(Cell(**cell)).m
    assert LITTLESTONE.least(Cell(**cell)).m >= m
    for more in (0, 1, max(2, m // 50)):
        assert by_the_book(m + more, **cell), more


@pytest.mark.parametrize(
    ("d", "alpha"),
    in_turn([1, 2, 3, 5, 8, 20, 88, 89, 300, 2000, 10**4, 10**5], [0.01, 0.1, 0.24, 0.25]),
)
def test_the_papers_point_at_any_d(d, alpha):
    for epsilon, beta in ((0.1, 0.1), (2.0, 0.3), (0.5, 0.01)):
        cell = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta}
        m = QUARTER.least(Cell(**cell)).m
        if m < 10**5:
            assert corollary_4_3(m, **cell)
            assert m == 1 or not corollary_4_3(m - 1, **cell)
        assert m <= ENTROPY.least(Cell(**cell)).m <= LITTLESTONE.least(Cell(**cell)).m, cell


def test_the_papers_point_needs_alpha_at_most_a_quarter():
    found = QUARTER.least(Cell(100, 1.0, 0.251, 0.1))
    assert found.m is None
    assert "alpha" in found.reason
    # 1 - H2(7/16) = 0.0113 of each bit; below 89 bits it is one bit, one run.
    assert float(bits_per_bit(mp.mpf(7) / 16)) == pytest.approx(0.0113, abs=5e-5)
    assert [hopeless_runs(d, mp.mpf(1) / 4, mp.mpf(1) / 4) for d in (1, 88, 89)] == [1, 1, 2]


def test_nothing_is_said_by_entropy_from_alpha_one_half_on():
    for alpha in (0.5, 0.7):
        found = ENTROPY.least(Cell(1000, 0.1, alpha, 0.1))
        assert (found.m, bool(found.note)) == (1, True)
        at = setting([1, 100], 1000, 0.1, alpha, 0.1)
        assert ENTROPY.limit(at).tolist() == [1, 1]
        # Of two concepts that part at one point only one can be right.
        assert LITTLESTONE.least(Cell(1, 0.1, alpha, 0.1)).m > 1
    for alpha in (0.499, 0.4999999, 0.49999999999):
        assert ENTROPY.least(Cell(1000, 0.1, alpha, 0.1)).m >= 1


@pytest.mark.parametrize("entry", [LITTLESTONE, ENTROPY], ids=lambda b: b.name)
@pytest.mark.parametrize("cell", CELLS[:12], ids=lambda c: f"{c['d']}")
def test_the_limit_never_contradicts_the_number(cell, entry):
    rest = cell["d"], cell["epsilon"], cell["alpha"], cell["beta"]
    m = entry.least(Cell(**cell)).m
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
@pytest.mark.parametrize("cell", spread(CELLS[:6], 3), ids=lambda c: f"{c['d']}")
def test_what_is_told_over_an_axis_without_a_search_is_so_with_one(cell, entry):
    rest, least = (cell["alpha"], cell["beta"]), entry.least(Cell(**cell)).m
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
