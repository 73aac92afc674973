"""What whoever waits is told: how far a computation is, by one bar; and whose turn it is."""

import math
import threading
import time
import types

import pytest
from streamlit.commands import execution_control
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
from streamlit.testing.v1 import AppTest

from pages.shared.scheduling import waiting
from pages.shared.scheduling.gate import CONTROL, FIRST, LATER, Gate
from pages.shared.scheduling.scheduler import Scheduler, Task
from privsc_core.errors import InputError
from tests.pages.schedulers import PATIENCE, Threads, reach

# --- How far it is -------------------------------------------------------------------------------


@pytest.fixture
def telling():
    """A scheduler with a worker that tells what the test wants, a task, and its end."""
    one, release = Threads(), threading.Event()
    one.share = 0.4
    tasks = Scheduler(worker=lambda _: one)
    job = tasks.start(release.wait, PATIENCE, kind="e")
    reach(job, "running")
    yield one, job, tasks
    release.set()
    assert job.result() is True
    tasks.close()


def test_whoever_waits_reads_how_far_it_is_and_how_long_yet(telling):
    one, job, _ = telling
    job.began = time.monotonic() - 8
    share, words = waiting.status(job)
    assert share == 0.4
    assert words == "Computing … 40 %, about 12 s left"
    one.share = 0.9
    assert job.progress()[0] == 0.9


def test_a_bar_never_goes_back(telling):
    """Also not when the computation begins again where it may take longer."""
    one, job, _ = telling
    assert job.progress()[0] == 0.4
    one.share = 0.1
    share, words = waiting.status(job)
    assert share == 0.4
    assert words.startswith("Computing … 40 %")


def test_what_tells_nothing_is_guessed_from_the_last_of_its_kind(telling):
    one, job, tasks = telling
    one.share = None
    assert job.progress()[0] is None
    assert waiting.status(job)[1].startswith("Computing for ")
    tasks._lasted["e"] = 0.5  # was quick, and so no guide to one that is waited for
    assert job.progress()[0] is None
    tasks._lasted["e"] = 20.0
    job.began = time.monotonic() - 5
    share, words = waiting.status(job)
    assert share == pytest.approx(0.2, abs=0.05)
    assert words.endswith(", about 15 s left")
    job.began = time.monotonic() - 100  # longer than the last one
    share, words = waiting.status(job)
    assert share == pytest.approx(0.96, abs=0.01)
    assert words == "Computing … 96 %"


def test_how_long_a_kind_took_is_remembered(threads):
    tasks = threads()
    assert tasks.lasted("f") is None
    tasks.start(time.sleep, 0.1, kind="f").result()
    assert 0.1 <= tasks.lasted("f") < PATIENCE


def test_what_is_left_is_said_in_words():
    assert [waiting.done_in_words(0.5, seconds) for seconds in (0.2, 7.4, 240.0)] == [
        f"Computing … 50 %, about {left} left" for left in ("a second", "7 s", "4 minutes")
    ]


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
        return self.shares.pop(0), None

    def result(self):
        return "found"


@pytest.fixture
def drawn(monkeypatch):
    shares = []
    monkeypatch.setattr(waiting.Bar, "draw", lambda _, share, said: shares.append((share, said)))
    return shares


@pytest.mark.parametrize("slow", [False, True])
def test_quick_work_shows_no_bar(drawn, monkeypatch, slow):
    monkeypatch.setattr(waiting.scheduler, "start", lambda *_, **__: waited)
    monkeypatch.setattr(waiting, "_AT_ONCE", 0.0 if slow else PATIENCE)
    waited = Waited()
    if not slow:
        looks = iter([False, True])
        monkeypatch.setattr(waited, "wait", lambda _: next(looks))
    assert waiting.wait_for(math.factorial, 3, kind="k") == "found"
    assert [share for share, _ in drawn] == ([0.25, 0.5] if slow else [])


def test_a_bar_is_sent_again_only_where_it_says_something_else():
    """Of a full queue everybody looks four times a second, and mostly nothing has changed."""
    sent = []
    one = waiting.Bar(types.SimpleNamespace(html=sent.append))
    for share, said in [(None, "7 first"), (None, "7 first"), (None, "6 first"), (0.1, "6 first")]:
        one.draw(share, said)
    assert len(sent) == len(set(sent)) == 3


class AnewError(Exception):
    """The run that comes in place of this one."""


