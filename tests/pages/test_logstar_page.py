"""The page about depths of recursion, without a browser."""

import json
import zlib

import pytest

from pages.exhibits import interval_depth as page
from pages.shared.chart import chart
from pages.shared.chart.payload import of_picture
from pages.shared.frame import shell
from pages.shared.page import live
from pages.shared.page.declaration import CARDS, HEIGHT
from privsc_core.draw.style import number
from privsc_core.exhibits.interval.staircase import (
    PANELS,
    Standing,
    cards,
    paying,
    staircase,
    staircase_strip,
)
from tests.pages.app import html, press, run
from tests.pages.test_density import (
    BUTTONS,
    CLAIM,
    CONTROL,
    CONTROLS,
    CURVES,
    WORDS,
    parts,
    told,
    unfolded,
    words,
)
from tests.pages.test_labels_page import _at_once

FILE = "pages/logstar.py"
FIRST = Standing(0.5, 1e-6, 0.1, 0.1)


def test_the_first_screen_has_one_idea(monkeypatch):
    sent = []
    monkeypatch.setattr(chart, "chart", lambda data, **_: sent.append(data))
    app = run(FILE)
    assert not app.exception
    (figure,) = (json.loads(one.split(b"\n")[-1]) for one in sent)
    listed = [t["name"] for t in figure["figure"]["data"] if t.get("showlegend", True)]
    assert 0 < len(listed) <= CURVES
    assert words(page.CLAIM) <= CLAIM
    assert words(" ".join([*told(app), figure["title"], figure["caption"], *listed])) <= WORDS
    assert len(app.main.button) <= BUTTONS
    assert 0 < sum(e.type in CONTROL for e in unfolded(app.main)) <= CONTROLS
    assert html(app).count('<div class="pv-card ') <= CARDS
    assert len(parts(app)) <= 7


@pytest.mark.parametrize(
    "link", [{}, {"delta": "1e-4", "L": "20"}, {"panel": "tower", "L": "4294967296", "eps": "1"}]
)
def test_the_cards_are_those_of_the_setting_in_the_link(link):
    app = run(FILE, **link)
    at = Standing(
        float(link.get("eps", 0.5)), float(link.get("delta", 1e-6)), 0.1, 0.1, float(link.get("L", 24))
    )  # fmt: skip
    for one in cards(staircase(at)):
        assert shell.inside(shell.card(one.label, one.value, one.note, one.tone)) in html(app)


def test_parts_show_the_table_and_the_rates_of_the_literature():
    app = run(FILE, v="2", open="see.numbers.theory.take-away")
    assert not app.exception
    shown = html(app)
    assert "could not be computed" not in shown
    deltas = page.SETTING["delta"].stops
    rows = paying(FIRST, deltas)
    assert len(rows) == len(deltas)
    for row in rows:
        for cell in row:
            assert f">{cell}<" in shown
    said = " ".join(str(one.value) for one in app.markdown)
    for year in ("2013", "2015", "2019", "2020", "2023"):
        assert year in said
    assert len(app.get("download_button")) == 1


@pytest.mark.parametrize("panel", PANELS)
def test_every_frame_of_a_slider_is_what_the_server_would_send(monkeypatch, panel):
    sent = {}

    def figure(data, *, key, **more):
        if key == "main":
            sent.update(figure=data, setting=more["setting"])

    monkeypatch.setattr(chart, "chart", figure)
    monkeypatch.setattr(chart, "strips", lambda data, **_: sent.update(strip=data))
    monkeypatch.setattr(live.Sheet, "begin", _at_once)
    app = run(FILE, opened={"pv_strip_asked": "delta"}, panel=panel)
    assert not app.exception
    head, _, frames = sent["strip"].partition(b"\n")
    head = json.loads(head)
    stops = page.SETTING["delta"].stops
    assert sent["setting"]["sliders"]["delta"] == {"at": stops.index(1e-6), "key": head["key"]}
    assert set(sent["setting"]["sliders"]) == {"eps", "delta", "alpha", "beta", "L"}
    settings = tuple(Standing(0.5, delta, 0.1, 0.1) for delta in stops)
    found = staircase_strip(panel, settings)
    every = zlib.decompress(frames).split(b"\n")
    assert len(every) == len(found)
    for frame, said, (one, picture) in zip(every, head["pages"], found, strict=True):
        assert frame == of_picture(picture, HEIGHT)
        shown = (shell.card(c.label, c.value, c.note, c.tone) for c in cards(one))
        assert said == {".pv-cards": shell.inside(*shown)}
    assert every[stops.index(1e-6)] == sent["figure"]


def test_until_a_prediction_is_revealed_nothing_tells_the_answer(monkeypatch):
    drawn = []
    monkeypatch.setattr(chart, "chart", lambda data, **_: drawn.append(json.loads(data)))
    monkeypatch.setattr(chart, "strips", lambda data, **_: drawn.append(data))
    app = run(
        FILE, opened={"pv_strip_asked": "eps"}, L="32", predict="1", open="why.numbers.theory"
    )
    assert not app.exception
    answer = staircase(Standing(0.5, 1e-6, 0.1, 0.1, 32.0)).least
    shown = html(app) + " ".join(str(one.value) for one in app.markdown)
    assert "2³² bits" in shown
    assert f"{answer:,}" not in shown
    (figure,) = (one for one in drawn if isinstance(one, dict))
    assert all(len(trace["x"]) <= 1 for trace in figure["figure"]["data"])
    # Nor does a shape end where the curves do.
    shapes = figure["figure"]["layout"]["shapes"]
    assert shapes
    assert all(one.get("name") == "guess" or one.get("yref") == "paper" for one in shapes)
    assert not [one for one in drawn if isinstance(one, bytes)]
    drawn.clear()
    told_ = press(app, "pv_reveal")
    assert f"{answer:,}" in html(told_)


def test_bad_numbers_of_a_link_are_refused_by_their_names():
    app = run(FILE, L="2", delta="0", panel="no")
    assert not app.exception
    said = html(app)
    for name in (
        "(L) must be a number from 3 to 4294967296",
        "delta must be",
        "(panel) must be one of bits, tower",
    ):
        assert name in said
    assert "could not be computed" not in said


def test_the_pages_about_slack_and_intervals_lead_here():
    for file in ("pages/delta.py", "pages/intervals.py"):
        app = run(file, v="2", open="why.ladder")
        links = [one.proto for one in app.main.get("page_link")]
        assert any(link.page.endswith("logstar") for link in links), file


def test_an_audience_sees_the_figure_and_its_controls(monkeypatch):
    drawn = []
    monkeypatch.setattr(chart, "chart", lambda data, **_: drawn.append(json.loads(data)["title"]))
    app = run(FILE, present="1", controls="delta,L,panel")
    assert not app.exception
    assert len(drawn) == 1
    assert {one.label for one in app.select_slider} == {
        "δ: additive privacy loss",
        "**L**: a point has 2ᴸ bits",
    }
    assert number(1e-6) in str(app.select_slider[0].options)
    assert not app.expander


@pytest.mark.parametrize("depth", ["1", "3"])
def test_one_example_moves_no_score_by_more_than_1_on_the_page(depth):
    app = run(FILE, open="ladders", levels=depth, change="flip")
    assert not app.exception
    shown = html(app)
    assert "could not be computed" not in shown
    moved = shown.split("A score moves by at most</dt><dd><strong>")[1].split("<")[0]
    assert 0.0 <= float(moved) <= 1.0
    assert "(13, 1) → (13, 0)" in shown
