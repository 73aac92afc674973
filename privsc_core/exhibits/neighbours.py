"""Two neighbours and what a learner's output tells of them, beside all such pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.catalog import learner as find_learner
from privsc_core.concepts.contracts.style import ALLOWED, RED, TEAL
from privsc_core.draw.picture import plot
from privsc_core.draw.traces import (
    GREY,
    MUTE,
    PINK,
    QUIET,
    STEEL,
    THIN,
    Trace,
    above,
    axis,
    bar,
    beside,
    hover,
    line,
    marks,
    shade,
    stroke,
    told,
)
from privsc_core.evaluate.audit import audited_at, compare
from privsc_core.numerics.text import small

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Cell, Learner
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.audit import Audited, Neighbours, Outcome, Record


@dataclass(frozen=True, slots=True)
class Audit:
    """What all adjacent pairs of the instance say.

    Attributes
    ----------
    pairs : int
        How many there are.
    worst, ratio : float
        The largest |log ratio|, and as a multiple of epsilon.
    delta, least_delta : float
        The slack that is claimed, and the least that is needed.
    private : bool
        Whether the claim holds.
    """

    pairs: int
    worst: float
    ratio: float
    delta: float
    least_delta: float
    private: bool


@dataclass(frozen=True, slots=True, eq=False)
class Changed:
    """A pair as a page shows it: small enough to be kept, see `Neighbours` for all of it.

    Attributes
    ----------
    learner : Learner
        The variant that was enumerated.
    tiny : Cell
    records : tuple of (point, label)
        What the example that changes can become, itself included.
    sample, neighbour : tuple of (point, label)
    place : int
        Where they differ, from 0.
    merged : bool
        Whether outputs with the same log ratio stand together.
    worst, ratio : float
        The pair's largest |log ratio|, and as a multiple of epsilon.
    within : bool
        Whether every log ratio is in the band.
    least_delta : float
    audit : Audit
    outputs, pairs : Picture
        The pair's output distributions, and all pairs.
    """

    learner: Learner
    tiny: Cell
    records: tuple[Record, ...]
    sample: tuple[Record, ...]
    neighbour: tuple[Record, ...]
    place: int
    merged: bool
    worst: float
    ratio: float
    within: bool
    least_delta: float
    audit: Audit
    outputs: Picture
    pairs: Picture


def changed(
    concept: str,
    learner: str,
    epsilon: float,
    delta: float,
    *,
    sample: tuple[Record, ...] = (),
    place: int | None = None,
    record: Record | None = None,
) -> Changed:
    """Replace one example of a sample and compare what comes out; draw it beside all pairs.

    Parameters
    ----------
    concept, learner : str
        Names in the catalog.
    epsilon, delta : float
        The privacy loss, and the slack where the learner has one.
    sample : tuple of (point, label)
        Records that the instance does not have are left out.
    place : int, optional
        Which example changes, from 0.
    record : (point, label), optional
        What it becomes.

    Returns
    -------
    Changed
        The worst pair stands in for what is left out or does not fit the learner's instance.
    """
    found = _audited(concept, learner, epsilon, delta)
    worst = compare(found)
    known = tuple(one for one in sample if one in found.records)
    base = known if len(known) == found.tiny.m else None
    at = worst.place if place is None or place >= found.tiny.m else place
    old = (base or worst.sample)[at]
    fits = found.learner.neighbours(old)
    records = tuple(one for one in found.records if one == old or fits(one))
    into = record if record in records else None
    pair = compare(found, base, at, into)
    audit = Audit(
        pairs=found.losses.size, worst=found.worst, ratio=found.ratio, delta=found.delta,
        least_delta=found.least_delta, private=found.private,
    )  # fmt: skip
    return Changed(
        learner=found.learner, tiny=found.tiny, records=records, sample=pair.sample,
        neighbour=pair.neighbour, place=pair.place, merged=pair.merged, worst=pair.worst,
        ratio=pair.ratio, within=pair.within, least_delta=pair.least_delta, audit=audit,
        outputs=outputs_figure(pair), pairs=pairs_figure(pair),
    )  # fmt: skip


@lru_cache(maxsize=32)  # up to a megabyte each; each changed example asks for it again
def _audited(concept: str, learner: str, epsilon: float, delta: float) -> Audited:
    return audited_at(find_learner(concept, learner), epsilon=epsilon, delta=delta)


# --- The figures: both output distributions, their log ratio, and all pairs at once ----------------


_BINS = 30
_SAME = 1e-9
_LOOSE = 3.0  # with a log ratio beyond so many epsilons the axis has plain numbers


def outputs_figure(pair: Neighbours) -> Picture:
    """Draw both output distributions as bars, and below the log ratios against the band."""
    found, outcomes = pair.found, pair.outcomes
    epsilon, names = found.tiny.epsilon, [outcome.name for outcome in outcomes]
    places = list(range(len(names)))
    data = []
    for name, colour, values in (
        ("on the sample", STEEL, [o.here for o in outcomes]),
        ("on its neighbour", PINK, [o.there for o in outcomes]),
    ):
        says = [f"{n}: {v:.4g}" for n, v in zip(names, values, strict=True)]
        data.append(bar(places, values, name, colour) | told(says))
    finite = [abs(o.loss) for o in outcomes if math.isfinite(o.loss)]
    reach = 1.45 * max(epsilon, *finite, 0.0) if finite else 1.45 * epsilon
    data += _ratios(outcomes, epsilon, reach)
    inside = shade((0, 1), (-epsilon, epsilon), ALLOWED, xref="paper", yref="y2")
    outside = [o for o in outcomes if abs(o.loss) > epsilon + _SAME]
    title = _verdict(pair, outside)
    return plot(
        data,
        axis(
            "what comes out", (-0.6, len(names) - 0.4), at=places, texts=names, zoom="outputs",
            showgrid=False, fixedrange=True, anchor="y2", ticks="",
        ),
        axis("probability", zoom="outputs", domain=[0.54, 1], rangemode="tozero"),
        yaxis2=axis("log ratio", (-reach, reach), zoom="outputs", domain=[0, 0.44], anchor="x")
        | _ticks(epsilon, max(finite, default=0.0)),
        barmode="group",
        bargap=0.25,
        shapes=[
            inside,
            *(stroke((0, 1), (y, y), TEAL, xref="paper", yref="y2") for y in (-epsilon, epsilon)),
        ],
        legend=above(),
        title=title,
        caption="",
        summary=(
            f"Paired bars of {len(names)} outputs on two samples, and their log ratios, the "
            f"largest {_number(pair.worst)}, against the band from −ε to ε, ε = {epsilon:g}. "
            f"{title}."
        ),
        filename=f"privsc-neighbours-{found.learner.name}-eps{epsilon:g}",
        table={
            "output": names,
            "on the sample": [o.here for o in outcomes],
            "on its neighbour": [o.there for o in outcomes],
            "log ratio": [o.loss if math.isfinite(o.loss) else _number(o.loss) for o in outcomes],
        },
    )  # fmt: skip


def _verdict(pair: Neighbours, outside: list[Outcome]) -> str:
    if outside and pair.least_delta <= pair.found.delta * (1.0 + _SAME):
        return f"Outside the band, but with probability {small(pair.least_delta)}: δ allows it"
    if not outside:
        return "Every log ratio lies between −ε and ε"
    if any(math.isinf(o.loss) for o in outside):
        return "An output that is possible on one sample only reveals the sample"
    return "Log ratios leave the band: some outputs reveal too much"


def _ratios(outcomes: tuple[Outcome, ...], epsilon: float, reach: float) -> list[Trace]:
    """Return the log ratios as lollipops; infinite ones as arrows at the edge, with words."""
    edge = 0.84 * reach
    x: list[float | None] = []
    y: list[float | None] = []
    for i, outcome in enumerate(outcomes):
        x += [i, i, None]
        y += [0.0, max(-edge, min(edge, outcome.loss)), None]
    data = [line(x, y, "stems", GREY, width=THIN) | QUIET]
    for inside, name, colour, symbol in (
        (True, "log ratio, within the band", TEAL, "circle"),
        (False, "log ratio, outside", RED, "diamond"),
    ):
        here = [
            i
            for i, o in enumerate(outcomes)
            if math.isfinite(o.loss) and (abs(o.loss) <= epsilon + _SAME) is inside
        ]
        if here:
            trace = marks(here, [outcomes[i].loss for i in here], name, colour, symbol)
            data.append(trace | told([_hover(outcomes[i]) for i in here]) | {"cliponaxis": False})
    ends = [i for i, o in enumerate(outcomes) if math.isinf(o.loss)]
    if ends:
        up = [outcomes[i].loss > 0 for i in ends]
        symbols = ["triangle-up" if u else "triangle-down" for u in up]
        name = "∞: possible on one side only"
        y = [edge if u else -edge for u in up]
        trace = marks(ends, y, name, RED, symbols, 14, uid="infinite")
        trace |= beside(["+∞" if u else "−∞" for u in up], "middle right", RED)
        data.append(trace | told([_hover(outcomes[i]) for i in ends]))
    return [trace | {"xaxis": "x", "yaxis": "y2"} for trace in data]


def _hover(outcome: Outcome) -> str:
    return f"{outcome.name}: {outcome.here:.4g} and {outcome.there:.4g}, {_number(outcome.loss)}"


def _number(value: float) -> str:
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    return f"{value:.4g}".replace("-", "−")


def _ticks(epsilon: float, most: float) -> dict[str, Any]:
    if most > _LOOSE * epsilon:
        return {}
    return axis(at=[-epsilon, 0, epsilon], texts=[f"−ε = −{epsilon:g}", "0", f"ε = {epsilon:g}"])


def pairs_figure(pair: Neighbours) -> Picture:
    """Draw the largest log ratios of all adjacent pairs of the instance as a histogram."""
    found = pair.found
    epsilon, losses = found.tiny.epsilon, found.losses
    finite = losses[np.isfinite(losses)]
    top = 1.08 * max(epsilon, float(finite.max()) if finite.size else 0.0)
    edges = np.linspace(0.0, top, _BINS + 1)
    middle, width = 0.5 * (edges[:-1] + edges[1:]), float(edges[1])
    infinite = int(losses.size - finite.size)
    inside = finite <= epsilon + _SAME
    counts = [np.histogram(part, bins=edges)[0] for part in (finite[inside], finite[~inside])]
    data = []
    for name, colour, number in (
        ("pairs within the band", TEAL, counts[0]),
        ("pairs outside", RED, counts[1]),
    ):
        if number.any():
            here = number > 0
            trace = bar(middle[here], number[here], name, colour, width=0.92 * width)
            data.append(trace | hover("about %{x:.3g}: %{y:,} pairs"))
    total = counts[0] + counts[1]
    last = top + 2.5 * width
    if infinite:
        name = "pairs with an infinite log ratio"
        beyond = bar([last], [infinite], name, RED, width=1.6 * width, uid="infinite")
        beyond["marker"]["pattern"] = {"shape": "/"}
        data.append(beyond | hover("infinite: %{y:,} pairs"))
    highest = max(int(total.max()), infinite)
    at = last if math.isinf(pair.worst) else pair.worst
    top_of = [0, 1.05 * highest]
    limit = line([epsilon] * 2, top_of, f"ε = {epsilon:g}", GREY, dash="dash", width=THIN)
    shown = marks([at], [1.08 * highest], "the pair above", STEEL, "triangle-down", 13, uid="pair")
    data += [limit | MUTE | {"uid": "epsilon"}, shown | MUTE | {"cliponaxis": False}]
    ticks = [0.0, epsilon] if top < _LOOSE * epsilon else [0.0, *_round(top)]
    texts = ["0", "ε"] if top < _LOOSE * epsilon else ["0", *(f"{v:g}" for v in _round(top))]
    if infinite:
        ticks, texts = [*ticks, last], [*texts, "∞"]
    span = (0, last + 1.5 * width if infinite else top)
    worst = _number(found.worst)
    title = f"All {losses.size:,} adjacent pairs: up to {worst.removeprefix('+')}"
    end = ["infinite"] * bool(infinite)
    return plot(
        data,
        axis("largest |log ratio| of a pair", span, at=ticks, texts=texts),
        axis("adjacent pairs", (0, 1.15 * highest)),
        barmode="stack",
        legend=0.24,
        title=title,
        caption="",
        summary=(
            f"Histogram of the largest absolute log ratio over {losses.size:,} ordered pairs of "
            f"adjacent samples, at most {worst}, with a line at ε = {epsilon:g}; {infinite:,} "
            "are infinite."
        ),
        filename=f"privsc-audit-{found.learner.name}-eps{epsilon:g}",
        table={
            "from": [*edges[:-1].tolist(), *end],
            "to": [*edges[1:].tolist(), *end],
            "pairs": [*total.tolist(), *[infinite] * len(end)],
        },
    )


def _round(top: float) -> list[float]:
    """Return two or three round numbers up to `top`."""
    step = 10.0 ** math.floor(math.log10(top))
    while top / step < 2.0:
        step /= 2.0
    return [step * i for i in range(1, int(top / step) + 1)][:10]
