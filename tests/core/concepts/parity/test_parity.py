"""Parities: reference values, laws by other means, planted faults, and what a block may lose."""

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import binom, multinomial

import privsc_core as pv
from privsc_core import catalog, draw
from privsc_core.concepts.contracts import Cell, Setting
from privsc_core.concepts.parity import PARITY, learners
from privsc_core.concepts.parity.certificate import between, by_rank, with_noise
from privsc_core.concepts.parity.distributions import Noisy, Uniform
from privsc_core.concepts.parity.learners import (
    Elimination,
    EliminationKlnrs,
    Erm,
    Exponential,
    _wrong_of_all,
    consistent,
)
from privsc_core.concepts.parity.linear import System, solved
from privsc_core.concepts.shared.sample import Sample
from privsc_core.concepts.shared.shattered_law import wrong_bits
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.audit import audit, audited
from privsc_core.evaluate.certificate import certify
from privsc_core.evaluate.microscope import examine
from privsc_core.evaluate.need import need, suffices
from privsc_core.evaluate.question import Question
from privsc_core.evaluate.reach import reach
from privsc_core.numerics.sums import walsh
from tests import budget
from tests.classes.parity import solved as chance_of_solving
from tests.core.support import enumerated_success, law, setting
from tests.depth import whole

AT = {"alpha": 0.1, "beta": 0.1, "epsilon": 0.5}
UNIFORM, SPIKES, _ = PARITY.distributions
CELL = (0.5, 0.1, 0.1)


def bound(name, d, **more):
    return catalog.bound("parity", name).least(Cell(d=d, **AT, **more)).m


def test_the_converse_is_the_mechanism_at_twice_epsilon():
    # recipe: section 10 of the same, by all samples: d = m = 2, E 1/W at epsilon and at epsilon / 2
    there, own = (
        enumerated_success(Exponential(), UNIFORM, 2, 2, epsilon, 0.1, 0.1) for epsilon in (1, 0.5)
    )
    assert (there, own) == pytest.approx((0.3462, 0.2979), abs=5e-5)
    limit = float(catalog.bound("parity", "converse").limit(setting(2, 2, 0.5, 0.1, 0.1)))
    assert own < there <= limit


# recipe: section 2 of the same: e = epsilon / 2, where the law is near 0.9
@pytest.mark.parametrize(("d", "e", "gap"), [(8, 0.25, 7e-5), (16, 0.25, 1e-6), (8, 2.0, 0.017)])
def test_the_certificate_is_as_narrow_as_it_is_said_to_be(d, e, gap):
    ends = between(np.arange(2, 400), np.array(d), np.array(e))
    near = np.argmin(np.abs(ends.low - 0.9))
    assert 0.5 * gap < ends.high[near] - ends.low[near] < gap


class OneBlock(Elimination):
    def blocks(self, _epsilon, _beta):
        return 1


# recipe: sums over the number of kept examples and over rho, apart from this code
def test_the_law_of_one_block_to_six_digits():
    assert law(OneBlock(), UNIFORM, 100, 16, *CELL) == pytest.approx(0.703791, abs=6e-7)


def test_the_constants_of_the_private_elimination():
    loss = np.array(0.5)
    assert float(Elimination().kept(loss)) == pytest.approx(0.24492, abs=5e-6)
    assert float(Elimination().declined(loss)) == pytest.approx(0.27407, abs=5e-6)
    assert [int(Elimination().blocks(loss, b)) for b in (0.1, 0.05, 0.01)] == [2, 3, 4]
    assert int(EliminationKlnrs().blocks(loss, 0.1)) == 4
    # phi nears 1/3: two blocks decline together too often, and without a privacy worth the name hardly ever.
    assert Elimination().blocks(np.array([0.1, 0.3, 0.5, 3.0]), 0.1).tolist() == [3, 3, 2, 2]


# --- The rank of random matrices ----------------------------------------------------------------


