"""The Thresholds page: thresholds on [0, 1] under smooth distributions, and private labels."""

from typing import TYPE_CHECKING

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits import threshold
from pages.shared.exhibits.contrast import contrast
from pages.shared.frame import shell
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from pages.shared.state.fields import MEMBER, Family
from privsc_core.draw.style import integer, price

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", scenario: "Scenario") -> tuple[shell.Card, ...]:
    sharp = scenario.constants == "sharp"
    free, label, full = (numbers.learner(n) for n in ("erm", "noisy-count", "density"))
    any_label, upper = numbers.bound("pair"), numbers.bound("density")
    blind = numbers.strongest(*(("packing-two", "pair") if sharp else ("theorem-5",)))
    where = "; grows with b" if not scenario.silent else " on the window"
    return (
        shell.card(
            "Without privacy", integer(free.m), "examples suffice, at every b", about=free.name
        ),
        shell.card(
            "Labels private: noisy count",
            integer(label.m),
            price(label.ratio, f"impossible below {integer(any_label.m)}, at every b"),
            about=label.name,
        ),
        shell.card(
            "All private: impossible below",
            integer(blind.m),
            "for every proper ε-DP learner that does not know where the data are dense" + where,
            about=blind.name,
        ),
        shell.card(
            "All private: density learner",
            integer(full.m),
            price(full.ratio, f"guaranteed at {integer(upper.m)}"),
            about=full.name,
        ),
    )


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<g stroke="#808a99" fill="#808a99" stroke-width="1.5">
<line x1="12" y1="62" x2="232" y2="62"/>
<path d="M12 62 V56 H108 V40 H132 V56 H232 V62" fill="#cc6699" fill-opacity="0.35" stroke="none"/>
<path d="M12 18 H120 V62 H232" fill="none" stroke="#6a7b94" stroke-width="3"/></g>
<g fill="#808a99" font-size="16" font-family="sans-serif" text-anchor="middle">
<text x="16" y="80">0</text><text x="120" y="80">s</text><text x="228" y="80">1</text>
<text x="150" y="30">h<tspan dy="3" font-size="12">s</tspan></text></g></svg>
"""

PAGE = ClassPage(
    concept="threshold",
    slug="thresholds",
    icon="🔎",
    heading="Thresholds on [0, 1]",
    claim=(
        "**Under pure privacy, protecting whole examples costs more examples as the resolution $b$ of the "
        "data grows;** protecting only the labels does not."
    ),
    summary=(
        "On [0, 1] the cost of pure privacy grows with the resolution of the data (Chaudhuri and Hsu 2011). It does "
        "not grow if only the labels are private, or if the learner knows where the data are dense."
    ),
    learners=("erm", "density", "noisy-count"),
    on_map="noisy-count",
    watched="density",
    regions=("packing-two", "theorem-5"),
    controls=("d", "eps", MEMBER, "view"),
    cards=_cards,
    sketch=_SKETCH,
    exhibits=(
        *threshold.EXHIBITS,
        contrast(
            "The hardest distribution here is the **window**: density 2ᵇ and mass 2α around the target. With **mass "
            "½**, as in the paper, more examples lie in the window, and it is easier to find. On the **uniform** "
            "distribution *b* does not matter.",
            learner="density",
            labels=("window", "window(0.5)", "uniform"),
            bits=(2, 4, 8, 16, 32, 64, 128, 256, 512, 1024),
            trials=250,
        ),
    ),
    family=Family(
        name="bits of the reference",
        label="r: bits of the data's distribution that the learner knows",
        members=(
            ("0", "none (r = 0)"),
            ("4", "4 bits"),
            ("8", "8 bits"),
            ("half", "half of them"),
            ("all", "the distribution itself (r = b)"),
        ),
    ),
    named=(
        ("protecting whole examples costs more examples", ("packing-two", "theorem-5")),
        ("protecting only the labels", ("noisy-count",)),
    ),
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
