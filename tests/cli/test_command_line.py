"""The real command line, in process: what is typed, what is printed, how it ends."""

import contextlib
import csv
import io
import itertools
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privsc_core as pv
from privsc_core import catalog
from privsc_core.cli import main
from privsc_core.cli.numbers import number, numbers
from privsc_core.cli.serving import dashboard_folder
from privsc_core.errors import InputError
from tests.cli.conftest import GRAMMAR
from tests.core.support import saying


def test_success_order_and_fields(records):
    found = records("success", "--learner", "exponential,erm", "-m", "300,600", "-d", "8,16",
                    "--beta", "0.1,0.2")  # fmt: skip
    assert [(r["learner"], r["m"], r["d"], r["beta"]) for r in found] == [
        (learner, m, d, beta)
        for learner in ("exponential", "erm")
        for m in (300, 600)
        for d in (8, 16)
        for beta in (0.1, 0.2)
    ]
    single = records("success", "--learner", "exponential", "-m", "600", "-d", "16",
                     "--beta", "0.2")  # fmt: skip
    assert found[7] == single[0]
    assert set(single[0]) >= {"value", "low", "high", "method", "epsilon", "alpha", "seed"}


def test_all_lists_what_cannot_answer_with_its_reason(records):
    found = records("need", "-d", "16", "--distribution", "bystanders")
    assert {r["m"] is None for r in found} == {True, False}
    assert all(bool(r["reason"]) for r in found if r["m"] is None)


def test_a_table_shows_parameters_as_they_were_typed(run):
    words = ("--concept", "point", "--bound", "packing", "-d", "16", "--epsilon", "0.5")
    for beta in ("0.9999999999999", "1e-300", "0.123456789"):
        assert f"beta {beta}" in run("bound", *words, "--alpha", "0.1", "--beta", beta)