def test_random_equations_tell_r_as_often_as_matrices_do():
    found, missed = solved(np.array([16, 10]), np.array(16))
    assert found == pytest.approx([0.610325, 0.0155035], rel=1e-5)
    assert found + missed == pytest.approx(1, abs=1e-15)
    for m, d in ((1, 1), (2, 3), (4, 2), (3, 3)):
        every = itertools.product(range(1, 2**d + 1), repeat=m)
        mean = np.mean([1 / len(System.of(Sample.of(d, x, [0] * m)).solutions()) for x in every])
        assert float(solved(np.array(m), np.array(d))[0]) == pytest.approx(mean, rel=1e-13)
    # Deep tables serve every d: from 80 unknowns left on only m - d matters.
    near = [solved(np.array(d + 3), np.array(d))[1].item() for d in (80, 300, 10**6)]
    assert near == pytest.approx([near[0]] * 3, rel=1e-12)
    # 2^-t: so rarely t more equations than unknowns leave a second solution, of which half are wrong.
    assert solved(np.array(300), np.array(100))[1] == pytest.approx(2.0**-201, rel=0.01)


def test_the_reduction_finds_all_solutions_and_no_others():
    rng = np.random.default_rng(5)
    several = 0
    for _ in range(60):
        x, y = rng.integers(1, 17, 4), rng.integers(0, 2, 4)
        found = System.of(Sample.of(4, x.tolist(), y.tolist()))
        good = {
            r for r in range(16)
            if all((r & (a - 1)).bit_count() % 2 == b for a, b in zip(x.tolist(), y.tolist(), strict=True))
        }  # fmt: skip
        assert (found.solutions() if found else set()) == good
        several += len(good) > 1
        if good:
            drawn = {found.draw(rng) for _ in range(80)}
            assert drawn <= good
            assert len(drawn) == len(good)
    assert several > 10


def test_walsh_is_the_sum_that_it_says():
    values = np.random.default_rng(1).integers(-9, 9, (3, 8))
    signs = np.array([[(-1) ** (v & x).bit_count() for x in range(8)] for v in range(8)])
    assert (walsh(values) == values @ signs).all()


# --- The exponential mechanism on the uniform distribution -------------------------------------


def mean_share(m, d, rate):
    """E[1/W] over all matrices."""
    total = []
    for rows in itertools.product(range(2**d), repeat=m):
        wrong = [sum((v & x).bit_count() % 2 for x in rows) for v in range(2**d)]
        total.append(1 / sum(math.exp(-rate * k) for k in wrong))
    return math.fsum(total) / len(total)


@pytest.mark.parametrize(("m", "d", "rate"), [(3, 2, 0.25), (2, 2, 1.0), (2, 3, 2.0), (4, 1, 0.5)])
def test_the_certificates_hold_and_the_one_by_rank_is_narrower(m, d, rate):
    wanted = mean_share(m, d, rate)
    low, high, missed = by_rank(np.array(m), d, np.array(rate))
    wide = between(np.array(m), np.array(d), np.array(rate))
    assert wide.low < low < wanted < high < wide.high
    assert low + missed == pytest.approx(1, abs=1e-14)
    # The converse: nobody at epsilon does better than the mechanism with epsilon for epsilon / 2.
    assert catalog.bound("parity", "converse").limit(setting(m, d, rate, 0.1, 0.1)) >= wanted


def test_the_caveat_says_how_wide_the_certificate_is():
    epsilon = np.geomspace(1, 16, 25)
    for d, first in ((9, 8), (16, 15), (64, 62)):
        m = np.arange(first, 3 * d, 2)[:, None]
        low, high, _ = by_rank(m, d, 0.5 * epsilon)
        assert (high - low).max() < 0.018
    low, high, _ = by_rank(np.arange(1, 200), 16, np.array(0.25))
    assert (high - low).max() < 1e-4
    assert "0.018" in Exponential.caveat


