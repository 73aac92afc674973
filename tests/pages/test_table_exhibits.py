"""The exhibits of data release and of marginals through AppTest, a visitor's file among them."""

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.exhibits import marginals
from pages.shared.scheduling import scheduler
from privsc_core.errors import InputError
from privsc_core.exhibits.marginals.figures import noise_picture
from privsc_core.exhibits.marginals.tables import surveyed
from privsc_core.tables import BYTES_MOST, counted
from tests.core.test_tables import BAD
from tests.depth import spread, whole
from tests.pages.app import html

DATA = Path(__file__).parents[2] / "assets" / "data"
OPENED = {"release": "histogram", "marginals": "matrix"}
UPLOADER = {"release": "pv_csv", "marginals": "pv_csv_marginals"}
BOTH = pytest.mark.parametrize("concept", OPENED)


def script(concept):
    import importlib

    import streamlit as st

    from pages.shared.state import state
    from pages.shared.state.state import Field
    from privsc_core.evaluate.scenario import Scenario

    law = {"release": "single", "marginals": "clusters"}[concept]
    exhibits = importlib.import_module(f"pages.exhibits.{concept}").EXHIBITS
    names = tuple(section.name for section in exhibits)
    state.adopt(
        (
            Field(key="open", kind="choices", default=(), name="open", choices=names),
            *(item for section in exhibits for item in section.fields),
        )
    )
    st.title("exhibits")
    state.show_notes()
    for section in exhibits:
        section.show(lambda: Scenario(concept, (), distribution=law, d=6, delta=1e-6))


def run(concept, *, opened=None, **params):
    app = AppTest.from_function(script, default_timeout=300, args=(concept,))
    opened = OPENED[concept] if opened is None else opened
    for key, value in (params | ({"open": opened} if opened else {})).items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    assert "could not be computed" not in html(app)
    return app


def upload(concept, data, name="mine.csv", **link):
    app = run(concept, data="csv", **link)
    app.file_uploader(key=UPLOADER[concept]).set_value((name, data, "text/csv")).run()
    assert not app.exception
    assert "could not be computed" not in html(app)
    return app


@BOTH
def test_nothing_is_drawn_before_it_is_opened(concept):
    app = run(concept, opened="")
    assert not app.button
    assert "pv-card" not in html(app)


@pytest.mark.parametrize(
    ("mechanism", "data", "entries"),
    spread(
        [
            (mechanism, data, entries)
            for mechanism in ("laplace", "geometric", "stability")
            for data, entries in (("zipf", 500), ("income", 944), ("penguins", 344))
        ],
        3,
    ),
)
def test_every_source_is_released_by_every_mechanism(mechanism, data, entries):
    shown = html(run("release", opened="histogram.delta", mech=mechanism, data=data, rdraw="3"))
    assert f"<strong>{entries}</strong>" in shown
    assert "useful" in shown


@pytest.mark.parametrize(
    ("data", "answers"),
    spread([("clusters", 21), ("chain", 21), ("uniform", 21), ("copies", 21), ("views", 666)], 2),
)
def test_answers_about_every_source_are_released(data, answers):
    shown = html(run("marginals", data=data, rdraw="3"))
    assert f"<strong>{answers}</strong>" in shown
    assert "Projected" in shown


@pytest.mark.parametrize("table", ["clusters", whole("copies")])
def test_errors_are_shown(table):
    # Links once named the table of the field as well, whose entries nothing here could check.
    run("marginals", opened="errors.field", table=table)


def test_one_row_changes_the_answers_as_far_as_the_page_says():
    """At d = 6, over all pairs of rows: by 2/m each, so many answers and such a root of squares."""
    rows = np.array(list(itertools.product([-1, 1], repeat=6)))
    answers = np.hstack([rows, *(rows[:, :j] * rows[:, [j]] for j in range(1, 6))])
    gaps = np.abs(answers[:, None] - answers).reshape(-1, answers.shape[1])
    most, far = gaps.sum(axis=1).max(), np.sqrt((gaps**2).sum(axis=1)).max()
    run("marginals", opened="sensitivity")
    shown = noise_picture(6, 400, 0.5, 1e-6).caption
    words = f"{most / 2:.0f} of {answers.shape[1]} answers by 2/m each: in all by {most}/m (ℓ₁)"
    assert words in shown
    assert f"squares by {far:.3g}/m (ℓ₂)" in shown


def test_a_redraw_changes_the_link():
    app = run("release")
    app.button(key="pv_redraw_release").click().run()
    assert app.query_params["rdraw"] == "2"
    assert not app.exception


def test_a_link_with_a_setting_opens_its_exhibit():
    assert run("release", opened="", mech="stability").button(key="pv_redraw_release")


def test_a_file_is_released_column_by_column():
    app = upload("release", b"a,b\n" + b"1,x\n2,\n" * 200)
    assert app.selectbox(key="pv_csv_column").options == ["a", "b"]
    assert "<strong>400</strong>" in html(app)
    app.selectbox(key="pv_csv_column").select_index(1).run()
    assert "<strong>200</strong>" in html(app)
    assert any("200 without a value" in block.value for block in app.caption)


