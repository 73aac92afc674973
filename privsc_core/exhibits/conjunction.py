"""The price of a route: what suffices for conjunctions on every distribution, over d."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.draw.least import LeastM, least_m_plot, least_m_traces
from privsc_core.draw.picture import plains, setting
from privsc_core.draw.style import integer, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.draw.picture import Picture
    from privsc_core.draw.traces import Trace
    from privsc_core.evaluate.scenario import Scenario


SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
_FROM = 64  # bits; an exponent is that of a line from here to the last size
_SLACK = 1e-6
# Three guarantees of learners, what suffices without privacy, and what every private learner needs.
_ROUTES = (
    LeastM("noisy counts, Laplace: polynomial time", "sq-laplace", "queries-laplace"),
    LeastM("noisy counts, Gauss, with δ: polynomial time", "sq-gauss", "queries-gauss"),
    LeastM("exponential mechanism: time 2ᵈ", "exponential", "finite-class"),
    LeastM("without privacy: polynomial time", "erm", "untold"),
    LeastM("no private learner with fewer", "", "vc"),
)
_WITH_SLACK = {"queries-gauss", "vc"}


def routes(scenario: Scenario) -> list[Trace]:
    """Return the curve over d for every route and for the lower bound.

    NaN where a bound says nothing.
    """
    slack = scenario.delta or _SLACK
    curves = [
        replace(one, delta=slack * (one.bound in _WITH_SLACK), says=f"m = %{{y:,.0f}} {says}")
        for one, says in zip(
            _ROUTES, (*["suffice"] * 4, "are needed by private learners"), strict=True
        )
    ]
    return least_m_traces(curves, scenario, SIZES)


def exponent(m: NDArray[np.float64]) -> float:
    """Return how fast numbers grow with d, by a line through the last sizes on log axes."""
    late = np.array(SIZES) >= _FROM
    if not np.isfinite(m[late]).all():
        return math.nan
    return float(np.polyfit(np.log(np.array(SIZES)[late]), np.log(m[late]), 1)[0])


def price_of_the_route(scenario: Scenario) -> Picture:
    """Draw what each route is guaranteed to need, over d, beside what everybody needs."""
    data = [
        one | {"name": f"{one['name']}, about d^{exponent(one['y']):.2f}"}
        for one in routes(scenario)
    ]
    fast, gauss, once, *_ = (float(one["y"][-1]) for one in data)
    words = (
        f"At d = {SIZES[-1]:,} the counts with Laplace noise are guaranteed with {integer(fast)} "
        f"examples, with Gaussian noise {integer(gauss)}, the exponential mechanism with "
        f"{integer(once)}: {number(float(f'{fast / once:.3g}'))} times fewer, in time 2ᵈ."
    )
    return least_m_plot(
        data,
        scenario,
        up="examples m",
        title="What a fast learner costs",
        caption=(
            f"{setting(scenario, 'epsilon', 'alpha', 'beta')}, δ = {number(scenario.delta or _SLACK)} "
            "for Gaussian noise and the red line. Guaranteed on every distribution; bounds and "
            f"constants ours. Exponents of d are fitted from {_FROM} to {SIZES[-1]:,}. {words}"
        ),
        summary=words,
        filename=f"privsc-conjunction-route-eps{scenario.epsilon:g}",
        table={
            "route": [one["uid"] for one in data for _ in SIZES],
            "d": [*SIZES] * len(data),
            "m": [m for one in data for m in plains(one["y"])],
        },
    )
