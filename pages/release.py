"""The page of private data release."""

from typing import TYPE_CHECKING

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits import release
from pages.shared.frame import shell
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from privsc_core.draw.style import integer

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", scenario: "Scenario") -> tuple[shell.Card, ...]:
    pure, slack = numbers.learner("laplace"), numbers.learner("stability")
    lower = numbers.bound("packing-two" if scenario.constants == "sharp" else "theorem-7.2")
    return (
        shell.card(
            "Pure: impossible below", integer(lower.m), "for every ε-DP mechanism; grows with d",
            about=lower.name,
        ),
        shell.card(
            "Pure: Laplace", integer(pure.m), f"entries suffice on the database {scenario.law.name}; grows with d",
            about=pure.name,
        ),
        shell.card(
            "With δ: stability", integer(slack.m), f"entries suffice on the database {scenario.law.name}, at every d",
            about=slack.name,
        ),
    )  # fmt: skip


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<line x1="12" y1="60" x2="232" y2="60" stroke="#808a99" stroke-width="1.5"/>
<g fill="#808a99"><rect x="40" y="20" width="14" height="40"/><rect x="88" y="44" width="14" height="16"/>
<rect x="136" y="32" width="14" height="28"/><rect x="184" y="52" width="14" height="8"/></g>
<g stroke="#6a7b94" stroke-width="3"><line x1="34" y1="26" x2="60" y2="26"/>
<line x1="82" y1="40" x2="108" y2="40"/><line x1="130" y1="36" x2="156" y2="36"/>
<line x1="178" y1="54" x2="204" y2="54"/></g>
<g fill="#808a99" font-size="15" font-family="sans-serif" text-anchor="middle">
<text x="47" y="78">1</text><text x="191" y="80">2<tspan dy="-4" font-size="11">d</tspan></text></g></svg>
"""

PAGE = ClassPage(
    concept="release",
    slug="release",
    icon="📊",
    heading="Releasing data privately",
    claim=(
        "**Under pure privacy, counting how often each value occurs takes a database that grows with $d$,** but not "
        "under approximate privacy."
    ),
    summary=(
        "Answering all point queries takes a database that grows with $d$ under pure privacy; under approximate "
        "privacy, with $\\delta > 0$, it does not."
    ),
    learners=("laplace", "stability"),
    on_map="laplace",
    regions=("packing-two", "theorem-7.2"),
    controls=("d", "eps", "delta", "view"),
    cards=_cards,
    sketch=_SKETCH,
    named=(
        ("counting how often each value occurs", ("laplace",)),
        ("takes a database", ("packing-two", "theorem-7.2")),
        ("approximate privacy", ("stability",)),
    ),
    exhibits=release.EXHIBITS,
    watched="stability",
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
