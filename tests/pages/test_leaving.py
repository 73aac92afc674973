"""What a session hears of what a browser asks for."""

from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest

from pages.shared.host import streamlit_patches


# Planted: without `_known` what was moved in a part that is being drawn anew was lost.
@pytest.mark.parametrize(
    ("page", "part", "run"),
    [
        ("here", "", ""),
        ("here", "there", "there"),
        ("here", "not yet", ""),
        ("left", "there", None),
        ("left", "", ""),  # that is how another page is asked for
    ],
)
def test_what_is_run_for_what_a_browser_asks(monkeypatch, page, part, run):
    asked, heard = [], []
    monkeypatch.setattr(AppSession, "request_rerun", lambda _, state: asked.append(state))
    streamlit_patches.ignore_left.__wrapped__(heard.append)
    runner = SimpleNamespace(
        _requests=SimpleNamespace(_rerun_data=RerunData(page_script_hash="here"))
    )
    session = SimpleNamespace(
        id="me", _scriptrunner=runner, has_fragment=lambda name: name == "there"
    )
    state = ClientState(page_script_hash=page, fragment_id=part, query_string="d=3")
    AppSession.request_rerun(session, state)
    assert [one.fragment_id for one in asked] == ([] if run is None else [run])
    assert heard == ["me"] * len(asked)
    assert all(one.query_string == "d=3" for one in asked)
    assert state.fragment_id == part


LEFT = """
import streamlit as st

from pages.shared.page import live
from pages.shared.state import state
from pages.shared.state.state import Field

D, S = (Field(key=key, kind="integer", default=2, name=key, low=1, high=9) for key in "ds")
left = "left" in st.query_params  # before the page writes its own
state.adopt((D,))
st.session_state[live._TOUCHED] = "s"


def asked():
    st.text("asked")
    return None


live.answer(asked, {"s": S} if left else {"d": D}, lambda *_: {})
"""


@pytest.mark.parametrize("left", [False, True])
def test_a_page_that_has_been_left_is_not_asked(left):
    app = AppTest.from_string(LEFT)
    if left:
        app.query_params["left"] = "1"
    app.run()
    assert not app.exception
    assert [text.value for text in app.text] == ([] if left else ["asked"])
