"""`privsc learn` on people's data: what it says, writes and refuses."""

import json
import sys

import pytest

from privsc_core.cli import main

SEEN = "x\n" + "5\n5\n5\n7\n" * 500


@pytest.fixture
def examples(tmp_path):
    path = tmp_path / "examples.csv"
    path.write_text(SEEN)
    return str(path)


@pytest.fixture
def learn(capsys):
    def call(*words, status=0):
        words = ("learn", *words, "--concept", "release", "-d", "8")
        assert main([*words, *(() if status else ("--json",))]) == status
        out, err = capsys.readouterr()
        assert bool(err) == bool(status)
        return err if status else json.loads(out)[0]

    return call


def test_a_release_says_what_it_promises(examples, learn, tmp_path):
    pytest.importorskip("opendp")
    left, receipt = tmp_path / "left.json", tmp_path / "receipt.json"
    left.write_text('{"epsilon": 2, "delta": 1e-6}')
    words = (examples, "--learner", "stability", "--epsilon", "2", "--budget", str(left))
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


def test_no_release_without_the_library(examples, learn, monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp", None)
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    assert "opendp must be installed" in learn(examples, "--learner", "laplace", status=2)
    assert "simulation" in learn(examples, "--learner", "laplace", "--simulate")["note"]


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
def test_refusals(examples, learn, words, said):
    pytest.importorskip("opendp")
    assert said in learn(examples, *words, status=2)


@pytest.mark.parametrize(("learner", "said"), [("erm", "private"), ("noise", "drawn exactly")])
def test_learners_without_a_release(examples, capsys, learner, said):
    assert main(["learn", examples, "-d", "8", "--learner", learner]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "--simulate" in err
