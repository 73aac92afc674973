"""`privsc sweep`: plans that are refused, the record at the end, and kills of the real process."""

import contextlib
import csv
import gc
import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pandas as pd
import psutil
import pytest

from privsc_core.cli import main, sweeping
from privsc_core.sweep import Told
from privsc_core.sweep import run as running
from privsc_core.sweep.sheet import read_sheet
from tests.cli.conftest import GRAMMAR

SMALL = '[[sweep]]\nlearner = "erm"\nm = "10:50:5"\n'


@pytest.fixture(autouse=True)
def without_a_cluster(monkeypatch):
    """Compute in this process: clusters have their tests in tests/core/sweep/test_sweep.py."""
    monkeypatch.setattr(sweeping, "cluster", lambda *_: contextlib.nullcontext())


@pytest.fixture
def refusal(tmp_path, capsys):
    def call(text):
        plan = tmp_path / "plan.toml"
        plan.write_text(text, encoding="utf-8")
        assert main(["sweep", str(plan), "-o", str(tmp_path / "r.parquet")]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert GRAMMAR.fullmatch(err), err
        assert list(tmp_path.iterdir()) == [plan]
        return err

    return call


def test_a_sweep(tmp_path, capsys):
    plan, path = tmp_path / "plan.toml", tmp_path / "r.parquet"
    plan.write_text(SMALL)
    assert main(["sweep", str(plan), "-o", str(path), "--workers", "3", "--json"]) == 0
    out, err = capsys.readouterr()
    record = json.loads(out)[0]
    assert (record["rows"], record["missing"], record["found"]) == (5, 0, 0)
    assert "5 of 5 rows" in err
    assert len(pd.read_parquet(path)) == 5


@pytest.mark.parametrize(("text", "says"), [
    ("", "must have at least one"),
    ("x = [", "plan must be TOML"),
    ("seed = 1", "plan must have tables"),
    ("sweep = 3", "plan must have tables"),
    ("sweep = [3]", "plan must have tables"),
    ("sweep = []", "sweep must have at least one block"),
    (SMALL + "bogus = 1", "key in sweep 1 must be one of ask"),
    ("trials = 1\n" + SMALL, "key must be one of sweep, seed"),
    ("seed = -1\n" + SMALL, "seed must be a whole number in"),
    ("seed = 1.5\n" + SMALL, "seed must be a whole number"),
    (SMALL + 'ask = "guess"', "ask in sweep 1 must be one of success"),
    (SMALL + 'ask = ["need"]', "ask in sweep 1 must be one of success"),
    (SMALL + 'how = "zip"', "how in sweep 1 must be one of grid"),
    (SMALL + 'concept = "none"', "concept in sweep 1 must be one of"),
    (SMALL + "concept = 3", "concept in sweep 1 must be a name"),
    (SMALL + 'distribution = "none"', "distribution in sweep 1 must be one of"),
    (SMALL + 'bound = "packing"', "bound in sweep 1 must not be given"),
    (SMALL + 'ask = "need"', "m in sweep 1 must not be given for need"),
    (SMALL + "d = true", "d in sweep 1 must have numbers"),
    (SMALL + "d = []", "d in sweep 1 must have at least one value"),
    (SMALL + "d = 4.5", "d in sweep 1 must be whole numbers"),
    (SMALL + "d = inf", "d in sweep 1 must be whole numbers"),
    (SMALL + 'd = "0:8:3"', "d in sweep 1 must be a whole number in"),
    (SMALL + 'd = "8:4:3"', "d in sweep 1 must have ranges with start at most stop"),
    (SMALL + "count = 3", "count in sweep 1 must be given for random"),
    (SMALL + 'how = "random"', "count in sweep 1 must be at least 1"),
    (SMALL + 'how = "random"\ncount = 2\nd = "8:4"', "d in sweep 1 must be drawn from low:high"),
    (SMALL + 'how = "random"\ncount = 2\ndelta = "0:0.1:log"', "delta in sweep 1 must be drawn"),
    (SMALL + 'how = "list"\nd = [4, 5]', "values in sweep 1 must be equally many"),
    (SMALL + "repeat = 0", "repeat in sweep 1 must be in"),
    (SMALL + "trials = 1", "trials in sweep 1 must be a whole number in"),
    (SMALL + 'd = "1:10000:10000"\nrepeat = 100000', "rows must be at most"),
    (SMALL + SMALL + 'alpha = "x"', "alpha in sweep 2 must be in"),
])  # fmt: skip
def test_bad_plans_are_refused_in_a_sentence(refusal, text, says):
    assert says in refusal(text)


@pytest.fixture
def stranger():
    """A server that answers whoever connects, and not as a scheduler does."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            with contextlib.suppress(OSError):
                while True:
                    there, _ = server.accept()
                    there.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    there.close()

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_the_scheduler_must_answer(monkeypatch, tmp_path, capsys, stranger):
    monkeypatch.undo()
    monkeypatch.setattr(running, "_PATIENCE", 0.5)
    plan = tmp_path / "plan.toml"
    plan.write_text(SMALL)
    words = ["sweep", str(plan), "-o", str(tmp_path / "r.parquet"), "--scheduler"]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        mute = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        for address in ("x", "nonsense://x", "tcp://127.0.0.1:1", stranger, mute):
            assert main([*words, address]) == 2
            err = capsys.readouterr().err
            assert GRAMMAR.fullmatch(err), err
            assert err.startswith("privsc: error: scheduler must be the address")
    # Nothing is left that the interpreter would wait for at its end.
    gc.collect()
    assert "IO loop" not in {thread.name for thread in threading.enumerate()}
    assert main([*words, "tcp://127.0.0.1:1", "--workers", "2"]) == 2
    assert "must stand without" in capsys.readouterr().err


def test_results_are_csv_by_their_ending(tmp_path):
    name = "r.CSV"
    plan, rows = tmp_path / "plan.toml", tmp_path / "r.parquet"
    plan.write_text(SMALL + SMALL.replace("erm", "hash") + "alpha = [0.1, 0.7]\n")
    for path in (tmp_path / name, rows):
        assert main(["sweep", str(plan), "-o", str(path)]) == 0
    texts = (tmp_path / name).read_text(), pd.read_parquet(rows).to_csv(index=False)
    found, same = (list(csv.DictReader(io.StringIO(text))) for text in texts)
    for one, other in zip(found, same, strict=True):
        for key, value in one.items():
            number = key in {"value", "low", "high", "failure", "epsilon", "alpha", "beta", "delta"}
            if number and value:
                assert float(value) == float(other[key])  # to the last digit
            else:
                assert value.removesuffix(".0") == other[key].removesuffix(".0")
    drawn = read_sheet((tmp_path / name).read_bytes())
    assert drawn.numbers["value"].tolist()[:5] == [float(row["value"]) for row in found[:5]]
    assert {p.name for p in tmp_path.iterdir()} == {"plan.toml", name, "r.parquet"}


@pytest.mark.parametrize("name", ["r.xlsx", "r.json", "r.parquet.gz", "r.txt"])
def test_other_endings_are_refused(tmp_path, capsys, name):
    plan = tmp_path / "plan.toml"
    plan.write_text(SMALL)
    assert main(["sweep", str(plan), "-o", str(tmp_path / name)]) == 2
    assert "output must end in .parquet or .csv" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [plan]


def test_progress_says_rate_and_time_left(capsys, monkeypatch):
    line = sweeping._Line()
    monkeypatch.setattr(sweeping.time, "monotonic", lambda: 1e9)
    line.hear(Told(done=1000, rows=5000, found=500, seconds=10.0))
    assert capsys.readouterr().err == "privsc: 1,000 of 5,000 rows, 50 a second, 1 min 20 s left\n"
    line.hear(Told(done=2000, rows=5000, found=500, seconds=20.0))
    assert capsys.readouterr().err == ""  # too soon after the last


@pytest.mark.whole
def test_kill_9_at_two_moments_then_equal_bytes(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[[sweep]]\nm = "20:2000:100"\nd = "2:100:30"\ntrials = 50\nalpha = [0.1, 0.2]\n'
                    'learner = ["hash", "exponential"]\ndistribution = ["hard", "bystanders"]')  # fmt: skip
    whole, killed = tmp_path / "whole.parquet", tmp_path / "killed.parquet"
    parts = tmp_path / "killed.parquet.parts"

    def start(path):
        words = ["sweep", str(plan), "-o", str(path), "--workers", "1"]
        return subprocess.Popen(
            [sys.executable, "-m", "privsc_core", *words], start_new_session=True
        )

    for many in (3, 9):
        process, ends = start(killed), time.monotonic() + 120.0
        while process.poll() is None and len(list(parts.glob("*.parquet"))) < many:
            assert time.monotonic() < ends, "it hangs"
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.01)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert not killed.exists()
    assert start(killed).wait() == 0
    assert start(whole).wait() == 0
    assert killed.read_bytes() == whole.read_bytes()


@pytest.mark.whole
@pytest.mark.parametrize("moment", ["workers", "parts"])
def test_ctrl_c_in_a_terminal_ends_all_and_keeps_the_parts(tmp_path, moment):
    plan, path = tmp_path / "plan.toml", tmp_path / "r.csv"
    plan.write_text('[[sweep]]\nm = "20:2000:100"\nd = "2:100:30"\nlearner = "hash"\n'
                    'distribution = "bystanders"\ntrials = 50')  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "privsc_core", "sweep", str(plan), "-o", str(path), "--workers", "2"],
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    parts, group, ends = (
        tmp_path / "r.csv.parts",
        psutil.Process(process.pid),
        time.monotonic() + 300.0,
    )

    def there():
        if moment == "parts":
            return len(list(parts.glob("*.parquet"))) >= 1
        # They import what they need, which takes a second.
        words = [" ".join(child.cmdline()) for child in group.children(recursive=True)]
        return sum("popen_loky" in w for w in words) >= 2

    while not there():
        assert process.poll() is None
        assert time.monotonic() < ends
    everybody = group.children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert not [line for line in err.splitlines() if not line.startswith("privsc: ")]
    assert not psutil.wait_procs(everybody, timeout=120)[1]
    assert not path.exists()
    assert moment == "workers" or list(parts.glob("*.parquet"))
