"""The two exhibits of every class page through AppTest: they open, step, and keep their link."""

import re

import pytest

from privsc_core import catalog
from privsc_core.evaluate.microscope import examine
from tests.depth import deep, spread, whole
from tests.pages.app import html, param, press, run
from tests.pages.declared import DECLARED, FILES

EACH = pytest.mark.parametrize("concept", spread(catalog.CONCEPTS, 3), ids=lambda c: c.name)
SOME = pytest.mark.parametrize("concept", spread(catalog.CONCEPTS, 1), ids=lambda c: c.name)
PAIRS = [pytest.param(c, a, id=f"{c.name}-{a.name}") for c in catalog.CONCEPTS for a in c.learners]
LEARNERS = pytest.mark.parametrize(("concept", "learner"), PAIRS)


def refused(app):
    return re.findall(r'role="alert">([^<]*)', html(app))


def slack(learner):
    """Return what a link says for a learner that cannot do without a slack."""
    return {"delta": f"{learner.privacy_slack:g}"} if learner.privacy_slack else {}


def noted(app):
    return any(button.key == "pv_notes_dismiss" for button in app.button)


# Settings take turns over the learners; in a deep run each learner meets all. What they compute
# there is asked without a page: tests/core/evaluate/test_microscope.py.
SETTINGS = {
    "default": {},
    "huge": {"d": "1000000", "eps": "0.001"},
    "tiny": {"d": "4", "eps": "20", "m": "40"},
}


@pytest.mark.parametrize(
    ("concept", "learner", "setting"),
    spread(
        [
            pytest.param(*entry.values, SETTINGS[name], id=f"{entry.id}-{name}")
            for entry in LEARNERS.args[1]
            for number in [entry.values[0].learners.index(entry.values[1])]
            for name in deep([list(SETTINGS)[number % 3]], SETTINGS)
        ],
        most=1,
    ),
)
def test_both_open_for_every_learner(concept, learner, setting):
    law = next(x for x in concept.distributions if x.name in learner.laws)
    if "d" in setting:
        setting |= {"d": str(min(int(setting["d"]), law.most_d, learner.most_d(law)))}
    app = run(
        FILES[concept.name],
        open="microscope.neighbours",
        who=learner.name,
        nwho=learner.name,
        **({} if law is concept.distributions[0] else {"dist": law.name}),
        **setting,
        **slack(learner),
    )
    assert not app.exception
    assert "could not be computed" not in html(app)
    assert not noted(app)
    # What cannot be run is one sentence of the learner's own; the neighbours are always there.
    assert all(re.match(r"(m|d) must ", sentence) for sentence in refused(app))
    assert "Audit: all" in html(app)
    if not refused(app):
        assert concept.words.error.capitalize() in html(app)


@SOME
def test_every_distribution_is_examined_or_refused(concept):
    for law in concept.distributions:
        app = run(FILES[concept.name], open="microscope", dist=law.name, d="16", trials="250")
        assert not app.exception
        assert "could not be computed" not in html(app)


@EACH
def test_the_outcome_is_that_of_the_core(concept):
    first = concept.learners[-1].name
    app = run(
        FILES[concept.name], open="microscope.neighbours", who=first, nwho=first, d="16", m="200",
        eps="1.0", run="7", **slack(concept.learners[-1]),
    )  # fmt: skip
    assert not app.exception
    assert "could not be computed" not in html(app)
    assert "Audit: all" in html(app)
    setting = {"concept": concept.name, "learner": first, "m": 200, "d": 16, "epsilon": 1.0}
    setting["delta"] = concept.learners[-1].privacy_slack
    found = examine(**setting, alpha=0.1, beta=0.1, seed=7)
    assert f"<strong>{'success' if found.succeeded else 'failure'}</strong>" in html(app)
    for place, step in enumerate(found.steps, start=1):
        assert f"{place}. {step.title}." in html(app)


