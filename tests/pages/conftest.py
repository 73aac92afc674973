"""What pytest gives the tests of pages: a scheduler, and claims that show their values."""

import pytest

from pages.shared.page import live
from pages.shared.scheduling.scheduler import Scheduler
from tests.pages.schedulers import PATIENCE

# What does not hold there is shown with its values, as in a test.
pytest.register_assert_rewrite("tests.pages.claims")


@pytest.fixture(autouse=True)
def calm(monkeypatch):
    """However fast tests show settings: the server has time for what nobody has asked for."""
    for name in ("_CALM", "_QUIET"):
        monkeypatch.setattr(live, name, 10**6)


@pytest.fixture
def tasks():
    tasks = Scheduler(longest=PATIENCE)
    yield tasks
    tasks.close()
