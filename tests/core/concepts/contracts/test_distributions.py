"""What every distribution promises: frequencies, labels, and who succeeds, by brute force."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from privsc_core.concepts.point.distributions import BYSTANDERS_MOST, Bystanders, Point
from privsc_core.concepts.release import RELEASE
from privsc_core.concepts.release.distributions import Release
from privsc_core.concepts.shared.hypotheses import FAILURE, LabelFunction
from privsc_core.errors import InputError
from privsc_core.literature.papers import papers
from tests import budget
from tests.classes import known, target_of
from tests.classes.release import entries_of
from tests.core.suites import TARGETED
from tests.core.support import (
    DISTRIBUTIONS,
    POINT,
    accurate,
    critical,
    exists,
    masses,
    members,
    truth,
)
from tests.depth import deep, spread

ALPHAS = (0.07, 0.1, 0.125, 0.2, 0.25, 0.3, 0.45, 0.5, 0.6, 0.9)
SELDOM = deep(set(ALPHAS) - {0.25, 0.5}, set())
MEMBERS = [
    pytest.param(concept, member, id=f"{concept.name}-{member.label}")
    for concept, distribution in (p.values for p in TARGETED)
    for member in members(distribution)
]
DATABASES = [pytest.param(RELEASE, x, id=f"{RELEASE.name}-{x.name}") for x in RELEASE.distributions]
EVERY = [*MEMBERS, *(p for p in DISTRIBUTIONS if p not in TARGETED)]


@pytest.mark.parametrize(("concept", "distribution"), DISTRIBUTIONS)
def test_is_described(concept, distribution):
    assert distribution.title
    assert distribution.meaning.endswith(".")
    assert distribution.source.paper in papers() or distribution.source.paper == "ours"
    assert distribution.label == distribution.name


@pytest.mark.parametrize(("concept", "distribution"), spread(MEMBERS, 12))
def test_draws_have_the_stated_frequencies_and_labels(concept, distribution):
    d = max(4, distribution.least_d)
    rng, size = np.random.default_rng(11), deep(6_000, 20_000)
    for alpha in (0.07, 0.3):
        sample = distribution.draw(m=size, d=d, alpha=alpha, rng=rng)
        assert sample.size == size
        x = [sample.points[i] for i in sample.index.tolist()]
        wrong = sample.labels != [truth(distribution, d)(point) for point in x]
        eta = target_of(distribution).wrong(distribution)
        if eta:
            budget.assert_rate(int(wrong.sum()), sample.size, eta, f"{distribution.label}, wrong")
        else:
            assert not wrong.any()
        law = {point: float(mass) for point, (mass, _) in masses(distribution, d, alpha).items()}
        budget.assert_distribution(Counter(x), law, distribution.label)


@pytest.mark.parametrize(("concept", "database"), DATABASES)
def test_databases_are_not_drawn_but_counted(concept, database):
    seen = 0
    for d, m, alpha in ((1, 1, 0.3), (4, 20_000, 0.07), (4, 10, 0.1), (7, 333, 1 / 3), (9, 7, 0.2)):
        if not exists(database, d, alpha):
            continue
        seen += 1
        sample = database.draw(m=m, d=d, alpha=alpha, rng=np.random.default_rng(11))
        counts = Counter(sample.points[i] for i in sample.index.tolist())
        assert counts == entries_of(database, m, d, alpha)
        assert set(sample.labels.tolist()) == {1}
    assert seen


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(("concept", "database"), DATABASES)
def test_a_release_succeeds_if_every_fraction_is_less_than_alpha_off(concept, database, alpha):
    verdicts = set()
    for d, m in ((1, 10), (1, 7), (2, 4)):
        if not exists(database, d, alpha):
            assert database.name == "hard"
            assert alpha > 1 / 3
            return
        truth = entries_of(database, m, d, alpha)
        for counts in itertools.product(range(m + 2), repeat=2**d):
            wanted = all(
                abs(n - truth.get(j, 0)) < Fraction(str(alpha)) * m for j, n in enumerate(counts, 1)
            )
            release = Release.of(d, m, dict(enumerate(counts, 1)))
            assert database.succeeds(release, d=d, alpha=alpha) == wanted, counts
            verdicts.add(wanted)
        assert not database.succeeds(FAILURE, d=d, alpha=alpha)
    assert verdicts == {True, False}


@pytest.mark.parametrize(("concept", "distribution"), EVERY)
def test_draws_from_large_domains_stay_inside(concept, distribution):
    for d in {min(d, distribution.most_d) for d in (13, 200, 10**5)}:
        sample = distribution.draw(m=50, d=d, alpha=0.1, rng=np.random.default_rng(2))
        assert sample.size == 50, d
        assert min(sample.points) >= 1, d
        assert max(sample.points) <= 1 << sample.d, d
        # A continuum is drawn on a finer grid, unless its class says that it has its own.
        assert sample.d >= d or distribution.name in known(concept).own_grid, d


@pytest.mark.parametrize(("concept", "distribution"), MEMBERS)
def test_success_is_error_at_most_alpha_for_every_hypothesis(concept, distribution):
    seen = distribution.least_d > 3
    for alpha, d in itertools.product(ALPHAS, (1, 2, 3)):
        if d == 3 and alpha in SELDOM:
            continue  # all of them on smaller domains
        if not exists(distribution, d, alpha):
            assert distribution.least_d > d or alpha > known(concept).alpha_most
            continue
        seen, verdicts = True, set()
        for labels in itertools.product((0, 1), repeat=2**d):
            counted = LabelFunction(lambda x, row=labels: row[x - 1], "", sum(labels))
            blind = LabelFunction(lambda x, row=labels: row[x - 1], "")
            wanted = accurate(distribution, blind.predict, d, alpha)
            at = alpha, d, labels
            assert distribution.succeeds(blind, d=d, alpha=alpha) == wanted, at
            assert distribution.succeeds(counted, d=d, alpha=alpha) == wanted, at
            verdicts.add(wanted)
        assert True in verdicts, (alpha, d)
        assert not distribution.succeeds(FAILURE, d=d, alpha=alpha)
    assert seen


@pytest.mark.parametrize(("concept", "distribution"), MEMBERS)
def test_success_is_error_at_most_alpha_for_every_concept(concept, distribution):
    seen = 0
    for alpha, d in itertools.product(ALPHAS, deep((3, 5), (3, 4, 5))):
        if not exists(distribution, d, alpha):
            continue
        seen += 1
        concepts = target_of(distribution).concepts(d)
        verdicts = [distribution.succeeds(h, d=d, alpha=alpha) for h in concepts]
        wanted = [accurate(distribution, h.predict, d, alpha) for h in concepts]
        assert verdicts == wanted, (alpha, d)
        assert True in verdicts, (alpha, d)
    assert seen


@pytest.mark.parametrize(("concept", "distribution"), MEMBERS)
def test_success_on_a_middling_domain_by_fractions(concept, distribution):
    rng = np.random.default_rng(4)
    d = 5
    for alpha in ALPHAS:
        if not exists(distribution, d, alpha):
            continue
        c, seen = truth(distribution, d), set()
        for share, missed in itertools.product((0, 0.03, 0.1, 0.3, 0.5, 1), (0, 1)):
            wrong = (rng.random(2**d) < share).astype(int)
            wrong[[x - 1 for x in critical(distribution, d)]] = missed
            labels = [c(x) ^ int(w) for x, w in enumerate(wrong, 1)]
            h = LabelFunction(lambda x, row=labels: row[x - 1], "")
            verdict = distribution.succeeds(h, d=d, alpha=alpha)
            assert verdict == accurate(distribution, h.predict, d, alpha)
            seen.add(verdict)
        assert len(seen) == 2, alpha


@pytest.mark.parametrize("alpha", ALPHAS)
def test_missing_a_target_just_above_alpha_fails(alpha):
    missed, found = Point(1), Point(16)
    zero = LabelFunction(dict.fromkeys(range(1, 17), 0).__getitem__, "zero")
    for distribution in POINT.distributions:
        if distribution.name != "uniform":
            assert not distribution.succeeds(zero, d=4, alpha=alpha)
            assert not distribution.succeeds(missed, d=4, alpha=alpha)
        assert distribution.succeeds(found, d=4, alpha=alpha)


# (1 - alpha) k / s = alpha exactly: k wrong bystanders are just allowed, one more is not.
@pytest.mark.parametrize(("alpha", "count", "allowed"), [
    (0.07, 93, 7), (0.1, 9, 1), (0.2, 4, 1), (0.3, 7, 3), (0.05, 19, 1), (0.01, 99, 1),
])  # fmt: skip
def test_ties_are_decided_on_the_decimal_that_was_typed(alpha, count, allowed):
    assert Fraction(str(alpha)) * count == (1 - Fraction(str(alpha))) * allowed
    d = 10
    for wrong, verdict in ((allowed, True), (allowed + 1, False)):
        h = LabelFunction(lambda x, k=wrong: int(x <= k or x == 2**d), "")
        assert Bystanders(count).succeeds(h, d=d, alpha=alpha) is verdict


def test_one_bystander_is_the_hard_distribution():
    hard = next(x for x in POINT.distributions if x.name == "hard")
    for alpha in ALPHAS:
        assert Bystanders(1).profile(d=9, alpha=alpha) == hard.profile(d=9, alpha=alpha)


@pytest.mark.parametrize("count", [0, BYSTANDERS_MOST + 1, 10**6])
def test_the_number_of_bystanders_has_limits(count):
    with pytest.raises(InputError, match=r"^distribution must have a whole number s from 1 to"):
        Bystanders(8).resized(count)


@pytest.mark.parametrize("count", [1, 3, 4, 7, 8, 255, 256])
def test_a_crowd_needs_room(count):
    crowd = Bystanders(count)
    least = next(d for d in range(1, 20) if 2**d >= count + 1)
    assert crowd.least_d == least
    crowd.check(d=least, alpha=0.1)
    if least > 1:
        with pytest.raises(InputError, match=rf"^d must be at least {least} "):
            crowd.check(d=least - 1, alpha=0.1)


def test_uniform_refuses_what_is_neither_small_nor_benign():
    uniform = next(x for x in POINT.distributions if x.name == "uniform")
    for alpha in (0.07, 1e-3, 1e-5, 1e-9):
        benign = next(d for d in range(1, 64) if Fraction(2, 2**d) <= Fraction(str(alpha)))
        for d in range(1, 64):
            assert exists(uniform, d, alpha) == (d <= 12 or d >= benign)
            if exists(uniform, d, alpha):
                profile = uniform.profile(d=d, alpha=alpha)
                assert profile.every_concept_succeeds == (d >= benign)