def test_csv_and_tables(run):
    text = run("bound", "-d", "8:64:3", "--csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["d"] for row in rows} == {"8", "36", "64"}
    table = run("need", "--learner", "exponential", "-d", "16")
    assert table.splitlines()[-1].split() == ["exponential", "16", "572", "exact"]


def test_list_shows_the_catalog(run, records):
    found = records("list")
    assert {r["type"] for r in found} == {
        "concept", "learner", "bound", "distribution", "parameter",
    }  # fmt: skip
    text = run("list")
    assert all(r["name"] in text for r in found)
    named = {(r["concept"], r["type"], r["name"]) for r in found}
    for concept in catalog.CONCEPTS:
        assert {
            *((concept.name, "learner", one.name) for one in concept.learners),
            *((concept.name, "bound", one.name) for one in concept.bounds),
            *((concept.name, "distribution", one.name) for one in concept.distributions),
        } <= named


def test_ours_lists_what_is_ours_and_writes_it_as_a_document(run, records, refusal, tmp_path):
    found = records("ours")
    assert {r["kind"] for r in found} == {"lower bound", "upper bound", "learner", "correction"}
    of_class = records("ours", "--concept", "line")
    assert of_class == [r for r in found if r["concept"] == "line"]
    file = tmp_path / "ours.pdf"
    text = run("ours", "--concept", "line", "--pdf", str(file))
    assert file.read_bytes().startswith(b"%PDF")
    assert all(r["title"] in text and r["checks"][0] in text for r in of_class)
    assert "pdf must be a file" in refusal("ours", "--pdf", str(tmp_path / "no" / "ours.pdf"))
    assert "pdf must be a file" in refusal("ours", "--pdf", "")
    assert "concept must be one of" in refusal("ours", "--concept", "nothing")


@pytest.mark.parametrize("concept", catalog.CONCEPTS, ids=lambda concept: concept.name)
def test_the_command_says_what_python_says(concept, records):
    """Of all learners and bounds of a class, on its first distribution and its last."""
    at = (
        "--concept",
        concept.name,
        "-d",
        "9",
        "--epsilon",
        "1",
        "--alpha",
        "0.12",
        "--trials",
        "60",
    )
    answered = 0
    for law in concept.distributions[:: max(1, len(concept.distributions) - 1)]:
        for record in records(
            "success", *at, "--delta", "1e-6", "-m", "40", "--distribution", law.name
        ):
            if record["value"] is None:
                assert record["reason"]
                continue
            names = ("concept", "learner", "distribution", "m", "d", "epsilon", "alpha", "beta",
                     "delta", "trials", "seed")  # fmt: skip
            found = pv.success(**{name: record[name] for name in names if record[name] is not None})
            assert record["value"] == found.value.item()
            assert (record["low"], record["high"]) == (found.low.item(), found.high.item())
            assert record["method"] == found.method
            answered += 1
    assert answered
    for record in records("bound", *at[:-2], "--delta", "1e-6"):
        names = ("concept", "bound", "d", "epsilon", "alpha", "beta", "delta")
        found = pv.bound(**{name: record[name] for name in names})
        assert (record["m"] is None) == np.isnan(found.m.item())
        assert (record["m"] or found.m.item()) == found.m.item() or record["reason"]


def test_who_cannot_answer_without_a_slack_says_so(records):
    asked = ("need", "--concept", "interval", "-d", "16")
    refused = {r["learner"]: r["reason"] for r in records(*asked) if r["m"] is None}
    assert set(refused) == {"search", "tree", "tree-2", "tree-3"}
    assert all("delta must be in (0, 0.5)" in reason for reason in refused.values())
    (other,) = records(*asked, "--learner", "tree", "--delta", "1e-6", "--target", "alternating")
    assert (other["m"], other["distribution"], other["target"]) == (
        1750, "hard(alternating)", "alternating",
    )  # fmt: skip


def test_bands_are_told_as_they_were_typed(records):
    bands = ["band(64,0.9)", "uniform", "band(8, 0.25)", "band(4)"]
    found = records("success", "--concept", "interval", "--learner", "erm", "-m", "20", "-d", "9",
                    "--distribution", ",".join(bands))  # fmt: skip
    assert [r["distribution"] for r in found] == bands


def test_audit(records, run):
    by_name = {
        (concept, r["learner"]): r
        for concept, names in (
            ("point", "erm,exponential,hash"),
            ("interval", "erm,exponential,noise"),
            ("release", "laplace,geometric,blr,stability"),
        )
        for r in records("audit", "--concept", concept, "--learner", names)
    }
    assert {r["private"] for r in by_name.values()} == {True, False}
    for (concept, name), record in by_name.items():
        promised = catalog.learner(concept, name).privacy
        if promised == "none":
            assert record["private"] is False
        elif promised == "pure":
            assert record["private"] is True
            assert 0 < record["worst"] <= record["epsilon"] + 1e-9
            assert record["least_delta"] is None
            assert record["pairs"] > 0
    erm, stability = by_name["point", "erm"], by_name["release", "stability"]
    assert erm["worst"] is None
    assert "infinite" in erm["reason"]
    assert (stability["worst"], stability["delta"]) == (None, 1e-6)
    assert stability["least_delta"] == pytest.approx(1e-6, rel=1e-9)
    assert "own delta" in stability["note"]
    words = ("audit", "--concept", "release", "--learner", "stability", "--delta", "0.001")
    (typed,) = records(*words)
    assert (typed["delta"], typed["note"], typed["private"]) == (0.001, None, True)
    assert "least_delta" in run(*words)


# --- Bad input ---------------------------------------------------------------------------------

BAD = [
    *(f"success --epsilon {v}".split() for v in
      ("0", "-1", "-1e-3", "nan", "inf", "-inf", "abc", "1e400", "1,,2", "1,", "٣", "0x1", "1_0")),
    *(f"success -m {v}".split() for v in
      ("0", "-5", "-5,3", "1.5", "10:1000:0", "100:10:5", "1:2", "1:2:3:lin", "1:5:1", "1:9:1e3",
       "1e999999999", "1:9:99999999999999999999", ":::", "1:10:3:log:log", "9" * 500)),
    *(f"need --alpha {v}".split() for v in ("1", "0", "1.5", "text")),
    *(f"need --beta {v}".split() for v in ("1", "0", "-0.1")),
    ["need", "--delta", "0.5"], ["need", "--delta", "0,0.1"], ["need", "--delta=-1"],
    ["need", "--trials", "1"], ["need", "--seed", "-1"], ["need", "--seed", "9007199254740993"],
    ["need", "--learner", "foo"], ["need", "--learner", "representation", "--alpha", "0.6"],
    ["need", "--concept", "foo"], ["bound", "--bound", "foo"], ["bound", "--distribution", "foo"],
    ["need", "--distribution", "bystanders(0)"], ["need", "--learner", ""], ["need", "-d", ""],
    ["need", "-d", " \n"], ["success", "-m", "1:1000:1000", "-d", "1:100:100"],
    ["success", "-m", "1:99999:9999,1:999999:9999"],
    ["foo"], ["need", "--foo"], ["need", "--learn", "hash"], ["need", "-m"],
    ["need", "x"], ["need", "--json=1"], ["need", "--json", "--csv"], ["learn"],
    ["learn", "/no/such/file"], ["learn", "/"], ["learn", "a\0b"], ["audit", "-d", "9", "-m", "9"],
    ["dimensions"], ["dimensions", "/no/such/file"], ["dimensions", "x", "--ready"],
    ["dimensions", "thresholds-0", "--ready"], ["dimensions", "9x9.", "--code"],
    ["dimensions", "cube-2", "--ready", "--code"], ["dimensions", "cube-2", "--ready", "--alpha", "1"],
    *([command, "--concept", "interval", *rest] for command, *rest in map(str.split, (
        "success --distribution band(0)", "success --distribution band(2.5)",
        "success --distribution band(3000000)", "success --distribution uniform(3)",
        "success --distribution bystanders", "success --distribution hard --alpha 0.6",
        "need --distribution hard -d 2", "need --learner hash", "bound --bound lemma-3.9",
        "audit --learner representation", "need --learner noise --distribution band",
        "success --distribution band(8,1.5)", "success --distribution band(1,2,3)",
    ))),
    ["serve", "--port", "0"], ["serve", "--port", "65536"], ["serve", "--port", "x"],
]  # fmt: skip


def test_bad_input_is_one_line_and_status_2(refusal):
    for words in BAD:
        with saying(words):
            refusal(*words)


def test_failures_that_are_not_bad_input(capsys, monkeypatch):
    for error, status in (
        (RuntimeError("x\ny"), 1),
        (MemoryError(), 2),
        (KeyboardInterrupt(), 130),
    ):

        def fail(*_args, error=error, **_words):
            raise error

        monkeypatch.setattr("privsc_core.evaluate.question.need", fail)
        assert main(["need", "--learner", "erm"]) == status
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == (0 if status == 130 else 1)
        assert "Traceback" not in err


def test_no_words_is_help(run):
    assert "privsc list" in run()


# --- Ranges --------------------------------------------------------------------------------------

WHOLE = st.integers(1, 10**6)


@given(WHOLE, WHOLE, st.integers(2, 300), st.sampled_from(["", ":log"]))
def test_whole_ranges(first, second, count, log):
    low, high = sorted((first, second))
    found = numbers("d", f"{low}:{high}:{count}{log}")
    assert found[0] == low
    assert found[-1] == high
    assert found == sorted(set(found))
    assert len(found) <= count
    assert all(type(value) is int for value in found)
    if high - low >= count * (count - 1) and not log:
        assert len(found) == count


@given(
    st.floats(1e-3, 0.4), st.floats(0.5, 0.999), st.integers(2, 50), st.sampled_from(["", ":log"])
)
def test_real_ranges(low, high, count, log):
    found = numbers("alpha", f"{low!r}:{high!r}:{count}{log}")
    assert (found[0], found[-1], len(found)) == (low, high, count)
    steps = [b / a if log else b - a for a, b in itertools.pairwise(found)]
    assert max(steps) == pytest.approx(min(steps), rel=1e-6)


@given(st.text(max_size=30))
def test_any_text_is_a_list_or_refused(text):
    try:
        found = numbers("epsilon", text)
    except InputError as error:
        refusal = str(error)
    else:
        refusal = ""
        assert all(0 < value < float("inf") for value in found)
    assert not refusal or GRAMMAR.fullmatch(f"privsc: error: {refusal}\n")


def test_mixtures_keep_order_and_drop_repeats():
    assert numbers("d", "8,16,32:1024:6:log,8") == [8, 16, 32, 64, 128, 256, 512, 1024]
    assert numbers("alpha", "0.1:0.5:5") == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert numbers("m", "1e6,10:10:3") == [1_000_000, 10]
    assert number("seed", "7") == 7


# --- learn ---------------------------------------------------------------------------------------


LEARNT = {
    ("point", "exponential"): ("5,1\n7,0\n", {"point": "5", "j": None}, {"5": 1, "7": 0}, 1),
    ("interval", "erm"): ("99,1\n100,0\n7,1\n", {"point": None, "j": "100"}, {"99": 1, "100": 0}, 99),
    ("interval", "exponential"): ("99,1\n100,0\n7,1\n", {"point": None, "j": "100"}, {"1": 1, "256": 0}, 99),
}  # fmt: skip


@pytest.mark.parametrize(("concept", "learner"), LEARNT)
def test_learn_finds_the_target(examples, records, concept, learner):
    rows, found, predictions, weight = LEARNT[concept, learner]
    path = examples("x,y\n" + rows * 200)
    (said,) = records("learn", "--simulate", path, "--concept", concept, "--learner", learner, "-d", "8",
                      "--epsilon", "2", "--seed", "1", "--predict", ",".join(predictions))  # fmt: skip
    assert said.items() >= found.items()
    assert said["predictions"] == predictions
    assert (said["m"], said["weight"], said["seed"]) == (200 * rows.count("\n"), weight, 1)
    assert ("not private" in said["note"]) == (learner == "erm")


def test_points_and_thresholds_beyond_64_bits_stay_exact(examples, records):
    target = 2**100 - 3
    path = examples("id,y,x\n" + f"a,1,{target}\n" * 300)
    (found,) = records("learn", "--simulate", path, "-d", "100", "--epsilon", "5")
    assert found["point"] == str(target)
    assert found["seed"] is None
    path = examples("x,y\n" + f"{target - 1},1\n{target},0\n" * 300)
    (found,) = records("learn", "--simulate", path, "--concept", "interval", "-d", "100", "--epsilon", "5",
                       "--learner", "exponential", "--predict", f"{target - 1},{target}")  # fmt: skip
    assert found["j"] == str(target)
    assert found["predictions"] == {str(target - 1): 1, str(target): 0}


@pytest.mark.parametrize("text", [
    "x;y\n5;1\n7;0\n", "sep=;\r\nx;y\r\n5;1\r\n7;0\r\n", "x\ty\n5\t1\n7\t0\n", "sep=\t\nx\ty\n5\t1\n7\t0",
    '# a, "comment\n"name; title";x;y\n"a, b";5;1\n# ;\n"c;\nd";7;0\n', ",x,y\n0,5,1\n1,7,0\n", "y, x\n1, 5\n0, 7\n",
])  # fmt: skip
def test_learn_reads_what_spreadsheets_write(examples, records, text):
    (found,) = records("learn", "--simulate", examples(text), "-d", "4", "--learner", "erm")
    assert (found["m"], found["point"]) == (2, "5")


def test_learn_handles_what_no_concept_fits(examples, run):
    path = examples("x,y\n3,1\n3,0\n4,1\n\n9,1\n1,0\n")
    for concept, learners in (
        ("point", ("exponential", "representation", "noise", "hash")),
        ("interval", ("erm", "exponential", "noise")),
    ):
        for learner in learners:
            words = ("--simulate", path, "-d", "4", "--concept", concept, "--learner", learner)
            assert "hypothesis" in run("learn", *words)


@pytest.mark.parametrize(("concept", "size", "seeds"), [("point", 5000, 5), ("interval", 50, 1)])
def test_what_noise_releases_does_not_tell_the_inner_concept(
    examples, records, concept, size, seeds
):
    texts = set()
    for rows in ("3,1\n" * size, "3,0\n" * size):
        path = examples("x,y\n" + rows)
        for seed in range(1, seeds + 1):
            (found,) = records("learn", "--simulate", path, "--concept", concept, "-d", "4", "--learner", "noise",
                               "--epsilon", "5", "--seed", str(seed))  # fmt: skip
            texts.add(found["hypothesis"])
            assert found["j"] is None
    assert len(texts - {"no hypothesis (⊥)"}) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty file"),
        ("\n\n", "empty file"),
        ("x,y\n", "at least one example"),
        ("a,b\n1,1\n", "line 1 of the file must name one column x; got none."),
        ("x\n1\n", "must name one column y; got none."),
        ("\n# x\nx,x,y\n1,1,1\n", "line 3 of the file must name one column x; got 2."),
        ("x;y\n1;0;1\n", "line 2 of the file must have 2 cells, as line 1; got 3 cells."),
        ("x,y\n1;0\n", "line 2 of the file must have 2 cells, as line 1; got 1 cell."),
        ("1,2;3\n1,2;4\n", "must begin with a line such as sep=; where commas and semicolons"),
        ("sep=|\nx|y\n1|1", "must name a comma, a semicolon or a tab after sep="),
        ("x,y\n1,1\n2,2\n", "line 3, column 2 of the file must be 0 or 1; got something else."),
        ("x,y\n1,\n", "line 2, column 2 of the file must be 0 or 1; got an empty cell."),
        ("y,x\n1,1\n\n1,17\n", "line 4, column 2 of the file must be a whole number from 1 to 2^4"),
        (
            "x,y\n,1\n",
            "line 2, column 1 of the file must be a whole number from 1 to 2^4; got an emp",
        ),
        ("x,y\n0,1\n", "line 2, column 1"),
        ("x,y\n-1,1\n", "line 2, column 1"),
        ("x,y\n1.5,1\n", "line 2, column 1"),
        ("x,y\n" + "9" * 200_000 + ",1\n", "line 2, column 1"),
        ("x,y\n1\n", "line 2 of the file must have 2 cells"),
        ('x,y\n1,1\n"1,1\n', "line 3 of the file must be well-formed CSV"),
        (b"x,y\n\xff,1\n", "UTF-8"),
    ],
)
def test_bad_files(examples, refusal, text, words):
    assert words in refusal("learn", examples(text), "-d", "4")


