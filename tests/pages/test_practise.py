"""The questions at the end of a class page: asked at its setting, answered in words, and leading on."""

import dataclasses
import html as markup

import pytest

from pages.shared.page import practise
from pages.shared.page.declaration import scenario_of
from privsc_core import draw, practice
from privsc_core.concepts.contracts.practice import Exercise
from privsc_core.evaluate.scenario import Scenario
from tests.depth import spread
from tests.pages.app import param, press, run
from tests.pages.declared import DECLARED


def asked(app):
    """Return the question that a page of points shows."""
    (sentence,) = (
        m.value
        for m in app.main.markdown
        if m.value.startswith("**") and m.value.endswith(("?**", ".**"))
    )
    return sentence


def said(app):
    """Return what a page says of the last answer."""
    (text,) = (m.value for m in app.main.markdown if 'role="status"' in m.value)
    return markup.unescape(text.partition(">")[2].removesuffix("</p>"))


def keys(app):
    return [one.key for one in app.main.button]


def test_nothing_is_computed_while_the_part_is_closed(monkeypatch):
    monkeypatch.setattr(practise.practice, "following", lambda *_: pytest.fail("computed"))
    assert "pv_practise_next" not in keys(run("pages/points.py"))


@pytest.fixture
def question(monkeypatch):
    """Ask a fixed question."""
    given = Exercise(
        kind="x", sentence="Is <b>1</b> *more* than $0$?", choices=("No: <i>", "Yes"), right=1,
        feedback=("That would mean <script> things.", "Right: 1 > 0."), where="need-d",
    )  # fmt: skip
    monkeypatch.setattr(practise.exhibit, "computed", lambda *_: (0, given))
    return given


def test_answers_are_answered_in_plain_words(question):
    app = run("pages/points.py", open="practise")
    assert said(app) == ""
    assert "pv_practise_see" not in keys(app)
    app = press(app, "pv_practise_0")
    assert said(app) == f"Not right. {question.feedback[0]}"
    assert "<script>" not in "".join(m.value for m in app.main.markdown)
    labels = {one.key: one.label for one in app.main.button}
    assert labels["pv_practise_0"].startswith("✗")
    app = press(app, "pv_practise_1")
    assert said(app) == "Right: 1 > 0."
    assert not app.exception


def test_the_way_to_the_figure_shows_it(question):
    app = press(run("pages/points.py", open="practise"), "pv_practise_1")
    app = press(app, "pv_practise_see")
    assert param(app, "view") == question.where
    assert not app.exception


@pytest.mark.parametrize(("name", "label"), [
    ("parities", "See it: The distribution matters"), ("points", "See it: Success against m"),
])  # fmt: skip
def test_the_distributions_are_shown_where_the_page_compares_them(
    monkeypatch, question, name, label
):
    there = dataclasses.replace(question, where="contrast")
    monkeypatch.setattr(practise.exhibit, "computed", lambda *_: (0, there))
    app = press(run(f"pages/{name}.py", open="practise"), "pv_practise_1")
    labels = {one.key: one.label.replace("\\", "") for one in app.main.button}
    assert labels["pv_practise_see"] == label
    app = press(app, "pv_practise_see")
    assert not app.exception
    assert ("contrast" in param(app, "open")) is (name == "parities")


def test_a_number_is_typed(monkeypatch):
    given = practice.ask("least-m", practise_scenario())
    monkeypatch.setattr(practise.exhibit, "computed", lambda *_: (0, given))
    app = run("pages/points.py", open="practise")
    for text, answer in (
        ("22", "Not right. About 22 would do without privacy."),
        ("0,5", ""),
        ("0.5", "Not right. Your number is a factor of 3,940 too small."),
        ("ten", ""),
        ("10^6", "Not right. Your number is a factor of 508 too large."),
        (f"{given.number:,.0f}", "Right. "),
    ):
        app.main.text_input(key="pv_practise_typed").input(text)
        (answered,) = (one for one in app.main.button if one.label == "Answer")
        app = answered.click().run()
        assert said(app).startswith(answer)
        assert bool(said(app)) is bool(answer)
        refused = [
            one.value.replace("\\", "")
            for one in app.main.caption
            if one.value.startswith("Your number")
        ]
        needs = "Your number must be a number above 0, such as 1,000, 1e3 or 0.5; got"
        assert refused == ([] if answer else [f"{needs} {text}."])
    assert not app.exception


def test_an_answer_does_not_answer_the_same_sentence_at_another_setting(monkeypatch, question):
    app = press(run("pages/points.py", open="practise"), "pv_practise_1")
    there = dataclasses.replace(question, feedback=("No.", "Right: 2 > 0."))
    monkeypatch.setattr(practise.exhibit, "computed", lambda *_: (0, there))
    app = app.run()
    assert said(app) == ""
    assert {one.key: one.label for one in app.main.button}["pv_practise_1"] == "Yes"


def practise_scenario():
    return Scenario("point", ("erm", "exponential", "hash"))


def test_another_question_is_another_one():
    app = run("pages/points.py", open="practise")
    before = asked(app)
    app = press(app, "pv_practise_next")
    assert asked(app) != before


def test_a_link_with_a_seed_begins_with_its_own_question(monkeypatch):
    begun = {asked(run("pages/points.py", open="practise", seed=seed)) for seed in ("7", "7", "13")}
    assert len(begun) == 1  # as 13 is 7, and once round all six easy ones
    other = asked(run("pages/points.py", open="practise", seed="8"))
    assert other not in begun
    monkeypatch.setattr(practise.secrets, "randbelow", lambda _: 2)
    assert asked(run("pages/points.py", open="practise", seed="8")) == other
    assert asked(run("pages/points.py", open="practise")) == asked(
        run("pages/points.py", open="practise", seed="8")
    )


@pytest.mark.parametrize("name", spread(list(DECLARED), 3))
def test_what_shows_an_answer_is_on_the_page(name):
    page = DECLARED[name]
    scenario = scenario_of(page, {key: item.default for key, item in page.settings.items()})
    places = {*page.parts, *draw.views_of(scenario.concept_class)}
    seen = [practice.ask(kind, scenario) for kind in practice.kinds(scenario)]
    assert sum(one is not None for one in seen) > 4
    places |= {"contrast"}  # where a page has none, the first figure is shown
    assert {one.where for one in seen if one} <= places
