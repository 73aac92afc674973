"""The tour for first visitors: when it is offered, and that its words and names exist."""

import re

import pytest

from pages.shared.frame import tour
from privsc_core.catalog import concept
from tests.pages.app import html, run
from tests.pages.declared import DECLARED
from tests.pages.declared import FILES as PAGES

TOURED = {name: page for name, page in DECLARED.items() if page.tour}
EACH = pytest.mark.parametrize("name", DECLARED)


def names(name):
    """Return the names of a class's learners and bounds."""
    found = concept(name)
    return {entry.name for entry in (*found.learners, *found.bounds)}


@EACH
def test_words_that_light_up_are_in_the_claim_and_their_curves_exist(name):
    page = DECLARED[name]
    for text, about in page.named:
        assert page.claim.count(text) == 1
        assert set(about) <= names(name)
    for step in page.tour:
        places = re.findall(r"\{([^}]*)\}", step.text)
        asked = " ".join([step.lights, *(place for place in places if not place.startswith("="))])
        assert set(asked.split()) <= names(name)
        assert {place[1:] for place in places if place.startswith("=")} <= {
            item.key for item in page.settings.values()
        }
        # Every number comes from the page.
        assert not re.search(r"\d", re.sub(r"\{[^}]*\}|2ᵈ", "", step.text))
        assert not step.opens or step.opens in page.parts


def test_five_steps_make_the_first_minute():
    assert [len(page.tour) for page in TOURED.values()] == [5]
    words = sum(len(step.text.split()) for page in TOURED.values() for step in page.tour)
    assert words <= 90 / 60 * 200, "read in 90 seconds"


@pytest.mark.parametrize(("params", "wanted"), [
    ({}, (True, False)), ({"d": "96"}, (False, False)), ({"tour": "1"}, (False, True)),
    ({"present": "1", "tour": "1"}, None), ({"predict": "1"}, None),
])  # fmt: skip
def test_it_is_offered_where_the_link_says_nothing_else(monkeypatch, params, wanted):
    sent = []
    monkeypatch.setattr(tour, "_TOUR", lambda **given: sent.append(given["data"]))
    (name,) = TOURED
    app = run(PAGES[name], **params)
    assert not app.exception
    assert [(said["offer"], said["start"]) for said in sent] == ([] if wanted is None else [wanted])
    if not params:
        # The number of each step has its card.
        about = set(" ".join(re.findall(r'data-about="([^"]*)"', html(app))).split())
        for step in sent[0]["steps"]:
            for place in re.findall(r"\{([^=}][^}]*)\}", step["text"]):
                assert about & set(place.split())
