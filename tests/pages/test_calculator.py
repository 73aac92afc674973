"""The calculator's page: its numbers are the core's, its state is in the link, its doors are right."""

import html as entities
import re

import pytest

from pages.shared.page import calculation
from pages.shared.state.link import parse
from privsc_core.catalog import CONCEPTS, concept
from privsc_core.draw.reckoning import reached
from privsc_core.evaluate import calculator
from privsc_core.evaluate.question import Question
from privsc_core.literature.wording import in_symbols
from privsc_core.parameters import WANTED
from tests.depth import spread
from tests.pages.app import html, param, run
from tests.pages.declared import DECLARED

FILE = "pages/calculator.py"


def rows(app):
    """Return the texts of the table: a list of cells for each learner."""
    tables = re.findall(r"<tbody.*?</tbody>", html(app), re.DOTALL)
    return [
        [entities.unescape(re.sub("<[^>]+>", " ", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in re.findall(r"<tr.*?</tr>", "".join(tables))
    ]  # fmt: skip


@pytest.mark.parametrize("concept", spread(CONCEPTS, 4), ids=lambda entry: entry.name)
def test_every_class_answers_by_the_core(concept):
    wanted = WANTED[CONCEPTS.index(concept) % len(WANTED)]
    app = run(
        FILE, concept=concept.name, **{"for": wanted}, m="3000", d="8", v="2", open="rows.left"
    )
    assert not app.exception
    question = Question(concept=concept.name, wanted=wanted, m=3000, d=8, delta=1e-6).checked()
    if not any(entry.privacy == "approximate" for entry in concept.learners):
        question = Question(concept=concept.name, wanted=wanted, m=3000, d=8).checked()
    found = calculator.answer(question)
    shown, titles = rows(app), {entry.name: entry.title for entry in concept.learners}
    lines = calculator.ordered(found, "value")
    assert len(shown) == len(lines)
    for cells, line in zip(shown, lines, strict=True):
        assert titles[line.name] in cells[0]
        assert reached(line.value, wanted) in cells[1]
        assert in_symbols(line.reason or line.note, concept.size.symbol) in cells[1]
        if not line.reason:
            assert ("on this distribution only" in cells[1]) == (not line.promise)
    for name, why in found.left_out:
        assert titles[name] in html(app)
        assert entities.escape(why) in html(app)
    code = [block.value for block in app.code]
    assert any(text.startswith(f"privsc reach --for {wanted}") for text in code)
    assert any("pv.reach(" in text for text in code)


def test_a_link_of_the_first_version_shows_all_rows_as_the_catalog_lists_them():
    titles = [cells[0] for cells in rows(run(FILE, v="1", m="2000"))]
    found = [
        titles.index(next(t for t in titles if e.title in t)) for e in CONCEPTS[0].learners[:3]
    ]
    assert len(titles) == len(CONCEPTS[0].learners)
    assert found == [0, 1, 2]
    assert len(rows(run(FILE, v="2", m="2000"))) == 5


def test_filters_and_guarantees_say_what_they_leave_out():
    app = run(FILE, concept="interval", kind="pure-improper", v="2", **{"for": "m"})
    assert not rows(app)
    assert any("No improper pure learner for" in block.value for block in app.markdown)
    app = run(FILE, concept="threshold", dist="every", v="2", **{"for": "m"})
    assert not app.exception
    assert "on every κ-smooth distribution" in html(app)
    assert any("is guaranteed on every distribution" in block.value for block in app.markdown)
    app = run(FILE, dist="every", kind="pure", v="2", **{"for": "m"})
    first = rows(app)[0]
    assert "on every distribution" in first[1]
    code = [block.value for block in app.code]
    assert any("--guaranteed" in text for text in code)
    assert any("bound=" in text for text in code)


def test_a_part_stays_open_when_its_title_counts_otherwise():
    app = run(FILE, concept="halfspace", dist="uniform", v="2", open="given.left", **{"for": "m"})
    assert not app.exception
    assert [" ".join(cells[0].split()) for cells in rows(app)] == ["Density learner pure proper"]
    fold = next(part for part in app.expander if part.label.startswith("Learners without a number"))
    app.selectbox(key="w_dist").set_value("circle").run()
    now = next(part for part in app.expander if part.label.startswith("Learners without a number"))
    assert now.label != fold.label
    assert "<li>" in html(app)
    assert param(app, "open") == "given.left"


def test_each_class_has_its_own_letter_for_its_size():
    app = run(FILE, concept="halfspace", v="2", open="given", **{"for": "d"})
    assert "n = ?" in html(app)
    assert "How large can n be?" in html(app)
    assert not any(re.search(r"\bd\b", cells[1]) for cells in rows(app))
    app = run(FILE, concept="threshold", v="2", open="given", **{"for": "m"})
    assert "b = 64" in html(app)
    labels = [slider.label for slider in app.select_slider]
    assert any(text.startswith("b: ") for text in labels)
    assert not any(text.startswith("d: ") for text in labels)


def test_a_kind_without_a_row_names_the_nearest_and_says_what_is_left_out():
    asked = {
        "concept": "interval",
        "dist": "uniform",
        "kind": "pure-improper",
        "v": "2",
        "for": "m",
    }
    said = next(b.value for b in run(FILE, **asked).markdown if "No improper pure" in b.value)
    assert "the best proper pure one, Exponential mechanism, needs" in said
    assert "guaranteed on every distribution" in said
    asked = {"concept": "halfspace", "dist": "sphere", "kind": "pure", "v": "2", "for": "m"}
    said = next(b.value for b in run(FILE, **asked).markdown if "No pure" in b.value)
    assert "simulated numbers are left out: " in said
    # Of learners of any kind, the sentence is about private ones.
    said = next(
        b.value for b in run(FILE, **asked | {"kind": "all"}).markdown if "No private" in b.value
    )
    public = [x.title for x in concept("halfspace").learners if x.privacy == "none"]
    assert public
    assert not any(title in said for title in public)


def test_controls_write_the_link_and_the_gap_moves():
    app = run(FILE)
    assert "ε = ?" in html(app)
    assert not any(slider.key == "w_eps" for slider in app.select_slider)
    app.selectbox(key="w_for").set_value("d").run()
    assert param(app, "for") == "d"
    assert "d = ?" in html(app)
    assert any(slider.key == "w_eps" for slider in app.select_slider)
    app.selectbox(key="w_concept").set_value("release").run()
    assert param(app, "concept") == "release"
    assert any(slider.key == "w_delta" for slider in app.select_slider)


def test_bad_links_are_one_sentence_each_and_a_foreign_distribution_is_replaced():
    app = run(FILE, concept="nobody", eps="-1", **{"for": "seed"})
    assert not app.exception
    notes = html(app)
    assert "concept class (concept) must be one of" in notes
    assert "what is looked for (for) must be one of" in notes
    app = run(FILE, concept="pseudorandom-point", dist="bystanders")
    assert "This class has no distribution bystanders; hard is used instead." in html(app)
    assert rows(app)


@pytest.mark.parametrize("concept", CONCEPTS, ids=lambda entry: entry.name)
def test_doors_lead_to_the_state_that_they_name(concept):
    page = DECLARED[concept.name]
    question = Question(
        concept=concept.name, wanted="epsilon", m=3000, d=8, alpha=0.05, beta=0.2, delta=1e-9
    ).checked()
    entry = concept.learners[-1]
    address = calculation.door(question, page, 0.1234, learner=entry.name)
    path, _, query = address.removeprefix("./").partition("?")
    assert path == page.slug
    values, notes = parse(dict(pair.split("=") for pair in query.split("&")), page.fields)
    assert not notes
    wanted = {"m": 3000, "d": 8, "eps": 0.1234, "alpha": 0.05, "beta": 0.2}
    assert {key: values[key] for key in wanted} == wanted
    assert entry.name in values["learners"]
    if "delta" in values:
        assert values["delta"] == 1e-9
    low = next(bound for bound in concept.bounds if bound.kind == "lower")
    address = calculation.door(question, page, float("nan"), bound=low.name)
    assert address.endswith("#theory")
    query = address.partition("?")[2].removesuffix("#theory")
    values, notes = parse(dict(pair.split("=") for pair in query.split("&")), page.fields)
    assert not notes
    assert values["const"] == low.constants
    assert values["open"] == (f"bound-{low.name.replace('.', '-')}",)
    assert values["eps"] == next(f.default for f in page.fields if f.key == "eps")
