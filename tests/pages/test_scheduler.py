"""Who computes what, and when: kept, joined, learned; who comes first; what is stopped, and how.

The rules are asked of schedulers whose workers are threads (schedulers.py); what processes alone can
do, of a few processes at the end.
"""

import contextlib
import math
import os
import signal
import subprocess
import sys
import threading
import time
import types
from concurrent.futures import BrokenExecutor

import psutil
import pytest

from pages.shared.scheduling import scheduler, waiting, worker
from pages.shared.scheduling.scheduler import COLD, NICENESS, QUICK, SHORT, Priority, Scheduler
from privsc_core import draw, progress
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from tests.pages.loops import process_after, without_slices
from tests.pages.schedulers import FRAMES, PATIENCE, known, reach, thread

# --- What is kept, joined and learned ------------------------------------------------------------


def test_equal_requests_are_computed_once(threads):
    started, release, calls, tasks = threading.Event(), threading.Event(), [], threads()

    def slowly(x):
        calls.append(x)
        started.set()
        release.wait(PATIENCE)
        return [x]

    def ask():
        found.append(tasks.start(slowly, 7, kind="q", run_in="here").result())

    found, visitors = [], [threading.Thread(target=ask) for _ in range(20)]
    visitors[0].start()
    assert started.wait(PATIENCE)
    for visitor in visitors[1:]:
        visitor.start()
    ends = time.monotonic() + PATIENCE
    while tasks.counts["joined"] < 19 and time.monotonic() < ends:
        visitors[1].join(0.01)
    release.set()
    for visitor in visitors:
        visitor.join(PATIENCE)
    assert calls == [7]
    assert len(found) == 20
    assert all(value is found[0] for value in found)
    assert tasks.start(slowly, 7, kind="q").result() is found[0]
    assert tasks.counts["hits"] == 1


def test_results_kept_are_bounded(threads):
    tasks, calls = threads(entries=3), []

    def note(x):
        calls.append(x)
        return x

    for x in (1, 2, 3, 1, 4, 1, 2):  # 4 pushes out 2, which was used longest ago
        tasks.start(note, x, kind="q", run_in="here")
    assert calls == [1, 2, 3, 4, 2]
    # A large result takes the room of several.
    tasks.start(bytes, 2 * scheduler.UNIT, kind="q", run_in="here")
    tasks.start(note, 2, kind="q", run_in="here")
    assert calls[5:] == [2]
    assert tasks.kept(bytes, 2 * scheduler.UNIT) is None


@pytest.mark.parametrize(
    ("seconds", "then"),
    [
        ([], ["long", "quick"]),  # what has not run yet is taken for long
        ([0.001, 2 * QUICK, 0.001], ["long", "quick"]),  # one slow run is remembered for a while
        (
            [2 * COLD, *[0.001] * 100],
            ["long", "long"],
        ),  # and what is slow for good reason, for good
    ],
)
def test_a_kind_is_quick_once_it_was_so_for_a_while(threads, seconds, then):
    tasks = threads()
    known(tasks, "k", *seconds)
    for place, pool in enumerate(then):
        before = tasks.counts[pool]
        assert tasks.start(math.factorial, place, kind="k").result() == 1
        assert tasks.counts[pool] == before + 1


def test_what_is_quick_with_tables_alone_goes_where_they_are(threads):
    tasks = threads()
    # In the long lane's process tables may be filled, of which the visitor's own knows nothing.
    known(tasks, "k", 2 * SHORT)
    for place in (1, 2):
        assert tasks.start(thread, place, kind="k").result() != thread()
    # Not even what is taken for quick is done here, and what is foreseen to be long is so at once.
    assert tasks.start(thread, kind="tame", run_in="worker").result() != thread()
    for place in (1, 2):
        foreseen = tasks.start(math.factorial, place, kind="f", run_in="long")
        assert (foreseen.result(), foreseen.pool) == (place, "long")
    # Once it was long it stays there.
    known(tasks, "l", 2 * SHORT)
    for place in (1, 2):
        job = tasks.start(abs, place, kind="l", run_in="worker")
        assert (job.result(), job.pool) == (place, "long")


# --- Who comes first -----------------------------------------------------------------------------