@pytest.mark.parametrize("shown", [False, True])
@pytest.mark.parametrize("gives_way", [False, True])
def test_who_gives_way_begins_anew_with_what_has_changed(drawn, monkeypatch, gives_way, shown):
    class Running(Waited):
        lingers = 0

        def linger(self):
            self.lingers += 1

    def anew():
        raise AnewError

    job = Running()
    # Before the bar is there, or with it.
    monkeypatch.setattr(waiting, "_AT_ONCE", 0.0 if shown else PATIENCE)
    looks = iter([False, not shown])
    changed = iter([not shown])
    monkeypatch.setattr(waiting.scheduler, "start", lambda *_, **__: job)
    monkeypatch.setattr(waiting, "wait_briefly", lambda *_: next(looks))
    monkeypatch.setattr(waiting, "_moved", lambda: next(changed, True))
    monkeypatch.setattr(waiting, "again", anew)
    if gives_way:
        with pytest.raises(AnewError):
            waiting.wait_for(math.factorial, 3, kind="k", gives_way=True)
        assert job.lingers == 1
    else:
        job.shares = [0.25]
        if not shown:
            turns = iter([False, True])
            monkeypatch.setattr(job, "wait", lambda _: next(turns))
        assert waiting.wait_for(math.factorial, 3, kind="k") == "found"
        assert job.lingers == 0


@pytest.mark.parametrize(
    ("asked", "moved"),
    [(None, False), ([], True), (["strips"], False), (["body"], True), (["strips", "body"], True)],
)
def test_what_can_wait_is_no_change(monkeypatch, asked, moved):
    state = ScriptRequestType.CONTINUE if asked is None else ScriptRequestType.RERUN
    requests = types.SimpleNamespace(
        _state=state, _rerun_data=types.SimpleNamespace(fragment_id_queue=asked)
    )
    context = types.SimpleNamespace(script_requests=requests)
    monkeypatch.setattr(waiting, "get_script_run_ctx", lambda: context)
    monkeypatch.setattr(waiting.st, "session_state", {})
    # Drawn in the run of another part, as on the page of labels.
    ThreadState.initialize(fragment_id="body")
    with ThreadState.scoped(fragment_id="strips"):
        waiting.patient()
    assert waiting._moved() == moved


@pytest.mark.parametrize(
    ("begun", "here", "asked"),
    [
        (None, "body", []),  # the whole page
        (["body"], "body", ["body"]),
        (["strips", "body"], "body", ["body"]),
        (["body"], "numbers", ["body"]),  # drawn inside the body
    ],
)
def test_what_is_drawn_inside_another_part_begins_anew_with_that(monkeypatch, begun, here, asked):
    taken = []
    context = types.SimpleNamespace(
        fragment_ids_this_run=begun, script_requests=types.SimpleNamespace(request_rerun=taken.append),
        query_string="", page_script_hash="", cached_message_hashes=frozenset(), context_info=None,
    )  # fmt: skip
    for module in (waiting, execution_control):
        monkeypatch.setattr(module, "get_script_run_ctx", lambda: context)

    def end():
        raise AnewError

    monkeypatch.setattr(execution_control, "_force_yield_point", end)
    ThreadState.initialize(fragment_id=here)
    with pytest.raises(AnewError):
        waiting.again()
    assert [(one.fragment_id_queue, one.is_fragment_scoped_rerun) for one in taken] == [
        (asked, begun is not None)
    ]


def _twice():
    import math  # it runs as a script of its own

    from pages.shared.scheduling import waiting

    for n in (3, 4):
        waiting.wait_for(math.factorial, n, kind="k")


def test_a_page_may_wait_for_one_function_more_than_once(drawn, monkeypatch):
    monkeypatch.setattr(waiting.scheduler, "start", lambda *_, **__: Waited())
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


# --- Turns ---------------------------------------------------------------------------------------


def test_turns_are_taken_by_importance_and_then_in_order():
    gate, done, threads = Gate(longest=PATIENCE), [], []

    def visit(name):
        with gate.turn():
            done.append(f"{name} figure")
            gate.later()
            done.append(f"{name} rest")

    with gate.turn():
        for name in "abc":
            threads.append(threading.Thread(target=visit, args=(name,)))
            threads[-1].start()
            while len(gate._queue) < len(threads):
                threads[-1].join(0.001)
        assert not done
    for thread in threads:
        thread.join(PATIENCE)
    figures, rests = [f"{name} figure" for name in "abc"], [f"{name} rest" for name in "abc"]
    assert done == figures + rests


