"""What pytest is told for the tests of pages."""

import pytest

# What does not hold there is shown with its values, as in a test.
pytest.register_assert_rewrite("tests.pages.claims")
