"""The Half-spaces page: what the dimension costs, with examples or labels private."""

from typing import TYPE_CHECKING

from pages.exhibits import halfspace
from pages.shared.frame import shell
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from privsc_core.draw.style import integer, price

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", scenario: "Scenario") -> tuple[shell.Card, ...]:
    flat = scenario.law.name not in {"uniform", "sphere"}
    free, fast = (
        numbers.learner(n) for n in (("erm", "density") if flat else ("mean", "averaging"))
    )
    red = numbers.bound(
        "pair" if flat else "packing" if scenario.constants == "sharp" else "theorem-12"
    )
    green = numbers.bound("arcs" if flat else "density")
    return (
        shell.card("Without privacy", integer(free.m), "examples suffice", about=free.name),
        shell.card(
            "Impossible below",
            integer(red.m),
            "even with labels alone private",
            "bad",
            about=red.name,
        ),
        shell.card(
            "Labels private: arcs" if flat else "All private: density learner",
            integer(green.m),
            "guaranteed" if flat else "guaranteed; nobody can run it where n is large",
            "good",
            about=green.name,
        ),
        shell.card(
            "All private: " + ("density learner" if flat else "averaging"),
            integer(fast.m),
            price(fast.ratio, "among 2m arcs" if flat else "in time O(mn)"),
            "accent",
            about=fast.name,
        ),
    )


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<g stroke="#808a99" fill="none" stroke-width="1.5"><circle cx="120" cy="42" r="36"/>
<path d="M95 68 A36 36 0 0 1 145 16 Z" fill="#2f80d0" fill-opacity="0.25" stroke="none"/>
<line x1="86" y1="77" x2="154" y2="7" stroke="#2f80d0" stroke-width="3"/>
<line x1="120" y1="42" x2="98" y2="21" stroke="#2f80d0" stroke-width="2"/></g>
<g fill="#808a99" font-size="16" font-family="sans-serif"><text x="84" y="20">w</text>
<text x="166" y="34">1 where ⟨w, x⟩ ≥ 0</text></g></svg>
"""

PAGE = ClassPage(
    concept="halfspace",
    slug="halfspaces",
    icon="◐",
    heading="Learning a half-space, and private labels",
    claim=(
        "**Every dimension costs examples, even where only the labels are private.** The density learner "
        "pays for them linearly, and nobody can run it beyond a few dimensions; averaging with noise runs "
        "in every dimension, and pays more."
    ),
    summary=(
        "In many dimensions private learning of half-spaces costs more with each, hidden labels or hidden "
        "examples (Chaudhuri and Hsu 2011)."
    ),
    learners=("mean", "averaging", "density"),
    on_map="averaging",
    watched="averaging",
    cards=_cards,
    sketch=_SKETCH,
    exhibits=halfspace.EXHIBITS,
    named=(
        ("even where only the labels are private", ("packing", "pair")),
        ("density learner", ("density",)),
        ("averaging with noise", ("averaging",)),
    ),
)

if __name__ == "__main__":  # Streamlit runs a page so; whoever imports it wants PAGE alone
    show(PAGE)
