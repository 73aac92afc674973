"""Two neighbours: bars are exact output distributions, and a broken learner leaves the band."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.learners import Exponential
from privsc_core.concepts.release.learners import Laplace
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audited_at, compare
from privsc_core.exhibits.neighbours import outputs_figure, pairs_figure
from tests.core.support import LEARNERS
from tests.depth import deep, spread


@pytest.mark.parametrize(("concept", "learner"), spread(LEARNERS, 11))
def test_the_bars_are_the_exact_output_distributions(concept, learner):
    found = audited_at(learner, epsilon=0.7, delta=learner.privacy_slack)
    rng = np.random.default_rng(11)
    worst = compare(found)
    assert worst.worst == pytest.approx(found.worst)
    pairs = [worst]
    for _ in range(deep(2, 4)):
        sample = tuple(
            found.records[i] for i in rng.integers(len(found.records), size=found.tiny.m)
        )
        record = found.records[int(rng.integers(len(found.records)))]
        place = int(rng.integers(found.tiny.m))
        if learner.privacy == "label":
            record = (sample[place][0], record[1])
        pairs.append(compare(found, sample, place, record))
    for pair in pairs:
        laws = [
            found.learner.output_distribution(Sample.of(found.tiny.d, [x for x, _ in s], [y for _, y in s]), Cell(found.tiny.d, 0.7, found.tiny.alpha, found.tiny.beta), public=1)
            for s in (pair.sample, pair.neighbour)
        ]  # fmt: skip
        for law, values in zip(
            laws, ([o.here for o in pair.outcomes], [o.there for o in pair.outcomes]), strict=True
        ):
            assert math.fsum(values) == pytest.approx(1.0)
            if not pair.merged:
                assert sorted(values) == pytest.approx(
                    sorted(p for o, p in law.items() if laws[0][o] or laws[1][o])
                )
        losses = {
            abs(math.log(p / q)) if p and q else math.inf
            for p, q in ((laws[0][o], laws[1][o]) for o in laws[0])
            if p or q
        }
        assert pair.worst == pytest.approx(max(losses), abs=1e-9)
        for picture in (outputs_figure(pair), pairs_figure(pair)):
            assert len({len(column) for column in picture.table.values()}) == 1
        number = sum(pairs_figure(pair).table["pairs"])
        assert number == found.losses.size


class TwiceTheRate(Exponential):
    """The exponential mechanism without the 1/2."""

    def score_rate(self, epsilon):
        return epsilon


class HalfTheNoise(Laplace):
    def rate(self, epsilon):
        return epsilon


@pytest.mark.parametrize("broken", [TwiceTheRate(), HalfTheNoise()])
def test_a_broken_learner_leaves_the_band(broken):
    found = audited_at(broken, epsilon=0.5)
    pair = compare(found)
    assert not found.private
    assert not pair.within
    assert found.ratio > 1.3
    assert outputs_figure(pair).title.startswith("Log ratios leave the band")
    assert any(trace["name"] == "pairs outside" for trace in pairs_figure(pair).figure["data"])
    right = audited_at(type(broken).__mro__[1](), epsilon=0.5)
    assert right.private
    assert compare(right).within


def test_delta_is_the_mass_outside_the_band_and_a_smaller_claim_is_noticed():
    learner = catalog.learner("release", "stability")
    found = audited_at(learner, epsilon=0.5, delta=0.01)
    pair = compare(found)
    assert math.isinf(pair.worst)
    assert pair.least_delta == pytest.approx(0.01)
    assert found.private
    assert "δ allows it" in outputs_figure(pair).title
    lying = replace(found, delta=0.005)
    assert "δ allows it" not in outputs_figure(compare(lying)).title


def test_a_learner_without_privacy_is_infinitely_far_out():
    pair = compare(audited_at(catalog.learner("point", "erm"), epsilon=0.5))
    assert math.isinf(pair.ratio)
    drawn = outputs_figure(pair)
    assert any(trace["uid"] == "infinite" for trace in drawn.figure["data"])
    assert "possible on one sample only" in drawn.title


def test_a_sample_compared_with_itself_shows_no_difference():
    found = audited_at(Exponential(), epsilon=0.5)
    pair = compare(found, place=0, record=found.sample[0])
    assert pair.worst == pair.least_delta == 0.0


def test_wrong_pairs_are_refused_in_one_sentence():
    found = audited_at(Exponential(), epsilon=0.5)
    for wrong in (((1, 0),), ((9, 0), (1, 0), (1, 0))):
        with pytest.raises(InputError, match=r"^sample must have 3 examples of the tiny domain"):
            compare(found, wrong)
    with pytest.raises(InputError, match=r"^record must be from 1 to 3; got 9"):
        compare(found, place=8)
    with pytest.raises(InputError, match=r"^record must be an example of the tiny domain"):
        compare(found, record=(77, 1))


def test_adjacent_pairs_are_counted_once_in_each_direction():
    found = audited_at(Exponential(), epsilon=0.5)
    number = sum(
        sum(a != b for a, b in zip(first, second, strict=True)) == 1
        for first, second in itertools.product(itertools.product(found.records, repeat=2), repeat=2)
    )
    assert number == len(found.records) ** 2 * 2 * (len(found.records) - 1)
    assert found.losses.size == len(found.records) ** 3 * 3 * (len(found.records) - 1)
