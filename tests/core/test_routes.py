"""Three routes per number: the law, an enumeration of everything, and repeated real runs."""
# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere

import itertools
import math

import numpy as np
import pytest

from privsc_core.concepts import interval
from privsc_core.concepts.hypotheses import FAILURE, LabelFunction
from privsc_core.concepts.point.distributions import Hard, Single, Uniform
from privsc_core.concepts.point.learners import (
    Exponential,
    Hash,
    NoiseBoosted,
    Representation,
)
from privsc_core.concepts.point.learners.representation import draw_class
from tests import budget
from tests.core import test_release as release
from tests.core.support import (
    CLASS_LAWS,
    accurate,
    conditionals,
    entries_of,
    enumerated_success,
    exists,
    fitted,
    fitting,
    law,
    members,
    runs,
    samples,
    useful_m,
)

# --- Enumerations -------------------------------------------------------------------------------


class FixedHash(Hash):
    """The hash learner with given rows in place of random ones."""

    rows = ()

    def draw_rows(self, *_):
        return list(self.rows)

    def bucket(self, point):
        """Hash by the definition: inner products of bits, most significant row first."""
        bits = [
            sum(
                int(a) & int(b)
                for a, b in zip(f"{row:b}"[::-1], f"{point - 1:b}"[::-1], strict=False)
            )
            for row in self.rows
        ]
        return sum((bit % 2) << (len(bits) - 1 - i) for i, bit in enumerate(bits))


def hash_success(learner, distribution, m, d, *cell):
    """Average over every hash function of `learner.bits` rows."""

    def one(rows):
        fixed = FixedHash(bits=learner.bits)
        object.__setattr__(fixed, "rows", rows)

        def read(output, _):
            return LabelFunction(lambda x: int(fixed.bucket(x) == output), "a bucket")

        return enumerated_success(fixed, distribution, m, d, *cell, read=read)

    tables = [one(rows) for rows in itertools.product(range(2**d), repeat=learner.bits)]
    return math.fsum(tables) / len(tables)


def pseudorandom_success(learner, distribution, m, d, epsilon, alpha, beta):
    """A4 and A5 with a truly random function of bias alpha/4: every function, every thinning."""
    bias = alpha / 4
    thin = (
        1.0
        if math.exp(epsilon) >= 4
        else (math.exp(epsilon) - 1) / (4 + math.exp(epsilon) - math.exp(epsilon) / 4 - 1)
    )
    keep = alpha / 4 * thin
    size = 2**d
    functions = {}
    for row in itertools.product((0, 1), repeat=size):
        h = LabelFunction(lambda x, row=row: row[x - 1], "")
        chance = math.prod(bias if v else 1 - bias for v in row)
        functions[row] = (chance, accurate(distribution, h.predict, d, alpha))
    blind = math.fsum(p for p, good in functions.values() if good)
    known = math.fsum(p for row, (p, good) in functions.items() if good and row[-1]) / bias
    total = []
    for chance, sample in samples(distribution, m, d, alpha):
        positives = int(sample.labels.sum())
        missed = (1 - keep) ** positives
        total.append(chance * (missed * blind + (1 - missed) * known))
    return (1 - alpha / 8) * math.fsum(total)


def release_success(learner, database, m, d, epsilon, alpha, beta):
    """Multiply over the points in fifty digits, or list every synthetic database."""
    known = entries_of(database, m, d, alpha)
    counts = [known.get(point, 0) for point in range(1, 2**d + 1)]
    if learner.name == "blr":
        return release.blr_success(counts, epsilon, alpha)
    if learner.name == "stability":
        return release.stability_success(counts, epsilon, alpha, learner.delta)
    return release.histogram_success(learner, counts, epsilon, alpha)


