"""What pytest gives the tests of pages: an office, and claims that show their values."""

import pytest

from pages.shared.work.office import Office
from tests.pages.offices import PATIENCE

# What does not hold there is shown with its values, as in a test.
pytest.register_assert_rewrite("tests.pages.claims")


@pytest.fixture
def office():
    office = Office(longest=PATIENCE)
    yield office
    office.close()