def test_the_queue_is_said_and_kept_in_order(threads, held):
    tasks = threads()
    first = tasks.start(held.wait, PATIENCE, kind="s")
    reach(first, "running")
    second = tasks.start(math.factorial, 3, kind="f")
    third = tasks.start(math.factorial, 4, kind="f")
    assert (second.ahead, third.ahead) == (1, 2)
    assert " 2 " in waiting.status(third)[1]
    assert "Computing" in waiting.status(first)[1]
    with second:
        pass
    assert (second.state, third.ahead) == ("stopped", 1)
    held.set()
    assert third.result() == 24


def test_a_full_queue_is_refused_and_what_nobody_waits_for_takes_no_place_in_it(threads, held):
    tasks = threads(waiting=1)
    reach(tasks.start(held.wait, PATIENCE, kind="s"), "running")
    tasks.start(math.factorial, 3, kind="f", priority=Priority.PREPARED)
    tasks.start(math.factorial, 4, kind="f")
    for priority in (Priority.PREPARED, Priority.ASKED):
        with pytest.raises(InputError, match="a full queue"):
            tasks.start(math.factorial, 5, kind="f", priority=priority)


def test_what_nobody_waits_for_lets_all_others_pass_until_somebody_does(threads, held):
    tasks = threads()
    reach(tasks.start(held.wait, PATIENCE, kind="s"), "running")
    prepared = [
        tasks.start(math.factorial, n, kind="f", priority=Priority.PREPARED) for n in (3, 4)
    ]
    asked = tasks.start(math.factorial, 5, kind="f")
    assert [asked.ahead, *(job.ahead for job in prepared)] == [1, 2, 3]
    assert tasks.start(math.factorial, 4, kind="f") is prepared[1]  # a visitor asks for it now
    assert [asked.ahead, prepared[1].ahead, prepared[0].ahead] == [1, 2, 3]
    held.set()
    assert prepared[0].result() == 6


def test_what_is_short_passes_what_is_long_for_a_while(threads, held, monkeypatch):
    tasks = threads()
    for kind, seconds in (("short", 0.1), ("long", COLD)):
        known(tasks, kind, seconds)
    reach(tasks.start(held.wait, PATIENCE, kind="s"), "running")
    long, short = (tasks.start(math.factorial, n, kind=k) for n, k in ((3, "long"), (4, "short")))
    assert [short.ahead, long.ahead] == [1, 2]
    now = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: now() + 10.0)
    late = tasks.start(math.factorial, 5, kind="short")
    assert [short.ahead, long.ahead, late.ahead] == [1, 2, 3]
    monkeypatch.undo()
    held.set()
    assert late.result() == 120


def test_what_is_slow_is_computed_elsewhere_while_there_is_time(threads, held):
    tasks = threads()
    known(tasks, "slow", 2 * COLD)
    first = tasks.start(held.wait, PATIENCE, kind="slow")
    quick = tasks.start(math.factorial, 3, kind="new")
    second = tasks.start(held.wait, 2 * PATIENCE, kind="slow")
    assert [first.pool, quick.pool, second.pool] == ["long", "short", "short"]
    assert quick.result() == 6
    assert first.state in {"waiting", "running"}


def test_what_nobody_has_run_yet_is_tried_and_goes_on_where_there_is_time(
    threads, held, monkeypatch
):
    monkeypatch.setattr(scheduler, "TRIAL", 0.02)
    tasks = threads()
    first = tasks.start(process_after, 0.1, kind="new")
    assert first.pool == "short"
    first.result()
    assert first.pool == "long"
    tasks = threads()
    tasks.start(held.wait, PATIENCE, kind="s", run_in="long")
    # No time there: it ends where it begins.
    second = tasks.start(process_after, 0.1, kind="new")
    assert second.limit == PATIENCE
    second.result()
    assert second.pool == "short"


