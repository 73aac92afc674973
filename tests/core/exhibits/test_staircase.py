"""What trees of three depths guarantee against the bits of a point: numbers, places where a depth pays, figure."""

import itertools
import math

import numpy as np
import pytest

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.interval.bounds.finite import TreeBound
from privsc_core.errors import InputError
from privsc_core.exhibits.interval.staircase import (
    DEPTHS,
    PANELS,
    Standing,
    answer,
    bits,
    cards,
    counted,
    needs,
    paying,
    staircase,
    staircase_picture,
    staircase_strip,
    stairs,
)

AT = Standing(0.5, 1e-6, 0.1, 0.1)


def at(**instead):
    return Standing(**({"epsilon": 0.5, "delta": 1e-6, "alpha": 0.1, "beta": 0.1} | instead))


# Recipe: theory of 2026-11-29, section 4, numbers 4 and 6: the first whole L at which depth 2 needs fewer.
@pytest.mark.parametrize(
    ("setting", "first", "pair"),
    [
        ({}, 25, (3871, 3801)),
        ({"delta": 1e-12}, 39, None), ({"delta": 1e-9}, 32, None),
        ({"delta": 1e-4}, 20, None), ({"delta": 1e-3}, 17, None),
        ({"epsilon": 1.0}, 26, (2244, 2204)),
        ({"epsilon": 1.0, "alpha": 0.2}, 26, (1099, 1080)),
        ({"beta": 0.01}, 27, None),
    ],
)  # fmt: skip
def test_the_place_where_depth_2_pays_is_the_known_one(setting, first, pair):
    there = at(**setting)
    pays = stairs(there.anywhere).pays[0][0]
    assert math.ceil(pays) == first
    for log2_d in (first - 1, first):
        found = staircase(at(**setting, log2_d=float(log2_d)))
        assert (found.here[1] < found.here[0]) == (log2_d == first)
    if pair:
        assert found.here[:2] == pair
        assert (found.depth, found.least, answer(found).m) == (2, min(pair), min(pair))


def test_the_places_are_right_to_a_small_part_and_in_words():
    (two, _), (three, _) = stairs(AT.anywhere).pays
    assert 2.0**two == pytest.approx(1.96e7, rel=2e-3)
    assert math.log2(three) == pytest.approx(29.6, abs=0.01)
    # Just below each the depth before needs no more.
    for depth, place in ((2, two), (3, three)):
        for log2_d, fewer in ((place * (1 - 2e-3), False), (place, True)):
            before, after = (needs(r, np.array([log2_d]), AT.cell())[0] for r in (depth - 1, depth))
            assert (after < before) == fewer
    assert 2.0 ** stairs(at(delta=1e-4).anywhere).pays[0][0] == pytest.approx(704_000, rel=2e-3)
    said = cards(staircase(AT))
    assert [one.value.replace("\u200b", "") for one in said] == [
        "19.6 million",
        "2^(2^29.6)",
        "3,775",
    ]
    assert counted(19.4255) == "704,000"
    assert [bits(value) for value in (24, 24.25, 2.0**20)] == ["2²⁴", "2^24.2", "2^(2²⁰)"]


def test_a_whole_number_of_bits_needs_what_the_bound_says_of_it():
    for depth, d in itertools.product(DEPTHS, (7, 63, 1023, 2**20 - 1)):
        of = TreeBound(depth=depth).least(Cell(d, 0.7, 0.2, 0.05, delta=1e-5)).m
        there = at(epsilon=0.7, alpha=0.2, beta=0.05, delta=1e-5, log2_d=math.log2(d + 1))
        assert staircase(there).here[depth - 1] == of


def test_a_failure_at_a_place_is_above_beta_exactly_below_the_least_m():
    cell, places = AT.cell(), np.array([3.0, 24.2, 64.0, 2.0**20])
    for depth in DEPTHS:
        least, bound = needs(depth, places, cell), TreeBound(depth=depth)
        assert (bound.failures_over(places, least, cell) <= cell.beta).all()
        assert (bound.failures_over(places, least - 1, cell) > cell.beta).all()


