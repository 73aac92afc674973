"""Long computations of the dashboard on a Dask cluster."""

import contextlib
import os
import pickle
import sys
import time

import pytest

import privsc_core as pv
from pages.shared import start
from pages.shared.scheduling.cluster import Remote
from pages.shared.scheduling.scheduler import Scheduler
from privsc_core.errors import InputError
from privsc_core.sweep import calls, cluster
from tests import dask
from tests.pages.loops import process_after

PATIENCE = 180.0


@pytest.fixture(scope="module")
def local():
    """A cluster of one worker on this machine: its scheduler, and how to end it."""
    with contextlib.ExitStack() as stack:
        address = stack.enter_context(dask.scheduler(1))
        yield stack.enter_context(cluster(0, address)), stack


@pytest.fixture
def far(local):
    """A scheduler that sends what is long to that cluster."""
    found = Scheduler(longest=PATIENCE)
    there = calls.Cluster(local[0].scheduler.address, found.stay)
    found.send_away(lambda: Remote(there), there.workers)
    yield found, there
    there.close()
    found.close()


def long(tasks, kind="long"):
    """Make a kind known as long."""
    tasks._learn(kind, 1e9)
    return kind


def drawn(m, epsilon=1.0):
    """Return a simulated law, as it pickles."""
    found = pv.success(
        concept="line", learner="vote", distribution="pair", m=m, d=8, epsilon=epsilon, alpha=0.1,
        delta=1e-6,
    )  # fmt: skip
    return pickle.dumps((found.value.tolist(), found.low.tolist(), found.high.tolist()))


def test_the_cluster_computes_the_same_bytes(local, far):
    tasks, _ = far
    pids = set(local[0].run(os.getpid).values())
    assert {tasks.start(os.getpid, kind=long(tasks)).result()} == pids
    assert tasks.start(drawn, (200, 500, 900), kind=long(tasks)).result() == drawn((200, 500, 900))
    with pytest.raises(InputError, match="epsilon must be"):
        tasks.start(drawn, 200, -1.0, kind=long(tasks)).result()
    with pytest.raises(RuntimeError, match="failed: TypeError"):
        tasks.start(len, 3, kind=long(tasks)).result()


def test_a_call_tells_how_far_it_is_and_can_be_stopped(far):
    tasks, there = far
    job = tasks.start(process_after, 40.0, kind=long(tasks))
    ends = time.monotonic() + PATIENCE
    while not (job.progress()[0] or 0.0) > 0.0:
        assert time.monotonic() < ends
        job.wait(0.05)
    with job:
        pass
    # The one worker is free again, long before the call would have ended.
    begin = time.monotonic()
    assert tasks.start(os.getpid, kind=long(tasks)).result() != os.getpid()
    assert time.monotonic() - begin < PATIENCE / 2
    assert job.state == "stopped"
    assert not there._calls


def test_what_takes_too_long_is_refused(local):
    tasks, there = Scheduler(longest=0.2), calls.Cluster(local[0].scheduler.address)
    tasks.send_away(lambda: Remote(there), 1)
    try:
        with pytest.raises(InputError, match=r"must take at most 0\.2 s on this server"):
            tasks.start(process_after, 30.0, kind=long(tasks)).result()
    finally:
        there.close()
        tasks.close()


def test_workers_of_other_versions_are_told_and_not_used(far, monkeypatch, caplog):
    tasks, _ = far
    monkeypatch.setattr(calls, "versions_here", lambda: {"privsc": "0.0"})
    pid = tasks.start(os.getpid, kind=long(tasks)).result()
    assert pid not in {0, os.getpid()}
    (said,) = [line.message for line in caplog.records if "cluster" in line.message]
    assert said.startswith(
        "the cluster is lost: its workers must have the versions {'privsc': '0.0'}"
    )
    assert (
        tasks.start(os.getpid, 1, kind=long(tasks)) is not None
    )  # here, where it fails as it should
    assert not any(runner.remote for runner in tasks._runners)


@pytest.mark.whole
def test_a_cluster_that_is_lost_in_the_middle_is_replaced(local, far, caplog):
    """The last test of the cluster."""
    client, stack = local
    tasks, _ = far
    job = tasks.start(process_after, 2.0, kind=long(tasks))
    queued = tasks.start(abs, -7, kind=long(tasks))
    there = set(client.run(os.getpid).values())
    stack.close()
    assert job.result() not in there
    assert queued.result() == 7
    assert [line.levelname for line in caplog.records if "is lost" in line.message] == ["WARNING"]


def test_a_bad_address_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["start", "--scheduler=nonsense://x", "--server.port=1"])
    monkeypatch.setattr(start.ops, "start", lambda: None)
    with pytest.raises(SystemExit) as ended:
        start.main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("privsc: error: scheduler must be the address of a Dask scheduler")
    assert said.count("\n") == 1
