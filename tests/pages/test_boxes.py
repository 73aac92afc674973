"""The packing argument on the pages, through AppTest: played with, linked, and told in words."""

import re

import pytest

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from tests.depth import spread
from tests.pages.app import html, param, press, run
from tests.pages.declared import FILES

EACH = pytest.mark.parametrize(
    "concept",
    spread([c for c in catalog.CONCEPTS if any(b.packs for b in c.bounds)], 3),
    ids=lambda c: c.name,
)


def said(app):
    """Return the live sentences below the figures."""
    words = " ".join(block.value for block in app.markdown)
    return re.search(r'class="pv-said" role="status">([^<]*)', words)[1]


def slider(app, key):
    return next(one for one in app.select_slider if one.key == key)


def least(concept):
    bound = next(entry for entry in concept.bounds if entry.packs)
    return bound.least(Cell(16, 0.5, 0.1, 0.1)).m


@EACH
def test_it_breaks_at_the_bound_of_the_main_figure(concept):
    app = run(FILES[concept.name], open="boxes", d="16")
    assert not app.exception
    assert f"Success 0.9 needs m ≥ {least(concept):,} by" in said(app)


def test_the_buttons_lead_to_both_sides_of_the_edge_and_the_page_along():
    concept = catalog.concept("point")
    app = run(FILES[concept.name], open="boxes", d="16")
    for key, m, verdict in (
        ("below", least(concept) - 1, "too few"),
        ("at", least(concept), "enough"),
    ):
        app = press(app, f"pv_boxes_{key}")
        assert param(app, "m") == str(m)
        assert slider(app, "w_m").value == slider(app, "w_m_boxes").value == m
        assert f"{m:,} are {verdict}." in said(app)


def test_everything_can_be_set_and_is_in_the_link():
    concept = catalog.concept("point")
    app = run(FILES[concept.name], open="boxes")
    assert "it does not fit" in said(app)
    slider(app, "w_d_boxes").set_value(16).run()
    assert param(app, "d") == "16"
    assert slider(app, "w_d").value == 16
    assert "it fits" in said(app)
    slider(app, "w_differ").set_value(10).run()
    assert param(app, "differ") == "10"
    assert "K = 10 examples" in said(app)
    choice = {one.key: one for one in app.get("button_group")}
    choice["w_merge"].set_value("merged").run()
    assert param(app, "merge") == "merged"
    assert "510 buckets" in said(app)
    choice = {one.key: one for one in app.get("button_group")}
    choice["w_hand"].set_value("own").run()
    slider(app, "w_give").set_value(0.35).run()
    assert (param(app, "hand"), param(app, "give")) == ("own", "0.35")
    assert "The right bucket gets 0.35" in said(app)
    assert not app.exception


def test_what_answers_look_like_stands_below():
    shown = html(run(FILES["point"], open="boxes", d="64"))
    rows = [re.findall("<t[dh][^>]*>([^<]*)", row) for row in re.findall("<tr>.*?</tr>", shown)]
    sizes = {row[0]: row[2] for row in rows if len(row) == 4}
    assert sizes["Exponential mechanism"] == "1"
    assert sizes["Hash learner"] == "2⁵⁵"  # 2^d / 512
    assert sizes["Independent noise"] == "about 0.0125·2⁶⁴"  # alpha 2^d / 8


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("point", {"hand": "x", "give": "2", "differ": "-7"}),
        ("release", {"pack": "b"}),
    ],
)
def test_a_bad_link_gets_a_note_and_a_page(name, link):
    app = run(FILES[name], open="boxes", **link)
    assert not app.exception
    assert any(button.key == "pv_notes_dismiss" for button in app.button)
    assert said(app)


def test_where_the_bound_says_nothing_it_says_why():
    app = run(FILES["pseudorandom-point"], open="boxes", d="2", l="sqrt")
    assert not app.exception
    assert "The bound says nothing at d = 2: a target has no rivals." in html(app)