def scenario(**more):
    return pv.Scenario("parity", ("exponential",), **{"d": 9, "epsilon": 4.0} | more)


def test_proved_ends_are_drawn_and_called_so():
    found = draw.picture(scenario(), "m")
    names = [str(t["name"]) for t in found.figure["data"]]
    assert {"Exponential mechanism (proved ends)", "Exponential mechanism: proved ends"} <= {*names}
    assert "simulated" not in found.caption
    band = next(t for t in found.figure["data"] if t["name"].endswith(": proved ends"))
    m = np.unique(np.array(band["x"], dtype=int))
    low, high, _ = by_rank(m, 9, np.array(2.0))
    drawn = [np.ptp([y for x, y in zip(band["x"], band["y"], strict=True) if x == k]) for k in m]
    # Planted: a thousand samples would make it half as wide.
    assert max(drawn) == pytest.approx((high - low).max(), rel=1e-3)
    few = draw.picture(scenario(d=6, epsilon=0.5), "m")
    assert "Exponential mechanism (simulated)" in [t["name"] for t in few.figure["data"]]
    assert "1,000 simulated samples a point" in few.caption
    methods = [views.numbers(scenario(d=d)).learner("exponential").method for d in (9, 6)]
    assert methods == ["bracketed", "rao-blackwell"]


def test_beside_simulated_values_proved_ends_stay():
    at = Exponential().success(UNIFORM, setting(9, [6, 9, 12], 4.0, 0.1, 0.1, trials=250))
    assert at.method == "rao-blackwell"
    assert at.drawn.count.tolist() == [250, 0, 0]
    (curve,) = views.success_curves(scenario(m=12), "d").learners
    here = int(np.flatnonzero(curve.x > 8)[0])
    low, high, _ = by_rank(np.array(12), int(curve.x[here]), np.array(2.0))
    assert high - low > 0.005
    assert (curve.low[here], curve.high[here]) == pytest.approx((low, high), rel=1e-9)


# --- Spikes ------------------------------------------------------------------------------------


def by_counts(m, d, a, rho):
    """The law of the number of wrong bits by all counts and all wrong sets."""
    total = np.zeros(d + 1)
    p = [a / d] * d + [1 - a]
    for counts in itertools.product(range(m + 1), repeat=d):
        if sum(counts) > m:
            continue
        chance = multinomial.pmf([*counts, m - sum(counts)], m, p)
        wrong = rho(np.array(counts, dtype=float))
        for bits in itertools.product((0, 1), repeat=d):
            total[sum(bits)] += chance * np.prod(np.where(bits, wrong, 1 - wrong))
    return total


PROFILES = {
    "unseen": lambda k: 0.5 * (k == 0), "mechanism": lambda k: 1 / (1 + np.exp(k / 2)),
    "kept": lambda k: 0.5 * 0.6**k,
}  # fmt: skip


@pytest.mark.parametrize("rho", PROFILES.values(), ids=PROFILES)
def test_the_law_of_wrong_bits_sums_over_all_counts(rho):
    for m, d, a in ((5, 2, 0.6), (3, 3, 1.0), (1, 3, 0.05)):
        assert wrong_bits(m, d, a, rho) == pytest.approx(by_counts(m, d, a, rho), abs=1e-13)
    # recipe: all counts and wrong sets, as above
    found = wrong_bits(5, 2, 0.6, PROFILES["mechanism"])
    assert found == pytest.approx([0.443263, 0.452019, 0.104718], abs=6e-7)