# Learners whose outputs are not label rows or concepts, or whose public coins are averaged.
ENUMERATORS = {
    ("point", "hash"): hash_success,
    ("point", "noise-pseudorandom"): pseudorandom_success,
    # Released counts are real numbers, enumerated in bins that are wider than the tolerance.
    **{("release", a): release_success for a in ("laplace", "geometric", "blr", "stability")},
}
# Their classes are too large to enumerate: see the simulation over public coins below.
BY_PUBLIC_COINS = {("point", "representation")}
VARIANTS = {
    ("point", "hash"): [Hash(bits=1), Hash(bits=2)],
    ("point", "noise-boosted"): [NoiseBoosted(runs=2), NoiseBoosted(runs=3)],
}
CELLS = [(1.0, 0.2, 0.2), (0.3, 0.4, 0.1), (2.5, 0.3, 0.3)]


@pytest.mark.parametrize(("concept", "learner", "distribution"), CLASS_LAWS)
def test_laws_equal_the_sum_over_all_samples_and_outputs(
    concept, learner, distribution, monkeypatch
):
    who = (concept.name, learner.name)
    if who in BY_PUBLIC_COINS:
        return public_coins(learner, distribution)
    enumerator = ENUMERATORS.get(who, enumerated_success)
    compared, blr = 0, who == ("release", "blr")
    point = concept.name != "interval"
    for variant, d, (epsilon, alpha, beta) in itertools.product(
        VARIANTS.get(who, [learner]), (1, 2, 3) if point else (3, 4), CELLS
    ):
        ready = fitted(variant, distribution)
        for member in members(distribution):
            if not exists(member, d, alpha) or getattr(member, "s", 0) > 3:
                continue
            # Eight points have 19,448 synthetic databases of ten entries.
            if d == 3 and blr:
                continue
            # Rows of labels on 16 points would be 65,536 outputs.
            if d == 4 and not learner.proper:
                continue
            for m in (1, 2, 3) if d < (3 if point else 4) else (2,):
                cell = (m, d, epsilon, alpha, beta)
                expected = enumerator(fitted(ready, member), member, *cell)
                compare(variant, member, cell, expected, monkeypatch)
                compared += 1
    assert compared >= 9
    return None


def compare(learner, distribution, cell, expected, monkeypatch):
    if learner.laws[distribution.name] == "exact":
        assert law(learner, distribution, *cell) == pytest.approx(expected, abs=1e-12), cell
        return
    estimate, values = conditionals(learner, distribution, cell, monkeypatch, trials=20_000)
    if estimate.method == "exact":
        assert float(estimate.value) == pytest.approx(expected, abs=1e-12), cell
    else:
        assert float(estimate.value) == pytest.approx(values.mean(), abs=1e-12)
        budget.assert_mean(values, expected, what=f"{learner.name} on {distribution.label}, {cell}")


def public_coins(learner, distribution):
    """Average enumerations over drawn classes: bounded, so the tolerance is derived."""
    for d, m, cell in ((1, 2, (1.0, 0.4, 0.2)), (2, 2, (3.0, 0.3, 0.2))):
        verdict = {}
        for row in itertools.product((False, True), repeat=2**d):
            h = LabelFunction(lambda x, row=row: int(row[x - 1]), "a row")
            verdict[row] = accurate(distribution, h.predict, d, cell[1])
        values = []
        for public in range(400):
            member = draw_class(d, cell[1], np.random.default_rng(public))
            good = np.array([verdict[tuple(row)] for row in member.tolist()])
            given = [
                chance
                * good
                @ list(
                    learner.output_distribution(
                        sample, epsilon=cell[0], alpha=cell[1], beta=cell[2], public=public
                    ).values()
                )
                for chance, sample in samples(distribution, m, d, cell[1])
            ]
            values.append(min(math.fsum(given), 1.0))
        expected = law(learner, distribution, m, d, *cell)
        budget.assert_mean(values, expected, what=f"{learner.name}, d = {d}, over drawn classes")


# --- Repeated real runs -------------------------------------------------------------------------

TRIALS = 4_000
SIMULATED = [(3, 1.0, 0.2, 0.2), (7, 2.0, 0.35, 0.3)]


