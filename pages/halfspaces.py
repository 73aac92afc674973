"""The Half-spaces page: what the dimension costs, with examples or labels private."""

import math
from typing import TYPE_CHECKING

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits import halfspace
from pages.shared.frame import shell
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from privsc_core.draw.style import integer, price

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", scenario: "Scenario") -> tuple[shell.Card, ...]:
    on_circle = scenario.law.name not in {"uniform", "sphere"}
    among_arcs = on_circle and "density" in scenario.learners  # cards speak of what is drawn
    free = numbers.learner("erm" if on_circle and "erm" in scenario.learners else "mean")
    fast = numbers.learner("density" if among_arcs else "averaging")
    # A ratio is to the learner of all labels, which may not be the one on the first card.
    ratio = fast.ratio if free.name == "erm" or not on_circle else math.nan
    red = numbers.strongest("packing-circle", "packing", "pair", here=True)
    return (
        shell.card("Without privacy", integer(free.m), "examples suffice", about=free.name),
        shell.card(
            "Impossible below",
            integer(red.m),
            "even if only the labels are private",
            about=red.name,
        ),
        shell.card(
            "All private: " + ("density learner" if among_arcs else "averaging"),
            integer(fast.m),
            price(ratio, "among 2m arcs" if among_arcs else "in time O(mn)"),
            about=fast.name,
        ),
        _affordable(numbers, scenario),
    )


def _affordable(numbers: "Numbers", scenario: "Scenario") -> shell.Card:
    """Return the card of the best that is known beside the learner of the last card."""
    if scenario.law.name == "uniform":
        promised = numbers.bound("density")
        return shell.card(
            "All private: density learner",
            integer(promised.m),
            "guaranteed, but too slow to run where n is large",
            about=promised.name,
        )
    name, words = (
        ("net", "All private: net")
        if scenario.law.name == "sphere"
        else ("arcs", "Labels private: arcs")
    )
    found = numbers.learner(name)
    other = ["another learner; the density learner protects labels too"] * (name == "arcs")
    return shell.card(words, integer(found.m), price(found.ratio, *other), about=found.name)


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<g stroke="#808a99" fill="none" stroke-width="1.5" transform="translate(-78 0)"><circle cx="120" cy="42" r="36"/>
<path d="M95 68 A36 36 0 0 1 145 16 Z" fill="#6a7b94" fill-opacity="0.25" stroke="none"/>
<line x1="86" y1="77" x2="154" y2="7" stroke="#6a7b94" stroke-width="3"/>
<line x1="120" y1="42" x2="98" y2="21" stroke="#6a7b94" stroke-width="2"/></g>
<g fill="#808a99" font-size="16" font-family="sans-serif"><text x="6" y="20">w</text>
<text x="88" y="48">1 where ⟨w, x⟩ ≥ 0</text></g></svg>
"""

PAGE = ClassPage(
    concept="halfspace",
    slug="halfspaces",
    icon="◐",
    heading="Learning a half-space",
    claim=(
        "**On the sphere, privacy multiplies the number of examples of a fast learner** by a factor that "
        "grows like √n with the dimension $n$."
    ),
    summary=(
        "The number of examples needed grows with the dimension, even if only the labels are protected "
        "(Chaudhuri and Hsu 2011)."
    ),
    learners=("averaging", "mean"),
    distribution="uniform",
    on_map="averaging",
    before={
        "learners": ("erm", "arcs", "density", "averaging"),
        "dist": "circle",
        "map": "arcs",
        "who": "density",
        "nwho": "density",
    },
    carded=("erm", "arcs", "density", "net"),
    watched="averaging",
    regions=("packing", "packing-circle", "pair"),
    controls=("d", "dist", "eps", "view"),
    cards=_cards,
    sketch=_SKETCH,
    exhibits=halfspace.EXHIBITS,
    named=(("privacy multiplies the number of examples of a fast learner", ("averaging",)),),
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
