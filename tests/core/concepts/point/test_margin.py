"""The margin learner, permute-and-flip and the packing bound with a halfway database.

The reference values are those of the theory of this project; here they are computed a second time,
in forty digits, and by the core.
"""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
import scipy.stats

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared import votes as core
from privsc_core.concepts.shared.inequalities import halfway_limit, halfway_steps
from privsc_core.concepts.shared.sample import Sample
from privsc_core.concepts.shared.votes import name_by_votes
from privsc_core.numerics import expectations
from tests import budget
from tests.classes.point import unnamed
from tests.core.concepts.point.votes import chances, everything, worst_loss
from tests.core.references import exact, halfway_mean
from tests.core.support import setting
from tests.depth import deep

DEFAULTS = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
LEARNERS = ("margin", "permute-and-flip", "exponential")


def least(name, d, **more):
    return pv.bound(concept="point", bound=name, d=d, **(DEFAULTS | more))


def test_the_law_with_all_mass_on_the_target():
    # The bounds with n = T and K = m.
    m, rivals, loss = np.arange(1, 200), np.array(64 * math.log(2)), np.array(0.5)
    assert 1 + int((halfway_limit(m, rivals, 1.0, loss) < 0.9).sum()) == 96
    assert 1 + int((1 / (1 + np.exp(rivals - loss * m)) < 0.9).sum()) == 94


def test_the_guarantee_for_every_distribution():
    for d in (1, 4, 6):
        found = least("margin", d)
        assert np.isnan(found.m)
        assert str(found.reason).startswith("no PAC learner here: T ≤ 1/(αβ)")
    assert np.isnan(least("margin", 8, beta=0.01).m)
    # Two points of mass above 0.4 cannot be hit more often than 2 times in 8.
    assert str(least("margin", 3, alpha=0.4, beta=0.3).reason).startswith("no guarantee here")


def failure_under(masses, m, n, epsilon, alpha):
    """Pr[error > alpha] for a whole distribution, from the definition."""
    a = masses[0]
    bad = sum(a + x > alpha for x in masses[1:])
    lost = unnamed(m, mp.mpf(n), exact(epsilon))
    mean = mp.fsum(mp.binomial(m, k) * mp.mpf(a) ** k * (1 - mp.mpf(a)) ** (m - k) * lost[k]
                   for k in range(m + 1))  # fmt: skip
    return bad / mp.mpf(n) * mean


def test_no_distribution_fails_more_often_than_the_guarantee_allows():
    d, alpha, epsilon = 5, 0.25, 1.0
    rng = np.random.default_rng(3)
    for beta in (0.2, 0.3):
        m = least("margin", d, alpha=alpha, beta=beta, epsilon=epsilon).m.item()
        found = []
        for heavy in (0, 1, 2, 3):
            for _ in range(12):
                # A target, some heavy points just too heavy beside it, the rest spread.
                a = float(rng.uniform(0, alpha))
                masses = [a, *[alpha - a + 1e-9] * heavy, *rng.dirichlet(np.ones(31 - heavy))]
                rest = max(1 - sum(masses[: heavy + 1]), 0)
                masses = masses[: heavy + 1] + [x * rest for x in masses[heavy + 1 :]]
                if sum(masses) < 1 + 1e-9:
                    found.append(failure_under(masses, int(m), 32, epsilon, alpha))
        assert max(found) <= beta


