"""The exhibits of data release through AppTest, a visitor's file among them."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.scheduling import scheduler
from privsc_core.tables import counted
from tests.pages.app import html

ROOT = Path(__file__).parents[2]
DATA = ROOT / "assets" / "data"


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


def test_a_file_is_read_in_the_worker_and_kept_for_nobody(monkeypatch):
    asked = []
    plain = scheduler.Scheduler.start

    def start(self, function, *arguments, **how):
        asked.append((function.__name__, how.get("run_in"), how.get("kept", True)))
        return plain(self, function, *arguments, **how)

    monkeypatch.setattr(scheduler.Scheduler, "start", start)
    upload(b"a\n1\n2\n" * 3)
    assert asked == [("counted", "worker", False)]


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
