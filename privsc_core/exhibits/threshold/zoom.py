"""The line itself: where the density learner draws its threshold, with a zoom into the window."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.style import RED
from privsc_core.concepts.threshold import Around, Density
from privsc_core.concepts.threshold.distributions import Cut
from privsc_core.concepts.threshold.learners.density import log_mass, place_of
from privsc_core.draw.picture import Picture
from privsc_core.draw.traces import AMBER, BLUE, GREY, UNLISTED, axis, below, hover, line, marks
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.threshold.distributions import Crowd
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["SIGHTS", "the_line"]

SIGHTS = {
    "line": "the whole line",
    "window": "zoom into the window",
    "mass": "equal room for equal mass",
}
_AXES = {
    "line": "place s",
    "window": "half-widths from the target",
    "mass": "share of the data left of s",
}
_SPANS = {"line": (0.0, 1.0), "window": (-2.0, 2.0), "mass": (0.0, 1.0)}
_EXAMPLES_MOST = 2000


@dataclass(frozen=True, slots=True)
class _View:
    """One way to lay out the line."""

    sight: str
    crowd: Crowd
    bits: int

    def at(self, end: int) -> float:
        """Return where a place lies, given in units of 2^-(bits + 1) from the target."""
        if self.sight == "line":
            return 0.5 + _quotient(end, 1 << (self.bits + 1))
        if self.sight == "window":
            return _quotient(end, self.crowd.reach_on(self.bits))
        mass = float(self.crowd.error(abs(end) // 2, self.bits))
        return 0.5 + mass if end >= 0 else 0.5 - mass  # `end` may be beyond all floats


def _quotient(p: int, q: int) -> float:
    shift = max(q.bit_length() - 900, 0)
    return (p >> shift) / (q >> shift)


def the_line(scenario: Scenario, sight: str, number: int) -> Picture:
    """Draw the chances of all thresholds on one sample, its points, and the threshold drawn."""
    learner = catalog.learner(scenario.concept, "density")
    law = catalog.distribution(scenario.concept, "window")
    assert isinstance(learner, Density)  # noqa: S101 - the types are the catalog's to know
    assert isinstance(law, Around)  # noqa: S101
    m, b, alpha = min(scenario.m, _EXAMPLES_MOST), scenario.d, scenario.alpha
    rng = np.random.default_rng([scenario.seed, number])
    sample = law.draw(m=m, d=b, alpha=alpha, rng=rng)
    drawn = learner.run(sample, Cell(sample.d, scenario.epsilon, alpha, scenario.beta), rng)
    assert isinstance(drawn, Cut)  # noqa: S101
    crowd, bits = law.crowd(b, alpha), sample.d
    cells, known, weights = learner.weigh(sample, scenario.epsilon, alpha)
    # Cut at the ends of the windows as well: in between the density is constant.
    marked = {known.reach_on(bits), crowd.reach_on(bits)} if known.b else {crowd.reach_on(bits)}
    inner = cells.ends[1:-1]
    ends = sorted({*cells.ends, *marked, *(-end for end in marked)})
    row = np.searchsorted(np.array(inner, dtype=object), np.array(ends[:-1], dtype=object), "right")
    masses = np.array([log_mass(a, z, known, bits) for a, z in itertools.pairwise(ends)])
    logs = masses + (weights - cells.log_masses(known))[row]
    shares = np.exp(logs - logsumexp(logs))
    view = _View(sight, crowd, bits)
    place = np.array([view.at(end) for end in ends])
    reach = crowd.reach_on(bits)
    window = float(shares[[abs(a + z) < 2 * reach for a, z in itertools.pairwise(ends)]].sum())
    points = np.array([view.at(place_of(x, bits)) for x in sample.points])
    threshold = 2 * (drawn.j - 1) - (1 << bits)
    hit = law.succeeds(drawn, d=b, alpha=alpha)
    return _picture(scenario, view, place, shares, points, threshold, window, m, number, hit=hit)


def _picture(
    scenario: Scenario,
    view: _View,
    place: NDArray[np.float64],
    shares: NDArray[np.float64],
    points: NDArray[np.float64],
    threshold: int,
    window: float,
    m: int,
    number: int,
    *,
    hit: bool,
) -> Picture:
    low, high = _SPANS[view.sight]
    wide = np.diff(place)
    with np.errstate(divide="ignore", invalid="ignore"):
        density = np.where(wide > 0.0, shares / wide, 0.0)
    shown = (place[1:] > low) & (place[:-1] < high) & (wide > 0.0)
    x = np.clip(np.stack([place[:-1], place[1:]], axis=1)[shown], low, high).ravel()
    y = np.repeat(density[shown], 2)
    # In the plain view the window is a needle: what is beside it sets the scale.
    wider = density[shown & (wide > 1e-6)] if view.sight == "line" else density[shown]
    top = 1.15 * float(wider.max(initial=1e-300))
    at = view.at(threshold)
    seen = points[(points >= low) & (points <= high)]
    inside = f"{window:.1%}" if window > 1e-4 else chance(math.log(max(window, 1e-300)))
    verdict = "accurate" if hit else "not accurate"
    data = [
        line(
            x,
            np.minimum(y, top),
            "density of the drawn threshold",
            BLUE,
            fill="tozeroy",
            uid="density",
        )
        | hover("%{x:.4g}", "density of the drawn threshold"),
        marks(
            seen,
            np.full(seen.size, -0.045 * top),
            "points of the sample",
            AMBER,
            "line-ns-open",
            11,
            edge=1,
        ),
    ]
    if low <= at <= high:
        data.append(line([at, at], [0.0, top], f"drawn: {verdict}", RED, dash="dash", uid="drawn"))
    else:
        side = high if at > high else low
        arrow = "triangle-right" if at > high else "triangle-left"
        data.append(
            marks([side], [0.5 * top], f"drawn outside: {verdict}", RED, arrow, 16, uid="drawn")
        )
    if view.sight != "line":
        edges = [view.at(sign * view.crowd.reach_on(view.bits)) for sign in (-1, 1)]
        data += [
            line(
                [edge, edge],
                [0.0, top],
                "end of the window",
                GREY,
                dash="dot",
                width=2,
                uid=f"edge{i}",
            )
            | (UNLISTED if i else {})
            for i, edge in enumerate(edges)
        ]
    return Picture(
        figure={
            "data": data,
            "layout": {
                "xaxis": axis(_AXES[view.sight], (low, high), zoom=f"line-{view.sight}"),
                "yaxis": axis("density", (-0.1 * top, 1.02 * top), showticklabels=False, zoom="no"),
                "hovermode": "closest", "legend": below(),
            },
        },
        title=f"The threshold falls into the window with probability {inside}",
        caption=f"Sample {number}: {m:,} examples, {points.size:,} places; b = {scenario.d:,}, "
        f"ε = {scenario.epsilon:g}, α = {scenario.alpha:g}. Exact, given the sample; the area is the "
        f"probability. Drawn: {verdict}.",
        summary=f"Density of the learner's threshold on one sample of {m:,} examples, "
        f"{SIGHTS[view.sight]}: {inside} of it in the window around the target. The one that was drawn is "
        f"{verdict}.",
        filename=f"privsc-threshold-line-b{scenario.d}-{view.sight}",
        table={"from": place[:-1].tolist(), "to": place[1:].tolist(), "probability": shares.tolist()},
    )  # fmt: skip
