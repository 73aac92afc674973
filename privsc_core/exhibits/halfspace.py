"""What half-spaces alone show: the circle of normals, the ordinary sphere, need against n."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.style import RED, faint
from privsc_core.concepts.halfspace import OnNet
from privsc_core.concepts.halfspace.hypotheses import (
    Arcs,
    HalfPlane,
    HalfSpace,
    coordinates,
    fibonacci,
    inside,
    place,
    turn,
)
from privsc_core.draw.least import LeastM, least_m_plot, least_m_traces
from privsc_core.draw.picture import plot, rows, setting
from privsc_core.draw.traces import GREY, PINK, STEEL, TEAL, axis, hover, line, marks
from privsc_core.evaluate.need import if_few
from privsc_core.numerics.logspace import probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.draw.picture import Picture
    from privsc_core.draw.traces import Trace
    from privsc_core.evaluate.scenario import Scenario


# --- Need against the dimension: lower bounds, upper bounds, and learners -----------


_TRIALS = 1000
_SIZES = (2, 3, 5, 10, 30, 100, 300, 1000)
_AVERAGING = "averaging with noise"
_CURVES = (
    LeastM("impossible: two targets", bound="pair"),
    LeastM("impossible: packing, labels private", bound="packing"),
    LeastM("mean, without privacy", "mean", law="uniform"),
    LeastM("guaranteed: density learner, too slow to run for large n", bound="density"),
    LeastM(_AVERAGING, "averaging", law="uniform"),
)


def over_dimensions(scenario: Scenario) -> Picture:
    """Draw the least number of examples over n: bounds and learners."""
    data = least_m_traces(_CURVES, scenario, _SIZES, trials=_TRIALS)
    fast = next(one["y"] for one in data if one["name"] == _AVERAGING)
    known = np.isfinite(fast) & (np.array(_SIZES) >= 10)
    words = ""
    if known.sum() > 1:
        slope = np.polyfit(np.log(np.array(_SIZES)[known]), np.log(fast[known]), 1)[0]
        words = (
            f" From n = 10 to 1,000 averaging takes about n^{slope:.1f}; the power tends to 1.5."
        )
    return least_m_plot(
        data,
        scenario,
        title="Least m against the dimension",
        caption=f"Uniform directions; {setting(scenario, 'epsilon', 'alpha', 'beta')}.{words} Bounds are "
        f"computed, learners simulated with {_TRIALS:,} samples.{if_few(_TRIALS, scenario.beta)}",
        summary=f"Least number of examples against the dimension, {len(data)} curves.{words}",
        filename=f"privsc-halfspace-dimensions-eps{scenario.epsilon:g}",
        table=rows(data, "what", "n", "m"),
    )


# --- The circle of normals: 2m arcs, as far out as they make mistakes ------------------------------


LEARNERS = {"density": "all private", "arcs": "labels private", "erm": "no privacy"}
_CIRCLE_MOST, _SPHERE_MOST = 60, 300  # examples
_STEP = math.pi / 90.0
_REACH = 0.75


def _bare(low: float, high: float, **more: Any) -> Trace:
    return axis("", (low, high), visible=False, **more)


def _labelled(x: Any, y: Any, label: int, size: int, **more: Any) -> Trace:
    colour, symbol = (PINK, "circle") if label else (GREY, "circle-open")
    return marks(
        x, y, f"points with label {label}", colour, symbol, size, uid=f"label{label}", **more
    )


def _named(data: list[Trace]) -> list[Trace]:
    """Return traces with their names told to a pointer."""
    return [trace | (hover("", trace["name"]) if trace["name"] else {}) for trace in data]


def the_circle(scenario: Scenario, who: str, number: int) -> Picture:
    """Draw the mistakes of every normal on one sample of the circle, and the normal drawn."""
    learner = catalog.learner(scenario.concept, who)
    law = catalog.distribution(scenario.concept, "circle")
    m = min(scenario.m, _CIRCLE_MOST)
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
    error = law.error(drawn, m=m, d=2, alpha=scenario.alpha)
    assert error is not None  # noqa: S101
    good = law.succeeds(drawn, d=2, alpha=scenario.alpha)
    verdict, paint = ("accurate", TEAL) if good else ("not accurate", RED)
    data = [
        line(x, y, "mistakes of a normal, outwards", STEEL, uid="mistakes"),
        *(
            _labelled(np.sin(points[mine]), np.cos(points[mine]), label, 8)
            for label, mine in ((1, ones), (0, ~ones))
        ),
        _arrow(0.0, "normal of the target", TEAL, "dot", "target"),
        _arrow(
            2.0 * math.pi * drawn.phi / whole, f"normal drawn: {verdict}", paint, "solid", "drawn"
        ),
    ]
    return plot(
        _named(data),
        _bare(-1.9, 1.9),
        _bare(-1.85, 1.35, scaleanchor="x"),  # the top, at the target, has few mistakes
        legend=0.05,
        title=f"{len(arcs.ends):,} arcs, from {arcs.mistakes.min():,} to {arcs.mistakes.max():,} mistakes",
        caption=f"Sample {number}: {m:,} examples on the circle, {setting(scenario, 'epsilon', 'alpha')}. "
        f"{learner.title}: error {float(error):.4g}, {verdict}. One run.",
        summary=f"The circle of normals, cut by {m:,} examples into {len(arcs.ends):,} arcs; an arc is drawn further "
        f"out if its normals make more mistakes. The normal drawn is {verdict}.",
        filename=f"privsc-halfspace-circle-m{m}",
        table={
            "arc ends at (turns)": [end / whole for end in arcs.ends],
            "mistakes": arcs.mistakes.tolist(),
        },
    )


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


def _arrow(angle: float, name: str, colour: str, dash: str, uid: str) -> Trace:
    x, y = 0.95 * math.sin(angle), 0.95 * math.cos(angle)
    return line([0.0, x], [0.0, y], name, colour, dash=dash, uid=uid)


# --- The ordinary sphere, turned as one likes: the net of normals by its probabilities, projected ---


TURN_STEP = 5  # degrees
_LEVEL = 1e-9  # the edge of the sphere is in front
_LIKELY = ((0.5, "likeliest normals: half of the probability", STEEL, 9),
           (0.9, "the next, up to 90%", faint(STEEL, 0.7), 7), (0.99, "the next, up to 99%", faint(STEEL, 0.4), 5))  # fmt: skip


def the_sphere(scenario: Scenario, number: int, azimuth: int, height: int) -> Picture:
    """Draw the front of the sphere from a side, in degrees: the sample, the net, the target."""
    learner = catalog.learner(scenario.concept, "net")
    law = catalog.distribution(scenario.concept, "sphere")
    assert isinstance(learner, OnNet)  # noqa: S101 - the type is the catalog's to know
    m = min(scenario.m, _SPHERE_MOST)
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
        _ring(math.pi / 2.0, seen, "boundary of the target", TEAL, "dot", "boundary"),
        _ring(math.pi * scenario.alpha, seen, "accurate normals", TEAL, "solid", "good"),
    ]
    order, before = np.argsort(-shares, kind="stable"), 0
    reached = np.cumsum(shares[order])
    for upto, words, colour, size in _LIKELY:
        end = int(np.searchsorted(reached, upto)) + 1
        data.append(
            _front(net[order[before:end]], seen, words, colour, "diamond", size, f"net{size}")
        )
        before = max(end, before)
    for label in (1, 0):
        mine = points[(points[:, 0] >= 0.0) == bool(label)]
        x, y, space = _projected(mine.reshape(-1, 3).T, seen)
        data.append(_labelled(x, y, label, 6, meta={"space": space}))
    paint = TEAL if law.succeeds(drawn, d=3, alpha=scenario.alpha) else RED
    data.append(_front(np.array([drawn.w]), seen, "normal drawn", paint, "x", 14, "drawn"))
    return plot(
        _named(data),
        _bare(-1.08, 1.08),
        _bare(-1.08, 1.08, scaleanchor="x"),
        legend=0.05,
        dragmode=False,
        meta={"turn": {"around": azimuth, "up": height, "step": TURN_STEP}},
        title=f"The net's normal is accurate with probability {hit:.1%}",
        caption=f"Sample {number}: {m:,} examples; {setting(scenario, 'epsilon', 'alpha')}. Exact, given the sample, "
        f"for the net of {len(shares):,}. Seen from {azimuth}° around and {height}° up; only the front is drawn. "
        "Drag the sphere to turn it, or use the arrow keys.",
        summary=f"A sphere with {m:,} examples and the likeliest normals of the net, of which {hit:.1%} by "
        "probability are accurate.",
        filename=f"privsc-halfspace-sphere-m{m}",
        table=dict(zip("xyz", net.T.tolist(), strict=True))
        | {"mistakes": mistakes.tolist(), "probability": shares.tolist()},
    )


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
) -> Trace:  # fmt: skip
    x, y, space = _projected(points.reshape(-1, 3).T, seen)
    return marks(x, y, name, colour, symbol, size, uid=uid, meta={"space": space})


def _projected(
    space: NDArray[np.float64], seen: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[NDArray[np.float64]]]:
    """Return where points are seen, NaN behind, and where they are, for turn.js."""
    x, y, near = seen @ space
    x, y = (np.where(near >= -_LEVEL, side, np.nan) for side in (x, y))
    return x, y, list(space)


def _grid(seen: NDArray[np.float64]) -> Trace:
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
) -> Trace:
    """Draw the circle at an angle around the target's normal e_1, where it is in front."""
    t = np.linspace(0.0, 2.0 * math.pi, 181)
    level = np.full(t.size, math.cos(angle))
    x, y, space = _projected(
        np.stack([level, math.sin(angle) * np.cos(t), math.sin(angle) * np.sin(t)]), seen
    )
    return line(x, y, name, colour, dash=dash, uid=uid, meta={"space": space})
