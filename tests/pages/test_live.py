"""Live sliders: what the browser draws from is what the server would have sent."""

import base64
import contextlib
import gzip
import itertools
import json
import random
import threading
import types
import zlib
from dataclasses import replace

import numpy as np
import pytest

from pages.shared.chart import chart, payload
from pages.shared.chart.payload import Look
from pages.shared.host.static_files import Store
from pages.shared.page import class_page, live
from pages.shared.page import numbers as table
from pages.shared.page.class_controls import replaced
from pages.shared.page.declaration import scenario_of
from pages.shared.scheduling import gate, scheduler
from pages.shared.scheduling.gate import CONTROL, LATER, Gate
from pages.shared.state.fields import class_fields
from privsc_core import catalog, draw
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.pinned import changes
from privsc_core.evaluate.scenario import Scenario
from tests.depth import deep, spread, whole
from tests.pages.app import html, run
from tests.pages.declared import DECLARED, FILES
from tests.pages.schedulers import FRAMES, PATIENCE, reach
from tests.pages.test_packed import ask

EACH = pytest.mark.parametrize("concept", spread(catalog.CONCEPTS, 4), ids=lambda c: c.name)
SOME = pytest.mark.parametrize("concept", spread(catalog.CONCEPTS, 4), ids=lambda c: c.name)
MOVING = ("d", "epsilon", "m", "alpha", "beta", "delta")


def frames_of(strip):
    return zlib.decompress(strip.frames).split(b"\n")


