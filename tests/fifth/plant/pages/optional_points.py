"""The page of points and the empty concept."""

from typing import TYPE_CHECKING

from pages.shared.frame import shell
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from privsc_core.draw.style import integer

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", scenario: "Scenario") -> tuple[shell.Card, ...]:
    del scenario
    found, upper = numbers.learner("hash"), numbers.bound("finite-class")
    return (
        shell.card(
            "Exponential mechanism", integer(found.m), f"guaranteed at {integer(upper.m)}", "accent"
        ),
    )


PAGE = ClassPage(
    concept="optional-point",
    slug="optional_points",
    icon="⭕",
    heading="Learning a point that may be missing",
    claim="**One concept more** hardly changes what a point costs.",
    summary="Points, and the concept without any.",
    learners=("hash",),
    on_map="hash",
    cards=_cards,
    sketch='<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="4"/></svg>',
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
