"""Who computes what: joined, kept, learned, bounded; and the processes that compute it."""

import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
import types

import pytest

from pages.shared.scheduling import scheduler, worker
from pages.shared.scheduling.scheduler import COLD, NICENESS, QUICK, Scheduler
from privsc_core import draw
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from tests.pages.offices import PATIENCE, Threads, reach


def quickly(office, kind="q"):
    """Make a kind known as quick."""
    office._learn(kind, 0.0)
    return kind


def test_equal_requests_are_computed_once(office):
    started, release, calls = threading.Event(), threading.Event(), []

    def slowly(x):
        calls.append(x)
        started.set()
        release.wait(PATIENCE)
        return [x]

    kind, found = quickly(office), []
    threads = [
        threading.Thread(target=lambda: found.append(office.start(slowly, 7, kind=kind).result()))
        for _ in range(20)
    ]
    threads[0].start()
    assert started.wait(PATIENCE)
    for thread in threads[1:]:
        thread.start()
    ends = time.monotonic() + PATIENCE
    while office.counts["joined"] < 19 and time.monotonic() < ends:
        threads[1].join(0.01)
    release.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert calls == [7]
    assert len(found) == 20
    assert all(value is found[0] for value in found)
    assert office.start(slowly, 7, kind=kind).result() is found[0]
    assert office.counts["hits"] == 1


def test_results_kept_are_bounded():
    office, calls = Scheduler(entries=3), []

    def note(x):
        calls.append(x)
        return x

    kind = quickly(office)
    for x in (1, 2, 3, 1, 4, 1, 2):  # 4 pushes out 2, which was used longest ago
        office.start(note, x, kind=kind)
    assert calls == [1, 2, 3, 4, 2]
    assert len(office._kept) == 3


def test_an_unknown_kind_is_taken_for_long_and_learned(office):
    assert office.start(math.factorial, 5, kind="new").result() == 120
    assert office.counts["long"] == 1
    assert office.start(math.factorial, 6, kind="new").result() == 720
    assert (office.counts["long"], office.counts["quick"]) == (1, 1)


def test_one_slow_run_makes_a_kind_long_for_a_while(office):
    office._learn("k", 0.001)
    office._learn("k", 2 * QUICK)
    office._learn("k", 0.001)
    office.start(math.factorial, 5, kind="k").result()
    assert (office.counts["long"], office.counts["quick"]) == (1, 0)
    # That one was quick again, and so the next may run at once.
    office.start(math.factorial, 6, kind="k").result()
    assert (office.counts["long"], office.counts["quick"]) == (1, 1)


def test_what_is_slow_for_good_reason_stays_long(office):
    office._learn("k", 2 * COLD)
    for _ in range(100):
        office._learn("k", 0.001)
    office.start(math.factorial, 5, kind="k").result()
    assert (office.counts["long"], office.counts["quick"]) == (1, 0)


def test_what_was_long_once_is_no_visitors_own_however_short_it_was_at_last(office):
    # In the long lane's process tables may be filled, of which the visitor's own knows nothing.
    office._learn("k", 2 * scheduler.SHORT)
    job = office.start(os.getpid, kind="k")
    assert job.result() != os.getpid()
    again = office.start(os.getppid, kind="k")
    assert again.result() == os.getpid()


def test_what_is_quick_with_tables_alone_goes_where_they_are(office):
    # Not even what is taken for quick is done here, and what is foreseen to be long is so at once.
    tame = office.start(os.getpid, kind="tame", place="worker")
    assert tame.result() != os.getpid()
    for place in (1, 2):
        foreseen = office.start(math.factorial, place, kind="f", place="long")
        assert foreseen.result() == place
        assert foreseen.pool == "long"
    # Once it was long it stays there.
    office._learn("k", 2 * scheduler.SHORT)
    for n in (7, 8):
        job = office.start(math.factorial, n, kind="k", place="worker")
        assert job.result() == math.factorial(n)
        assert job.pool == "long"


def test_the_worker_is_another_process_of_low_priority(office):
    assert office.start(os.getpid, kind="pid").result() != os.getpid()
    assert office.start(os.nice, 0, kind="nice").result() == os.nice(0) + NICENESS["short"]


def test_a_picture_comes_back_as_the_page_has_it(office):
    scenario = Scenario(concept="point", learners=("erm",), d=16)
    there = office.start(draw.picture, scenario, "m", kind="picture").result()
    here = draw.picture(scenario, "m")
    assert there.title == here.title
    assert there.table == here.table


@pytest.mark.parametrize("quick", [True, False])
def test_bad_input_is_the_same_sentence_wherever_it_ran(office, quick):
    kind = quickly(office) if quick else "long"
    scenario = Scenario(concept="point", learners=("erm",))
    with pytest.raises(InputError, match=r"view must be one of .*; got nothing\."):
        office.start(draw.picture, scenario, "nothing", kind=kind).result()
    office.start(draw.picture, scenario, "nothing", kind=kind)
    assert office.counts["hits"] == 1  # it will be as bad next time


@pytest.mark.whole
def test_time_is_bounded():
    office = Scheduler(longest=0.5)
    try:
        with pytest.raises(InputError, match=r"must take at most 0\.5 s"):
            office.start(time.sleep, PATIENCE, kind="s").result()
        # Nobody makes it run again.
        office.start(time.sleep, PATIENCE, kind="s")
        assert office.counts["hits"] == 1
    finally:
        office.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no limits for a process")
