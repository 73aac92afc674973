"""The still of a picture says what its figure says."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from pages.shared.frame import sitemap
from pages.shared.frame.sitemap import HEADS
from pages.shared.page import declaration, first
from pages.shared.page.declaration import CARDS
from privsc_core import catalog, draw
from privsc_core.draw.still import SIZE, still
from privsc_core.evaluate import views
from privsc_core.evaluate.scenario import Scenario

CLASSES = [sitemap.address(file) for _, file in sitemap.classes()]
POINT = Scenario(concept="point", learners=("erm", "exponential"))


def pages():
    return [declaration.declared(file) for _, file in sitemap.classes()]


def lines(markup):
    """Return the points of every curve, by uid, in shares of the area."""
    found = {}
    for uid, path in re.findall(r'data-of="([^"]+)"[^>]* d="M([^"]+)"', markup):
        found[uid] = np.array([[float(v) / SIZE for v in p.split()] for p in path.split("L")])
    return found


@pytest.mark.parametrize("page", pages(), ids=CLASSES)
def test_every_curve_of_the_first_figure_is_in_the_still(page):
    _, picture, _ = first.first(page)
    drawn = lines(still(picture))
    low, high = picture.figure["layout"]["xaxis"]["range"]
    bottom, top = picture.figure["layout"]["yaxis"]["range"]
    shown = [t for t in picture.figure["data"] if t.get("visible", True) is True]
    wanted = {t["uid"]: t for t in shown if "lines" in t["mode"] and t["line"]["width"]}
    assert set(drawn) == set(wanted)
    assert len(drawn) >= 2  # simulated ones come later
    for uid, trace in wanted.items():
        # Back to numbers: half a tenth of a unit is all that rounding may take.
        m = 10 ** (low + drawn[uid][:, 0] * (high - low))
        success = bottom + (1 - drawn[uid][:, 1]) * (top - bottom)
        width = math.log(10) * (high - low)
        np.testing.assert_allclose(np.log(m), np.log(trace["x"]), atol=0.06 / SIZE * width)
        np.testing.assert_allclose(success, trace["y"], atol=0.06 / SIZE * (top - bottom))


@pytest.mark.parametrize("page", pages(), ids=CLASSES)
def test_every_mark_and_tick_stands_where_it_belongs(page):
    _, picture, _ = first.first(page)
    markup = still(picture)
    axis = picture.figure["layout"]["xaxis"]
    low, high = axis["range"]
    for trace in picture.figure["data"]:
        if "markers" not in trace["mode"]:
            continue
        for x, text in zip(trace["x"], trace["text"], strict=True):
            at = 100 * (math.log10(x) - low) / (high - low)
            (mark,) = re.findall(rf'<svg x="([\d.]+)%"[^>]*>(?:(?!</svg>).)*>{text}</text>', markup)
            assert float(mark) == pytest.approx(at, abs=0.006)
    for value, text in zip(axis["tickvals"], axis["ticktext"], strict=True):
        at = f"{100 * (math.log10(value) - low) / (high - low):.2f}%"
        assert re.search(rf'x="{at}" y="100%"[^>]*>{text}</text>', markup)


def test_what_waits_in_the_legend_is_left_out():
    picture = draw.picture(Scenario(concept="point", learners=("representation",)))
    hidden = [t["name"] for t in picture.figure["data"] if t.get("visible") == "legendonly"]
    assert hidden
    assert not any(name in still(picture) for name in hidden)


def test_a_map_has_the_colour_of_its_number_at_every_place():
    picture = draw.picture(POINT, "map-m-d")
    (grid,) = [trace for trace in picture.figure["data"] if trace["type"] == "heatmap"]
    cells = [
        (colour, *map(float, places))
        for colour, *places in re.findall(
            r'<path fill="(#[0-9a-f]{6})" d="M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)H[\d.]+z"/>',
            still(picture),
        )
    ]
    assert sum((right - left) * (bottom - top) for _, left, top, right, bottom in cells) == (
        pytest.approx(SIZE**2, rel=1e-3)
    )
    steps = [at for at, _ in grid["colorscale"]]
    channels = [[int(c[n : n + 2], 16) for _, c in grid["colorscale"]] for n in (1, 3, 5)]
    low, high = picture.figure["layout"]["xaxis"]["range"]
    down, up = picture.figure["layout"]["yaxis"]["range"]
    for row, column in ((0, 0), (20, 40), (59, 59), (30, 30), (45, 10)):
        x = SIZE * (np.log10(grid["x"][column]) - low) / (high - low)
        y = SIZE * (1 - (np.log10(grid["y"][row]) - down) / (up - down))
        colour = next(
            c for c, left, top, right, bottom in cells if left <= x <= right and top <= y <= bottom
        )
        wanted = [np.interp(grid["z"][row][column], steps, channel) for channel in channels]
        assert [int(colour[n : n + 2], 16) for n in (1, 3, 5)] == pytest.approx(wanted, abs=6)


def test_what_is_no_line_mark_or_map_is_refused():
    picture = draw.picture(POINT)
    figure = {**picture.figure, "data": [{**t, "type": "bar"} for t in picture.figure["data"]]}
    with pytest.raises(ValueError, match="only lines, marks and maps"):
        still(replace(picture, figure=figure))


def test_words_are_words():
    picture = draw.picture(POINT)
    evil = '<script>alert("1")</script>'
    figure = {**picture.figure, "data": [{**t, "name": evil} for t in picture.figure["data"]]}
    markup = still(replace(picture, figure=figure, title=evil, caption=evil, summary=evil))
    assert "<script" not in markup
    assert 'alert("' not in markup


def test_a_colour_is_a_colour():
    picture = draw.picture(POINT)
    shown = [t for t in picture.figure["data"] if t.get("visible", True) is True]
    curve = next(trace for trace in shown if "color" in trace.get("line", {}))
    line = {**curve["line"], "color": '"/><script>'}
    figure = {**picture.figure, "data": [{**curve, "line": line}]}
    with pytest.raises(ValueError, match="a colour must be"):
        still(replace(picture, figure=figure))


def test_every_page_has_its_words_and_its_own_numbers_first():
    documents = dict(first.documents())
    assert set(documents) == {sitemap.address(f) for _, group in sitemap.PAGES for _, f in group}
    for page in pages():
        scenario, _, numbers = first.first(page)
        document = documents[page.slug]
        assert f"<h1>{page.heading}</h1>" in document
        assert "Default setting: " in document
        size = f"{catalog.concept(page.concept).size.symbol} = {scenario.d}, "
        assert f"ε = {scenario.epsilon:g}" in document
        assert (size in document) != scenario.sizeless
        for card in page.cards(numbers, scenario)[:CARDS]:
            assert f"<strong>{card.value}</strong>" in document
        assert documents[page.slug].count('class="pv-still"') == 1
    for name, head in HEADS.items():
        assert f"<h1>{head.title}</h1>" in documents[name]
        assert 'class="pv-still"' not in documents[name]
    # Until these are computed each is sent with the program alone.
    plain = dict(first.plain())
    assert set(plain) == set(documents)
    assert all("history.pushState = " in document for document in plain.values())
    assert not any('class="pv-still"' in document for document in plain.values())


@pytest.mark.parametrize("page", pages(), ids=CLASSES)
def test_no_card_compares_with_a_number_that_is_not_there(page):
    """At both ends of the slider of epsilon: what guarantees at 0.5 may guarantee nothing there."""
    scenario = first.first(page)[0]
    stops = page.settings["epsilon"].stops
    for epsilon in (float(stops[0]), float(stops[-1])):
        there = replace(scenario, epsilon=epsilon)
        for card in page.cards(views.numbers(there, brief=True), there):
            assert not re.search(r"\b(at|below|than) none\b", f"{card}"), card
