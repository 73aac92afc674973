"""Live sliders on a page: when strips are computed, and simulations that go on meanwhile."""

import contextlib
import json
import time
import types
import zlib
from dataclasses import replace

import numpy as np
import pytest

from pages.shared.chart import chart, payload
from pages.shared.page import class_page, live
from pages.shared.scheduling import gate, scheduler
from pages.shared.scheduling.gate import CONTROL, LATER, Gate
from pages.shared.state.fields import class_fields
from privsc_core import catalog
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from tests.pages.app import html, run
from tests.pages.declared import DECLARED, FILES
from tests.pages.schedulers import PATIENCE, reach


@pytest.fixture
def sent(monkeypatch):
    """What the page sends to the chart and as a strip, last."""
    found = {}
    monkeypatch.setattr(
        chart, "chart", lambda data, **more: found.update(figure=data, setting=more.get("setting"))
    )
    monkeypatch.setattr(chart, "strips", lambda data, **_: found.update(strip=data))
    return found


def asked(sent, file, what, **params):
    """Run a page whose browser has asked for something; return the head and the frames."""
    while True:
        app = run(file, opened={"pv_strip_asked": what}, **params)
        assert not app.exception
        if sent["strip"] is None:
            return None
        head, _, frames = sent["strip"].partition(b"\n")
        head = json.loads(head)
        if "wait" not in head:  # as the browser does
            return head, zlib.decompress(frames).split(b"\n")


def test_the_page_sends_the_strip_of_what_it_then_shows(sent, monkeypatch):
    stops = (8, 16, 64)
    page = DECLARED["release"]
    monkeypatch.setattr(type(page), "settings", property(lambda page: few(page, stops)))
    head, frames = asked(sent, FILES["release"], "d", d="16")
    before = sent["setting"]
    assert before["sliders"]["d"] == {"at": 1, "key": head["key"]}
    assert frames[1] == sent["figure"]
    with monkeypatch.context() as without:  # as it is computed where there is no strip
        without.setattr(live, "known", lambda *_: None)
        shown = html(run(FILES["release"], d="64"))
        assert frames[2] == sent["figure"]
    sent.clear()
    assert html(run(FILES["release"], d="64")) == shown
    assert frames[2] == sent["figure"]
    assert head["pages"][2][".pv-cards"] in shown
    # The same slider's strip is good for another drag; no other's is.
    after = sent["setting"]["sliders"]
    assert after["d"] == {"at": 2, "key": head["key"]}
    assert after["eps"]["key"] != before["sliders"]["eps"]["key"]


@pytest.mark.parametrize(
    ("state", "heard"), [({}, []), ({"pv_strips": {"ask": "d"}}, ["d"])], ids=["left", "there"]
)
def test_a_question_of_a_page_that_was_left_meanwhile_is_no_error(monkeypatch, state, heard):
    asks, told = [], []
    monkeypatch.setattr(chart, "_STRIPS", lambda **given: asks.append(given["on_ask_change"]))
    monkeypatch.setattr(chart.st, "session_state", state)
    chart.strips(None, on_ask=told.append)
    asks[0]()
    assert told == heard


def test_a_drag_costs_the_server_one_strip_and_no_figure(sent, monkeypatch):
    """From the first touch to the release, asked as often as the browser asks; and the way back."""
    begun = []

    class Noted(scheduler.Task):
        def __init__(self, *given, **more):
            super().__init__(*given, **more)
            begun.append(self.call[0].__name__)

    page = DECLARED["release"]
    monkeypatch.setattr(type(page), "settings", property(lambda page: few(page, (8, 16, 64))))
    elsewhere = {"eps": "0.731", "alpha": "0.217"}  # nothing is prepared there
    run(FILES["release"], d="16", **elsewhere)
    monkeypatch.setattr(scheduler, "Task", Noted)
    asked(sent, FILES["release"], "d", d="16", **elsewhere)
    assert (begun.count("main_strip"), begun.count("main_figure")) == (1, 0)
    run(FILES["release"], d="64", **elsewhere)
    assert (begun.count("main_strip"), begun.count("main_figure")) == (1, 0)
    asked(sent, FILES["release"], "d", d="64", **elsewhere)
    run(FILES["release"], d="16", **elsewhere)
    assert (begun.count("main_strip"), begun.count("main_figure")) == (1, 0)


def test_a_strip_that_has_not_begun_is_left_by_whoever_has_waited_for_it(sent, monkeypatch):
    """It would be done for a hand that is gone; one that is still there asks again."""
    jobs = []
    with contextlib.closing(scheduler.Scheduler()) as busy:
        monkeypatch.setattr(scheduler, "SCHEDULER", busy)
        long = busy.start(time.sleep, PATIENCE, kind="s", priority=scheduler.Priority.FRAMES)
        reach(long, "running")
        monkeypatch.setattr(live, "_LONGEST", 0.02)
        begin = chart.strip
        monkeypatch.setattr(chart, "strip", lambda *a: jobs.append(begin(*a)) or jobs[-1])
        for _ in range(2):
            run(FILES["release"], opened={"pv_strip_asked": "d"}, eps="0.733")
            assert b'"wait"' in sent["strip"]
            assert jobs[-1].state == "stopped"
        assert jobs[0] is not jobs[1]


