"""The laboratory: its numbers are the core's, a click lands in the link, bad input gets a sentence."""

import pytest

from pages.shared.page import laboratory
from privsc_core.draw import dimensions as drawn
from privsc_core.export import dimensions_csv
from privsc_core.finite import ZOO, from_text
from privsc_core.finite.asked import code_of, dimensions_of, rows_to_edit
from tests.pages.app import html, param, run

FILE = "pages/laboratory.py"


@pytest.mark.parametrize("asked", ["thresholds-8", "4x3.ExA", "half-planes-4", "points-1"])
def test_the_page_shows_the_core_s_numbers(asked):
    app = run(FILE, of=asked, eps="1")
    assert not app.exception
    found = dimensions_of(asked, epsilon=1.0, beta=0.1)
    shown = html(app)
    for bar in drawn.bars(found):
        assert f"<td>{bar.text}</td>" in shown
    for bound in found.samples:
        if bound.m is not None:
            assert f"{'≤' if bound.kind == 'upper' else '≥'} {bound.m:,}" in shown
    assert all(entry.title.replace(">", "&gt;").replace("<", "&lt;") in shown for entry in ZOO)
    assert any(block.value.startswith(f"privsc dimensions {asked} --") for block in app.code)
    if found.tree is not None:
        assert any(drawn.tree_lines(found.tree)[0] in block.value for block in app.markdown)


def test_a_size_and_another_class_are_set_by_hand():
    app = run(FILE)
    app.number_input[0].set_value(5).run()
    assert param(app, "of") == "thresholds-5"
    app.selectbox[0].select("cube-4").run()
    assert param(app, "of") == "cube-4"
    assert not app.exception


def test_what_is_pasted_is_taken_or_refused_in_one_sentence():
    app = run(FILE)
    app.text_area[0].set_value("0,0,0\n1,0,0\n1,1,0\n0,0,1").run()
    app.button(key="pv_take_rows").click().run()
    assert param(app, "of") == "4x3.ExA"
    app.text_area[0].set_value("01\nhello").run()
    app.button(key="pv_take_rows").click().run()
    assert "line 2 of the matrix must hold 0 and 1 alone; got hello." in html(app)
    assert param(app, "of") == "4x3.ExA"


@pytest.mark.parametrize("asked", ["circles-3", "4x3.zz", "thresholds-0", "lines-4"])
def test_a_link_to_no_class_gets_one_sentence(asked):
    app = run(FILE, of=asked)
    assert not app.exception
    assert "pv-message" in html(app)
    assert html(app).count("must be") >= 1


def test_equal_rows_stay_while_a_matrix_is_clicked():
    code = code_of("01\n01\n11")
    assert rows_to_edit(code) == ("01", "01", "11")
    assert len(from_text("01\n01\n11")) == 2
    assert rows_to_edit("half-planes-4") == ()
    assert laboratory.FIELDS[-1].read(code_of("\n".join(["01" * 8] * 64))) is not None


def test_the_rows_to_take_away_are_those_of_the_command():
    text = dimensions_csv(dimensions_of("thresholds-8", epsilon=0.5, beta=0.1))
    assert "dimension,littlestone,3,3,yes," in text
    assert "samples upper,finite-class,,80,," in text