@pytest.mark.parametrize("panel", PANELS)
def test_the_figure_shows_the_numbers(panel):
    found, picture = staircase_picture(at(delta=1e-4, log2_d=20.0), panel)
    drawn = {trace["uid"]: trace for trace in picture.figure["data"]}
    x = np.asarray(drawn["depth-2"]["x"])
    m = np.array([picture.table[f"depth {r}"] for r in DEPTHS], dtype=float)
    beyond = m >= 1e4  # grey from there on
    for row, part in zip(beyond, DEPTHS, strict=True):
        assert (f"depth-{part}-published" in drawn) == row.any()
    np.testing.assert_array_equal(m[1], needs(2, x, found.at.cell()))
    # Thick: the least of them, through both places where a depth begins to pay.
    best = dict(zip(*(np.asarray(drawn["best"][axis]).tolist() for axis in "xy"), strict=True))
    for place, least in zip(x.tolist(), np.nanmin(m, axis=0).tolist(), strict=True):
        assert best[place] == least
    assert [best[place] for place in best.keys() - {*x.tolist()}] == [
        m for place, m in found.stairs.pays if place <= x[-1]
    ]
    lower = np.asarray(drawn["impossible"]["y"])
    assert (np.diff(lower) >= 0).all()
    assert (lower < np.nanmin(m)).all()
    listed = {name for name, trace in drawn.items() if trace.get("showlegend", True)}
    assert listed == {f"depth-{r}" for r in DEPTHS} | {"impossible"}
    assert picture.summary.startswith(
        "With 2²⁰ bits of a point, 2,999 examples are enough for depth 1"
    )


def test_what_needs_too_many_examples_for_its_slack_is_grey_and_said():
    found, picture = staircase_picture(at(delta=1e-3), "bits")
    assert found.spent
    assert "no privacy" in cards(found)[-1].note
    drawn = {trace["uid"] for trace in picture.figure["data"]}
    assert {f"depth-{r}-published" for r in DEPTHS} <= drawn
    rows = {row[0]: row[1:] for row in paying(AT, (1e-3, 1e-4, 1e-6))}
    assert rows["10⁻⁴"][0] == "704,000"
    assert rows["0.001"][0].startswith("(")


def test_a_place_without_privacy_is_called_so_by_its_own_number():
    found = staircase(at(delta=2e-4))
    (row,) = paying(AT, (2e-4,))
    spent = [m * 2e-4 >= 1.0 for _, m in found.stairs.pays]
    assert spent == [False, True]
    assert [told.startswith("(") for told in row[1:3]] == spent
    assert ["no privacy" in card.note for card in cards(found)[:2]] == spent


def test_a_strip_is_the_figures_of_its_stops():
    stops = tuple(at(delta=delta) for delta in (1e-9, 1e-6))
    for one, (found, picture) in zip(stops, staircase_strip("bits", stops), strict=True):
        alone, figure = staircase_picture(one, "bits")
        assert cards(found) == cards(alone)
        assert picture.table == figure.table


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"log2_d": 2.0}, r"log2_d must be in \[3, 4294967296\]; got 2"),
        ({"log2_d": 2.0**33}, "log2_d must be in"), ({"log2_d": math.nan}, "log2_d must be in"),
        ({"delta": 0.0}, r"delta must be in \(0, 0.5\)"), ({"delta": 0.5}, "delta must be in"),
        ({"epsilon": -1.0}, "epsilon must be"), ({"alpha": 2.0}, "alpha must be"), ({"beta": 0.0}, "beta must be"),
    ],
)  # fmt: skip
def test_what_is_no_setting_is_refused_by_its_name(given, said):
    with pytest.raises(InputError, match=said):
        at(**given)
