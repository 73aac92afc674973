"""Intervals on the command line: numbers, reasons, the catalog, examples from a file."""

import json
import re
import shlex

import pytest

import privsc_core as pv
from privsc_core.cli import main
from privsc_core.evaluate.scenario import Scenario
from privsc_core.export import Shown, command_line, python_snippet

REFUSAL = re.compile(r"privsc: error: [^\n]+ must [^\n]+; got [^\n]+\n")


@pytest.fixture
def records(capsys):
    def call(*words):
        status = main([*words, "--json"])
        out, err = capsys.readouterr()
        assert (status, err) == (0, "")
        return json.loads(out)

    return call


def test_success_on_hard(records):
    words = "success --concept interval --learner exponential --distribution hard -d 5 -m 40"
    (found,) = records(*words.split(), "--epsilon", "1", "--alpha", "0.15")
    # recipe: the sums of tests/core/concepts/interval/test_interval.py.
    assert found["value"] == pytest.approx(0.34294, abs=5e-6)
    assert found["value"] == found["low"] == found["high"]
    assert (found["method"], found["concept"]) == ("exact", "interval")


def test_success_is_that_of_python(records):
    found = records("success", "--concept", "interval", "--learner", "erm,exponential",
                    "--distribution", "uniform,band", "-m", "20,200", "-d", "9,200",
                    "--trials", "200")  # fmt: skip
    assert len(found) == 16
    for record in found:
        names = ("concept", "learner", "distribution", "m", "d", "epsilon", "alpha", "beta",
                 "trials", "seed")  # fmt: skip
        direct = pv.success(**{name: record[name] for name in names})
        assert record["value"] == direct.value.item()
        assert record["low"] <= record["value"] <= record["high"]
        assert record["method"] == "rao-blackwell"


def test_need(records):
    asked = ("need", "--concept", "interval", "-d", "16")
    # Who cannot do without a slack says so.
    refused = {r["learner"]: r["reason"] for r in records(*asked) if r["m"] is None}
    assert set(refused) == {"search", "tree"}
    assert all("delta must be in (0, 0.5)" in reason for reason in refused.values())
    by_name = {r["learner"]: r for r in records(*asked, "--delta", "1e-6")}
    assert set(by_name) == {"erm", "exponential", "generic", "noise", "atoms", "search", "tree"}
    assert {r["target"] for r in by_name.values()} == {"middle"}
    (other,) = records(*asked, "--learner", "tree", "--delta", "1e-6", "--target", "alternating")
    assert (other["m"], other["distribution"], other["target"]) == (
        1750, "hard(alternating)", "alternating",
    )  # fmt: skip
    at = {"epsilon": 0.5, "alpha": 0.1, "delta": 1e-6}
    for name, record in by_name.items():
        now, before = pv.success(
            concept="interval", learner=name, d=16, m=[record["m"], record["m"] - 1], **at
        ).value
        assert before < 0.9 <= now


def test_need_of_noise_where_it_is_capped_has_a_reason(records):
    (found,) = records("need", "--concept", "interval", "--learner", "noise", "-d", "16",
                       "--alpha", "0.3", "--beta", "0.1")  # fmt: skip
    # (1 - 0.3 / 8)^3 = 0.89 is the most that it reaches.
    assert found["m"] is None
    assert found["reason"]


def test_bounds_and_the_reason_where_there_is_no_number(records):
    found = records("bound", "--concept", "interval", "-d", "16,1024")
    by_name = {(r["bound"], r["d"]): r for r in found}
    assert {r["bound"] for r in found} == {
        "nonprivate", "packing", "packing-two", "littlestone", "littlestone-entropy", "corollary-4.3",
        "littlestone-rate", "lemma-5.2", "finite-class", "theorem-3.2", "packing-delta", "tree", "labels",
    }  # fmt: skip
    for d in (16, 1024):
        rate = by_name["littlestone-rate", d]
        assert rate["m"] is None
        assert "without a constant" in rate["reason"]
        assert rate["constants"] == "rate"
        m = {name: by_name[name, d]["m"] for name, bits in by_name if bits == d}
        assert m["corollary-4.3"] <= m["littlestone-entropy"] <= m["littlestone"] <= m["packing"]
        assert (
            m["lemma-5.2"]
            <= m["packing"]
            <= m["packing-two"]
            <= m["finite-class"]
            <= m["theorem-3.2"]
        )
        (need,) = records("need", "--concept", "interval", "--learner", "exponential", "-d", str(d))
        assert m["packing-two"] <= need["m"] <= m["finite-class"]
    (single,) = records("bound", "--concept", "interval", "--bound", "littlestone-rate", "-d", "9")
    assert single["m"] is None
    (beyond,) = records("bound", "--concept", "interval", "--bound", "corollary-4.3", "--alpha",
                        "0.3", "-d", "99")  # fmt: skip
    assert (beyond["m"], "alpha" in beyond["reason"]) == (None, True)


def test_list_shows_both_classes(records, capsys):
    found = records("list")
    names = {(r["type"], r["name"]) for r in found}
    assert {("concept", "point"), ("concept", "interval"), ("bound", "littlestone"),
            ("distribution", "band"), ("bound", "lemma-5.2")} <= names  # fmt: skip
    assert main(["list"]) == 0
    said = capsys.readouterr().out
    assert "interval" in said
    assert "Independent noise" in said