def test_the_table_of_numbers_is_computed_for_whom_looks_at_it(monkeypatch):
    told = []
    numbers = chart.numbers
    monkeypatch.setattr(
        chart, "numbers", lambda s, told_=None: told.append(told_) or numbers(s, told_)
    )
    monkeypatch.setattr(live, "_CALM", 0)
    shown = html(run(FILES["release"], eps="0.737"))
    assert "What each learner needs" not in shown
    assert told == [DECLARED["release"].told]
    monkeypatch.setattr(chart, "seen", lambda part, soon: part == "pv_numbers" and not soon)
    shown = html(run(FILES["release"], eps="0.737"))
    assert "What each learner needs" in shown
    assert told[1:] == [DECLARED["release"].told, None]


def test_strips_are_asked_for_ahead_only_where_little_is_going_on(sent, monkeypatch):
    monkeypatch.setattr(live, "_CALM", 2)
    gate.GATE._shown.clear()
    ahead = []
    for d in (8, 16, 64):
        run(FILES["release"], d=str(d))
        ahead.append(sent["setting"]["ahead"])
    assert ahead == [True, True, False]


@pytest.mark.parametrize(
    ("quick", "drawn"), [(0.0, [0, 250, 500, 750, 1000]), (np.inf, [0, 250, 1000])]
)
def test_quick_simulations_draw_the_page_less_often(sent, monkeypatch, quick, drawn):
    begun = noted(monkeypatch)
    monkeypatch.setattr(class_page, "_QUICK", quick)
    monkeypatch.setattr(class_page, "_SLOW", np.inf)
    # Nobody else has these settings.
    app = run(FILES["parity"], eps="0.613" if quick else "0.617")
    assert not app.exception
    assert begun == drawn
    traces = json.loads(sent["figure"])["figure"]["data"]
    assert any((trace.get("meta") or {}).get("simulated") for trace in traces)


def test_a_simulation_goes_on_after_the_visitor_did_something_else(sent, monkeypatch):
    """What runs then may be another part of the page, which does not know of it."""
    begun, answers = noted(monkeypatch), iter([False, False])
    wait = class_page.wait_quietly
    monkeypatch.setattr(
        class_page, "wait_quietly", lambda *given: wait(*given) and next(answers, True)
    )
    app = run(FILES["parity"], eps="0.619")
    assert not app.exception
    assert next(answers, None) is None  # it was interrupted
    assert begun[-1] == 1000


def test_what_a_simulation_adds_is_computed_after_all_that_is_waited_for(sent, monkeypatch):
    begun, plain = [], chart.begin

    def begin(*given, **how):
        begun.append((given[2], how.get("priority", scheduler.Priority.ASKED).name))
        return plain(*given, **how)

    monkeypatch.setattr(chart, "begin", begin)
    assert not run(FILES["parity"], eps="0.623").exception
    assert (0, "ASKED") in begun
    assert (1000, "PREPARED") in begun


SMALL = Scenario("parity", ("erm",), m=9, d=4, epsilon=1.0, alpha=0.1, beta=0.1)


def test_what_a_simulation_adds_is_drawn_when_nobody_else_draws(monkeypatch):
    gate, held = Gate(), []

    def begin(_):
        held.append(gate._held())
        return contextlib.nullcontext(types.SimpleNamespace(began=0.0))

    monkeypatch.setattr(class_page.st, "session_state", {})
    monkeypatch.setattr(class_page, "again", lambda: None)
    monkeypatch.setattr(class_page, "wait_quietly", lambda *_: True)
    monkeypatch.setattr(class_page.gate, "later", gate.later)
    assert not class_page.grown()
    with gate.turn(CONTROL):
        class_page._go_on(SMALL, 0, begin, lambda _: None)
    assert held == [LATER]
    assert class_page.grown()
    assert not class_page.grown()


def test_a_simulation_stops_where_too_many_wait_and_can_be_gone_on_with(monkeypatch):
    anew = []

    def full(_):
        raise InputError("This computation", "must wait", "a full queue")

    monkeypatch.setattr(class_page.st, "session_state", {})
    monkeypatch.setattr(class_page, "again", lambda: anew.append(True))
    class_page._go_on(SMALL, 250, full, lambda _: None)
    assert class_page._state(SMALL) == (SMALL, 250, True)
    assert anew == [True]
    assert not class_page.grown()  # what is drawn then is what there was


def noted(monkeypatch):
    """Return the numbers of samples of the main figures that are computed from now on."""
    begun = []

    class Noted(scheduler.Task):
        def __init__(self, *given, **more):
            super().__init__(*given, **more)
            if self.call[0] is payload.main_figure:
                begun.append(self.call[1][2])

    monkeypatch.setattr(scheduler, "Task", Noted)
    return begun


def few(page, stops):
    concept = catalog.concept(page.concept)
    fields = class_fields(
        concept, learners=page.learners, on_map=page.on_map, family=page.family, parts=page.parts
    )
    return fields | {"d": replace(fields["d"], stops=stops)}


@pytest.mark.parametrize("what", ["m", "seed", "trials", "nothing"])
def test_nothing_but_a_slider_that_moves_the_figure_has_a_strip(sent, what):
    assert asked(sent, FILES["release"], what) is None


def test_an_open_prediction_has_no_strip(sent, monkeypatch):
    monkeypatch.setattr(chart, "strip", lambda *_: pytest.fail("a strip was computed"))
    assert asked(sent, FILES["release"], "d", predict="1") is None
    assert sent.get("setting") is None