@pytest.mark.parametrize(("d", "epsilon", "alpha", "beta"), SIMULATED)
@pytest.mark.parametrize(("concept", "learner", "distribution"), CLASS_LAWS)
def test_repeated_runs_agree_with_the_law(
    concept, learner, distribution, d, epsilon, alpha, beta, monkeypatch
):
    alpha = fitting(distribution, alpha, instead=0.3)
    # It lists every synthetic database, run by run.
    who = (concept.name, learner.name)
    d = min(d, 2) if who == ("release", "blr") else d
    # Claim 4.5's number of runs makes one run cost milliseconds: fewer runs, same code.
    variant = NoiseBoosted(runs=3) if who == ("point", "noise-boosted") else learner
    member = distribution if exists(distribution, d, alpha) else distribution.resized(3)
    m = useful_m(variant, member, d, epsilon, alpha, beta, most=1 << 13)
    cell = (m, d, epsilon, alpha, beta)
    hits = runs(variant, member, *cell, trials=TRIALS)
    what = f"{learner.name} on {member.label}, {cell}"
    if variant.laws[member.name] == "exact":
        budget.assert_rate(int(hits.sum()), TRIALS, law(variant, member, *cell), what)
        return
    estimate, values = conditionals(variant, member, cell, monkeypatch, trials=TRIALS, seed=9)
    if estimate.method == "exact":
        budget.assert_rate(int(hits.sum()), TRIALS, float(estimate.value), what)
    else:
        # Two independent streams: their differences lie in [-1, 1] and have mean zero.
        budget.assert_mean(values - hits, 0.0, low=-1.0, high=1.0, what=what)


def test_the_number_of_runs_notices_an_error_of_eight_percent():
    for p in (0.65, 0.7, 0.8, 0.9):
        assert budget.power(TRIALS, p, 0.88 * p) > 0.999
    assert budget.power(TRIALS, 0.85, 0.92 * 0.85) > 0.999


# Where a run is cheap an error of two percent is found.
SHARP = [
    (Exponential(), Hard(), (300, 8, 1.0, 0.1, 0.1)),
    (Hash(bits=6), Hard(), (300, 8, 1.0, 0.1, 0.1)),
    (Exponential(), Single(), (12, 4, 1.0, 0.1, 0.1)),
    (Exponential(), Hard(), (60, 2, 2.0, 0.3, 0.1)),
    (interval.Exponential(), interval.Hard(), (120, 5, 1.0, 0.15, 0.1)),
    (interval.Exponential(), interval.Hard(), (200, 300, 9.0, 0.3, 0.1)),
]


@pytest.mark.parametrize(("learner", "distribution", "cell"), SHARP)
def test_many_runs_agree_with_the_law(learner, distribution, cell):
    p, trials = law(learner, distribution, *cell), 30_000
    assert budget.power(trials, p, 0.98 * p) > 1 - 1e-6
    hits = runs(learner, distribution, *cell, trials=trials)
    budget.assert_rate(int(hits.sum()), trials, p, learner.name)


def test_claim_4_5_really_runs_its_number_of_learners():
    learner, cell = NoiseBoosted(), (500, 5, 1.3, 0.45, 0.3)
    assert learner.split(500, 1.3, 0.45, 0.3)[0] == math.ceil(math.log(5 / 0.3, 1.25))
    hits = runs(learner, Hard(), *cell, trials=300)
    p = law(learner, Hard(), *cell)
    assert 0.3 < p < 0.95
    budget.assert_rate(int(hits.sum()), 300, p, "noise-boosted")


def test_the_representation_runs_without_a_law_too():
    # Uniform, no law: the continuation beyond the sample is by a keyed function.
    hits = runs(Representation(), Uniform(), 60, 2, 2.0, 0.3, 0.2, trials=500)
    assert 0 < hits.sum() <= 500
    assert FAILURE.description
