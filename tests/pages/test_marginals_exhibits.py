"""The exhibits of marginals through AppTest, a visitor's file among them."""

import csv
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.exhibits import marginals
from privsc_core.errors import InputError
from privsc_core.exhibits.marginals.tables import surveyed
from privsc_core.tables import BYTES_MOST
from tests.core.test_tables import BAD
from tests.pages.app import html

VIEWS = Path(__file__).parents[2] / "assets" / "data" / "anes96-views.csv"


def script():
    import streamlit as st

    from pages.exhibits.marginals import EXHIBITS
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
        section.show(lambda: Scenario("marginals", (), d=6, delta=1e-6))


def run(opened=("matrix",), **params):
    app = AppTest.from_function(script, default_timeout=300)
    if opened:
        params["open"] = ".".join(opened)
    for key, value in params.items():
        app.query_params[key] = value
    return app.run()


def upload(data, name="mine.csv", **link):
    app = run(data="csv", **link)
    app.file_uploader(key="pv_csv_marginals").set_value((name, data, "text/csv")).run()
    assert not app.exception
    return app


def test_nothing_is_drawn_before_it_is_opened():
    app = run(())
    assert not app.exception
    assert "pv-card" not in html(app)


@pytest.mark.parametrize(
    ("data", "answers"),
    [("clusters", 21), ("chain", 21), ("uniform", 21), ("copies", 21), ("views", 666)],
)
def test_every_source_is_released(data, answers):
    app = run(data=data, rdraw="3")
    assert not app.exception
    shown = html(app)
    assert "could not be computed" not in shown
    assert f"<strong>{answers}</strong>" in shown
    assert "Projected" in shown


@pytest.mark.parametrize("table", ["clusters", "copies"])
def test_errors_are_shown(table):
    # Links once named the table of the field as well, whose entries nothing here could check.
    app = run(("errors", "field"), table=table)
    assert not app.exception
    assert "could not be computed" not in html(app)


def test_voters_are_those_of_the_file():
    with VIEWS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = marginals._voters()
    assert found.rows == len(rows) == 944
    assert len(found.names) == 36
    one, other = found.names.index("PID = 6"), found.names.index("vote")
    signs = [(2 * (r["PID"] == "6") - 1, 2 * int(r["vote"]) - 1) for r in rows]
    assert found.moments[0, one + 1] == pytest.approx(np.mean([a for a, _ in signs]))
    assert found.moments[one + 1, other + 1] == pytest.approx(np.mean([a * b for a, b in signs]))


def test_rows_are_read_as_the_columns_were():
    text = "\na,b\n1, x \n\n0,y\nNA,x\n1,x\n"
    found, _ = surveyed(text.encode(), "x.csv")
    assert found.names == ("a", "b = x", "b = y")
    assert found.rows == 3
    assert found.moments[0].tolist() == pytest.approx([1, 1 / 3, 1 / 3, -1 / 3])
    # Without names the first row is data; a single column has no blank rows before it.
    for text in (b"1\n0\n1\n", b"\n\n1\n0\n1\n"):
        assert surveyed(text, "x.csv")[0].rows == 3
    assert surveyed(b"1;1\n0;1\n", "x.csv")[0].names == ("column 1", "column 2")


def test_a_file_is_released_and_stays_out_of_the_link():
    app = upload(b"a,b\n" + b"1,x\n0,y\n,x\n" * 200)
    assert "<strong>6</strong>" in html(app)  # three attributes
    assert any(
        "400 rows with all their values; the first row names the columns" in block.value
        for block in app.caption
    )
    assert set(app.query_params) <= {"v", "data", "open"}
    app.segmented_control(key="w_data").set_value("chain").run()
    app.segmented_control(key="w_data").set_value("csv").run()
    assert "3 attributes, 400 rows" in html(app)
    app.button(key="pv_csv_marginals_forget").click().run()
    assert any("Choose a file" in block.value for block in app.markdown)


@pytest.mark.parametrize("case", BAD)
def test_hostile_files_are_one_sentence(case):
    if len(BAD[case][0]) > BYTES_MOST:
        with pytest.raises(InputError, match="must be at most 5 MB"):
            surveyed(BAD[case][0], "x.csv")
        return
    app = upload(BAD[case][0], "<b>x</b>.csv")
    shown = html(app)
    assert "must " in shown
    assert "<b>x" not in shown
    assert "could not be computed" not in shown
    assert "pv-card" not in shown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\n" + "".join(f"{k}\n" for k in range(100)), "must have at most 64 distinct values"),
        ("a,b,c\n" + "".join(f"{k},{k},{k}\n" for k in range(3, 53)), "at most 128 attributes"),
        ("a,b\n1,\n,0\n", "at least one row with a value in every column"),
        ("a,b\n,1\n,0\n", "must have at least one value"),
    ],
)  # fmt: skip
def test_tables_that_do_not_fit_are_one_sentence(text, words):
    shown = html(upload(text.encode()))
    assert words in shown
    assert "pv-card" not in shown


def test_names_with_markup_are_text():
    app = upload(b"<script>alert(1)</script>,$x$\n" + b"<b>x</b>,1\n**y**,0\n" * 100)
    assert "could not be computed" not in html(app)
    assert "<script" not in html(app)
    assert not any("**y**" in block.value for block in (*app.markdown, *app.caption))
