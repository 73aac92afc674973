"""A bound of a reader's own stands in every picture, number and file as those of the catalog do."""

import json
import re
import shlex
from dataclasses import replace

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog, draw, export
from privsc_core.cli.main import main
from privsc_core.draw.reading import reading
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.own_bound import OWN
from privsc_core.formula import Formula

TEXT = "2*(d*log(2) + log(1/beta))/(alpha*epsilon)"
HERE = pv.Scenario("point", ("erm", "exponential"), d=16, epsilon=0.7, m=900, formula=TEXT)


def own(picture):
    """Return what a picture has of the bound, the line that the legend lists."""
    traces = picture.figure["data"]
    return [t for t in traces if OWN in str(t["uid"]) and t.get("showlegend", True)]


def number(**instead):
    """Return the number of the formula by itself."""
    setting = {name: getattr(HERE, name) for name in ("d", "epsilon", "alpha", "beta", "delta")}
    return Formula(TEXT)(setting | instead).m


# --- In the pictures --------------------------------------------------------------------------------


def test_success_against_m_has_a_line_where_the_formula_says():
    (line,) = own(draw.picture(HERE))
    m = number().item()
    assert line["x"][1] == line["x"][2] == m
    np.testing.assert_allclose(line["y"], [0, 0, 0.9, 0.9])
    assert f"{m:,.0f}" in line["name"]


@pytest.mark.parametrize("axis", ["d", "epsilon"])
def test_success_against_another_axis_has_a_step_where_m_is_enough(axis):
    curve = views.success_curves(HERE, axis).bounds[-1]
    assert curve.name == OWN
    steps = np.flatnonzero((np.diff(curve.x) == 0) & (np.diff(curve.y) != 0))
    assert steps.size == 1
    place = curve.x[steps[0]]
    before = place - 1 if axis == "d" else place * (1 - 1e-4)
    enough = [number(**{axis: at}).item() <= HERE.m for at in (before, place)]
    assert enough == [axis == "d", axis == "epsilon"]
    np.testing.assert_allclose(
        curve.y, (number(**{axis: curve.x}) <= HERE.m) * 0.9 + 0 * curve.y, atol=0.9
    )
    assert set(np.round(curve.y, 12)) == {0.0, 0.9}


@pytest.mark.parametrize("axis", ["d", "epsilon"])
def test_least_m_has_a_curve_in_a_frame_that_stays_ours(axis):
    curves = views.least_m(HERE, axis)
    curve = curves.bounds[-1]
    np.testing.assert_array_equal(curve.y, number(**{axis: curve.x}))
    frames = [
        draw.least_m_figure(views.least_m(replace(HERE, formula=text), axis)).figure["layout"][
            "yaxis"
        ]["range"]
        for text in ("", "T*1000", "1")
    ]
    assert frames[1][1] - frames[0][1] == pytest.approx(np.log10(views.OWN_BEYOND))
    assert abs(frames[2][0] - frames[0][0]) <= np.log10(views.OWN_BEYOND) + 1e-9


@pytest.mark.parametrize("view", ["map-m-d", "map-m-eps", "map-d-eps"])
def test_maps_have_a_line(view):
    picture = draw.picture(HERE, view)
    draw.plotly_figure(picture)
    (line,) = own(picture)
    if view == "map-d-eps":
        wanted = number(d=line["x"][None, :], epsilon=line["y"][:, None]) > HERE.m
        assert 0 < wanted.sum() < wanted.size
        np.testing.assert_array_equal(line["z"] > 0, wanted)
    else:
        axis = "d" if view == "map-m-d" else "epsilon"
        np.testing.assert_array_equal(line["x"], number(**{axis: line["y"]}))
    rows = draw.data_rows(picture)[1]
    assert any(row[0] == line["name"] for row in rows)


@pytest.mark.parametrize("view", draw.VIEWS)
def test_it_is_said_what_the_line_is_and_where_there_is_none(view):
    picture = draw.picture(HERE, view)
    (said,) = (line for line in reading(HERE, view, picture) if line.name.startswith("Your bound"))
    assert TEXT in said.words
    assert TEXT in picture.caption
    gap = replace(HERE, formula="log(1/delta)/epsilon")
    picture = draw.picture(gap, view)
    if draw.VIEWS[view].quantity != "map":
        assert "1/delta divides by 0" in picture.caption
    assert views.numbers(gap, ()).bound(OWN).remark == "1/δ divides by 0"


