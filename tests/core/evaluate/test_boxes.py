"""The packing argument acted out: it breaks where the bound ends, and shares out what there is."""

import dataclasses
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.evaluate.boxes import packed, reached
from privsc_core.exhibits.boxes import amount, many, packing_names, shared
from tests.budget import assert_rate, power
from tests.classes import known
from tests.core.references import exact, halfway_mean
from tests.depth import deep, spread

PACKING = [
    pytest.param(concept, entry, id=f"{concept.name}-{entry.name}")
    for concept in catalog.CONCEPTS
    for entry in concept.bounds
    if entry.packs
]
EACH = pytest.mark.parametrize(("concept", "bound"), PACKING)
HALFWAY = [p for p in PACKING if "halfway" in p.values[1].title]
PLAIN = pytest.mark.parametrize(("concept", "bound"), [p for p in PACKING if p not in HALFWAY])
CELLS = st.builds(
    Cell,
    d=st.integers(2, 60) | st.sampled_from([200, 1024, 10**4]),
    epsilon=st.integers(2, 300).map(lambda n: n / 100),
    alpha=st.integers(1, 45).map(lambda n: n / 100),
    beta=st.integers(1, 400).map(lambda n: n / 1000) | st.sampled_from([1e-9, 1e-30]),
)


def broken_in(bound, cell, spoil=lambda boxes: boxes):
    """Return where the acted proof says that it breaks, and where the bound ends."""

    class Told(type(bound)):
        packs = True

        def boxes(self, at):
            found = super().boxes(at)
            return found and spoil(found)

    fields = {item.name: getattr(bound, item.name) for item in dataclasses.fields(bound)}
    shown = packed(Told(**fields), cell, 10)
    return None if shown is None else (shown.apart.least, bound.least(cell).m)


@EACH
@settings(max_examples=deep(15, 1000))
@given(cell=CELLS)
def test_the_scene_breaks_exactly_where_the_bound_ends(concept, bound, cell):
    del concept
    if found := broken_in(bound, cell):
        assert found[0] == found[1]


SPOILT = {
    "a box more": lambda b: dataclasses.replace(b, log_rivals=float(np.logaddexp(b.log_rivals, 0))),
    "an example more": lambda b: dataclasses.replace(
        b, counts=lambda m: (b.counts(m)[0] + 1, b.counts(m)[1])
    ),
    "the mean K for all": lambda b: dataclasses.replace(
        b, counts=lambda m: (round(b.share * m), np.ones(1))
    ),
}


@pytest.mark.parametrize("fault", SPOILT)
def test_a_wrong_argument_would_be_noticed(fault):
    bound = catalog.bound("point", "packing")
    cells = [Cell(d, e, a, 0.1) for d in (2, 3, 8, 64) for e in (0.05, 0.5) for a in (0.05, 0.2)]
    found = [broken_in(bound, cell, SPOILT[fault]) for cell in cells]
    assert any(least != m for least, m in found)
    assert all(least == m for least, m in (broken_in(bound, cell) for cell in cells))


@PLAIN
def test_one_sample_is_shared_out_as_the_proof_says(concept, bound):
    del concept
    for d, epsilon, m in ((2, 0.7, 12), (6, 0.5, 40), (12, 1.3, 90)):
        cell = Cell(d, epsilon, 0.2, 0.1)
        if bound.boxes(cell) is None:  # nobody to owe anything
            continue
        rivals = round(math.exp(bound.boxes(cell).log_rivals))
        for k in (0, 3, 9):
            shown = packed(bound, cell, m, hand="own", give=0.35, differ=k)
            owed = 0.35 * math.exp(-epsilon * shown.count)
            total = 0.35 + math.fsum([owed] * rivals)
            assert math.exp(shown.apart.log_each) == pytest.approx(owed)
            assert math.exp(shown.apart.log_total) == pytest.approx(total)
            assert shown.apart.fits == (total <= 1)
            # As much as fits is all there is, and no more is possible.
            best = packed(bound, cell, m, hand="best", differ=k)
            assert best.apart.fits
            assert best.apart.promise * (
                1 + rivals * math.exp(-epsilon * best.count)
            ) == pytest.approx(1)
            over = min(best.apart.promise * (1 + 1e-6), 1.0)
            assert (
                over == 1.0
                or not packed(bound, cell, m, hand="own", give=over, differ=k).apart.fits
            )