def test_a_long_one_moves_to_its_own_lane_and_lets_the_others_pass(threads, held, monkeypatch):
    monkeypatch.setattr(scheduler, "DEAF", 0.5)
    tasks = threads(short=0.2)
    long = tasks.start(held.wait, PATIENCE, kind="long")
    short = tasks.start(math.factorial, 5, kind="short")
    assert short.result() == 120
    reach(long, "running")
    # The same kind again is known now: it queues behind the first, in the second lane.
    again = tasks.start(held.wait, 2 * PATIENCE, kind="long")
    assert (again.pool, long.pool, short.pool) == ("long", "long", "short")
    held.set()
    assert again.result()
    assert long.state == "done"
    # What was slow once may be so again, however quick the last one was.
    assert tasks.start(math.factorial, 6, kind="long").pool == "long"


# Planted: no call woke the process of frames when a task had left the queue.
def test_frames_begin_when_nobody_waits_in_the_first_lane_any_more(threads, held):
    tasks = threads()
    first = tasks.start(held.wait, PATIENCE, kind="s")
    reach(first, "running")
    second = tasks.start(held.wait, 2 * PATIENCE, kind="s")
    frames = tasks.start(math.factorial, 3, kind="f", **FRAMES)
    assert not frames.wait(0.1)
    second.leave()
    assert frames.wait(PATIENCE)
    assert first.state == "running"


def test_of_frames_the_newest_come_first_and_the_oldest_are_given_up(threads, held):
    tasks = threads(waiting=3)
    reach(tasks.start(held.wait, PATIENCE, kind="s", **FRAMES), "running")
    asked = [tasks.start(math.factorial, n, kind="f", **FRAMES) for n in (3, 4, 5)]
    assert [job.ahead for job in asked] == [3, 2, 1]
    assert tasks.start(math.factorial, 3, kind="f", **FRAMES) is asked[0]  # asked for again
    assert [job.ahead for job in asked] == [1, 3, 2]
    last = tasks.start(math.factorial, 6, kind="f", **FRAMES)
    assert [job.state for job in asked] == ["waiting", "stopped", "waiting"]
    waited_for = tasks.start(math.factorial, 8, kind="s", run_in="frames")
    tasks.start(math.factorial, 4, kind="f", **FRAMES)  # newer, and gives up the oldest again
    assert (waited_for.ahead, asked[2].state) == (1, "stopped")
    assert tasks.start(math.factorial, 7, kind="other").result() == 5040  # in nobody's way
    held.set()
    assert [job.result() for job in (waited_for, last, asked[0])] == [40320, 720, 6]


@pytest.fixture
def hasty(threads, monkeypatch):
    """A scheduler of threads whose time slices are nothing."""
    monkeypatch.setattr(worker, "SLICE", 0.0)
    return threads()


def heard(event):
    """Wait for an event, in a loop that is heard."""
    return any(event.wait(0.003) for _ in progress.steps(range(10_000)))


def test_slow_frames_give_way_to_what_is_not_and_come_last(hasty, held):
    slow = hasty.start(heard, held, kind="slow", **FRAMES)
    reach(slow, "running")
    short = [hasty.start(math.factorial, n, kind="f", **FRAMES) for n in (3, 4)]
    assert [job.result() for job in short] == [6, 24]
    assert slow.state in {"waiting", "running"}
    # It is known now, and comes last.
    reach(slow, "running")
    other = hasty.start(held.wait, PATIENCE, kind="slow", **FRAMES)
    deaf = hasty.start(held.wait, 2 * PATIENCE, kind="f", **FRAMES)
    reach(deaf, "running")
    newer = hasty.start(math.factorial, 6, kind="f", **FRAMES)
    assert (newer.ahead, other.ahead) == (1, 2)
    held.set()
    assert slow.result()


def test_what_somebody_waits_for_gives_no_way_to_frames(hasty, held):
    waited = hasty.start(heard, held, kind="slow", run_in="frames")
    reach(waited, "running")
    frames = hasty.start(math.factorial, 3, kind="f", **FRAMES)
    assert not frames.wait(0.05)
    held.set()
    assert waited.result()
    assert not waited.slow
    assert frames.result() == 6


def test_one_call_is_hurried_and_not_the_next(hasty):
    worker._Telling.hurried = True
    with pytest.raises(worker.GaveWayError):
        worker.run(process_after, (0.05,), {})
    assert worker.run(process_after, (0.05,), {})[0] == os.getpid()