def test_no_hill_between_the_masses_that_were_scanned_is_missed():
    # T is hardly above 1 / (alpha beta): only masses next to 0.00115 fail too often, by 2e-7.
    alpha, beta, epsilon, d = 0.1477, 2.03e-7, 0.33, 25
    found = int(least("margin", d, alpha=alpha, beta=beta, epsilon=epsilon).m)
    counts = np.arange(150)
    lost = 1 - np.expm1(epsilon * counts) / 2 ** (d + 1)
    kink = (d - 1) * math.log(2.0) / epsilon
    after = np.expm1(epsilon * (counts + kink) / 2) / 2 ** (d + 1)
    lost = np.where(counts < kink, lost, 1 - after)
    share = beta * np.exp(np.linspace(0.0, 0.002, 2001))
    mass = alpha - (1 - alpha) / (share * 2.0**d - 1)

    def worst(m):
        return float((share * (scipy.stats.binom.pmf(counts, m, mass[:, None]) @ lost)).max())

    assert worst(found) <= beta < worst(found - 1) < beta * (1 + 2e-7)


# recipe: section 3 of the theory in forty digits: law of (P2), margin, permute-and-flip, exponential.
LAWS = {
    (300, 8, 0.5, 0.1): (0.998615, 0.990422, 0.986251, 0.882822, 0.819815),
    (300, 16, 0.5, 0.1): (0.894743, 0.859194, 0.812517, 0.060674, 0.053135),
    (40, 4, 1.0, 0.3): (0.997372, 0.988102, 0.982057, 0.959214, 0.930304),
}


@pytest.mark.parametrize("cell", LAWS)
def test_laws_and_limits_at_a_few_settings(cell):
    m, d, epsilon, alpha = cell
    at = setting(m, d, epsilon, alpha, 0.1)
    found = [float(catalog.bound("point", b).limit(at)) for b in ("packing", "packing-two")]
    hard = catalog.distribution("point", "hard")
    found += [float(catalog.learner("point", x).success(hard, at).value) for x in LEARNERS]
    assert found == pytest.approx(LAWS[cell], abs=6e-7)


def by_definition(learner, m, d, epsilon, alpha):
    """Return success and failure on `hard` in forty digits."""
    n, e, a = mp.mpf(2) ** d, exact(epsilon), exact(alpha)
    lost = unnamed(m, n, e)

    def margin(k):
        return lost[k] * (1 - 1 / n)

    def flip(k):
        q, w = mp.exp(-e * k / 2), mp.exp(-e * m / 2)
        kept = mp.log1p(-q) if q < 1 else -mp.inf
        one = -mp.expm1((n - 1) * kept) / ((n - 1) * q)
        both = (1 + mp.expm1(n * kept) / (n * q)) / ((n - 1) * q)
        return 1 - ((1 - w) * one + w * both)

    kept = {"margin": margin, "permute-and-flip": flip}[learner]
    weight, failed = (1 - a) ** m, mp.mpf(0)
    for k in range(m + 1):
        failed += weight * kept(k)
        weight *= (m - k) * a / (1 - a) / (k + 1)
    return 1 - failed, failed


@pytest.mark.parametrize("learner", ["margin", "permute-and-flip"])
@pytest.mark.parametrize(("m", "d", "epsilon", "alpha"), [
    (1, 1, 0.5, 0.1), (2, 2, 3.0, 0.3), (333, 16, 0.5, 0.1), (90, 3, 0.02, 0.45), (1044, 64, 0.5, 0.1),
    (700, 400, 2.0, 0.4),
])  # fmt: skip
def test_laws_in_forty_digits(learner, m, d, epsilon, alpha):
    hard = catalog.distribution("point", "hard")
    entry = catalog.learner("point", learner)
    with mp.workdps(60):
        reached, failed = by_definition(learner, m, d, epsilon, alpha)
        found = float(entry.success(hard, setting(m, d, epsilon, alpha, 0.1)).value)
        assert abs(found - reached) <= reached * 1e-11 + 1e-13
        found = float(entry.success(hard, setting(m, d, epsilon, alpha, 1e-18)).failure)
        assert abs(found / failed - 1) < 1e-9


