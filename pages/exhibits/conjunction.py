"""The exhibit of conjunctions: the price of the route."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit
from privsc_core.exhibits.conjunction import price_of_the_route

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.evaluate.scenario import Scenario


def _route(scenario: Scenario, _values: Values) -> None:
    exhibit.draw(exhibit.computed(price_of_the_route, scenario), "route", 420)


_ROUTE = Exhibit(
    name="route",
    title="The price of the route",
    claim="**The fast private learners here cost a factor of about d, or of √d with a slack δ.** Each "
    "example affects all d counts, so every count needs noise of scale d/ε. What is guaranteed for noisy counts grows "
    "with $d^2$, with Gaussian noise with $d^{1.5}$, up to logarithms. The exponential mechanism needs about $d$ "
    "examples, but goes through all $2^d$ conjunctions. We know of no proof that fast private learners must pay "
    "this: a fast private learner of parities needs about $d$ examples.",
    label="Compare the routes over d",
    fields=(),
    draw=_route,
)

EXHIBITS = (_ROUTE,)
