"""The audit from runs: every planted fault is caught, no correct twin is accused."""

import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom, laplace

import privsc_core as pv
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.learners import Exponential
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.evaluate.audit import excess
from privsc_core.evaluate.audit_runs import of_learner
from privsc_core.evaluate.events import Claim
from privsc_core.numerics.intervals import at_least, at_most
from tests import budget
from tests.core.evaluate import mechanisms as ours
from tests.core.evaluate.mechanisms import PLANTED
from tests.depth import whole

NAMED = {planted.name: planted for planted in PLANTED}


def audit(mechanism, planted, *, trials, seed=1):
    return pv.audit(
        mechanism, neighbours=planted.neighbours, epsilon=planted.epsilon, delta=planted.delta,
        trials=trials, seed=seed,
    )  # fmt: skip


# --- What the planted faults cost ----------------------------------------------------------------


def test_each_costs_at_least_one_and_three_tenths_of_what_is_claimed():
    for planted in PLANTED:
        assert planted.least >= 1.3 * (planted.delta or planted.epsilon)


def test_half_of_the_noise_costs_twice_epsilon():
    """Derive 2ε.

    The count differs by 1 and its density is exp(-|t - count| / b) / 2b with b = 1/(2ε). The log ratio of
    the two densities is (|t - c - 1| - |t - c|) / b, at most 1/b = 2ε, and equal to it for all t ≤ c.
    """
    planted, t = NAMED["half of the noise"], np.linspace(-20, 20, 4001)
    losses = laplace.logpdf(t, 1, 0.5 / planted.epsilon) - laplace.logpdf(
        t, 2, 0.5 / planted.epsilon
    )
    assert np.abs(losses).max() == pytest.approx(planted.least, rel=1e-12)


def test_a_histogram_with_the_noise_of_one_count_costs_twice_epsilon():
    """Derive 2ε.

    One replaced example moves both counts by 1. Their noises are independent of scale 1/ε, so log ratios
    add up: at most ε + ε, and equal to that wherever the noise of neither count reaches between the two
    counts: a quadrant, of probability 1/4 on one of the data sets.
    """
    planted = NAMED["sensitivity 1 for 2"]
    t, s = np.meshgrid(*[np.linspace(-9, 9, 361)] * 2)
    here = laplace.logpdf(t, 1, 1 / planted.epsilon) + laplace.logpdf(s, 1, 1 / planted.epsilon)
    there = laplace.logpdf(t, 0, 1 / planted.epsilon) + laplace.logpdf(s, 2, 1 / planted.epsilon)
    assert np.abs(here - there).max() == pytest.approx(planted.least, rel=1e-12)


def test_an_argmax_without_noise_has_no_epsilon():
    """Derive infinity: each data set has one output, and they differ, so one is impossible on the other."""
    (pair,) = NAMED["no noise"].neighbours
    assert [ours.commonest(x) for x in pair] == [0, 1]


def test_the_noisy_value_of_the_winner_costs_half_epsilon_an_attribute():
    """Derive kε/2 for k attributes; here 2ε, as k = 4.

    All counts grow by 1. The largest of k noisy counts is at most t with probability F(t - c)^k, F the
    distribution function of the noise, exp(tε/2) / 2 for t ≤ 0. Its log ratio for t ≤ c is k ε/2. No output
    has more: the density is a sum over winners of products of k factors, and each changes by at most
    exp(ε/2). The argmax alone would be ε-private, for it only tells differences of counts.
    """
    planted = NAMED["value of the winner"]
    scale, t = 2 / planted.epsilon, np.linspace(-12, 12, 2401)

    def log_density(count):
        return laplace.logpdf(t, count, scale) + 3 * laplace.logcdf(t, count, scale)

    losses = log_density(0) - log_density(1)
    assert np.abs(losses).max() == pytest.approx(planted.least, rel=1e-12)
    event = 4 * (laplace.logcdf(0, 0, scale) - laplace.logcdf(0, 1, scale))
    assert event == pytest.approx(planted.least, rel=1e-12)


def pattern(counts, planted, paid):
    """Return the probability of ⊥⊥⊥⊥⊤⊤⊤⊤, by quadrature over the noise of the threshold."""
    first = ours.SPENT_ON_THRESHOLD * planted.epsilon
    scale = 2 * paid / (planted.epsilon - first)

    nodes, weights = np.polynomial.legendre.leggauss(60)
    ends = np.array(
        [-200.0, -60.0, -20.0, -8.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 8.0, 20.0, 60.0, 200.0]
    )
    half = np.diff(ends)[:, None] / 2  # the density has corners at whole numbers
    z = ends[:-1, None] + half * (1 + nodes)
    below = laplace.cdf(ours.THRESHOLD + z - counts[0], scale=scale)
    above = laplace.sf(ours.THRESHOLD + z - counts[1], scale=scale)
    return float((half * weights * laplace.pdf(z, scale=1 / first) * below**4 * above**4).sum())