@pytest.mark.parametrize(("m", "d", "epsilon", "alpha"), [
    (1, 2, 0.5, 0.1), (40, 4, 1.0, 0.3), (60, 30, 2.0, 0.5), (25, 2, 0.05, 0.2),
])  # fmt: skip
def test_the_halfway_bound_with_every_t(m, d, epsilon, alpha):
    rivals, e, a = mp.mpf(2) ** d - 2, exact(epsilon), exact(alpha)
    failed = mp.mpf(0)
    for k in range(m + 1):
        worst = max(1 / (mp.exp(e * t) + mp.exp(e * (k - t)) / rivals) for t in range(k + 1))
        failed += mp.binomial(m, k) * a**k * (1 - a) ** (m - k) * worst
    assert halfway_mean(m, rivals, e, a) == pytest.approx(float(1 - failed), rel=1e-14)
    at = np.array(m), np.array(float(mp.log(rivals))), alpha, np.array(epsilon), 60.0
    assert float(halfway_limit(*at, lost=True)) == pytest.approx(float(failed), rel=1e-12)
    assert float(halfway_limit(*at)) == pytest.approx(float(1 - failed), rel=1e-12)


def test_t_is_whole():
    # n = 2, K = 1, epsilon = 1: a real t would exclude more than is impossible.
    steps, spent = halfway_steps(np.array(1.0), np.array(0.0), np.array(1.0))
    assert float(np.exp(-spent)) == pytest.approx(1 / (1 + math.e))
    assert float(steps) in {0.0, 1.0}


KS = (10, 20, 22, 24, 30, 40)
P_TWO = (0.0022596, 0.25156, 0.47743, 0.68305, 0.92928, 0.99419)
P_MARGIN = (0.0011399, 0.16805, 0.33794, 0.55130, 0.89988, 0.99178)


def test_success_at_a_count():
    k, log_n = np.array(KS, dtype=float), np.array(16 * math.log(2))
    spent = halfway_steps(k, np.array(math.log(2**16 - 2)), np.array(0.5))[1]
    assert -np.expm1(-spent) == pytest.approx(P_TWO, rel=2e-5)
    lost = core.wrong(k, log_n, np.array(0.5))
    assert 1 - lost * (1 - 2.0**-16) == pytest.approx(P_MARGIN, rel=3e-5)


@pytest.mark.parametrize(
    ("votes", "n", "epsilon", "head", "each"),
    [((5, 1, 0, 0), 4, 1.0, 0.837506, 0.054165), ((9, 4, 4, 1, 0, 0, 2, 0), 8, 0.3, 0.156255, 0.120535)],
)  # fmt: skip
def test_distributions_on_two_databases(votes, n, epsilon, head, each):
    found = name_by_votes(np.array(votes), epsilon, math.log(n))
    law = found.chances + found.guess / n
    assert law == pytest.approx([head] + [each] * (n - 1), abs=6e-7)
    assert law == pytest.approx(chances(votes, n, epsilon), rel=1e-13)


def test_the_guess_has_its_digits_where_one_candidate_is_nearly_certain():
    found = name_by_votes(np.array([8]), 10.0, math.log(4))
    with mp.workdps(40):
        wanted = unnamed(8, mp.mpf(4), mp.mpf(10))[8]
        assert found.guess == pytest.approx(float(wanted), rel=1e-12)
    assert found.chances[0] == 1.0


@pytest.mark.parametrize("votes", [0, 1, 8, 60, 900])
def test_the_log_of_a_guess_is_known_below_the_least_float(votes):
    found = name_by_votes(np.array([votes, 1]), 10.0, math.log(4))
    alone = name_by_votes(np.array([votes]), 10.0, math.log(4))
    assert math.exp(found.log_guess) == pytest.approx(found.guess, rel=1e-12)
    with mp.workdps(40):
        wanted = float(mp.log(unnamed(votes, mp.mpf(4), mp.mpf(10))[votes]))
    assert alone.log_guess == pytest.approx(wanted, rel=1e-12, abs=1e-15)
    assert (alone.guess == 0.0) == (votes == 900)


