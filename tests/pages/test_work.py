"""Who computes what: joined, kept, queued, stopped, bounded."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.work import bar, waiting, worker
from pages.shared.work import office as office_module
from pages.shared.work.crowd import Calm, Crowd
from pages.shared.work.office import COLD, PATIENT, QUICK, Office
from privsc_core import draw, progress
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from tests.pages.loops import process_after

PATIENCE = 30.0


@pytest.fixture
def office():
    office = Office(longest=PATIENCE)
    yield office
    office.close()


def quickly(office, kind="q"):
    """Make a kind known as quick."""
    office._learn(kind, 0.0)
    return kind


def reach(job, state):
    """Wait until a job is in a state: its own process has to start first."""
    ends = time.monotonic() + PATIENCE
    while job.state != state:
        assert time.monotonic() < ends, job.state
        job.wait(0.01)


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
    office, calls = Office(entries=3), []

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


def test_the_worker_is_another_process_of_low_priority(office):
    assert office.start(os.getpid, kind="pid").result() != os.getpid()
    assert office.start(os.nice, 0, kind="nice").result() == os.nice(0) + PATIENT


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


def test_the_last_one_to_leave_stops_it(office):
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
    office._learn("pid", 2 * office_module.BRISK)
    office._learn("s", 2 * office_module.BRISK)
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
    office._learn("s", 2 * office_module.BRISK)
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


def test_the_queue_is_said_and_kept_in_order(office):
    first = office.start(time.sleep, PATIENCE, kind="s")
    reach(first, "running")
    second = office.start(math.factorial, 3, kind="f")
    third = office.start(math.factorial, 4, kind="f")
    assert (second.ahead, third.ahead) == (1, 2)
    assert third.progress()[1] == "Queued: 2 longer computations of other visitors first."
    assert "Computing" in first.progress()[1]
    with second:
        pass
    assert (second.state, third.ahead) == ("stopped", 1)
    with first:
        pass
    assert third.result() == 24


def test_a_full_queue_is_refused():
    office = Office(waiting=0)
    with pytest.raises(InputError, match="This computation must wait"):
        office.start(math.factorial, 3, kind="f")


@pytest.mark.whole
def test_time_is_bounded():
    office = Office(longest=0.5)
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


def test_a_worker_that_dies_is_replaced(office):
    with pytest.raises(RuntimeError, match="the worker ended"):
        office.start(os._exit, 3, kind="x").result()
    assert office.start(math.factorial, 3, kind="f").result() == 6


@pytest.mark.whole
def test_a_long_one_moves_to_its_own_lane_and_lets_the_others_pass():
    office = Office(brisk=0.5, longest=PATIENCE)
    try:
        assert office.start(math.factorial, 3, kind="warm").result() == 6
        long = office.start(time.sleep, 3, kind="long")
        short = office.start(math.factorial, 5, kind="short")
        assert short.result() == 120
        assert long.state in {"waiting", "running"}
        # The same kind again is known now: it queues behind the first, in the second lane.
        again = office.start(time.sleep, 0.1, kind="long")
        assert again.lane is long.lane is not short.lane
        assert again.result() is None
        assert long.state == "done"
        # It slept, and a processor's time is what counts: no longer taken for long.
        assert office.start(math.factorial, 6, kind="long").result() == 720
        assert office.counts["quick"] == 1
    finally:
        office.close()


@pytest.mark.whole
def test_a_loop_that_is_heard_ends_in_time_and_its_worker_lives_on(monkeypatch):
    # On a busy machine a second of a processor may take many by the clock.
    monkeypatch.setattr(office_module, "DEAF", 2.0 * PATIENCE)
    office = Office(brisk=0.5, longest=1.0)
    try:
        before = office.start(process_after, 0.0, kind="first").result()
        with pytest.raises(InputError, match="must take at most 1 s"):
            office.start(process_after, PATIENCE, kind="long").result()
        assert office.start(process_after, 0.01, kind="last").result() == before
    finally:
        office.close()


def test_what_nobody_waits_for_lets_all_others_pass_until_somebody_does(office):
    first = office.start(time.sleep, PATIENCE, kind="s")
    reach(first, "running")
    prepared = [office.start(math.factorial, n, kind="f", aside=True) for n in (3, 4)]
    asked = office.start(math.factorial, 5, kind="f")
    assert [asked.ahead, *(job.ahead for job in prepared)] == [1, 2, 3]
    assert office.start(math.factorial, 4, kind="f") is prepared[1]  # a visitor asks for it now
    assert [asked.ahead, prepared[1].ahead, prepared[0].ahead] == [1, 2, 3]
    first.leave()
    assert prepared[0].result() == 6


def test_of_what_a_page_can_do_without_the_newest_comes_first_and_the_oldest_is_given_up():
    office = Office(waiting=3)
    side = {"aside": True, "brief": True}
    try:
        first = office.start(time.sleep, PATIENCE, kind="s", **side)
        reach(first, "running")
        asked = [office.start(math.factorial, n, kind="f", **side) for n in (3, 4, 5)]
        assert [job.ahead for job in asked] == [3, 2, 1]
        assert office.start(math.factorial, 3, kind="f", **side) is asked[0]  # asked for again
        assert [job.ahead for job in asked] == [1, 3, 2]
        last = office.start(math.factorial, 6, kind="f", **side)
        assert [job.state for job in asked] == ["waiting", "stopped", "waiting"]
        waited_for = office.start(math.factorial, 8, kind="s", brief=True)
        office.start(math.factorial, 4, kind="f", **side)  # newer, and gives up the oldest again
        assert (waited_for.ahead, asked[2].state) == (1, "stopped")
        assert office.start(math.factorial, 7, kind="other").result() == 5040  # in nobody's way
        first.leave()
        assert [job.result() for job in (waited_for, last, asked[0])] == [40320, 720, 6]
    finally:
        office.close()


def test_what_nobody_waits_for_takes_no_place_in_the_queue():
    office = Office(waiting=1)
    try:
        first = office.start(time.sleep, PATIENCE, kind="s")
        reach(first, "running")
        office.start(math.factorial, 3, kind="f", aside=True)
        office.start(math.factorial, 4, kind="f")
        for aside in (True, False):
            with pytest.raises(InputError, match="a full queue"):
                office.start(math.factorial, 5, kind="f", aside=aside)
        first.leave()
    finally:
        office.close()


@pytest.mark.whole
def test_what_is_to_be_brief_is_given_up(monkeypatch):
    monkeypatch.setattr(office_module, "BRIEF", 0.5)
    office = Office(longest=PATIENCE)
    try:
        with pytest.raises(InputError, match=r"must take at most 0\.5 s"):
            office.start(time.sleep, PATIENCE, kind="s", aside=True, brief=True).result()
        # Known for all visitors; and no reason to take others of its kind for long.
        office.start(time.sleep, PATIENCE, kind="s", aside=True, brief=True)
        assert office.counts["hits"] == 1
        assert office.start(math.factorial, 3, kind="s").result() == 6
    finally:
        office.close()


def test_a_large_result_takes_the_room_of_several():
    office = Office(entries=4)
    kind = quickly(office)
    office.start(bytes, 3 * office_module.UNIT, kind=kind).result()
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
from pages.shared.work.office import office, start
office()._learn("s", 10.0)  # as known to be long: not in the lane that ends it soon by itself
start(exec, "import time; print('busy', flush=True); time.sleep(50)", kind="s")  # in the worker
sys.stdin.readline()
"""