def test_rare_failures_are_right_relative_to_themselves():
    """A bit that is never seen, and its coin: inclusion and exclusion in fractions."""
    m, d = 900, 4

    def unseen(u):
        return sum(
            (-1) ** (j - u) * math.comb(d, j) * math.comb(j, u) * (1 - Fraction(j, 8)) ** m
            for j in range(u, d + 1)
        )

    wrong = [
        sum(unseen(u) * Fraction(math.comb(u, w), 2**u) for u in range(w, d + 1)) for w in range(d)
    ]
    for beta, alpha, first in ((1e-40, 0.1, 1), (1e-100, 0.14, 2)):
        found = catalog.learner("parity", "erm").success(SPIKES, setting(m, d, 1.0, alpha, beta))
        lost = float(sum(wrong[first:]))
        assert float(found.failure) == pytest.approx(lost, rel=1e-8)
    # What is not rare is what it is at any beta.
    for m, beta in itertools.product((60, 290, 400), (1e-9, 1 - 1e-9)):
        values = [law(Exponential(), SPIKES, m, 16, 0.5, 0.1, b) for b in (0.1, beta)]
        assert values[0] == pytest.approx(values[1], abs=1e-12)


@pytest.mark.parametrize("m", [1, 40, 1_000, 10**5])
def test_the_mean_of_wrong_bits_is_that_of_one(m):
    d, a, epsilon = 100, 0.7, min(0.5, 30 / m)

    def rho(k):
        return 1 / (1 + np.exp(epsilon * k / 2))

    found, k = wrong_bits(m, d, a, rho), np.arange(m + 1)
    assert found.sum() == pytest.approx(1, abs=1e-11)
    wanted = d * float(binom.pmf(k, m, a / d) @ rho(k))
    assert float(found @ np.arange(d + 1)) == pytest.approx(wanted, rel=1e-9)


def by_vc(m, d, epsilon, alpha, delta, *, flat=False):
    """What it allows, a sum a value of r; `flat` plants a fault: the base has no mass."""
    k, found = np.arange(m + 1), 1.0
    lost = delta * np.expm1(k * epsilon) / math.expm1(epsilon)
    odds = np.maximum(1 - lost, 0) / (1 + np.exp(epsilon * k))
    means = [binom.pmf(k, m, 1 / d if flat else alpha / (r + 1)) @ odds for r in range(d)]
    for v in range(1, d + 1):
        for r in range(math.floor(alpha * v + 1e-9), v):
            found = min(found, (1 - float(means[r])) / (1 - r / v))
    return found


def test_more_points_never_make_the_vc_bound_smaller():
    # It was 13 at d = 6: two wrong points of six are too many, and one of five.
    at = {"epsilon": 3.694, "alpha": 0.167, "beta": 0.021}
    found = [catalog.bound("parity", "vc").least(Cell(d=d, **at)).m for d in range(1, 16)]
    assert found == [19] * 12 + [20, 21, 22]


# The blocks did not depend on epsilon, and nothing was enough at beta = 0.1.
def test_a_larger_beta_has_a_number_where_a_smaller_one_has():
    at = {"d": 16, "epsilon": 0.1, "alpha": 0.1, "beta": [0.08, 0.1]}
    found = need(Elimination(), UNIFORM, **at).m.tolist()
    assert found[1] <= found[0] <= 1449


@pytest.mark.parametrize("delta", [0, 1e-3])
@pytest.mark.parametrize(("d", "m", "epsilon", "alpha"), [
    (1, 5, 0.5, 0.1), (8, 59, 0.5, 0.1), (64, 200, 2.0, 0.05), (31, 9, 1.0, 0.4),
])  # fmt: skip
def test_what_is_allowed_by_vc_dimension(d, m, epsilon, alpha, delta):
    at = setting(m, d, epsilon, alpha, 0.1, delta=delta)
    found = float(catalog.bound("parity", "vc").limit(at))
    assert found == pytest.approx(by_vc(m, d, epsilon, alpha, delta), rel=1e-10)
    assert abs(found - by_vc(m, d, epsilon, alpha, delta, flat=True)) > 1e-3


