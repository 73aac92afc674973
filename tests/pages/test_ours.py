"""The page of what is ours: what is listed, found and opened, and where its links lead."""

import io
import re
from html import unescape

import pytest
from pypdf import PdfReader

from pages.shared.page import ours as page
from privsc_core.evaluate import ours
from tests.depth import spread
from tests.pages import app as apps

RESULTS = ours.results()
KINDS = [next(one for one in RESULTS if one.kind == kind) for kind in ours.KINDS]


def run(**params):
    app = apps.run("pages/ours.py", **params)
    assert not app.exception
    assert "could not be computed" not in apps.html(app)
    return app


def rows(app):
    """Return the texts of the rows that are not open."""
    table = "".join(re.findall(r"<tbody.*?</tbody>", apps.html(app), re.DOTALL))
    return [
        [unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in re.findall(r"<tr.*?</tr>", table)
    ]


def told(app):
    return " ".join(block.value for block in (*app.markdown, *app.caption))


def test_every_result_is_listed_and_few_at_first():
    listed = rows(run(rows="1"))
    assert [[*row[:2], row[4]] for row in listed] == [
        [one.title, one.concept.title, one.kind] for one in RESULTS
    ]
    assert [bool(row[3]) for row in listed] == [bool(one.certified) for one in RESULTS]
    app = run()
    assert 8 < len(rows(app)) < 20
    assert f"{len(RESULTS)} of {len(RESULTS)} results" in told(app)
    assert not app.latex
    assert not app.code, "nothing is open, nothing is drawn"


def test_filters_and_words_leave_what_fits():
    fits = [one for one in RESULTS if one.concept.name == "interval" and one.kind == "learner"]
    app = run(kind="learner", **{"class": "interval"})
    assert [row[0] for row in rows(app)] == [one.title for one in fits]
    app = run(q="we know of no reference", rows="1")
    assert 0 < len(rows(app)) < len(RESULTS) / 2
    assert "none fits" in told(run(q="xylophone"))


@pytest.mark.parametrize("one", spread(KINDS, 2), ids=lambda one: one.key)
def test_an_open_result_has_all_that_is_known_of_it(one):
    app = run(open=one.key)
    drawn = [block.value.strip("$\n") for block in app.latex]
    assert drawn == ([one.formula] if one.formula else [])
    assert one.statement in told(app)
    assert f"**Proof.** {one.proof}" in told(app)
    assert one.nearest[1:] in unescape(apps.html(app))
    said = [block.value for block in app.code]
    assert said[:-1] == [check.command for check in one.checks]
    assert "@software{privsc" in said[-1]
    (door,) = app.main.get("page_link")
    assert door.proto.query_string


def test_the_file_is_made_when_it_is_asked_for():
    app = run(open="whole")
    (button,) = app.get("download_button")
    assert "PDF" in button.proto.label
    assert "@software{privsc" in app.code[-1].value
    made = page.paper.pdf(RESULTS[:1])
    assert PdfReader(io.BytesIO(made)).pages


def test_where_the_typesetter_is_missing_the_page_says_so(monkeypatch):
    monkeypatch.setattr(page.paper, "typesets", lambda: False)
    app = run(open="whole")
    assert not app.get("download_button")
    assert "privsc[paper]" in told(app)
