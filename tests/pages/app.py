"""A page as `AppTest` runs it, without a browser, and what is on it."""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

ROOT = Path(__file__).parents[2]
# An AppTest reads what all installed packages say of themselves, in as much time as a page takes: once.
manifest_scanner.scan_component_manifests = functools.cache(
    manifest_scanner.scan_component_manifests
)


def run(file: str, opened: Iterable[str] | Mapping[str, object] = (), **params: str) -> AppTest:
    """Run a page; `opened` names what a reader has opened, or has what the session knows."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    known = opened if isinstance(opened, Mapping) else dict.fromkeys(opened, True)
    for key, value in known.items():
        app.session_state[key] = value
    if file != "app.py":
        app.switch_page(file)
    for key, value in params.items():
        app.query_params[key] = value
    return app.run()


def html(app: AppTest) -> str:
    return " ".join(str(block.proto.body) for block in app.get("html"))


def param(app: AppTest, key: str) -> str | None:
    """Return what the link says; AppTest has a text or a list of one."""
    value = app.query_params.get(key)
    return value[0] if isinstance(value, list) else value


def press(app: AppTest, key: str) -> AppTest:
    return next(button for button in app.button if button.key == key).click().run()


def draw_alone(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    """Have the runs that follow draw a part of the page alone, by the name of its fragment."""
    plain = LocalScriptRunner.request_rerun

    def request_rerun(runner: LocalScriptRunner, data: RerunData) -> bool:
        runner._requests = ScriptRequests()  # else the first run of a runner is of the whole page
        return plain(runner, replace(data, fragment_id=part))

    monkeypatch.setattr(LocalScriptRunner, "request_rerun", request_rerun)