@pytest.mark.parametrize("how", ["end", "kill"])
def test_no_worker_outlives_its_server(how):
    # Whatever is left holds the output open, and then `communicate` does not come back.
    server = subprocess.Popen(
        [sys.executable, "-c", BUSY],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout.readline() == "busy\n"
    if how == "kill":
        server.kill()
    _, said = server.communicate("\n" if how == "end" else None, timeout=PATIENCE)
    assert how == "kill" or not said


def test_a_worker_tells_how_far_it_is_and_forgets_it():
    one = worker.Worker()
    try:
        one.submit(worker.tell, 0.25).result()
        assert one.told() == 0.25
        one.submit(int).result()
        assert one.told() is None  # another call, which says nothing
    finally:
        one.shutdown(cancel_futures=True)


# --- Another executor ----------------------------------------------------------------------------


@pytest.fixture
def threads():
    """An office whose workers are threads: they take calls as processes do, and cannot be killed."""
    office = Office(brisk=0.2, longest=0.4, hire=lambda _: ThreadPoolExecutor(1))
    yield office
    office.close()


def test_another_executor_can_stand_in_the_place_of_processes(threads):
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


class Telling(ThreadPoolExecutor):
    share = 0.4

    def told(self):
        return self.share


@pytest.fixture
def telling():
    """An office with a worker that tells what the test wants, a computation, and its end."""
    one, release = Telling(1), threading.Event()
    office = Office(hire=lambda _: one)
    job = office.start(release.wait, PATIENCE, kind="e")
    reach(job, "running")
    yield one, job, office
    release.set()
    assert job.result() is True
    office.close()


def test_whoever_waits_reads_how_far_it_is_and_how_long_yet(telling):
    one, job, _ = telling
    job.began = time.monotonic() - 8
    share, words = job.progress()
    assert share == 0.4
    assert words == "Computing … 40 %, about 12 s left"
    one.share = 0.9
    assert job.progress()[0] == 0.9


def test_a_bar_never_goes_back(telling):
    """Also not when the computation begins again where it may take longer."""
    one, job, _ = telling
    assert job.progress()[0] == 0.4
    one.share = 0.1
    share, words = job.progress()
    assert share == 0.4
    assert words.startswith("Computing … 40 %")


def test_what_tells_nothing_is_guessed_from_the_last_of_its_kind(telling):
    one, job, office = telling
    one.share = None
    assert job.progress()[0] is None
    assert job.progress()[1].startswith("Computing for ")
    office._lasted["e"] = 0.5  # was quick, and so no guide to one that is waited for
    assert job.progress()[0] is None
    office._lasted["e"] = 20.0
    job.began = time.monotonic() - 5
    share, words = job.progress()
    assert share == pytest.approx(0.2, abs=0.05)
    assert words.endswith(", about 15 s left")
    job.began = time.monotonic() - 100  # longer than the last one
    share, words = job.progress()
    assert share == pytest.approx(0.96, abs=0.01)
    assert words == "Computing … 96 %"


def test_how_long_a_kind_took_is_remembered(office):
    assert office.lasted("f") is None
    office.start(time.sleep, 0.2, kind="f").result()
    assert 0.2 <= office.lasted("f") < PATIENCE


def twice(seconds):
    for _ in progress.steps(range(2)):
        time.sleep(seconds)


@pytest.mark.whole
def test_the_loops_of_the_core_are_heard_in_the_worker(office):
    """Without a listener in the worker the share would stay unknown."""
    job = office.start(twice, 0.6, kind="t")
    ends = time.monotonic() + 4 * PATIENCE  # the worker imports this module first
    while not job.progress()[0]:
        assert time.monotonic() < ends
        assert not job.wait(0.01)
    assert job.progress()[0] == 0.5
    assert job.result() is None


def test_what_is_left_is_said_in_words():
    assert [bar.left(seconds) for seconds in (0.2, 7.4, 240.0)] == [
        "about a second left", "about 7 s left", "about 4 minutes left",
    ]  # fmt: skip


# --- The bar -------------------------------------------------------------------------------------


class Waited:
    """A job that ends at the third look."""

    def __init__(self):
        self.shares = [0.25, 0.5]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def wait(self, _):
        return not self.shares

    def progress(self):
        return self.shares.pop(0), "said"

    def result(self):
        return "found"


@pytest.fixture
def drawn(monkeypatch):
    shares = []
    monkeypatch.setattr(bar, "draw", lambda _place, share, said: shares.append((share, said)))
    return shares


@pytest.mark.parametrize("slow", [False, True])
def test_quick_work_shows_no_bar(drawn, monkeypatch, slow):
    monkeypatch.setattr(waiting.office, "start", lambda *_, **__: waited)
    monkeypatch.setattr(waiting, "_AT_ONCE", 0.0 if slow else PATIENCE)
    waited = Waited()
    if not slow:
        looks = iter([False, True])
        monkeypatch.setattr(waited, "wait", lambda _: next(looks))
    assert waiting.wait_for(math.factorial, 3, kind="k") == "found"
    assert drawn == ([(0.25, "said"), (0.5, "said")] if slow else [])


def _twice():
    import math  # it runs as a script of its own

    from pages.shared.work import waiting

    for n in (3, 4):
        waiting.wait_for(math.factorial, n, kind="k")


def test_a_page_may_wait_for_one_function_more_than_once(drawn, monkeypatch):
    monkeypatch.setattr(waiting.office, "start", lambda *_, **__: Waited())
    monkeypatch.setattr(waiting, "_AT_ONCE", 0.0)
    app = AppTest.from_function(_twice, default_timeout=PATIENCE)
    assert not app.run().exception
    assert len(drawn) == 4


def test_several_computations_share_one_bar(drawn, monkeypatch):
    monkeypatch.setattr(waiting, "_AT_ONCE", 0.0)

    def refused():
        raise InputError("m", "must be there", "nothing")

    waiting.watch([Waited, refused, Waited, Waited])
    shares = [share for share, _ in drawn]
    assert shares == pytest.approx([n / 16 for n in (1, 2, 9, 10, 13, 14)])
    assert all(said.startswith("Computing … ") for _, said in drawn)


def test_turns_are_taken_by_importance_and_then_in_order():
    crowd, done, threads = Crowd(turns=1, longest=PATIENCE), [], []

    def visit(name):
        with crowd.turn():
            done.append(f"{name} figure")
            crowd.later()
            done.append(f"{name} rest")

    with crowd.turn():
        for name in "abc":
            threads.append(threading.Thread(target=visit, args=(name,)))
            threads[-1].start()
            while len(crowd._queue) < len(threads):
                threads[-1].join(0.001)
        assert not done
    for thread in threads:
        thread.join(PATIENCE)
    figures, rests = [f"{name} figure" for name in "abc"], [f"{name} rest" for name in "abc"]
    assert done == figures + rests


def test_a_turn_is_left_to_others_while_a_computation_is_waited_for():
    crowd, inside = Crowd(turns=1, longest=PATIENCE), threading.Event()

    def other():
        with crowd.turn():
            inside.set()

    with crowd.turn():
        thread = threading.Thread(target=other)
        thread.start()
        assert not inside.wait(0.05)
        with crowd.aside():
            assert inside.wait(PATIENCE)
            thread.join(PATIENCE)
    assert crowd._free == 1
    with pytest.raises(KeyError), crowd.turn(), crowd.aside():
        raise KeyError  # a run that is ended while it waits has no turn to give back
    assert crowd._free == 1
    with crowd.aside():  # who has no turn, as a control that moves
        crowd.later()
    assert crowd._free == 1


def test_nobody_waits_longer_than_is_said():
    crowd, inside = Crowd(turns=1, longest=0.01), threading.Event()

    def other():
        with crowd.turn():
            inside.set()

    with crowd.turn():
        thread = threading.Thread(target=other)
        thread.start()
        assert inside.wait(PATIENCE)
        thread.join(PATIENCE)
    assert crowd._free == 1
    assert not crowd._queue


def test_it_is_calm_while_few_settings_are_shown(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    calm = Calm(few=3, lately=10.0)
    assert [calm.after_another() for _ in range(5)] == [True, True, True, False, False]
    now[0] += 10.5
    assert [calm.after_another() for _ in range(4)] == [True, True, True, False]
