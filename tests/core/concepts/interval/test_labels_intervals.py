"""GenericLearner for intervals: cuts by their definition, reference values, privacy, its run."""

import math
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import binom

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.medians import Node, cuts_of_many, law_of_cuts, slots
from privsc_core.concepts.interval import Band, Generic, Hard
from privsc_core.concepts.interval.learners import generic
from privsc_core.concepts.interval.learners.generic import guaranteed, patterns, shares, unlimited
from privsc_core.concepts.shared.sample import Sample
from privsc_core.concepts.shared.trace import Recorder
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit
from privsc_core.evaluate.success import success
from privsc_core.exhibits.interval.labels import plane_picture
from tests import budget
from tests.core.support import runs

TRIALS = 3000


def test_cuts_drawn_together_have_the_law_of_the_definition():
    # Levels below nodes without room, data on the ends, and no data at all.
    for places, counts, size in (([2, 5, 6], (2, 1, 1), 7), ([1, 3], (1, 4), 4), ([2], (0,), 3)):
        data = np.repeat(places, counts)
        law = law_of_cuts(Node.of(data, size), 2, 0.7)
        rng = np.random.default_rng(size)
        many = cuts_of_many(np.array(places), np.tile(counts, (TRIALS, 1)), size, 2, 0.7, rng)
        assert many.shape == (TRIALS, 3)
        seen = {}
        for row in many.tolist():
            key = tuple(sorted(cut for cut in row if cut))
            seen[key] = seen.get(key, 0) + 1
        budget.assert_distribution(seen, law, f"cuts of [1, {size}]")
        # Planted: another rate is noticed.
        if size == 7:
            other = law_of_cuts(Node.of(data, size), 2, 1.4)
            with pytest.raises(AssertionError):
                budget.assert_distribution(seen, other, "cuts at another rate")


def test_slots_count_the_places_below_a_cut():
    found = slots(np.array([[1, 2, 5, 0], [9, 3, 6, 4]]), np.array([2, 5]))
    assert found.tolist() == [[2, 1, 0], [0, 2, 2]]


# Of a program written apart from this one, with its own error.
@pytest.mark.parametrize(("u", "value", "error"), [(3200, 0.80, 0.03), (4000, 0.933, 0.007)])
def test_success_on_hard(u, value, error):
    found = success(Generic(u=u), Hard(), m=200, d=16, epsilon=0.5, alpha=0.1, trials=2000)
    assert found.method == "rao-blackwell"
    assert abs(found.value - value) <= error + (found.high - found.low) / 2


def test_labels_with_all_people_of_the_world():
    for levels, m in ((3, 146), (4, 176), (5, 207), (6, 237)):
        assert unlimited(m - 1, 0.25, 0.1, levels) < 0.9 <= unlimited(m, 0.25, 0.1, levels)
    assert unlimited(160, 0.25, 0.1, 4) == pytest.approx(0.8649, abs=5e-5)
    many = success(Generic(u=10**6), Hard(), m=160, d=16, epsilon=0.5, alpha=0.1, trials=4000)
    assert many.low <= 0.8649 <= many.high


def test_a_plane_is_the_product_of_its_tables():
    rng = np.random.default_rng(3)
    found = patterns(Hard(), 4000, 4, 16, 0.0625, 0.1, 2000, rng)
    assert (found[:, 2] <= 1).all()
    assert found.sum(axis=1).max() <= 16
    kinds, times = np.unique(found, axis=0, return_counts=True)
    value = shares(kinds, 200, 0.25, 0.1) @ times / times.sum()
    assert value == pytest.approx(0.933, abs=0.015)


def test_every_m_has_the_same_cuts(monkeypatch):
    """They depend on the unlabelled examples alone: drawn anew for each m they take most of the time."""
    drawn, plain = [], generic.patterns
    monkeypatch.setattr(generic, "patterns", lambda *at: drawn.append(at) or plain(*at))
    generic._patterns.cache_clear()
    at = {"d": 16, "epsilon": 0.5, "alpha": 0.1, "trials": 500}
    both = success(Generic(u=4000), Hard(), m=np.array([100, 200]), **at)
    assert len(drawn) == 2  # parts of 250 samples
    alone = success(Generic(u=4000), Hard(), m=200, **at)
    assert alone.value == both.value[1]


def test_a_band_is_learned_with_half_the_labels():
    # recipe: the notes say .890 +- .005 at m = 100, r = 5, u = 4000
    hits = runs(Generic(u=4000, levels=5), Band(w=64), 100, 16, 0.5, 0.1, 0.1, trials=240)
    assert budget.power(240, 0.89, 0.6) > 0.99
    budget.assert_rate(int(hits.sum()), 240, 0.89, "generic on a band")


