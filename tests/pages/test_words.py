"""Words: one glossary, and a reading of every picture that speaks of what is drawn."""

import re

import pytest

from pages.shared.frame import words
from pages.shared.state.fields import ends
from privsc_core import catalog, draw
from privsc_core.draw.reading import reading
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from privsc_core.literature.glossary import GROUPS, find, terms
from privsc_core.parameters import PARAMETERS
from tests.depth import spread, whole

PICTURES = spread([(c, view) for c in catalog.CONCEPTS for view in draw.VIEWS], 7)
SENTENCE = re.compile(r"^[A-Z0-9(ε].*[.)]$", re.DOTALL)


def scenario(concept, **settings):
    names = tuple(entry.name for entry in concept.learners)
    return Scenario(
        concept=concept.name, learners=names, delta=1e-6, trials=50, d=16, epsilon=1.0, **settings
    )


def test_each_word_is_explained_once_in_plain_sentences():
    forms = [form.lower() for term in terms() for form in (term.word, *term.also)]
    assert len(set(forms)) == len(forms)
    for term in terms():
        assert term.group in GROUPS
        assert SENTENCE.match(term.meaning), term
        assert not re.search(r"[$\\*_`<>]", term.meaning), f"markup in {term.word}"
    symbols = {entry.symbol for entry in PARAMETERS}
    assert not symbols & set(forms), "symbols stand in privsc_core.parameters"


def test_what_tables_and_cards_write_is_in_the_glossary():
    for word in (
        "proper", "improper", "pure", "(ε, δ)", "labels only", "exact", "bracketed", "rao-blackwell",
        "monte-carlo", "sharp", "paper", "rate", "price", "impossible below", "suffices",
    ):  # fmt: skip
        assert find(word), word
    assert find("no such word") is None


def test_a_term_is_escaped_and_what_is_unknown_stays_plain():
    assert words.term("<b>") == "&lt;b&gt;"
    html = words.term("proper", "a <proper> one")
    assert "a &lt;proper&gt; one" in html
    assert html.startswith("<button")
    assert words.term("proper", stop=False).startswith("<span")
    assert "privacy loss" in words.term("ε"), "symbols explain themselves as well"


def test_the_ends_of_the_slider_of_epsilon_say_what_they_are():
    sheet = ends()
    assert ".st-key-w_eps " in sheet
    assert "more privacy" in sheet
    assert "less privacy" in sheet


@pytest.mark.parametrize(("concept", "view"), PICTURES)
def test_every_picture_is_explained_line_by_line(concept, view):
    setting = scenario(concept)
    picture = draw.picture(setting, view)
    lines = reading(setting, view, picture)
    names = [line.name for line in lines]
    assert len(set(names)) == len(names)
    assert names[0].startswith("Across: ")
    assert names[1].startswith("Up: ")
    for line in lines:
        assert SENTENCE.match(line.words), line
        assert "See the caption" not in line.words, line
    # Each entry of the legend has its line, drawn as the legend draws it.
    for trace in picture.figure["data"]:
        if trace.get("showlegend", True) and trace["uid"] != "map":
            line = next(line for line in lines if line.name == trace["name"])
            assert (line.colour, line.dash) == (trace["line"]["color"], trace["line"]["dash"])


@pytest.mark.parametrize("concept", spread(catalog.CONCEPTS, 2), ids=lambda c: c.name)
@pytest.mark.parametrize("constants", ["sharp", whole("paper")])
def test_curves_of_one_picture_differ_in_more_than_colour(concept, constants):
    setting = scenario(concept, constants=constants)
    for view in draw.VIEWS:
        traces = draw.picture(setting, view).figure["data"]
        seen = [
            (trace["line"]["width"], trace["line"]["dash"], trace["uid"].rpartition("-")[2])
            for trace in traces
            if trace.get("showlegend", True) and trace.get("visible", True) is True
            and trace["uid"] != "map" and trace["line"]["width"] == 2
        ]  # fmt: skip
        assert len(set(seen)) == len(seen), (view, seen)


def test_a_simulated_curve_and_its_band_are_called_so():
    setting = scenario(catalog.concept("interval"), distribution="uniform")
    lines = reading(setting, "m", draw.picture(setting, "m"))
    assert any(
        "simulated with 50 samples a point when all are in, not exact" in line.words
        for line in lines
    )
    assert any(line.name == "Pale band" for line in lines)


def test_where_a_constant_comes_from_is_said():
    for constants, said in (("sharp", "our constants"), ("paper", "constants of the paper's")):
        setting = scenario(catalog.concept("point"), constants=constants)
        lines = reading(setting, "m", draw.picture(setting, "m"))
        assert any(said in line.words for line in lines)


def test_an_unknown_view_is_refused():
    setting = scenario(catalog.concept("point"))
    with pytest.raises(InputError, match="view must be one of"):
        reading(setting, "what", draw.picture(setting, "m"))
