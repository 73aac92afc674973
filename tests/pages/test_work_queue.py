"""Who comes first: the queue and its lanes, what is stopped, and what nobody waits for."""

import contextlib
import math
import os
import threading
import time
from types import SimpleNamespace

import psutil
import pytest

from pages.shared.scheduling import scheduler, waiting, worker
from pages.shared.scheduling.scheduler import Priority, Scheduler
from privsc_core.errors import InputError
from tests.pages.loops import process_after
from tests.pages.offices import PATIENCE, reach

AWHILE = 2.0  # seconds that a computation lasts while others are asked for


def test_the_last_one_to_leave_stops_it(office):
    office._learn("s", 2 * scheduler.SHORT)  # what is brief would end by itself
    first = office.start(time.sleep, PATIENCE, kind="s")
    second = office.start(time.sleep, PATIENCE, kind="s")
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
    assert office.start(math.factorial, 5, kind="s").result() == 120


def test_what_lingers_is_there_for_who_comes_back_at_once(office, monkeypatch):
    monkeypatch.setattr(scheduler, "LINGERS", 0.5)
    office._learn("s", 2 * scheduler.SHORT)
    first = office.start(time.sleep, PATIENCE, kind="s")
    reach(first, "running")
    with first:
        first.linger()
    second = office.start(time.sleep, PATIENCE, kind="s")
    assert second is first
    assert not second.wait(3 * scheduler.LINGERS)  # the one who came back keeps it
    with second:
        second.linger()
    assert second.wait(PATIENCE)  # nobody came back
    assert second.state == "stopped"


def test_what_is_brief_ends_though_nobody_waits_for_it(office):
    # A worker that is ended is another's wait for a new one.
    pid = office.start(os.getpid, kind="pid").result()
    job = office.start(time.sleep, 0.3, kind="s")
    reach(job, "running")
    with job:
        pass
    assert job.wait(PATIENCE)
    assert job.state == "done"
    assert office.start(time.sleep, 0.3, kind="s") is job  # kept
    assert office.start(os.getpid, kind="again").result() == pid


def test_what_nobody_waits_for_is_killed(office):
    office._learn("pid", 2 * scheduler.SHORT)
    office._learn("s", 2 * scheduler.SHORT)
    pid = office.start(os.getpid, kind="pid").result()
    job = office.start(time.sleep, PATIENCE, kind="s")
    reach(job, "running")
    with job:
        pass
    ends, nothing = time.monotonic() + PATIENCE / 2, threading.Event()
    while psutil.pid_exists(pid):
        assert time.monotonic() < ends
        nothing.wait(0.01)


def test_who_comes_back_to_what_was_just_stopped_gets_an_answer(office):
    # A slider moved on and back: the same call, while the first one is still being ended.
    office._learn("s", 2 * scheduler.SHORT)
    first = office.start(time.sleep, 1.0, kind="s")
    reach(first, "running")
    with first:
        pass
    second = office.start(time.sleep, 1.0, kind="s")
    assert second is not first
    assert second.result() is None
    assert first.wait(PATIENCE)
    assert first.state == "stopped"
    assert office.start(time.sleep, 1.0, kind="s") is second  # kept


def test_the_queue_is_said_and_kept_in_order():
    with contextlib.closing(Scheduler(longest=PATIENCE, short=PATIENCE)) as office:
        first = office.start(time.sleep, AWHILE, kind="s")
        reach(first, "running")
        second = office.start(math.factorial, 3, kind="f")
        third = office.start(math.factorial, 4, kind="f")
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
    office = Scheduler(waiting=0)
    with pytest.raises(InputError, match="This computation must wait"):
        office.start(math.factorial, 3, kind="f")


@pytest.mark.whole
def test_a_long_one_moves_to_its_own_lane_and_lets_the_others_pass():
    office = Scheduler(short=0.5, longest=PATIENCE)
    try:
        assert office.start(math.factorial, 3, kind="warm").result() == 6
        long = office.start(time.sleep, 3, kind="long")
        short = office.start(math.factorial, 5, kind="short")
        assert short.result() == 120
        assert long.state in {"waiting", "running"}
        # The same kind again is known now: it queues behind the first, in the second lane.
        again = office.start(time.sleep, 0.1, kind="long")
        assert (again.pool, long.pool, short.pool) == ("long", "long", "short")
        assert again.result() is None
        assert long.state == "done"
        # What was slow once may be so again, however quick the last one was.
        quick = office.start(math.factorial, 6, kind="long")
        assert quick.pool == "long"
        assert quick.result() == 720
    finally:
        office.close()


