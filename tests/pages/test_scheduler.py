"""Who computes what, and when: kept, joined, learned; who comes first; what is stopped, and how."""

import contextlib
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
import types
from types import SimpleNamespace

import psutil
import pytest

from pages.shared.scheduling import scheduler, waiting, worker
from pages.shared.scheduling.scheduler import COLD, NICENESS, QUICK, Priority, Scheduler
from privsc_core import draw
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from tests.pages.loops import process_after
from tests.pages.schedulers import PATIENCE, Threads, reach

AWHILE = 2.0  # seconds that a computation lasts while others are asked for


def quickly(tasks, kind="q"):
    """Make a kind known as quick."""
    tasks._learn(kind, 0.0)
    return kind


def test_equal_requests_are_computed_once(tasks):
    started, release, calls = threading.Event(), threading.Event(), []

    def slowly(x):
        calls.append(x)
        started.set()
        release.wait(PATIENCE)
        return [x]

    kind, found = quickly(tasks), []
    threads = [
        threading.Thread(target=lambda: found.append(tasks.start(slowly, 7, kind=kind).result()))
        for _ in range(20)
    ]
    threads[0].start()
    assert started.wait(PATIENCE)
    for thread in threads[1:]:
        thread.start()
    ends = time.monotonic() + PATIENCE
    while tasks.counts["joined"] < 19 and time.monotonic() < ends:
        threads[1].join(0.01)
    release.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert calls == [7]
    assert len(found) == 20
    assert all(value is found[0] for value in found)
    assert tasks.start(slowly, 7, kind=kind).result() is found[0]
    assert tasks.counts["hits"] == 1


def test_results_kept_are_bounded():
    tasks, calls = Scheduler(entries=3), []

    def note(x):
        calls.append(x)
        return x

    kind = quickly(tasks)
    for x in (1, 2, 3, 1, 4, 1, 2):  # 4 pushes out 2, which was used longest ago
        tasks.start(note, x, kind=kind)
    assert calls == [1, 2, 3, 4, 2]
    assert len(tasks._kept) == 3


def test_an_unknown_kind_is_taken_for_long_and_learned(tasks):
    assert tasks.start(math.factorial, 5, kind="new").result() == 120
    assert tasks.counts["long"] == 1
    assert tasks.start(math.factorial, 6, kind="new").result() == 720
    assert (tasks.counts["long"], tasks.counts["quick"]) == (1, 1)


def test_one_slow_run_makes_a_kind_long_for_a_while(tasks):
    tasks._learn("k", 0.001)
    tasks._learn("k", 2 * QUICK)
    tasks._learn("k", 0.001)
    tasks.start(math.factorial, 5, kind="k").result()
    assert (tasks.counts["long"], tasks.counts["quick"]) == (1, 0)
    # That one was quick again, and so the next may run at once.
    tasks.start(math.factorial, 6, kind="k").result()
    assert (tasks.counts["long"], tasks.counts["quick"]) == (1, 1)


def test_what_is_slow_for_good_reason_stays_long(tasks):
    tasks._learn("k", 2 * COLD)
    for _ in range(100):
        tasks._learn("k", 0.001)
    tasks.start(math.factorial, 5, kind="k").result()
    assert (tasks.counts["long"], tasks.counts["quick"]) == (1, 0)


def test_what_was_long_once_is_no_visitors_own_however_short_it_was_at_last(tasks):
    # In the long lane's process tables may be filled, of which the visitor's own knows nothing.
    tasks._learn("k", 2 * scheduler.SHORT)
    job = tasks.start(os.getpid, kind="k")
    assert job.result() != os.getpid()
    again = tasks.start(os.getppid, kind="k")
    assert again.result() == os.getpid()


def test_what_is_quick_with_tables_alone_goes_where_they_are(tasks):
    # Not even what is taken for quick is done here, and what is foreseen to be long is so at once.
    tame = tasks.start(os.getpid, kind="tame", run_in="worker")
    assert tame.result() != os.getpid()
    for place in (1, 2):
        foreseen = tasks.start(math.factorial, place, kind="f", run_in="long")
        assert foreseen.result() == place
        assert foreseen.pool == "long"
    # Once it was long it stays there.
    tasks._learn("k", 2 * scheduler.SHORT)
    for n in (7, 8):
        job = tasks.start(math.factorial, n, kind="k", run_in="worker")
        assert job.result() == math.factorial(n)
        assert job.pool == "long"


