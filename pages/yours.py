"""The page of a class of one's own: success curves of the class that the laboratory shows."""

from typing import TYPE_CHECKING

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits.yours import EXHIBITS
from pages.shared.frame import shell
from pages.shared.page import own_class
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from pages.shared.state.fields import Family
from privsc_core.draw.style import integer, price

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", _: "Scenario") -> tuple[shell.Card, ...]:
    free, flip, mechanism = (
        numbers.learner(name) for name in ("erm", "permute-and-flip", "exponential")
    )
    lower = numbers.strongest("packing", "blind-guess", "littlestone")
    return (
        shell.card(
            "Without privacy", integer(free.m), "examples, for this target and distribution",
            about=free.name,
        ),
        shell.card(
            "Private: permute-and-flip", integer(flip.m),
            price(flip.ratio, f"exponential mechanism: {integer(mechanism.m)}"), about=flip.name,
        ),
        shell.card(
            "Impossible below", integer(lower.m),
            "for every purely private learner, on the worst distribution: not drawn here", about=lower.name,
        ),
    )  # fmt: skip


def _draw() -> None:
    own_class.picked()
    own_class.there("pages/laboratory.py", "Edit it in the Laboratory")


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<g font-size="16" font-family="monospace" text-anchor="middle" fill="#808a99">
<g fill="#6a7b94" fill-opacity="0.25"><rect x="62" y="34" width="148" height="22" rx="5"/></g>
<text x="80" y="26">1</text><text x="108" y="26">0</text><text x="136" y="26">0</text><text x="164" y="26">1</text>
<text x="192" y="26">0</text><text x="80" y="51">0</text><text x="108" y="51">1</text><text x="136" y="51">1</text>
<text x="164" y="51">0</text><text x="192" y="51">0</text><text x="80" y="76">1</text><text x="108" y="76">1</text>
<text x="136" y="76">0</text><text x="164" y="76">0</text><text x="192" y="76">1</text>
<g font-size="13" font-family="sans-serif"><text x="30" y="51">target</text></g></g></svg>
"""

PAGE = ClassPage(
    concept="finite",
    slug="yours",
    icon="🧩",
    heading="A class of your own",
    claim=(
        "**Every table of labels is a concept class with private learners.** Pick a class, weights on its points and "
        "a target; see what privacy costs."
    ),
    summary=(
        "Any matrix of labels, up to 4,096 of them in a link: success of its private learners, lower bounds from "
        "its dimensions, and the best possible mechanism."
    ),
    learners=("erm", "exponential", "permute-and-flip"),
    on_map="permute-and-flip",
    watched="permute-and-flip",
    controls=("of", "eps", "dist"),
    cards=_cards,
    sketch=_SKETCH,
    exhibits=EXHIBITS,
    named=(("private learners", ("exponential", "permute-and-flip")),),
    family=Family(name="class", label="Class", text=own_class.OF, draw=_draw),
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
