"""Parities with wrong labels: reference values, laws by other means, and where success falls."""

import itertools
import math
from dataclasses import dataclass, replace

import mpmath as mp
import numpy as np
import pytest

import privsc_core as pv
from privsc_core.concepts.contracts import Setting
from privsc_core.concepts.parity import learners
from privsc_core.concepts.parity.certificate import with_noise
from privsc_core.concepts.parity.distributions import Noisy, Uniform
from privsc_core.concepts.parity.learners import (
    Elimination,
    EliminationKlnrs,
    Erm,
    Exponential,
    _wrong_of_all,
    consistent,
)
from privsc_core.concepts.parity.linear import System
from privsc_core.concepts.shared.sample import Sample
from privsc_core.evaluate.certificate import Question, certify
from privsc_core.evaluate.need import need, suffices
from privsc_core.evaluate.reach import reach
from tests import budget
from tests.classes.parity import solved
from tests.core.support import enumerated_success, law, setting

FAST = [Erm(), Elimination(), EliminationKlnrs()]
EACH = pytest.mark.parametrize("learner", FAST, ids=lambda x: x.name)


@dataclass(frozen=True)
class Rounded(Elimination):
    """The constants as they are printed."""

    def kept(self, epsilon):
        return np.full(epsilon.shape, 0.2449)

    def declined(self, epsilon):
        return np.full(epsilon.shape, 0.27407)


# recipe: theory-vadhan.md, section 7: d = 6, m = 80, N = 2, p = .2449, phi = .27407
@pytest.mark.parametrize(("entry", "eta", "value"), [
    (Rounded(), 0.02, 0.734709), (Rounded(), 0.1, 0.388878), (Erm(), 0.02, 0.211170), (Erm(), 0.1, 0.015840),
])  # fmt: skip
def test_laws_to_six_digits(entry, eta, value):
    assert law(entry, Noisy(eta), 80, 6, 0.5, 0.1, 0.1) == pytest.approx(value, abs=6e-7)


def by_hand(learner, m, d, epsilon, eta, *, forgiving=False):
    """The sum over the equations that are kept; `forgiving` plants a fault: none contradict."""
    loss, many = np.array(epsilon), 1
    p, phi = 1.0, 0.0
    if not isinstance(learner, Erm):
        p, phi, many = (
            float(learner.kept(loss)),
            float(learner.declined(loss)),
            int(learner.blocks(loss, 0.1)),
        )
    size, win, none = m // many, mp.mpf(0), mp.mpf(0)
    for k in range(size + 1):
        chance = mp.binomial(size, k) * mp.mpf(p) ** k * mp.mpf(1 - p) ** (size - k)
        right, found = mp.mpf(1 - eta) ** k, solved(k, d)
        # As many values as 2^rank, without 0, of as many as there are without 0.
        fits = (mp.mpf(2) ** d * found - 1) / (mp.mpf(2) ** k - 1) if k else mp.mpf(0)
        win += chance * right * found
        none += chance * (1 - right) * (0 if forgiving else 1 - fits)
    win, none = (1 - phi) * win, phi + (1 - phi) * none
    return float(win * sum(none**i for i in range(many)) + none**many / mp.mpf(2) ** d)


def test_what_a_lecture_drags():
    # recipe: section 6 of the same: d = 6, m = 80, to two digits
    fast = [law(Elimination(), x, 80, 6, 0.5, 0.1, 0.1) for x in (Uniform(), Noisy(), Noisy(0.1))]
    assert fast == pytest.approx([0.83, 0.73, 0.39], abs=5e-3)
    every = [law(Exponential(), Noisy(eta), 80, 6, 0.5, 0.1, 0.1) for eta in (0.02, 0.1)]
    assert every == pytest.approx([0.99, 0.95], abs=5e-3)


@pytest.mark.parametrize(("eta", "value"), [(0.02, 0.211170), (0.1, 0.015840)])
def test_reference_values_are_certified(eta, value):
    found = certify(Question("parity", learner="erm", distribution=f"noisy({eta})", m=80, d=6))
    assert found["agrees"]
    assert float(found["low"]) == pytest.approx(value, abs=6e-7)


