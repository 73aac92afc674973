"""The figures of the interior point problem: what it costs over d, and a run of the reduction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.interval.distributions import target
from privsc_core.concepts.interval.learners.tree import Tree
from privsc_core.draw.figures import log_layout
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import number
from privsc_core.draw.traces import (
    AMBER,
    BLUE,
    TEAL,
    axis,
    bar,
    below,
    hover,
    joined,
    marks,
    told,
    upright,
)
from privsc_core.evaluate.bounds import bound
from privsc_core.exhibits.interval.interior import (
    Solver,
    examples_needed,
    halved,
    halves,
    points_needed,
    solved,
    threshold,
)
from privsc_core.exhibits.interval.parts import ONE, ZERO
from privsc_core.numerics.text import chance

__all__ = ["BITS", "Reduced", "needs", "reduced"]

BITS = 6  # of a run: 64 points can be told apart
_PLACES = (8, 16, 64, 256, 1024, 10**4, 10**5, 10**6)


def needs(epsilon: float, alpha: float, beta: float, delta: float) -> Picture:
    """Draw over d: points for the solver, examples for the learner that it makes, and for `tree`."""
    delta = delta or Tree().privacy_slack
    d = np.array(_PLACES)
    points = [float(points_needed(one, epsilon, delta, beta)) for one in _PLACES]
    learner = [float(examples_needed(one, epsilon, alpha, beta, delta)) for one in _PLACES]
    entry = catalog.bound("interval", "tree")
    direct = bound(entry, d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta).m.tolist()
    lines = (
        ("interior point: points n", points, TEAL, "circle", "solid"),
        ("thresholds by the reduction: examples m", learner, AMBER, "square", "dash"),
        ("thresholds by the tree, any distribution: examples m", direct, BLUE, "diamond", "dot"),
    )
    data: list[dict[str, Any]] = []
    for name, values, colour, symbol, dash in lines:
        trace = joined(d, values, name, colour, symbol, dash=dash)
        data.append(trace | hover("d = %{x:,}: %{y:,.0f}", name))
    values = np.array([points, learner, direct])
    span = float(np.nanmin(values)) / 1.5, float(np.nanmax(values)) * 1.5
    at = _PLACES.index(64)
    layout = log_layout("bits of a domain point d", (_PLACES[0], _PLACES[-1]), "n or m", span)
    return Picture(
        figure={"data": data, "layout": layout | {"legend": below()}},
        title="What an interior point costs, and thresholds by way of it",
        caption=(
            f"{_setting(epsilon, delta)}, α = {number(alpha)}, β = {number(beta)}. At d = 64: n = "
            f"{points[at]:,.0f} points, {learner[at]:,.0f} examples by the reduction, {direct[at]:,.0f} by the "
            "tree itself. All are guarantees, for every input."
        ),
        summary="; ".join(
            f"d = {one:,}: n = {a:,.0f}, reduction {b:,.0f}, tree {c:,.0f}"
            for one, a, b, c in zip(_PLACES, points, learner, direct, strict=True)
        ) + ".",
        filename=f"privsc-interior-point-eps{epsilon:g}",
        table={"d": list(_PLACES), "points": points, "reduction": learner, "tree": direct},
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """One run of the reduction.

    Attributes
    ----------
    picture : Picture
    h : int
        Entries of each label.
    failure : str
        The probability that the solver fails.
    mistakes, allowed : int
        The most mistakes of a threshold that can come out, and h - 1.
    """

    picture: Picture
    h: int
    failure: str
    mistakes: int
    allowed: int


def reduced(m: int, seed: int, epsilon: float, beta: float, delta: float) -> Reduced:
    """Draw what the solver is given by a sample on `cascade`, and where its point may fall."""
    delta = delta or Tree().privacy_slack
    inner = halved(epsilon, delta)
    h = points_needed(BITS + 1, *inner, 0.5 * beta) // 2
    law, j = catalog.distribution("interval", "cascade"), target(BITS, "alternating")
    rng = np.random.default_rng(seed)
    sample = law.draw(m=m, d=BITS, alpha=0.1, rng=rng)
    entries = halves(sample, h)
    found, lump = solved(entries, Solver.of(BITS + 1, *inner))
    outputs = {z: share for z, share in found.items() if share > 0.0}
    x = [sample.points[i] for i in sample.index.tolist()]
    wrong = {z: sum((p < threshold(z)) != y for p, y in zip(x, sample.labels.tolist(), strict=True))
             for z in outputs}  # fmt: skip
    data: list[dict[str, Any]] = []
    for name, part, colour in (("h largest positives, at 2x", entries[:h], ONE),
                               ("h smallest negatives, at 2x − 1", entries[h:], ZERO)):  # fmt: skip
        at, counts = np.unique(np.array(part), return_counts=True)
        trace = bar(at, counts, name, colour, width=0.8)
        data.append(trace | hover("z = %{x}: %{y:,} entries", name))
    said = [f"z = {z}, c_{threshold(z)}: probability {chance(math.log(p))}, {wrong[z]} mistakes"
            for z, p in outputs.items()]  # fmt: skip
    dots = marks(
        list(outputs), list(outputs.values()), "where z may fall: probability", TEAL, "diamond", 11
    )
    data.append(dots | told(said) | {"yaxis": "y2"})
    layout = {
        "barmode": "overlay",
        "xaxis": axis("position z, of d + 1 bits", (0.0, float((2 << BITS) + 1)), zoom="reduction"),
        "yaxis": axis("entries", zoom="reduction"),
        "yaxis2": axis(
            "probability",
            (0.0, 1.05),
            at=[0, 0.5, 1],
            texts=["0", "½", "1"],
            overlaying="y",
            side="right",
            showgrid=False,
        ),
        "shapes": [upright(2 * j - 1.5, "x", "y2", (0.0, 1.05))],
        "legend": below(0.26),
    }
    most = max(wrong.values(), default=0)
    return Reduced(
        Picture(
            figure={"data": data, "layout": layout},
            title="From labels to an interior point and back",
            caption=(
                f"cascade, d = {BITS}, m = {m:,}, {_setting(epsilon, delta)}; the solver has "
                f"ε/2 and δ/(1 + exp(ε/2)). Dashed: the target, j = {j}. z means the threshold "
                "⌊z/2⌋ + 1."
            ),
            summary=f"The solver fails with probability {chance(math.log(lump))}; " + "; ".join(said) + ".",
            filename=f"privsc-reduction-m{m}-seed{seed}",
            table={"z": list(outputs), "threshold": [threshold(z) for z in outputs],
                   "probability": list(outputs.values()), "mistakes": list(wrong.values())},
        ),
        h, chance(math.log(lump)), most, h - 1,
    )  # fmt: skip


def _setting(epsilon: float, delta: float) -> str:
    return f"ε = {number(epsilon)}, δ = {number(delta)}"
