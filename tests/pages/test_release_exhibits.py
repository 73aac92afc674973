"""The exhibits of data release: the parser on hostile bytes, and the exhibits through AppTest."""

import tracemalloc
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.exhibits import uploads
from privsc_core.errors import InputError
from tests.depth import deep
from tests.pages.app import html

ROOT = Path(__file__).parents[2]
DATA = ROOT / "assets" / "data"


def read(text, file="x.csv"):
    return uploads.read(text if isinstance(text, bytes) else text.encode(), file)


# --- The parser ---------------------------------------------------------------------------------


def test_a_column_is_counted_in_the_order_of_its_numbers():
    table = read("n,who\n10,b\n9,a\n10,b\n-1,C\n")
    assert table.rows == 4
    first, second = table.columns
    assert (first.labels, first.counts) == (("-1", "9", "10"), (1, 1, 2))
    assert (second.labels, second.counts) == (("a", "b", "C"), (1, 2, 1))


def test_missing_values_are_counted_and_left_out():
    column = read("a,b\n1,x\n,x\nNA,x\nnan,x\n  ,x\nN/A,x\nnull,x\n2,x\n").columns[0]
    assert (column.labels, column.missing) == (("1", "2"), 6)


def test_blank_lines_are_missing_values_of_a_single_column_only():
    column = read("\na\n1\n\n2\n\n\n").columns[0]
    assert (column.labels, column.missing) == (("1", "2"), 1)
    assert read("\na,b\n1,1\n\n2,2\n\n").columns[0].missing == 0


def test_a_column_of_missing_values_is_one_sentence():
    column = read("a,b\n,x\n,x\n").columns[0]
    with pytest.raises(InputError, match="The column “a” must have at least one value; got 2 miss"):
        column.check()


def test_separators_marks_and_line_ends_of_spreadsheets():
    for text in ("a,b\r\n1,2\r\n", "a;b\n1;2", "a\tb\n1\t2\n", "\ufeffa,b\n1,2\n", 'a,b\n"1","2"'):
        table = read(text)
        assert [column.name for column in table.columns] == ["a", "b"]
        assert [column.labels for column in table.columns] == [("1",), ("2",)]


def test_names_are_made_different():
    names = [column.name for column in read("a,a,,a (2)\n1,2,3,4\n").columns]
    assert len(set(names)) == 4
    assert names[2] == "column 3"


DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def words(number):
    for i in range(number):
        yield "".join(DIGITS[i // 36**k % 36] for k in range(4))


def test_many_distinct_values_are_one_sentence_and_little_memory():
    rows = deep(60_000, 300_000)
    data = ("v\n" + "\n".join(words(rows))).encode()
    assert len(data) < uploads.BYTES_MOST
    tracemalloc.start()
    table = read(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * len(data)
    assert table.rows == rows
    with pytest.raises(InputError) as caught:
        table.columns[0].check()
    assert str(caught.value) == (
        "The column “v” must have at most 64 distinct values to be drawn; got more than 64."
    )
    assert table.columns[0].labels == ()


# Planted: a cut at so many rows; a first row that is always names, or numbers that are refused.
@pytest.mark.parametrize(
    ("text", "header", "names", "counts"),
    [
        ("1\n2\n" * 500_000, False, ["column 1"], (500_000, 500_000)),
        ("red\nblue\nred\n", False, ["column 1"], (1, 2)),
        ("colour\nblue\nred\n", True, ["colour"], (1, 1)),
        ("1,2\n3,4\n", False, ["column 1", "column 2"], (1, 1)),
        ("land,2019\nx,4\n", True, ["land", "2019"], (1,)),
        (",\n3,4\n", False, ["column 1", "column 2"], (1,)),
        ("7\n", False, ["column 1"], (1,)),
    ],
    ids=["million", "words", "named", "numbers", "years", "blank", "one"],
)
def test_every_row_counts_and_a_first_row_of_data_is_data(text, header, names, counts):
    table = read(text)
    assert table.header is header
    assert [column.name for column in table.columns] == names
    assert table.columns[0].counts == counts
    assert sum(counts) + table.columns[0].missing == table.rows


def test_exactly_as_many_values_as_can_be_drawn():
    rows = "\n".join(str(i) for i in range(64))
    read(f"v\n{rows}").columns[0].check()
    assert read(f"v\n{rows}\n64").columns[0].many


BAD = {
    "huge": (b"a\n" + b"1\n" * 25_000_000, "must be at most 5 MB; got 47.7 MB."),
    "empty": (b"", "must have at least one column; got an empty file."),
    "blank": (b"\n \n\n", "must have at least one column; got an empty file."),
    "no rows": (b"a,b\n", "must have at least one row below the names; got none."),
    "latin-1": ("a\nZürich\n".encode("latin-1"), "encoded in UTF-8; got byte 0xfc at position 3."),
    "utf-16": ("a\nb\n".encode("utf-16"), "must be text encoded in UTF-8; got byte 0xff"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00", "must be text encoded in UTF-8; got byte 0x89"),
    "zeros": (b"a\n\x00\x00\n", "must be text encoded in UTF-8; got a binary file."),
    "short row": (b"a,b\n1,2\n3\n", "must have 2 values in every row, as in its first one; got 1"),
    "long row": (b"a,b\n1,2,3\n", "must have 2 values in every row, as in its first one; got 3"),
    "open quote": (b'a\n"1\n', "must be a well-formed CSV; got line 2"),
    "long cell": (b"a\n" + b"x" * 200_000, "must be a well-formed CSV; got line 2: field larger"),
    "wide": (b"x," * 1_000_000 + b"x\n", "must have at most 100 columns; got 1,000,001."),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_one_sentence_that_names_the_file(case):
    data, sentence = BAD[case]
    with pytest.raises(InputError) as caught:
        read(data, "my data.csv")
    assert str(caught.value).startswith("The file “my data.csv” must ")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 160


def test_a_name_from_elsewhere_is_shortened_and_printable():
    with pytest.raises(InputError) as caught:
        read(b"", "\u202e\n" + "x" * 500)
    assert len(str(caught.value)) < 120
    assert str(caught.value).isprintable()


# --- The data that come with privsc -------------------------------------------------------------


def test_the_shipped_data_are_those_of_their_sources():
    # Counted in the packages that they were taken from, see assets/data/README.md.
    penguins = read((DATA / "penguins-species.csv").read_bytes()).columns[0]
    assert penguins.labels == ("Adelie", "Chinstrap", "Gentoo")
    assert penguins.counts == (152, 68, 124)
    income = read((DATA / "anes96-income.csv").read_bytes()).columns[0]
    assert income.labels == tuple(map(str, range(1, 25)))
    assert income.counts == (
        19, 12, 17, 19, 18, 13, 11, 17, 10, 15, 23, 35, 26, 39, 68, 70, 62, 48, 51, 100, 103, 53,
        47, 68,
    )  # fmt: skip
    assert penguins.missing == income.missing == 0


# --- The exhibits -------------------------------------------------------------------------------


def script():
    import streamlit as st

    from pages.exhibits.release import EXHIBITS
    from pages.shared.state import state
    from pages.shared.state.state import Field
    from privsc_core.evaluate.scenario import Scenario

    names = tuple(section.name for section in EXHIBITS)
    state.adopt(
        (
            Field(key="open", kind="choices", default=(), name="open", choices=names),
            *(item for section in EXHIBITS for item in section.fields),
        )
    )
    st.title("exhibits")
    state.show_notes()
    for section in EXHIBITS:
        section.show(lambda: Scenario("release", (), distribution="single", delta=1e-6))


OPEN = ("histogram", "delta")


def run(opened=OPEN, **params):
    app = AppTest.from_function(script, default_timeout=300)
    if opened:
        params["open"] = ".".join(opened)
    for key, value in params.items():
        app.query_params[key] = value
    return app.run()


def test_nothing_is_drawn_before_it_is_opened():
    app = run(())
    assert not app.exception
    assert not app.button
    assert "pv-card" not in html(app)


@pytest.mark.parametrize("mechanism", ["laplace", "geometric", "stability"])
@pytest.mark.parametrize(("data", "entries"), [("zipf", 500), ("income", 944), ("penguins", 344)])
def test_every_source_is_released_by_every_mechanism(mechanism, data, entries):
    app = run(mech=mechanism, data=data, rdraw="3")
    assert not app.exception
    shown = html(app)
    assert "could not be computed" not in shown
    assert f"<strong>{entries}</strong>" in shown
    assert "useful" in shown


def test_a_redraw_changes_the_link():
    app = run()
    app.button(key="pv_redraw_release").click().run()
    assert app.query_params["rdraw"] == "2"
    assert not app.exception


def test_a_link_with_a_setting_opens_its_exhibit():
    app = run((), mech="stability")
    assert app.button(key="pv_redraw_release")


def test_a_link_to_somebody_elses_file_asks_for_one():
    app = run(data="csv")
    assert not app.exception
    assert any("Choose a file" in block.value for block in app.markdown)


def upload(data, name="mine.csv", **link):
    app = run(("histogram",), data="csv", **link)
    app.file_uploader(key="pv_csv").set_value((name, data, "text/csv")).run()
    assert not app.exception
    return app


def test_a_file_is_released_column_by_column_and_stays_out_of_the_link():
    app = upload(b"a,b\n" + b"1,x\n2,\n" * 200)
    assert app.selectbox(key="pv_csv_column").options == ["a", "b"]
    assert "<strong>400</strong>" in html(app)
    app.selectbox(key="pv_csv_column").select_index(1).run()
    assert "<strong>200</strong>" in html(app)
    assert any("200 without a value" in block.value for block in app.caption)
    assert set(app.query_params) <= {"v", "data", "open"}


def test_a_bad_file_is_one_escaped_sentence_at_the_uploader():
    app = upload(b"\xff\xfe", "<b>x</b>.csv")
    assert "must be text encoded in UTF-8" in html(app)
    assert "<b>x" not in html(app)
    assert "could not be computed" not in html(app)


def test_values_with_markup_are_text():
    app = upload(b"<script>alert(1)</script>\n" + b"<b>x</b>\n**y**\n$z$\n" * 100)
    assert "could not be computed" not in html(app)
    assert "<script" not in html(app)
    # Markdown never sees a value.
    assert not any("**y**" in block.value for block in (*app.markdown, *app.caption))


def test_a_reader_says_what_the_first_row_is():
    app = upload(b"yes\n" + b"no\n" * 99)
    assert "<strong>99</strong>" in html(app)
    app.toggle(key="pv_csv_header").set_value(False).run()
    assert "<strong>100</strong>" in html(app)
    assert app.selectbox(key="pv_csv_column").options == ["column 1"]
    app = upload(b"yes\n" + b"no\nyes\n" * 50)
    assert not app.toggle(key="pv_csv_header").value
    assert "<strong>101</strong>" in html(app)
    assert not any("marked red" in block.value for block in app.caption)


def test_a_release_of_nothing_is_not_praised():
    # 40 values, each below alpha: all zeros are within alpha of the truth.
    app = upload(b"v\n" + b"".join(b"%d\n" % (k % 40) for k in range(80)), mech="stability")
    shown = html(app)
    assert "Release: says nothing" in shown
    assert "Every released count is 0" in shown
    assert ": useful" not in shown.lower()


def test_another_source_and_back_keeps_the_file_until_it_is_forgotten():
    app = upload(b"a\n" + b"1\n2\n" * 100)
    app.segmented_control(key="w_data").set_value("zipf").run()
    app.segmented_control(key="w_data").set_value("csv").run()
    assert "<strong>200</strong>" in html(app)
    app.button(key="pv_csv_forget").click().run()
    assert any("Choose a file" in block.value for block in app.markdown)