def alike(one, other):
    """Tell whether two figures are the same.

    A chance below 1e-7 is sent with more digits than a sum of larger ones has: there it may be 1e-13
    off, for what is computed together is summed in another order.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        if "bdata" in one and one.get("dtype") == other.get("dtype"):
            pair = [np.frombuffer(base64.b64decode(x["bdata"]), x["dtype"]) for x in (one, other)]
            same_length = pair[0].size == pair[1].size
            return same_length and np.allclose(*pair, rtol=0.0, atol=1e-13, equal_nan=True)
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    try:
        return one == other or abs(float(one) - float(other)) <= 1e-13
    except (TypeError, ValueError):
        return False


@pytest.mark.parametrize(
    ("value", "text", "same"),
    [(7e-16, "7.2555e-16", True), (2e-13, "7.2728e-16", False), (7e-16, "0.2", False)],
)
def test_two_figures_are_alike_to_the_digits_that_they_have(value, text, same):
    def figure(value, text):
        sent = base64.b64encode(np.array([0.9, value], dtype="f4").tobytes()).decode()
        return {"data": [{"y": {"dtype": "f4", "bdata": sent}}], "table": ["a title", text]}

    assert alike(figure(7.3e-16, "7.2728e-16"), figure(value, text)) == same
    assert not alike(figure(value, text), figure(value, "a title"))


def differing(scenario, look, name, stops, told=None):
    """Return the stops at which a strip is not what the server would send."""
    strip = payload.main_strip(scenario, look, name, stops, told)
    names = None if told is None else {*told, *scenario.learners, look.on_map}
    found = []
    for stop, frame, numbers in zip(stops, frames_of(strip), strip.numbers, strict=True):
        try:
            there = replace(scenario, **{name: stop})
            sent = payload.main_figure(there, look, 0)
        except InputError:
            sent, there = b"", None
        same = frame == sent or alike(json.loads(frame), json.loads(sent))
        # As text: where there is no number, NaN differs from itself.
        if not same or repr(numbers) != repr(there and views.numbers(there, names, brief=True)):
            found.append(stop)
    return found


def test_a_strip_keeps_what_is_pinned():
    scenario = Scenario("point", ("exponential", "hash"))
    look = Look("m", "exponential", 430, pinned=replace(scenario, d=32))
    assert differing(scenario, look, "d", (16, 32, 64)) == []
    frames = frames_of(payload.main_strip(scenario, look, "d", (16, 64)))
    assert all(b"pinned: d = 32" in frame for frame in frames)


def drawn_settings(concept, count):
    """Yield settings at random, each with a view and a slider that it has."""
    page, rng = DECLARED[concept.name], random.Random(concept.name)  # noqa: S311 - test data
    fields = page.settings
    while count:
        view = rng.choice(["m", "m", *deep(("eps", "d"), draw.VIEWS)])
        name = rng.choice([n for n in MOVING if n in fields and not replaced(n, draw.VIEWS[view])])
        setting = {n: rng.choice(fields[n].stops) for n in ("d", "m") if n in fields}
        setting |= {
            "epsilon": round(rng.uniform(0.1, 3), 3), "alpha": round(rng.uniform(0.05, 0.3), 3),
            "beta": round(rng.uniform(0.02, 0.3), 3),
        }  # fmt: skip
        if "delta" in fields:
            setting["delta"] = 1e-6
        law = concept.distributions[0].label
        # Every other one with a bound of the visitor's own.
        formula = f"({concept.size.symbol} + log(1/beta))/(alpha*epsilon)" if count % 2 else ""
        try:
            scenario = Scenario(concept.name, page.learners, law, **setting, formula=formula)
        except InputError:
            continue
        count -= 1
        look = Look(view, page.on_map, 430, rng.choice([0, 0, 300]))
        stops = fields[name].stops
        yield scenario, look, name, deep(tuple(rng.sample(stops, 3)), stops)


@EACH
def test_every_frame_is_what_the_server_would_send(concept):
    for scenario, look, name, stops in drawn_settings(concept, deep(2, 3)):
        assert differing(scenario, look, name, tuple(sorted(stops))) == [], (scenario, look, name)


@SOME
def test_cards_follow_a_slider_by_the_numbers_that_a_strip_tells(concept):
    """Of no other learner or bound may they speak: whatever distribution, constants and slack."""
    page, rng = DECLARED[concept.name], random.Random(concept.name)  # noqa: S311 - test data
    stops, fields = page.settings["d"].stops, page.settings
    members = [name for name, _ in page.family.members] if page.family else [""]
    looked = 0
    for law in concept.distributions:
        for number, (member, constants, delta) in enumerate(
            itertools.product(members, ("sharp", "paper"), (0.0, 1e-6))
        ):
            if number % deep(2, 1):
                continue
            value = {name: item.default for name, item in fields.items()} | {
                "d": rng.choice(stops), "constants": constants, "delta": delta, "member": member,
                "distribution": law.name, "learners": (), "trials": 100,
            }  # fmt: skip
            try:
                scenario = scenario_of(page, value)
            except InputError:
                continue
            looked += 1
            every, told = (views.numbers(scenario, names) for names in (None, page.told))
            assert page.cards(told, scenario) == page.cards(every, scenario)
            assert {row.name for row in told.learners} <= {row.name for row in every.learners}
    assert looked


def test_a_strip_tells_the_numbers_of_no_more_learners_than_it_must():
    page = DECLARED["point"]
    scenario, look = Scenario("point", ("margin",)), Look("m", "exponential", 430)
    assert differing(scenario, look, "d", (16, 64), page.told) == []
    (numbers,) = payload.main_strip(scenario, look, "d", (64,), page.told).numbers
    names = {row.name for row in numbers.learners}
    assert names == {"erm", "margin", *page.told}
    # Of the bounds it leaves out what promises something of others alone.
    told = {row.name for row in numbers.bounds}
    assert {"margin", "hash", "packing-two"} <= told
    assert "seen" not in told
    assert (
        numbers.learner("hash").ratio
        == views.numbers(replace(scenario, d=64)).learner("hash").ratio
    )


def test_what_is_slow_to_simulate_is_told_when_the_slider_rests(monkeypatch):
    slow = [
        (entry, law)
        for concept in catalog.CONCEPTS for entry in concept.learners for law in entry.slow
    ]  # fmt: skip
    assert all(entry.laws[law] != "exact" for entry, law in slow)
    page, asked = DECLARED["marginals"], []
    scenario = Scenario("marginals", page.learners, d=6, delta=1e-6)
    then = views.numbers(scenario)
    true = views.need
    monkeypatch.setattr("privsc_core.evaluate.views.need", lambda entry, law, **at: asked.append((entry.name, at.get("trials"))) or true(entry, law, **at)
    )  # fmt: skip
    look = Look("m", page.on_map, 430)
    (numbers,) = payload.main_strip(scenario, look, "d", (6,), page.told).numbers
    # Only the axis asks a few of their samples.
    assert {most for name, most in asked if name in {"laplace", "projected"}} <= {2, 8}
    pending = {row.name: (row.pending, row.m) for row in numbers.learners}
    exact = then.learner("gauss").m
    assert pending == {"laplace": (True, None), "gauss": (False, exact), "projected": (True, None)}
    said = class_page._cards(page, numbers, scenario, "full")
    assert [card.value for card in said] == ["…", f"{exact:,}", "…"]
    assert [change.name for change in changes(then, numbers, page.learners)] == [
        then.learner("gauss").title
    ]


def test_what_a_moving_slider_says_of_a_simulation_is_about_right_and_called_so():
    page = DECLARED["threshold"]
    scenario = Scenario("threshold", page.learners, d=16)
    (numbers,) = payload.main_strip(
        scenario, Look("m", page.on_map, 430), "d", (16,), page.told
    ).numbers
    few, many = numbers.learner("density"), views.numbers(scenario).learner("density")
    assert (few.pending, many.pending) == (True, False)
    assert few.m == pytest.approx(many.m, rel=0.1)
    found = views.numbers(replace(scenario, trials=50)).learner("density").m
    assert few.m == pytest.approx(found, rel=0.02)  # about: nobody needs the last example
    told = [card.value for card in class_page._cards(page, numbers, scenario, "present")]
    assert told[-1] == f"≈ {few.m:,}"
    assert not any("≈" in value for value in told[:-1])


def test_cards_and_table_say_at_least_where_simulation_cannot_tell(monkeypatch):
    page, names = DECLARED["interval"], ("erm", "exponential")
    scenario = Scenario("interval", names, "uniform", d=12, beta=1e-3, trials=500)
    told = []
    for brief in (False, True):
        numbers = views.numbers(scenario, names, brief=brief)
        cards = {c.about: c for c in class_page._cards(page, numbers, scenario, "full")}
        told.append([cards[name].value for name in names])
    free, private = (views.numbers(scenario, names).learner(name).at_least for name in names)
    assert told[0] == [f"at least {free:,}", f"at least {private:,}"]
    # A tenth of so few samples would say even less: it comes at rest.
    assert told[1] == [f"at least {free:,}", "…"]
    assert "500 trials" in cards["erm"].note
    tables = []
    monkeypatch.setattr(table.words, "table", lambda _, rows, **__: tables.append(list(rows)))
    table.inside(views.numbers(scenario, names), scenario.concept_class, scenario.law)
    cells = {row[0].text: row[3] for row in tables[0]}
    assert f"at least {free:,}" in cells.values()


def test_prices_of_a_moving_slider_are_against_all_samples_of_who_has_no_privacy():
    names = ("erm", "exponential", "tree")
    scenario = Scenario("interval", names, "uniform", d=12)
    brief, whole = (views.numbers(scenario, names, brief=brief) for brief in (True, False))
    assert [row.pending for row in brief.learners] == [
        row.privacy != "none" for row in brief.learners
    ]
    assert brief.learner("erm") == whole.learner("erm")
    for row in brief.bounds:
        assert repr(row) == repr(next(one for one in whole.bounds if one.name == row.name))


@pytest.mark.parametrize(
    ("concept", "law", "d"),
    [
        ("marginals", "clusters", 12), ("conjunction", "product", 8), ("threshold", "window", 16),
        ("halfspace", "circle", 2), ("line", "spread", 16), ("parity", "uniform", 16),
    ],
)  # fmt: skip
@pytest.mark.parametrize("epsilon", [0.05, *map(whole, (0.5, 2.0))])
def test_an_axis_holds_what_it_knows_roughly(concept, law, d, epsilon):
    names = tuple(entry.name for entry in catalog.concept(concept).learners if law in entry.laws)
    scenario = Scenario(concept, names, law, d=d, epsilon=epsilon, delta=1e-6)
    low, high = views.frame(scenario, "m")
    for row in views.numbers(scenario).learners:
        assert row.m is None or low <= row.m <= high


@pytest.mark.parametrize("d", [2, 6, 12])
def test_an_axis_takes_more_samples_where_few_leave_its_ends_open(d, monkeypatch):
    asked = []
    true = views.need
    monkeypatch.setattr(
        "privsc_core.evaluate.views.need",
        lambda *of, **at: asked.append(at["trials"]) or true(*of, **at),
    )
    every = [
        Scenario("marginals", ("laplace", "projected"), d=d, delta=1e-6, epsilon=eps, alpha=0.1)
        for eps in (0.1, 0.3, 1.0, 3.0, 9.0)
    ]
    found = [views.frame(one, "m") for one in every]
    assert set(asked) == {2, 8}
    monkeypatch.setattr(views, "_ROUGH", (8,))
    assert found == [views.frame(one, "m") for one in every]


def test_a_frame_that_belongs_to_another_stop_is_noticed(monkeypatch):
    # What a computation that is shared between the stops could do: planted.
    def careless(scenario, parameter, stops, view, **more):
        honest = [*true(scenario, parameter, stops, view, **more)]
        yield from [*honest[:1], *honest[:-1]]

    true = draw.strip
    monkeypatch.setattr(draw, "strip", careless)
    scenario = Scenario("release", ("laplace",), d=8, delta=1e-6)
    look = Look("m", "laplace", 430)
    assert differing(scenario, look, "d", (8, 16, 32)) == [16, 32]


def test_a_stop_without_a_setting_has_no_frame():
    scenario = Scenario("interval", ("erm",), d=8)
    strip = payload.main_strip(scenario, Look("m", "exponential", 430), "d", (2, 8))
    assert [bool(frame) for frame in frames_of(strip)] == [False, True]
    assert [numbers is None for numbers in strip.numbers] == [True, False]


def test_a_strip_leaves_simulated_curves_out_and_says_so():
    scenario = next(
        Scenario(concept.name, (learner.name,), law.label, d=16)
        for concept in catalog.CONCEPTS
        for law in concept.distributions
        for learner in concept.learners
        if learner.laws.get(law.name, "exact") != "exact"
    )
    (title,) = [learner.title for learner in scenario.drawn]
    strip = payload.main_strip(scenario, Look("m", "", 430), "d", (16,))
    frame = json.loads(frames_of(strip)[0])
    assert frame["figure"]["layout"]["meta"] == {"simulating": [title]}
    assert not [t for t in frame["figure"]["data"] if t.get("meta")]
    simulated = json.loads(payload.main_figure(scenario, Look("m", "", 430), 250))
    marked = [t for t in simulated["figure"]["data"] if t.get("meta") == {"simulated": title}]
    assert len(marked) == 2  # the curve and its band
    assert "meta" not in simulated["figure"]["layout"]


# Live sliders on a page: when strips are computed, and simulations that go on meanwhile.


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
    own = {"v": "2", "bound": "d/(alpha*epsilon)"}
    head, frames = asked(sent, FILES["release"], "d", d="16", **own)
    before = sent["setting"]
    assert before["sliders"]["d"] == {"at": 1, "key": head["key"]}
    assert frames[1] == sent["figure"]
    with monkeypatch.context() as without:  # as it is computed where there is no strip
        without.setattr(live, "known", lambda *_: None)
        shown = html(run(FILES["release"], d="64", **own))
        assert frames[2] == sent["figure"]
    sent.clear()
    assert html(run(FILES["release"], d="64", **own)) == shown
    assert frames[2] == sent["figure"]
    assert head["pages"][2][".pv-cards"] in shown
    here, rest = head["pages"][2][".pv-yours"].split("</p>")[:2]
    assert "your bound is 1,280" in here
    assert f'<div class="pv-yours">{here}</p>' in shown
    assert "when the slider rests" in rest
    assert rest not in shown
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


def test_a_part_of_a_strip_is_that_of_the_whole_and_shown_where_the_hand_rests(sent, monkeypatch):
    stops = tuple(range(4, 40, 4))
    page = DECLARED["release"]
    monkeypatch.setattr(type(page), "settings", property(lambda page: few(page, stops)))
    at = {"d": "16", "eps": "0.741"}
    head, frames = asked(sent, FILES["release"], "d 8", **at)
    assert (head["first"], head["of"], len(head["pages"]), len(frames)) == (7, 9, 2, 2)
    whole, every = asked(sent, FILES["release"], "d", **at)
    assert (whole["key"], whole["first"], len(every)) == (head["key"], 0, 9)
    assert all(alike(json.loads(a), json.loads(b)) for a, b in zip(frames, every[7:], strict=True))
    assert head["pages"] == whole["pages"][7:]
    for nothing in ("d x", "d ²"):  # a client can send anything
        assert asked(sent, FILES["release"], nothing, **at)[0]["first"] == 0
    assert asked(sent, FILES["release"], "d 900", **at)[0]["pages"] == []
    begun, start = [], scheduler.start
    monkeypatch.setattr(
        scheduler, "start", lambda f, *a, **k: begun.append(f.__name__) or start(f, *a, **k)
    )
    monkeypatch.setattr(chart, "known_strip", without_whole(chart.known_strip, stops))
    run(FILES["release"], **at | {"d": "36"})
    assert "main_figure" not in begun


def without_whole(known, stops):
    """Return `chart.known_strip` as if no whole strip were known."""
    return lambda at, look, name, these, told: (
        None if these == stops else known(at, look, name, these, told)
    )


def test_a_visitor_who_has_waited_long_leaves_a_strip_that_has_not_begun(
    sent, monkeypatch, threads, held
):
    """It would be done for a hand that is gone; one that is still there asks again."""
    jobs, busy = [], threads()
    monkeypatch.setattr(scheduler, "SCHEDULER", busy)
    reach(busy.start(held.wait, PATIENCE, kind="s", **FRAMES), "running")
    monkeypatch.setattr(live, "_WAIT_LONGEST", 0.02)
    begin = chart.strip
    monkeypatch.setattr(chart, "strip", lambda *a: jobs.append(begin(*a)) or jobs[-1])
    for _ in range(2):
        run(FILES["release"], opened={"pv_strip_asked": "d"}, eps="0.733")
        assert b'"wait"' in sent["strip"]
        assert jobs[-1].state == "stopped"
    assert jobs[0] is not jobs[1]


def test_a_strip_that_had_too_little_of_a_processor_may_be_asked_for_again(sent, monkeypatch):
    def lost(*_):
        raise RuntimeError

    monkeypatch.setattr(live.Asked, "strip", lost)
    run(FILES["release"], opened={"pv_strip_asked": "d"}, eps="0.731")
    head = json.loads(sent["strip"])
    assert (head["pages"], head["lost"]) == (None, True)


def test_the_table_of_numbers_is_computed_when_it_is_opened(monkeypatch):
    told = []
    numbers = chart.numbers
    monkeypatch.setattr(
        chart, "numbers", lambda s, told_=None: told.append(told_) or numbers(s, told_)
    )
    monkeypatch.setattr(live, "_CALM", 0)
    shown = html(run(FILES["release"], eps="0.737"))
    assert "What each mechanism needs" not in shown
    assert told == [DECLARED["release"].told]
    shown = html(run(FILES["release"], eps="0.737", open="numbers"))
    assert "What each mechanism needs" in shown
    assert told[1:] == [DECLARED["release"].told, None]


def test_the_more_is_going_on_the_later_strips_are_asked_for(sent, monkeypatch):
    monkeypatch.setattr(live, "_CALM", 2)
    monkeypatch.setattr(live, "_BUSY", 3)
    gate.GATE._shown.clear()
    asks = []
    for d in (8, 16, 64, 32):
        run(FILES["release"], d=str(d))
        asks.append(sent["setting"]["asks"])
    assert asks == ["ahead", "ahead", "touch", "drag"]


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


@pytest.mark.parametrize("what", ["m", whole("seed"), whole("trials"), "nothing"])
def test_nothing_but_a_slider_that_moves_the_figure_has_a_strip(sent, what):
    assert asked(sent, FILES["release"], what) is None


def test_an_open_prediction_has_no_strip(sent, monkeypatch):
    monkeypatch.setattr(chart, "strip", lambda *_: pytest.fail("a strip was computed"))
    assert asked(sent, FILES["release"], "d", predict="1") is None
    assert sent.get("setting") is None


# The figure of one stop of a slider: what the page will show, and of nothing but what was sent.


@pytest.fixture
def sent_at_stops(monkeypatch):
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


def test_it_is_the_figure_that_the_page_would_send(store, sent_at_stops):
    assert not run(FILES["release"], v="2", d="96", eps="0.643").exception
    page = DECLARED["release"]
    where = sent_at_stops["sliders"]["d"]
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


def test_it_is_computed_once_for_the_page_as_well(store, sent_at_stops, monkeypatch):
    computed, plain = [], payload.main_figure

    def counted(scenario, *how):
        computed.append(scenario.d)
        return plain(scenario, *how)

    monkeypatch.setattr(payload, "main_figure", counted)
    run(FILES["release"], eps="0.647")
    d = int(DECLARED["release"].settings["d"].stops[3])
    assert stop(store, sent_at_stops["sliders"]["d"]["key"], 3)[0] == 200
    assert not run(FILES["release"], eps="0.647", d=str(d)).exception
    assert computed.count(d) == 1


def test_another_place_has_none(store, sent_at_stops):
    run(FILES["release"], eps="0.643")
    for place in ("", "-1", "99", "1e1", "²", "0001", "1/2", "../1"):
        assert stop(store, sent_at_stops["sliders"]["d"]["key"], place)[0] == 204, place
    assert stop(store, sent_at_stops["sliders"]["d"]["key"], "1")[0] == 200


def test_nothing_is_read_from_the_address(store, sent_at_stops):
    run(FILES["release"], eps="0.643")
    for key in ("", "0" * 18, sent_at_stops["sliders"]["d"]["key"][:-1], "d=8"):
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


def test_nobody_asks_where_nobody_answers_or_there_is_much_to_do(store, sent_at_stops, monkeypatch):
    monkeypatch.setattr(live, "_QUIET", 1)
    gate.GATE._shown.clear()
    for told in (True, None):  # the second one comes when the first has just been
        run(FILES["release"], eps="0.653" if told else "0.659")
        assert sent_at_stops["sliders"]["d"].get("alone") is told
    monkeypatch.setattr(live, "_QUIET", 10)
    monkeypatch.setattr(live, "_open", threading.Event())  # as `streamlit run`
    run(FILES["release"], eps="0.661")
    assert "alone" not in sent_at_stops["sliders"]["d"]


def test_figures_whose_strips_are_quick_have_no_stops(store, sent_at_stops):
    run("app.py", eps="0.653")
    assert "alone" not in sent_at_stops["sliders"]["eps"]
