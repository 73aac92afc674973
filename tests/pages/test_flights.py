"""A figure that is on its way goes before the page that shows it as well."""

from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession

from pages.shared.host import streamlit_patches
from pages.shared.page import live


class Clock:
    """The time, and an event loop that keeps to it."""

    def __init__(self):
        self.now, self.calls = 100.0, []

    def monotonic(self):
        return self.now

    def call_later(self, seconds, call, *arguments):
        self.calls.append((self.now + seconds, call, arguments))

    def run(self, until):
        """Let time pass; what was to be called then is."""
        while self.calls and self.calls[0][0] <= until:
            self.now, call, arguments = self.calls.pop(0)
            call(*arguments)
        self.now = until


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(streamlit_patches, "time", found)
    return found


@pytest.fixture
def heard(monkeypatch, clock):
    """What a session hears, and when; `flying` says whether something is on its way."""
    told = []
    monkeypatch.setattr(
        AppSession, "request_rerun", lambda _, asked: told.append((clock.now, asked.query_string))
    )
    session = SimpleNamespace(id="me", _event_loop=clock)
    flying = {"me"}
    streamlit_patches.let_pass.__wrapped__(lambda visitor: visitor in flying)

    def ask(text, part="body"):
        AppSession.request_rerun(session, ClientState(query_string=text, fragment_id=part))

    return SimpleNamespace(told=told, flying=flying, ask=ask)


def test_a_page_begins_once_its_figure_has_gone_out_and_all_in_their_order(clock, heard):
    heard.ask("click")
    clock.run(100.03)
    heard.ask("reload", part="")  # it may not overtake
    assert not heard.told
    heard.flying.clear()
    clock.run(100.2)
    assert [text for _, text in heard.told] == ["click", "reload"]
    assert [when for when, _ in heard.told] == pytest.approx([100.03] * 2, abs=0.005)
    heard.ask("another")
    assert heard.told[-1] == (100.2, "another")
    assert not clock.calls


def test_a_page_waits_for_a_tenth_of_a_second_at_most(clock, heard):
    heard.ask("click")
    clock.run(101.0)
    assert heard.told == [(pytest.approx(100.1, abs=0.005), "click")]


def test_a_page_that_is_asked_for_as_a_whole_waits_for_nothing(heard):
    heard.ask("reload", part="")
    assert heard.told == [(100.0, "reload")]


def test_it_is_known_who_may_have_asked_for_what_is_on_its_way(clock):
    found = streamlit_patches.Flights()
    for slider in range(12):  # a setting has a few of them; the oldest are forgotten
        found.knows("me", f"slider {slider}")
    found.knows("you", "slider of yours")
    with found.flight("slider 11"), found.flight("slider 11"):
        pass
    with found.flight("slider 11"):
        clock.now += 1.0
        assert found.any_of("me")
        assert not found.any_of("you")
        assert not found.any_of("nobody")
    clock.now += 0.5 * streamlit_patches._WAY
    assert found.any_of("me")  # it is not seen yet
    clock.now += streamlit_patches._WAY
    assert not found.any_of("me")
    with found.flight("slider 3"):
        assert not found.any_of("me")


def test_what_fails_is_not_on_its_way_any_more(clock):
    found = streamlit_patches.Flights()
    found.knows("me", "slider")
    with pytest.raises(RuntimeError), found.flight("slider"):
        raise RuntimeError
    clock.now += 1.0
    assert not found.any_of("me")


def test_the_figure_of_a_stop_is_on_its_way_to_whom_it_was_offered(monkeypatch):
    seen = []

    class Job:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def wait(self, _):
            seen.append(
                [
                    streamlit_patches._FLIGHTS.any_of(visitor)
                    for visitor in ("me of this test", "you")
                ]
            )
            return True

        def result(self):
            return b"figure"

    monkeypatch.setattr(
        live, "get_script_run_ctx", lambda: SimpleNamespace(session_id="me of this test")
    )
    monkeypatch.setattr(live, "_open", SimpleNamespace(is_set=lambda: True))
    assert live.offer("key of this test", lambda _: Job(), (8.0, 16.0))
    assert live._figure("key of this test/1") == b"figure"
    assert seen == [[True, False]]
