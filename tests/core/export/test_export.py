"""What leaves as a file: complete, valid, the same at every call, and of the figure's numbers."""

import csv
import io
import json
import re

import nbformat
import numpy as np
import pytest

import privsc_core as pv
from privsc_core import __version__, catalog, export
from privsc_core.draw import VIEWS
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from privsc_core.export import Shown
from privsc_core.export.sources import papers_of
from privsc_core.literature.papers import papers as all_papers
from tests.depth import spread

LINK = "https://example.org/points?v=1&d=16&learners=erm.hash"


def every():
    """One figure of each view of each distribution of each class, where there is one."""
    for concept in catalog.CONCEPTS:
        for law in concept.distributions:
            here = [e for e in concept.learners if law.name in e.laws]
            exact = [e.name for e in here if e.laws[law.name] == "exact" and e.privacy != "none"]
            for view, entry in VIEWS.items():
                if entry.quantity == "map" and not exact:
                    continue
                scenario = Scenario(
                    concept.name, tuple(e.name for e in here[:3]), law.label, d=12, epsilon=1.0,
                    alpha=0.15, trials=2, delta=1e-6,
                )  # fmt: skip
                yield Shown(scenario, view, exact[0] if entry.quantity == "map" else "", LINK)


EACH = pytest.mark.parametrize(
    "shown",
    spread(every(), 12),
    ids=lambda s: f"{s.scenario.concept}-{s.scenario.distribution}-{s.view}",
)


@EACH
def test_everything_in_the_catalog_can_be_taken_away(shown):
    picture = shown.picture()
    files, again = (
        export.bundle(export.figures_of(shown, drawn, "A claim about $d$."))
        for drawn in (picture, shown.picture())
    )
    assert files == again
    nbformat.validate(nbformat.reads(files["notebook.ipynb"], as_version=4))
    said = json.loads(files["manifest.json"])
    assert said["parameters"]["seed"] == shown.scenario.seed
    assert said["versions"]["privsc"] == __version__
    assert said["link"] == LINK
    assert [e["name"] for e in said["learners"]] == [e.name for e in shown.learners]
    for key in said["papers"]:
        assert f"{{{key}," in files["references.bib"]
    assert "@software{privsc," in files["references.bib"]
    for name in files:
        assert name == "README.txt" or name in files["README.txt"]
    assert repr(shown.scenario.epsilon) in files["snippet.py"]


def _rows(shown):
    text = export.data_csv(shown.picture())
    return list(csv.DictReader(io.StringIO(text)))


def test_the_data_have_all_digits_and_nothing_where_there_is_no_number():
    shown = Shown(Scenario("release", ("laplace", "blr"), d=12), "need-d")
    table = shown.picture().table
    rows = _rows(shown)
    assert len(rows) == len(table["m"])
    for name, column in table.items():
        for row, value in zip(rows, column, strict=True):
            expected = value if isinstance(value, str) else None
            if expected is not None:
                assert row[name] == expected
            elif value is None:
                assert not row[name]
            else:
                assert float(row[name]) == value


def test_the_data_of_a_map_are_all_cells_and_the_lines_on_it():
    shown = Shown(Scenario("point", ("hash",), d=12), "map-m-d", "hash")
    picture = shown.picture()
    cells = picture.figure["data"][0]
    rows = _rows(shown)
    values = [float(row["success"]) for row in rows if row["curve"] == "map"]
    assert np.array_equal(np.reshape(values, cells["z"].shape), cells["z"])
    lines = {row["curve"] for row in rows} - {"map"}
    assert lines == {trace["name"] for trace in picture.figure["data"][1:]}


def test_the_numbers_of_the_csv_are_those_of_the_core():
    shown = Shown(Scenario("point", ("hash",), d=12), "eps")
    # A bound has the same name.
    rows = [row for row in _rows(shown) if (row["curve"], row["method"]) == ("hash", "exact")]
    epsilon = [float(row["epsilon"]) for row in rows]
    direct = pv.success(
        concept="point", learner="hash", m=500, d=12, epsilon=epsilon, alpha=0.1, beta=0.1
    )
    assert [float(row["success"]) for row in rows] == direct.value.tolist()


def test_the_credit_names_theorems_with_their_papers():
    shown = Shown(Scenario("point", ("erm", "hash")), "m")
    said = export.credit_of(shown.behind)
    assert said.startswith(f"privsc {__version__}, after ")
    assert re.search(r"Beimel et al\. 2013 \([^)]*Theorem 2\.4", said)
    assert "Feldman and Xiao 2014 (Section 3.1)" in said
    assert said.endswith("own derivations.")


def test_papers_named_in_passing_are_cited_too():
    shown = Shown(Scenario("release", ("laplace", "stability", "blr"), delta=1e-6), "m")
    assert {"DMNS06", "KKMN09", "BLR08", "BBKN13"} <= {
        paper.key for paper in papers_of(shown.behind)
    }


def test_each_paper_has_an_entry_with_its_key():
    for key, paper in all_papers().items():
        if paper.bibtex:
            assert re.match(rf"@[a-z]+{{{key},\n", paper.bibtex)
            assert paper.bibtex.count("{") == paper.bibtex.count("}")


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "https://example.org/>\n# title", "https://x.org/`a`", "https://x.org/\\",
     "https://x.org/}{", "x"],
)  # fmt: skip
def test_what_is_no_address_goes_into_no_file(link):
    with pytest.raises(InputError, match=r"link must be an address"):
        Shown(Scenario("point", ("erm",)), "m", "", link)


def test_bad_figures_are_refused_in_a_sentence():
    scenario = Scenario("point", ("erm",))
    with pytest.raises(InputError, match=r"view must be one of m, eps.*got what"):
        Shown(scenario, "what")
    with pytest.raises(InputError, match=r"on_map must be one of erm,.*got what"):
        Shown(scenario, "map-m-d", "what")
    assert Shown(scenario, "m", "what").on_map == ""
