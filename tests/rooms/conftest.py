"""A store of each kind, empty."""

import pytest

from tests.rooms import stores


@pytest.fixture
def clock():
    return stores.Clock()


@pytest.fixture
def store(tmp_path, clock):
    store = stores.file(tmp_path, clock)
    yield store
    store.finish()
