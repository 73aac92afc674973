"""Conjunctions: reference values, laws by other means, planted faults."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import multinomial

import privsc_core as pv
from privsc_core.concepts.conjunction import CONJUNCTION, laws
from privsc_core.concepts.conjunction.distributions import Conjunction
from privsc_core.concepts.conjunction.learners import Erm, Exponential, SqGauss, SqLaplace
from privsc_core.concepts.contracts import Cell, Learner
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.audit import audited
from privsc_core.evaluate.microscope import examine
from privsc_core.evaluate.need import need
from privsc_core.evaluate.scenario import Scenario
from privsc_core.exhibits import conjunction as route
from tests import budget
from tests.core.support import law, runs, setting
from tests.depth import deep

AT = {"alpha": 0.1, "beta": 0.1, "epsilon": 0.5}
SPIKES, PRODUCT = CONJUNCTION.distributions


# --- Laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "d", "s", "a"), [(5, 2, 1, 0.6), (4, 3, 0, 1.0), (3, 3, 2, 0.9)])
def test_a_literal_is_wrong_until_it_is_told(m, d, s, a):
    """By all counts of the spikes."""
    law_of = multinomial(m, [a / d] * d + [1 - a])
    for alpha in (0.05, a / d + 0.01):
        most = int(alpha * d / a)
        wanted = sum(
            law_of.pmf([*counts, m - sum(counts)])
            for counts in itertools.product(range(m + 1), repeat=d)
            if sum(counts) <= m and sum(k == 0 for k in counts[s:]) <= most
        )
        found = law(Erm(), SPIKES.resized(a, s / d), m, d, 1.0, alpha, 0.1)
        assert found == pytest.approx(wanted, abs=1e-13)


@dataclass(frozen=True)
class At20(SqLaplace):
    def threshold(self, m, d, _alpha):
        return np.full(np.broadcast_shapes(m.shape, d.shape), 20.0)


def test_the_noisy_law_to_six_digits():
    # recipe: section 4 of the same: rho(k) = F(theta - k) on d - s bits, 1 - F(theta) on s; b = d/eps
    found = law(At20(), SPIKES.resized(0.5, 0.375), 600, 8, 0.5, 0.1, 0.1)
    assert found == pytest.approx(0.607494, abs=6e-7)


def noisy(m, d, s, a, *, alpha, epsilon):
    """By all counts of the spikes, and all sets of wrong bits."""
    theta, b, total = alpha * m / (2 * d), d / epsilon, 0.0

    def kept(k):
        x = (theta - k) / b
        return 0.5 * np.exp(x) if x < 0 else 1 - 0.5 * np.exp(-x)

    for counts in itertools.product(range(m + 1), repeat=d):
        if sum(counts) > m:
            continue
        chance = multinomial.pmf([*counts, m - sum(counts)], m, [a / d] * d + [1 - a])
        wrong = [1 - kept(0)] * s + [kept(k) for k in counts[s:]]
        for bits in itertools.product((0, 1), repeat=d):
            if sum(bits) * a <= alpha * d:
                total += chance * np.prod(
                    [p if w else 1 - p for p, w in zip(wrong, bits, strict=True)]
                )
    return total


@pytest.mark.parametrize(
    ("m", "d", "s", "a"), [(5, 2, 1, 0.6), (3, 3, 0, 1.0), (3, 3, 2, 0.5), (4, 2, 2, 0.9)]
)
def test_the_noisy_law_sums_over_all_counts(m, d, s, a):
    for alpha, epsilon in ((0.05, 3.0), (0.35, 0.8)):
        found = law(SqLaplace(), SPIKES.resized(a, s / d), m, d, epsilon, alpha, 0.1)
        assert found == pytest.approx(noisy(m, d, s, a, alpha=alpha, epsilon=epsilon), abs=1e-13)


def test_rare_failures_of_noise_are_right_relative_to_themselves():
    # recipe: only literals, d = s = 4: Pr[Bin(4, p) >= 1], p = e^(-alpha m eps / (2 d^2)) / 2
    p = 0.5 * np.exp(-0.1 * 10**5 * 0.5 / 32)
    found = SqLaplace().success(SPIKES.resized(0.5, 1), setting(10**5, 4, 0.5, 0.1, 1e-60))
    assert float(found.failure) == pytest.approx(4 * p, rel=1e-9)


# --- On product -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class At12(SqLaplace):
    """With the file's threshold and noise."""

    def threshold(self, m, d, _alpha):
        return np.full(np.broadcast_shapes(m.shape, d.shape), 12.0)

    def scale(self, d, epsilon):
        return np.full(np.broadcast_shapes(d.shape, epsilon.shape), 16.0)


