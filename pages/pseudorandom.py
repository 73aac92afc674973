"""The page of pseudorandom points."""

from typing import TYPE_CHECKING

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits import pseudorandom
from pages.shared.frame import shell
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from pages.shared.state.fields import MEMBER, Family
from privsc_core.draw.style import integer, price

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", scenario: "Scenario") -> tuple[shell.Card, ...]:
    free, relaxed, proper = (
        numbers.learner(n) for n in ("erm", "exponential-relaxed", "exponential-proper")
    )
    lower = numbers.bound("packing-two-relaxed")
    where = "" if not scenario.silent else " on the hard distribution"
    return (
        shell.card(
            "Efficient: impossible below",
            integer(lower.m),
            f"for learners that answer with a point, if the generator is secure{where}",
            about=lower.name,
        ),
        shell.card(
            "Inefficient: images only",
            integer(proper.m),
            price(proper.ratio, "time 2ˡ"),
            about=proper.name,
        ),
        shell.card(
            "Efficient: any point",
            integer(relaxed.m),
            price(relaxed.ratio, "grows with d"),
            about=relaxed.name,
        ),
        shell.card(
            "Without privacy",
            integer(free.m),
            "examples suffice, efficiently",
            about=free.name,
        ),
    )


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<g stroke="#808a99" fill="#808a99" stroke-width="1.5">
<line x1="12" y1="60" x2="232" y2="60"/>
<g><circle cx="24" cy="60" r="3"/><circle cx="48" cy="60" r="3"/><circle cx="72" cy="60" r="3"/>
<circle cx="96" cy="60" r="3"/><circle cx="120" cy="60" r="3"/><circle cx="144" cy="60" r="3"/>
<circle cx="168" cy="60" r="3"/><circle cx="192" cy="60" r="3"/><circle cx="216" cy="60" r="3"/></g>
<g fill="none" stroke="#6a7b94" stroke-width="2">
<path d="M96 18 L48 56"/><path d="M120 18 L168 56"/><path d="M144 18 L192 56"/></g>
<g fill="#6a7b94" stroke="none"><circle cx="96" cy="16" r="4"/><circle cx="120" cy="16" r="4"/>
<circle cx="144" cy="16" r="4"/><circle cx="48" cy="60" r="5"/><circle cx="168" cy="60" r="5"/>
<circle cx="192" cy="60" r="5"/></g></g>
<g fill="#808a99" font-size="15" font-family="sans-serif" text-anchor="middle">
<text x="184" y="22">2<tspan dy="-4" font-size="11">l</tspan><tspan dy="4"> seeds</tspan></text>
<text x="216" y="80">2<tspan dy="-4" font-size="11">d</tspan></text>
<text x="24" y="80">1</text></g></svg>
"""

PAGE = ClassPage(
    concept="pseudorandom-point",
    slug="pseudorandom",
    icon="🎲",
    heading="Learning pseudorandom points privately",
    claim=(
        "**Under pure privacy, an efficient learner that answers with a point needs more examples than a slow one,** "
        "if the pseudorandom generator is secure."
    ),
    summary=(
        "If the generator is secure, a purely private learner that answers with a point needs much time or many "
        "examples; a learner without privacy needs neither."
    ),
    learners=("erm", "exponential-relaxed", "exponential-proper"),
    on_map="exponential-proper",
    regions=("packing-two-relaxed",),
    controls=("d", "eps", MEMBER, "view"),
    cards=_cards,
    sketch=_SKETCH,
    named=(
        ("an efficient learner", ("exponential-relaxed",)),
        ("a slow one", ("exponential-proper",)),
    ),
    family=Family(
        name="length of seeds",
        label="**l**: bits of the seeds",
        members=(
            ("sqrt", "grows as √d"),
            ("log2", "grows as log² d"),
            ("4log", "grows as 4 log d"),
            *((str(bits), f"{bits}, whatever d is") for bits in (4, 8, 12, 16, 24, 32, 48, 64)),
        ),
    ),
    exhibits=pseudorandom.EXHIBITS,
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
