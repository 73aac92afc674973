"""The page about δ, without a browser."""

from pages.delta import BESIDE
from pages.shared.page import lines
from pages.shared.state.fields import EVERYWHERE
from privsc_core.draw.style import number
from tests.pages.app import html, run


def test_the_page_shows_its_pictures_and_the_numbers_of_its_setting():
    app = run("pages/delta.py", delta="1e-9", open="numbers.bits.contest.take")
    said = " ".join(str(m.value) for m in app.markdown)
    titles = [part.title for part in lines.PICTURES.values()]
    assert [h.value for h in app.header] == [
        *titles,
        "Take it away",
        *(f"Further: {one.title}" for one in BESIDE.exhibits),
    ]
    assert "Points with δ: 927 (purely private, by Exponential mechanism: 27,746,139)" in said
    assert "b − 1.8 bits" in said
    shown = html(app)
    assert "./points?" in shown
    assert "delta=1e-09" in shown
    assert "--delta=1e-09" in app.code[0].value
    # Hard for whom: least m on each distribution; and the exhibits stand below.
    table = shown.split("least m on")[1]
    for cell in ("hard(alternating)", "cascade", "1,993", "≈ ", "never"):
        assert cell in table


def test_a_slack_of_none_is_refused_by_the_link():
    app = run("pages/delta.py", delta="0", open="ladder.interior", change="flip", many="100")
    shown = html(app)
    assert "delta must be" in shown + " ".join(str(m.value) for m in app.markdown)
    # What is used instead holds in the exhibits, too.
    least = lines.fields(BESIDE)[len(EVERYWHERE)].low
    assert f"promised: {number(least)}" in shown
    assert "Entries of each label" in shown
    assert "could not be computed" not in shown
