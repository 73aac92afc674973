"""A pinned setting: its curves beside those of now are its own, and so are the factors."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privsc_core import draw
from privsc_core.cli import main
from privsc_core.draw.style import changed
from privsc_core.evaluate import views
from privsc_core.evaluate.pinned import changes, moved
from privsc_core.evaluate.scenario import Scenario

NOW = Scenario("point", ("erm", "exponential", "hash"), d=256, epsilon=0.5)
PINNED = replace(NOW, d=64, epsilon=1.0)
MAPS = [name for name, view in draw.VIEWS.items() if view.quantity == "map"]
CURVES = [name for name in draw.VIEWS if name not in MAPS]


def ghosts(picture):
    return {
        t["uid"]: t for t in picture.figure["data"] if str(t["uid"]).startswith("pinned-")
    }  # fmt: skip


# Planted: the curves of now instead of the pinned ones; a frame that cuts them off; a row lost.
@pytest.mark.parametrize("view", CURVES)
def test_a_ghost_is_the_curve_of_the_pinned_setting(view):
    both = draw.picture(NOW, view, pinned=PINNED)
    alone = {t["uid"]: t for t in draw.picture(PINNED, view).figure["data"]}
    found = ghosts(both)
    for name in NOW.learners:
        ghost = found[f"pinned-{name}-learner"]
        own = alone[f"{name}-learner" if view.startswith("need") else name]
        known = np.interp(own["x"], ghost["x"], ghost["y"], left=math.nan, right=math.nan)
        if view == "m":  # another frame has other points: where it climbs they are the same
            same = np.isin(own["x"], ghost["x"])
            assert same.sum() > 20
            assert np.allclose(known[same], np.asarray(own["y"])[same], rtol=1e-9, atol=0)
        else:
            assert np.array_equal(known, own["y"], equal_nan=True)
        assert ghost["line"]["color"] == own["line"]["color"]
        assert ghost["line"]["width"] < own["line"]["width"]
        assert f"pinned {name}" in both.table["curve"]
    assert len({len(column) for column in both.table.values()}) == 1
    axes = both.figure["layout"]
    for letter in "xy":
        values = np.concatenate([np.asarray(g[letter], dtype=float) for g in found.values()])
        values = values[np.isfinite(values)]
        ends = axes[f"{letter}axis"]["range"]
        if axes[f"{letter}axis"].get("type") == "log":
            values = np.log10(values)
        assert ends[0] - 1e-9 <= values.min() <= values.max() <= ends[1] + 1e-9
    assert "pinned" in both.caption
    # What is now is as it would be without a pin.
    assert [t["uid"] for t in both.figure["data"] if "pinned" not in t["uid"]] == [
        t["uid"] for t in draw.picture(NOW, view).figure["data"]
    ]


@pytest.mark.parametrize("view", MAPS)
def test_on_a_map_the_pinned_line_is_where_its_success_is_the_target(view):
    both = draw.picture(NOW, view, on_map="exponential", pinned=replace(PINNED, beta=0.2))
    line = ghosts(both)["pinned-True"]
    if line["type"] == "contour":
        assert line["contours"]["start"] == line["contours"]["end"] == pytest.approx(0.8)
        alone = draw.picture(PINNED, view, on_map="exponential")
        assert np.array_equal(line["z"], alone.figure["data"][0]["z"])
        return
    axes = draw.VIEWS[view].axes
    along = "y" if axes[0] == "m" else "x"
    name = axes[1] if along == "y" else axes[0]
    for at, m in list(zip(line[along], line["x" if along == "y" else "y"], strict=True))[::6]:
        there = replace(PINNED, beta=0.2, **{name: int(at) if name == "d" else float(at)})
        assert views.numbers(there).learner("exponential").m == m


def test_what_is_simulated_leaves_no_ghost_and_the_caption_says_so():
    now = Scenario("interval", ("exponential",), "band", trials=64)
    both = draw.picture(now, "m", trials=0, pinned=replace(now, epsilon=1.0))
    assert not [name for name in ghosts(both) if name.endswith("-learner")]
    assert "What is simulated is not pinned" in both.caption


def test_factors_and_parameters_that_changed():
    assert [(c.name, c.before, c.now, c.factor) for c in moved(PINNED, NOW)] == [
        ("d", 64, 256, 4.0), ("epsilon", 1.0, 0.5, 0.5),
    ]  # fmt: skip
    then, now = views.numbers(PINNED), views.numbers(NOW)
    for change in changes(then, now, NOW.learners):
        row = next(r for r in now.learners if r.title == change.name)
        assert change.factor == row.m / then.learner(row.name).m
    assert [changed(x) for x in (4.0, 0.25, 1.0, math.nan, 1234.5)] == [
        "×4", "÷4", "same", "–", "×1,234",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["d", "x=1", "trials=3", "d=banana", "d=-1"])
def test_a_pin_that_is_none_is_refused(text, capsys):
    assert main(["figure", "-d", "64", "--pin", text]) != 0
    assert "must be" in capsys.readouterr().err