def test_the_worker_is_another_process_of_low_priority(tasks):
    assert tasks.start(os.getpid, kind="pid").result() != os.getpid()
    assert tasks.start(os.nice, 0, kind="nice").result() == os.nice(0) + NICENESS["short"]


def test_a_picture_comes_back_as_the_page_has_it(tasks):
    scenario = Scenario(concept="point", learners=("erm",), d=16)
    there = tasks.start(draw.picture, scenario, "m", kind="picture").result()
    here = draw.picture(scenario, "m")
    assert there.title == here.title
    assert there.table == here.table


@pytest.mark.parametrize("quick", [True, False])
def test_bad_input_is_the_same_sentence_wherever_it_ran(tasks, quick):
    kind = quickly(tasks) if quick else "long"
    scenario = Scenario(concept="point", learners=("erm",))
    with pytest.raises(InputError, match=r"view must be one of .*; got nothing\."):
        tasks.start(draw.picture, scenario, "nothing", kind=kind).result()
    tasks.start(draw.picture, scenario, "nothing", kind=kind)
    assert tasks.counts["hits"] == 1  # it will be as bad next time


@pytest.mark.whole
def test_time_is_bounded():
    tasks = Scheduler(longest=0.5)
    try:
        with pytest.raises(InputError, match=r"must take at most 0\.5 s"):
            tasks.start(time.sleep, PATIENCE, kind="s").result()
        # Nobody makes it run again.
        tasks.start(time.sleep, PATIENCE, kind="s")
        assert tasks.counts["hits"] == 1
    finally:
        tasks.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no limits for a process")
def test_memory_is_bounded(tasks):
    with pytest.raises(InputError, match="must fit in"):
        tasks.start(bytes, 4 * worker.MEMORY, kind="b").result()


def test_a_failure_says_little_here_and_all_in_the_log(tasks, caplog):
    with pytest.raises(RuntimeError, match="failed: TypeError"):
        tasks.start(math.factorial, "x", kind="f").result()
    assert "Traceback" in caplog.text
    assert tasks.start(math.factorial, 3, kind="g").result() == 6


def test_a_worker_that_dies_is_replaced_and_visitors_are_told_to_try_again(tasks):
    says = "must run to its end to be shown; got a worker that ended before it: try again"
    with pytest.raises(InputError, match=says):
        tasks.start(os._exit, 3, kind="x").result()
    assert tasks.start(math.factorial, 3, kind="f").result() == 6
    # And one that has just answered: it may have died since, so the call is tried with another.
    with pytest.raises(InputError, match=says):
        tasks.start(os._exit, 4, kind="x").result()
    assert tasks.start(math.factorial, 4, kind="f").result() == 24
    # It is not what will be the same next time.
    with pytest.raises(InputError, match=says):
        tasks.start(os._exit, 4, kind="x").result()
    assert (tasks.counts["lost"], tasks.counts["hits"]) == (3, 0)


def test_a_large_result_takes_the_room_of_several():
    tasks = Scheduler(entries=4)
    kind = quickly(tasks)
    tasks.start(bytes, 3 * scheduler.UNIT, kind=kind).result()
    assert len(tasks._kept) == 1
    assert tasks._kept.currsize == 4
    tasks.start(bytes, 1, kind=kind).result()
    assert tasks._kept.currsize == 1  # the large one had to go


# --- Who comes first, and what is stopped --------------------------------------------------------


def test_the_last_one_to_leave_stops_it(tasks):
    tasks._learn("s", 2 * scheduler.SHORT)  # what is brief would end by itself
    first = tasks.start(time.sleep, PATIENCE, kind="s")
    second = tasks.start(time.sleep, PATIENCE, kind="s")
    assert first is second
    reach(first, "running")
    with first:
        pass
    assert first.state == "running"
    with second:
        pass
    assert second.wait(PATIENCE)
    assert second.state == "stopped"
    with pytest.raises(RuntimeError, match="stopped"):
        second.result()
    # The next one is computed, by a new worker.
    assert tasks.start(math.factorial, 5, kind="s").result() == 120