@pytest.mark.parametrize(
    ("parameter", "stops"), [("d", (4, 16, 300)), ("epsilon", (0.1, 1.0)), ("m", (9, 900))]
)
@pytest.mark.parametrize("view", ["m", "need-d", "eps", "map-d-eps"])
def test_a_strip_shows_at_each_stop_what_the_picture_does(parameter, stops, view):
    pinned = replace(HERE, epsilon=0.2)
    for frame in draw.strip(HERE, parameter, stops, view, pinned=pinned):
        alone = draw.picture(frame.scenario, view, trials=0, pinned=pinned)
        assert frame.picture.caption == alone.caption
        assert own(frame.picture)
        for one, other in zip(own(frame.picture), own(alone), strict=True):
            for side in ("x", "y", "z"):
                np.testing.assert_array_equal(one.get(side, ()), other.get(side, ()))
        assert frame.numbers.bound(OWN) == views.numbers(frame.scenario, ()).bound(OWN)


@pytest.mark.parametrize("concept", [*catalog.CONCEPTS, *catalog.BESIDE], ids=lambda c: c.name)
def test_every_class_draws_it_whatever_the_distribution_and_the_regions(concept):
    for law in concept.distributions:
        size = concept.only_size or max(law.least_d, 4)
        shown = pv.Scenario(
            concept.name, (), law.label, d=size, formula=f"100*{concept.size.symbol}", alpha=0.05,
            regions=tuple(entry.name for entry in concept.bounds[:1]),
        )  # fmt: skip
        (line,) = own(draw.picture(shown))
        assert line["x"][1] == 100 * shown.d
        assert "d" not in shown.idle()


@pytest.mark.parametrize("epsilon", [0.013, 0.37, 5.0])
def test_a_theorem_typed_as_a_formula_is_the_theorem(epsilon):
    """Theorem 5 of CH11: with so many examples or fewer no learner of its kind succeeds."""
    at = {"d": np.arange(4, 400), "epsilon": epsilon, "alpha": 0.1, "beta": 0.1}
    typed = pv.bound(concept="threshold", formula="log(kappa/3 - 5/3)/epsilon", **at)
    np.testing.assert_array_equal(typed.m, pv.bound(concept="threshold", bound="theorem-5", **at).m)


# --- Asked for by itself, and taken away ---------------------------------------------------------------


def test_python_and_the_command_line_give_its_numbers(capsys):
    setting = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
    found = pv.bound(
        concept="point",
        formula="(d + log(T))/(delta*1e6)",
        d=[4, 9],
        delta=[[0], [1e-6]],
        **setting,
    )
    assert found.m.shape == (2, 2)
    assert found.m[1].tolist() == [7, 16]
    assert set(found.reason[0]) == {"(d + log(T))/(delta*1e6) divides by 0"}
    asked = "bound --formula 'kappa/3*log(1/delta)' --concept threshold -d 4,80 --delta 0.1 --json"
    assert main(shlex.split(asked)) == 0
    records = json.loads(capsys.readouterr().out)
    assert [(r["m"], r["bound"], r["constants"]) for r in records] == [
        (13, OWN, OWN),
        (None, OWN, OWN),
    ]
    assert records[1]["reason"] == "the formula is above 10¹⁵ here"
    for words in (["--formula", "2d"], ["--formula", "d", "--bound", "packing"]):
        assert main(["bound", *words]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(InputError, match="stand without a bound"):
        pv.bound(concept="point", formula="d", bound="packing", d=4, **setting)


def test_what_is_taken_away_has_the_formula(capsys):
    shown = export.Shown(HERE, "need-d")
    program = export.python_snippet(shown)
    values = {}
    exec(program.split("picture =")[0], values)  # noqa: S102 - ours
    assert values["scenario"] == HERE
    assert OWN not in {entry.name for entry in shown.bounds}
    cells = json.loads(export.notebook(export.figures_of(shown, shown.picture())))["cells"]
    head = "".join(cells[0]["source"])
    assert TEXT.replace("*", r"\*") in head
    assert re.search(r"(?<!\\)\*", head) is None
    assert main(shlex.split(export.figure_command(shown))[1:]) == 0
    printed = capsys.readouterr().out
    assert printed == export.data_csv(shown.picture())
    assert f"\n{OWN},{OWN},2,{number(d=2):.0f}\n" in printed.replace("\r", "")


@pytest.mark.parametrize(
    "formula", ["=1+d", "@d", "<b>d</b>", "d\nd", "$d$", "`d`", "d|d", "d'", 3, None, ["d"]]
)
def test_what_is_no_formula_is_in_no_scenario(formula):
    if formula is None:
        with pytest.raises(InputError):
            Formula(formula)
        return
    with pytest.raises(InputError, match=r"^formula must "):
        replace(HERE, formula=formula)


def test_a_formula_is_neither_a_lower_nor_an_upper_bound_in_records():
    at = {"d": 16, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
    (record,) = pv.bound(concept="point", formula="d/alpha", **at).records()
    assert (record["bound"], record["kind"], record["m"]) == ("yours", None, 160)
    with pytest.raises(InputError, match="formula must not be empty"):
        pv.bound(concept="point", formula="", **at)