@pytest.mark.parametrize(
    ("clock", "used", "rests"),
    [(0.019, 0.0, 0), (0.1, 0.09, 0), (0.1, 0.05, 1), (0.1, 0.03, 1), (0.1, 0.01, 0)],
)
def test_frames_stand_back_where_others_share_the_processor_evenly(monkeypatch, clock, used, rests):
    rested, now = [], [0.0, 0.0]
    monkeypatch.setattr(worker.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(worker.time, "thread_time", lambda: now[1])
    monkeypatch.setattr(worker.time, "sleep", rested.append)
    stand_back = worker._Standing()
    now[:] = clock, used
    stand_back()
    assert len(rested) == rests


# --- What is stopped -----------------------------------------------------------------------------


def test_what_lingers_is_there_for_who_comes_back_at_once(threads, held, monkeypatch):
    monkeypatch.setattr(scheduler, "LINGERS", 0.1)
    tasks = threads()
    first = tasks.start(held.wait, PATIENCE, kind="s", run_in="long")
    reach(first, "running")
    with first:
        first.linger()
    second = tasks.start(held.wait, PATIENCE, kind="s", run_in="long")
    assert second is first
    assert not second.wait(3 * scheduler.LINGERS)  # the one who came back keeps it
    with second:
        second.linger()
    assert second.wait(PATIENCE)  # nobody came back
    assert second.state == "stopped"


def test_what_is_brief_ends_though_nobody_waits_for_it(threads, held):
    # A worker that is ended is another's wait for a new one.
    tasks = threads()
    job = tasks.start(held.wait, PATIENCE, kind="s")
    reach(job, "running")
    with job:
        pass
    held.set()
    assert job.wait(PATIENCE)
    assert job.state == "done"
    assert tasks.start(held.wait, PATIENCE, kind="s") is job  # kept


def test_what_was_to_end_soon_and_does_not_is_stopped_when_nobody_waits(threads, held):
    tasks = threads(short=1.2 * COLD)
    known(tasks, "s", 1.1 * COLD)
    job = tasks.start(held.wait, PATIENCE, kind="s")
    assert job.pool == "long"
    reach(job, "running")
    with job:
        pass
    assert job.state == "running"
    assert job.wait(PATIENCE / 2)
    assert job.state == "stopped"


@pytest.mark.parametrize("how", [{"run_in": "long"}, FRAMES], ids=["long", "frames"])
def test_a_loop_that_is_heard_ends_in_time_and_its_worker_lives_on(threads, monkeypatch, how):
    # On a busy machine a second of a processor may take many by the clock.
    monkeypatch.setattr(scheduler, "DEAF", 20.0 * PATIENCE)
    monkeypatch.setattr(scheduler, "FRAMES_MOST", 0.05)
    tasks = threads(longest=0.05)
    before = tasks.start(thread, kind="first", **how).result()
    with pytest.raises(InputError, match=r"must take at most 0\.05 s"):
        tasks.start(process_after, PATIENCE, kind="s", **how).result()
    assert tasks.start(thread, "again", kind="last", **how).result() == before
    # Known for all visitors: it does not run again. Others of its kind are not taken for long.
    assert tasks.start(process_after, PATIENCE, kind="s", **how).state == "refused"
    assert tasks.start(math.factorial, 3, kind="s", **how).result() == 6


def test_what_is_not_heard_is_left_alone_and_holds_nobody_up(threads, held, monkeypatch):
    for name, value in (("FRAMES_MOST", 0.2), ("DEAF", 0.5)):
        monkeypatch.setattr(scheduler, name, value)
    tasks = threads(short=0.2, longest=0.2)
    with pytest.raises(InputError, match=r"must take at most 0\.2 s"):
        tasks.start(held.wait, PATIENCE, kind="e").result()
    first = tasks.start(held.wait, PATIENCE + 1, kind="e")
    reach(first, "running")
    with first:
        pass
    assert tasks.start(math.factorial, 5, kind="e").result() == 120
    assert first.state == "stopped"
    # Frames that got no processor are not refused for ever.
    starved = tasks.start(held.wait, PATIENCE + 2, kind="e", **FRAMES)
    with pytest.raises(InputError, match="try again"):
        starved.result()
    assert starved.state == "lost"
    assert tasks.start(held.wait, PATIENCE + 2, kind="e", **FRAMES) is not starved


# --- Processes -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def processes():
    """A scheduler whose processes get a processor on a busy machine: none is nicer than `long`."""

    def start(niceness):
        return worker.Worker(min(niceness, NICENESS["long"]))

    with contextlib.closing(Scheduler(short=PATIENCE, longest=PATIENCE, worker=start)) as tasks:
        yield tasks


def test_a_worker_is_another_process_and_does_not_run_the_servers_main_module(
    processes, tmp_path, monkeypatch
):
    # Streamlit makes the page that it runs the main module; spawned processes run that first.
    page, trace = tmp_path / "page.py", tmp_path / "trace"
    page.write_text(f"open({str(trace)!r}, 'w').close()")
    main = types.ModuleType("__main__")
    main.__file__ = str(page)
    monkeypatch.setitem(sys.modules, "__main__", main)
    assert processes.start(os.getpid, kind="pid").result() != os.getpid()  # the first: it starts
    assert not trace.exists()
    niceness = processes.start(os.nice, 0, kind="nice", run_in="worker").result()
    assert niceness == min(19, os.nice(0) + NICENESS["short"])


def test_a_picture_comes_back_as_the_page_has_it(processes):
    scenario = Scenario(concept="point", learners=("erm",), d=16)
    there = processes.start(draw.picture, scenario, "m", kind="picture", run_in="worker").result()
    here = draw.picture(scenario, "m")
    assert (there.title, there.table) == (here.title, here.table)


def test_what_goes_wrong_is_said_wherever_it_ran(processes, caplog):
    scenario, hits = Scenario(concept="point", learners=("erm",)), processes.counts["hits"]
    for place, view in (("here", "none"), ("worker", "nothing")):
        with pytest.raises(InputError, match=rf"view must be one of .*; got {view}\."):
            processes.start(draw.picture, scenario, view, kind="bad", run_in=place).result()
        processes.start(draw.picture, scenario, view, kind="bad")
    assert processes.counts["hits"] == hits + 2  # it will be as bad next time
    with pytest.raises(RuntimeError, match="failed: TypeError"):
        processes.start(math.factorial, "x", kind="f").result()
    assert "Traceback" in caplog.text
    assert processes.start(math.factorial, 3, kind="g").result() == 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only Unix bounds the memory of a process")
def test_memory_is_bounded(processes):
    with pytest.raises(InputError, match="must fit in"):
        processes.start(bytes, 4 * worker.MEMORY, kind="b").result()


def halfway(gate):
    for step in progress.steps(range(2)):
        if step:
            gate.read_text()  # until somebody writes


def test_a_worker_tells_how_far_it_is_and_forgets_it(processes, tmp_path):
    """The loops of the core are heard in the process."""
    os.mkfifo(gate := tmp_path / "gate")
    job = processes.start(halfway, gate, kind="t", run_in="worker")
    ends = time.monotonic() + 4 * PATIENCE  # the process imports this module first
    while not job.progress()[0]:
        assert time.monotonic() < ends
        assert not job.wait(0.01)
    assert job.progress()[0] == 0.5
    gate.write_text("go on")
    job.result()
    quiet = processes.start(gate.read_text, kind="quiet")
    reach(quiet, "running")
    assert quiet.progress()[0] is None  # another call, which says nothing
    gate.write_text("go on")
    quiet.result()


def test_a_worker_that_died_is_replaced_and_visitors_are_told_to_try_again(processes):
    # Killed by the system for its memory, say: the next visitor's request is the first to notice.
    os.kill(processes.start(os.getpid, kind="pid").result(), signal.SIGTERM)
    assert processes.start(math.factorial, 4, kind="d", run_in="worker").result() == 24
    # It may have died before, so the call is tried with another.
    says = "must run to its end to be shown; got a worker that ended before it: try again"
    with pytest.raises(InputError, match=says):
        processes.start(os._exit, 3, kind="x").result()
    assert processes.start(math.factorial, 5, kind="d", run_in="worker").result() == 120
    assert processes.counts["lost"] == 1
    assert processes.kept(os._exit, 3) is None  # it is not what will be the same next time


def test_the_last_one_to_leave_ends_the_process_and_who_comes_back_gets_an_answer(processes):
    # A slider moved on and back: the same call, while the first one is still being ended.
    pid = processes.start(os.getpid, kind="there", run_in="long").result()
    first, second = (processes.start(time.sleep, 0.7, kind="s", run_in="long") for _ in range(2))
    assert first is second
    reach(first, "running")
    with first:
        pass
    assert first.state == "running"
    with second:
        pass
    again = processes.start(time.sleep, 0.7, kind="s", run_in="long")
    assert again is not first
    assert again.result() is None
    assert first.wait(PATIENCE)
    with pytest.raises(RuntimeError, match="stopped"):
        first.result()
    assert not psutil.pid_exists(pid)
    assert processes.start(time.sleep, 0.7, kind="s") is again  # kept


def test_slow_frames_that_were_left_make_room_and_their_process_lives_on(processes):
    pid = processes.start(without_slices, kind="frame", run_in="frames").result()
    left = processes.start(process_after, PATIENCE, kind="slow", **FRAMES)
    reach(left, "running")
    left.leave()
    assert left.wait(PATIENCE)
    assert left.state == "stopped"
    assert processes.start(process_after, 0.0, kind="f", **FRAMES).result() == pid


def test_a_process_that_has_nothing_to_do_for_long_ends_and_the_next_task_starts_another(
    processes, monkeypatch
):
    monkeypatch.setattr(scheduler, "RESTS", 0.05)
    asked = {"kind": "rests", "run_in": "worker", "kept": False}
    pid = processes.start(process_after, 0.001, **asked).result()
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(PATIENCE)
    assert processes.start(process_after, 0.001, **asked).result() != pid


@pytest.fixture
def single():
    """A function that returns the value of a call in a worker of its own."""
    with contextlib.ExitStack() as stack:

        def compute(*call):
            one = worker.Worker(1)
            stack.callback(one.stop)
            return one.compute((*call, {})).result(PATIENCE)[0]

        yield compute


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux alone")
def test_workers_are_copies_of_one_process_and_another_takes_its_place(single):
    parent = single(os.getppid, ())
    assert single(os.getppid, ()) == parent != os.getpid()
    os.kill(parent, signal.SIGKILL)
    psutil.Process(parent).wait(PATIENCE)
    assert single(os.getppid, ()) not in {parent, os.getpid()}


def test_a_call_that_its_process_cannot_read_ends_the_process(single, monkeypatch):
    here = types.ModuleType("only_here")
    exec("def one(): return 1", vars(here))  # noqa: S102 - a function of that module
    monkeypatch.setitem(sys.modules, "only_here", here)
    with pytest.raises(BrokenExecutor):
        single(here.one, ())


def test_where_no_process_is_copied_a_worker_is_an_interpreter_of_its_own(single, monkeypatch):
    monkeypatch.setattr("pages.shared.scheduling.processes.FORKS", False)
    assert single(os.getppid, ()) == os.getpid()
    with pytest.raises(TypeError) as failed:
        single(math.factorial, ("x",))
    assert "Traceback" in failed.value.__notes__[0]


BUSY = """
import sys
from pages.shared.scheduling.scheduler import Priority, start
busy = "import os, signal; os.write(1, b'busy\\\\n'); signal.pause()"  # a line in one piece
start(exec, busy, kind="s", run_in="long")  # not where it is ended soon by itself
start(exec, busy + "  # frames", kind="frames", priority=Priority.FRAMES)
sys.stdin.readline()
"""


@pytest.mark.parametrize("how", ["end", "kill"])
def test_no_worker_outlives_its_server(how):
    # Whatever is left holds the output open, and then `communicate` does not come back.
    with subprocess.Popen(
        [sys.executable, "-c", BUSY],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        try:
            assert [server.stdout.readline() for _ in range(2)] == 2 * ["busy\n"]
            if how == "kill":
                server.kill()
            _, said = server.communicate("\n" if how == "end" else None, timeout=PATIENCE)
            assert how == "kill" or not said
        finally:
            server.kill()
