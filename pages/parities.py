"""The Parities page: sums modulo 2, learned privately by solving linear equations."""

from typing import TYPE_CHECKING

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits.parity import EXHIBITS
from pages.shared.exhibits.contrast import contrast
from pages.shared.frame import shell
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from privsc_core.draw.style import integer, price

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", scenario: "Scenario") -> tuple[shell.Card, ...]:
    free, all_, fast = (numbers.learner(n) for n in ("erm", "exponential", "elimination"))
    spikes, right = scenario.law.name == "spikes", scenario.law.realizable
    red = numbers.bound("converse-spikes" if spikes else "converse")
    whom = (
        f"for every private learner; {integer(numbers.bound('vc').m)} on the worst distribution"
        if spikes
        else "for every proper, purely private learner"
        + ("" if right else ", even if all labels are right")
    )
    promise = ""
    if right:
        green = numbers.bound("finite-class" if spikes else "exponential")
        promise = f"guaranteed at {integer(green.m)}; "
    solve = (
        "examples suffice: solve equations"
        if right
        else "one wrong label makes the equations unsolvable"
    )
    return (
        shell.card("Without privacy", integer(free.m), solve, about=free.name),
        shell.card(
            "Private: exponential mechanism",
            integer(all_.m),
            price(all_.ratio, f"{promise}goes through all 2ᵈ"),
            about=all_.name,
        ),
        shell.card(
            "Private and fast: elimination",
            integer(fast.m),
            price(
                fast.ratio,
                "in polynomial time" if right else "fails if a label that it keeps is wrong",
            ),
            about=fast.name,
        ),
        shell.card(
            "Impossible below",
            integer(red.m),
            whom,
            about=red.name,
        ),
    )


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<g font-size="16" font-family="monospace" text-anchor="middle" fill="#808a99">
<g fill="#6a7b94" fill-opacity="0.25"><rect x="20" y="8" width="24" height="54" rx="5"/>
<rect x="68" y="8" width="24" height="54" rx="5"/><rect x="92" y="8" width="24" height="54" rx="5"/></g>
<text x="32" y="28">1</text><text x="56" y="28">0</text><text x="80" y="28">1</text>
<text x="104" y="28">1</text><text x="128" y="28">0</text><text x="176" y="28">→ 1</text>
<text x="32" y="54">0</text><text x="56" y="54">1</text><text x="80" y="54">1</text>
<text x="104" y="54">1</text><text x="128" y="54">1</text><text x="176" y="54">→ 0</text>
<text x="120" y="79" font-size="13" font-family="sans-serif">the bits that r picks, added modulo 2</text></g></svg>
"""

PAGE = ClassPage(
    concept="parity",
    slug="parities",
    icon="⊕",
    heading="Learning a parity",
    claim=(
        "**A private learner that solves linear equations learns parities in polynomial time;** a "
        "learner that asks only for approximate averages needs exponentially many."
    ),
    summary=(
        "A private learner finds a parity in polynomial time. It keeps random examples and solves their linear "
        "equations (after Kasiviswanathan et al. 2011)."
    ),
    learners=("erm", "exponential", "elimination"),
    on_map="elimination",
    watched="elimination",
    regions=("converse", "converse-spikes"),
    cards=_cards,
    sketch=_SKETCH,
    exhibits=(
        *EXHIBITS,
        contrast(
            "On the **uniform** distribution every wrong parity errs on half of the points, so every example "
            "helps. On **spikes** (the shattered-set distribution) an example shows one bit or nothing, and "
            "$\\alpha d/a$ bits may be wrong.",
            learner="elimination",
            labels=("uniform", "spikes", "spikes(1)"),
            bits=(2, 4, 8, 16, 32, 64, 128, 256),
            trials=250,
        ),
    ),
    named=(("solves linear equations", ("elimination",)),),
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
