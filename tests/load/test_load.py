"""The load program with few visitors: that it works, and that it notices. No timing."""

import asyncio

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from privsc_core.catalog import CONCEPTS
from privsc_core.draw import VIEWS
from tests.load import hostile, scenarios
from tests.load.controls import Choice, Fold, Slider
from tests.load.explorer import KINDS, MOVES, Explorer
from tests.load.host import Host
from tests.load.measure import Tally, usage
from tests.load.scenarios import Hall
from tests.load.visitor import Answer, TroubleError, Visitor, _Asked


async def visit(url):
    visitor = Visitor(url, "release")
    await visitor.open()
    await visitor.arrive()
    await visitor.close()


@pytest.fixture(scope="module")
def host():
    host = Host("streamlit")
    host.start()
    # One before the others, as `privsc serve` visits itself: many threads that import at once can
    # meet Python 3.11's import locks taking each other for a deadlock.
    asyncio.run(visit(host.url))
    yield host
    host.close()


@pytest.mark.whole
def test_a_small_hall(host):
    hall = Hall(host.url, host.pids, sessions=4)

    async def lecture():
        records = [await scenarios.first(hall), await scenarios.instant(hall, rounds=1)]
        records.append(await scenarios.think(hall, seconds=0.1, changes=1))
        assert all(v.received > 10_000 for v in hall.visitors)
        assert any(v.query for v in hall.visitors)  # who comes back to the first view has none
        await hall.empty()
        return records

    records = asyncio.run(lecture())
    assert [record["errors"] for record in records] == [0, 0, 0], records
    assert [record["count"] for record in records] == [4, 4, 4]
    assert usage(host.pids()).rss > 50
    assert not host.trouble()


@pytest.mark.whole
def test_a_few_who_explore(host):
    pages = ("points", "release")
    hall = Hall(host.url, host.pids, sessions=3, pages=pages, seed=5)

    async def lecture():
        record = await scenarios.explore(hall, seconds=0.1, changes=4)
        made = [move.split()[0] for visitor in hall.visitors for move in visitor.made]
        await hall.empty()
        return record, made

    record, made = asyncio.run(lecture())
    assert record["errors"] == 0, record["what"]
    kinds = record["kinds"]
    assert kinds["first picture"]["count"] == 3
    assert kinds["link"]["count"] >= 3  # each begins with a setting of their own
    assert kinds["success"]["count"] + kinds["all others"]["count"] == record["count"] == 12
    assert len(set(made)) > 3
    assert not host.trouble()


@pytest.mark.whole
def test_every_move_of_the_mix_can_be_made(host):
    """A control that moved elsewhere on the page would silently leave the mix."""

    async def go():
        visitor = Explorer(host.url, "pseudorandom", "open=distinguisher&view=map-m-d")
        await visitor.open()
        await visitor.arrive()
        keys = set(visitor.controls)
        names = set()
        for seed in range(200):
            visitor._random.seed(seed)
            names.add(visitor._choose()[0])
        visitor._random.seed(0)
        part, close = visitor._part()  # what is open
        close(part)
        kind = await visitor.send(part, wants="part")
        await visitor.close()
        return keys, names, kind, keys - set(visitor.controls)

    keys, names, answer, gone = asyncio.run(go())
    assert names == set(MOVES)
    wanted = {"w_d", "w_eps", "w_m", "w_alpha", "w_beta", "w_trials", "w_view", "w_learners"}
    assert keys >= wanted | {"w_dist", "w_const", "w_map", "w_dm", "w_open_distinguisher"}
    assert answer.finished > 0
    # The part that was closed held it, with its slider.
    assert gone == {"w_dm", "w_open_time", "w_open_distinguisher", "w_open_boxes"}
    assert sum(MOVES.values()) == 100


@pytest.mark.whole
def test_everybody_comes_back_after_a_power_cut(host):
    hall = Hall(host.url, host.pids, sessions=4)

    async def lecture():
        record = await scenarios.restart(hall, lambda: (host.kill(), host.start()))
        await hall.empty()
        return record

    assert asyncio.run(lecture())["errors"] == 0