def test_what_lingers_is_there_for_who_comes_back_at_once(tasks, monkeypatch):
    monkeypatch.setattr(scheduler, "LINGERS", 0.5)
    tasks._learn("s", 2 * scheduler.SHORT)
    first = tasks.start(time.sleep, PATIENCE, kind="s")
    reach(first, "running")
    with first:
        first.linger()
    second = tasks.start(time.sleep, PATIENCE, kind="s")
    assert second is first
    assert not second.wait(3 * scheduler.LINGERS)  # the one who came back keeps it
    with second:
        second.linger()
    assert second.wait(PATIENCE)  # nobody came back
    assert second.state == "stopped"


def test_what_is_brief_ends_though_nobody_waits_for_it(tasks):
    # A worker that is ended is another's wait for a new one.
    pid = tasks.start(os.getpid, kind="pid").result()
    job = tasks.start(time.sleep, 0.3, kind="s")
    reach(job, "running")
    with job:
        pass
    assert job.wait(PATIENCE)
    assert job.state == "done"
    assert tasks.start(time.sleep, 0.3, kind="s") is job  # kept
    assert tasks.start(os.getpid, kind="again").result() == pid


def test_what_nobody_waits_for_is_killed(tasks):
    tasks._learn("pid", 2 * scheduler.SHORT)
    tasks._learn("s", 2 * scheduler.SHORT)
    pid = tasks.start(os.getpid, kind="pid").result()
    job = tasks.start(time.sleep, PATIENCE, kind="s")
    reach(job, "running")
    with job:
        pass
    ends, nothing = time.monotonic() + PATIENCE / 2, threading.Event()
    while psutil.pid_exists(pid):
        assert time.monotonic() < ends
        nothing.wait(0.01)


def test_who_comes_back_to_what_was_just_stopped_gets_an_answer(tasks):
    # A slider moved on and back: the same call, while the first one is still being ended.
    tasks._learn("s", 2 * scheduler.SHORT)
    first = tasks.start(time.sleep, 1.0, kind="s")
    reach(first, "running")
    with first:
        pass
    second = tasks.start(time.sleep, 1.0, kind="s")
    assert second is not first
    assert second.result() is None
    assert first.wait(PATIENCE)
    assert first.state == "stopped"
    assert tasks.start(time.sleep, 1.0, kind="s") is second  # kept


def test_the_queue_is_said_and_kept_in_order():
    with contextlib.closing(Scheduler(longest=PATIENCE, short=PATIENCE)) as tasks:
        first = tasks.start(time.sleep, AWHILE, kind="s")
        reach(first, "running")
        second = tasks.start(math.factorial, 3, kind="f")
        third = tasks.start(math.factorial, 4, kind="f")
        assert (second.ahead, third.ahead) == (1, 2)
        assert waiting.status(third)[1] == "Queued: 2 longer computations of other visitors first."
        assert "Computing" in waiting.status(first)[1]
        with second:
            pass
        assert (second.state, third.ahead) == ("stopped", 1)
        with first:
            pass
        assert third.result() == 24


def test_a_full_queue_is_refused():
    tasks = Scheduler(waiting=0)
    with pytest.raises(InputError, match="This computation must wait"):
        tasks.start(math.factorial, 3, kind="f")


@pytest.mark.whole
def test_a_long_one_moves_to_its_own_lane_and_lets_the_others_pass():
    tasks = Scheduler(short=0.5, longest=PATIENCE)
    try:
        assert tasks.start(math.factorial, 3, kind="warm").result() == 6
        long = tasks.start(time.sleep, 3, kind="long")
        short = tasks.start(math.factorial, 5, kind="short")
        assert short.result() == 120
        assert long.state in {"waiting", "running"}
        # The same kind again is known now: it queues behind the first, in the second lane.
        again = tasks.start(time.sleep, 0.1, kind="long")
        assert (again.pool, long.pool, short.pool) == ("long", "long", "short")
        assert again.result() is None
        assert long.state == "done"
        # What was slow once may be so again, however quick the last one was.
        quick = tasks.start(math.factorial, 6, kind="long")
        assert quick.pool == "long"
        assert quick.result() == 720
    finally:
        tasks.close()


@pytest.mark.whole
def test_a_loop_that_is_heard_ends_in_time_and_its_worker_lives_on(monkeypatch):
    # On a busy machine a second of a processor may take many by the clock.
    monkeypatch.setattr(scheduler, "DEAF", 2.0 * PATIENCE)
    tasks = Scheduler(short=0.5, longest=1.0)
    try:
        before = tasks.start(process_after, 0.0, kind="first").result()
        with pytest.raises(InputError, match="must take at most 1 s"):
            tasks.start(process_after, PATIENCE, kind="long").result()
        assert tasks.start(process_after, 0.01, kind="last").result() == before
    finally:
        tasks.close()