@dataclass(frozen=True)
class Halfway(SqLaplace):
    """With a threshold between the counts of a literal and of another bit, which knows s."""

    def threshold(self, m, d, _alpha):
        return np.asarray(m * 0.5 * (1.0 - 2.0**-0.25) / 2.0 + 0.0 * d)


# recipe: computed apart from this code
def test_the_law_on_product_to_six_digits():
    assert law(At12(), PRODUCT, 300, 8, 0.5, 0.1, 0.1) == pytest.approx(0.386983, abs=5e-7)
    found = [int(need(Halfway(), PRODUCT, d=d, **AT).m) for d in (8, 16)]
    assert found == [824, 2219]


@pytest.mark.parametrize("learner", [Erm(), SqLaplace(), SqGauss()], ids=lambda x: x.name)
def test_the_law_on_product_agrees_with_runs(learner):
    m, d, epsilon, alpha = (9, 8, 1.0, 0.1) if learner.name == "erm" else (300, 6, 1.0, 0.2)
    hits = runs(learner, PRODUCT, m, d, epsilon, alpha, 0.1, trials=800)
    there = law(learner, PRODUCT, m, d, epsilon, alpha, 0.1)
    assert 0.1 < there < 0.95
    budget.assert_rate(int(hits.sum()), hits.size, there, f"{learner.name} on product")
    with pytest.raises(AssertionError):
        budget.assert_rate(int(hits.sum()), hits.size, min(1.0, there + 0.16), "planted")


@pytest.mark.parametrize(
    ("m", "d", "s", "epsilon"), [(40_000, 16, 4, 0.1), (3_000, 60, 1, 3.0), (10**6, 300, 20, 0.05)]
)
def test_few_numbers_of_positives_tell_the_others(monkeypatch, m, d, s, epsilon):
    """The windows are thinned and interpolated: against every count of them."""
    distribution = PRODUCT.resized(s)
    thin = law(SqLaplace(), distribution, m, d, epsilon, 0.1, 0.1)
    for name, all_of_them in (("_NODES", 10**9), ("_PER_DEVIATION", 10**9)):
        monkeypatch.setattr(laws, name, all_of_them)
    assert law(SqLaplace(), distribution, m, d, epsilon, 0.1, 0.1) == pytest.approx(thin, abs=1e-12)


def test_a_success_that_is_nothing_is_not_asked_for_at_every_count(monkeypatch):
    looked, sums = [], laws._sums
    monkeypatch.setattr(laws, "_sums", lambda *at: (looked.append(at[0].size), sums(*at))[1])
    assert law(SqGauss(), PRODUCT, 602_479, 5498, 0.00619, 0.146, 0.5) < 1e-200
    assert len(looked) == 1


def test_a_literal_that_is_hardly_ever_dropped_is_never():
    """Planted: of the chance 1e-308 scipy says that it overflows."""
    at = setting(10**6, 16, 1.0, 0.1, 0.1)
    tiny, none = (
        laws.product_law(PRODUCT, at, lambda _, n: 0.01 + 0.0 * n, np.array([chance])).value
        for chance in (1e-308, 0.0)
    )
    assert tiny == none