def test_hostile_traffic_leaves_the_honest_alone(host):
    hall = Hall(host.url, host.pids)
    record = asyncio.run(hostile.attack(hall, only=("malformed", "queries", "rooms"), silent=False))
    assert record["errors"] == 0, record["what"]
    assert list(record["honest"]) == ["malformed", "queries", "rooms"]


@pytest.mark.whole
def test_a_setting_that_is_refused_is_answered(host):
    async def go():
        visitor = Visitor(host.url, "points", "v=2&dist=bystanders")
        await visitor.open()
        await visitor.arrive()
        first = visitor.sliders["w_d"].stops.index("2")
        await visitor.change("w_d", first)  # too small for eight bystanders
        refused = visitor.picture
        assert await visitor.touch("w_eps") is None  # no figure that could follow it
        await visitor.change("w_d", first + 4)
        assert await visitor.touch("w_eps") is not None
        await visitor.close()
        return refused, visitor.picture

    refused, drawn = asyncio.run(go())
    assert b"there is no such setting" in refused
    assert b"there is no such setting" not in drawn


class Replies:
    """A connection over which a server says what was written beforehand."""

    def __init__(self, *messages):
        self.left = [message.SerializeToString() for message in messages]

    async def send(self, _):
        pass

    async def recv(self):
        if not self.left:
            await asyncio.sleep(60)
        return self.left.pop(0)


def message(**words):
    it = ForwardMsg()
    if "main" in words:
        it.delta.new_element.bidi_component.id = "$$ID-1-main"
        it.delta.new_element.bidi_component.component_name = words["main"]
    elif "begins" in words:
        it.new_session.page_script_hash = ""
        it.new_session.initialize.session_id = "s"
    elif "query" in words:
        it.page_info_changed.query_string = words["query"]
    else:
        it.script_finished = words["finished"]
    return it