def test_memory_is_bounded(office):
    with pytest.raises(InputError, match="must fit in"):
        office.start(bytes, 4 * worker.MEMORY, kind="b").result()


def test_a_failure_says_little_here_and_all_in_the_log(office, caplog):
    with pytest.raises(RuntimeError, match="failed: TypeError"):
        office.start(math.factorial, "x", kind="f").result()
    assert "Traceback" in caplog.text
    assert office.start(math.factorial, 3, kind="g").result() == 6


def test_a_worker_that_dies_is_replaced_and_visitors_are_told_to_try_again(office):
    says = "must run to its end to be shown; got a worker that ended before it: try again"
    with pytest.raises(InputError, match=says):
        office.start(os._exit, 3, kind="x").result()
    assert office.start(math.factorial, 3, kind="f").result() == 6
    # And one that has just answered: it may have died since, so the call is tried with another.
    with pytest.raises(InputError, match=says):
        office.start(os._exit, 4, kind="x").result()
    assert office.start(math.factorial, 4, kind="f").result() == 24
    # It is not what will be the same next time.
    with pytest.raises(InputError, match=says):
        office.start(os._exit, 4, kind="x").result()
    assert (office.counts["lost"], office.counts["hits"]) == (3, 0)


def test_a_large_result_takes_the_room_of_several():
    office = Scheduler(entries=4)
    kind = quickly(office)
    office.start(bytes, 3 * scheduler.UNIT, kind=kind).result()
    assert len(office._kept) == 1
    assert office._kept.currsize == 4
    office.start(bytes, 1, kind=kind).result()
    assert office._kept.currsize == 1  # the large one had to go


# --- The process ---------------------------------------------------------------------------------


def test_a_worker_that_died_in_its_sleep_is_nobodys_loss(office):
    # Killed by the system for its memory, say: the next visitor's request is the first to notice.
    pid = office.start(os.getpid, kind="pid").result()
    os.kill(pid, signal.SIGTERM)
    assert office.start(math.factorial, 5, kind="f").result() == 120


def test_the_servers_main_module_is_not_run_again(office, tmp_path, monkeypatch):
    # Streamlit makes the page that it runs the main module; spawned processes run that first.
    page, trace = tmp_path / "page.py", tmp_path / "trace"
    page.write_text(f"open({str(trace)!r}, 'w').close()")
    main = types.ModuleType("__main__")
    main.__file__ = str(page)
    monkeypatch.setitem(sys.modules, "__main__", main)
    assert office.start(math.factorial, 5, kind="f").result() == 120
    assert not trace.exists()


BUSY = """
import sys
from pages.shared.scheduling.scheduler import SCHEDULER, Priority, start
SCHEDULER._learn("s", 10.0)  # as known to be long: not in the lane that ends it soon by itself
busy = "import time; print('busy', flush=True); time.sleep(50)"
start(exec, busy, kind="s")  # in the worker
start(exec, busy + "  # a strip", kind="strip", priority=Priority.FRAMES)  # in that of frames
sys.stdin.readline()
"""


# The end may come between loky's giving back a semaphore and its telling so whoever tidies up.
GONE = re.compile(
    r".*resource_tracker\.py:\d+: UserWarning: resource_tracker: /loky-.*FileNotFoundError.*\n"
    r" *warnings\.warn.*\n"
)


@pytest.mark.parametrize("how", ["end", "kill"])
def test_no_worker_outlives_its_server(how):
    # Whatever is left holds the output open, and then `communicate` does not come back.
    server = subprocess.Popen(
        [sys.executable, "-c", BUSY],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert [server.stdout.readline() for _ in range(2)] == 2 * ["busy\n"]
    if how == "kill":
        server.kill()
    _, said = server.communicate("\n" if how == "end" else None, timeout=PATIENCE)
    assert how == "kill" or not GONE.sub("", said)


def test_a_worker_tells_how_far_it_is_and_forgets_it():
    one = worker.Worker()
    try:
        one.compute(worker.tell, (0.25,), {}).result()
        assert one.told() == 0.25
        one.compute(int, (), {}).result()
        assert one.told() is None  # another call, which says nothing
    finally:
        one.stop()


# --- Another computer -----------------------------------------------------------------------------


@pytest.fixture
def threads():
    """An office whose workers are threads: they take calls as processes do, and cannot be killed."""
    office = Scheduler(short=0.2, longest=0.4, worker=lambda _: Threads())
    yield office
    office.close()


def test_another_computer_can_stand_in_the_place_of_processes(threads):
    assert threads.start(math.factorial, 5, kind="f").result() == 120
    with pytest.raises(RuntimeError, match="failed: TypeError"):
        threads.start(math.factorial, "x", kind="g").result()
    assert threads.counts["long"] == 2


def test_what_cannot_be_stopped_is_left_alone_and_holds_nobody_up(threads):
    release = threading.Event()
    try:
        with pytest.raises(InputError, match=r"must take at most 0\.4 s"):
            threads.start(release.wait, PATIENCE, kind="e").result()
        first = threads.start(release.wait, PATIENCE + 1, kind="e")
        reach(first, "running")
        with first:
            pass
        assert threads.start(math.factorial, 5, kind="e").result() == 120
        assert first.state == "stopped"
    finally:
        release.set()
