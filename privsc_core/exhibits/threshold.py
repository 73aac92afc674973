"""What thresholds alone show: a net too coarse, who may know what, and the line itself."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp

from privsc_core import catalog, progress
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.style import HUES, RED, TEAL
from privsc_core.concepts.threshold import Around, Density, OnNet
from privsc_core.concepts.threshold.distributions import Cut
from privsc_core.concepts.threshold.learners.density import Cells, log_mass, place_of
from privsc_core.draw.least import LeastM, least_m_plot, least_m_traces
from privsc_core.draw.picture import columns, plot, rows, setting
from privsc_core.draw.style import integer
from privsc_core.draw.traces import (
    GREY,
    PINK,
    UNLISTED,
    around,
    axis,
    hover,
    joined,
    line,
    log_axis,
    marks,
    share_axis,
)
from privsc_core.evaluate.need import if_few
from privsc_core.evaluate.success import success
from privsc_core.numerics.text import chance, raised

if TYPE_CHECKING:
    from privsc_core.concepts.threshold.distributions import Crowd
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario


# --- A net too coarse: success of the exponential mechanism over a net for a wrong guess of kappa ---


_SAMPLES = 500
_POINTS = 61
_FEWEST = 10.0
_WORST = 0.005  # success below it is called none


def too_coarse(scenario: Scenario, guess: int) -> Picture:
    """Draw success over m with kappa guessed 2^guess, with kappa itself, and without a net."""
    b, concept = scenario.d, catalog.concept("threshold")
    net, density = (catalog.learner("threshold", name) for name in ("net", "density"))
    assert isinstance(net, OnNet)  # noqa: S101 - the type is the catalog's to know
    # A hundred times what is enough where kappa is known.
    most = 200.0 * (b + 8.0) / (scenario.epsilon * scenario.alpha)
    m = np.unique(np.geomspace(_FEWEST, min(most, 1e7), _POINTS).astype(np.int64))
    data = []
    for learner, name, dash in progress.steps((
        (density, "density learner, κ not needed", ""),
        (net, f"net for κ itself, 2{raised(b)}", "dot"),
        (replace(net, guess=guess), f"net for the guess 2{raised(guess)}", ""),
    )):  # fmt: skip
        found = success(
            learner, catalog.distribution("threshold", "window"), m=m, d=b, epsilon=scenario.epsilon,
            alpha=scenario.alpha, beta=scenario.beta, trials=_SAMPLES, seed=scenario.seed,
        )  # fmt: skip
        look, uid = concept.style_of(learner.name), dash or learner.name
        trace = line(m, found.value, name, look, dash=dash, uid=uid)
        data.append(trace | hover("m = %{x:,}: %{y:.3f}", name) | {"of": learner.name})
    last, goal = float(data[-1]["y"][-1]), 1.0 - scenario.beta
    table = columns(data, "m", by="name")
    ends = m[[0, -1]]
    data.append(line(ends, [goal, goal], "1 - β", GREY, dash="dot", width=2))
    says = (
        f"With the guess 2{raised(guess)} for κ = 2{raised(b)} success is {last:.2g} at "
        f"{m[-1]:,} examples"
    )
    return plot(
        data,
        log_axis((float(m[0]), float(m[-1])), "sample size m"),
        share_axis("success"),
        title=_title(guess, b, last, goal),
        caption=f"{says}. Window of mass 2α; {setting(scenario, 'epsilon', 'alpha')}. "
        f"Simulated, {_SAMPLES} samples a number, seed {scenario.seed}.",
        summary=f"Success against m for three learners. {says}.",
        filename=f"privsc-threshold-net-b{b}-guess{guess}",
        table=table,
    )


def _title(guess: int, b: int, last: float, goal: float) -> str:
    if last < _WORST:
        return "No threshold of the net is accurate: more data do not help"
    if last < goal:
        return "The net has too few accurate thresholds here"
    if guess < b:
        return "A coarser net than κ asks for, and it still has an accurate threshold"
    return "Fine enough: more examples help"


# --- Who may know what: least m for everybody from no privacy to full, over b and over r -----------


_TRIALS = 1000
_BITS = (2, 4, 8, 16, 32, 64, 128, 256, 1024)
_STEPS = 9  # of r
_BLIND = LeastM("all private, only [0, 1] known", "density", law="window", key="blind")
_HALF = replace(
    _BLIND, words="all private, half of the bits known", concept="threshold(half)", dash="dash",
    marker="square", key="half",
)  # fmt: skip
_TOLD = replace(
    _BLIND, words="all private, the distribution known", concept="threshold(all)", dash="longdashdot",
    marker="triangle-up", key="told",
)  # fmt: skip
_LABELS = LeastM("labels private", "noisy-count", law="window")
STANCES = (_BLIND, _HALF, _TOLD, _LABELS, LeastM("no privacy", "erm", law="window"))


def over_bits(scenario: Scenario) -> Picture:
    """Draw the least number of examples over b for everybody."""
    here = min(scenario.d, _BITS[-1])
    b = sorted({*_BITS, here})
    data = least_m_traces(STANCES, scenario, b, trials=_TRIALS)
    words = "; ".join(f"{one['name']} {integer(one['y'][b.index(here)])}" for one in data)
    return least_m_plot(
        data,
        scenario,
        title="Least m against b, by what is private and what is known",
        caption=f"At b = {here}: {words}. {_setting(scenario)}",
        summary=f"Least number of examples against b, five curves. At b = {here}: {words}.",
        filename=f"privsc-threshold-who-knows-eps{scenario.epsilon:g}",
        table=rows(data, "who", "b", "m"),
    )


def over_reference(scenario: Scenario) -> Picture:
    """Draw the least number of examples of the density learner over r, at the page's b."""
    b = scenario.d
    r = np.unique(np.round(np.linspace(0, b, _STEPS)).astype(int)).tolist()
    known = [replace(_BLIND, concept=f"threshold({one})" if one else "") for one in r]
    m, (label,) = (
        [float(least_m_traces([one], scenario, (b,), trials=_TRIALS)[0]["y"][0]) for one in some]
        for some in (progress.steps(known), [_LABELS])
    )
    data = [
        joined(r, m, "density learner, all private", _BLIND.looks(scenario), uid="density")
        | hover("r = %{x}: m = %{y:,.0f}", "density learner"),
        joined(r, [label] * len(r), "noisy count, labels private", _LABELS.looks(scenario), uid="noisy-count")
        | hover("m = %{y:,.0f} whatever is known", "noisy count"),
    ]  # fmt: skip
    low, high = around(data)
    return plot(
        [trace | {"of": trace["uid"]} for trace in data],
        axis("bits of the reference r", (0.0, float(b))),
        log_axis((min(10.0, low), high), "least number of examples m"),
        title=f"Least m against r, at b = {b:,}",
        caption=f"From {integer(m[0])} with nothing known to {integer(m[-1])} with the distribution known. "
        f"{_setting(scenario)}",
        summary=f"Least number of examples of the density learner against r at b = {b:,}: from "
        f"{integer(m[0])} at r = 0 to {integer(m[-1])} at r = b; with labels alone private {integer(label)}.",
        filename=f"privsc-threshold-known-b{b}",
        table=columns(data, "r"),
    )


