"""Outputs that are full or closed, and Ctrl-C: one sentence, nothing lost that was paid for, no traceback."""

import errno
import io
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from privsc_core.cli import commands, main
from privsc_core.cli.parser import COMMANDS

FULL = Path("/dev/full")
EXAMPLES = "x\n" + "5\n5\n5\n7\n" * 500
WORDS = {
    "dimensions": ["cube-2", "--ready"], "learn": ["x.csv"], "sweep": ["x.toml", "-o", "x.parquet"],
}  # fmt: skip
CALLS = [[], ["--help"], ["--version"], ["list", "--help"],
         *([name, *WORDS.get(name, [])] for name in COMMANDS)]  # fmt: skip


def one_sentence(err, about):
    return err.startswith(f"privsc: error: {about}") and err.count("\n") == 1


def call(words):
    try:
        return main(words)
    except SystemExit as ended:
        return ended.code


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
@pytest.mark.parametrize("closed", [False, True], ids=["full", "closed"])
def test_no_command_begins_without_an_output(words, closed, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with FULL.open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", None if closed else full)
        assert call(words) == 2
        monkeypatch.undo()
    assert one_sentence(capsys.readouterr().err, "standard output must")


@pytest.mark.parametrize("closed", [False, True], ids=["full", "closed"])
def test_nobody_needs_to_hear_of_a_mistake(closed, capsys, monkeypatch):
    with FULL.open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stderr", None if closed else full)
        assert main(["bogus"]) == 2
        monkeypatch.undo()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("to", ["> /dev/full 2> /dev/full", pytest.param(">&- 2>&-", marks=pytest.mark.whole),
                                pytest.param("> /dev/full", marks=pytest.mark.whole),
                                pytest.param(">&-", marks=pytest.mark.whole)])  # fmt: skip
def test_the_status_is_that_of_bad_input(to):
    done = subprocess.run(["/bin/sh", "-c", f"{sys.executable} -m privsc_core list {to}"],
                          capture_output=True, check=False, text=True)  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert ("2>" in to and done.stderr == "") or one_sentence(done.stderr, "standard output must")


@pytest.mark.parametrize("room", [0, 1000])
def test_what_has_room_for_a_part_only_is_full(room, tmp_path, capsys, monkeypatch):
    """Unbuffered, as in many containers: such a stream writes a part and says no more of it."""
    path = tmp_path / "out"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    raw = path.open("wb", buffering=0)
    with io.TextIOWrapper(raw, encoding="utf-8", write_through=True) as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
        try:
            status = main(["list"])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            monkeypatch.undo()
    assert status == 2
    assert path.stat().st_size == room
    assert one_sentence(capsys.readouterr().err, "standard output must take what is written")


# --- What is paid for ----------------------------------------------------------------------------


class Full(io.StringIO):
    """Standard output that is found to be full when the answer comes, and not before."""

    def write(self, _):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def release(tmp_path, capsys, monkeypatch):
    pytest.importorskip("opendp")
    left, receipt, examples = (tmp_path / name for name in ("left.json", "receipt.json", "x.csv"))
    left.write_text('{"epsilon": 1}')
    examples.write_text(EXAMPLES)

    def call(stdout=sys):
        if stdout is not sys:
            monkeypatch.setattr(sys, "stdout", stdout)
        status = main(["learn", str(examples), "--concept", "release", "--learner", "laplace", "-d", "8", "--json",
                       "--epsilon", "1", "--budget", str(left), "--receipt", str(receipt)])  # fmt: skip
        if stdout is not sys:
            monkeypatch.undo()
        return (status, *capsys.readouterr(), "spent" in left.read_text(), receipt)

    return call


def test_what_cannot_be_printed_is_not_paid_for(release):
    with FULL.open("w", encoding="utf-8") as full:
        status, out, err, paid, receipt = release(full)
    assert (status, out, paid, receipt.exists()) == (2, "", False, False)
    assert one_sentence(err, "standard output must")


def test_an_answer_that_was_paid_for_is_not_lost(release):
    status, _, err, paid, receipt = release(Full())
    assert (status, paid) == (2, True)
    answer, _, sentence = err.rstrip("\n").rpartition("\n")
    (found,) = json.loads(answer)
    assert found["counts"] == json.loads(receipt.read_text())["counts"]
    assert sentence.startswith("privsc: error: standard output must")


@pytest.mark.parametrize("paid_for", [False, True])
def test_a_receipt_has_room_before_anything_is_paid(release, monkeypatch, paid_for):
    """Its disk is full at the first byte, or (another has filled it) when all is paid."""
    synced = []

    def fsync(handle, real=os.fsync):
        synced.append(os.fstat(handle).st_size)
        if len(synced) == (
            4 if paid_for else 1
        ):  # the room, the budget and its folder, the receipt
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    status, out, err, paid, receipt = release()
    assert (status, paid, receipt.exists()) == (2, paid_for, False)
    assert one_sentence(err, "receipt must")
    assert bool(out) == paid_for
    if paid_for:
        assert json.loads(out)[0]["counts"]
    assert synced[0] >= 1 << 16


# --- Ctrl-C --------------------------------------------------------------------------------------

# Presses it as soon as a module is looked for.
PRESSED = """
import os, signal, sys
class Finder:
    def find_spec(self, name, *rest):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from privsc_core.cli import main
sys.exit(main())
"""
# Presses it when the main thread is where a library in C calls a function of ours.
INSIDE = """
import os, signal, sys, threading, privsc_core.certify.balls
from privsc_core.cli import main
def press(thread=threading.main_thread().ident):
    while True:
        frame, seen = sys._current_frames()[thread], 0
        while frame is not None:
            seen += frame.f_code.co_filename.endswith("balls.py")
            frame = frame.f_back
        if seen:
            os.kill(os.getpid(), signal.SIGINT)
            return
threading.Thread(target=press, daemon=True).start()
sys.exit(main())
"""


def interrupted(code, *words):
    # Tests that a shell runs in the background inherit that Ctrl-C is ignored.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + code
    done = subprocess.run([sys.executable, "-c", heard, *words], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "name", ["numpy", pytest.param("privsc_core.finite", marks=pytest.mark.whole)]
)
def test_ctrl_c_is_heard_before_the_library_is_there(name):
    assert interrupted(PRESSED.format(name=name), "list") == (130, b"", b"")


@pytest.mark.whole
def test_ctrl_c_is_no_error_of_a_library():
    pytest.importorskip("flint")
    assert interrupted(INSIDE, "certify", "-d", "16", "-m", "100,200,500") == (130, b"", b"")


def test_who_ignores_ctrl_c_is_not_ended_by_it(monkeypatch):
    monkeypatch.setattr(commands, "main", lambda _: 0)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert main() == 0
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
