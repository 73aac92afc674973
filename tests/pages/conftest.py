"""What pytest gives the tests of pages: schedulers, and claims that show their values."""

import contextlib
import sys
import threading
from types import SimpleNamespace

import pytest
from streamlit import dataframe_util

from pages.shared.page import live
from pages.shared.scheduling import worker
from pages.shared.scheduling.scheduler import Scheduler
from tests.pages.schedulers import PATIENCE, Threads

# What does not hold there is shown with its values, as in a test.
pytest.register_assert_rewrite("tests.pages.claims")


@pytest.fixture(autouse=True)
def calm(monkeypatch):
    """However fast tests show settings: the server has time for what nobody has asked for."""
    for name in ("_CALM", "_QUIET"):
        monkeypatch.setattr(live, name, 10**6)


@pytest.fixture(autouse=True)
def main(monkeypatch):
    """A script that Streamlit runs takes the place of `__main__`, which a new process imports again."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture(autouse=True)
def without_tables(monkeypatch):
    """Fail where a page has Streamlit ask pandas whether a value is a table: 60 MB of a server."""

    def asked(value):
        raise AssertionError(f"a list or an array in what a component is sent: {value!r:.80}")

    monkeypatch.setattr(dataframe_util, "determine_data_format", asked)


@pytest.fixture
def threads(monkeypatch):
    """A function (options -> a scheduler whose workers are threads, which start at once)."""
    monkeypatch.setattr(worker._Telling, "hurried", False)
    monkeypatch.setattr(worker._Telling, "pipe", SimpleNamespace(send=lambda _: None))  # or deaf
    with contextlib.ExitStack() as stack:

        def made(**options):
            given = {"short": PATIENCE, "longest": PATIENCE} | options
            tasks = Scheduler(worker=lambda _: Threads(), **given)
            return stack.enter_context(contextlib.closing(tasks))

        yield made


@pytest.fixture
def held():
    """An event that is set at the end: a call that waits for it lasts as long as its test."""
    event = threading.Event()
    yield event
    event.set()