def test_a_threshold_for_many_answers_costs_more_than_it_pays():
    """Derive at least 1.82ε for four answers that pay for one, and at most ε where they pay for four.

    Given the noise z of the threshold T the answers are independent: below with probability F(T + z - q),
    above with 1 - F. Move all counts by 1 and z with the counts that grow, to z + 1: this costs ε1 for the
    density of z; the answers below get likelier; each answer above costs 2 / b, with b the scale of the noise
    of a count. So c answers cost ε1 + 2c / b. With b = 2c / ε2 (Lyu, Su and Li 2017, Algorithm 1) that is
    ε1 + ε2 = ε although the threshold is never renewed: not to renew is no fault. With b = 2 / ε2,
    which pays for one answer, the bound is ε1 + c ε2, and the pattern of four below, then four above, has
    already the log ratio that is computed here.
    """
    planted = NAMED["threshold for many"]
    p, q = (pattern(counts, planted, 1) for counts in ((0, 2), (1, 1)))
    assert math.log(p / q) == pytest.approx(planted.least, rel=1e-4)
    most = (0.2 + 4 * 0.8) * planted.epsilon
    assert planted.least < most
    right = [pattern(counts, planted, ours.ANSWERS) for counts in ((0, 2), (1, 1))]
    assert abs(math.log(right[0] / right[1])) < planted.epsilon
    rng, runs = np.random.default_rng(3), 2000
    for x, chance in zip(ours.CROSSED, (p, q), strict=True):
        found = [ours.sparse(1)(x, epsilon=planted.epsilon, rng=rng) for _ in range(runs)]
        budget.assert_rate(found.count(["⊥"] * 4 + ["⊤"] * 4), runs, chance, "the pattern")


def test_one_noise_too_few_costs_delta():
    """Derive e^-ε(w-1) / N in place of e^-εw / N.

    The noise is a whole number from -w to w, with probability e^-ε|z| / N. Shifted by 1 every ratio is
    at most e^ε but at the end, where one side cannot come: with probability e^-εw / N, which is δ. Without
    the last noise, w, that end is at w - 1 and has e^-ε(w-1) / N', more than e^ε times as much.
    """
    planted = NAMED["one noise too few"]
    for off, least in ((False, planted.delta), (True, planted.least)):
        law = dict(zip(*ours.geometric_noise(planted.epsilon, off=off), strict=True))
        outputs = range(-9, 10)
        here = np.array([law.get(z, 0.0) for z in outputs])
        there = np.array([law.get(z - 1, 0.0) for z in outputs])
        found = max(excess(here, there, planted.epsilon), excess(there, here, planted.epsilon))
        assert found == pytest.approx(least, rel=1e-12)


# --- The audit finds them ------------------------------------------------------------------------


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_planted_faults_are_caught(planted):
    found = audit(planted.faulty, planted, trials=planted.trials)
    assert found.private is False
    least = found.least_delta if planted.delta else found.worst
    assert (planted.delta or planted.epsilon) < least
    hits, others, runs = found.hits
    assert runs == planted.trials // 4
    # What it says of the fault is not more than is true.
    limit = math.exp(planted.epsilon if planted.delta else min(planted.least, 700))
    if planted is not NAMED["threshold for many"]:  # of which only one event was derived
        budget.assert_within(
            hits, others, runs, limit, extra=planted.least if planted.delta else 0.0
        )


@pytest.mark.parametrize("seed", [1, 2, whole(3), whole(4), whole(5)])
@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_their_correct_twins_are_not_accused(planted, seed):
    found = audit(planted.correct, planted, trials=2000, seed=seed)
    hits, others, runs = found.hits
    budget.assert_within(hits, others, runs, math.exp(planted.epsilon), extra=planted.delta)
    assert found.private is None
    assert "does not show privacy" in found.verdict


def test_the_same_seed_tells_the_same():
    planted = PLANTED[1]
    found = [audit(planted.faulty, planted, trials=2000, seed=seed) for seed in (7, 7, 8)]
    assert found[0] == found[1] != found[2]


def test_pairs_are_found_where_only_examples_are_given():
    # Only the pair of all ones and one zero tells: elsewhere the output is the same.
    def tells(x, *, epsilon, rng):
        return bool(x.all()) if rng.random() < 0.5 else None

    found = pv.audit(tells, examples=[0, 1], m=6, epsilon=1.0, trials=20_000)
    assert found.private is False
    assert sorted([sum(found.database), sum(found.neighbour)]) == [5, 6]