def test_of_many_counts_enough_are_tried():
    # recipe: by_vc above, every r in 25..127, least m by bisection
    allowed = [by_vc(m, 256, 0.5, 0.1, 0) for m in (1104, 1105)]
    assert allowed[0] < 0.9 <= allowed[1]
    assert bound("vc", 256) == 1105


def test_no_learner_errs_less_on_spikes_than_the_converse_says():
    # recipe: a E 1/(1 + e^(eps K)), K ~ Bin(200, 1/32)
    k = np.arange(201)
    least = 0.5 * float(binom.pmf(k, 200, 1 / 32) @ (1 / (1 + np.exp(0.5 * k))))
    assert least == pytest.approx(0.0352713, abs=6e-8)
    limit = float(catalog.bound("parity", "converse-spikes").limit(setting(60, 16, 0.5, 0.1, 0.1)))
    k = np.arange(61)
    mean = float(binom.pmf(k, 60, 1 / 32) @ (1 / (1 + np.exp(0.5 * k))))
    assert limit == pytest.approx((1 - mean) / (1 - 3 / 16), rel=1e-12)


# --- Privacy -----------------------------------------------------------------------------------


def loss(entry, *, m=2, epsilon=0.5):
    return audited(entry, Cell(d=2, m=m, epsilon=epsilon, alpha=0.1, beta=0.1)).worst


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("m", [2, 3])
def test_a_block_loses_exactly_epsilon(m, epsilon):
    assert loss(Elimination(), m=m, epsilon=epsilon) == pytest.approx(epsilon, abs=1e-9)


@dataclass(frozen=True)
class Bold(Elimination):
    def declined(self, epsilon):
        return np.full(epsilon.shape, 0.1)


@dataclass(frozen=True)
class Greedy(Elimination):
    def kept(self, epsilon):
        return np.tanh(epsilon)


@pytest.mark.parametrize("broken", [Bold(), Greedy()], ids=lambda x: type(x).__name__)
def test_planted_faults_lose_more(broken):
    assert loss(broken) > 0.6


def test_whole_learners_and_the_papers_constants_lose_less():
    # recipe: enumerated apart from this code
    assert loss(EliminationKlnrs()) == pytest.approx(0.2513, abs=5e-5)
    whole = {"d": 2, "m": 2, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}

    class Whole(Elimination):
        symmetric = False

        def audited(self):
            return self

    class Single(Whole):
        def blocks(self, _epsilon, _beta):
            return 1

    assert audited(Single(), Cell(**whole)).worst == pytest.approx(0.380, abs=5e-4)
    assert audited(Whole(), Cell(**whole)).worst <= 0.4115
    assert audit(Elimination()).private


# --- What is refused, and what a run tells ------------------------------------------------------


def test_an_alpha_at_which_there_is_nothing_to_learn_is_refused():
    with pytest.raises(InputError, match=r"^alpha must be less than a = 0\.3 for spikes; got 0\.3"):
        pv.success(concept="parity", learner="erm", distribution="spikes(0.3)", m=9, d=4,
                   epsilon=1, alpha=0.3, beta=0.1)  # fmt: skip
    with pytest.raises(InputError, match=r"^alpha must be less than 1/2 for uniform; got 0\.6"):
        pv.need(concept="parity", learner="erm", d=4, epsilon=1, alpha=0.6, beta=0.1)
    with pytest.raises(InputError, match=r"^d must be at most 18 to go through all 2\^d parities"):
        examine(concept="parity", learner="exponential", m=30, d=19, epsilon=1, alpha=0.1)


def test_a_run_shows_its_row_reduction():
    told = examine(
        concept="parity", learner="elimination", m=60, d=4, epsilon=2.0, alpha=0.1, seed=3
    )
    titles = [step.title for step in told.steps]
    reduction = next(step.words for step in told.steps if "row reduction" in step.title)
    assert "The coin" in titles
    assert "modulo 2" in reduction
    assert all(f"r{bit} = 1" in reduction for bit in (1, 2, 3, 4))
    assert told.hypothesis.parameters == {"r": "1111"}
    assert told.error == 0


