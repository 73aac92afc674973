"""The atlas: every bound and every slip, with what is said about it, and programs that show it."""

import itertools
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.draw.bounds_figures import bound_beside_others
from privsc_core.evaluate import atlas
from privsc_core.evaluate.scenario import Scenario
from privsc_core.export import cited
from privsc_core.literature.papers import papers
from tests.core.support import BOUNDS
from tests.depth import spread

CHECKS = Path(__file__).parents[3] / "assets" / "checks"
ENTRIES = atlas.entries()
SETTING = {"d": 64, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}


# --- Slips -------------------------------------------------------------------------------------


@pytest.mark.parametrize("slip", [s for s in atlas.errata() if s.check], ids=lambda s: s.key)
def test_the_program_of_a_slip_shows_it(slip, capsys):
    runpy.run_path(str(CHECKS / f"{slip.key}.py"))
    assert capsys.readouterr().out, "it says what it found"


def test_every_program_belongs_to_a_slip_and_can_fail():
    programs = {path.stem: path.read_text(encoding="utf-8") for path in CHECKS.glob("*.py")}
    assert set(programs) == {slip.key for slip in atlas.errata() if slip.check}
    for text in programs.values():
        assert re.search(r"^ *assert ", text, re.MULTILINE)
        assert "privsc_core." not in text, "the public interface alone"
        assert len(text.splitlines()) <= 60, "it is read beside a sentence"


def test_every_slip_says_where_what_and_how_we_know():
    keys = [slip.key for slip in atlas.errata()]
    assert len(set(keys)) == len(keys)
    for slip in atlas.errata():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", slip.key)
        assert slip.source.paper in papers()
        assert slip.key.startswith(f"{slip.source.paper.lower()}-")
        assert slip.source.place
        assert slip.title[0].isalnum() or slip.title[0] == "δ"
        for words in (slip.says, slip.correction, slip.known_by):
            assert words.rstrip("”").endswith("."), slip.key
            assert words.count("$") % 2 == 0


# --- Bounds ------------------------------------------------------------------------------------


def test_every_bound_is_an_entry_with_a_name_of_its_own():
    keys = [entry.key for entry in ENTRIES]
    assert len(set(keys)) == len(keys)
    assert not any(re.search("[.,]", key) for key in keys)
    computed = [entry for entry in ENTRIES if entry.computed]
    beside = [(concept, entry) for concept in catalog.BESIDE for entry in concept.bounds]
    assert [(e.concept, e.computed) for e in computed] == [*(p.values for p in BOUNDS), *beside]
    assert beside
    for entry in ENTRIES:
        assert entry.privacies
        assert entry.papers
        assert entry.bound.title.lower() in entry.words
        paper = papers()[entry.bound.source.paper]
        assert (entry.year is None) == (not paper.bibtex)
        assert entry.year is None or str(entry.year) in paper.citation


def test_later_results_are_named_in_their_order():
    for concept in pv.CONCEPTS:
        years = [papers()[entry.source.paper].year for entry in concept.documents.later]
        assert years == sorted(years)
        before = {
            entry.name: papers()[entry.source.paper].year for entry in concept.documents.later
        }
        for entry in concept.documents.later:
            for name in entry.supersedes:
                assert before[name] < papers()[entry.source.paper].year
    improved = {e.key: [later.name for later in e.superseded_by] for e in ENTRIES}
    assert sum(map(len, improved.values())) == sum(
        len(entry.supersedes) for concept in pv.CONCEPTS for entry in concept.documents.later
    )


@pytest.mark.parametrize(("concept", "entry"), BOUNDS)
def test_a_bound_that_is_silent_somewhere_says_where_it_is_valid(concept, entry):
    silent = set()
    cells = itertools.product((1, 2, 64), (0.5,), (0.1, 0.3, 0.45, 0.7), (0.1,))
    for d, epsilon, alpha, beta in cells:
        found = entry.least(Cell(d, epsilon, alpha, beta))
        # What is a rate, or beyond the search, is valid all the same.
        if found.m is None and not re.match("a rate|more than|promises", found.reason):
            silent.add(found.reason)
        if "nothing" in found.note:
            silent.add(found.note)
    assert not silent or entry.validity, silent


def test_the_numbers_of_the_atlas_are_those_of_the_interface():
    setting = {**SETTING, "delta": 1e-6}
    found = atlas.numbers(**setting)
    assert set(found) == {entry.key for entry in ENTRIES if entry.computed}
    for entry in ENTRIES:
        if entry.computed:
            again = pv.bound(concept=entry.concept.name, bound=entry.computed.name, **setting)
            m = None if np.isnan(again.m) else int(again.m)
            assert found[entry.key].m == m
            assert m is not None or found[entry.key].words


@pytest.mark.parametrize(("concept", "entry"), spread(BOUNDS, 20))
def test_a_bound_is_drawn_above_the_others_of_its_class(concept, entry):
    law = next(iter(entry.valid_on or entry.promised_on), "")
    picture = bound_beside_others(Scenario(concept.name, (), law, **SETTING), entry.name)
    lines = [t for t in picture.figure["data"] if t["mode"] == "lines"]
    thick = [t for t in lines if t["uid"] == f"{entry.name}-{entry.kind}"]
    number = entry.least(Cell(**SETTING)).m
    assert len(thick) == (number is not None)
    if thick:
        assert thick[0] is lines[-1]
        assert all(thick[0]["line"]["width"] > other["line"]["width"] for other in lines[:-1])
        x, y = np.asarray(thick[0]["x"]), np.asarray(thick[0]["y"])
        for at in (int(x[5]), int(x[20])):
            m = entry.least(Cell(**SETTING | {"d": at})).m
            held = entry.kind == "upper" or entry.reaches(
                Scenario(concept.name, (), law, **SETTING | {"d": at}).law, cell(at)
            )
            shown = y[x == at][0]
            assert shown == m if held and m is not None else np.isnan(shown)
        (mark,) = (t for t in picture.figure["data"] if "markers" in t["mode"])
        assert mark["y"] == [number]


def cell(d):
    return Cell(d, SETTING["epsilon"], SETTING["alpha"], SETTING["beta"])


def test_a_statement_is_cited_with_its_papers_and_the_program():
    for entry in ENTRIES:
        text = cited(entry.bound.source, f"{entry.bound.title} for {entry.concept.title}")
        assert text.count("{") == text.count("}")
        assert "@software{privsc," in text
        assert entry.bound.title in text
        for key in entry.papers:
            assert (f"{{{key}," in text) == (key != "ours")
    assert cited(ENTRIES[0].bound.source, "a}\\b{").count("{") == cited(
        ENTRIES[0].bound.source, "ab"
    ).count("{")
