"""The circle of normals: 2m arcs, as far out as they make mistakes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.style import RED
from privsc_core.concepts.halfspace.hypotheses import Arcs, HalfPlane, inside, place, turn
from privsc_core.draw.picture import Picture
from privsc_core.draw.traces import AMBER, BLUE, GREEN, GREY, axis, below, hover, line, marks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.evaluate.scenario import Scenario

__all__ = ["LEARNERS", "the_circle"]

LEARNERS = {"density": "all private", "arcs": "labels private", "erm": "no privacy"}
_EXAMPLES_MOST = 60
_STEP = math.pi / 90.0
_REACH = 0.75
# The top, at the target, has few mistakes.
_TALL = (-1.85, 1.35)


def the_circle(scenario: Scenario, who: str, number: int) -> Picture:
    """Draw the mistakes of every normal on one sample of the circle, and the normal drawn."""
    learner = catalog.learner(scenario.concept, who)
    law = catalog.distribution(scenario.concept, "circle")
    m = min(scenario.m, _EXAMPLES_MOST)
    rng = np.random.default_rng([scenario.seed, number])
    sample = law.draw(m=m, d=2, alpha=scenario.alpha, rng=rng)
    drawn = learner.run(
        sample, Cell(sample.d, scenario.epsilon, scenario.alpha, scenario.beta), rng
    )
    assert isinstance(drawn, HalfPlane)  # noqa: S101 - the type is the catalog's to know
    arcs, whole = Arcs.of(sample), turn(sample.d)
    ends = np.array([end / whole for end in arcs.ends]) * 2.0 * math.pi
    x, y = _steps(ends, 1.0 + _REACH * arcs.mistakes / m)
    points = np.array([2.0 * math.pi * place(p) / whole for p in sample.points])
    ones = np.array([inside(0, p, sample.d) for p in sample.points])
    at = 2.0 * math.pi * drawn.phi / whole
    error = law.error(drawn, m=m, d=2, alpha=scenario.alpha)
    assert error is not None  # noqa: S101
    verdict = "accurate" if law.succeeds(drawn, d=2, alpha=scenario.alpha) else "not accurate"
    data = [
        line(x, y, "mistakes of a normal, outwards", BLUE, uid="mistakes"),
        *(
            marks(np.sin(points[mine]), np.cos(points[mine]), f"points with label {label}", colour, symbol, 8,
                  uid=f"label{label}")
            for label, mine, colour, symbol in (
                (1, ones, AMBER, "circle"), (0, ~ones, GREY, "circle-open"))
        ),
        _arrow(0.0, "normal of the target", GREEN, "dot", "target"),
        _arrow(at, f"normal drawn: {verdict}", RED, "solid", "drawn"),
    ]  # fmt: skip
    data = [trace | hover("", trace["name"]) for trace in data]
    span = (-1.9, 1.9)
    return Picture(
        figure={
            "data": data,
            "layout": {
                "xaxis": axis("", span, visible=False, zoom="no"),
                "yaxis": axis("", _TALL, visible=False, zoom="no", scaleanchor="x"),
                "hovermode": "closest", "legend": below(0.05),
            },
        },
        title=f"{len(arcs.ends):,} arcs, from {arcs.mistakes.min():,} to {arcs.mistakes.max():,} mistakes",
        caption=f"Sample {number}: {m:,} examples on the circle, ε = {scenario.epsilon:g}, "
        f"α = {scenario.alpha:g}. {learner.title}: error {float(error):.4g}, {verdict}. One run.",
        summary=f"The circle of normals, cut by {m:,} examples into {len(arcs.ends):,} arcs; an arc lies the "
        f"further out the more mistakes it makes. The normal drawn is {verdict}.",
        filename=f"privsc-halfspace-circle-m{m}",
        table={
            "arc ends at (turns)": [end / whole for end in arcs.ends],
            "mistakes": arcs.mistakes.tolist(),
        },
    )  # fmt: skip


def _steps(
    ends: NDArray[np.float64], radius: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a closed line that runs at each arc's radius; angles are clockwise from the top."""
    angles, radii = [], []
    for start, end, out in zip([ends[-1] - 2.0 * math.pi, *ends[:-1]], ends, radius, strict=True):
        part = np.linspace(start, end, max(2, math.ceil((end - start) / _STEP)))
        angles.append(part)
        radii.append(np.full(part.size, out))
    angle, far = np.concatenate([*angles, angles[0][:1]]), np.concatenate([*radii, radii[0][:1]])
    return far * np.sin(angle), far * np.cos(angle)


def _arrow(angle: float, name: str, colour: str, dash: str, uid: str) -> dict[str, object]:
    x, y = 0.95 * math.sin(angle), 0.95 * math.cos(angle)
    return line([0.0, x], [0.0, y], name, colour, dash=dash, uid=uid)
