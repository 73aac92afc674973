"""A call of the command line in this process: what it prints, and what it refuses in one sentence."""

import json
import re

import pytest

from privsc_core.cli import main

GRAMMAR = re.compile(r"privsc: error: [^\n]+ must [^\n]+; got [^\n]+\n")


@pytest.fixture
def run(capsys):
    def call(*words):
        status = main(list(words))
        out, err = capsys.readouterr()
        assert (status, err) == (0, "")
        return out

    return call


@pytest.fixture
def records(run):
    def refuse(constant):
        pytest.fail(f"not strict JSON: {constant}")

    return lambda *words: json.loads(run(*words, "--json"), parse_constant=refuse)


@pytest.fixture
def refusal(capsys):
    def call(*words):
        assert main([*words]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert GRAMMAR.fullmatch(err), err
        return err

    return call


@pytest.fixture
def examples(tmp_path):
    def write(text):
        path = tmp_path / "examples.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write
