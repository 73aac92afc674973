"""What a session hears of what a browser asks for."""

from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from pages.shared.host import leaving


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
    leaving.ignore_left.__wrapped__(heard.append)
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