@pytest.mark.whole
def test_a_loop_that_is_heard_ends_in_time_and_its_worker_lives_on(monkeypatch):
    # On a busy machine a second of a processor may take many by the clock.
    monkeypatch.setattr(scheduler, "DEAF", 2.0 * PATIENCE)
    office = Scheduler(short=0.5, longest=1.0)
    try:
        before = office.start(process_after, 0.0, kind="first").result()
        with pytest.raises(InputError, match="must take at most 1 s"):
            office.start(process_after, PATIENCE, kind="long").result()
        assert office.start(process_after, 0.01, kind="last").result() == before
    finally:
        office.close()


def test_what_nobody_waits_for_lets_all_others_pass_until_somebody_does(office):
    first = office.start(time.sleep, 1.0, kind="s")
    reach(first, "running")
    prepared = [
        office.start(math.factorial, n, kind="f", priority=Priority.PREPARED) for n in (3, 4)
    ]
    asked = office.start(math.factorial, 5, kind="f")
    assert [asked.ahead, *(job.ahead for job in prepared)] == [1, 2, 3]
    assert office.start(math.factorial, 4, kind="f") is prepared[1]  # a visitor asks for it now
    assert [asked.ahead, prepared[1].ahead, prepared[0].ahead] == [1, 2, 3]
    first.leave()
    assert prepared[0].result() == 6


def test_what_is_short_passes_what_is_long_for_a_while(monkeypatch):
    with contextlib.closing(Scheduler(longest=PATIENCE, short=PATIENCE)) as office:
        for kind, seconds in (("short", 0.1), ("long", scheduler.COLD)):
            office._learn(kind, seconds)
        first = office.start(time.sleep, AWHILE, kind="s")
        reach(first, "running")
        long, short = (
            office.start(math.factorial, n, kind=k) for n, k in ((3, "long"), (4, "short"))
        )
        assert [short.ahead, long.ahead] == [1, 2]
        now = time.monotonic
        monkeypatch.setattr(time, "monotonic", lambda: now() + 10.0)
        late = office.start(math.factorial, 5, kind="short")
        assert [short.ahead, long.ahead, late.ahead] == [1, 2, 3]
        monkeypatch.undo()
        first.leave()
        assert late.result() == 120


def test_what_is_slow_is_computed_elsewhere_while_there_is_time(office):
    office._learn("slow", 2 * scheduler.COLD)
    first = office.start(time.sleep, 1.0, kind="slow")
    quick = office.start(math.factorial, 3, kind="new")
    second = office.start(time.sleep, 0.0, kind="slow")
    assert [first.pool, quick.pool, second.pool] == ["long", "short", "short"]
    assert quick.result() == 6
    assert first.state in {"waiting", "running"}


def test_what_nobody_has_run_yet_is_tried_and_goes_on_where_there_is_time(monkeypatch):
    monkeypatch.setattr(scheduler, "TRIAL", 0.05)
    with contextlib.closing(Scheduler(longest=PATIENCE, short=PATIENCE)) as office:
        first = office.start(process_after, 0.3, kind="new")
        assert first.pool == "short"
        first.result()
        assert first.pool == "long"
        with contextlib.closing(Scheduler(longest=PATIENCE, short=PATIENCE)) as full:
            full.start(
                time.sleep, 0.5, kind="s", place="long"
            )  # no time there: it ends where it begins
            second = full.start(process_after, 0.3, kind="new")
            assert second.limit == PATIENCE
            second.result()
            assert second.pool == "short"


def test_what_was_to_end_soon_and_does_not_is_stopped_when_nobody_waits():
    with contextlib.closing(Scheduler(longest=PATIENCE, short=0.5)) as office:
        office._learn("s", 2 * scheduler.COLD - 0.01)
        job = office.start(time.sleep, PATIENCE, kind="s")
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
    with contextlib.closing(Scheduler(longest=PATIENCE, short=PATIENCE)) as office:
        first = office.start(time.sleep, 1.0, kind="s")
        reach(first, "running")
        second = office.start(time.sleep, PATIENCE, kind="s")
        strip = office.start(math.factorial, 3, kind="f", priority=Priority.FRAMES)
        while True:
            begun = strip.state != "waiting"  # first: a moment later both may have begun
            if second.state != "waiting":
                break
            assert not begun
            second.wait(0.01)
        assert strip.result() == 6