def test_what_product_refuses():
    with pytest.raises(InputError, match=r"alpha must be less than 1/2 for product; got 0\.5"):
        PRODUCT.check(d=8, alpha=0.5)
    with pytest.raises(InputError, match="must be at most 10000 for product; got 10001"):
        PRODUCT.check(d=10_001, alpha=0.1)
    with pytest.raises(
        InputError, match=r"^d must be at most 16 on product to weigh all conjunctions; got 17"
    ):
        law(Exponential(), PRODUCT, 10, 17, 0.5, 0.1, 0.1)


# --- The exponential mechanism on product -------------------------------------------------------


def by_all_samples(m, d, s, *, rate, alpha):
    """The mean of G / (G + F) over how often every point occurs, all counted one by one."""
    one, points = 2.0 ** (-1 / s), range(1, 2**d + 1)
    masses = [one ** (x - 1).bit_count() * (1 - one) ** (d - (x - 1).bit_count()) for x in points]
    labels = np.array([[Conjunction(j, d).predict(x) for x in points] for j in points])
    wrong = labels != labels[2**s - 1]
    good = wrong @ masses <= alpha
    total = 0.0
    for places in itertools.combinations_with_replacement(range(2**d), m):
        counts = np.bincount(places, minlength=2**d)
        weights = np.exp(-rate * (wrong @ counts))
        chance = multinomial.pmf(counts, m, masses)
        total += chance * weights[good].sum() / weights.sum()
    return total


def drawn(m, d, s, *, rate, alpha, trials):
    """What the law averages."""
    law_of, rng = PRODUCT.resized(s), np.random.default_rng(5)
    weigh = laws._Weighing(law_of, d, np.array(law_of.allowed(d, alpha)), np.array([rate]))
    if m >= 2**d:
        return weigh.counts(m, trials, rng)[0]
    return weigh.points(laws._points(law_of, d, m, trials, rng))[0]


# The last two have no more examples than points: they are drawn one by one.
@pytest.mark.parametrize(("m", "d", "s", "epsilon", "alpha"), [
    (9, 2, 1, 1.0, 0.1), (5, 2, 2, 2.0, 0.3), (6, 3, 1, 3.0, 0.2), (5, 3, 2, 1.0, 0.1), (3, 4, 3, 3.0, 0.2),
])  # fmt: skip
def test_the_mechanism_on_product_is_the_mean_over_all_samples(m, d, s, epsilon, alpha):
    wanted = by_all_samples(m, d, s, rate=epsilon / 2, alpha=alpha)
    given = drawn(m, d, s, rate=epsilon / 2, alpha=alpha, trials=20_000)
    budget.assert_mean(given, wanted)
    # Planted: the exponent without the half, one example less, and another probability of a 1.
    assert not budget.mean_agrees(drawn(m, d, s, rate=epsilon, alpha=alpha, trials=20_000), wanted)
    assert not budget.mean_agrees(
        drawn(m - 1, d, s, rate=epsilon / 2, alpha=alpha, trials=20_000), wanted
    )
    # What is proved is below it, and what the law says between its ends.
    at = setting(m, d, epsilon, alpha, 0.1, trials=20_000)
    found = Exponential().success(PRODUCT.resized(s), at)
    assert found.low <= found.value <= found.high
    low = laws._log_rivals(
        PRODUCT.resized(s), lambda loss: loss / 2, d, at.m, at.epsilon,
        np.array(PRODUCT.resized(s).allowed(d, alpha)),
    )  # fmt: skip
    assert 0 < 1 / (1 + np.exp(low)) < wanted


# As with many bits: all conjunctions are weighed on one of four samples.
@pytest.mark.parametrize(("m", "d", "s", "epsilon", "alpha"), [
    (9, 2, 1, 1.0, 0.1), (6, 3, 1, 3.0, 0.2), (3, 4, 3, 3.0, 0.2),
])  # fmt: skip
def test_few_samples_correct_what_others_say_nearly(m, d, s, epsilon, alpha, *, monkeypatch):
    monkeypatch.setattr(laws, "_MANY", 2)
    monkeypatch.setattr(laws, "_SHARE", 4)
    monkeypatch.setattr(laws, "_STEEP_SHARE", 4)
    wanted = by_all_samples(m, d, s, rate=epsilon / 2, alpha=alpha)
    given = drawn(m, d, s, rate=epsilon / 2, alpha=alpha, trials=40_000)
    budget.assert_mean(given, wanted, low=-4.0, high=5.0)
    # Planted: the few samples count a quarter.
    right = given[:10_000]
    assert not budget.mean_agrees(np.append(right / 4, given[10_000:]), wanted, low=-4.0, high=5.0)