def test_a_larger_domain_costs_people():
    at = {"m": 200, "epsilon": 0.5, "alpha": 0.1, "trials": 500}
    values = [success(Generic(u=4000), Hard(), d=d, **at).value for d in (16, 64, 1000)]
    assert values[0] > 0.9
    assert 0.2 > values[1] >= values[2]
    # One scale carries on where the other ends.
    near = [success(Generic(u=16_000), Hard(), d=d, **at).value for d in (62, 63)]
    assert near[0] == pytest.approx(near[1], abs=0.05)


class NoLevels(Generic):
    """Planted: medians of six times the rate."""

    def cut_rate(self, epsilon):
        return 3.0 * epsilon

    def audited(self):
        return replace(self, u=1, levels=1)


def test_the_audit_catches_what_is_planted():
    assert audit(Generic()).worst == pytest.approx(0.7937, abs=5e-5)
    assert audit(replace(Generic(), levels=1), d=1, m=5).private
    assert not audit(NoLevels()).private


def test_labels_of_the_unlabelled_are_not_read():
    law = Generic(u=2, levels=2).output_distribution
    at = Cell(d=2, epsilon=1.0, alpha=0.1, beta=0.1)
    one, two = ([1, 0, 1], [1, 1, 0])
    assert law(Sample.of(2, [1, 2, 3], one), at) == law(Sample.of(2, [1, 2, 3], two), at)


def test_a_run_tells_its_medians_level_by_level():
    recorder = Recorder()
    sample = Hard().draw(m=700, d=10, alpha=0.1, rng=np.random.default_rng(1))
    at = {"epsilon": 1.0, "alpha": 0.1, "beta": 0.1}
    told = Generic(u=500).run(
        sample, Cell(sample.d, **at), np.random.default_rng(2), recorder=recorder
    )
    assert told == Generic(u=500).run(sample, Cell(sample.d, **at), np.random.default_rng(2))
    titles = [step.title for step in recorder.steps]
    assert titles[:4] == [f"Medians, level {n}" for n in (1, 2, 3, 4)]
    assert titles[4:] == ["The scores", "The probabilities", "The draw"]
    assert "500 unlabelled examples" in recorder.steps[0].words
    with pytest.raises(InputError, match="levels must be from 1 to 12; got 13"):
        Generic(levels=13)


# --- On every distribution -----------------------------------------------------------------------


# recipe: theory-bns15.md, section 6: (labels, people, levels) of the grid there
@pytest.mark.parametrize(
    ("d", "wanted"), [(16, [(552, 51164, 7), (731, 33455, 6)]), (64, [(552, 141437, 7)])]
)
def test_what_suffices_on_every_distribution(d, wanted):
    found = guaranteed(Cell(d, 0.5, 0.1, 0.1))
    assert set(wanted) <= set(found)
    labels, people, _ = zip(*found, strict=True)
    assert list(labels) == sorted(set(labels))
    assert list(people) == sorted(set(people), reverse=True)


def test_the_guarantee_is_its_inequality_in_fifty_digits():
    at, levels, share, score = Cell(16, 0.5, 0.1, 0.1), 7, mp.mpf("0.3"), mp.mpf("0.3")
    alpha, gap = mp.mpf("0.1"), mp.mpf("0.03")
    loss = min(mp.mpf("0.5"), -mp.log(share))
    rho = 1 - alpha * (1 - mp.exp(-loss / 2)) + gap * (mp.exp(loss / 2) - 1)

    def labels_fail(m):
        return (2**levels - 1) * rho**m > mp.mpf("0.2") / 3

    def people_fail(u):
        x, eta = score * gap * u, gap / 80
        few = binom.cdf(math.floor(u / 2**levels + 2 * float(x)), u, float(gap - eta))
        missed = levels * mp.mpf(2) ** at.d * mp.exp(-x / (4 * levels))
        return missed + mp.ceil(1 / eta) * few > mp.mpf("0.1") / 3

    assert labels_fail(551)
    assert not labels_fail(552)
    assert people_fail(51163)
    assert not people_fail(51164)


def test_where_nothing_is_guaranteed_nothing_is_said():
    _, picture = plane_picture(8, 0.5, 0.1, 0.1, rough=True)
    assert "For every target on every distribution" in picture.caption
    assert guaranteed(Cell(10**6, 1e-6, 0.1, 0.1)) == ()
