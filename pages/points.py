"""The Points page: POINT_d."""

from typing import TYPE_CHECKING

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits import point
from pages.shared.frame import shell, tour
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from privsc_core.draw.style import integer, price

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", scenario: "Scenario") -> tuple[shell.Card, ...]:
    sharp = scenario.constants == "sharp"
    free, proper, improper = (numbers.learner(n) for n in ("erm", "exponential", "hash"))
    lower = numbers.strongest(*(("packing-two", "nonprivate-proper") if sharp else ("lemma-3.9",)))
    upper = numbers.bound("finite-class" if sharp else "theorem-3.2")
    hashed = numbers.bound("hash")
    return (
        shell.card(
            "Without privacy",
            integer(free.m),
            "examples suffice" + (", at every d" if not scenario.silent else " here"),
            about=free.name,
        ),
        shell.card(
            "Proper: impossible below",
            integer(lower.m),
            "for every proper ε-DP learner"
            + ("; grows with d" if not scenario.silent else " on the hard distribution"),
            about=lower.name,
        ),
        shell.card(
            "Improper: hash learner",
            integer(improper.m),
            price(
                improper.ratio,
                "does not grow with d",
                f"guaranteed at {integer(hashed.m)}, at its best t",
            ),
            about=improper.name,
        ),
        shell.card(
            "Proper: exponential",
            integer(proper.m),
            price(proper.ratio, f"guaranteed at {integer(upper.m)}"),
            about=proper.name,
        ),
    )


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<g stroke="#808a99" fill="#808a99" stroke-width="1.5">
<line x1="12" y1="56" x2="232" y2="56"/>
<g>
<circle cx="24" cy="56" r="3"/><circle cx="48" cy="56" r="3"/><circle cx="72" cy="56" r="3"/>
<circle cx="96" cy="56" r="3"/><circle cx="120" cy="56" r="3"/><circle cx="168" cy="56" r="3"/>
<circle cx="192" cy="56" r="3"/><circle cx="216" cy="56" r="3"/></g>
<line x1="144" y1="56" x2="144" y2="18" stroke="#6a7b94" stroke-width="3"/>
<circle cx="144" cy="16" r="5" fill="#6a7b94" stroke="none"/></g>
<g fill="#808a99" font-size="16" font-family="sans-serif" text-anchor="middle">
<text x="24" y="77">1</text><text x="144" y="77">j</text><text x="216" y="77">2<tspan dy="-4" font-size="12">d</tspan></text>
<text x="166" y="20">c<tspan dy="3" font-size="12">j</tspan></text></g></svg>
"""

_TOUR = (
    tour.Step(
        title="The question",
        text="How many labelled examples does it take to learn one point out of 2ᵈ? Here d is {=d}. "
        "Without privacy {erm} are enough. This page shows what privacy adds to that.",
        at=tour.CLAIM,
        lights="erm",
    ),
    tour.Step(
        title="The curve",
        text="Each curve shows how often one learner succeeds with m examples. Where the curve meets the dotted line "
        "the learner succeeds often enough, and the figure shows this m. This learner, the exponential mechanism, is "
        "private and answers with a point.",
        at=tour.FIGURE,
        lights="exponential",
    ),
    tour.Step(
        title="The slider",
        text="Now drag d: the figure follows. The number at this curve grows with d; now d is {=d}. Without privacy "
        "{erm} examples suffice.",
        at=tour.control("d"),
        lights="exponential erm",
    ),
    tour.Step(
        title="The red edge",
        text="This is a theorem: with fewer than {packing-two lemma-3.9} examples no purely "
        "private learner that answers with a point (a proper one) succeeds often enough for every "
        "target. The red area is about proper, purely private learners only.",
        at=tour.FIGURE,
        lights="packing-two lemma-3.9",
    ),
    tour.Step(
        title="The escape",
        text="The hash learner is purely private too, but may answer with a larger set of points (it is improper). "
        "It needs {hash} examples, and this number does not depend on d. See for yourself why a proper learner with "
        "pure privacy cannot do that.",
        at=tour.card("hash"),
        lights="hash",
        opens="why",
        action="Try it: a box for every target",
    ),
)

PAGE = ClassPage(
    concept="point",
    slug="points",
    icon="🎯",
    heading="Learning one point privately",
    claim=(
        "**Pure privacy makes the number of examples grow with $d$** for learners that must answer with "
        "a point, but not for others."
    ),
    summary=(
        "Proper ε-DP learning of one point of $2^d$ needs a number of examples that grows with $d$ (Beimel, Brenner, "
        "Kasiviswanathan and Nissim 2013). Improper learning does not."
    ),
    learners=("erm", "exponential", "hash"),
    slack=0.0,
    on_map="exponential",
    before={"learners": ("erm", "exponential", "representation", "hash")},
    regions=("packing-two", "lemma-3.9"),
    cards=_cards,
    sketch=_SKETCH,
    exhibits=point.EXHIBITS,
    named=(
        ("Pure privacy makes the number of examples grow", ("packing-two", "lemma-3.9")),
        ("must answer with a point", ("exponential",)),
        ("others", ("hash",)),
    ),
    tour=_TOUR,
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