def test_of_what_a_page_can_do_without_the_newest_comes_first_and_the_oldest_is_given_up():
    office = Scheduler(waiting=3)
    side = {"priority": Priority.FRAMES}
    try:
        first = office.start(time.sleep, AWHILE, kind="s", **side)
        reach(first, "running")
        asked = [office.start(math.factorial, n, kind="f", **side) for n in (3, 4, 5)]
        assert [job.ahead for job in asked] == [3, 2, 1]
        assert office.start(math.factorial, 3, kind="f", **side) is asked[0]  # asked for again
        assert [job.ahead for job in asked] == [1, 3, 2]
        last = office.start(math.factorial, 6, kind="f", **side)
        assert [job.state for job in asked] == ["waiting", "stopped", "waiting"]
        waited_for = office.start(math.factorial, 8, kind="s", place="frames")
        office.start(math.factorial, 4, kind="f", **side)  # newer, and gives up the oldest again
        assert (waited_for.ahead, asked[2].state) == (1, "stopped")
        assert office.start(math.factorial, 7, kind="other").result() == 5040  # in nobody's way
        first.leave()
        assert [job.result() for job in (waited_for, last, asked[0])] == [40320, 720, 6]
    finally:
        office.close()


SIDE = {"priority": Priority.FRAMES}


@pytest.fixture
def slow_strip():
    """An office with a slow strip under way: the process that draws it, and its job."""
    with contextlib.closing(Scheduler()) as office:
        pid = office.start(os.getpid, kind="pid", **SIDE).result()
        slow = office.start(process_after, 3 * worker.SLICE, kind="slow", **SIDE)
        reach(slow, "running")
        yield office, pid, slow


def test_of_what_a_page_can_do_without_what_is_slow_gives_way_to_what_is_not(slow_strip):
    office, pid, slow = slow_strip
    short = [office.start(math.factorial, n, kind="f", **SIDE) for n in (3, 4)]
    assert [job.result() for job in short] == [6, 24]
    reach(slow, "running")  # again
    assert office.start(math.factorial, 5, kind="f", **SIDE).result() == 120
    assert slow.state in {"waiting", "running"}
    assert slow.result() == pid  # its process lives on
    # It is known now, and comes last.
    running = office.start(time.sleep, AWHILE, kind="slow", **SIDE)  # deaf: it gives no way
    reach(running, "running")
    other = office.start(process_after, 0.1, kind="slow", **SIDE)
    newer = office.start(math.factorial, 6, kind="f", **SIDE)
    assert (newer.ahead, other.ahead) == (1, 2)
    assert newer.result() == 720


def test_what_somebody_waits_for_gives_no_way_to_what_a_page_can_do_without():
    with contextlib.closing(Scheduler()) as office:
        waited = office.start(process_after, 2 * worker.SLICE, kind="slow", place="frames")
        reach(waited, "running")
        strip = office.start(math.factorial, 3, kind="f", **SIDE)
        waited.result()
        assert not waited.slow
        assert strip.result() == 6


def test_what_is_slow_and_left_makes_room_and_its_process_lives_on(slow_strip):
    office, pid, left = slow_strip
    left.leave()
    assert left.wait(PATIENCE)
    assert left.state == "stopped"
    assert office.start(process_after, 0.0, kind="f", **SIDE).result() == pid


def test_one_call_is_hurried_and_not_the_next(monkeypatch):
    monkeypatch.setattr(worker._Telling, "pipe", SimpleNamespace(send=lambda _share: None))
    monkeypatch.setattr(worker._Telling, "hurried", True)
    with pytest.raises(worker.GaveWayError):
        worker.run(process_after, (1.2 * worker.SLICE,), {})
    assert worker.run(process_after, (1.2 * worker.SLICE,), {})[0] == os.getpid()


def test_what_nobody_waits_for_takes_no_place_in_the_queue():
    office = Scheduler(waiting=1)
    try:
        first = office.start(time.sleep, PATIENCE, kind="s")
        reach(first, "running")
        office.start(math.factorial, 3, kind="f", priority=Priority.PREPARED)
        office.start(math.factorial, 4, kind="f")
        for priority in (Priority.PREPARED, Priority.ASKED):
            with pytest.raises(InputError, match="a full queue"):
                office.start(math.factorial, 5, kind="f", priority=priority)
        first.leave()
    finally:
        office.close()


@pytest.mark.whole
def test_what_is_to_be_brief_is_given_up(monkeypatch):
    monkeypatch.setattr(scheduler, "FRAMES_MOST", 0.5)
    office = Scheduler(longest=PATIENCE)
    try:
        with pytest.raises(InputError, match=r"must take at most 0\.5 s"):
            office.start(time.sleep, PATIENCE, kind="s", priority=Priority.FRAMES).result()
        # Known for all visitors; and no reason to take others of its kind for long.
        office.start(time.sleep, PATIENCE, kind="s", priority=Priority.FRAMES)
        assert office.counts["hits"] == 1
        assert office.start(math.factorial, 3, kind="s").result() == 6
    finally:
        office.close()
