"""The page of 2-way marginals: noise on all answers at once, and what cannot be thrown away."""

from typing import TYPE_CHECKING

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits import marginals
from pages.shared.frame import shell
from pages.shared.page.class_page import show
from pages.shared.page.declaration import ClassPage
from privsc_core.draw.style import integer

if TYPE_CHECKING:
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


def _cards(numbers: "Numbers", _scenario: "Scenario") -> tuple[shell.Card, ...]:
    pure, noise, nearest = (numbers.learner(n) for n in ("laplace", "gauss", "projected"))
    words = nearest.remark
    if nearest.m:
        always = numbers.bound("projection")
        words = f"rows suffice; on every table at most {integer(always.m)}, and never more than noise alone"
    return (
        shell.card(
            "Pure: Laplace noise", integer(pure.m), "rows suffice; grows like d², as the ℓ₁ sensitivity",
            about=pure.name,
        ),
        shell.card(
            "With δ: Gaussian noise", integer(noise.m), "rows suffice; grows like d, as the ℓ₂ sensitivity",
            about=noise.name,
        ),
        shell.card("Gaussian noise, projected", integer(nearest.m), words, about=nearest.name),
    )  # fmt: skip


_SKETCH = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 84" width="240" height="84">
<ellipse cx="96" cy="42" rx="66" ry="30" fill="#0f9488" fill-opacity="0.18" stroke="#808a99" stroke-width="1.5"/>
<g stroke="#6a7b94" stroke-width="2" fill="none"><path d="M118 40 L196 22"/></g>
<g stroke="#0f9488" stroke-width="2" fill="none" stroke-dasharray="4 3"><path d="M196 22 L156 31"/></g>
<circle cx="118" cy="40" r="5" fill="#808a99"/><circle cx="196" cy="22" r="5" fill="#6a7b94"/>
<circle cx="156" cy="31" r="5" fill="#0f9488"/>
<g font-size="13" font-family="sans-serif" fill="#808a99"><text x="96" y="62" text-anchor="middle">possible</text>
<text x="204" y="18">noisy</text></g></svg>
"""

PAGE = ClassPage(
    concept="marginals",
    slug="marginals",
    icon="⊞",
    heading="Releasing all averages of pairs",
    claim=(
        "**The number of rows grows like $d^2$ with Laplace noise, like $d$ with Gaussian noise;** "
        "removing noise that no table could cause helps further."
    ),
    summary=(
        "To release the tables of all pairs of attributes, a mechanism adds noise to every answer. A projection then "
        "removes noise at no cost in privacy (Vadhan 2017, Theorem 7.7)."
    ),
    learners=("laplace", "gauss", "projected"),
    on_map="gauss",
    watched="projected",
    regions=("packing",),
    cards=_cards,
    sketch=_SKETCH,
    exhibits=marginals.EXHIBITS,
    named=(
        ("Laplace noise", ("laplace",)),
        ("Gaussian noise", ("gauss",)),
        ("removing noise that no table could cause", ("projected",)),
    ),
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes PAGE alone
    show(PAGE)
