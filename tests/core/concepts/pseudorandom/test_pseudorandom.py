"""Pseudorandom points: the generator, its images, time against samples, the distinguisher."""

import math
from collections import Counter

import pytest

import privsc_core as pv
from privsc_core import catalog, draw
from privsc_core.concepts.pseudorandom.generator import (
    SeedLength,
    image,
    images,
    target_seed,
)
from privsc_core.errors import InputError
from privsc_core.exhibits.pseudorandom import (
    distinguisher,
    distinguisher_figure,
    measured_seconds,
    paid,
)
from tests import budget
from tests.classes.pseudorandom_point import generated


@pytest.mark.parametrize(("length", "d"), [(1, 2), (3, 4), (8, 9), (9, 64), (12, 1001)])
def test_the_generator_is_the_first_bits_of_shake(length, d):
    for seed in {0, 1, (1 << length) - 1}:
        assert image(seed, length, d) == generated(seed, length, d)
        assert 1 <= image(seed, length, d) <= 1 << d


@pytest.mark.parametrize(("length", "d"), [(2, 3), (4, 5), (6, 7), (8, 10), (10, 70), (10, 200)])
def test_images_are_counted(length, d):
    counts = Counter(generated(seed, length, d) for seed in range(1 << length))
    known = images(length, d)
    assert math.exp(known.log_distinct) == pytest.approx(len(set(counts) - {1}), rel=1e-12)
    assert known.first == (1 in counts)
    target = generated(target_seed(length, d), length, d)
    assert target != 1
    assert math.exp(known.log_guess) == pytest.approx(counts[target] / 2**length, rel=1e-12)


def test_the_expected_number_of_images_is_close_to_the_counted_one(monkeypatch):
    monkeypatch.setattr("privsc_core.concepts.pseudorandom.generator.COUNTED", 5)
    counted = {image(seed, 14, 16) for seed in range(1 << 14)} - {1}
    expected = math.exp(images.__wrapped__(14, 16).log_distinct)
    assert expected == pytest.approx(len(counted), rel=4 / math.sqrt(1 << 14))


@pytest.mark.parametrize(
    ("rule", "d", "bits"),
    [("sqrt", 64, 8), ("sqrt", 65, 9), ("log2", 64, 36), ("4log", 64, 24), ("12", 64, 12),
     ("log2", 4, 3), ("4log", 2, 1), ("sqrt", 1, 0)],
)  # fmt: skip
def test_the_length_of_seeds_follows_its_rule_and_stays_below_d(rule, d, bits):
    assert SeedLength.of(rule).bits(d) == bits


@pytest.mark.parametrize("text", ["0", "cube", "1000000"])
def test_other_lengths_are_refused_with_one_sentence(text):
    with pytest.raises(InputError, match=r"^concept must have seeds of"):
        catalog.concept(f"pseudorandom-point({text})")


def test_seeds_as_long_as_points_are_refused():
    with pytest.raises(InputError, match=r"^d must be above the 12 bits of the seeds; got 12"):
        pv.need(
            concept="pseudorandom-point(12)", learner="exponential-proper", d=12, epsilon=1,
            alpha=0.1, beta=0.1,
        )  # fmt: skip
    with pytest.raises(InputError, match="must be point without parentheses"):
        catalog.concept("point(3)")


def test_the_tradeoff_doubles_beyond_what_was_measured():
    known = ((4, 0.001), (5, 0.002), (6, 0.005))
    picture = paid(known, 1e-4, d=40, epsilon=0.5, alpha=0.1, beta=0.1)
    table = picture.table
    assert table["l"] == list(range(4, 40))
    assert table["seconds"][:4] == [0.001, 0.002, 0.005, 0.01]
    assert table["method"] == ["measured"] * 3 + ["extrapolated"] * 33
    assert table["m"] == sorted(set(table["m"]))
    assert picture.figure["data"][-1]["x"][0] > table["m"][-1]
    draw.plotly_figure(picture)
    with pytest.raises(InputError, match=r"^known must have"):
        paid((), 1e-4, d=40, epsilon=0.5, alpha=0.1, beta=0.1)


def test_enumeration_is_really_run():
    assert measured_seconds(12, 64) > measured_seconds(None, 64) > 0


def test_the_distinguisher_accepts_as_the_laws_say():
    length, d, m, epsilon, trials = 5, 30, 14, 1.0, 600
    found = {
        (row.learner, row.kind): row
        for row in distinguisher(length, d, m, epsilon, trials=trials, seed=3)
    }
    weight = math.exp(-epsilon * m / 2)
    n = len({image(seed, length, d) for seed in range(1 << length)})
    laws = {
        ("exponential-proper", "image"): 1 / (1 + (n - 1) * weight),
        ("exponential-proper", "uniform"): 0.0,
        ("exponential-relaxed", "image"): 1 / (1 + (2**d - 1) * weight),
        ("exponential-relaxed", "uniform"): 1 / (1 + (2**d - 1) * weight),
    }
    for key, law in laws.items():
        hits = round(found[key].value * trials)
        assert found[key].low <= found[key].value <= found[key].high
        if law == 0.0:
            # A uniform point is an image with probability 2^(5 - 30), 600 times over.
            assert hits == 0
        else:
            budget.assert_rate(hits, trials, law, str(key))
    # The planted fault: the proper learner judged by the law of the relaxed one.
    hits = round(found["exponential-proper", "image"].value * trials)
    with pytest.raises(AssertionError, match="expected"):
        budget.assert_rate(hits, trials, laws["exponential-relaxed", "image"], "planted")
    draw.plotly_figure(distinguisher_figure(tuple(found.values())))
