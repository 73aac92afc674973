"""The page about δ, without a browser."""

from pages.shared.page import slack
from tests.pages.app import html, run


def test_the_page_shows_its_pictures_and_the_numbers_of_its_setting():
    app = run("pages/delta.py", delta="1e-9")
    said = " ".join(str(m.value) for m in app.markdown)
    assert [s.value for s in app.subheader] == [*(p.title for p in slack.PICTURES), "Take it away"]
    assert "Points with δ 927 (pure 27,746,139)" in said
    assert "b − 1.8 bits" in said
    shown = html(app)
    assert "./points?" in shown
    assert "delta=1e-09" in shown
    assert "--delta=1e-09" in app.code[0].value


def test_a_slack_of_none_is_refused_by_the_link():
    app = run("pages/delta.py", delta="0")
    assert "delta must be" in html(app) + " ".join(str(m.value) for m in app.markdown)
