"""The laboratory: its numbers are the core's, a click lands in the link, bad input gets a sentence."""

import pytest

from pages.shared.page import laboratory
from privsc_core.draw import laboratory_figures as drawn
from privsc_core.export import dimensions_csv
from privsc_core.finite import ZOO, from_text
from privsc_core.finite.ready import code_of, dimensions_of, rows_to_edit
from tests.depth import whole
from tests.pages.app import html, param, press, run

FILE = "pages/laboratory.py"


@pytest.mark.parametrize(
    "asked",
    ["thresholds-8", "4x3.ExA", *map(whole, ["half-planes-4", "points-1", "random-16-64-1"])],
)
def test_the_page_shows_the_core_s_numbers(asked):
    app = run(FILE, of=asked, eps="1")  # of version 1: all parts are open
    assert not app.exception
    found = dimensions_of(asked, epsilon=1.0, beta=0.1)
    shown = html(app)
    for label, value, *_ in drawn.cards(found):
        assert f"<dt>{label}</dt><dd><strong>{value}</strong>" in shown
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


def test_a_point_is_called_by_the_counts_of_the_class_that_is_shown():
    app = run(FILE, side="nature")
    app.number_input[0].set_value(5).run()
    point = app.selectbox(key="pv_point").proto
    # A browser goes on showing the words of a choice unless it is told others.
    assert (point.set_value, point.raw_value) == (True, point.options[0]) == (True, "1 (5 : 1)")


def test_what_cannot_be_is_refused_in_a_sentence_and_changes_nothing():
    app = run(FILE, of="thresholds-2")
    app.number_input[0].set_value(129).run()
    assert "number of points must be a whole number from 1 to 128; got 129." in html(app)
    app.number_input(key="w_row").set_value(4).run()
    assert "must be a whole number from 1 to 3; got “4”." in html(app)
    app.text_input(key="w_weights").set_value("0.5").run()  # not a 0 and a 5
    assert "weights of the points (weights) must be whole numbers; got “0.5”." in html(app)
    app.text_input(key="w_weights").set_value("few").run()
    assert "weights of the points (weights) must be whole numbers; got “few”." in html(app)
    assert param(app, "of") == "thresholds-2"
    assert app.text_input(key="w_weights").value == "few"  # it stays, to be mended
    app.number_input(key="w_row").set_value(3).run()
    assert not [words for words in ("got 129.", "“4”", "“few”") if words in html(app)]


def test_what_is_pasted_is_taken_or_refused_in_one_sentence():
    app = run(FILE)
    app.text_area[0].set_value("0,0,0\n1,0,0\n1,1,0\n0,0,1").run()
    app.button(key="pv_take_rows").click().run()
    assert param(app, "of") == "4x3.ExA"
    app.text_area[0].set_value("01\nhello").run()
    app.button(key="pv_take_rows").click().run()
    assert "line 2 of the matrix must have 2 cells, as line 1; got 5 cells." in html(app)
    assert param(app, "of") == "4x3.ExA"


def test_a_file_is_taken_whole_or_refused():
    app = run(FILE)
    saved = dimensions_of("4x3.ExA", epsilon=0.5, beta=0.1).of.text(",")
    large = "0,0\n" * 70_000  # of which the first rows would be taken
    for text, words in ((saved, ""), (large, "file must be at most 0.25 MB; got 0.3 MB.")):
        app.file_uploader(key="pv_uploaded").set_value(("c.csv", text.encode(), "text/csv")).run()
        assert words in html(app)
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
    largest = code_of("\n".join(["01" * 32] * 64))
    assert laboratory.FIELDS[-1].read(largest) == largest
    assert rows_to_edit(largest) == ()  # too many to be set by clicks
    assert laboratory.FIELDS[-1].read(largest + "A") is None


def test_the_rows_to_take_away_are_those_of_the_command():
    text = dimensions_csv(dimensions_of("thresholds-8", epsilon=0.5, beta=0.1))
    assert "dimension,littlestone,3,3,yes," in text
    assert "samples upper,finite-class,,80,," in text


def test_a_game_is_played_by_buttons_and_stands_in_the_link():
    app = run(FILE, moves="01", h="1.3")
    assert "2 mistakes</strong> in 2 rounds" in html(app)
    press(app, "pv_predict_1")
    assert param(app, "moves") == "011"
    press(app, "pv_undo")
    assert param(app, "moves") == "01"
    app.button(key="pv_over").click().run()
    assert param(app, "moves") is None
    assert not app.exception
    other = run(FILE, side="nature", moves="4y")
    press(other, "pv_label_1")
    assert param(other, "moves").startswith("4y")
    assert "in 2 rounds" in html(other)
    assert not other.exception


def test_another_class_forgets_the_game_and_the_weights():
    app = run(FILE, moves="01", weights="1.1.1.1.1.1.1.9", row="3")
    app.selectbox[0].select("cube-4").run()
    assert [param(app, key) for key in ("of", "moves", "weights", "row")] == [
        "cube-4",
        None,
        None,
        None,
    ]
    app.text_input[0].set_value("1 2 x").run()
    assert param(app, "weights") is None
    app.text_input[0].set_value("1, 2").run()
    assert "weights must be 4 whole numbers from 0 to 1,000,000, not all 0; got 1 2." in html(app)
    assert not app.exception


def test_an_audience_sees_the_parts_that_the_link_names():
    shown = html(run(FILE, present="1", open="dimensions"))
    assert "pv-dims" in shown
    assert 'class="pv-zoo"' not in shown
    assert 'class="pv-tree"' in html(run(FILE, present="1", open="tree"))
