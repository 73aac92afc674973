"""The Intervals page: INTERVAL_d."""

from typing import TYPE_CHECKING

from pages.exhibits import interval
from pages.shared.exhibits.contrast import contrast
from pages.shared.frame import shell
from pages.shared.page.class_page import ClassPage, show
from privsc_core.draw.style import integer, price

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", scenario: "Scenario") -> tuple[shell.Card, ...]:
    sharp = scenario.constants == "sharp"
    free, proper = (numbers.learner(n) for n in ("erm", "exponential"))
    any_lower = numbers.bound("littlestone" if sharp else "corollary-4.3")
    lower = numbers.bound("packing-two" if sharp else "lemma-5.2")
    upper = numbers.bound("finite-class" if sharp else "theorem-3.2")
    where = "; grows with d" if not scenario.silent else " on the hard distribution"
    return (
        shell.card(
            "Without privacy",
            integer(free.m),
            "examples suffice" + (", at every d" if not scenario.silent else " here"),
            about=free.name,
        ),
        shell.card(
            "Any: impossible below",
            integer(any_lower.m),
            "for every ε-DP learner, proper or not" + where,
            "bad",
            about=any_lower.name,
        ),
        shell.card(
            "Proper: impossible below",
            integer(lower.m),
            "for every proper ε-DP learner" + where,
            "bad",
            about=lower.name,
        ),
        shell.card(
            "Proper: exponential",
            integer(proper.m),
            price(proper.ratio, f"guaranteed at {integer(upper.m)}"),
            "accent",
            about=proper.name,
        ),
    )


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<g stroke="#808a99" fill="#808a99" stroke-width="1.5">
<line x1="12" y1="56" x2="232" y2="56"/>
<g><circle cx="24" cy="18" r="3" fill="#2f80d0" stroke="none"/>
<circle cx="48" cy="18" r="3" fill="#2f80d0" stroke="none"/>
<circle cx="72" cy="18" r="3" fill="#2f80d0" stroke="none"/>
<circle cx="96" cy="18" r="3" fill="#2f80d0" stroke="none"/>
<circle cx="120" cy="18" r="3" fill="#2f80d0" stroke="none"/>
<circle cx="144" cy="56" r="3"/><circle cx="168" cy="56" r="3"/>
<circle cx="192" cy="56" r="3"/><circle cx="216" cy="56" r="3"/></g>
<path d="M12 18 H132 V56 H232" fill="none" stroke="#2f80d0" stroke-width="3"/></g>
<g fill="#808a99" font-size="16" font-family="sans-serif" text-anchor="middle">
<text x="24" y="77">1</text><text x="144" y="77">j</text>
<text x="216" y="77">2<tspan dy="-4" font-size="12">d</tspan></text>
<text x="160" y="24">c<tspan dy="3" font-size="12">j</tspan></text></g></svg>
"""

_SLIPS = (
    "Lemma 5.2 is stated as Ω((d + (1/β))/ε): the proof gives log(1/β) in place of 1/β.",
    (
        "Theorem 5.8 bounds the failure of the reconstruction by 8μ; with both sides long it is "
        "exactly 1-(1-2μ)², about 4μ."
    ),
    (
        "Theorem 5.8, step (8), conditions on an event that includes the outer learner's success, "
        "which biases the noise, so “= μ” does not follow. Repair: μ does not depend on the "
        "distribution, so take the uniform one."
    ),
    (
        "Theorem 5.4 asks for a two-sided deviation of α' from about 1/α' samples, which VC theory "
        "does not give; only “empirical error at most 3α' implies error at most 4α'” is needed. "
        "Its last paragraph must read 2^o(d) switching points and an (α/4, β/6) inner learner."
    ),
    (
        "Theorem 5.4 only ever picks decreasing switching points, so about half of SWITCH(h) "
        "suffices."
    ),
)

PAGE = ClassPage(
    concept="interval",
    slug="intervals",
    icon="📏",
    heading="Learning a threshold privately",
    claim=(
        "**For thresholds no purely private learner escapes the size of the domain:** the number of "
        "examples grows linearly with *d*, for proper and improper learners alike. The noise "
        "that hides a point hides no threshold."
    ),
    summary=(
        "For thresholds every pure private learner pays for $d$, proper or not (Feldman and Xiao "
        "2014), and the noise that hides a point hides nothing."
    ),
    learners=("erm", "exponential"),
    on_map="exponential",
    cards=_cards,
    sketch=_SKETCH,
    slips=_SLIPS,
    named=(("no purely private learner escapes", ("littlestone", "corollary-4.3")),),
    exhibits=(
        contrast(
            "The bounds speak of the worst distribution. The same private learner needs a "
            "number of examples that grows with *d* on the **hard** one; on a **band** of w "
            "points it grows too, and less for a wider band; on the **uniform** one *d* drops out, "
            "because every threshold near the step is accurate.",
            learner="exponential",
            labels=("hard", "band", "band(4096)", "uniform"),
            bits=(8, 16, 32, 64, 128, 256, 512, 1024),
            trials=250,
        ),
        *interval.EXHIBITS,
    ),
)

if __name__ == "__main__":  # Streamlit runs a page so; whoever imports it wants PAGE alone
    show(PAGE)
