"""What every test gets: determinism, a budget that is really kept, and nothing inherited.

The test command runs two or more processes at once (pytest-xdist). The ledger of `tests.budget` is
summed over them, so that what is promised about false alarms holds for the run and not for a part.
"""

import os

# One process a core: threads for small matrices would only wait for each other. Before numpy comes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from tests import budget, depth

# Derandomised: the suite gives everybody the same answer, on CI above all. To look for new
# examples run with HYPOTHESIS_PROFILE=explore; then pin what it finds with @example.
settings.register_profile("fixed", derandomize=True, deadline=None, database=None, max_examples=40)
settings.register_profile(
    "deep", derandomize=True, deadline=None, database=None, max_examples=1_000
)
settings.register_profile("explore", deadline=None, max_examples=1_000)

SPENT = "privsc_spent"  # what a process tells of its ledger
elsewhere = pytest.StashKey[list[int]]()  # what the other processes have told


def pytest_addoption(parser):
    parser.addoption(
        "--whole",
        action="store_true",
        help="what takes long as well (twice as long)",
    )
    parser.addoption(
        "--deep",
        action="store_true",
        help="more of everything: examples, settings, trials, hostile links, screens (an hour)",
    )


def pytest_configure(config):
    depth.DEEP = config.getoption("--deep")
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "deep" if depth.DEEP else "fixed"))
    config.stash[elsewhere] = []


def pytest_collection_modifyitems(config, items):
    """Leave out of the usual run what is marked `whole`, unless nothing else was asked for."""
    if depth.DEEP or config.getoption("--whole"):
        return
    left = [item for item in items if item.get_closest_marker("whole")]
    if left and len(left) < len(items):
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker("whole")]


# --- Several processes ---------------------------------------------------------------------------


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep a file in one process (its fixtures and tables are made once), except browser tests.

    Those share a server and a browser per process, and are so long that each is handed out alone;
    but for those that need one more server, which a single process starts.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.split("::", 1)[0]
            if not file.startswith("tests/browser/"):
                return "sentences" if file.startswith("tests/words/") else file
            if file.endswith(("test_chart.py", "test_live.py")):
                return "small pages"
            return "another machine" if "another_machine" in nodeid else nodeid

    config.option.loadscopereorder = False  # browser tests come last, as they were collected
    return ByFile(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """Add what a process has spent that is done."""
    node.config.stash[elsewhere].append(getattr(node, "workeroutput", {}).get(SPENT, 0))


def spent(config):
    """Return how many statistical comparisons the run has made, in all of its processes."""
    return budget.spent() + sum(config.stash[elsewhere])


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    """Fail a run that made more statistical comparisons than the budget was split for."""
    if hasattr(session.config, "workeroutput"):  # one of several: the first process adds them up
        session.config.workeroutput[SPENT] = budget.spent()
    elif spent(session.config) > budget.CHECKS and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    """Say what was spent, so that nobody has to guess how close the limit is."""
    made = spent(config)
    if made:
        terminalreporter.write_line(
            f"statistical comparisons: {made} of {budget.CHECKS} "
            f"({budget.FALSE_ALARMS:g} false alarms per run)"
            + (" - OVER BUDGET: raise budget.CHECKS" if made > budget.CHECKS else "")
        )


# --- Nothing is skipped quietly ------------------------------------------------------------------


def must_run(item):
    """Tell whether a test that is skipped is a failure: everything on CI, what drives a browser
    also where the test command asked for it."""
    on_ci = os.environ.get("CI", "").lower() not in {"", "0", "false"}
    wanted = os.environ.get("PRIVSC_REQUIRE_BROWSER") == "1"
    return on_ci or (wanted and item.get_closest_marker("browser") is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn a skipped test into a failure where it has to run."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and must_run(item):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: nothing may be skipped here, this was: {reason}"
    setattr(item, f"report_{report.when}", report)
    return report
