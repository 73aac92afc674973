"""What controls have drawn that change in a run of another part of the page."""

from dataclasses import replace

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

PAGE = """
import streamlit as st

from pages.shared.state import controls, state
from pages.shared.state.link import Field

D = Field(key="d", kind="integer", default=8, name="d", low=1, high=99, stops=(8, 16, 32))
state.adopt((D,))


@st.fragment
def body():
    controls.slider(D, "d", box=False)
    st.text(f"body: {state.whole('d')}")


@st.fragment
def table():
    st.text("table")


body()
table()
state.finish()
"""


@pytest.fixture
def page():
    app = AppTest.from_string(PAGE).run()
    assert texts(app) == ["body: 8", "table"]
    return app


def texts(app):
    assert not app.exception
    return [text.value for text in app.text]


def as_of(monkeypatch, app, name):
    """Have the browser send what comes next in the name of a part of the page."""
    part = dict(zip(("body", "table"), app._fragment_storage._fragments, strict=True))[name]
    plain = LocalScriptRunner.request_rerun

    def request_rerun(runner, data):
        runner._requests = ScriptRequests()  # else the first run of a runner is of the whole page
        return plain(runner, replace(data, fragment_id=part))

    monkeypatch.setattr(LocalScriptRunner, "request_rerun", request_rerun)


# Planted: without `_drawn` the body stayed as it was, while the link said 16.
@pytest.mark.parametrize(("part", "drawn"), [("body", ["body"]), ("table", ["body", "table"])])
def test_a_control_that_changes_in_the_name_of_another_part_is_drawn(
    monkeypatch, page, part, drawn
):
    as_of(monkeypatch, page, part)
    page.select_slider[0].set_value(16).run()
    assert page.query_params["d"] == "16"
    assert [text.split(":")[0] for text in texts(page)] == drawn
    assert texts(page)[0] == "body: 16"


def test_a_part_that_runs_without_a_change_is_drawn_alone(monkeypatch, page):
    as_of(monkeypatch, page, "table")
    page.run()
    assert texts(page) == ["table"]