def test_a_file_is_released_by_attributes():
    shown = html(upload("marginals", b"a,b\n" + b"1,x\n0,y\n,x\n" * 200))
    assert "<strong>6</strong>" in shown  # three attributes
    assert "3 attributes, 400 rows" in shown


@BOTH
def test_another_source_and_back_keeps_the_file_until_it_is_forgotten(concept):
    app = upload(concept, b"a,b\n" + b"1,x\n0,y\n" * 200)
    assert set(app.query_params) <= {"v", "data", "open"}  # and it stays out of the link
    source, said = {
        "release": ("zipf", "<strong>400</strong>"), "marginals": ("chain", "3 attributes, 400 rows"),
    }[concept]  # fmt: skip
    for chosen in ("csv", source, "csv"):
        app.segmented_control(key="w_data").set_value(chosen).run()
        assert (said in html(app)) == (chosen == "csv")
    app.button(key=f"{UPLOADER[concept]}_forget").click().run()
    assert any("Choose a file" in block.value for block in app.markdown)


@BOTH
def test_a_link_to_somebody_elses_file_asks_for_one(concept):
    assert any("Choose a file" in block.value for block in run(concept, data="csv").markdown)


@pytest.mark.parametrize(
    ("concept", "case"),
    [("release", next(iter(BAD))), *spread([("marginals", case) for case in BAD], 2)],
)
def test_hostile_files_are_one_escaped_sentence(concept, case):
    if len(BAD[case][0]) > BYTES_MOST:
        with pytest.raises(InputError, match="must be at most 5 MB"):
            surveyed(BAD[case][0], "x.csv")
        return
    shown = html(upload(concept, BAD[case][0], "<b>x</b>.csv"))
    assert "must " in shown
    assert "<b>x" not in shown
    assert "pv-card" not in shown


@BOTH
def test_names_and_values_with_markup_are_text(concept):
    app = upload(concept, b"<script>alert(1)</script>,$x$\n" + b"<b>x</b>,1\n**y**,0\n" * 100)
    assert "<script" not in html(app)
    # Markdown never sees a value.
    assert not any("**y**" in block.value for block in (*app.markdown, *app.caption))


def test_a_file_is_read_in_the_worker_and_kept_for_nobody(monkeypatch):
    asked = []
    plain = scheduler.Scheduler.start

    def start(self, function, *arguments, **how):
        asked.append((function.__name__, how.get("run_in"), how.get("kept", True)))
        return plain(self, function, *arguments, **how)

    monkeypatch.setattr(scheduler.Scheduler, "start", start)
    upload("release", b"a\n1\n2\n" * 3)
    assert asked == [("counted", "worker", False)]


def test_a_reader_says_what_the_first_row_is():
    app = upload("release", b"yes\n" + b"no\n" * 99)
    assert "<strong>99</strong>" in html(app)
    app.toggle(key="pv_csv_header").set_value(False).run()
    assert "<strong>100</strong>" in html(app)
    assert app.selectbox(key="pv_csv_column").options == ["column 1"]
    app = upload("release", b"yes\n" + b"no\nyes\n" * 50)
    assert not app.toggle(key="pv_csv_header").value
    assert "<strong>101</strong>" in html(app)
    assert not any("marked red" in block.value for block in app.caption)


def test_a_release_of_nothing_is_not_praised():
    # 40 values, each below alpha: all zeros are within alpha of the truth.
    app = upload(
        "release", b"v\n" + b"".join(b"%d\n" % (k % 40) for k in range(80)), mech="stability"
    )
    shown = html(app)
    assert "Release: says nothing" in shown
    assert "Every released count is 0" in shown
    assert ": useful" not in shown.lower()


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
    shown = html(upload("marginals", text.encode()))
    assert words in shown
    assert "pv-card" not in shown


# --- The data that come with privsc -------------------------------------------------------------


def test_the_shipped_data_are_those_of_their_sources():
    # Counted in the packages that they were taken from, see assets/data/README.md.
    penguins = counted((DATA / "penguins-species.csv").read_bytes(), "x.csv").columns[0]
    assert penguins.labels == ("Adelie", "Chinstrap", "Gentoo")
    assert penguins.counts == (152, 68, 124)
    income = counted((DATA / "anes96-income.csv").read_bytes(), "x.csv").columns[0]
    assert income.labels == tuple(map(str, range(1, 25)))
    assert income.counts == (
        19, 12, 17, 19, 18, 13, 11, 17, 10, 15, 23, 35, 26, 39, 68, 70, 62, 48, 51, 100, 103, 53,
        47, 68,
    )  # fmt: skip
    assert penguins.missing == income.missing == 0


def test_voters_are_those_of_the_file():
    with (DATA / "anes96-views.csv").open(encoding="utf-8") as file:
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