@pytest.mark.parametrize("output", [
    lambda one: [1.0] * (3 + one), lambda one: {"a": one}, lambda one: {one},
    lambda one: math.nan if one else 1.0, lambda one: None if one else "none",
    lambda one: math.inf if one else 1e308, lambda one: (0.5, "b" if one else 2),
    lambda one: np.full((2, 2), one), lambda one: 2**20_000 + one, lambda one: np.arange(40) + one,
])  # fmt: skip
def test_outputs_of_every_kind_are_told_apart(output):
    found = pv.audit(lambda x: output(x[0]), neighbours=[([0], [1])], epsilon=0.5, trials=1000)
    assert found.private is False
    assert found.hits[1] < found.hits[0]


# --- Learners of a class -------------------------------------------------------------------------


def most_frequent(x, y, *, d, rng):
    """Return the point with most ones, the first of several: not private."""
    return 1 + int(np.argmax(np.bincount(x[y == 1] - 1, minlength=2**d)))


def test_a_learner_of_ones_own_is_audited_by_runs():
    found = pv.audit(most_frequent, concept="point", m=3, d=1, epsilon=1.0, trials=4000)
    assert found.private is False
    assert found.method == "monte-carlo"
    assert "label of point" in found.output
    different = [a != b for a, b in zip(found.database, found.neighbour, strict=True)]
    assert sum(different) == 1


def test_a_learner_of_a_class_of_ones_own_sees_its_points_alone():
    matrix = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 1]])

    def best(x, y):
        return 1 + int(np.argmax((matrix[:, x - 1] == y).sum(axis=1)))

    found = pv.audit(best, concept=pv.FiniteClass(matrix), trials=8000)
    assert found.private is False
    assert {point for point, _ in (*found.database, *found.neighbour)} <= {1, 2, 3}


def test_a_learner_that_lists_its_outputs_is_audited_exactly_or_by_runs():
    exact = pv.audit("exponential", concept="point", m=2)
    runs = pv.audit("exponential", concept="point", m=2, trials=4000)
    assert (exact.method, runs.method, runs.runs) == ("exact", "monte-carlo", 4000)
    assert (exact.private, runs.private) == (True, None)
    budget.assert_within(*runs.hits, math.exp(exact.worst))
    assert "private on this instance" in exact.verdict


class Listed:
    """A learner that lists its outputs as a function says."""

    def __init__(self, law):
        self.law = law

    def learn(self, x, y, *, rng, **_):
        answers, chances = zip(*self.law(x, y).items(), strict=True)
        return int(rng.choice(answers, p=chances))

    def output_distribution(self, x, y, **_):
        return self.law(x, y)


@pytest.mark.parametrize("law", [
    lambda _, y: {1: 0.9, 2: 0.1} if y.any() else {1: 1.0},
    lambda _, y: {2: 0.1, 1: 0.9} if y.any() else {1: 1.0}, lambda x, _: {int(x[0]): 1.0},
])  # fmt: skip
def test_an_output_that_is_listed_for_some_samples_alone_is_a_leak(law):
    found = pv.audit(Listed(law), concept="point", d=1, m=2, epsilon=0.5)
    assert (found.method, found.private, found.worst) == ("exact", False, math.inf)


def test_labelled_examples_are_audited_beside_unlabelled_ones():
    sizes = set()

    def law(x, y):
        sizes.add((len(x), len(y)))
        return {1 + int(y[0]): 1.0}

    learner = Listed(law)
    at = {"concept": "point", "d": 1, "m": 1, "epsilon": 0.5}
    with pytest.raises(pv.InputError, match=r"^u must be 0 where listed outputs are audited"):
        pv.audit(learner, u=3, **at)
    assert pv.audit(learner, u=3, trials=2000, **at).private is False
    assert sizes == {(4, 1)}


def test_not_all_pairs_of_many_examples_are_looked_at():
    asked = [0]

    @dataclass(frozen=True)
    class Counted(Exponential):
        def neighbours(self, record):
            asked[0] += 1
            return super().neighbours(record)

        def run(self, *_, **__):
            return FAILURE

    tiny = Cell(d=8, m=2, epsilon=1.0, alpha=0.2, beta=0.2)
    found = of_learner(Counted(), tiny, delta=0.0, trials=512, seed=1)
    assert found.private is None
    assert asked[0] < 2**12 < 2**18  # of so many pairs there are


def test_neighbours_of_one_that_protects_labels_differ_in_a_label():
    found = pv.audit("ranks", concept="threshold", m=2, d=1, trials=2000)
    ((old, new),) = [(a, b) for a, b in zip(found.database, found.neighbour, strict=True) if a != b]
    assert (old[0], old[1]) == (new[0], 1 - new[1])


