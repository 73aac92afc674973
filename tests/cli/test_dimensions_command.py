"""`privsc dimensions`: a class by file, by word and by link."""

import io
import json

import pytest

from privsc_core.cli import main


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
        ("01\n1", "line 2 of the matrix must have as many labels as the first row, 2; got 1."),
        ("", "file must have a row of 0 and 1 for each concept; got an empty file."),
        ("x" * 9, "line 1 of the matrix must hold 0 and 1 alone; got xxxxxxxxx."),
    ],
)
def test_a_hostile_file_gets_one_sentence(tmp_path, capsys, text, sentence):
    file = tmp_path / "class.txt"
    file.write_text(text, encoding="utf-8")
    assert main(["dimensions", str(file)]) == 2
    assert capsys.readouterr() == ("", f"privsc: error: {sentence}\n")
