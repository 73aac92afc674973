"""Data release on the command line: the slack, examples without labels, releases of real data."""

import json
import re
import sys

import pytest

import privsc_core as pv
from privsc_core.cli import main
from privsc_core.errors import InputError

USUAL = ("--concept", "release", "--epsilon", "0.5", "--alpha", "0.1", "--beta", "0.1")


# --- The slack -----------------------------------------------------------------------------------


def test_without_a_slack_its_own_one_is_used_and_said(records, capsys):
    words = (*USUAL, "-d", "16", "--distribution", "single")
    by_name = {r["learner"]: r for r in records("need", *words)}
    assert by_name["stability"]["m"] == 93
    said = "with delta = 0 stability uses its own delta, 1e-06"
    assert {n: said in (r["note"] or "") for n, r in by_name.items()} == {
        "laplace": False, "geometric": False, "blr": False, "stability": True,
    }  # fmt: skip
    for command in ("need", "success"):
        assert main([command, *words]) == 0
        assert said in capsys.readouterr().out


# --- learn ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["laplace", "geometric", "stability"])
@pytest.mark.parametrize(
    "text", ["x\n" + "5\n5\n5\n7\n" * 500, "x,y\n" + "5,1\n5,0\n5,?\n7,\n" * 500]
)
def test_learn_needs_no_labels_and_does_not_read_them(examples, records, learner, text):
    (found,) = records("learn", "--simulate", examples(text), "--concept", "release", "--learner", learner,
                       "-d", "8", "--epsilon", "2", "--predict", "5,7,9", "--seed", "3")  # fmt: skip
    assert (found["m"], found["total"], found["more"]) == (2000, 2000, 0)
    assert list(found["counts"]) == ["5", "7"]
    assert found["counts"]["5"] == pytest.approx(1500, abs=60)
    assert found["predictions"] == {
        "5": found["counts"]["5"] / 2000, "7": found["counts"]["7"] / 2000, "9": 0,
    }  # fmt: skip
    assert found["point"] is None
    assert ("own delta" in found["note"]) == (learner == "stability")


def test_a_synthetic_database_is_a_release_too(examples, records):
    (found,) = records("learn", "--simulate", examples("x\n" + "1\n2\n" * 500), "--concept", "release",
                       "--learner", "blr", "-d", "2", "--epsilon", "5", "--seed", "1")  # fmt: skip
    assert found["total"] == sum(found["counts"].values()) == 20
    assert found["counts"]["1"] == found["counts"]["2"] == 10


def test_twenty_counts_are_shown_largest_first_and_the_others_counted(examples, records):
    text = "x\n" + "".join(f"{x}\n" * (200 + 10 * x) for x in range(1, 51))
    (found,) = records("learn", "--simulate", examples(text), "--concept", "release", "--learner", "stability",
                       "-d", "100", "--epsilon", "9", "--delta", "1e-9")  # fmt: skip
    shown = list(found["counts"].values())
    assert (len(shown), found["more"], found["weight"]) == (20, 30, 50)
    assert shown == sorted(shown, reverse=True)
    assert found["delta"] == 1e-9
    assert "own delta" not in found["note"]


def test_points_beyond_64_bits_stay_exact(examples, records):
    target = 2**100 - 3
    (found,) = records("learn", "--simulate", examples("x\n" + f"{target}\n" * 3000), "--concept", "release",
                       "--learner", "laplace", "-d", "100", "--seed", "1")  # fmt: skip
    assert list(found["counts"]) == [str(target)]


def test_a_table_of_it_can_be_read(examples, run):
    path = examples("x\n" + "5\n" * 2000)
    out = run(
        "learn", "--simulate", path, "--concept", "release", "--learner", "laplace", "-d", "8"
    )
    assert re.search(r"^counts +5=\d+", out, re.MULTILINE)
    assert re.search(r"^total +2000$", out, re.MULTILINE)


