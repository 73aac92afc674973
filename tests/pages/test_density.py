"""How much a page shows before anything is opened, and that all of it can be opened."""

import json
import re

import pytest

from pages.shared.chart import chart
from pages.shared.page import first
from pages.shared.page.declaration import CARDS, MORE
from pages.shared.page.parts import PARTS
from pages.shared.state.fields import CONTROLS as CONTROLS_OF_A_PAGE
from privsc_core import catalog
from tests.depth import spread, whole
from tests.pages.app import html, run
from tests.pages.declared import DECLARED, FILES

EACH = pytest.mark.parametrize("concept", spread(catalog.CONCEPTS, 3), ids=lambda c: c.name)
WORDS, BUTTONS, CONTROLS, CURVES, LINES, CLAIM = 350, 20, 5, 4, 6, 25
CONTROL = ("select_slider", "selectbox", "button_group", "number_input", "text_input", "toggle")


# What is not read at first: styles, pictures, tags, and where links lead with what a pointer is told.
UNREAD = re.compile(
    r"<(style|svg).*?</\1>|<[^>]*>|\]\([^ )]*( \"[^\"]*\")?\)|[*$]", flags=re.DOTALL
)


def words(text):
    return len(UNREAD.sub(" ", text).split())


def told(app):
    """Return the texts of a page beside those of its figures."""
    heads = (*app.main.title, *app.main.header, *app.main.subheader)
    texts = [m.value for m in (*app.main.markdown, *app.main.caption, *heads)]
    texts += [str(block.proto.body) for block in app.main.get("html")]
    texts += [one.proto.label for one in app.main.get("page_link")]
    return texts + [f"{one.label}" for one in (*app.main.expander, *app.main.button)]


def parts(app):
    """Return the titles of the folds of a page that have one."""
    titles = (one.label.partition("**")[2].partition("**")[0] for one in app.main.expander)
    return [title for title in titles if title]


@pytest.mark.parametrize("file", ["app.py", "pages/delta.py"])
def test_home_and_the_page_about_delta_begin_with_six_lines(file, monkeypatch):
    sent = []
    monkeypatch.setattr(chart, "chart", lambda data, **_: sent.append(data))
    app = run(file)
    assert not app.exception
    (figure,) = (json.loads(one.split(b"\n")[-1]) for one in sent)
    names = [door["label"] for door in figure["doors"]]
    lines = [trace for trace in figure["figure"]["data"] if trace.get("line", {}).get("width")]
    assert len(lines) == len(names) == LINES
    said = [*told(app), figure["title"], figure["caption"], *names]
    assert words(" ".join(said)) <= WORDS
    assert len(app.main.button) + len(app.main.get("page_link")) <= BUTTONS
    assert 0 < sum(len(app.main.get(kind)) for kind in CONTROL) <= CONTROLS


@pytest.mark.parametrize("name", spread(DECLARED, 5))
def test_the_first_screen_has_one_idea(name):
    page = DECLARED[name]
    app = run(FILES[name])
    assert words(page.claim) <= CLAIM
    texts = told(app)
    _, picture, _ = first.first(page)
    curves = {trace["legendgroup"] for trace in picture.figure["data"] if "legendgroup" in trace}
    names = [trace["name"] for trace in picture.figure["data"] if trace.get("showlegend", True)]
    assert words(" ".join([*texts, picture.title, picture.caption, *names])) <= WORDS
    assert len(curves) <= CURVES
    assert len(app.main.button) <= BUTTONS
    assert sum(len(app.main.get(kind)) for kind in CONTROL) <= CONTROLS
    assert parts(app) == [part.title for part in PARTS]


@pytest.mark.parametrize("concept", spread(catalog.CONCEPTS, 2), ids=lambda c: c.name)
def test_what_a_page_has_is_two_clicks_away(concept):
    page = DECLARED[concept.name]
    app = run(FILES[concept.name], v="2", open=".".join([MORE, *(part.name for part in PARTS)]))
    assert not app.exception
    assert "could not be computed" not in html(app)
    drawn = {key.removeprefix("w_") for kind in CONTROL for key in keys(app, kind)}
    fields = {item.key for item in page.settings.values()} & {*CONTROLS_OF_A_PAGE}
    law = {knob.key for x in concept.distributions for knob in x.knobs}
    assert fields - law - {"map", "pin", "u"} <= drawn
    labels = " ".join(one.label for one in app.main.expander)
    said = " ".join(str(block.value) for block in app.main.markdown)
    for section in page.sections:
        assert section.title in labels or section.claim in said, section.name
    for bound in concept.bounds:
        assert f"**{bound.title}**" in labels
    assert f"What each {concept.words.learner} needs" in html(app)
    assert "Files: everything in one zip" in labels
    app = run(FILES[concept.name], v="2", tab="learners")
    said = " ".join(str(block.value) for block in app.main.markdown)
    for learner in concept.learners:
        assert f"**{learner.title}**" in said


def keys(app, kind):
    return [one.key or one.proto.id for one in app.main.get(kind)]


def unfolded(block):
    """Yield what no fold hides."""
    for child in block.children.values():
        if not hasattr(child, "children"):
            yield child
        elif child.type != "expander":
            yield from unfolded(child)


@pytest.mark.parametrize("page", ["calculator", "atlas", "ours", "sweep", "laboratory", "labels"])
def test_the_page_of_a_tool_begins_with_little(page):
    app = run(f"pages/{page}.py")
    assert not app.exception
    shown = list(unfolded(app.main))
    said = [getattr(e.proto, name, "") for e in shown for name in ("body", "code_text", "label")]
    assert 60 < words(" ".join(map(str, said))) <= WORDS
    assert len(app.main.button) <= BUTTONS
    assert 1 < sum(e.type in CONTROL for e in shown) <= CONTROLS
    assert html(app).count('<div class="pv-card ') <= CARDS


@pytest.mark.parametrize("page", [whole("laboratory"), "labels"])
def test_other_pages_with_parts_have_them_in_the_order_of_a_class(page):
    file = f"pages/{page}.py"
    app = run(file)
    titles = [part.title for part in PARTS]
    assert 4 < len(parts(app)) == len(set(parts(app)))
    assert sorted(parts(app), key=titles.index) == parts(app)
    closed = html(app)
    # What version 1 showed at once is a click away, in a part; none is empty.
    names = [part.name for part in PARTS if part.title in parts(app)]
    for name in names:
        opened = run(file, v="2", open=name)
        assert not opened.exception
        assert "could not be computed" not in html(opened)
        assert len(html(opened)) + len(told(opened)) > len(closed) + len(told(app)), name


@EACH
def test_a_plain_link_of_the_first_version_opens_no_part(concept):
    """What it showed stands behind More; only what a link names is opened below."""
    app = run(FILES[concept.name], v="1")
    labels = " ".join(one.label for one in app.main.expander)
    said = " ".join(str(block.value) for block in app.main.markdown)
    for section in DECLARED[concept.name].sections:
        assert section.title not in labels
        assert section.claim not in said
