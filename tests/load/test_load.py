"""The load program at a tenth of its size: that it works, and that it notices. No timing."""

import asyncio

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.load import hostile, scenarios
from tests.load.host import Host
from tests.load.measure import Tally, usage
from tests.load.scenarios import Hall
from tests.load.visitor import TroubleError, Visitor


@pytest.fixture(scope="module")
def host():
    host = Host("streamlit")
    host.start()
    yield host
    host.close()


def test_a_small_hall(host):
    hall = Hall(host.url, host.pids, sessions=10)

    async def lecture():
        records = [await scenarios.first(hall), await scenarios.instant(hall, rounds=2)]
        records.append(await scenarios.think(hall, seconds=0.1, changes=2))
        assert all(v.query and v.received > 10_000 for v in hall.visitors)
        await hall.empty()
        return records

    records = asyncio.run(lecture())
    assert [record["errors"] for record in records] == [0, 0, 0], records
    assert [record["count"] for record in records] == [10, 10, 20]
    assert not host.trouble()


def test_everybody_comes_back_after_a_power_cut(host):
    hall = Hall(host.url, host.pids, sessions=4)

    async def lecture():
        record = await scenarios.restart(hall, lambda: (host.kill(), host.start()))
        await hall.empty()
        return record

    assert asyncio.run(lecture())["errors"] == 0


def test_hostile_traffic_leaves_the_honest_alone(host):
    hall = Hall(host.url, host.pids)
    record = asyncio.run(hostile.attack(hall, only=("malformed", "queries"), silent=False))
    assert record["errors"] == 0, record["what"]
    assert list(record["honest"]) == ["malformed", "queries"]


def test_a_run_without_a_new_picture_is_an_error(host):
    async def stay():
        visitor = Visitor(host.url)
        await visitor.open()
        await visitor.arrive()
        try:
            await visitor.change("w_d", visitor.sliders["w_d"].place)
        finally:
            await visitor.close()

    with pytest.raises(TroubleError, match="without a new picture"):
        asyncio.run(stay())


def test_a_setting_that_is_refused_is_answered(host):
    async def go():
        visitor = Visitor(host.url, "intervals")
        await visitor.open()
        await visitor.arrive()
        first = visitor.sliders["w_d"].stops.index("2")
        await visitor.change("w_d", first)  # too small for the hard distribution
        refused = visitor.picture
        await visitor.change("w_d", first + 4)
        await visitor.close()
        return refused, visitor.picture

    refused, drawn = asyncio.run(go())
    assert b"waits for a setting" in refused
    assert b"waits for a setting" not in drawn


@pytest.mark.parametrize("kind", ["exception", "html"])
def test_what_no_visitor_should_see_is_an_error(kind):
    message = ForwardMsg()
    element = message.delta.new_element
    if kind == "exception":
        element.exception.type = "ValueError"
    else:
        element.html.body = "This part of the page could not be computed."
    with pytest.raises(TroubleError):
        Visitor("http://127.0.0.1")._element(message)


def test_percentiles_are_times_that_were_measured():
    tally = Tally(seconds=[float(i) for i in range(1, 101)], errors=["b", "a", "a"])
    record = tally.record()
    assert (record["p50"], record["p95"], record["max"]) == (50, 95, 100)
    assert (record["errors"], record["what"]) == (3, ["a", "b"])
    assert Tally().record()["p95"] is None


def test_memory_of_the_server_is_seen(host):
    assert usage(host.pids()).rss > 50