def test_refusals(examples, refusal):
    unlabelled = examples("x\n5\n7\n")
    learn, release = ("learn", "--simulate", unlabelled), ("--concept", "release", "--learner")
    for said, words in (
        ("name one column y", (*learn, "-d", "8")),
        ("empty points", (*learn, *release, "laplace", "-d", "64")),
        ("synthetic databases", (*learn, *release, "blr", "-d", "64")),
        ("delta", (*learn, *release, "stability", "--delta", "0.5")),
        ("delta", ("audit", *release, "stability", "--delta", "-1")),
        ("(2^d)^m", ("audit", *release, "laplace", "-d", "2", "-m", "8")),
        ("an output", ("audit", *release, "laplace", "-d", "2", "-m", "7")),
        ("1/3", ("need", *release, "laplace", "--alpha", "0.4")),
    ):
        assert said in refusal(*words)
    examples("a\n1\n")
    assert "name one column x" in refusal(*learn, *release, "laplace")
    with pytest.raises(InputError, match=r"^y must be given: erm learns from labels; got None\.$"):
        pv.learn(concept="point", learner="erm", x=[1], d=3, epsilon=1.0)
    assert pv.learn(concept="release", learner="stability", x=[1] * 99, d=3, epsilon=1.0).weight


# `privsc learn` on people's data: what it says, writes and refuses.


@pytest.fixture
def seen_examples(examples):
    return examples("x\n" + "5\n5\n5\n7\n" * 500)


@pytest.fixture
def learn(capsys):
    def call(*words, status=0):
        words = ("learn", *words, "--concept", "release", "-d", "8")
        assert main([*words, *(() if status else ("--json",))]) == status
        out, err = capsys.readouterr()
        assert bool(err) == bool(status)
        return err if status else json.loads(out)[0]

    return call


def test_a_release_says_what_it_promises(seen_examples, learn, tmp_path):
    pytest.importorskip("opendp")
    left, receipt = tmp_path / "left.json", tmp_path / "receipt.json"
    left.write_text('{"epsilon": 2, "delta": 1e-6}')
    words = (seen_examples, "--learner", "stability", "--epsilon", "2", "--budget", str(left))
    found = learn(*words, "--receipt", str(receipt))
    assert list(found["counts"]) == ["5", "7"]
    assert (found["epsilon"], found["delta"], found["seed"]) == (2.0, 1e-6, None)
    assert "replaced" in found["adjacency"]
    assert "number of examples" in found["public"]
    assert "opendp" in found["noise"]
    assert found["left"] == {"epsilon": 0.0, "delta": 0.0}
    written = json.loads(receipt.read_text())
    assert (written["epsilon"], written["delta"], written["left"]) == (2.0, 1e-6, found["left"])
    assert written["counts"] == found["counts"]
    assert written["noise"]["scale"] == 1.0
    assert "1500" not in receipt.read_text().replace(str(found["counts"]["5"]), "")
    # The account is empty: no second release, and no receipt of what was not released.
    more = tmp_path / "more.json"
    assert "what is left of the budget" in learn(*words, "--receipt", str(more), status=2)
    assert not more.exists()
    assert "must be a new file" in learn(*words, "--receipt", str(receipt), status=2)


def test_no_release_without_the_library(seen_examples, learn, monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp", None)
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    assert "opendp must be installed" in learn(seen_examples, "--learner", "laplace", status=2)
    assert "simulation" in learn(seen_examples, "--learner", "laplace", "--simulate")["note"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--learner", "laplace", "--seed", "1"), "seed must be left out"),
        (("--learner", "laplace", "--simulate", "--budget", "x"), "budget must be left out"),
        (("--learner", "laplace", "--simulate", "--receipt", "x"), "receipt must be left out"),
        (("--learner", "laplace", "--budget", "/no/such"), "budget must be a file"),
        (("--learner", "laplace", "--receipt", "/no/such/file"), "receipt must be a new file"),
    ],
)
def test_refusals_to_release(seen_examples, learn, words, said):
    pytest.importorskip("opendp")
    assert said in learn(seen_examples, *words, status=2)


@pytest.mark.parametrize(("learner", "said"), [("erm", "private"), ("noise", "drawn exactly")])
def test_learners_without_a_release(seen_examples, refusal, learner, said):
    err = refusal("learn", seen_examples, "-d", "8", "--learner", learner)
    assert said in err
    assert "--simulate" in err
