"""The Lines page: lines modulo p, whose dimensions are all 2 while pure privacy pays log p."""

from typing import TYPE_CHECKING

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits import line
from pages.shared.exhibits.contrast import contrast
from pages.shared.frame import shell
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from pages.shared.state.fields import Family
from privsc_core.draw.style import integer, price
from privsc_core.numerics.text import small

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", scenario: "Scenario") -> tuple[shell.Card, ...]:
    free, proper, voted = (numbers.learner(name) for name in ("erm", "exponential", "vote"))
    of_anyone = ("blind-guess", "littlestone", "nonprivate")
    anyone, packing = numbers.strongest(*of_anyone), numbers.strongest("packing", *of_anyone)
    enough = numbers.bound("vote")
    # On other distributions than they are proved on, learners may need less.
    where, there = ("" if row.here else " on spread" for row in (anyone, packing))
    slack = small(scenario.delta) if scenario.delta else "10⁻⁶"
    promise = f"guaranteed at {integer(enough.m)}, at every p"
    if enough.m is None:
        promise = "nothing is guaranteed at this ε and δ"
    return (
        shell.card(
            "Without privacy", integer(free.m), "examples suffice, at every p", about=free.name
        ),
        shell.card(
            "Pure privacy: impossible below",
            integer(anyone.m),
            f"for every ε-DP learner, proper or not{where}; grows with log p",
            about=anyone.name,
        ),
        shell.card(
            f"With δ = {slack}: vote",
            integer(voted.m),
            price(voted.ratio, promise),
            about=voted.name,
        ),
        shell.card(
            "Pure and proper",
            integer(proper.m),
            price(proper.ratio, f"impossible below {integer(packing.m)}{there}"),
            about=proper.name,
        ),
    )


# The line y = 2x modulo 7: dots are dashes of no length.
_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<path d="M72 78h97M72 66h97M72 54h97M72 42h97M72 30h97M72 18h97M72 6h97" stroke="#808a99" stroke-opacity="0.45" stroke-width="5" stroke-linecap="round"
 stroke-dasharray="0 16"/>
<g fill="#6a7b94">
<circle cx="72" cy="78" r="4.5"/><circle cx="88" cy="54" r="4.5"/>
<circle cx="104" cy="30" r="4.5"/><circle cx="120" cy="6" r="4.5"/>
<circle cx="136" cy="66" r="4.5"/><circle cx="152" cy="42" r="4.5"/>
<circle cx="168" cy="18" r="4.5"/></g></svg>
"""

PAGE = ClassPage(
    concept="line",
    slug="lines",
    icon="📐",
    heading="Learning a line modulo p",
    claim=(
        "**Pure privacy makes the number of examples grow with $\\log p$,** although the Littlestone "
        "dimension is 2; approximate privacy does not."
    ),
    summary=(
        "Lines modulo p have VC and Littlestone dimension 2. Every purely private learner needs a number of examples "
        "that grows with log p. Under approximate privacy, with δ > 0, a constant number is enough (Feldman and Xiao "
        "2014)."
    ),
    learners=("erm", "exponential", "vote"),
    on_map="erm",
    watched="vote",
    regions=("blind-guess",),
    controls=("d", "eps", "delta", "view"),
    cards=_cards,
    sketch=_SKETCH,
    exhibits=(
        *line.EXHIBITS,
        contrast(
            "**Spread**: the $p$ points of the target share a mass just above $\\alpha$ evenly, so each of them is "
            "rare. **Anchor**: one point of the target has mass $1-\\alpha$ and is soon known. Then only $p$ of the "
            "$p^2$ lines are left, and the logarithm of their number is halved.",
            learner="exponential",
            labels=("spread", "anchor"),
            bits=(41, 64, 128, 256, 512, 1024),
            trials=250,
        ),
    ),
    family=Family(
        name="prime",
        label="p: which prime",
        members=(
            ("largest", "the largest up to 2ᵈ"),
            *((str(p), str(p)) for p in (5, 31, 101, 257, 9973)),
        ),
    ),
    named=(
        ("Pure privacy makes the number of examples grow", ("blind-guess",)),
        ("approximate privacy", ("vote",)),
    ),
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
