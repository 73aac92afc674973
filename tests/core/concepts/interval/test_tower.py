"""Tower packing: its numbers, its sums by other routes, and what it may not exclude."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.interval.towers import (
    Domain,
    interior,
    learner,
    learners,
    lost_by_count,
    one_step_lost,
)
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from tests.budget import assert_mean, assert_rate_at_least, mean_tolerance
from tests.classes.interval import tower_tasks
from tests.depth import deep
from tests.referee.games import Task, game
from tests.referee.optimum import TOLERANCE, optimum

AT = {"epsilon": 0.5, "delta": 1e-6, "beta": 0.1}
LEARN = AT | {"alpha": 0.1}
TOWER = catalog.bound("interval", "tower")


# --- Numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("domain", "wanted", "steps"),
    [
        (Domain.of_bits(64), 65, 1),
        (Domain.of_bits(1024), 120, 1),
        (Domain.of_bits(10**4), 165, 1),
        (Domain.of_bits(10**6), 239, 1),
        (Domain.of_bits(2**24), 265, 1),
        (Domain.of_bits(2**30), 272, 1),
        (Domain.of_log2_bits(64.0), 272, 1),
    ],
)
def test_learners_of_one_step(domain, wanted, steps):
    found = learner(domain, **LEARN)
    assert (found.m, found.steps) == (wanted, steps)


@pytest.mark.parametrize(("h", "steps", "simulated"), [(8, 3, 471), (10, 5, 655), (12, 7, 831)])
def test_more_steps_stay_next_to_what_a_simulation_told_and_not_above(h, steps, simulated):
    """The simulated numbers had 200,000 draws: they are right within 2."""
    found = learner(Domain.of_height(h), **LEARN)
    assert found.steps == steps
    assert simulated - 6 <= found.m <= simulated + 2


@pytest.mark.parametrize(
    ("domain", "copies", "one", "all_steps"),
    [
        (Domain.of_bits(16), 23, 20, 23),
        (Domain.of_bits(64), 28, 25, 28),
        (Domain.of_bits(1024), 28, 31, 31),
        (Domain.of_bits(10**4), 28, 35, 35),
        (Domain.of_bits(2**16), 28, 39, 39),
        (Domain.of_bits(10**6), 28, 44, 44),
        (Domain.of_bits(2**26), 28, 49, 49),
        (Domain.of_log2_bits(64.0), 28, 50, 50),
        (Domain.of_height(6), 28, 50, 61),
        (Domain.of_height(7), 28, 50, 83),
        (Domain.of_height(8), 28, 50, 105),
    ],
)
def test_points_of_the_interior_point_problem(domain, copies, one, all_steps):
    assert interior(domain, **AT, steps=(0,)).n == copies
    assert interior(domain, **AT, steps=(1,)).n == one
    assert interior(domain, **AT).n == all_steps


def test_towers_of_twos_on_an_axis():
    found = [interior(Domain.of_height(h), **AT).n for h in range(4, 9)]
    assert found == [23, 39, 61, 83, 105]
    # With domains that are large enough, by the number of steps.
    full = [interior(Domain.of_height(14), **AT, steps=(r,)).n for r in range(8)]
    assert full == [28, 50, 72, 94, 116, 137, 158, 178]


def test_copies_add_up_and_their_sum_of_walks_is_below_what_is_wanted():
    found = interior(Domain.of_bits(10**6), **AT)
    assert found.copies == (20, 24)
    assert found.bits == 20
    s = 10**6 // 20 + 1
    at = [walk(1 / s, 0.5, 1e-6, 60), walk(2.0**-20, 0.5, 1e-6, 60)]
    assert at[0][20] + at[1][24] < 0.9
    best = max(
        g + h for g, h in itertools.product(range(60), repeat=2) if at[0][g] + at[1][h] < 0.9
    )
    assert best == found.n


def test_many_copies_come_in_blocks_and_still_leave_the_answer_unlikely():
    """At a small epsilon the sum of the walks stays below what is wanted; 3,613 is the number without blocks."""
    small = AT | {"epsilon": 0.01}
    assert 0.99 * 3613 < interior(Domain.of_height(8), **small).n <= 3613
    found = interior(Domain.of_bits(10**6), **small, steps=(1,))
    one, two = 1 / (10**6 // found.bits + 1), 2.0**-found.bits
    ends = [walk(p, 0.01, 1e-6, g)[-1] for p, g in zip((one, two), found.copies, strict=True)]
    assert sum(ends) < 0.9


# --- Sums by other routes -------------------------------------------------------------------------


def walk(start, epsilon, delta, steps):
    """Return pi_0, .., pi_steps from its definition."""
    found = [start]
    for _ in range(steps):
        p = found[-1]
        found.append(
            min(math.exp(epsilon) * p + delta, 1 - math.exp(-epsilon) * (1 - p - delta), 1.0)
        )
    return np.array(found)


def plain_lost(m, s, b, *, epsilon, delta, alpha):
    """Return the expectation as the double sum that it is."""
    one, two = walk(1 / s, epsilon, delta, m), walk(1 / b, epsilon, delta, m)
    total = 0.0
    for k, chance in enumerate(binom.pmf(np.arange(m + 1), m, alpha)):
        rest = binom.pmf(np.arange(m - k + 1), m - k, alpha / (1 - alpha))
        total += chance * float(rest @ np.maximum(1 - one[k] - two[: m - k + 1], 0.0))
    return total


def drawn_settings(number):
    rng = np.random.default_rng(5)
    for _ in range(number):
        yield {
            "m": int(rng.integers(1, 250)), "s": int(rng.integers(2, 10**5)),
            "b": 2 ** int(rng.integers(1, 30)), "epsilon": float(np.exp(rng.uniform(-2, 2))),
            "delta": float(rng.choice([0.0, 10 ** rng.uniform(-9, -1)])),
            "alpha": float(rng.uniform(0.01, 0.49)),
        }  # fmt: skip


def test_one_step_is_its_double_sum():
    for at in drawn_settings(deep(40, 400)):
        wanted = plain_lost(**at)
        logs = (np.array([math.log(at["s"])]), np.array([math.log(at["b"])]))
        told = {name: at[name] for name in ("epsilon", "delta", "alpha")}
        assert one_step_lost(at["m"], *logs, **told, tail=30.0)[0] == pytest.approx(
            wanted, abs=1e-12
        )
        rare = one_step_lost(at["m"], *logs, **told, tail=60.0, rare=True)[0]
        assert rare == pytest.approx(wanted, rel=1e-8, abs=1e-25)


def test_the_least_number_is_the_first_that_no_base_excludes():
    """By the double sum, over all bases of whole bits at d = 64; with a base too many it is larger."""

    def excluded(m, spare):
        return any(
            plain_lost(m, (64 - spare) // w + 1, 2**w, epsilon=0.5, delta=1e-6, alpha=0.1) > 0.1
            for w in range(1, 28)
        )

    assert excluded(64, 2)
    assert not excluded(65, 2)
    # A digit that does not fit would say more.
    assert excluded(65, -40)


@pytest.mark.parametrize(("kinds", "m"), [(3, 200), (4, 350), (6, 600), (8, 760)])
def test_more_steps_lose_at_most_what_a_simulation_loses(kinds, m):
    logs, delta, epsilon, alpha = (9.0, *[14.0] * (kinds - 1)), 1e-6, 0.5, 0.1
    low = kinds // 2
    masses = (0.5 / low,) * low + (0.5 / (kinds - low),) * (kinds - low)
    lost = lost_by_count(logs, masses, epsilon, delta)
    told = float(binom.pmf(np.arange(lost.size), m, 2 * alpha) @ lost)
    rng = np.random.default_rng(kinds)
    counts = rng.multinomial(m, [*(2 * alpha * np.array(masses)), 1 - 2 * alpha], size=40_000)
    total = sum(walk(math.exp(-log), epsilon, delta, m)[counts[:, i]] for i, log in enumerate(logs))
    left = np.maximum(1.0 - total, 0.0)
    if kinds == 3:
        assert_mean(left, told, what="what three kinds lose")
    else:
        # The sums of walks are rounded up, by at most 1/512 for each kind.
        room = mean_tolerance(left, 0.0, 1.0)
        assert left.mean() - kinds / 512 - room <= told <= left.mean() + room
    assert told > 0.02


# --- Domains --------------------------------------------------------------------------------------


def test_a_domain_is_never_more_than_it_is_and_its_digits_fit():
    assert Domain.of_log2_bits(10.0) == Domain.of_bits(1023)
    assert Domain.of_height(4) == Domain.of_bits(16)
    assert Domain.of_height(5) == Domain.of_bits(65536)
    for d, w in itertools.product((4, 7, 16, 100), (1, 2, 3, 5, 20)):
        found = Domain.of_bits(d).digits(w, 2)
        size = max(s for s in range(1, d + 2) if 2 * (2**w) ** (s - 1) + 1 <= 2**d)
        assert (found is None) == (size < 2)
        if found:
            assert math.exp(found.log) == pytest.approx(size)
    # Where powers are not formed: a little below, never above.
    for top in (60.0, 1000.0, 65536.0):
        (rise, found) = Domain(1, top).digits(20)
        assert rise == 0
        assert top - math.log2(20) - 1e-6 < found < top - math.log2(20)
    for wrong in (0.5, 2.0**33):
        with pytest.raises(InputError, match="log2_d"):
            Domain.of_log2_bits(wrong)
    with pytest.raises(InputError, match="h must be"):
        Domain.of_height(1)


def test_many_domains_at_once_say_what_each_says_and_never_less_for_more_points():
    places = [2.0, 5.5, 6.0, 14.0, 20.0, 26.0, 31.0, 40.0, 2.0**18, 2.0**25, 2.0**32]
    domains = [Domain.of_log2_bits(place) for place in places]
    found = learners(domains, **LEARN)
    assert [one.m for one in found] == [learner(domain, **LEARN).m for domain in domains]
    assert [one.m for one in found] == sorted(one.m for one in found)
    assert found[-1].steps == 2
    assert found[-1].m > found[-3].m
    at = Cell(d=8, **LEARN)
    several = TOWER.leasts_over([places[3:5], places[:2]], at)
    assert several.tolist() == [[found[3].m, found[4].m], [found[0].m, found[1].m]]


# --- Whom it may not bind -------------------------------------------------------------------------


def test_the_bound_and_its_limit_are_one():
    for d, epsilon, alpha, beta, delta in [
        (8, 0.5, 0.1, 0.1, 1e-6), (64, 1.0, 0.2, 0.01, 1e-3), (10**6, 3.0, 0.05, 0.3, 1e-9),
        (16, 0.5, 0.1, 1e-8, 0.0),
    ]:  # fmt: skip
        at = Cell(d, epsilon, alpha, beta, delta)
        m = TOWER.least(at).m
        assert TOWER.limit(at.at(m)) >= 1 - beta > TOWER.limit(at.at(m - 1))
    assert TOWER.least(Cell(64, 0.5, 0.5, 0.1, 1e-6)).m == 1
    assert "says nothing" in TOWER.least(Cell(3, 0.5, 0.1, 0.1, 1e-6)).note


def guarantees():
    """Return the upper bounds that hold on every distribution for a proper learner with a slack."""
    concept = catalog.concept("interval")
    return [
        b for b in concept.bounds if b.kind == "upper" and not b.promised_on and not b.only_on
        and any(b.binds(x) and x.proper for x in concept.learners)
    ]  # fmt: skip


@pytest.mark.parametrize("number", [60, pytest.param(2000, marks=pytest.mark.whole)])
def test_no_guarantee_for_all_distributions_lies_below(number):
    rng = np.random.default_rng(3)
    entries, seen = guarantees(), 0
    assert {"tree", "finite-class"} <= {entry.name for entry in entries}
    for _ in range(number):
        at = Cell(
            round(2 ** rng.uniform(0, 19.9)), float(np.exp(rng.uniform(-2.5, 2))),
            float(rng.uniform(0.01, 0.6)), float(10 ** rng.uniform(-3, -0.3)),
            float(10 ** rng.uniform(-10, -1)),
        )  # fmt: skip
        lower = TOWER.least(at).m
        seen += lower > 1
        for entry in entries:
            upper = entry.least(at).m
            assert upper is None or lower <= upper, (entry.name, at)
    assert seen > number / 3


def test_a_loss_that_is_enough_is_told_as_no_less_and_every_other_one_exactly():
    bits = np.arange(1, 30)
    logs = np.log(2.0) * np.array([30 - bits, bits])
    told = {"epsilon": 0.5, "delta": 1e-6, "alpha": 0.1, "tail": 40.0}
    exact = one_step_lost(200, *logs, **told)
    enough = float(np.median(exact))
    few = one_step_lost(200, *logs, **told, enough=enough)
    np.testing.assert_array_equal(few[exact > enough], exact[exact > enough])
    assert (few >= exact - 1e-12).all()
    assert ((few <= enough) & (few > exact)).any()  # where the work is spared
    assert few.max() == exact.max()


def allowed(m, s, b, *, epsilon, delta, alpha):
    """Return what one step allows; infinite b leaves the guess of a digit out, which is a planted fault."""
    logs = (np.array([math.log(s)]), np.array([math.log(b) if b < math.inf else 1e6]))
    lost = one_step_lost(m, *logs, epsilon=epsilon, delta=delta, alpha=alpha, tail=40.0)
    return 1.0 - float(lost[0])


def best_on_its_family(m, s, b, *, epsilon, delta, alpha):
    """Return the success of the best proper learner on its worst target, by a linear program."""
    size = 8 if 2 * b ** (s - 1) + 1 <= 8 else 16
    rows = [tuple(int(x < j) for x in range(1, size + 1)) for j in range(1, size + 2)]
    family = {(t.labels, tuple(t.masses.items())) for t in tower_tasks(b, s, size, alpha)}
    tasks = [Task(labels, dict(masses)) for labels, masses in sorted(family)]
    program = game(tasks, rows, alpha)
    return optimum(program, m, epsilon=epsilon, delta=delta, privacy="approximate")


@pytest.mark.parametrize(("b", "s", "most_m"), [(3, 2, 2), (2, 3, 2), (4, 2, 2), (7, 2, 1)])
def test_the_best_learner_on_its_own_family_succeeds_no_more_often_than_it_allows(b, s, most_m):
    for alpha, m in itertools.product((Fraction(1, 4), Fraction(2, 5)), range(1, most_m + 1)):
        for epsilon, delta in deep(
            ((0.2, 0.01), (2.0, 0.1)), ((0.2, 0.0), (1.0, 1e-4), (4.0, 0.3))
        ):
            best = best_on_its_family(m, s, b, epsilon=epsilon, delta=delta, alpha=alpha)
            most = allowed(m, s, b, epsilon=epsilon, delta=delta, alpha=float(alpha))
            assert best <= most + TOLERANCE, (alpha, m, epsilon, delta)
            assert most < 1.0 - 1e-3


def test_a_bound_without_the_guess_of_a_digit_is_found_to_be_too_large():
    at = {"epsilon": 2.0, "delta": 0.1}
    best = best_on_its_family(1, 3, 2, alpha=Fraction(2, 5), **at)
    assert allowed(1, 3, math.inf, alpha=0.4, **at) + TOLERANCE < best
    assert best < allowed(1, 3, 2, alpha=0.4, **at)


def drawn_success(learner, b, s, m, *, at, trials, seed):
    """Return how often a learner is accurate on the family, its target drawn anew each time."""
    rng = np.random.default_rng(seed)
    d = (2 * b ** (s - 1)).bit_length()
    right = 0
    for _ in range(trials):
        y, x = int(rng.integers(b ** (s - 1))), int(rng.integers(s))
        rest = b ** (s - 1 - x)
        low, high = 2 * (y // rest * rest) + 2, 2 * y + 3
        points = rng.choice([1, low, high], size=m, p=[1 - 2 * at.alpha, at.alpha, at.alpha])
        sample = Sample.of(d, points.tolist(), (points < high).astype(int).tolist())
        right += low < learner.run(sample, replace(at, d=d, m=m), rng).j <= high
    return right


@pytest.mark.parametrize("name", ["tree", "atoms", "exponential"])
def test_learners_on_its_own_family_succeed_no_more_often_than_it_allows(name):
    learner = catalog.learner("interval", name)
    at = Cell(d=0, epsilon=0.3, alpha=0.2, beta=0.1, delta=1e-6)
    b, s, m = 16, 9, 20
    most = allowed(m, s, b, epsilon=at.epsilon, delta=at.delta, alpha=at.alpha)
    assert most < 0.8
    trials = deep(400, 4000)
    right = drawn_success(learner, b, s, m, at=at, trials=trials, seed=len(name))
    assert_rate_at_least(trials - right, trials, 1.0 - most, what=f"failures of {name}")


def test_a_learner_that_is_not_private_is_caught():
    """Without privacy many examples tell the target: more often than is allowed."""
    learner = catalog.learner("interval", "erm")
    at = Cell(d=0, epsilon=0.3, alpha=0.2, beta=0.1, delta=1e-6)
    most = allowed(20, 9, 16, epsilon=at.epsilon, delta=at.delta, alpha=at.alpha)
    right = drawn_success(learner, 16, 9, 20, at=at, trials=400, seed=1)
    with pytest.raises(AssertionError, match="rate"):
        assert_rate_at_least(400 - right, 400, 1.0 - most)


def test_a_curve_on_one_distribution_may_lie_below_it_and_the_page_says_so():
    """`atoms` on the hard distribution: 668, seven steps exclude more."""
    need = pv.need(concept="interval", learner="atoms", distribution="hard", d=64, **LEARN).m.item()
    assert need == 668 < learner(Domain.of_height(12), **LEARN).m
    assert "668" in TOWER.derivation
    assert TOWER.valid_on == ()
