"""Learners in files and packages: who may name them, and what a reader is told."""

import json

import pytest

from privsc_core import catalog
from privsc_core.cli import main
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from privsc_core.own import loading

FILE = """
import numpy as np
import privsc_core as pv


@pv.learner("point", title="Always the last & best", proper=True)
def last(x, y, *, d):
    return 2**d


def broken(x, y):
    return y[10**6]


class Wrapped:
    concept = "interval"

    def learn(self, x, y, *, bits, rng):
        return lambda point: point < 2 ** (bits - 1)
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "my_learners.py"
    path.write_text(FILE)
    return path


@pytest.fixture
def installed(tmp_path, monkeypatch, file):
    """Install a package that brings one of the learners."""
    about = tmp_path / "mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{loading.GROUP}]\nlast = {file.stem}:last\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "mine:last"


def answer(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_file_beside_a_name(file, capsys):
    typed = f"{file}:last"
    rows = answer(
        capsys, "success", "--learner", f"{typed},exponential", "-m", "5,9", "-d", "3",
        "--trials", "20",
    )  # fmt: skip
    assert [row["learner"] for row in rows] == [typed, typed, "exponential", "exponential"]
    assert [row["value"] for row in rows[:2]] == [1.0, 1.0]
    assert rows[0]["method"] == "monte-carlo"
    assert rows[0]["low"] < 1.0
    [least] = answer(capsys, "need", "--learner", typed, "-d", "3", "--trials", "50")
    assert least["m"] == 1
    assert "50 more runs" in least["note"]


def test_a_learner_of_a_file_is_audited_by_runs(file, capsys):
    file.write_text(FILE + "\n\ndef tells(x, y):\n    return int(x[0])\n")
    asked = ("--trials", "4000", "-m", "2")
    last, tells, ours = (
        answer(capsys, "audit", "--learner", name, *asked)[0]
        for name in (f"{file}:last", f"{file}:tells", "exponential")
    )
    assert [row["private"] for row in (last, tells, ours)] == [None, False, None]
    assert {row["method"] for row in (last, tells, ours)} == {"monte-carlo"}
    assert last["worst"] == 0
    assert tells["worst"] > tells["epsilon"]
    assert "no violation" in last["note"]
    assert "does not show privacy" in last["note"]
    assert "not 1-private" in tells["note"]


def test_a_package_brings_one_by_its_name(installed, capsys):
    listed = [row for row in answer(capsys, "list") if row["type"] == "package"]
    assert installed in [row["name"] for row in listed]
    [row] = answer(capsys, "success", "--learner", installed, "-d", "3", "--trials", "20")
    assert row["value"] == 1.0


@pytest.mark.parametrize(("typed", "said"), [
    ("{}:broken", "line 12 of my_learners.py raises IndexError"),
    ("{}:nothing", "function in"), ("{}x.py:last", "FILE.py:NAME"), ("none:last", "FILE.py:NAME"),
    ("{}", "must be one of"), ("{}:np", "function"),
])  # fmt: skip
def test_what_cannot_be_loaded_is_one_sentence(typed, said, file, capsys):
    assert main(["success", "--learner", typed.format(file)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


@pytest.mark.parametrize(("text", "said"), [
    ("import no_such_module\n", "line 1 of"), ("x = 1\ny = (\n", "line 2 of"), ("x = 1\n", "with must have"),
])  # fmt: skip
def test_a_file_that_does_not_run_says_its_line(text, said, tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        loading.shown_in(str(path))


def test_a_learner_of_another_class_is_refused(file, capsys):
    assert main(["success", "--learner", f"{file}:last", "--concept", "interval"]) == 2
    assert "must be point" in capsys.readouterr().err


@pytest.fixture
def brought(file):
    """Bring the file's learners to this process, as `privsc serve --with` does; then forget them."""
    catalog.bring(str(file))
    yield
    catalog.take_back()


def test_a_server_lists_what_its_operator_brings(brought):
    concept = catalog.concept("point")
    assert catalog.brought("point") == ("last",)
    assert concept.learners[-1].name == "last"
    assert "(yours)" in concept.learners[-1].title
    assert catalog.concept("interval").learners[-1].name == "wrapped"
    shown = Scenario("point", ("erm", "last"), d=4)
    assert [entry.name for entry in shown.drawn] == ["erm", "last"]
    assert concept.style_of("last").colour
    assert catalog.concept("line(7)").learners[-1].name == "vote"


def test_without_them_the_lists_are_as_ever():
    assert catalog.brought("point") == ()
    assert catalog.concept("point").learners[-1].name == "label-boost"


def test_no_other_door_reads_a_file(file, installed, tmp_path, capsys):
    mark = tmp_path / "ran"
    file.write_text(f"open({str(mark)!r}, 'w').close()\n{FILE}")
    for typed in (f"{file}:last", installed):
        for words in (["bound", "--bound", typed], ["reach", "--learner", typed],
                      ["figure", "--learner", typed], ["learn", "--learner", typed, "-"]):  # fmt: skip
            assert main(words) == 2
        with pytest.raises(InputError):
            catalog.learner("point", typed)
        with pytest.raises(InputError):
            Scenario("point", (typed,))
        sweep = tmp_path / "sweep.toml"
        sweep.write_text(
            f'[[sweep]]\nask = "need"\nconcept = "point"\nlearner = "{typed}"\nd = 5\n'
        )
        assert main(["sweep", str(sweep), "-o", str(tmp_path / "rows.csv")]) == 2
        assert "must be one of" in capsys.readouterr().err
    assert not mark.exists()
    assert main(["success", "--learner", f"{file}:last", "--trials", "2"]) == 0
    assert mark.exists()
