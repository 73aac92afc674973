"""What a notebook gets: frames, tables, several learners at once."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

import privsc_core as pv
from privsc_core.cli import main
from privsc_core.errors import InputError

AT = {"d": [4, 16], "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}


def told(capsys, *words):
    """Return what the command prints, but for its notes: it adds which typed options change nothing."""
    assert main([*words, "--json"]) == 0
    return [one | {"note": None} for one in json.loads(capsys.readouterr().out)]


def rows(found):
    return [one | {"note": None} for one in found.records()]


def test_records_are_those_of_the_command_line(capsys):
    setting = ["-d", "4,16", "--epsilon", "0.5", "--alpha", "0.1", "--beta", "0.1"]
    found = pv.need(concept="point", learner=["exponential", "seen"], **AT)
    assert rows(found) == told(capsys, "need", "--learner", "exponential,seen", *setting)
    slack = pv.need(concept="release", learner="stability", **(AT | {"d": 2}))
    assert "its own delta" in slack.records()[0]["note"]
    found = pv.bound(concept="point", bound="all", **AT)
    assert rows(found) == told(capsys, "bound", "--bound", "all", *setting)
    given = {"concept": "point", "learner": ["hash", "erm"], "distribution": ["hard", "uniform"]}
    found = pv.success(**given, **AT, m=30, trials=40, seed=3)
    words = ["--learner", "hash,erm", "--distribution", "hard,uniform", "-m", "30"]
    asked = told(capsys, "success", *words, *setting, "--trials", "40", "--seed", "3")
    assert rows(found) == asked
    assert found.value.shape == found.method.shape == (2, 2, 2)
    assert {*found.method.ravel()} == {"exact", "monte-carlo"}


def test_an_axis_of_learners_stands_before_the_others():
    setting = AT | {"m": [[200], [500], [600]]}
    found = pv.success(concept="point", learner=["exponential", "hash"], **setting)
    assert found.value.shape == (2, 3, 2)
    for at, name in enumerate(("exponential", "hash")):
        alone = pv.success(concept="point", learner=name, **setting)
        assert np.array_equal(found.value[at], alone.value)
        assert alone.method == "exact"
        assert np.array_equal(pv.success(concept="point", learner=[name], **setting).value[0], alone.value)  # fmt: skip


def test_of_all_learners_one_that_is_refused_has_a_reason():
    found = pv.need(concept="interval", learner="all", **(AT | {"d": 200}), trials=50)
    frame = found.to_frame()
    assert len(frame) == len(pv.CONCEPTS[1].learners)
    missing = frame.m.isna()
    assert 0 < missing.sum() < len(frame)
    assert frame.reason[missing].str.contains("must").any()
    assert not frame.reason[~missing].any()
    with pytest.raises(InputError, match="learner must be one of"):
        pv.need(concept="interval", learner=["erm", "nobody"], **AT)
    with pytest.raises(InputError, match="learner must be a name or a list of names"):
        pv.need(concept="interval", learner=[], **AT)


def test_a_frame_has_a_row_for_each_setting():
    frame = pv.need(concept="point", learner="exponential", **AT).to_frame()
    assert frame.d.tolist() == [4, 16]
    assert frame.m.tolist() == [211, 572]
    assert frame.at_least.isna().all()
    assert frame.at_least.dtype == float
    one = pv.success(concept="point", learner="hash", **(AT | {"m": 100, "d": 16})).to_frame()
    assert one.loc[0, ["learner", "m", "d", "method"]].tolist() == ["hash", 100, 16, "exact"]


def test_a_frame_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    found = pv.need(concept="point", learner="hash", **AT)
    with pytest.raises(InputError, match=r"pip install 'privsc\[notebook\]'"):
        found.to_frame()
    assert "366" in repr(found)


def test_a_notebook_shows_a_small_table():
    found = pv.success(concept="point", learner="hash", **(AT | {"m": range(1, 101), "d": 9}))
    text, shown = repr(found), found._repr_html_()
    assert text.startswith("Probability of success: concept point")
    assert "trials" not in text
    assert text.endswith("80 more rows: to_frame() has them all.")
    assert shown.count("<tr>") == 21
    drawn = pv.success(
        concept="point", learner="hash", distribution="uniform", **(AT | {"m": 9, "trials": 20})
    )
    assert "low" in repr(drawn)
    assert "trials 20, seed 1" in repr(drawn)


def test_no_word_of_a_table_is_markup():
    found = pv.need(concept="point", learner="hash", **AT)
    found = replace(found, note=np.array(["<script>", "a"]), asked={"learner": "<b>&"})
    shown = found._repr_html_()
    assert "&lt;script&gt;" in shown
    assert "&lt;b&gt;&amp;" in shown
    assert "<script" not in shown