# What a cell may have: a name and a year, and around them what parsers stumble over.
CELLS = st.builds(
    "{}{}{}".format,
    st.text(alphabet="\"'\x00;,\n\r\t 0%{}\\", max_size=4),
    st.sampled_from(["Smith", "Zoë Smith", "19710203", "-1971.5", "1971e0003", "١٩٧١Smith"]),
    st.text(alphabet="\"'\x00;,\n\r\t 0%{}\\", max_size=4),
)


@given(
    cells=st.lists(CELLS, min_size=1, max_size=6),
    place=st.sampled_from(["x", "y", "header", "more"]),
    encoding=st.sampled_from(["utf-8", "latin-1", "utf-16"]),
    quoted=st.booleans(),
    labelled=st.booleans(),
)
def test_a_refusal_says_nothing_that_a_cell_has(cells, place, encoding, quoted, labelled):
    if quoted:
        cells = ['"' + cell.replace('"', '""') + '"' for cell in cells]
    lines = {
        "x": ["x,y", "3,1", *(f"{cell},1" for cell in cells)],
        "y": ["x,y", "3,1", *(f"3,{cell}" for cell in cells)],
        "header": [",".join(cells), "3,1"],
        "more": ["x,y,name", *(f"3,1,{cell}" for cell in cells), f"3,2,{cells[0]}"],
    }[place]
    data = "\n".join(lines).encode(encoding, "replace")
    words = ["learn", "-", "-d", "4", "--simulate"]
    words += [] if labelled else ["--concept", "release", "--learner", "laplace"]
    err = io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        status = main(words)
    assert (status == 0) == (err.getvalue() == "")
    assert not re.search("Smith|Zo|1971|0203|١", err.getvalue()), err.getvalue()
    if status:
        assert GRAMMAR.fullmatch(err.getvalue()), err.getvalue()