@EACH
def test_the_certificate_of_wrong_labels_is_the_sum_and_catches_a_fault(monkeypatch, learner):
    for m, d, eta in ((61, 7, 0.02), (5, 70, 0.2)):  # and where no equations contradict
        question = Question(
            "parity", learner=learner.name, distribution=f"noisy({eta})", m=m, d=d, epsilon=0.7
        )
        found = certify(question)
        assert found["agrees"]
        assert float(found["low"]) == pytest.approx(by_hand(learner, m, d, 0.7, eta), rel=1e-11)
    # Planted: wrong labels that contradict half of the time; at a setting that nobody else asks for.
    monkeypatch.setattr(learners, "consistent", lambda count, d: 0.5 + 0.0 * count * d)
    spoilt = replace(question, m=62, d=7, distribution="noisy(0.02)")
    assert not certify(spoilt)["agrees"]


@EACH
@pytest.mark.parametrize(("m", "d", "epsilon", "eta"), [
    (80, 6, 0.5, 0.02), (7, 9, 2.0, 0.2), (40, 3, 4.0, 0.001), (1, 1, 0.1, 0.1), (90, 70, 3.0, 0.01),
])  # fmt: skip
def test_laws_are_sums_over_what_is_kept(learner, m, d, epsilon, eta):
    found = law(learner, Noisy(eta), m, d, epsilon, 0.1, 0.1)
    assert found == pytest.approx(by_hand(learner, m, d, epsilon, eta), rel=1e-11)
    if (m, d) == (80, 6):
        assert found != pytest.approx(
            by_hand(learner, m, d, epsilon, eta, forgiving=True), rel=1e-3
        )


def test_wrong_labels_have_a_solution_as_often_as_matrices_say():
    for k, d in ((1, 1), (2, 2), (3, 2), (2, 3)):
        points = list(itertools.product(range(1, 2**d + 1), repeat=k))
        for wrong in itertools.product((0, 1), repeat=k):
            if any(wrong):
                fits = np.mean([System.of(Sample.of(d, x, wrong)) is not None for x in points])
                assert consistent(np.array(k), np.array(d)) == pytest.approx(fits, rel=1e-13)


def test_there_are_no_equations_or_far_fewer_than_unknowns():
    d = np.array([1, 64, 1_000, 10**6])
    assert (consistent(np.array(0), d) == 0).all()
    assert consistent(np.array(5), d[1:]) == pytest.approx(1, abs=1e-13)
    assert consistent(np.array(2_000), d).tolist()[0] == 0
    for learner, m in itertools.product(FAST, (1, 3, 10**7, 10**12)):
        values = learner.success(Noisy(), setting(m, d, 0.5, 0.1, 0.1)).value
        assert ((values >= 0) & (values <= 1)).all()


# --- Where success falls --------------------------------------------------------------------


def test_success_falls_with_m_and_with_epsilon():
    m = np.arange(1, 3_000)
    for learner in FAST:
        assert not learner.monotone(Noisy(), 0.1)
        assert learner.monotone(Uniform(), 0.1)
        values = learner.success(Noisy(), setting(m, 6, 0.5, 0.1, 0.1)).value
        assert values.max() > values[-1] + 0.1
        if learner.privacy == "pure":
            assert not learner.eases(Noisy(), "epsilon")
            # Where blocks follow epsilon their number is whole.
            assert learner.eases(Uniform(), "epsilon") != isinstance(learner, Elimination)
            values = learner.success(
                Noisy(), setting(300, 6, np.geomspace(0.05, 5), 0.1, 0.1)
            ).value
            assert values.max() > values[-1] + 0.1
    # Without privacy all equations are solved: of 204 most often one is wrong.
    free, fast = (law(e, Noisy(), 204, 16, 0.5, 0.1, 0.1) for e in (Erm(), Elimination()))
    assert (free, fast) == pytest.approx((0.0162, 0.6625), abs=5e-5)