def _setting(scenario: Scenario) -> str:
    return (
        f"Window of mass 2α; {setting(scenario, 'epsilon', 'alpha', 'beta')}. The density learner's "
        f"law is simulated, {_TRIALS} samples a number, seed {scenario.seed}; the others are exact."
        f"{if_few(_TRIALS, scenario.beta)}"
    )


# --- The line itself: where the density learner draws its threshold, with a zoom into the window ---


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
    cell = Cell(sample.d, scenario.epsilon, alpha, scenario.beta)
    drawn = learner.run(sample, cell, rng)
    assert isinstance(drawn, Cut)  # noqa: S101
    crowd, bits = law.crowd(b, alpha), sample.d
    cells, known = Cells.of(sample), learner.known(sample.d, alpha)
    weights = learner.weighed(sample, cell)
    # Cut at the ends of the windows as well: in between the density is constant.
    reach = crowd.reach_on(bits)
    marked = {known.reach_on(bits), reach} if known.b else {reach}
    inner = cells.ends[1:-1]
    ends = sorted({*cells.ends, *marked, *(-end for end in marked)})
    row = np.searchsorted(np.array(inner, dtype=object), np.array(ends[:-1], dtype=object), "right")
    masses = np.array([log_mass(a, z, known, bits) for a, z in itertools.pairwise(ends)])
    logs = masses + (weights - cells.log_masses(known))[row]
    shares = np.exp(logs - logsumexp(logs))
    view = _View(sight, crowd, bits)
    place = np.array([view.at(end) for end in ends])
    window = float(shares[[abs(a + z) < 2 * reach for a, z in itertools.pairwise(ends)]].sum())
    points = np.array([view.at(place_of(x, bits)) for x in sample.points])
    low, high = _SPANS[sight]
    wide = np.diff(place)
    with np.errstate(divide="ignore", invalid="ignore"):
        density = np.where(wide > 0.0, shares / wide, 0.0)
    shown = (place[1:] > low) & (place[:-1] < high) & (wide > 0.0)
    x = np.clip(np.stack([place[:-1], place[1:]], axis=1)[shown], low, high).ravel()
    # In the plain view the window is a needle: what is beside it sets the scale.
    wider = density[shown & (wide > 1e-6)] if sight == "line" else density[shown]
    top = 1.15 * float(wider.max(initial=1e-300))
    at = view.at(2 * (drawn.j - 1) - (1 << bits))
    seen = points[(points >= low) & (points <= high)]
    inside = f"{window:.1%}" if window > 1e-4 else chance(math.log(max(window, 1e-300)))
    verdict, colour = (
        ("accurate", TEAL) if law.succeeds(drawn, d=b, alpha=alpha) else ("not accurate", RED)
    )
    y = np.minimum(np.repeat(density[shown], 2), top)
    data = [
        line(x, y, "density of the drawn threshold", HUES[learner.role], fill="tozeroy", uid="density")
        | hover("%{x:.4g}", "density of the drawn threshold")
        | {"of": learner.name},
        marks(
            seen, [-0.045 * top] * seen.size, "points of the sample", PINK, "line-ns-open", 11, edge=1
        ),
    ]  # fmt: skip
    if low <= at <= high:
        data.append(
            line([at, at], [0.0, top], f"drawn: {verdict}", colour, dash="dash", uid="drawn")
        )
    else:
        side, arrow = (high, "triangle-right") if at > high else (low, "triangle-left")
        words = f"drawn outside: {verdict}"
        data.append(marks([side], [0.5 * top], words, colour, arrow, 16, uid="drawn"))
    for i, sign in enumerate((-1, 1) if sight != "line" else ()):
        edge = view.at(sign * reach)
        stroke = line([edge, edge], [0.0, top], "end of the window", GREY, dash="dot", width=2)
        data.append(stroke | {"uid": f"edge{i}"} | (UNLISTED if i else {}))
    table: dict[str, list[Any]] = {"from": place[:-1].tolist(), "to": place[1:].tolist()}
    return plot(
        data,
        axis(_AXES[sight], (low, high), zoom=f"line-{sight}"),
        axis("density", (-0.1 * top, 1.02 * top), showticklabels=False),
        title=f"The threshold falls into the window with probability {inside}",
        caption=f"Sample {number}: {m:,} examples, {points.size:,} places; b = {b:,}, "
        f"{setting(scenario, 'epsilon', 'alpha')}. Exact, given the sample; the area is the "
        f"probability. Drawn: {verdict}.",
        summary=f"Density of the learner's threshold on one sample of {m:,} examples, {SIGHTS[sight]}: "
        f"{inside} of it in the window around the target. The one that was drawn is {verdict}.",
        filename=f"privsc-threshold-line-b{b}-{sight}",
        table=table | {"probability": shares.tolist()},
    )
