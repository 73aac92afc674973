"""What every test gets: determinism, a budget that is really kept, and nothing inherited."""

import os

import pytest
from hypothesis import settings

from tests import budget

# Derandomised: the suite gives everybody the same answer, on CI above all. To look for new
# examples run with HYPOTHESIS_PROFILE=explore; then pin what it finds with @example.
settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def pytest_sessionfinish(session):
    """Fail a run that made more statistical comparisons than the budget was split for."""
    spent = budget.spent()
    if spent > budget.CHECKS and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    """Say what was spent, so that nobody has to guess how close the limit is."""
    spent = budget.spent()
    if spent:
        terminalreporter.write_line(
            f"statistical comparisons: {spent} of {budget.CHECKS} "
            f"({budget.FALSE_ALARMS:g} false alarms per run)"
            + (" - OVER BUDGET: raise budget.CHECKS" if spent > budget.CHECKS else "")
        )
