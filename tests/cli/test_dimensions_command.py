"""`privsc dimensions`: a class by file, by word and by link."""

import io
import json
import math

import pytest

from privsc_core.cli import main
from privsc_core.finite.families import priced


def told(capsys, *words):
    assert main(["dimensions", *words, "--json"]) == 0
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)}


def test_a_file_a_word_and_a_link_say_the_same(tmp_path, capsys, monkeypatch):
    file = tmp_path / "class.csv"
    file.write_text("a,b,c\n0,0,0\n1,0,0\n1,1,0\n0,0,1\n", encoding="utf-8")
    found = told(capsys, str(file))
    assert (found["vc"]["low"], found["littlestone"]["high"], found["guess"]["low"]) == (1, 2, 4)
    assert told(capsys, "4x3.ExA", "--code") == found
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"000\n100\n110\n001")))
    assert told(capsys, "-") == found
    # Up to nine points a class guesses one of its concepts at 1/10.
    assert told(capsys, "thresholds-8", "--ready", "--alpha", "0.1")["guess"]["low"] == 9
    assert main(["dimensions", "thresholds-8", "--ready"]) == 0
    assert "LDim = 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("01\n1", "line 2 of the matrix must have 2 cells, as line 1; got 1 cell."),
        ("", "file must have a row of 0 and 1 for each concept; got an empty file."),
        ("x" * 9, "line 1, column 1 of the matrix must be 0 or 1; got something else."),
        (
            "0;1;;1\n1;1;1;1",
            "line 1, column 3 of the matrix must be 0 or 1, or the name of a point; got an empty cell.",
        ),
    ],
)
def test_a_hostile_file_gets_one_sentence(examples, refusal, text, sentence):
    assert refusal("dimensions", examples(text)) == f"privsc: error: {sentence}\n"


# recipe: theory-fx14.md, part A: the witnesses of the zoo, and 1/rho and Pi on few points.
@pytest.mark.parametrize(
    ("rows", "numbers"),
    [
        ("000 100 110 001", {"vc": 1, "littlestone": 2}),
        ("1100 0010 0110 1110 0001 1001 1101 0011", {"vc": 2, "littlestone": 3, "teaching": 2}),
        ("11000 01100 00110 00011 10001 11010 01101 10110 01011 10101",
         {"vc": 2, "littlestone": 3, "teaching_least": 3, "guess": 8, "growth": 7}),
        ("0000 1000 1100 1110 1111", {"guess": 5, "growth": 4}),
        ("00000 10000 11000 11100 11110 11111", {"guess": 6, "growth": 4}),
    ],
)  # fmt: skip
def test_a_file_says_the_numbers_of_the_tables(tmp_path, capsys, rows, numbers):
    file = tmp_path / "class.txt"
    file.write_text(rows.replace(" ", "\n"), encoding="utf-8")
    found = told(capsys, str(file))
    assert {name: found[name]["low"] for name in numbers} == numbers


# recipe: theory-fx14.md, part C: pure lower bounds at alpha = 0.1; VC, levels, least m.
@pytest.mark.parametrize(
    ("word", "vc", "levels", "m"),
    [("boxes-16-10", 20, 300, 271), ("half-spaces-16-10", 11, 736, 635), ("balls-16-10", 11, 736, 635),
     ("boxes-32-100", 200, 6200, 5117), ("thresholds-64", 1, 64, 71), ("lines-128", 2, 2, 53)],
)  # fmt: skip
def test_a_class_of_any_size_by_its_word(capsys, word, vc, levels, m):
    found = told(capsys, word, "--family", "--alpha", "0.1")
    assert [found[n]["low"] for n in ("vc", "levels", "littlestone")] == [vc, levels, m]
    assert found["finite-class"]["high"] >= m


def test_the_command_says_what_the_page_shows(capsys):
    for one in priced(3, epsilon=1.0, alpha=0.25, beta=0.1):
        size = f"{one.b[-1]}-3" if one.family.by_axes else f"{one.b[-1]}"
        found = told(capsys, f"{one.family.word}-{size}", "--family", "--epsilon", "1")
        shown = (one.vc[-1], one.depth[-1], one.lower[-1])
        assert tuple(found[n]["low"] for n in ("vc", "levels", "littlestone")) == shown
        assert found["finite-class"]["high"] == one.upper[-1]


# Half the places: no level is left beside the centre; |C| is N (N + 1) / 2 + 1 = 4.
def test_a_class_without_a_level_still_has_its_other_numbers(capsys):
    found = told(capsys, "boxes-1-1", "--family", "--alpha", "0.1")
    assert (found["vc"]["low"], found["levels"]["low"]) == (2, 0)
    assert found["littlestone"]["low"] is None
    rate = -math.log1p(0.1 * math.expm1(-0.25))
    assert found["finite-class"]["high"] == math.ceil(math.log(4 / 0.1) / rate)


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        (
            "cubes-2",
            "family must be one of thresholds, boxes, half-spaces, balls, lines; got cubes-2.",
        ),
        ("boxes-3", "boxes must be followed by b and k, as in boxes-16-10; got boxes-3."),
        ("lines", "lines must be followed by b, as in lines-64; got lines."),
        ("lines-129", "b of lines must be a whole number from 1 to 128; got 129."),
        ("balls-2-0", "k of balls must be a whole number from 1 to 100; got 0."),
        ("balls-2-٣", "k of balls must be a whole number from 1 to 100; got ٣."),
    ],
)
def test_a_hostile_word_of_a_family_gets_one_sentence(refusal, word, sentence):
    assert refusal("dimensions", word, "--family") == f"privsc: error: {sentence}\n"
