"""Parities from statistical queries: how many it takes, against examples of a private learner."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.style import RED
from privsc_core.draw.figures import axis_name
from privsc_core.draw.least import LeastM, least_m_traces
from privsc_core.draw.picture import plains, plot, setting
from privsc_core.draw.style import integer
from privsc_core.draw.traces import around, hover, joined, log_axis
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario

_SIZES = (2, 4, 6, 8, 12, 16, 24, 32, 48, 64)
_EXAMPLES = LeastM("examples, privately: elimination", "elimination", key="examples")


def query_limit(queries: int, d: int, tolerance: float) -> Fraction:
    """Return what success, averaged over the targets, so many queries allow on `uniform`.

    A query f in [0, 1] of point and label has the mean E g + <h, (-1)^{c_r}>, with h at most 1/2.
    Parseval: over all r the squares of the second part sum to at most 1/4, so that fewer than
    1/(4 tolerance^2) targets move the answer by more than the tolerance. An oracle that says E g
    to all others leaves them apart by the guess alone, which suits one.

    Parameters
    ----------
    queries : int
        Adaptive or not.
    d : int
        Bits.
    tolerance : float
        How far an answer may be off, in (0, 1/2).

    Returns
    -------
    Fraction
        min(1, (queries / (4 tolerance^2) + 1) / 2^d), exact.
    """
    limit: Fraction = (queries / _square(tolerance) + 1) / 2**d
    return min(Fraction(1), limit)


def least_queries(d: int, tolerance: float, success: float | Fraction) -> int:
    """Return the least number of queries whose limit reaches a success; see `query_limit`."""
    least: int = math.ceil(_square(tolerance) * (_exact(success) * 2**d - 1))
    return max(least, 0)


def queries_against_examples(scenario: Scenario, tolerance: float) -> Picture:
    """Draw over d the queries that no learner does without, and the examples of a private one.

    Raises
    ------
    InputError
        From alpha = 1/4 on, where one answer may be good for two parities.
    """
    if scenario.alpha >= 0.25:
        raise InputError(
            "alpha",
            "must be less than 1/4, so that one answer suits one parity only",
            scenario.alpha,
        )
    wanted = 1 - decimal(scenario.beta)
    sizes = sorted({*_SIZES, *((scenario.d,) if 2 <= scenario.d <= _SIZES[-1] else ())})
    queries = [least_queries(d, tolerance, wanted) for d in sizes]
    asked = "statistical queries, at least"
    examples = least_m_traces([_EXAMPLES], scenario, sizes)[0]
    data = [
        # None has no place on a logarithmic axis.
        joined(sizes, [q or None for q in queries], asked, RED, "circle", dash="dot", uid="queries")
        | hover("d = %{x}: at least %{y:,.0f} queries", asked),
        examples,
    ]
    place = min(range(len(sizes)), key=lambda i: abs(sizes[i] - scenario.d))
    words = (
        f"At d = {sizes[place]} no learner succeeds with fewer than {integer(queries[place])} "
        f"statistical queries of tolerance {tolerance:g}; private elimination needs "
        f"{integer(examples['y'][place])} examples."
    )
    return plot(
        data,
        log_axis((1.9, 70.0), axis_name("d", scenario)),
        log_axis((0.6, around(data, 3.0)[1]), "queries, or examples"),
        title="Statistical queries cannot",
        caption=f"Uniform points, {setting(scenario, 'epsilon', 'beta')}, tolerance τ = {tolerance:g}. "
        f"{words} Both are exact; the bound is ours, by Parseval.",
        summary=words,
        filename=f"privsc-parity-queries-tau{tolerance:g}",
        table={"d": sizes, "queries": queries, "m": plains(examples["y"])},
    )


def _square(tolerance: float) -> Fraction:
    return 4 * _exact(tolerance) ** 2


def _exact(value: float | Fraction) -> Fraction:
    return value if isinstance(value, Fraction) else decimal(value)