def test_audit(records):
    by_name = {r["learner"]: r for r in records("audit", "--concept", "interval")}
    assert {name: r["private"] for name, r in by_name.items()} == {
        "erm": False, "exponential": True, "noise": False, "atoms": True, "generic": True, "search": None, "tree": None,
    }  # fmt: skip
    mechanism = by_name["exponential"]
    assert 0 < mechanism["worst"] <= mechanism["epsilon"]
    assert by_name["noise"]["worst"] > 5 * by_name["noise"]["epsilon"]
    assert "infinite" in by_name["erm"]["reason"]
    (other,) = records("audit", "--concept", "interval", "--learner", "exponential", "-m", "2",
                       "-d", "3", "--epsilon", "0.3")  # fmt: skip
    assert other["private"]
    assert other["pairs"] == 16**2 * 2 * 15


@pytest.fixture
def examples(tmp_path):
    def write(text):
        path = tmp_path / "examples.csv"
        path.write_text(text)
        return str(path)

    return write


@pytest.mark.parametrize("learner", ["erm", "exponential"])
def test_learn_finds_the_threshold(examples, records, learner):
    path = examples("x,y\n" + "99,1\n100,0\n7,1\n" * 200)
    (found,) = records("learn", "--simulate", path, "--concept", "interval", "--learner", learner, "-d", "8",
                       "--epsilon", "2", "--seed", "1", "--predict", "1,99,100,256")  # fmt: skip
    assert found["j"] == "100"
    assert found["hypothesis"].startswith("c_100")
    assert found["predictions"] == {"1": 1, "99": 1, "100": 0, "256": 0}
    assert (found["m"], found["weight"], found["point"]) == (600, 99, None)
    assert ("not private" in found["note"]) == (learner == "erm")


def test_thresholds_beyond_64_bits_stay_exact(examples, records):
    target = 2**100 - 3
    path = examples("x,y\n" + f"{target - 1},1\n{target},0\n" * 300)
    (found,) = records("learn", "--simulate", path, "--concept", "interval", "-d", "100", "--epsilon", "5",
                       "--learner", "exponential", "--predict", f"{target - 1},{target}")  # fmt: skip
    assert found["j"] == str(target)
    assert found["predictions"] == {str(target - 1): 1, str(target): 0}


@pytest.mark.parametrize("learner", ["erm", "exponential", "noise"])
def test_learn_handles_what_no_threshold_fits(examples, records, learner):
    path = examples("x,y\n3,1\n3,0\n4,1\n\n9,1\n1,0\n")
    (found,) = records("learn", "--simulate", path, "--concept", "interval", "-d", "4", "--learner", learner,
                       "--predict", "3,16")  # fmt: skip
    assert set(found["predictions"].values()) <= {0, 1}


def test_what_noise_releases_does_not_name_the_threshold(examples, records):
    texts = set()
    for rows in ("3,1\n" * 50, "3,0\n" * 50):
        path = examples("x,y\n" + rows)
        (found,) = records("learn", "--simulate", path, "--concept", "interval", "-d", "4", "--learner", "noise",
                           "--seed", "1")  # fmt: skip
        texts.add(found["hypothesis"])
        assert found["j"] is None
    assert len(texts) == 1


@pytest.mark.parametrize("words", [
    "success --distribution band(0)", "success --distribution band(2.5)",
    "success --distribution band(3000000)", "success --distribution uniform(3)",
    "success --distribution bystanders", "success --distribution hard --alpha 0.6",
    "need --distribution hard -d 2", "need --learner hash", "bound --bound lemma-3.9",
    "audit --learner representation", "need --learner noise --distribution band",
    "success --distribution band(8,1.5)", "success --distribution band(1,2,3)",
])  # fmt: skip
def test_bad_input_is_one_line_and_status_2(capsys, words):
    command, *rest = words.split()
    assert main([command, "--concept", "interval", *rest]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert REFUSAL.fullmatch(err), err


def test_a_band_with_two_numbers_can_be_typed(records):
    found = records("success", "--concept", "interval", "--learner", "erm", "-m", "20", "-d", "9",
                    "--distribution", "band(64,0.9),uniform,band(8, 0.25),band(4)")  # fmt: skip
    assert [r["distribution"] for r in found] == [
        "band(64,0.9)", "uniform", "band(8, 0.25)", "band(4)",
    ]  # fmt: skip


def test_what_people_take_away_names_the_band(records):
    scenario = Scenario(
        "interval", ("erm", "exponential"), "band(64,0.9)", d=16, epsilon=1.0, alpha=0.15,
        trials=250, seed=3,
    )  # fmt: skip
    assert "band(64,0.9)" in python_snippet(Shown(scenario))
    _, *words = shlex.split(command_line(scenario))
    answered = [r for r in records(*words) if r["method"]]
    assert {r["learner"] for r in answered} >= {"erm", "exponential"}
    for record in answered:
        direct = pv.need(learner=record["learner"], concept="interval",
                         distribution="band(64,0.9)", **scenario.settings(),
                         **scenario.simulation())  # fmt: skip
        assert record["m"] == direct.m.item()