# --- Mechanisms of a library ---------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_a_measurement_of_opendp_is_audited(scale):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    measure = dp.m.make_laplace(*space, scale=scale)

    def noisy_count(x):
        return measure(sum(x))

    found = pv.audit(noisy_count, neighbours=[([0, 1], [1, 1])], epsilon=1.0, trials=1000)
    # OpenDP draws its own coins: what is correct is compared within the budget alone.
    budget.assert_within(*found.hits, math.exp(1 / scale))
    assert found.private is False or scale == 1.0


def test_a_noisy_max_of_opendp_is_audited_as_a_learner():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    choose = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=2.0)

    def learn(x, y, *, d):
        score = np.bincount(x[y == 1] - 1, minlength=2**d) - np.bincount(
            x[y == 0] - 1, minlength=2**d
        )
        return 1 + choose(score.tolist())

    found = pv.audit(learn, concept="point", d=1, m=2, epsilon=1.0, trials=600)
    budget.assert_within(*found.hits, math.exp(1.0))


# --- The numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (3, 10), (10, 10), (50_000, 100_000)])
def test_bounds_are_those_of_clopper_and_pearson(hits, trials):
    for miss in (1e-6, 0.01):
        low, high = at_least(hits, trials, miss), at_most(hits, trials, miss)
        assert binom.sf(hits - 1, trials, low) == pytest.approx(miss if hits else 1.0, rel=1e-6)
        full = hits == trials
        assert binom.cdf(hits, trials, high) == pytest.approx(1.0 if full else miss, rel=1e-6)


@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_what_is_needed_is_rarely_said_too_large(delta):
    runs, (p, q), rng = 400, (0.4, 0.1), np.random.default_rng(5)
    claim = Claim(1.0, delta)
    epsilon, least = math.log((p - delta) / q), p - math.e * q
    draws = zip(rng.binomial(runs, p, 2000), rng.binomial(runs, q, 2000), strict=True)
    found = [claim.needed(int(hits), int(others), runs, 0.01) for hits, others in draws]
    right = sum(e <= epsilon and d <= least for e, d in found)
    budget.assert_rate_at_least(right, len(found), 0.99, "both bounds hold")
    wrong = [claim.needed(round(runs * p), round(runs * q), runs, miss) for miss in (0.01, 0.9)]
    assert wrong[0][0] < epsilon < wrong[1][0] + 0.1


def nested():
    """Return a list that holds itself."""
    around: list = []
    around.append(around)
    return around


@pytest.mark.parametrize(("given", "said"), [
    ({"neighbours": [([0], [0])]}, "^neighbours must be pairs .* exactly one example; got"),
    ({"neighbours": [([0, 1], [0])]}, "^neighbours must be pairs"),
    ({"neighbours": []}, "^neighbours must have at least one pair of data sets; got none"),
    ({}, "^neighbours must be given, or examples and m in their place; got neither"),
    ({"examples": [0, 1]}, "^examples must be a list of at least two, all of one shape, beside m; got .* m = None"),
    ({"examples": [[0], [1, 2]], "m": 2}, "^examples must be a list"),
    ({"examples": 3, "m": 2}, "^examples must be a list"), ({"neighbours": 3}, "^neighbours must be a list of pairs"),
    ({"neighbours": [([0], [1])], "learner": lambda _: nested()}, "^output must not be nested so deep"),
    ({"neighbours": [([0], [1])], "trials": 100}, "^trials must be at least 128"),
    ({"neighbours": [([0], [1])], "epsilon": None}, "^epsilon must be given, or concept"),
    ({"neighbours": [([0], [1])], "learner": 3}, "^learner must be a function of a data set"),
    ({"neighbours": [([0], [1])], "learner": lambda x, y: x + y}, r"^learner \(line \d+ of test_audit_runs.py\) must take x and, by"),
    ({"neighbours": [([0], [1])], "learner": lambda x: 1 / x[0]},
     r"^learner must return an answer, but line \d+ of test_audit_runs.py raises ZeroDivisionError"),
    ({"neighbours": [([0], [1])], "learner": lambda x: SimpleNamespace(x=x)},
     "^output must be a number, a text"),
    ({"neighbours": [([0], [1])], "learner": lambda x: [x] * 257}, "^output must have at most 256"),
])  # fmt: skip
def test_what_cannot_be_audited_is_refused(given, said):
    asked = {"learner": lambda x: x[0], "epsilon": 1.0} | given
    with pytest.raises(pv.InputError, match=said):
        pv.audit(asked.pop("learner"), **asked)
