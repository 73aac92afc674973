"""The price of a route: what suffices for conjunctions on every distribution, over d."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog, progress
from privsc_core.draw.figures import log_layout, plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import integer, number
from privsc_core.draw.traces import hover, joined
from privsc_core.evaluate.bounds import bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.evaluate.scenario import Scenario

__all__ = ["ROUTES", "exponents", "price_of_the_route", "routes"]

_SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
_FROM = 64  # bits; an exponent is that of a line from here to the last size
_SLACK = 1e-6
# Name of the bound, whose guarantee it is, in words, and of which learner its looks are.
ROUTES = (
    ("queries-laplace", "noisy counts, Laplace: polynomial time", "sq-laplace"),
    ("queries-gauss", "noisy counts, Gauss, with δ: polynomial time", "sq-gauss"),
    ("finite-class", "exponential mechanism: time 2ᵈ", "exponential"),
    ("untold", "without privacy: polynomial time", "erm"),
)
_EVERYBODY = "vc"
_RED = "#b3261e"


def routes(scenario: Scenario) -> dict[str, NDArray[np.float64]]:
    """Return the examples at every d, for every route and for the lower bound.

    NaN where a bound says nothing.
    """
    at = {"epsilon": scenario.epsilon, "alpha": scenario.alpha, "beta": scenario.beta}
    names = [*(name for name, *_ in ROUTES), _EVERYBODY]
    slack = scenario.delta or _SLACK
    return {
        name: np.asarray(
            bound(
                catalog.bound(scenario.concept, name), d=np.array(_SIZES),
                delta=slack if name in {"queries-gauss", _EVERYBODY} else 0.0, **at,
            ).m,
            dtype=np.float64,
        )
        for name in progress.steps(names)
    }  # fmt: skip


def exponents(found: dict[str, NDArray[np.float64]]) -> dict[str, float]:
    """Return how fast each grows with d, by a line through the last sizes on log axes."""
    late = np.array(_SIZES) >= _FROM
    size = np.log(np.array(_SIZES)[late])
    return {
        name: float(np.polyfit(size, np.log(m[late]), 1)[0]) if np.isfinite(m[late]).all() else math.nan
        for name, m in found.items()
    }  # fmt: skip


def price_of_the_route(scenario: Scenario) -> Picture:
    """Draw what each route is guaranteed to need, over d, beside what everybody needs."""
    found = routes(scenario)
    grows = exponents(found)
    concept = catalog.concept(scenario.concept)
    data = []
    for name, words, learner in ROUTES:
        style = concept.style_of(learner)
        line = f"{words}, about d^{grows[name]:.2f}"
        data.append(
            joined(_SIZES, found[name], line, style.colour, style.marker, dash=style.dash, uid=name)
            | hover("d = %{x:,}: m = %{y:,.0f} suffice", words)
        )
    everybody = f"no private learner with fewer, about d^{grows[_EVERYBODY]:.2f}"
    data.append(
        joined(_SIZES, found[_EVERYBODY], everybody, _RED, "line-ew", dash="dot", uid=_EVERYBODY)
        | hover("d = %{x:,}: every private learner needs m = %{y:,.0f}", "impossible with fewer")
    )
    last = {name: float(m[-1]) for name, m in found.items()}
    fast, once = last["queries-laplace"], last["finite-class"]
    words = (
        f"At d = {_SIZES[-1]:,} the counts with Laplace noise are guaranteed with {integer(fast)} examples, "
        f"with Gaussian noise {integer(last['queries-gauss'])}, the exponential mechanism with {integer(once)}: "
        f"{number(float(f'{fast / once:.3g}'))} times fewer, in time 2ᵈ."
    )
    values = np.concatenate(list(found.values()))
    values = values[np.isfinite(values)]
    span = 0.7 * float(values.min()), 1.5 * float(values.max())
    return Picture(
        figure={
            "data": data,
            "layout": log_layout("bits d", (0.9 * _SIZES[0], 1.12 * _SIZES[-1]), "examples m", span),
        },
        title="The price of the route",
        caption=(
            f"ε = {number(scenario.epsilon)}, α = {number(scenario.alpha)}, β = {number(scenario.beta)}, "
            f"δ = {number(scenario.delta or _SLACK)} for Gaussian noise and the dotted line. Guaranteed on every distribution; "
            f"bounds and constants ours. Exponents of d are fitted from {_FROM} to {_SIZES[-1]:,}. {words}"
        ),
        summary=words,
        filename=f"privsc-conjunction-route-eps{scenario.epsilon:g}",
        table={
            "route": [name for name in found for _ in _SIZES],
            "d": [d for _ in found for d in _SIZES],
            "m": plains(np.concatenate(list(found.values()))),
        },
    )  # fmt: skip