def test_the_least_k_is_the_first_that_fits():
    bound = catalog.bound("point", "packing")
    for give in (0.05, 0.5, 0.9, 0.999):
        cell = Cell(16, 0.37, 0.1, 0.1)
        enough = packed(bound, cell, 10**4, hand="own", give=give).apart.enough
        fits = [
            packed(bound, cell, 10**4, hand="own", give=give, differ=k).apart.fits
            for k in (enough - 1, enough)
        ]
        assert fits == [False, True]
    assert packed(bound, cell, 500, hand="own", give=1.0).apart.enough is None


def test_there_are_both_kinds():
    assert len(HALFWAY) == 6
    assert len(PACKING) > len(HALFWAY) + 3


def halfway_limits(rivals, epsilon, k):
    """Return the failure that each t forces."""
    return [
        1 / (math.exp(epsilon * s) + math.exp(epsilon * (k - s)) / rivals) for s in range(k + 1)
    ]


@pytest.mark.parametrize(("concept", "bound"), HALFWAY)
@pytest.mark.parametrize(
    ("d", "epsilon", "k"), [(6, 0.5, 3), (6, 0.5, 40), (12, 1.3, 25), (16, 2.0, 0)]
)
def test_a_halfway_database_is_shared_out_as_the_proof_says(concept, bound, d, epsilon, k):
    del concept
    cell = Cell(d, epsilon, 0.2, 0.1)
    rivals = round(math.exp(bound.boxes(cell).log_rivals))
    for promise in (0.2, 0.6, 0.97):
        scene = packed(bound, cell, 500, hand="own", give=promise, differ=k)
        # Databases for data release always differ in as many entries.
        shown, k = scene.apart, scene.count
        t, lost = shown.steps, 1 - promise
        limits = halfway_limits(rivals, epsilon, k)
        assert limits[t] == pytest.approx(max(limits))
        right = max(1 - math.exp(epsilon * t) * lost, 0)
        others = max(1 - math.exp(epsilon * (k - t)) * lost / rivals, 0)
        assert shown.own == pytest.approx(right)
        assert math.exp(shown.log_total) == pytest.approx(right + others)
        assert shown.fits == (promise <= 1 - max(limits))
    best = packed(bound, cell, 500, hand="best", differ=k).apart
    assert best.fits
    assert best.promise == pytest.approx(1 - max(limits))
    assert best.own + math.exp(best.log_owed) == pytest.approx(1)


@pytest.mark.parametrize(("concept", "bound"), HALFWAY)
def test_the_halfway_scene_has_the_average_and_the_first_k_of_its_bound(concept, bound):
    del concept
    cell = Cell(7, 0.4, 0.15, 0.1)
    boxes = bound.boxes(cell)
    rivals, share = mp.mpf(round(math.exp(boxes.log_rivals))), exact(boxes.share)
    for m in (1, 9, 60):
        kept, failed = reached(boxes.counts, boxes.log_rivals, 0.0, 0.4, m, halfway=True)
        first, weights = boxes.counts(m)
        always = (first, rivals, exact(0.4), mp.mpf(1))
        drawn = (m, rivals, exact(0.4), share)
        wanted = halfway_mean(*(always if weights.size == 1 else drawn))
        assert (kept, failed) == pytest.approx((float(wanted), float(1 - wanted)), rel=1e-10)
    enough = packed(bound, cell, 500).apart.enough
    lost = [max(halfway_limits(int(rivals), 0.4, k)) for k in (enough - 1, enough)]
    assert lost[0] > 0.1 >= lost[1]


@PLAIN
def test_the_average_is_the_sum_over_all_k(concept, bound):
    cell = Cell(7, 0.4, 0.15, 0.1)
    boxes = bound.boxes(cell)
    rivals = mp.mpf(round(math.exp(boxes.log_rivals)))
    for m in (1, 9, 60):
        first, weights = boxes.counts(m)
        if weights.size == 1:
            terms = [(first, mp.mpf(1))]
            assert first == known(concept).changed(m, Fraction("0.15"))
        else:
            share = exact(boxes.share)
            terms = [
                (k, mp.binomial(m, k) * share**k * (1 - share) ** (m - k)) for k in range(m + 1)
            ]
        wanted = mp.fsum(w / (1 + rivals * mp.exp(-exact(0.4) * k)) for k, w in terms)
        kept, failed = reached(boxes.counts, boxes.log_rivals, 0.0, 0.4, m)
        assert kept == pytest.approx(float(wanted), rel=1e-11)
        assert failed == pytest.approx(float(1 - wanted), rel=1e-11)


