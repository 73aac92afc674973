"""A lecture with phones on a server that is really started."""

import asyncio
import contextlib
import signal
from pathlib import Path

import pytest

from pages.shared.room.rooms import Rooms
from pages.shared.room.store import File
from tests.load import phones
from tests.load.host import Host
from tests.load.scenarios import Hall
from tests.rooms import stores

pytestmark = pytest.mark.whole


@pytest.fixture
def host():
    with contextlib.closing(Host("serve", options=("--log", "json"))) as host:
        host.start()
        yield host
        assert not host.trouble()


def test_a_lecture_with_phones_and_nothing_of_it_in_the_log(host):
    hall = Hall(host.url, host.pids)
    record = asyncio.run(
        phones.lecture(hall, host.rooms, phones=30, questions=2, spread=0.5, think=0.5)
    )
    assert record["errors"] == 0, record["what"]
    assert (record["joined"], record["count"]) == (30, 60)
    assert record["kinds"]["counted"]["count"] == 60
    assert "/room" not in host.log()
    assert "/join" not in host.log()


@pytest.mark.parametrize("what", ["killed", "removed", "restarted"])
def test_nothing_is_lost_or_doubled_when_something_fails_before_the_reveal(what):
    redis = None
    if what == "restarted":
        if stores.missing():
            pytest.skip(stores.missing())
        redis = stores.Redis(save="1 1")
        redis.start()
    host = Host("serve", rooms=redis.url if redis else "")
    try:
        host.start()
        record = asyncio.run(
            phones.lecture(
                Hall(host.url, host.pids), host.rooms, phones=20, questions=3, spread=0.5, think=0.5,
                fault=phones.failure(what, host, redis),
            )
        )  # fmt: skip
    finally:
        host.close()
        if redis:
            redis.close()
    assert record["errors"] == 0, record["what"]
    assert (record["joined"], record["lost"], record["count"]) == (20, 0, 60)


def test_a_server_ends_while_phones_listen(host):
    async def go():
        rooms = Rooms(File(Path(host.rooms)))
        code, secret = rooms.open_room()
        lecture = phones.Lecture()
        audience = [phones.Phone(host.url, code, lecture, seed) for seed in range(3)]
        await phones.known(host.url, code, secret)
        await asyncio.gather(*(phone.join() for phone in audience))
        host.process.send_signal(signal.SIGTERM)
        status = await asyncio.to_thread(host.process.wait, 60)
        await asyncio.gather(*(phone.close() for phone in audience))
        rooms.store.finish()
        return status

    assert asyncio.run(go()) == 0