def test_what_nobody_waits_for_lets_all_others_pass_until_somebody_does(tasks):
    first = tasks.start(time.sleep, 1.0, kind="s")
    reach(first, "running")
    prepared = [
        tasks.start(math.factorial, n, kind="f", priority=Priority.PREPARED) for n in (3, 4)
    ]
    asked = tasks.start(math.factorial, 5, kind="f")
    assert [asked.ahead, *(job.ahead for job in prepared)] == [1, 2, 3]
    assert tasks.start(math.factorial, 4, kind="f") is prepared[1]  # a visitor asks for it now
    assert [asked.ahead, prepared[1].ahead, prepared[0].ahead] == [1, 2, 3]
    first.leave()
    assert prepared[0].result() == 6


def test_what_is_short_passes_what_is_long_for_a_while(monkeypatch):
    with contextlib.closing(Scheduler(longest=PATIENCE, short=PATIENCE)) as tasks:
        for kind, seconds in (("short", 0.1), ("long", scheduler.COLD)):
            tasks._learn(kind, seconds)
        first = tasks.start(time.sleep, AWHILE, kind="s")
        reach(first, "running")
        long, short = (
            tasks.start(math.factorial, n, kind=k) for n, k in ((3, "long"), (4, "short"))
        )
        assert [short.ahead, long.ahead] == [1, 2]
        now = time.monotonic
        monkeypatch.setattr(time, "monotonic", lambda: now() + 10.0)
        late = tasks.start(math.factorial, 5, kind="short")
        assert [short.ahead, long.ahead, late.ahead] == [1, 2, 3]
        monkeypatch.undo()
        first.leave()
        assert late.result() == 120


def test_what_is_slow_is_computed_elsewhere_while_there_is_time(tasks):
    tasks._learn("slow", 2 * scheduler.COLD)
    first = tasks.start(time.sleep, 1.0, kind="slow")
    quick = tasks.start(math.factorial, 3, kind="new")
    second = tasks.start(time.sleep, 0.0, kind="slow")
    assert [first.pool, quick.pool, second.pool] == ["long", "short", "short"]
    assert quick.result() == 6
    assert first.state in {"waiting", "running"}


def test_what_nobody_has_run_yet_is_tried_and_goes_on_where_there_is_time(monkeypatch):
    monkeypatch.setattr(scheduler, "TRIAL", 0.05)
    with contextlib.closing(Scheduler(longest=PATIENCE, short=PATIENCE)) as tasks:
        first = tasks.start(process_after, 0.3, kind="new")
        assert first.pool == "short"
        first.result()
        assert first.pool == "long"
        with contextlib.closing(Scheduler(longest=PATIENCE, short=PATIENCE)) as full:
            full.start(
                time.sleep, 0.5, kind="s", run_in="long"
            )  # no time there: it ends where it begins
            second = full.start(process_after, 0.3, kind="new")
            assert second.limit == PATIENCE
            second.result()
            assert second.pool == "short"


def test_what_was_to_end_soon_and_does_not_is_stopped_when_nobody_waits():
    with contextlib.closing(Scheduler(longest=PATIENCE, short=0.5)) as tasks:
        tasks._learn("s", 2 * scheduler.COLD - 0.01)
        job = tasks.start(time.sleep, PATIENCE, kind="s")
        assert job.pool == "long"
        reach(job, "running")
        with job:
            pass
        assert job.state == "running"
        assert job.wait(PATIENCE / 2)
        assert job.state == "stopped"


