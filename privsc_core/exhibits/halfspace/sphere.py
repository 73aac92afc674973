"""The ordinary sphere, turned as one likes: the net of normals by its probabilities, projected here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.style import RED, faint
from privsc_core.concepts.halfspace import OnNet
from privsc_core.concepts.halfspace.hypotheses import HalfSpace, coordinates, fibonacci
from privsc_core.concepts.shared.choice import probabilities
from privsc_core.draw.picture import Picture
from privsc_core.draw.traces import (
    AMBER,
    BLUE,
    GREEN,
    GREY,
    PINK,
    PURPLE,
    axis,
    below,
    hover,
    line,
    marks,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.evaluate.scenario import Scenario

__all__ = ["TURN_STEP", "the_sphere"]

TURN_STEP = 5  # degrees
_EXAMPLES_MOST = 300
_LEVEL = 1e-9  # the edge of the sphere is in front
_LIKELY = ((0.5, "likeliest normals: half of the probability", BLUE, 9),
           (0.9, "the next, up to 90%", PURPLE, 7), (0.99, "the next, up to 99%", PINK, 5))  # fmt: skip


def the_sphere(scenario: Scenario, number: int, azimuth: int, height: int) -> Picture:
    """Draw the front of the sphere from a side, in degrees: the sample, the net, the target."""
    learner = catalog.learner(scenario.concept, "net")
    law = catalog.distribution(scenario.concept, "sphere")
    assert isinstance(learner, OnNet)  # noqa: S101 - the type is the catalog's to know
    m = min(scenario.m, _EXAMPLES_MOST)
    rng = np.random.default_rng([scenario.seed, number])
    sample = law.draw(m=m, d=3, alpha=scenario.alpha, rng=rng)
    mistakes = learner.mistakes(sample)
    shares = probabilities(-learner.score_rate(scenario.epsilon) * (mistakes - mistakes.min()))
    drawn = learner.run(
        sample, Cell(sample.d, scenario.epsilon, scenario.alpha, scenario.beta), rng
    )
    assert isinstance(drawn, HalfSpace)  # noqa: S101
    net = fibonacci(len(shares))
    seen = _view(azimuth, height)
    good = np.arccos(np.clip(net[:, 0], -1.0, 1.0)) / math.pi <= scenario.alpha
    hit = float(shares[good].sum())
    points = coordinates(sample.points, sample.d)
    rim = np.linspace(0.0, 2.0 * math.pi, 181)
    data = [
        line(np.cos(rim), np.sin(rim), "edge of the sphere", GREY, width=1, uid="edge"),
        _grid(seen),
        _ring(math.pi / 2.0, seen, "boundary of the target", GREEN, "dot", "boundary"),
        _ring(math.pi * scenario.alpha, seen, "accurate normals", GREEN, "solid", "good"),
    ]
    order, before = np.argsort(-shares, kind="stable"), 0
    reached = np.cumsum(shares[order])
    for upto, words, colour, size in _LIKELY:
        end = int(np.searchsorted(reached, upto)) + 1
        data.append(
            _front(net[order[before:end]], seen, words, colour, "diamond", size, f"net{size}")
        )
        before = max(end, before)
    for label, colour, symbol in ((1, AMBER, "circle"), (0, GREY, "circle-open")):
        mine = (points[:, 0] >= 0.0) == bool(label)
        data.append(
            _front(
                points[mine], seen, f"points with label {label}", colour, symbol, 6, f"label{label}"
            )
        )
    data.append(_front(np.array([drawn.w]), seen, "normal drawn", RED, "x", 14, "drawn"))
    data = [trace | (hover("", trace["name"]) if trace["name"] else {}) for trace in data]
    span = (-1.08, 1.08)
    return Picture(
        figure={
            "data": data,
            "layout": {
                "xaxis": axis("", span, visible=False, zoom="no"),
                "yaxis": axis("", span, visible=False, zoom="no", scaleanchor="x"),
                "hovermode": "closest", "legend": below(0.05), "dragmode": False,
                "meta": {"turn": {"around": azimuth, "up": height, "step": TURN_STEP}},
            },
        },
        title=f"The net's normal is accurate with probability {hit:.1%}",
        caption=f"Sample {number}: {m:,} examples; ε = {scenario.epsilon:g}, α = {scenario.alpha:g}. Exact, "
        f"given the sample, for the net of {len(shares):,}. Seen from {azimuth}° around and {height}° up; only "
        "the front is drawn. Drag the sphere to turn it, or use the arrow keys on it.",
        summary=f"A sphere with {m:,} examples and the likeliest normals of the net, of which {hit:.1%} by "
        "probability are accurate.",
        filename=f"privsc-halfspace-sphere-m{m}",
        table={
            "x": net[:, 0].tolist(), "y": net[:, 1].tolist(), "z": net[:, 2].tolist(),
            "mistakes": mistakes.tolist(), "probability": shares.tolist(),
        },
    )  # fmt: skip


def _view(azimuth: int, height: int) -> NDArray[np.float64]:
    """Return the rows right, up and towards the reader."""
    a, h = math.radians(azimuth), math.radians(height)
    right = [-math.sin(a), math.cos(a), 0.0]
    up = [-math.sin(h) * math.cos(a), -math.sin(h) * math.sin(a), math.cos(h)]
    near = [math.cos(h) * math.cos(a), math.cos(h) * math.sin(a), math.sin(h)]
    return np.array([right, up, near])


def _front(
    points: NDArray[np.float64], seen: NDArray[np.float64], name: str, colour: str, symbol: str,
    size: float, uid: str,
) -> dict[str, object]:  # fmt: skip
    x, y, space = _projected(points.reshape(-1, 3).T, seen)
    return marks(x, y, name, colour, symbol, size, uid=uid, meta={"space": space})


def _projected(
    space: NDArray[np.float64], seen: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[NDArray[np.float64]]]:
    """Return where points are seen, NaN behind, and where they are, for turn.js."""
    x, y, near = seen @ space
    x, y = (np.where(near >= -_LEVEL, side, np.nan) for side in (x, y))
    return x, y, list(space)


def _grid(seen: NDArray[np.float64]) -> dict[str, object]:
    """Draw circles of latitude and meridians, thinly: by them one sees it turn."""
    t = np.linspace(0.0, 2.0 * math.pi, 73)
    lines = [
        np.stack(
            [math.cos(at) * np.cos(t), math.cos(at) * np.sin(t), np.full(t.size, math.sin(at))]
        )
        for at in np.radians([-60.0, -30.0, 0.0, 30.0, 60.0])
    ] + [
        np.stack([math.cos(at) * np.cos(t), math.sin(at) * np.cos(t), np.sin(t)])
        for at in np.radians(np.arange(0.0, 180.0, 30.0))
    ]
    gap = np.full((3, 1), np.nan)
    x, y, space = _projected(np.hstack([part for each in lines for part in (each, gap)]), seen)
    return line(
        x, y, "", faint(GREY, 0.3), width=1, uid="grid", showlegend=False, hoverinfo="skip",
        meta={"space": space},
    )  # fmt: skip


def _ring(
    angle: float, seen: NDArray[np.float64], name: str, colour: str, dash: str, uid: str
) -> dict[str, object]:
    """Draw the circle at an angle around the target's normal e_1, where it is in front."""
    t = np.linspace(0.0, 2.0 * math.pi, 181)
    level = np.full(t.size, math.cos(angle))
    x, y, space = _projected(
        np.stack([level, math.sin(angle) * np.cos(t), math.sin(angle) * np.sin(t)]), seen
    )
    return line(x, y, name, colour, dash=dash, uid=uid, meta={"space": space})
