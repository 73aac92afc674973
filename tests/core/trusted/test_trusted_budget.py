"""The account of a data set: what it refuses, two at once, and a release that is killed."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from privsc_core.errors import InputError
from privsc_core.trusted import budget

KILLED = Path(__file__).with_name("killed.py")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "left.json"
    path.write_text('{"epsilon": 1, "delta": 1e-6}', encoding="utf-8")
    return path


def spend(file, epsilon=0.1, delta=0.0, adjacency="full"):
    return budget.spend(
        str(file), epsilon=epsilon, delta=delta, adjacency=adjacency, words={"learner": "x"}
    )


def test_ten_times_a_tenth_is_one(file):
    for _ in range(10):
        left = spend(file)
    assert left == {"epsilon": 0.0, "delta": 1e-6}
    with pytest.raises(InputError, match="epsilon must be at most 0, what is left"):
        spend(file)
    assert len(json.loads(file.read_text())["spent"]) == 10
    assert {p.name for p in file.parent.iterdir()} == {"left.json", "left.json.lock"}


def test_delta_is_spent_too(file):
    spend(file, 0.1, 1e-6)
    with pytest.raises(InputError, match="delta must be at most 0"):
        spend(file, 0.1, 1e-7)


def test_labels_are_not_examples(file):
    with pytest.raises(InputError, match="labels alone"):
        spend(file, adjacency="label")
    file.write_text('{"epsilon": 1, "adjacency": "label"}')
    spend(file, adjacency="label")
    spend(file, adjacency="full")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"epsilon": "1"}', '{"delta": 1}', '{"epsilon": -1}', '{"epsilon": NaN}',
     '{"epsilon": true}', '{"epsilon": 1, "spent": [1]}', '{"epsilon": 1, "spent": [{}]}',
     '{"epsilon": 1, "spent": [{"epsilon": -9, "delta": 0}]}', '{"epsilon": 1, "eps": 2}',
     # A key twice, at any depth: which of the two is meant depends on who reads it.
     '{"epsilon": 1, "epsilon": 9}', '{"epsilon": 1, "spent": [], "spent": []}',
     '{"epsilon": 1, "spent": [{"epsilon": 1, "delta": 0, "epsilon": 0}]}',
     '{"epsilon": 1, "spent": [{"epsilon": 1, "delta": 0, "who": {"a": 1, "a": 2}}]}',
     # Numbers that floating point does not hold.
     '{"epsilon": 1' + "0" * 400 + "}", '{"epsilon": 1' + "0" * 5000 + "}", '{"epsilon": 1e400}',
     '{"epsilon": 1e99999999999999999999}', '{"epsilon": 1e-400}', '{"epsilon": 9007199254740993}',
     '{"epsilon": 0.99999999999999999999}', '{"epsilon": Infinity}', '{"epsilon": -Infinity}',
     '{"epsilon": 1, "delta": 1' + "0" * 400 + "}",
     '{"epsilon": 1, "spent": [{"epsilon": 1e400, "delta": 0}]}',
     '{"epsilon": 1, "spent": [{"epsilon": 0, "delta": 0, "who": NaN}]}',
     # Other types.
     *('{"epsilon": 1, "adjacency": ' + v + "}" for v in ("[]", "{}", "null", "1", "true", '"Full"')),
     *('{"epsilon": 1, "spent": ' + v + "}" for v in ("{}", "null", "1", '"x"', "[null]", "[[]]")),
     *('{"epsilon": ' + v + "}" for v in ("[]", "{}", "null", "false")), '{"epsilon": 1, "delta": null}',
     # Other texts.
     "[" * 100_000, '{"epsilon": 1}}', "null", '"epsilon"'],
)  # fmt: skip
def test_what_is_no_budget_pays_nothing(file, text):
    file.write_text(text)
    with pytest.raises(InputError, match="budget must"):
        spend(file)
    assert file.read_text() == text


def test_what_was_spent_may_be_more_than_floats_hold(file):
    much = '{"epsilon": 1.7e308, "delta": 0}'
    file.write_text('{"epsilon": 1, "spent": [' + f"{much}, {much}" + "]}")
    with pytest.raises(InputError, match=r"epsilon must be at most 0, what is left"):
        spend(file)


def test_windows_may_mark_a_file_as_utf_8(file):
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    spend(file)
    assert len(json.loads(file.read_text(encoding="utf-8"))["spent"]) == 1
    file.write_bytes('{"epsilon": 1}'.encode("utf-16"))
    with pytest.raises(InputError, match="budget must be JSON"):
        spend(file)


def test_two_names_of_one_file_are_not_two_accounts(file, tmp_path):
    other, text = tmp_path / "other.json", file.read_text()
    other.hardlink_to(file)
    for name in (file, other):
        with pytest.raises(
            InputError, match=r"budget must be a file with one name .*; got 2 names"
        ):
            spend(name)
        assert name.read_text() == text
    other.unlink()
    spend(file)


def test_what_is_no_plain_file_is_no_budget(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path):
        with pytest.raises(InputError, match="must be a file that says"):
            spend(path)


def test_a_budget_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="must be a file that says"):
        spend(tmp_path / "none.json")


def test_a_link_stays_a_link_to_the_same_account(file, tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to(file)
    spend(link)
    assert link.is_symlink()
    assert len(json.loads(file.read_text())["spent"]) == 1


def test_many_at_once_never_spend_more(file):
    def some(_):
        done = 0
        for _ in range(4):
            try:
                spend(file)
                done += 1
            except InputError:
                break
        return done

    with ThreadPoolExecutor(6) as pool:  # each opens the lock for itself, as processes do
        assert sum(pool.map(some, range(6))) == 10
    assert len(json.loads(file.read_text())["spent"]) == 10


def killed(folder, places, when):
    words = [sys.executable, str(KILLED), str(folder), str(places), when]
    done = subprocess.run(words, capture_output=True, check=True, timeout=500)
    return json.loads(done.stdout)


@pytest.mark.parametrize("places", [20, pytest.param(400, marks=pytest.mark.whole)])
def test_a_release_that_is_killed_never_gets_its_noise_for_nothing(tmp_path, places):
    pytest.importorskip("opendp")
    found = killed(tmp_path, places, "early")
    assert found["wrong"] == []
    assert found["paid"] > found["drawn"] > 2
    assert found["events"] > 100


def test_one_that_pays_afterwards_is_caught(tmp_path):
    pytest.importorskip("opendp")
    assert killed(tmp_path, 4, "late")["wrong"]