@EACH
def test_spans_hold_every_value_between(learner):
    rng, tight = np.random.default_rng(3), 0
    for d, epsilon, eta in ((6, 0.5, 0.02), (2, 3.0, 0.2), (16, 1.0, 0.005)):
        values = learner.success(Noisy(eta), setting(np.arange(1, 601), d, epsilon, 0.1, 0.1)).value
        ends = np.sort(rng.integers(1, 601, (200, 2)), axis=1)
        low, high = learner.span(
            Noisy(eta), *(setting(end, d, epsilon, 0.1, 0.1) for end in ends.T)
        )
        for (a, b), lo, hi in zip(ends.tolist(), low.value, high.value, strict=True):
            assert lo * (1 - 1e-12) <= values[a - 1 : b].min()
            assert values[a - 1 : b].max() <= hi * (1 + 1e-12)
            # Planted: the ends alone are no span.
            tight += values[a - 1 : b].max() > max(values[a - 1], values[b - 1]) + 1e-3
    assert tight > 10


CASES = [(6, 0.02, 0.3), (8, 0.001, 0.1), (1, 0.05, 0.2), (16, 0.01, 0.9), (16, 0.02, 0.1), (4, 0.2, 0.99)]  # fmt: skip


@EACH
def test_need_is_what_a_scan_finds(learner):
    m = np.arange(1, 20_001)
    there = 0
    for d, eta, beta in CASES:
        good = suffices(learner.success(Noisy(eta), setting(m, d, 0.7, 0.1, beta)), beta)
        found = need(learner, Noisy(eta), d=d, epsilon=0.7, alpha=0.1, beta=beta)
        if not good.any():
            assert math.isnan(found.m.item())
            assert ", the best of all" in str(found.reason)
            continue
        there += 1
        assert found.m.item() == np.argmax(good) + 1
        if good[-1]:  # a guess suffices
            assert found.m_from.item() == np.flatnonzero(~good).max(initial=-1) + 2
        else:
            assert math.isnan(found.m_from.item())
            assert "of many equations some are wrong" in str(found.reason)
    assert there > 1


def test_what_is_best_of_all_is():
    words = str(need(Elimination(), Noisy(), d=16, epsilon=0.5, alpha=0.1, beta=0.1).reason)
    lost = 1 - Elimination().success(Noisy(), setting(np.arange(1, 5_000), 16, 0.5, 0.1, 0.1)).value
    said = f"it fails with probability {lost.min():.4g} even at m = {np.argmin(lost) + 1}, the best of all"
    assert words == f"{said}, more than β = 0.1"


def grid():
    """All values of epsilon that are looked for."""
    return (np.arange(1000, 10_000) * 10.0 ** np.arange(-9, 0)[:, None]).ravel()


@pytest.mark.parametrize(("learner", "eta", "d", "beta", "m"), [
    (Elimination(), 0.02, 6, 0.3, 100), (Elimination(), 0.005, 16, 0.2, 400),
    (EliminationKlnrs(), 0.0668, 4, 0.7, 8379),  # over 400 of 81,000 values alone
    (Elimination(), 0.2, 8, 0.1, 300),  # over none
])  # fmt: skip
def test_the_least_epsilon_is_what_a_scan_finds(learner, eta, d, beta, m):
    epsilon = grid()
    good = suffices(
        learner.success(Noisy(eta), Setting(np.array(m), np.array(d), epsilon, 0.1, beta)), beta
    )
    found = reach(learner, Noisy(eta), wanted="epsilon", m=m, d=d, alpha=0.1, beta=beta)
    if not good.any():
        assert "too few at every epsilon" in found.reason
        return
    assert not good[-1]
    assert found.value == pytest.approx(epsilon[np.argmax(good)], rel=1e-9)
    assert "some less demanding epsilon fall short" in found.note
    assert not found.complete


# --- The exponential mechanism ------------------------------------------------------------------


def ends(m, d, epsilon, eta):
    low, high, missed = with_noise(np.array([m]), d, np.array([0.5 * epsilon]), eta, 35.0)
    assert low + missed == pytest.approx(1, abs=1e-12)
    return low.item(), high.item()


@pytest.mark.parametrize("eta", [0.02, 0.2])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 20.0])
@pytest.mark.parametrize(("m", "d"), [(1, 1), (3, 1), (2, 2), (3, 2), (2, 3)])
def test_the_certificate_holds(m, d, epsilon, eta):
    wanted = enumerated_success(Exponential(), Noisy(eta), m, d, epsilon, 0.1, 0.1)
    low, high = ends(m, d, epsilon, eta)
    assert low * (1 - 1e-12) <= wanted <= high * (1 + 1e-12)
    # Planted: fewer wrong labels, and more of them where the ends are near each other.
    assert ends(m, d, epsilon, eta / 50)[0] > wanted
    assert ends(m, d, epsilon, min(10 * eta, 0.9))[1] < wanted or high - low > 0.1