@pytest.mark.parametrize(
    ("clock", "used", "rests"),
    [(0.019, 0.0, 0), (0.1, 0.09, 0), (0.1, 0.05, 1), (0.1, 0.03, 1), (0.1, 0.01, 0)],
)
def test_strips_stand_back_where_others_share_the_processor_evenly(monkeypatch, clock, used, rests):
    rested, now = [], [0.0, 0.0]
    monkeypatch.setattr(worker.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(worker.time, "thread_time", lambda: now[1])
    monkeypatch.setattr(worker.time, "sleep", rested.append)
    stand_back = worker._Standing()
    now[:] = clock, used
    stand_back()
    assert len(rested) == rests


def test_strips_begin_only_while_nobody_waits_in_the_first_lane():
    with contextlib.closing(Scheduler(longest=PATIENCE, short=PATIENCE)) as tasks:
        first = tasks.start(time.sleep, 1.0, kind="s")
        reach(first, "running")
        second = tasks.start(time.sleep, PATIENCE, kind="s")
        strip = tasks.start(math.factorial, 3, kind="f", priority=Priority.FRAMES)
        while True:
            begun = strip.state != "waiting"  # first: a moment later both may have begun
            if second.state != "waiting":
                break
            assert not begun
            second.wait(0.01)
        assert strip.result() == 6


# Planted: nobody told the process of frames that a task had left the queue.
def test_frames_begin_when_what_waited_before_them_is_left():
    release = threading.Event()
    with contextlib.closing(Scheduler(short=PATIENCE, worker=lambda _: Threads())) as tasks:
        first = tasks.start(release.wait, PATIENCE, kind="s")
        reach(first, "running")
        second = tasks.start(release.wait, 2 * PATIENCE, kind="s")
        frames = tasks.start(math.factorial, 3, kind="f", priority=Priority.FRAMES)
        assert not frames.wait(0.1)
        second.leave()
        try:
            assert frames.wait(PATIENCE)
            assert first.state == "running"
        finally:
            release.set()


def test_of_what_a_page_can_do_without_the_newest_comes_first_and_the_oldest_is_given_up():
    tasks = Scheduler(waiting=3)
    side = {"priority": Priority.FRAMES}
    try:
        first = tasks.start(time.sleep, AWHILE, kind="s", **side)
        reach(first, "running")
        asked = [tasks.start(math.factorial, n, kind="f", **side) for n in (3, 4, 5)]
        assert [job.ahead for job in asked] == [3, 2, 1]
        assert tasks.start(math.factorial, 3, kind="f", **side) is asked[0]  # asked for again
        assert [job.ahead for job in asked] == [1, 3, 2]
        last = tasks.start(math.factorial, 6, kind="f", **side)
        assert [job.state for job in asked] == ["waiting", "stopped", "waiting"]
        waited_for = tasks.start(math.factorial, 8, kind="s", run_in="frames")
        tasks.start(math.factorial, 4, kind="f", **side)  # newer, and gives up the oldest again
        assert (waited_for.ahead, asked[2].state) == (1, "stopped")
        assert tasks.start(math.factorial, 7, kind="other").result() == 5040  # in nobody's way
        first.leave()
        assert [job.result() for job in (waited_for, last, asked[0])] == [40320, 720, 6]
    finally:
        tasks.close()


SIDE = {"priority": Priority.FRAMES}


@pytest.fixture
def slow_strip():
    """A scheduler with a slow strip under way: the process that draws it, and its job."""
    with contextlib.closing(Scheduler()) as tasks:
        pid = tasks.start(os.getpid, kind="pid", **SIDE).result()
        slow = tasks.start(process_after, 3 * worker.SLICE, kind="slow", **SIDE)
        reach(slow, "running")
        yield tasks, pid, slow


def test_of_what_a_page_can_do_without_what_is_slow_gives_way_to_what_is_not(slow_strip):
    tasks, pid, slow = slow_strip
    short = [tasks.start(math.factorial, n, kind="f", **SIDE) for n in (3, 4)]
    assert [job.result() for job in short] == [6, 24]
    reach(slow, "running")  # again
    assert tasks.start(math.factorial, 5, kind="f", **SIDE).result() == 120
    assert slow.state in {"waiting", "running"}
    assert slow.result() == pid  # its process lives on
    # It is known now, and comes last.
    running = tasks.start(time.sleep, AWHILE, kind="slow", **SIDE)  # deaf: it gives no way
    reach(running, "running")
    other = tasks.start(process_after, 0.1, kind="slow", **SIDE)
    newer = tasks.start(math.factorial, 6, kind="f", **SIDE)
    assert (newer.ahead, other.ahead) == (1, 2)
    assert newer.result() == 720


def test_what_somebody_waits_for_gives_no_way_to_what_a_page_can_do_without():
    with contextlib.closing(Scheduler()) as tasks:
        waited = tasks.start(process_after, 2 * worker.SLICE, kind="slow", run_in="frames")
        reach(waited, "running")
        strip = tasks.start(math.factorial, 3, kind="f", **SIDE)
        waited.result()
        assert not waited.slow
        assert strip.result() == 6


def test_frames_that_got_no_processor_are_not_refused_for_ever(monkeypatch):
    monkeypatch.setattr(scheduler, "FRAMES_MOST", 0.05)
    with contextlib.closing(Scheduler()) as tasks:
        starved = tasks.start(
            time.sleep, 10.0 * PATIENCE, kind="slow", **SIDE
        )  # takes no time of one
        with pytest.raises(InputError, match="try again"):
            starved.result()
        assert starved.state == "lost"
        assert tasks.start(time.sleep, 10.0 * PATIENCE, kind="slow", **SIDE) is not starved


def test_what_is_slow_and_left_makes_room_and_its_process_lives_on(slow_strip):
    tasks, pid, left = slow_strip
    left.leave()
    assert left.wait(PATIENCE)
    assert left.state == "stopped"
    assert tasks.start(process_after, 0.0, kind="f", **SIDE).result() == pid


def test_one_call_is_hurried_and_not_the_next(monkeypatch):
    monkeypatch.setattr(worker._Telling, "pipe", SimpleNamespace(send=lambda _share: None))
    monkeypatch.setattr(worker._Telling, "hurried", True)
    with pytest.raises(worker.GaveWayError):
        worker.run(process_after, (1.2 * worker.SLICE,), {})
    assert worker.run(process_after, (1.2 * worker.SLICE,), {})[0] == os.getpid()


def test_what_nobody_waits_for_takes_no_place_in_the_queue():
    tasks = Scheduler(waiting=1)
    try:
        first = tasks.start(time.sleep, PATIENCE, kind="s")
        reach(first, "running")
        tasks.start(math.factorial, 3, kind="f", priority=Priority.PREPARED)
        tasks.start(math.factorial, 4, kind="f")
        for priority in (Priority.PREPARED, Priority.ASKED):
            with pytest.raises(InputError, match="a full queue"):
                tasks.start(math.factorial, 5, kind="f", priority=priority)
        first.leave()
    finally:
        tasks.close()


@pytest.mark.whole
def test_what_is_to_be_brief_is_given_up(monkeypatch):
    monkeypatch.setattr(scheduler, "FRAMES_MOST", 0.5)
    tasks = Scheduler(longest=PATIENCE)
    try:
        with pytest.raises(InputError, match=r"must take at most 0\.5 s"):
            tasks.start(time.sleep, PATIENCE, kind="s", priority=Priority.FRAMES).result()
        # Known for all visitors; and no reason to take others of its kind for long.
        tasks.start(time.sleep, PATIENCE, kind="s", priority=Priority.FRAMES)
        assert tasks.counts["hits"] == 1
        assert tasks.start(math.factorial, 3, kind="s").result() == 6
    finally:
        tasks.close()


# --- The process ---------------------------------------------------------------------------------


def test_a_worker_that_died_in_its_sleep_is_nobodys_loss(tasks):
    # Killed by the system for its memory, say: the next visitor's request is the first to notice.
    pid = tasks.start(os.getpid, kind="pid").result()
    os.kill(pid, signal.SIGTERM)
    assert tasks.start(math.factorial, 5, kind="f").result() == 120


def test_the_servers_main_module_is_not_run_again(tasks, tmp_path, monkeypatch):
    # Streamlit makes the page that it runs the main module; spawned processes run that first.
    page, trace = tmp_path / "page.py", tmp_path / "trace"
    page.write_text(f"open({str(trace)!r}, 'w').close()")
    main = types.ModuleType("__main__")
    main.__file__ = str(page)
    monkeypatch.setitem(sys.modules, "__main__", main)
    assert tasks.start(math.factorial, 5, kind="f").result() == 120
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
        one.compute((worker.tell, (0.25,), {})).result()
        assert one.told() == 0.25
        one.compute((int, (), {})).result()
        assert one.told() is None  # another call, which says nothing
    finally:
        one.stop()


# --- Another computer -----------------------------------------------------------------------------


@pytest.fixture
def threads():
    """A scheduler whose workers are threads: they take calls as processes do, and cannot be killed."""
    tasks = Scheduler(short=0.2, longest=0.4, worker=lambda _: Threads())
    yield tasks
    tasks.close()


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