# Parities with wrong labels: reference values, laws by other means, and where success falls.


FAST = [Erm(), Elimination(), EliminationKlnrs()]
EACH = pytest.mark.parametrize("learner", FAST, ids=lambda x: x.name)


@dataclass(frozen=True)
class Rounded(Elimination):
    """The constants as they are printed."""

    def kept(self, epsilon):
        return np.full(epsilon.shape, 0.2449)

    def declined(self, epsilon):
        return np.full(epsilon.shape, 0.27407)


# recipe: computed apart from this code: d = 6, m = 80, N = 2, p = .2449, phi = .27407
@pytest.mark.parametrize(("entry", "eta", "value"), [
    (Rounded(), 0.02, 0.734709), (Rounded(), 0.1, 0.388878), (Erm(), 0.02, 0.211170), (Erm(), 0.1, 0.015840),
])  # fmt: skip
def test_laws_with_wrong_labels_to_six_digits(entry, eta, value):
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
        right, found = mp.mpf(1 - eta) ** k, chance_of_solving(k, d)
        # As many values as 2^rank, without 0, of as many as there are without 0.
        fits = (mp.mpf(2) ** d * found - 1) / (mp.mpf(2) ** k - 1) if k else mp.mpf(0)
        win += chance * right * found
        none += chance * (1 - right) * (0 if forgiving else 1 - fits)
    win, none = (1 - phi) * win, phi + (1 - phi) * none
    return float(win * sum(none**i for i in range(many)) + none**many / mp.mpf(2) ** d)


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
            assert ", where it succeeds most often" in str(found.reason)
            continue
        there += 1
        assert found.m.item() == np.argmax(good) + 1
        if good[-1]:  # a guess suffices
            assert found.m_from.item() == np.flatnonzero(~good).max(initial=-1) + 2
        else:
            assert math.isnan(found.m_from.item())
            assert "equations some are wrong" in str(found.reason)
    assert there > 1


def test_what_is_best_of_all_is():
    words = str(need(Elimination(), Noisy(), d=16, epsilon=0.5, alpha=0.1, beta=0.1).reason)
    lost = 1 - Elimination().success(Noisy(), setting(np.arange(1, 5_000), 16, 0.5, 0.1, 0.1)).value
    said = f"it fails with probability {lost.min():.4g} even at m = {np.argmin(lost) + 1}, where it succeeds most often"
    assert words == f"{said}, more than β = 0.1"


def grid():
    """All values of epsilon that are looked for."""
    return (np.arange(1000, 10_000) * 10.0 ** np.arange(-9, 0)[:, None]).ravel()


@pytest.mark.parametrize(("learner", "eta", "d", "beta", "m"), [
    (Elimination(), 0.02, 6, 0.3, 100), whole(Elimination(), 0.005, 16, 0.2, 400),
    whole(EliminationKlnrs(), 0.0668, 4, 0.7, 8379),  # over 400 of 81,000 values alone
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
    assert "some values of epsilon above it do not suffice" in found.note
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


@pytest.mark.whole
def test_the_caveat_with_wrong_labels_says_how_wide_the_certificate_is():
    for most, epsilons in ((0.06, (1.0, 2.0)), (0.27, (4.0, 8.0, 1e3))):
        widths = []
        for d, eta, epsilon in itertools.product((9, 16), (0.02, 0.2), epsilons):
            m = np.arange(d, 6 * d, 3)
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
    assert entry.holds_on(Noisy(), Cell(**words))
    promised = [b for b in pv.catalog.concept("parity").bounds if b.kind == "upper"]
    assert promised
    assert not any(b.holds_on(Noisy(), Cell(**words)) for b in promised)
    assert all(b.holds_on(Uniform(), Cell(**words)) for b in promised)
