"""The figure of one stop of a slider: what the page will show, and of nothing but what was sent."""

import gzip
import threading

import pytest

from pages.shared.chart import chart, payload
from pages.shared.host.static_files import Store
from pages.shared.page import live
from pages.shared.page.declaration import scenario_of
from pages.shared.scheduling import gate, scheduler
from privsc_core.evaluate.scenario import Scenario
from tests.pages.app import run
from tests.pages.declared import DECLARED, FILES
from tests.pages.test_packed import ask


@pytest.fixture
def sent(monkeypatch):
    """What a page tells the browser of the setting of its figure, last."""
    found = {}
    monkeypatch.setattr(chart, "chart", lambda _, **more: found.update(more.get("setting") or {}))
    return found


@pytest.fixture
def store(monkeypatch):
    """What a server answers from, which has just begun."""
    monkeypatch.setattr(live, "_open", threading.Event())
    found = Store()
    live.open_to(found)
    return found


def stop(store, key, place, **headers):
    return ask(store, f"/app/stop/{key}/{place}", **headers)


def test_it_is_the_figure_that_the_page_would_send(store, sent):
    assert not run(FILES["release"], d="96", eps="0.643").exception
    page = DECLARED["release"]
    where = sent["sliders"]["d"]
    assert where["alone"]
    status, heads, body = stop(store, where["key"], 2)
    assert (status, heads["content-type"]) == (200, "application/json")
    assert heads["cache-control"] == "no-store"
    d = page.settings["d"].stops[2]
    assert d != 96
    values = {name: field.default for name, field in page.settings.items()}
    wanted = scenario_of(page, values | {"d": d, "epsilon": 0.643})
    assert gzip.decompress(body) == payload.main_figure(
        wanted, payload.Look("m", page.on_map, 430), 0
    )
    assert stop(store, where["key"], 2, encoding="identity")[2] == gzip.decompress(body)


def test_it_is_computed_once_for_the_page_as_well(store, sent, monkeypatch):
    computed, plain = [], payload.main_figure

    def counted(scenario, *how):
        computed.append(scenario.d)
        return plain(scenario, *how)

    monkeypatch.setattr(payload, "main_figure", counted)
    run(FILES["release"], eps="0.647")
    d = int(DECLARED["release"].settings["d"].stops[3])
    assert stop(store, sent["sliders"]["d"]["key"], 3)[0] == 200
    assert not run(FILES["release"], eps="0.647", d=str(d)).exception
    assert computed.count(d) == 1


@pytest.mark.parametrize("place", ["", "-1", "99", "1e1", "²", "0001", "1/2", "../1"])
def test_another_place_has_none(store, sent, place):
    run(FILES["release"], eps="0.643")
    assert stop(store, sent["sliders"]["d"]["key"], place)[0] == 204
    assert stop(store, sent["sliders"]["d"]["key"], "1")[0] == 200


def test_nothing_is_read_from_the_address(store, sent):
    run(FILES["release"], eps="0.643")
    for key in ("", "0" * 18, sent["sliders"]["d"]["key"][:-1], "d=8"):
        assert stop(store, key, 1)[0] == 204


def test_a_stop_without_a_figure_has_none(store):
    def refused(d):
        return scheduler.start(
            payload.main_figure, Scenario("point", ("erm",), d=int(d)), None, 0, kind="x"
        )

    live.offer("refused", refused, (-1.0,))
    assert stop(store, "refused", 0)[0] == 204


def test_what_takes_long_is_left_to_the_page(store, monkeypatch):
    left = []

    class Never:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            left.append(True)

        def wait(self, seconds):
            return seconds > 60

        def result(self):
            raise AssertionError

    live.offer("slow", lambda _: Never(), (1.0,))
    assert stop(store, "slow", 0)[0] == 204
    assert left == [True]


def test_nobody_asks_where_nobody_answers_or_there_is_much_to_do(store, sent, monkeypatch):
    monkeypatch.setattr(live, "_QUIET", 1)
    gate.GATE._shown.clear()
    for told in (True, None):  # the second one comes when the first has just been
        run(FILES["release"], eps="0.653" if told else "0.659")
        assert sent["sliders"]["d"].get("alone") is told
    monkeypatch.setattr(live, "_QUIET", 10)
    monkeypatch.setattr(live, "_open", threading.Event())  # as `streamlit run`
    run(FILES["release"], eps="0.661")
    assert "alone" not in sent["sliders"]["d"]


def test_figures_whose_strips_are_quick_have_no_stops(store, sent):
    run("app.py", eps="0.653")
    assert "alone" not in sent["sliders"]["eps"]