@pytest.mark.parametrize(("m", "d", "epsilon", "eta"), [
    (22, 10, 8.0, 0.1), (36, 9, 2.0, 0.2), (12, 9, 1e3, 0.02), (100, 8, 0.5, 0.1),
])  # fmt: skip
def test_the_certificate_holds_where_rivals_are_luckier(m, d, epsilon, eta):
    rng = np.random.default_rng(1)
    given = np.concatenate([
        Exponential()._given(d, epsilon, *_wrong_of_all(d, m, 250, rng, eta=eta)) for _ in range(16)
    ])  # fmt: skip

    def nearest(eta):
        return float(np.clip(given.mean(), *ends(m, d, epsilon, eta)))

    budget.assert_mean(given, nearest(eta))
    # Planted: fewer wrong labels, and more.
    assert not budget.mean_agrees(given, nearest(eta / 20))
    assert not budget.mean_agrees(given, nearest(2.5 * eta))


def test_the_certificate_is_what_it_is_without_noise():
    m, epsilon = np.arange(1, 200, 7), np.array([0.5])
    for d in (9, 16, 64):
        wanted = Exponential().success(Uniform(), setting(m, d, epsilon, 0.1, 0.1))
        low, high, _ = with_noise(m, d, np.full(m.shape, 0.25), 1e-15, 35.0)
        assert low == pytest.approx(wanted.low, rel=1e-9)
        assert high == pytest.approx(wanted.high, rel=1e-9)


def test_every_cell_is_drawn_or_not_by_itself():
    at = setting([20, 100_000, 25], 6, 0.5, 0.1, 0.1, trials=500)
    found = Exponential().success(Noisy(), at)
    assert found.method == "rao-blackwell"
    assert ((found.high - found.low) > 1e-3).tolist() == [True, False, True]
    assert found.value[1] == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("eta", [0.02, 0.2])
def test_a_huge_epsilon_is_a_maximum_likelihood(eta):
    for d, m in ((6, 30), (64, 100), (64, 2_000), (10**6, 10**12)):
        values = [law(Exponential(), Noisy(eta), m, d, e, 0.1, 0.1) for e in (40.0, 1e3, 1e300)]
        assert values[1] == values[2]
        assert values[0] == pytest.approx(values[1], abs=1e-6)
        assert values[0] > 1 - 1e-9 or m <= 100


def test_it_takes_few_more_examples():
    # recipe: the least m at which its law, which is proved from below, reaches 0.9
    found = [
        need(Exponential(), Noisy(eta), d=16, epsilon=0.5, alpha=0.1, beta=0.1).m.item()
        for eta in (0.001, 0.02, 0.1)
    ]
    assert found == [114, 119, 148]


def test_the_caveat_says_how_wide_the_certificate_is():
    for most, epsilons in ((0.06, (1.0, 2.0)), (0.27, (4.0, 8.0, 1e3))):
        widths = []
        for d, eta, epsilon in itertools.product((9, 16), (0.02, 0.1, 0.2), epsilons):
            m = np.arange(d, 6 * d, 2)
            low, high, _ = with_noise(m, d, np.full(m.shape, 0.5 * epsilon), eta, 35.0)
            widths.append((high - low).max())
        assert 0.8 * most < max(widths) < most
        assert f"{most}" in Exponential.caveat
    low, high, _ = with_noise(np.arange(100, 200, 4), 16, np.full(25, 0.25), 0.2, 35.0)
    assert (high - low).max() < 1e-4


# --- Bounds -------------------------------------------------------------------------------------


def test_no_private_learner_does_with_less_if_labels_are_wrong():
    entry = pv.catalog.bound("parity", "converse")
    words = {"d": 16, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
    assert entry.holds_on(Noisy(), **words)
    promised = [b for b in pv.catalog.concept("parity").bounds if b.kind == "upper"]
    assert promised
    assert not any(b.holds_on(Noisy(), **words) for b in promised)
    assert all(b.holds_on(Uniform(), **words) for b in promised)
