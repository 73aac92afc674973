"""The page about labels, without a browser."""

import numpy as np
import pytest

from pages.labels import FAMILIES
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.generic.labels import pool
from privsc_core.evaluate.asking import asking
from privsc_core.exhibits.point.labels import plenty
from tests.depth import whole
from tests.pages.app import html, run


def test_the_page_shows_its_pictures_and_the_numbers_of_its_setting():
    app = run("pages/labels.py", d="8")
    said = " ".join(str(m.value) for m in app.markdown)
    shown = html(app)
    assert not app.exception
    assert "could not be computed" not in shown
    assert "pay for $d$ in people" in said
    # Least u with 120 labels at d = 8, the wall, and the need of all labelled.
    for cell in ("120 + 403", ">72<", ">96<", ">335<"):
        assert cell in shown
    assert "from d = 8 to d = 1,024 GenericLearner stays at 96 labels" in said


def test_both_pictures_offer_their_numbers():
    _, picture = FAMILIES["points"].plane(4, 1.0, 0.1, 0.1)
    assert set(picture.table) == {"m", "u", "success"}
    for word in ("exact", "ours", "hard distribution", "no promise"):
        assert word in picture.caption
    _, other = FAMILIES["points"].against(2.0, 0.1, 0.1)
    assert len(other.table["d"]) == len(other.table["examples"])


@pytest.mark.parametrize(
    ("family", "wall", "enough", "labelled", "example"),
    [
        ("intervals", 72, 176, 340, 220),
        whole("rectangles", 89, 245, 377, 307),
    ],
)
def test_other_classes_have_their_plane_too(family, wall, enough, labelled, example):
    app = run("pages/labels.py", plane=family, d="8")
    shown = html(app)
    assert not app.exception
    assert "could not be computed" not in shown
    for cell in (f">{wall}<", f">{enough}<", f">{labelled}<", f"{example} + "):
        assert cell in shown
    assert "simulated" in shown
    # Of one rare point the wall is attained, of four it is not.
    assert ("sharp (ours)" in shown) == (family == "intervals")
    assert ("Follow a run" in " ".join(str(h.value) for h in app.subheader)) == (
        family == "rectangles"
    )


# recipe: theory-bns15.md, section 6: labels and people at d = 16, epsilon = 0.1
@pytest.mark.parametrize(
    ("inner", "labels", "people"),
    [(0.1, 448, 448), (1.0, 53, 866), (2.0, 31, 1884), (4.0, 20, 10193)],
)
def test_asking_few_of_many(inner, labels, people):
    found = asking(plenty, pool, Cell(16, 0.1, 0.1, 0.1), inner, 1.0)
    assert (found.asked, found.crowd) == (labels, people)
    # Where the list is public the inner loss is all that is left: at it nobody need hide.
    assert np.isnan(found.people[found.epsilon >= inner]).all()
    assert (found.people < found.paper)[found.epsilon < inner].all()


def test_the_page_says_who_is_protected_and_how_well():
    app = run("pages/labels.py", d="16", eps="0.1")
    assert not app.exception
    picture = FAMILIES["points"].asking(16, 0.1, 0.1, 0.1, 1.0, "hidden")
    assert picture.title == (
        "53 labels of a random few among 866 people: everybody is protected by ε = 0.1"
    )
    seen = FAMILIES["points"].asking(16, 0.1, 0.1, 0.1, 1.0, "published")
    assert "everybody sees whose: each of the 53 is protected by ε = 1 only" in seen.title
    assert "Whose label was asked?" in [str(head.value) for head in app.subheader]
