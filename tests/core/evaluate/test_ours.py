"""What is ours: all of it is listed, with a proof, with commands that work, and with the nearest paper."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from privsc_core import catalog
from privsc_core.cli import main
from privsc_core.concepts.contracts import Source
from privsc_core.evaluate import ours
from privsc_core.evaluate.certificate import lacking
from privsc_core.evaluate.question import Question
from tests.depth import spread, whole

ROOT = Path(__file__).parents[3]
EVERY = (*catalog.CONCEPTS, *catalog.BESIDE)
RESULTS = [pytest.param(one, id=one.key) for one in ours.results()]
COMMANDS = [
    pytest.param(shlex.split(check.command), id=f"{one.key}-{check.command.split()[1]}")
    for one in ours.results()
    for check in one.checks
    if check.command.startswith("privsc ")
]
NAMES = {(one.concept.name, one.kind, one.name) for one in ours.results()}


def test_every_entry_of_the_catalog_that_is_ours_is_listed_once():
    wanted = [
        (concept, entry)
        for concept in EVERY
        for entry in (*concept.bounds, *concept.learners, *concept.documents.errata)
        if entry.source.paper == "ours"
    ]
    listed = [(one.concept, one.entry) for one in ours.results()]
    assert len(wanted) > 90
    assert len(listed) == len(wanted)
    assert all(any(a is c and b is e for a, b in listed) for c, e in wanted)
    assert len({one.key for one in ours.results()}) == len(listed) == len(NAMES)


@pytest.mark.parametrize("one", RESULTS)
def test_a_result_has_a_statement_a_proof_the_nearest_paper_and_a_check(one):
    assert one.statement
    assert bool(one.formula) == ("bound" in one.kind)
    assert len(one.proof.split()) >= 12, "a proof is more than a name"
    assert one.nearest, (
        f"nearest= of its Source is missing, and {one.source.place!r} names no paper"
    )
    assert one.checks
    assert one.record()["checks"] == [check.command for check in one.checks]


def test_a_source_that_names_no_paper_has_no_nearest_one():
    """The planted fault of the test above."""

    def nearest(*words):
        entry = catalog.bound("point", "packing")
        planted = type("Planted", (type(entry),), {"source": Source("ours", *words)})()
        one = ours.Result(catalog.concept("point"), planted)
        return one.nearest, [paper.key for paper in one.papers]

    assert nearest("an idea") == ("", [])
    assert nearest("an idea of BBKN13") == ("an idea of BBKN13", ["BBKN13"])
    assert nearest("an idea", "FX14, on points") == ("FX14, on points", ["FX14"])


def test_a_learner_that_is_added_to_a_class_appears_by_itself():
    point = catalog.concept("point")
    margin = catalog.learner("point", "margin")
    new = type("New", (type(margin),), {"name": "new", "title": "A new one"})()
    there = [one.name for one in ours.of_class(point.beside(new))]
    assert there.count("new") == 1
    assert "new" not in [one.name for one in ours.of_class(point)]
    theirs = type(
        "Theirs", (type(margin),), {"name": "new", "source": Source("FX14", "no place")}
    )()
    assert "new" not in [one.name for one in ours.of_class(point.beside(theirs))]


@pytest.mark.parametrize("words", spread(COMMANDS, 8))
def test_a_command_that_is_printed_works(words, capsys):
    assert main(words[1:]) == 0
    out, err = capsys.readouterr()
    assert out.strip()
    assert not err


@pytest.mark.parametrize("one", RESULTS)
def test_a_certificate_is_named_where_a_route_is_declared(one):
    if one.kind == "correction":
        assert not one.certified
        return
    if one.kind == "learner":
        laws = [law.label for law in one.concept.distributions if law.name in one.entry.laws]
        asked = [
            Question(one.concept, learner=one.name, distribution=law, m=100, d=16, delta=1e-6)
            for law in laws
        ]
    else:
        asked = [Question(one.concept, bound=one.name, delta=1e-6)]
    assert asked
    assert bool(one.certified) == any(not lacking(question) for question in asked)


def test_programs_and_suites_that_are_named_are_there():
    """A pytest command selects some test, and a program runs."""
    said = [shlex.split(c.command) for one in ours.results() for c in one.checks]
    suites = {" ".join(words[3:-2]) for words in said if words[:3] == ["python", "-m", "pytest"]}
    (suite,) = suites
    assert all((ROOT / name).is_dir() for name in suite.split())
    programs = [words[1] for words in said if words[0] == "python" and words[1] != "-m"]
    assert programs
    for name in programs:
        subprocess.run([sys.executable, ROOT / name], check=True, cwd=ROOT)


@pytest.mark.whole
def test_every_pytest_command_selects_a_test():
    said = [shlex.split(c.command) for one in ours.results() for c in one.checks]
    asked = [words for words in said if words[:3] == ["python", "-m", "pytest"]]
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n0", "--whole", *asked[0][3:-2]],
        check=True, cwd=ROOT, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert asked
    assert [words[-1] for words in asked if words[-1] not in listed] == []


@pytest.mark.parametrize("name", [whole("conjunction-vc")])
def test_a_pytest_command_passes(name):
    (words,) = (
        shlex.split(c.command)
        for one in ours.results()
        for c in one.checks
        if f'"{name}"' in c.command
    )
    subprocess.run([sys.executable, *words[1:], "-n0", "-q"], check=True, cwd=ROOT)
