"""The map of all classes: its numbers by another route, its exponents by the theory."""

import itertools
import math

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.draw.landscape import COLOURS, landscape_figure, thumbnail
from privsc_core.draw.still import still
from privsc_core.errors import InputError
from privsc_core.evaluate.landscape import FITTED_FROM, PLACES, Standpoint, fitted, landscape
from privsc_core.literature.documents import ROLES
from privsc_core.literature.papers import papers
from tests.classes import inequality
from tests.core.draw.test_palette import FAR, SIGHT, apart

AT = Standpoint(epsilon=0.5, alpha=0.1, beta=0.1, delta=1e-6)
ELSEWHERE = Standpoint(epsilon=1.3, alpha=0.15, beta=0.07, delta=1e-5)
LINES = [
    pytest.param(concept, line, id=f"{concept.name}-{line.key}")
    for concept in catalog.CONCEPTS
    for line in concept.documents.on("map")
]


@pytest.fixture(scope="module")
def found():
    return landscape(AT)


@pytest.mark.parametrize("at", [AT, ELSEWHERE], ids=["first", "elsewhere"])
@pytest.mark.parametrize(("concept", "line"), LINES)
def test_every_number_is_the_least_by_another_route(concept, line, at):
    (course,) = (c for c in landscape(at).courses if c.key == f"{concept.name}-{line.key}")
    for d in (64, 65536) if line.kind == "learner" else (64,):
        m = course.at(d)
        assert m == int(m) > 1
        cell = {"epsilon": at.epsilon, "alpha": at.alpha, "beta": at.beta}
        if line.kind == "bound":  # in fifty digits
            holds = inequality(concept, line.name)
            assert holds(int(m), d, *cell.values())
            assert not holds(int(m) - 1, d, *cell.values())
            continue
        said = pv.success(
            concept=concept.name, learner=line.name, d=d, m=[int(m) - 1, int(m)],
            delta=course.delta, **cell,
        )  # fmt: skip
        assert said.method == "exact"
        assert said.value[0] < 1 - at.beta <= said.value[1]


@pytest.mark.parametrize(("concept", "line"), LINES)
def test_every_exponent_is_that_of_the_theorem(found, concept, line):
    (course,) = (c for c in found.courses if c.key == f"{concept.name}-{line.key}")
    if line.exponent == int(line.exponent):
        assert course.fit.exponent == pytest.approx(line.exponent, abs=0.05)
    else:  # m grows with the bits of a seed plus a constant: the root shows at its end alone
        assert course.fit.exponent < line.exponent
        assert course.fit.high == pytest.approx(line.exponent, abs=0.05)
    assert course.fit.low <= course.fit.exponent <= course.fit.high
    # The theorem in words agrees with itself.
    assert ("(1)" in line.rate or "(log d)" in line.rate) == (line.exponent == 0)
    assert "at least" in line.label or line.kind == "learner"
    assert line.rate.startswith("Ω") == (line.kind == "bound")
    assert line.source.paper in papers()
    assert line.role in ROLES
    assert line.kind == "bound" or line.name in line.shown


def test_a_fit_lies_between_the_exponents_of_neighbours_and_knows_a_power():
    d = np.array(PLACES, dtype=float)
    for power in (0.0, 0.5, 1.0):
        fit = fitted(d, 7 * d**power)
        assert (fit.exponent, fit.low, fit.high) == pytest.approx((power, power, power))
    assert fitted(d, np.log(d)).exponent < 0.25  # a logarithm is no constant, and no power
    bent = fitted(d, d + 300)
    assert bent.low < bent.exponent < bent.high
    # What lies before the first place of the fit does not count.
    early = np.where(d < FITTED_FROM, 1e9, d)
    assert fitted(d, early).exponent == pytest.approx(1)
    assert math.isnan(fitted(d, np.full(d.size, math.nan)).exponent)


def test_what_is_shown_first_is_part_of_all_with_equal_numbers(found):
    first = landscape(AT, "first")
    every = {course.key: course for course in found.courses}
    assert 0 < len(first.courses) < len(every)
    for course in first.courses:
        np.testing.assert_array_equal(course.m, every[course.key].m)
    gaps = {one.gap.name: one for one in found.separations}
    assert 0 < len(first.separations) < len(gaps)
    shown = {course.key for course in first.courses}
    for one in first.separations:
        assert one.gap == gaps[one.gap.name].gap
        assert one.high.key in shown
    landscape_figure(first)


def test_lines_that_lie_on_one_another_are_told_apart(found):
    traces = {trace["uid"]: trace for trace in landscape_figure(found).figure["data"]}
    looks = [(traces[c.key]["line"]["color"], traces[c.key]["line"]["dash"]) for c in found.courses]
    bounds = [c.line.kind == "bound" for c in found.courses]
    seen = list(zip(looks, bounds, strict=True))
    assert len(set(seen)) == len(seen)
    one, other = "point-learner-exponential", "interval-learner-exponential"
    label = next(c.line.label for c in found.courses if c.key == other)
    assert f"On the same line: {label}" in traces[one]["hovertemplate"]


def test_gaps_open_where_one_line_is_above_the_other(found):
    assert len(found.separations) == sum(
        len(concept.documents.gaps) for concept in catalog.CONCEPTS
    )
    for one in found.separations:
        assert (one.above > one.below).all()
        assert one.ratio == one.high.at(one.at) / one.low.at(one.at) > 1
        assert one.low.concept == one.high.concept
    # Each has a stretch of the axis of its own.
    for one, other in itertools.pairwise(found.separations):
        assert one.d[-1] <= other.d[0] * (1 + 1e-9)
    # Without a gap nothing is shaded: at a large epsilon an improper learner saves nothing at once.
    late = landscape(Standpoint(epsilon=0.02, alpha=0.45, beta=0.3, delta=1e-12))
    assert any(one.d.size < 9 for one in late.separations)
    landscape_figure(late)


def test_the_figure_holds_every_line_and_stands_still_while_epsilon_moves(found):
    picture = landscape_figure(found)
    traces = {trace["uid"]: trace for trace in picture.figure["data"]}
    for course in found.courses:
        np.testing.assert_array_equal(traces[course.key]["y"], course.m)
        assert f"{course.m[3]:,.0f}" in picture.summary
    assert len(picture.table["m"]) == len(found.courses) * len(PLACES)
    low, high = found.span
    assert all(low <= value <= high for c in found.courses for value in c.m)
    for epsilon in (0.1, 1.0, 5.0):
        moved = landscape(Standpoint(epsilon, AT.alpha, AT.beta, AT.delta))
        assert moved.span == found.span
    assert still(picture).count("<path data-of=") == len(found.courses)
    assert thumbnail(found.courses, found.span).count("<path") == len(found.courses)


@pytest.mark.parametrize("sight", SIGHT)
def test_what_learners_may_do_is_told_by_colour(sight):
    assert set(COLOURS) >= set(ROLES)
    for one, other in itertools.combinations(set(COLOURS.values()), 2):
        assert apart(one, other, sight) >= FAR


def test_a_setting_out_of_its_domain_is_refused():
    with pytest.raises(InputError, match="epsilon must be in"):
        Standpoint(0.0, 0.1, 0.1, 0.0)