def test_a_picture_of_the_run_before_is_no_answer():
    """Who moves on during a simulation gets its last pictures first: they are not counted."""
    visitor = Visitor("http://127.0.0.1", picture=b"old")
    visitor._busy = True
    early = message(finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    late = [message(begins=True), message(main="late"), early]
    visitor.socket = Replies(
        *late, message(begins=True), message(query="d=3"), message(main="ours"), message(finished=0)
    )
    slider = Slider("$$ID-1-w_d", ("2", "3"), 1, disabled=False, fragment="f")
    answer = asyncio.run(visitor.send(slider, wants="drawn"))
    assert answer.picture
    assert b"ours" in visitor.picture
    visitor.socket = Replies(message(begins=True), message(finished=0))
    with pytest.raises(TroubleError, match="without a new picture"):
        asyncio.run(visitor.send(slider, wants="drawn"))


def test_the_first_touch_of_a_slider_asks_for_its_strip():
    """Where the page has live sliders; the second one has it already, unless it had to wait."""
    setting = b'{"sliders":{"d":{"at":1,"key":"k"}}}\n'

    def drawn(name, data):
        it = ForwardMsg()
        it.delta.new_element.bidi_component.id = f"$$ID-1-{name}"
        it.delta.new_element.bidi_component.bytes = data
        return it

    visitor = Visitor("http://127.0.0.1")
    assert asyncio.run(visitor.touch("w_d")) is None  # nothing to ask on this page
    visitor._element(drawn("main", setting + b"{}"))
    visitor._element(drawn("pv_strips", b""))
    for data, asked_again in ((b'{"wait": 1}', True), (b'{"key": "k"}\n...', False)):
        visitor.socket = Replies(
            message(begins=True), drawn("pv_strips", data), message(finished=0)
        )
        assert asyncio.run(visitor.touch("w_d")).picture
        assert ("k" not in visitor.strips) == asked_again
    assert asyncio.run(visitor.touch("w_d")) is None
    assert asyncio.run(visitor.touch("w_eps")) is None


def test_a_control_that_has_gone_out_of_use_meanwhile_is_answered():
    """A picture comes before its controls; a server takes no change of one that is out of use."""
    shut = ForwardMsg()
    shut.delta.fragment_id = "f"
    slider = shut.delta.new_element.slider
    slider.id, slider.disabled = "$$ID-1-w_d", True
    slider.options.extend(["2", "3"])
    slider.default.append(0)
    late = message(finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    ends = message(finished=ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
    moved = Slider("$$ID-1-w_d", ("2", "3"), 1, disabled=False, fragment="f")
    visitor = Visitor("http://127.0.0.1", controls={"w_d": moved})
    visitor._busy = True
    visitor.socket = Replies(late, message(begins=True), message(main="same"), shut, ends)
    answer = asyncio.run(visitor.send(moved, wants="drawn"))
    assert answer.picture
    assert answer.finished
    assert not visitor._busy


SLIDER = Slider("$$ID-1-w_d", ("2", "3"), 1, disabled=False, fragment="f", path=(0, 2, 1))


def drawn_slider(fragment="f", key="w_d"):
    it = ForwardMsg()
    it.delta.fragment_id = fragment
    it.metadata.delta_path.extend(SLIDER.path)
    slider = it.delta.new_element.slider
    slider.id = f"$$ID-1-{key}"
    slider.options.extend(SLIDER.stops)
    slider.default.append(0)
    return it


@pytest.mark.parametrize(
    ("drawn", "end", "wants", "answered"),
    [
        (drawn_slider(key="w_m"), ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, "drawn", True),
        (drawn_slider(fragment="", key="w_m"), ForwardMsg.FINISHED_SUCCESSFULLY, "drawn", True),
        (None, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, "drawn", True),
        # A part that a link had opened is closed, which the address does not tell.
        (drawn_slider(), ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, "part", True),
        # It is still there: the answer is yet to come.
        (drawn_slider(), ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, "drawn", False),
        # What ran was another part.
        (
            drawn_slider(fragment="g", key="w_m"),
            ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
            "part",
            False,
        ),
        (drawn_slider(key="w_m"), ForwardMsg.FINISHED_EARLY_FOR_RERUN, "drawn", False),
    ],
)
def test_a_control_that_has_gone_meanwhile_is_answered(drawn, end, wants, answered, monkeypatch):
    """As a picture comes first, a visitor may move what that picture has taken away."""
    monkeypatch.setattr("tests.load.visitor.PATIENCE", 0.1)
    visitor = Visitor("http://127.0.0.1", controls={"w_d": SLIDER})
    visitor._busy = True
    parts = [] if drawn is None else [drawn]
    visitor.socket = Replies(message(begins=True), *parts, message(finished=end))
    asking = visitor.send(SLIDER, wants=wants, linger=0.1)
    if answered:
        assert asyncio.run(asking).finished
    else:
        with pytest.raises(TroubleError, match="no answer"):
            asyncio.run(asking)


@pytest.mark.parametrize("parts", ["fg", "f"])
def test_a_part_that_was_drawn_before_a_simulation_is_complete(parts, monkeypatch):
    """Planted: its visitor waited for another run of it, which no server makes."""
    monkeypatch.setattr("tests.load.visitor.PATIENCE", 0.1)
    visitor = Visitor("http://127.0.0.1", controls={"w_d": SLIDER})
    visitor._busy = True
    drawn = [drawn_slider(fragment=part) for part in parts]
    early = message(finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    visitor.socket = Replies(message(begins=True), *drawn, early)
    asking = visitor.send(SLIDER, wants="part", linger=0.1)
    if parts == "f":  # it was cut short itself
        with pytest.raises(TroubleError, match="no answer"):
            asyncio.run(asking)
    else:
        assert asyncio.run(asking).finished
        assert visitor._busy


def test_what_a_run_leaves_out_is_gone_whoever_asked_for_it():
    """A browser clears it away, and nobody can move it."""
    visitor = Visitor("http://127.0.0.1", controls={"w_d": SLIDER})
    ends = message(finished=ForwardMsg.FINISHED_SUCCESSFULLY)
    visitor.socket = Replies(message(begins=True), drawn_slider(fragment="", key="w_m"), ends)
    visitor._busy = True
    asked = _Asked("drawn", b"", known=False)  # the run is another one's
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(visitor._listen(asked), 0.1))
    assert set(visitor.controls) == {"w_m"}


def test_what_stands_in_a_closed_part_is_not_moved():
    part = Fold("$$ID-1-w_open_noise", opened=True, fragment="f", path=(0, 2))
    visitor = Explorer("http://127.0.0.1", controls={"w_open_noise": part, "w_d": SLIDER})
    assert visitor._movable("w_d") is SLIDER
    part.opened = False
    assert visitor._movable("w_d") is None
    part.path = (0, 3)
    assert visitor._movable("w_d") is SLIDER


def test_a_slider_that_was_drawn_anew_during_its_touch_is_moved(monkeypatch):
    """Planted: what was moved was the slider as it had been, and the server saw no change."""
    visitor = Explorer("http://127.0.0.1", controls={"w_d": SLIDER})
    visitor.controls["w_view"] = SLIDER
    visitor.socket, visitor.made, sent = Replies(), ["link"], []

    async def touch(_, *, place, drags):
        assert (place, drags) == (1, False)
        visitor._element(drawn_slider())

    async def send(changed, **_):
        sent.append((changed, visitor.controls["w_d"].place))
        return Answer(0.1, 0.1, 1)

    monkeypatch.setattr(visitor, "touch", touch)
    monkeypatch.setattr(visitor, "send", send)
    monkeypatch.setattr(visitor, "_choose", lambda: ("slider", visitor._moving([SLIDER])))
    asyncio.run(visitor.explore())
    assert sent == [(visitor.controls["w_d"], 0)]
    assert sent[0][0] is not SLIDER


def test_who_does_not_linger_leaves_a_simulation_to_itself():
    visitor = Visitor("http://127.0.0.1")
    early = message(finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    visitor.socket = Replies(message(begins=True), message(main="first part"), early)
    slider = Slider("$$ID-1-w_d", ("2", "3"), 1, disabled=False, fragment="f")
    visitor.controls = {"w_d": slider}
    answer = asyncio.run(visitor.send(slider, wants="drawn", linger=0.01))
    assert (answer.simulated, answer.finished) == (True, 0)
    assert visitor._busy


# Planted: as it was, on a full server visitors moved controls that were not there yet.
def test_who_opens_a_page_waits_for_its_controls():
    visitor = Visitor("http://127.0.0.1", page="points")
    ends = message(finished=ForwardMsg.FINISHED_SUCCESSFULLY)
    visitor.socket = Replies(message(begins=True), message(main="the figure"), ends)
    asked = _Asked("new", b"", known=True)
    asyncio.run(visitor._listen(asked, until_picture=True))
    assert asked.picture
    assert asked.finished


@pytest.mark.parametrize("kind", ["exception", "html", "overload"])
def test_what_no_visitor_should_see_is_an_error(kind):
    message = ForwardMsg()
    element = message.delta.new_element
    if kind == "exception":
        element.exception.type = "ValueError"
    elif kind == "html":
        element.html.body = "This part of the page could not be computed."
    else:
        element.html.body = "<p>This computation must take at most 60 s on this server.</p>"
    with pytest.raises(TroubleError):
        Visitor("http://127.0.0.1")._element(message)


@pytest.mark.parametrize("concept", CONCEPTS, ids=lambda concept: concept.name)
def test_every_picture_of_every_class_is_of_a_kind(concept):
    answer = Answer(0.1, 0.1, 1)
    for view in VIEWS.values():
        words = view.said(concept.size.symbol)
        shown = Choice("$$ID-1-w_view", (words,), [words], "list", disabled=False, fragment="f")
        visitor = Explorer("http://127.0.0.1", controls={"w_view": shown})
        assert visitor._shown(answer) == view.quantity


def test_kinds_of_changes_are_told_apart():
    tally = Tally()
    for seconds, kind in ((1.0, "success"), (2.0, "m"), (3.0, "map"), (4.0, "m")):
        tally.add(seconds, kind)
    kinds = scenarios._by_kind(tally)["kinds"]
    assert tuple(kinds) == ("success", "m", "map", "all others")
    assert [kinds[name]["count"] for name in kinds] == [1, 2, 1, 3]
    assert (kinds["m"]["max"], kinds["all others"]["max"]) == (4.0, 4.0)
    assert set(kinds) <= {*KINDS, "all others"}
    assert scenarios._by_kind(Tally(seconds=[1.0])) == {}


def test_percentiles_are_times_that_were_measured():
    tally = Tally(seconds=[float(i) for i in range(1, 101)], errors=["b", "a", "a"])
    record = tally.record()
    assert (record["p50"], record["p95"], record["max"]) == (50, 95, 100)
    assert (record["errors"], record["what"]) == (3, ["a", "b"])
    assert Tally().record()["p95"] is None