@SOME
def test_the_next_draw_and_the_same_draw_step_by_step(concept):
    shown = html(run(FILES[concept.name]))  # closed: nothing is computed
    assert "Audit: all" not in shown
    assert "The scores" not in shown
    app = run(FILES[concept.name], open="microscope", d="16")
    assert "1. The " in html(app)
    assert "2. The " in html(app)
    app = press(app, "pv_run_next")
    assert param(app, "run") == "2"
    app = press(app, "pv_run_again")
    assert param(app, "step") == "1"
    assert "2. The " not in html(app)
    assert "This run" not in html(app)
    app = press(app, "pv_run_step")
    assert param(app, "step") == "2"
    assert "2. The " in html(app)
    for _ in range(10):
        if "This run" in html(app):
            break
        app = press(app, "pv_run_step")
    assert "This run" in html(app)
    assert param(app, "run") == "2"
    app = press(press(app, "pv_run_again"), "pv_run_all")
    assert param(app, "step") is None
    assert "This run" in html(app)


@SOME
def test_a_link_keeps_what_it_shows(concept):
    letter = "n" if concept.learners[0].labelled else "p"
    entry = concept.learners[0]
    page = DECLARED[concept.name]
    link = {
        "open": "microscope.neighbours", "run": "12", "step": "1", "rec": "2", "into": "2p",
        "base": f"1{letter}3p",
    }  # fmt: skip
    if entry.name != (page.watched or page.on_map):  # a default is left out
        link |= {"who": entry.name, "nwho": entry.name}
    app = run(FILES[concept.name], **link)
    assert not noted(app)
    for key, value in link.items():
        assert param(app, key) == value, key
    app = app.run()
    for key, value in link.items():
        assert param(app, key) == value, key


BAD = (
    {"run": "0", "step": "99", "who": "nobody", "nwho": "<b>", "rec": "9", "into": "77p", "base": "9p"},
    whole({"run": "x", "base": "1p" * 50}),
)  # fmt: skip


@SOME
@pytest.mark.parametrize("link", BAD)
def test_a_bad_link_gets_notes_and_a_page(concept, link):
    app = run(FILES[concept.name], open="microscope.neighbours", **link)
    assert not app.exception
    assert "could not be computed" not in html(app)
    assert html(app).count("<li>") == len(link)


def test_the_neighbour_becomes_the_sample_and_the_worst_pair_comes_back():
    concept = catalog.concept("point")
    app = run(FILES[concept.name], open="neighbours", d="16")
    before = html(app)
    app = press(app, "pv_neighbour_go")
    assert param(app, "base") == "1p1n1n"
    assert param(app, "into") == "1n"
    app = press(app, "pv_neighbour_worst")
    assert param(app, "base") is None
    worst = re.compile(r"largest log ratio</dt><dd><strong>([^<]*)")
    assert worst.search(html(app))[1] == worst.search(before)[1]


@pytest.mark.parametrize(("concept", "learner"), spread(PAIRS, 2))
def test_a_pair_of_another_learner_falls_back_to_what_this_one_has(concept, learner):
    app = run(
        FILES[concept.name],
        open="neighbours",
        nwho=learner.name,
        rec="4",
        into="8p",
        base="8p8p8p8p",
        **slack(learner),
    )
    assert not app.exception
    assert not refused(app)


def test_the_slider_of_epsilon_moves_the_band():
    concept = catalog.concept("point")
    for epsilon in ("0.1", "2.0"):
        assert f"ε = {float(epsilon):g}" in html(
            run(FILES[concept.name], open="neighbours", eps=epsilon)
        )


def test_a_run_with_too_few_examples_offers_as_many_as_the_learner_needs():
    app = run(FILES["point"], open="microscope", who="noise")
    assert "No kept example has label 1" in html(app)
    app = press(app, "pv_run_enough")
    assert param(app, "m") == "7091"
    # Now the noise has something to hide, and hides it.
    assert "A kept example has label 1" in html(app)
    assert not any(button.key == "pv_run_enough" for button in app.button)


@pytest.mark.parametrize("rec", [1, 2])
def test_the_example_that_was_chosen_is_changed(rec):
    app = run("pages/points.py", open="neighbours", d="4", rec=str(rec), into="2p")
    (row,) = re.findall(r'<th scope="row"[^>]*>its neighbour</th>(.*?)</tr>', html(app))
    cells = re.findall(r"<td.*?</td>", row)
    assert ["➜" in cell for cell in cells] == [number == rec for number in range(1, len(cells) + 1)]


def test_one_run_calls_the_size_as_its_class_does():
    app = run("pages/thresholds.py", v="2", d="24", open="run", part="run")
    said = [c.value for c in app.caption if "b = 24" in c.value]
    assert said
    assert not any("d = 24" in c.value for c in app.caption)