def test_a_number_does_not_depend_on_what_else_is_asked():
    """From some bits on more samples are weighed at a large rate than at a small one."""
    at = {"concept": "conjunction", "learner": "exponential", "distribution": "product(3)", "d": 11, "alpha": 0.1,
          "trials": 50}  # fmt: skip
    m, epsilon = np.array([40, 60, 3000]), (0.5, 1.0, 3.0, 8.0)
    together = pv.success(m=m[:, None], epsilon=epsilon, **at)
    for place, one in enumerate(epsilon):
        alone = pv.success(m=m, epsilon=one, **at)
        for name in ("value", "low", "high"):
            found = getattr(together, name)[:, place]
            np.testing.assert_allclose(found, getattr(alone, name), rtol=0, atol=1e-12)
    assert 0.1 < np.median(together.value) < 0.99


# With one literal, as with more bits: of the sets of others only those of at most two are told apart.
@pytest.mark.parametrize(("literals", "others"), [(1, 4), (2, 12), (4, 12), (12, 12)])
def test_what_is_nearly_right_with_many_bits(literals, others, monkeypatch):
    monkeypatch.setattr(laws, "_OTHERS_MOST", others)
    d, m, law_of = 12, 120, PRODUCT.resized(literals)
    rates = np.array([0.25, 0.5])
    weigh = laws._Weighing(law_of, d, np.array(law_of.allowed(d, 0.1)), rates)
    points = laws._points(law_of, d, m, 200, np.random.default_rng(4))
    right = weigh.right(m, [laws._tally(points, 1 << d)])
    goal = law_of.target(d) - 1
    missing = np.bitwise_count(goal & ~points).astype(np.int32)
    single = [((missing == 1) & (~points >> bit & 1 == 1)).sum(axis=0) for bit in range(literals)]
    nearly = weigh.nearly(
        weigh._positive(points >> literals, missing == 0), np.array(single),
        np.array([(missing == size).sum(axis=0) for size in range(literals + 1)]),
    )  # fmt: skip
    assert (np.square(nearly - right).mean(axis=1) < 0.15 * right.var(axis=1)).all()
    # The numbers that samples are reduced to are these.
    few = laws._SHARE
    corrected = weigh.points(points)
    assert corrected[:, 200 // few :] == pytest.approx(nearly[:, 200 // few :])


@pytest.mark.parametrize(("m", "d", "s", "rate", "alpha"), [
    (60, 11, 5, 4.0, 0.1), (60, 11, 7, 4.0, 0.1), (20, 11, 5, 4.0, 0.25), (20, 11, 5, 1.0, 0.25),
    (30, 14, 1, 1.0, 0.1), (20, 14, 1, 4.0, 0.3),
])  # fmt: skip
def test_corrected_numbers_vary_less_than_numbers_between_0_and_1_may(m, d, s, rate, alpha):
    """Their intervals are those of such numbers (`intervals.Draws`)."""
    law_of = PRODUCT.resized(s)
    weigh = laws._Weighing(law_of, d, np.array(law_of.allowed(d, alpha)), np.array([rate]))
    points = laws._points(law_of, d, m, 1000, np.random.default_rng(6))
    found = weigh.points(points)[0]
    assert found.var() < found.mean() * (1 - found.mean())


def test_the_mean_weight_of_all_rivals_is_what_samples_say():
    m, d, rate = 12, 6, 0.3
    good = laws._accurate(*laws._wrong(PRODUCT, d), np.array(PRODUCT.allowed(d, 0.1)))
    points = laws._points(PRODUCT, d, m, 4_000, np.random.default_rng(3))
    counted = laws._mistakes(PRODUCT, d, laws._tally(points, 1 << d))
    weights = np.exp(-rate * counted[~good]).sum(axis=0)
    wanted = np.exp(laws._log_rivals(
        PRODUCT, lambda _: rate, d, np.array(m), np.array(1.0), np.array(PRODUCT.allowed(d, 0.1))
    ))  # fmt: skip
    top = (~good).sum()  # no rival weighs more than 1
    budget.assert_mean(weights / top, wanted / top)
    assert not budget.mean_agrees(weights / top, 1.1 * wanted / top)


def test_mistakes_on_product_are_those_that_runs_count():
    law_of, rng = PRODUCT.resized(2), np.random.default_rng(9)
    tables = laws._tally(laws._points(law_of, 4, 40, 12, np.random.default_rng(1)), 16)
    for table, found in zip(tables.T, laws._mistakes(law_of, 4, tables.copy()).T, strict=True):
        assert table.sum() == 40
        points = rng.permutation(np.repeat(np.arange(1, 17), table)).tolist()
        sample = Sample.of(4, points, [law_of.truth(x, 4) for x in points])
        assert Exponential().mistakes(sample).tolist() == found.tolist()


def test_more_examples_are_the_same_ones_and_more():
    few, many = (laws._points(PRODUCT, 16, m, 5, np.random.default_rng(2)) for m in (30, 400))
    assert (many[:30] == few).all()


def test_the_law_of_the_mechanism_on_product():
    # recipe: the law by 1,000 drawn samples a point, with seed 1
    found = pv.need(
        concept="conjunction", learner="exponential", distribution="product", d=[4, 8], **AT
    )
    assert found.m.tolist() == [72, 147]
    assert found.method == "rao-blackwell"
    at = setting([1, 150, 10**6, 10**12], 16, 0.5, 0.1, 0.1, trials=250)
    found = Exponential().success(PRODUCT, at)
    assert (found.low <= found.value).all()
    assert (found.value <= found.high).all()
    # Where what is proved leaves nothing open nothing is drawn, whatever m is.
    assert found.value[2:] == pytest.approx(1, abs=1e-12)
    # With next to no privacy loss every one of the 256 conjunctions is as likely.
    for least in (1e-320, 5e-324):
        at = setting([10], 8, least, 0.1, 0.1, trials=50)
        assert Exponential().success(PRODUCT, at).value == pytest.approx(9 / 256, abs=1e-4)


def test_success_over_d_is_drawn_as_far_as_the_law_goes():
    at = Scenario("conjunction", ("erm", "exponential"), m=150, d=8, distribution="product")
    found = views.success_curves(at, "d", trials=20)
    assert [curve.x[-1] for curve in found.learners] == [10_000, 16]
    assert not found.missing
    further = views.success_curves(at, "d", trials=20, x_range=(20.0, 60.0))
    assert [curve.name for curve in further.learners] == ["erm"]
    assert "d must be at most 16 on product" in further.missing[0][1]


def test_the_envelope_holds_where_the_law_falls():
    """At a large epsilon the threshold passes a whole number: literals too many come back."""
    at = {"d": 2, "epsilon": 60.0, "alpha": 0.45, "beta": 0.1}
    few, m = SPIKES.resized(0.5, 0), np.arange(1, 60)
    value = SqLaplace().success(few, setting(m, **at)).value
    assert (np.diff(value) < -0.01).any()
    low, high = SqLaplace().span(few, setting(np.array(7), **at), setting(np.array(31), **at))
    inside = value[6:31]
    assert low.value <= inside.min()
    assert inside.max() <= high.value


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_what_holds_from_some_m_on_bounds_every_later_failure(share):
    """Chernoff's bound, in place of envelopes that say nothing of so long an interval."""
    law, steps = replace(SPIKES, share=share), np.geomspace(1.0, 1e4, 40)
    used = 0
    for d, epsilon, alpha, beta in itertools.product(
        *deep(
            ((2, 30), (0.05, 8.0), (0.03, 0.42)),
            ((2, 5, 30, 400), (0.05, 0.7, 8.0), (0.03, 0.2, 0.42)),
        ),
        (0.2, 1e-12),
    ):
        at = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta}
        guess = SqGauss().initial_guess(law, setting(1, **at)).item()
        m = np.unique(
            np.rint(guess * np.array([[3.0], [30.0]]) * steps, casting="unsafe").astype(int), axis=1
        )
        for row in m:
            lost = SqGauss().success(law, setting(row, **at)).failure
            low = SqGauss().envelope(
                law, setting(row[:1], **at), setting(row[-1:], **at), upper=False
            )
            assert lost.max() <= low.failure.item() * (1 + 1e-10) + (
                1e-12 if beta == 0.2 else 1e-15
            ), at
            used += 1e-15 < low.failure.item() <= 0.5 * beta
    assert used > deep(5, 15)