def test_an_error_of_ours_says_nothing_of_the_examples(examples, capsys, monkeypatch):
    def fail(*_args, **_words):
        raise KeyError("John Smith 1971")

    monkeypatch.setattr("privsc_core.api.learn", fail)
    monkeypatch.delenv("PRIVSC_DEBUG", raising=False)
    assert main(["learn", "--simulate", examples("x,y\n3,1\n"), "-d", "4"]) == 1
    err = capsys.readouterr().err
    assert "KeyError" in err
    assert "Smith" not in err


# --- Processes -----------------------------------------------------------------------------------


def test_python_m():
    command = [sys.executable, "-m", "privsc_core", "learn", "--simulate", "-", "-d", "4", "--json"]
    done = subprocess.run(command, input=b"x,y\n3,1\n", capture_output=True, check=True)
    assert json.loads(done.stdout)[0]["m"] == 1
    assert done.stderr == b""


def test_nobody_reads():
    command = f"{sys.executable} -m privsc_core success -m 1:600:600 --json | true"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=False)
    assert done.stderr == b""


def test_only_what_is_asked_for_is_imported():
    code = (
        "import sys; from privsc_core.cli import main; main(['need', '-d', '16']); "
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded, own = {*done.stderr.split()}, catalog.concept("point").package
    assert loaded & {concept.package for concept in catalog.CONCEPTS} == {own}
    parts = {f"{own}.{part}" for part in ("bounds", "certified")}
    parts |= {f"privsc_core.{part}" for part in ("certify", "draw", "finite", "sweep", "trusted")}
    others = {"asyncio", "pandas", "plotly", "scipy.optimize", "streamlit", "tomllib"}
    assert not loaded & (parts | others)


def test_the_dashboard_is_found(tmp_path):
    with pytest.raises(InputError):
        dashboard_folder(tmp_path)
    wheel = tmp_path / "privsc_dashboard"
    (wheel / "pages").mkdir(parents=True)
    (wheel / "app.py").touch()
    assert dashboard_folder(tmp_path) == wheel


# --- Options that cannot change the answer -------------------------------------------------------

IDLE = {
    "need --concept halfspace --learner erm": "",
    "need --concept halfspace --learner erm -d 400": "d",
    "need --concept halfspace --learner averaging --distribution uniform -d 40 --trials 60": "",
    "need --learner erm --epsilon 1 -m 7": "epsilon, m",
    "need --learner exponential --epsilon 1 -d 8 --beta 0.2": "",
    "need --learner exponential --delta 1e-9 -u 3": "delta, u",
    "success --learner exponential -m 300 --beta 0.2 --trials 9 --seed 2": "beta, trials and seed",
    "success --learner hash -m 300 --beta 0.2 -d 8": "d",
    "success --concept threshold --learner erm --distribution window(0.5) -m 9 -d 8": "d and λ",
    "success --concept interval --learner atoms --target alternating -m 9 -d 8": "target",
    "success --concept interval --learner exponential --target alternating -m 9 -d 8": "",
    "bound --bound labels -d 16 --distribution single --trials 9": "d, distribution and trials",
    "bound --concept parity --bound converse --alpha 0.3": "alpha",
    "bound --concept parity --bound converse --alpha 0.6": "",
    "reach --concept halfspace --learner erm --for d -m 99": "d",
    "audit --learner exponential --alpha 0.3": "alpha",
}  # fmt: skip


@pytest.mark.parametrize("question", IDLE)
def test_an_option_that_cannot_change_the_answer_is_named(records, question):
    (found,) = records(*question.split())
    named = re.findall(
        r"(?:^|; )([^;]*?) (?:does|do) not change the answer: [^;]+", found["note"] or ""
    )
    said = {name for group in named for name in group.split(" and ")}
    assert said == set(re.split(r", | and ", IDLE[question])) - {""}


def test_what_all_records_remark_stands_below_the_table(run):
    words = ["need", "--concept", "halfspace", "--learner", "erm,arcs", "-d", "40,400"]
    table, _, below = run(*words).rstrip("\n").rpartition("\n\n")
    assert below == "d does not change the answer: the data lie on a circle, whatever the dimension"
    assert "note" not in table
    found = run(*words, "--epsilon", "1")
    assert found.count("the data lie on a circle") == 1
    assert found.count("nothing here is private") == 2


def test_need_says_what_a_number_is_at_least_where_trials_are_too_few(run, records):
    asked = ("need", "--concept", "interval", "--learner", "erm", "--distribution", "uniform", "-d", "12",
             "--beta", "0.1,1e-4", "--trials", "400")  # fmt: skip
    told, few = records(*asked)
    assert (told["m"], told["at_least"], told["reason"]) == (told["m_from"], None, None)
    assert (few["m"], few["m_from"]) == (None, None)
    assert few["at_least"] > told["m"]
    for text in (few["reason"], run(*asked), run(*asked, "--csv")):
        assert f"at least {few['at_least']}, simulated: 400 trials" in text
        assert "36,887 trials" in text
    # A column only where it says something.
    assert "at_least" not in run(*asked[:-3], "0.1", *asked[-2:])
