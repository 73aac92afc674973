"""A bound of a visitor's own on a class page: typed, refused, kept in the link."""

import json

from pages.shared.chart import chart
from privsc_core import catalog
from tests.pages.app import html, run
from tests.pages.declared import FILES

GOOD = "2*(d*log(2) + log(1/beta))/(alpha*epsilon)"
BAD = "2d + <b>1</b>"


def test_a_formula_is_drawn_and_compared_and_a_wrong_one_stays_to_be_mended(monkeypatch):
    sent = {}
    monkeypatch.setattr(chart, "chart", lambda data, key, **_: sent.update({key: data}))
    file = FILES[catalog.CONCEPTS[0].name]
    app = run(file, v="2", d="32", bound=GOOD)
    assert not app.exception
    main = json.loads(sent["main"])
    assert GOOD in main["caption"]
    said = html(app).partition('class="pv-yours"')[2].partition("</div>")[0]
    assert said.count("<p>") == 5
    assert "the least m of “Exponential mechanism”" in said
    # What is no formula stays in its box, and the last one in the figure and the link.
    app.text_input(key="w_bound").set_value(BAD).run()
    assert app.text_input(key="w_bound").value == BAD
    assert "with &lt; at character 6" in html(app)
    assert "<b>1" not in html(app)
    assert json.loads(sent["main"])["caption"] == main["caption"]
    assert app.query_params["bound"] == GOOD
    app.text_input(key="w_bound").set_value("").run()
    assert "bound" not in app.query_params
    assert 'class="pv-yours"' not in html(app)
    assert "at character" not in html(app)
