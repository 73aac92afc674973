"""The page of thresholds on 2^d points, INTERVAL_d."""

from typing import TYPE_CHECKING

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits import interval, interval_slack
from pages.shared.exhibits.contrast import contrast
from pages.shared.frame import shell
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from privsc_core.draw.style import integer, price

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", scenario: "Scenario") -> tuple[shell.Card, ...]:
    sharp = scenario.constants == "sharp"
    free, proper = (numbers.learner(n) for n in ("erm", "exponential"))
    anyone = ("labels", "littlestone", "nonprivate") if sharp else ("corollary-4.3",)
    any_lower = numbers.strongest(*anyone)
    lower = numbers.strongest(*(("packing-two", *anyone) if sharp else ("lemma-5.2", *anyone)))
    upper = numbers.bound("finite-class" if sharp else "theorem-3.2")
    where = "; grows with d" if not scenario.silent else " on the hard distribution"
    # At small d two thresholds cost most, whatever d is.
    later = (
        "; at larger d it grows" if any_lower.name == "labels" and not scenario.silent else where
    )
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
            "for every ε-DP learner, proper or not" + later,
            about=any_lower.name,
        ),
        shell.card(
            "Proper: exponential",
            integer(proper.m),
            price(proper.ratio, f"guaranteed at {integer(upper.m)}"),
            about=proper.name,
        ),
        shell.card(
            "Proper: impossible below",
            integer(lower.m),
            "for every proper ε-DP learner" + where,
            about=lower.name,
        ),
    )


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<g stroke="#808a99" fill="#808a99" stroke-width="1.5">
<line x1="12" y1="56" x2="232" y2="56"/>
<g><circle cx="24" cy="18" r="3" fill="#6a7b94" stroke="none"/>
<circle cx="48" cy="18" r="3" fill="#6a7b94" stroke="none"/>
<circle cx="72" cy="18" r="3" fill="#6a7b94" stroke="none"/>
<circle cx="96" cy="18" r="3" fill="#6a7b94" stroke="none"/>
<circle cx="120" cy="18" r="3" fill="#6a7b94" stroke="none"/>
<circle cx="144" cy="56" r="3"/><circle cx="168" cy="56" r="3"/>
<circle cx="192" cy="56" r="3"/><circle cx="216" cy="56" r="3"/></g>
<path d="M12 18 H132 V56 H232" fill="none" stroke="#6a7b94" stroke-width="3"/></g>
<g fill="#808a99" font-size="16" font-family="sans-serif" text-anchor="middle">
<text x="24" y="77">1</text><text x="144" y="77">j</text>
<text x="216" y="77">2<tspan dy="-4" font-size="12">d</tspan></text>
<text x="160" y="24">c<tspan dy="3" font-size="12">j</tspan></text></g></svg>
"""

PAGE = ClassPage(
    concept="interval",
    slug="intervals",
    icon="📏",
    heading="Thresholds on 2ᵈ points",
    claim=(
        "**Pure privacy makes the number of examples grow with $d$**, whatever hypotheses a learner may answer with; "
        "without privacy it does not."
    ),
    summary=(
        "For thresholds on $2^d$ points every purely private learner needs a number of examples that grows "
        "with $d$, proper or not (Feldman and Xiao 2014)."
    ),
    learners=("erm", "exponential"),
    on_map="exponential",
    regions=("littlestone", "corollary-4.3"),
    cards=_cards,
    sketch=_SKETCH,
    exhibits=(
        contrast(
            "The lower bounds are about the worst distribution. On the **hard** one the exponential mechanism needs "
            "a number of examples that grows with *d*. On a **band** of w points the number grows too, more slowly "
            "for a wider band. On the **uniform** one *d* drops out, because every threshold near the step is "
            "accurate.",
            learner="exponential",
            labels=("hard", "band", "band(4096)", "uniform"),
            bits=(8, 16, 32, 64, 128, 256, 512, 1024),
            trials=250,
        ),
        *interval.EXHIBITS,
        *interval_slack.EXHIBITS,
    ),
    named=(
        ("Pure privacy makes the number of examples grow", ("littlestone", "corollary-4.3")),
        ("without privacy", ("erm",)),
    ),
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