# --- Privacy ------------------------------------------------------------------------------------


VOTES = [(2, 12), (3, 9), (4, 7), (5, 5), (8, 4), (2**20, 7), (2**200, 6)]
MORE_VOTES = [(2, 300), (3, 60), (4, 32), (5, 20), (6, 17), *((2**k, 13) for k in (3, 20, 200))]


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 0.5, 1.0, 4.0, 20.0])
@pytest.mark.parametrize(("n", "m"), VOTES + deep([], MORE_VOTES))
def test_all_vote_vectors_and_neighbours_stay_within_epsilon_and_reach_it(n, m, epsilon):
    # Beyond 1000/eps the smallest probabilities are 0 in floats.
    worst, ratios = worst_loss(n, min(m, int(1000 / epsilon)), epsilon)
    assert ratios > 50
    assert worst <= epsilon * (1 + 1e-12) + 2e-14


def test_epsilon_is_attained():
    assert worst_loss(4, 9, 0.5)[0] == pytest.approx(0.5, abs=1e-12)


# Planted: at N = 4, epsilon = 0.5, m = 5; |log ratio| / epsilon.
FAULTS = {
    "no tax": ({"share": 0.0}, 2.07),
    "half the tax": ({"share": 0.25}, 1.31),
    "p0 = log(N)/eps": ({"free": math.log}, 1.064),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_caught(fault):
    change, wanted = FAULTS[fault]
    worst, _ = worst_loss(4, 5, 0.5, **change)
    assert worst / 0.5 == pytest.approx(wanted, abs=6e-3)
    assert worst > 0.5 + 1e-3


def test_the_third_fault_needs_three_candidates():
    free = {"free": math.log}
    assert worst_loss(2, 12, 0.5, **free)[0] <= 0.5 + 1e-12
    assert worst_loss(3, 5, 0.3, **free)[0] / 0.3 == pytest.approx(1.025, abs=2e-3)


def test_the_enumeration_is_the_learner():
    """The vote vectors of the audit above, as samples, by the catalog's learner."""
    learner = catalog.learner("point", "margin")
    for vector in everything(4, 4):
        x = [j + 1 for j, s in enumerate(vector) for _ in range(s)]
        sample = Sample.of(2, [*x, *[1] * (4 - len(x))], [1] * len(x) + [0] * (4 - len(x)))
        law = learner.output_distribution(sample, Cell(sample.d, 0.7, 0.1, 0.1))
        assert list(law.values()) == pytest.approx(chances(vector, 4, 0.7), rel=1e-12)


# --- Permute-and-flip -----------------------------------------------------------------------------


def test_the_first_accepted_in_every_order():
    accepts = np.array([1.0, 0.3, 0.3, 0.05])
    wanted = np.zeros(4)
    for order in itertools.permutations(range(4)):
        kept = 1.0
        for i in order:
            wanted[i] += kept * accepts[i] / 24
            kept *= 1 - accepts[i]
    assert expectations.first_accepted(accepts) == pytest.approx(wanted, rel=1e-13)


def test_counts_that_no_float_holds_are_drawn_in_law():
    """Huge domains, with about as many accepting points as seen ones: q^-1 = 2^d nearly."""
    entry, d = catalog.learner("point", "permute-and-flip"), 60
    k = round(2 * d * math.log(2) / 0.5)
    sample = Sample.of(d, [7] * k + [9], [1] * k + [0])
    rng = np.random.default_rng(5)
    runs = [entry.run(sample, Cell(sample.d, 0.5, 0.1, 0.1), rng).j == 7 for _ in range(1500)]
    q = math.exp(-0.25 * k)
    wanted = float(expectations.reached(np.array(math.log(2.0**d)), np.array(math.log(q))))
    assert 0.3 < wanted < 0.9
    budget.assert_rate(sum(runs), len(runs), wanted, "permute-and-flip with 2^60 points")
