"""A store of each kind, empty."""

import contextlib

import pytest

from tests.rooms import stores


@pytest.fixture
def clock():
    return stores.Clock()


@pytest.fixture(scope="session")
def redis():
    if stores.missing():
        pytest.skip(stores.missing())
    server = stores.Redis()
    with contextlib.closing(server):
        server.version = server.start()
        yield server


@pytest.fixture
def store(tmp_path, clock):
    store = stores.file(tmp_path, clock)
    yield store
    store.finish()


@pytest.fixture(params=["file", "server"])
def any_store(request, tmp_path, clock):
    """Every kind of store, in turn; one that cannot be had here says so."""
    if request.param == "file":
        store = stores.file(tmp_path, clock)
    else:
        from pages.shared.room.server import Server

        redis = request.getfixturevalue("redis")
        redis.client().flushall()
        store = Server(redis.url, clock)
    yield store
    store.finish()