def test_merged_boxes_are_counted_and_bind_whoever_answers_with_them():
    bound = catalog.bound("point", "packing")
    for d, alpha, beta in ((6, 0.45, 0.45), (11, 0.2, 0.1), (64, 0.1, 0.1), (1024, 0.05, 0.01)):
        merged = bound.boxes(Cell(d, 0.5, alpha, beta)).merged
        bits = math.ceil(math.log2(4 / (alpha * beta)))
        assert round(math.exp(merged.log_rivals)) == 2**bits - 2
        # Of the 2^d - 1 targets those that share the bucket of point 1, itself not among them.
        lost = Fraction(2 ** (d - bits) - 1, 2**d - 1)
        assert merged.lost == pytest.approx(float(lost), rel=1e-12)
        if d < 20:
            continue
        for epsilon in (0.1, 0.5, 2.0):
            shown = packed(bound, Cell(d, epsilon, alpha, beta), 100)
            m = [10, 100, 1000, 10**4]
            law = pv.success(
                concept="point", learner=merged.learner, distribution="hard", m=m, d=d,
                epsilon=epsilon, alpha=alpha, beta=beta,
            ).value  # fmt: skip
            most = [
                reached(shown.boxes.counts, merged.log_rivals, merged.lost, epsilon, size)[0]
                for size in m
            ]
            assert (law <= np.array(most) + 1e-9).all()
    # Where there are no more points than buckets nothing is merged.
    assert bound.boxes(Cell(9, 0.5, 0.1, 0.1)).merged is None


WIDE = [e for e in catalog.concept("point").learners if e.log_ones(Cell(40, 1.0, 0.4, 0.4))]  # fmt: skip


@pytest.mark.parametrize("learner", WIDE, ids=lambda e: e.name)
def test_answers_are_as_large_as_is_said(learner):
    d, asked = 40, 600
    share = 2 ** (learner.log_ones(Cell(d, 1.0, 0.4, 0.4)) - d)
    rng = np.random.default_rng(14)
    law = catalog.distribution("point")
    # Coins for every point, or a set that is drawn as a whole and asked once.
    each = 200 if learner.name.startswith("noise") else 1
    answers, ones = 0, 0
    while answers < asked * math.isqrt(each):
        sample = law.draw(m=60, d=d, alpha=0.4, rng=rng)
        answer = learner.run(sample, Cell(sample.d, 1.0, 0.4, 0.4), rng)
        if answer is FAILURE:
            continue
        ones += sum(answer.predict(int(x)) for x in rng.integers(2, 2**d - 1, each))
        answers += each
    assert_rate(ones, answers, share)
    assert power(answers, share, min(8 * share, 1.0)) > 0.99  # a law that is wrong is noticed


def test_proper_learners_of_points_answer_with_one():
    seen = 0
    for concept in catalog.CONCEPTS:
        for learner in concept.learners:
            ones = learner.log_ones(Cell(20, 0.5, 0.1, 0.1))
            if ones is not None and learner.proper:
                assert ones == 0.0
                seen += 1
    assert seen


@pytest.mark.parametrize(("concept", "bound"), spread(PACKING, 6))
def test_the_scene_is_there_at_every_setting_or_says_why_not(concept, bound):
    assert bound.name in packing_names(concept)
    for d, epsilon, alpha, m in ((2, 10.0, 0.49, 1), (3, 0.01, 0.01, 10**7), (10**4, 0.5, 0.1, 50)):
        for hand in ("asked", "best", "own"):
            scene = shared(
                concept=concept.name, bound=bound.name, m=m, d=d, epsilon=epsilon, alpha=alpha,
                beta=0.1, hand=hand, merge=True,
            )  # fmt: skip
            assert scene.nothing or scene.words
            assert len(scene.pictures) == (0 if scene.nothing else 3)


def test_numbers_of_any_size_are_written():
    assert [amount(math.log(x)) for x in (0.9, 1.25e-7, 4321.0)] == ["0.9", "1.3·10⁻⁷", "4,321"]
    assert amount(64 * math.log(2)) == "1.8·10¹⁹"
    assert amount(-1e6) == "10⁻⁴³⁴²⁹⁵"
    assert [many(math.log(6)), many(64 * math.log(2))] == ["6", "about 2⁶⁴"]