@pytest.mark.whole
def test_noisy_queries_never_fall_where_noise_hides_whole_counts():
    m, closest = np.arange(1, deep(60, 90)), 0.0
    for a, share, d, alpha in itertools.product(
        deep((0.1, 1.0), (0.1, 0.5, 1.0)), (0, 0.5), deep((1, 2, 9), (1, 2, 3, 9)), (0.3, 0.97)
    ):
        law = replace(SPIKES, a=a, share=share)
        # Noise of about the least scale that is said to hide them, and hardly less.
        epsilon = d * np.geomspace(0.4, 4.0, deep(3, 12))[:, None]
        at = setting(m, d, epsilon, alpha * a, 0.1)
        monotone_at = SqLaplace().monotone_at(law, at)
        assert (monotone_at == monotone_at[:, :1]).all()
        assert monotone_at[epsilon[:, 0] <= 0.45 * d].all()
        rise = np.diff(SqLaplace().success(law, at).value)
        assert (rise[monotone_at[:, 0]] >= -1e-13).all()
        closest = min(closest, rise.min())
    assert closest < -0.01  # it falls for less noise, or there would be nothing to tell
    for literals, d, alpha in itertools.product((1, 4), deep((2, 9), (2, 3, 9)), (0.05, 0.48)):
        law = replace(PRODUCT, literals=literals)
        at = setting(m[:60], d, d * np.geomspace(0.02, 9.0, 8)[:, None], alpha, 0.1)
        monotone_at = SqLaplace().monotone_at(law, at)[:, 0]
        assert monotone_at[0]
        assert not monotone_at[-1] or d <= literals
        assert (np.diff(SqLaplace().success(law, at).value)[monotone_at] >= -1e-13).all()
    few = SPIKES.resized(0.5, 0)
    assert not SqLaplace().monotone_at(few, setting(m, 2, 60.0, 0.45, 0.1)).any()
    assert not SqGauss().monotone_at(few, setting(m, 20, 0.1, 0.45, 0.1)).any()


