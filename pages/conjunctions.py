"""The Conjunctions page: which bits must be 1, by noisy counts or by all concepts at once."""

from typing import TYPE_CHECKING

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits import conjunction
from pages.shared.exhibits.contrast import contrast
from pages.shared.frame import shell
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from privsc_core.draw.style import integer, price

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", _scenario: "Scenario") -> tuple[shell.Card, ...]:
    free, every, fast = (numbers.learner(n) for n in ("erm", "exponential", "sq-laplace"))
    red = numbers.bound("converse-spikes")
    lawless = "" if every.m else f"{every.remark.removesuffix('.')}; "
    green, everywhere = numbers.bound("finite-class"), numbers.bound("untold")
    return (
        shell.card(
            "Without privacy",
            integer(free.m),
            f"examples suffice; guaranteed on every distribution at {integer(everywhere.m)}",
            about=free.name,
        ),
        shell.card(
            "Private: exponential mechanism",
            integer(every.m),
            price(every.ratio, f"{lawless}guaranteed at {integer(green.m)}; goes through all 2ᵈ"),
            about=every.name,
        ),
        shell.card(
            "Private and fast: noisy queries",
            integer(fast.m),
            price(fast.ratio, "in polynomial time"),
            about=fast.name,
        ),
        shell.card(
            "Impossible below",
            integer(red.m),
            f"for every private learner, on average over the targets{'' if red.here else ' of spikes'}",
            about=red.name,
        ),
    )


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<g font-size="16" font-family="monospace" text-anchor="middle" fill="#808a99">
<g fill="#6a7b94" fill-opacity="0.25"><rect x="20" y="8" width="24" height="54" rx="5"/>
<rect x="68" y="8" width="24" height="54" rx="5"/><rect x="92" y="8" width="24" height="54" rx="5"/></g>
<text x="32" y="28">1</text><text x="56" y="28">0</text><text x="80" y="28">1</text>
<text x="104" y="28">1</text><text x="128" y="28">0</text><text x="176" y="28">→ 1</text>
<text x="32" y="54">1</text><text x="56" y="54">1</text><text x="80" y="54">0</text>
<text x="104" y="54">1</text><text x="128" y="54">1</text><text x="176" y="54">→ 0</text>
<text x="120" y="79" font-size="13" font-family="sans-serif">1 if all bits that S picks are 1</text></g></svg>
"""

PAGE = ClassPage(
    concept="conjunction",
    slug="conjunctions",
    icon="∧",
    heading="Learning a conjunction",
    claim=(
        "**Adding noise to $d$ counts learns a conjunction privately and fast,** but takes about $d$ "
        "times as many examples as the slow exponential mechanism."
    ),
    summary=(
        "Counting for each bit, with noise, learns a conjunction privately in polynomial time. The exponential "
        "mechanism over all $2^d$ conjunctions needs fewer examples (after Kasiviswanathan et al. 2011)."
    ),
    learners=("erm", "exponential", "sq-laplace"),
    on_map="exponential",
    watched="exponential",
    regions=("converse-spikes",),
    cards=_cards,
    sketch=_SKETCH,
    exhibits=(
        *conjunction.EXHIBITS,
        contrast(
            "On **spikes** (the shattered-set distribution) an example shows one literal or nothing. On **product** "
            "the bits are independent and half of the examples are positive. A positive example shows something "
            "about every bit. But a learner succeeds only if hardly any of the $d$ noisy counts is wrong.",
            learner="sq-laplace",
            labels=("spikes", "product"),
            bits=(4, 8, 16, 32, 64, 128),
            trials=250,
        ),
    ),
    named=(("Adding noise", ("sq-laplace",)), ("exponential mechanism", ("exponential",))),
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
