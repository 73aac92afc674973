"""`privsc sweep`: plans that are refused, the record at the end, and kills of the real process."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from privsc_core.cli import main, sweeping
from privsc_core.sweep import Told

GRAMMAR = re.compile(r"privsc: error: [^\n]+ must [^\n]+; got [^\n]+\n")
SMALL = '[[sweep]]\nlearner = "erm"\nm = "10:50:5"\n'


@pytest.fixture(autouse=True)
def without_a_cluster(monkeypatch):
    """Compute in this process: clusters have their tests in tests/core/test_sweep.py."""
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


def test_the_scheduler_must_answer(monkeypatch, tmp_path, capsys):
    monkeypatch.undo()
    plan = tmp_path / "plan.toml"
    plan.write_text(SMALL)
    words = ["sweep", str(plan), "-o", str(tmp_path / "r.parquet"), "--scheduler"]
    assert main([*words, "nonsense://x"]) == 2
    assert re.match(r"privsc: error: scheduler must be the address", capsys.readouterr().err)
    assert main([*words, "tcp://127.0.0.1:1", "--workers", "2"]) == 2
    assert "must stand without" in capsys.readouterr().err


def test_progress_says_rate_and_time_left(capsys, monkeypatch):
    line = sweeping._Line(sys.stderr)
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
            time.sleep(0.01)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert not killed.exists()
    assert start(killed).wait() == 0
    assert start(whole).wait() == 0
    assert killed.read_bytes() == whole.read_bytes()