def test_a_control_that_moves_passes_those_who_come_in_and_a_turn_inside_another_is_the_same():
    gate, done, threads = Gate(longest=PATIENCE), [], []

    def visit(importance):
        with gate.turn(importance), gate.turn(LATER):
            done.append(importance)
            with gate.aside():  # and comes back as who it was
                pass

    with gate.turn():
        for importance in (LATER, FIRST, CONTROL):
            threads.append(threading.Thread(target=visit, args=(importance,)))
            threads[-1].start()
            while len(gate._queue) < len(threads):
                threads[-1].join(0.001)
    for thread in threads:
        thread.join(PATIENCE)
    assert done == [CONTROL, FIRST, LATER]
    assert gate._free == 1


def coming(gate, inside):
    """Return the thread of somebody who takes a turn and says when it is there."""

    def other():
        with gate.turn():
            inside.set()

    thread = threading.Thread(target=other)
    thread.start()
    return thread


def test_a_turn_is_left_to_others_while_a_computation_is_waited_for():
    gate, inside = Gate(longest=PATIENCE), threading.Event()

    with gate.turn():
        thread = coming(gate, inside)
        assert not inside.wait(0.05)
        with gate.aside():
            assert inside.wait(PATIENCE)
            thread.join(PATIENCE)
    assert gate._free == 1
    with pytest.raises(KeyError), gate.turn(), gate.aside():
        raise KeyError  # a run that is ended while it waits has no turn to give back
    assert gate._free == 1
    with gate.aside():  # who has no turn, as a control that moves
        gate.later()
    assert gate._free == 1


def test_nobody_waits_longer_than_is_said():
    gate, inside = Gate(longest=0.01), threading.Event()

    with gate.turn():
        thread = coming(gate, inside)
        assert inside.wait(PATIENCE)
        thread.join(PATIENCE)
    assert gate._free == 1
    assert not gate._queue


def test_settings_that_were_shown_lately_are_counted(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    gate = Gate()
    assert [gate.shown() for _ in range(5)] == [0, 1, 2, 3, 4]
    now[0] += 10.5
    assert [gate.shown() for _ in range(2)] == [0, 1]


def _waits(job, answers, begun, how=waiting.wait_briefly):
    """Wait for a job in a thread, as a visitor's does."""

    def wait():
        begun.set()
        answers.append(how(job, PATIENCE))

    thread = threading.Thread(target=wait)
    thread.start()
    assert begun.wait(PATIENCE)
    return thread


@pytest.mark.parametrize("changes", [False, True])
def test_who_waits_briefly_is_called_when_it_ends_and_when_something_changes(monkeypatch, changes):
    monkeypatch.setattr(waiting, "_RARELY", PATIENCE)  # nobody looks by himself
    changed, answers = threading.Event(), []
    monkeypatch.setattr(waiting, "_something_changed", changed.is_set)
    job = Task(None, "key", "kind", ())
    thread = _waits(job, answers, threading.Event())
    while "" not in waiting._CHANGES:
        thread.join(0.001)
    waiting.note_change("")  # for nothing: the wait goes on
    waiting.note_change("of somebody else")
    thread.join(0.05)
    assert thread.is_alive()
    if changes:
        changed.set()
        waiting.note_change("")
    else:
        job.end("done", "found")
    thread.join(PATIENCE)
    assert answers == [not changes]
    assert not waiting._CHANGES


def test_a_wait_that_streamlit_ends_leaves_nothing_behind():
    def ended():
        raise AnewError

    with pytest.raises(AnewError):
        waiting.wait_briefly(Task(None, "key", "kind", ()), PATIENCE, ended)
    assert not waiting._CHANGES


def test_what_can_wait_ends_no_waiting_for_a_figure(monkeypatch):
    """It would begin to wait again at once, again and again, with a bar drawn each time."""
    monkeypatch.setattr(waiting, "_something_changed", lambda: True)
    monkeypatch.setattr(waiting, "_moved", lambda: False)
    job, answers = Task(None, "key", "kind", ()), []
    thread = _waits(
        job, answers, threading.Event(), lambda task, _: waiting._ended_soon(task, gives_way=True)
    )
    thread.join(0.05)
    assert thread.is_alive()
    job.end("done", "found")
    thread.join(PATIENCE)
    assert answers == [True]
