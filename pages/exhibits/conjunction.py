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
    title="What a fast learner costs",
    claim="**The fast private learners here need about d times as many examples, or √d times with δ > 0.** Each "
    "example affects all d counts, so every count needs noise of scale d/ε. The guaranteed number of examples grows "
    "like $d^2$ for Laplace noise and like $d^{1.5}$ for Gaussian noise, up to logarithms. The exponential mechanism "
    "needs about $d$ examples, but goes through all $2^d$ conjunctions. We know of no proof that a fast private "
    "learner must need so many: for parities, a fast private learner needs about $d$ examples.",
    label="Compare the learners over d",
    fields=(),
    draw=_route,
)

EXHIBITS = (_ROUTE,)