@pytest.mark.parametrize(
    ("d", "epsilon", "alpha"), [(1, 0.4, 0.45), (12, 1.5, 0.2), (300, 0.3, 0.05)]
)
def test_the_least_m_of_noisy_queries_is_that_of_a_search_that_trusts_nothing(d, epsilon, alpha):
    at = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": 0.1}
    climbing = need(SqLaplace(), SPIKES, **at)
    assert climbing.m == climbing.m_from
    wary = need(Wary(), SPIKES, **at)
    assert (wary.m, wary.m_from) == (climbing.m, climbing.m_from)


@dataclass(frozen=True)
class Wary(SqLaplace):
    """The same, but success may fall anywhere."""

    monotone_at = Learner.monotone_at


def test_the_target_does_not_matter_to_the_exponential_mechanism():
    values = {
        law(Exponential(), SPIKES.resized(0.5, s / 8), 60, 8, 0.5, 0.1, 0.1) for s in (0, 4, 8)
    }
    assert len(values) == 1
    assert law(Erm(), SPIKES.resized(0.5, 1), 1, 8, 0.5, 0.1, 0.1) == 1


def test_rare_successes_and_failures_are_right_relative_to_themselves():
    # recipe: d = 4, s = 3, a = 1/2: the one other literal is never told with (7/8)^m
    few = SPIKES.resized(0.5, 0.75)
    rare = Erm().success(few, setting(400, 4, 1.0, 0.1, 1e-20))
    assert float(rare.failure) == pytest.approx(0.875**400, rel=1e-9)
    # recipe: d = 12, s = 0, r = 2, m = 10: all ten examples are spikes, and none comes twice
    chance = np.prod(np.arange(12, 2, -1) / 24)
    found = Erm().success(SPIKES.resized(0.5, 0), setting(10, 12, 1.0, 0.1, 1 - 1e-9))
    assert float(found.value) == pytest.approx(chance, rel=1e-7)


# --- What runs do ---------------------------------------------------------------------------------


def test_mistakes_of_all_conjunctions_are_counted_one_by_one():
    rng = np.random.default_rng(2)
    sample = Sample.of(3, rng.integers(1, 9, 20).tolist(), rng.integers(0, 2, 20).tolist())
    pairs = [(sample.points[i], y) for i, y in zip(sample.index, sample.labels, strict=True)]
    wanted = [sum(Conjunction(j, 3).predict(x) != y for x, y in pairs) for j in range(1, 9)]
    assert Exponential().mistakes(sample).tolist() == wanted


@dataclass(frozen=True)
class Quiet(SqLaplace):
    def scale(self, d, epsilon):
        return np.asarray(1 / epsilon + 0.0 * d)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_noisy_queries_lose_exactly_epsilon_and_less_noise_is_caught(d):
    tiny = Cell(d=d, m=2, epsilon=0.5, alpha=0.1, beta=0.1)
    assert audited(SqLaplace(), tiny).worst == pytest.approx(0.5, abs=1e-9)
    assert d == 1 or audited(Quiet(), tiny).worst > 0.6


def test_what_is_refused_and_told():
    with pytest.raises(InputError, match=r"^alpha must be less than a = 0\.3 for spikes; got 0\.3"):
        pv.success(concept="conjunction", learner="erm", distribution="spikes(0.3)", m=9, d=4,
                   epsilon=1, alpha=0.3, beta=0.1)  # fmt: skip
    with pytest.raises(InputError, match=r"^d must be at most 18 to go through all 2\^d conj"):
        examine(concept="conjunction", learner="exponential", m=30, d=19, epsilon=1, alpha=0.1)
    told = examine(concept="conjunction", learner="erm", m=200, d=6, epsilon=1, alpha=0.1, seed=3)
    assert any("3 of 6 bits are left" in step.words for step in told.steps)
    assert told.hypothesis.parameters == {"S": "111000"}


# --- The price of the route ----------------------------------------------------------------------


def test_the_routes_are_the_bounds_and_grow_as_they_are_said_to():
    at = Scenario("conjunction", ())
    found = {one["uid"]: one["y"] for one in route.routes(at)}
    place = list(route.SIZES).index(64)
    said = [found[name][place] for name in ("queries-laplace", "queries-gauss", "untold")]
    assert said == [952493, 255098, 4133]
    # One by one and with another slack: the noise depends on it.
    other = {one["uid"]: one["y"] for one in route.routes(replace(at, delta=1e-3))}
    assert (other["queries-gauss"] < found["queries-gauss"]).all()
    assert other["queries-laplace"].tolist() == found["queries-laplace"].tolist()
    wanted = {"queries-laplace": 2.0, "queries-gauss": 1.5, "finite-class": 1.0, "vc": 1.0}
    for name, power in wanted.items():
        # Up to a logarithm of d, which adds about 1 / log d.
        assert power - 0.05 < route.exponent(found[name]) < power + 0.25
    picture = route.price_of_the_route(at)
    assert "about d^2.14" in picture.figure["data"][0]["name"]
    assert "Guaranteed on every distribution" in picture.caption
