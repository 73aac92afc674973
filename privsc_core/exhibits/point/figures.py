"""The figures of the optimum: two slopes, success, need and ratio, the price."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.contracts.style import BOUND_STYLES, IMPOSSIBLE, TEAL
from privsc_core.draw.figures import plains
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import integer, number, share
from privsc_core.draw.traces import (
    AMBER,
    GREY,
    MUTE,
    QUIET,
    THIN,
    Trace,
    axis,
    below,
    hover,
    line,
    log_axis,
    marks,
    stroke,
    words,
)
from privsc_core.evaluate.bounds import bound, bound_limit
from privsc_core.evaluate.need import need
from privsc_core.evaluate.success import success
from privsc_core.exhibits.point.optimum import LEARNERS, needs, over_votes, price
from privsc_core.exhibits.point.program import solve
from privsc_core.exhibits.point.proof import MOVES, along, edges, steps
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.exhibits.point.optimum import Needs, OverVotes, Price
    from privsc_core.exhibits.point.program import Solved
    from privsc_core.exhibits.point.proof import Along, Step


_RED = BOUND_STYLES["lower"].colour
_CONCEPT = "point"
_NAMES = {
    "packing": "packing (P)", "packing-two": "halfway (P2)", "margin": "margin learner",
    "permute-and-flip": "permute-and-flip", "exponential": "exponential mechanism",
}  # fmt: skip


def _curve(
    name: str, x: NDArray[np.float64], y: NDArray[np.float64], says: str, **more: Any
) -> Trace:
    """Return a curve in the style of its learner, or of lower bounds."""
    title = _NAMES[name]
    if name.startswith("packing"):
        width, dash = (THIN, "dash") if name == "packing-two" else (1, "dot")
        found = line(x, y, title, _RED, uid=name, width=width, dash=dash)
    else:
        style = catalog.concept(_CONCEPT).style_of(name)
        found = line(x, y, title, style.colour, dash=style.dash, uid=name)
    return found | hover(f"{title}: {says}") | more


def _picture(
    what: str, title: str, data: list[Trace], layout: dict[str, Any], caption: str, summary: str,
    table: dict[str, list[Any]],
) -> Picture:  # fmt: skip
    return Picture(
        figure={"data": data, "layout": layout | {"legend": below(0.2)}}, title=title,
        caption=caption, summary=summary, filename=f"privsc-optimum-{what}", table=table,
    )  # fmt: skip


def slopes_figure(found: OverVotes, d: int, epsilon: float) -> Picture:
    """Draw log odds of success over the votes of the target."""
    k = found.k
    rows = {
        "packing": found.packing, "packing-two": found.packing_two, "margin": found.margin,
        "exponential": found.mechanism,
    }  # fmt: skip
    says = "k = %{x:,.0f}, log odds %{y:.2f}"
    data = [_curve(name, k, y, says) for name, y in rows.items()]
    # Only to the bend of the optimum, and as far again, is there anything to see.
    span = (float(found.packing[0]) - 2.0, float(np.max(found.packing_two)) + 2.0)
    at = float(np.interp(0.0, found.margin, k))
    data.append(words([at], [0.0], [" one half"], "half", "bottom right"))
    layout = {
        "xaxis": axis(
            "k, votes for the target, none for others", (0.0, float(k[-1])), zoom="slopes"
        ),
        "yaxis": axis("log odds of success", span, zoom="slopes"),
        "shapes": [stroke((0.0, float(k[-1])), (0.0, 0.0), GREY, dash="dot")],
    }
    gap = at - float(np.interp(0.0, found.packing_two, k))
    return _picture(
        f"slopes-d{d}-eps{epsilon:g}",
        "Up with slope ε, on with slope ε/2: the margin learner is "
        f"{max(gap, 0.0):.2g} votes behind the optimum's edge at one half",
        data, layout,
        f"POINT_d, d = {d:,}, ε = {number(epsilon)}. Packing is a line of slope ε, the exponential "
        "mechanism over votes one of slope ε/2. The halfway bound and the margin learner climb with "
        "about ε up to one half and go on with ε/2. Exact.",
        f"Log odds of success over the number of votes. One half is passed at about k = {at:.3g} by "
        "the margin learner.",
        {"k": plains(k)} | {name: plains(y) for name, y in rows.items()},
    )  # fmt: skip


def success_figure(
    m: NDArray[np.float64], rows: dict[str, NDArray[np.float64]], least: dict[str, float],
    d: int, epsilon: float, alpha: float, beta: float,
) -> Picture:  # fmt: skip
    """Draw success on the hard distribution over m, with what is impossible shaded."""
    says = "m = %{x:,.0f}, %{y:.3f}"
    two = rows["packing-two"]
    ceiling = line(m, np.ones_like(m), "ceiling", _RED, width=0, uid="ceiling") | QUIET
    edge = _curve("packing-two", m, two, says, fill="tonexty", fillcolor=IMPOSSIBLE)
    data = [ceiling, edge]
    data += [_curve(name, m, y, says) for name, y in rows.items() if name != "packing-two"]
    goal = 1.0 - beta
    for place, (name, at) in enumerate(least.items()):
        if name != "packing" and math.isfinite(at):
            colour = (
                _RED
                if name.startswith("packing")
                else catalog.concept(_CONCEPT).style_of(name).colour
            )
            where = "top left" if place % 2 else "bottom right"
            data.append(
                words([at], [goal], [f" <b>{integer(at)}</b> "], f"{name} at", where, colour)
            )
    layout = {
        "xaxis": log_axis(
            (float(m[0]), float(m[-1])), "number of labelled examples m", uirevision="s"
        ),
        "yaxis": axis("probability of success", (0.0, 1.03), zoom="success"),
        "shapes": [stroke((float(m[0]), float(m[-1])), (goal, goal), GREY, dash="dot")],
    }
    ours, old, none = (integer(least[x]) for x in ("margin", "exponential", "packing-two"))
    return _picture(
        f"success-d{d}-eps{epsilon:g}",
        f"{ours} examples in place of {old}; fewer than {none} are impossible",
        data, layout,
        f"Hard distribution only, d = {d:,}, ε = {number(epsilon)}, α = {alpha:g}, β = {beta:g}. Red: "
        "no proper, purely private learner can be above, on average over the targets. Exact.",
        f"On the hard distribution success {goal:g} takes {ours} examples with the margin learner, "
        f"{old} with the exponential mechanism; fewer than {none} are impossible.",
        {"m": plains(m)} | {name: plains(y) for name, y in rows.items()},
    )  # fmt: skip


def need_figure(found: Needs, d: int, epsilon: float, alpha: float, beta: float) -> Picture:
    """Draw least m over d, and beside it the ratio to the halfway bound."""
    x = found.d.astype(np.float64)
    floor = found.rows["packing-two"]
    data, table = [], {"d": plains(x)}
    right = {"xaxis": "x2", "yaxis": "y2", "showlegend": False}
    for name, m in found.rows.items():
        data.append(_curve(name, x, m, "d = %{x:,.0f}, m = %{y:,.0f}", legendgroup=name))
        ratio = m / floor
        again = _curve(name, x, ratio, "d = %{x:,.0f}, %{y:.3f} times", legendgroup=name)
        data.append(again | right | {"uid": f"{name} ratio"})
        table |= {name: plains(m), f"{name} / packing-two": plains(ratio)}
    ends = (float(x[0]), float(x[-1]))
    top = float(np.nanmax(found.rows["exponential"]))
    layout = {
        "xaxis": log_axis(ends, "bits d", domain=[0.0, 0.45], uirevision="need"),
        "yaxis": log_axis(
            (float(floor.min()) / 1.5, top * 1.5), "least m, hard only", uirevision="need"
        ),
        "xaxis2": log_axis(ends, "bits d", domain=[0.57, 1.0], anchor="y2", uirevision="need"),
        "yaxis2": axis("ratio to (P2)", (0.8, 2.1), zoom="ratio", anchor="x2"),
    }
    old, ours = (float(found.rows[name][-1] / floor[-1]) for name in ("exponential", "margin"))
    return _picture(
        f"need-eps{epsilon:g}",
        f"In d the ratio to the bound tends to {ours:.3f}, where it was {old:.2f}",
        data, layout,
        f"Hard distribution only, ε = {number(epsilon)}, α = {alpha:g}, β = {beta:g}; the page's d is "
        f"{d:,}. Where T ≤ 1/(αβ) the margin learner has no guarantee, and at the very smallest d "
        "permute-and-flip needs fewer. Exact.",
        f"Least m over d. At d = {integer(ends[1])} the margin learner needs {ours:.4f} times the "
        f"bound, the exponential mechanism {old:.3f} times.",
        table,
    )  # fmt: skip


def price_figure(found: Price, votes: int, d: int, epsilon: float) -> Picture:
    """Draw success over the votes for another candidate."""
    says = "V = %{x:,.0f}, %{y:.4f}"
    data = [
        _curve("margin", found.others, found.margin, says),
        _curve("exponential", found.others, found.mechanism, says),
    ]
    shapes = (
        [stroke((found.safe, found.safe), (0.0, 1.03), GREY, dash="dot")] if found.safe > 0 else []
    )
    layout = {
        "xaxis": axis("V, votes for another point", (0.0, float(found.others[-1])), zoom="price"),
        "yaxis": axis("probability of the target", (0.0, 1.03), zoom="price"),
        "shapes": shapes,
    }
    title = (
        f"With V above {found.safe:.3g} the margin learner rather guesses"
        if found.safe > 0
        else f"{votes} votes are too few for a sure name, with or without others"
    )
    return _picture(
        f"price-d{d}-eps{epsilon:g}-k{votes}", title, data, layout,
        f"A database that no concept fits: {votes} votes for the target, V for one other point, d = "
        f"{d:,}, ε = {number(epsilon)}. The margin learner asks for an excess over all others of about "
        "log(2T)/ε votes; the exponential mechanism (over votes) for a small lead. Samples of a concept "
        "have V = 0. Exact.",
        f"{title}: {share(float(found.margin[0]))} at V = 0.",
        {"V": plains(found.others), "margin": plains(found.margin),
         "exponential": plains(found.mechanism)},
    )  # fmt: skip


def program_figure(found: Solved, curves: OverVotes, n: int, epsilon: float) -> Picture:
    """Draw the optimum that was found over k, with bounds and learners over votes."""
    k = curves.k

    def chance(odds: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(1.0 / (1.0 + np.exp(-odds)))

    rows = {
        "packing": chance(curves.packing), "packing-two": chance(curves.packing_two),
        "margin": chance(curves.margin), "permute-and-flip": chance(curves.flip),
        "exponential": chance(curves.mechanism),
    }  # fmt: skip
    says = "k = %{x:,.0f}, %{y:.6f}"
    data = [_curve(name, k, y, says) for name, y in rows.items()]
    optimum = marks(k, found.success, "optimum found", GREY, "circle-open", 13, edge=2)
    data.append(optimum | hover("optimum found: " + says))
    layout = {
        "xaxis": axis("k, votes for the target", (-0.3, float(k[-1]) + 0.3), zoom="program"),
        "yaxis": axis("probability of the target", (0.0, 1.03), zoom="program"),
    }
    gap = float(np.abs(found.success - rows["packing-two"]).max())
    told = "is" if gap < 1e-7 else "is not"
    return _picture(
        f"program-n{n}-m{k.size - 1}-eps{epsilon:g}",
        f"The optimum {told} the halfway bound: largest difference {gap:.1e}",
        data, layout,
        f"N = {n:,} candidates, m = {k.size - 1} records, ε = {number(epsilon)}; a record may abstain, "
        f"so the bounds count n = N. {found.variables:,} unknowns, {found.rows:,} inequalities, "
        f"{found.bases:,} databases up to renaming.",
        f"The linear program's optimum differs from the halfway bound by at most {gap:.1e}.",
        {"k": plains(k), "optimum": plains(found.success)}
        | {name: plains(y) for name, y in rows.items()},
    )  # fmt: skip


def along_figure(found: Along, h: float, names: tuple[str, ...]) -> Picture:
    """Draw how every log probability changes along a replacement, as a share of eps."""
    style = catalog.concept(_CONCEPT).style_of("margin")
    colours = (style.colour, AMBER, TEAL, GREY)
    dashes = ("solid", "dash", "dashdot", "dot")
    says = "h = %{x:.2f}: %{y:.4f} of ε"
    data = [
        line(found.h, row, name, colour, dash=dash) | hover(f"{name}: {says}")
        for row, name, colour, dash in zip(found.ratio, names, colours, dashes, strict=True)
    ]
    here = [float(np.interp(h, found.h, row)) for row in found.ratio]
    data.append(
        marks([h] * 4, here, "this h", list(colours), "circle", 11) | MUTE | {"showlegend": False}
    )
    ends = (0.0, 1.0)
    layout = {
        "xaxis": axis("h, from one database to its neighbour", ends, zoom="along"),
        "yaxis": axis("(dP/dh) / (εP)", (-1.15, 1.15), at=[-1, -0.5, 0, 0.5, 1], zoom="along"),
        "shapes": [
            *(stroke(ends, (y, y), _RED, dash="solid") for y in (-1.0, 1.0)),
            stroke((h, h), (-1.15, 1.15), GREY, dash="dot"),
        ],
    }
    worst = float(np.abs(found.ratio).max())
    return _picture(
        "along", f"Every change stays within ε: at most {worst:.3f} of it here", data, layout,
        "Real votes on the straight line between the two databases; red: what privacy allows. Exact "
        "derivatives; a kink is where the tax sets in or somebody has nothing left.",
        f"Along the replacement no log probability changes by more than {worst:.3f} times ε.",
        {"h": plains(found.h)} | {n: plains(r) for n, r in zip(names, found.ratio, strict=True)},
    )  # fmt: skip


# --- What the exhibits of points show, from values that can be a key: computed and drawn ---------


MOST_BITS = 600  # of the proof: with more no float holds the chances that it compares
_POINTS, _STEEP = 120, 60
_ALONG = 241
_D = (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 128, 256, 1024, 4096, 16384, 10**5, 10**6)


def slopes(d: int, epsilon: float) -> Picture:
    """Draw log odds over votes: packing, halfway, margin, exponential."""
    log_n, rivals = log_domain_scalar(d), log_domain_scalar(max(d, 2), 2)
    last = 2.2 * max(log_n, 2.0) / epsilon + 2.0
    k = np.unique(np.round(np.linspace(0.0, last, 2 * _POINTS)))
    return slopes_figure(over_votes(k, log_n, rivals, epsilon), d, epsilon)


def successes(d: int, epsilon: float, alpha: float, beta: float) -> Picture:
    """Draw success on the hard distribution over m."""
    at: dict[str, Any] = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    law = catalog.distribution("point", "hard")
    least = {
        name: float(bound(catalog.bound("point", name), **at).m)
        for name in ("packing", "packing-two")
    }
    with progress.stage(0.0, 0.6):
        for name in progress.steps(LEARNERS):
            least[name] = float(need(catalog.learner("point", name), law, **at).m)
    low, high = max(1.0, 0.3 * least["packing-two"]), 1.7 * max(least.values())
    around = [np.geomspace(x / 1.25, x * 1.25, _STEEP) for x in least.values()]
    m = np.concatenate([np.geomspace(low, high, _POINTS), *around])
    m = np.unique(np.round(m.clip(low, high)))
    whole = m.astype(np.int64)
    rows = {}
    for name in least:
        if name in LEARNERS:
            rows[name] = success(catalog.learner("point", name), law, m=whole, **at).value
        else:
            limit = bound_limit(catalog.bound("point", name), m=whole, **at)
            rows[name] = np.ones(m.shape) if limit is None else limit
    return success_figure(m, rows, least, d, epsilon, alpha, beta)


def needed(d: int, epsilon: float, alpha: float, beta: float) -> Picture:
    """Draw least m and its ratio to the halfway bound over d."""
    return need_figure(needs(np.array(_D), epsilon, alpha, beta), d, epsilon, alpha, beta)


def traded(votes: int, d: int, epsilon: float) -> Picture:
    """Draw success over the votes for others."""
    others = np.linspace(0.0, 1.5 * votes, 2 * _POINTS)
    return price_figure(price(votes, others, d, epsilon), votes, d, epsilon)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A linear program that was solved.

    Attributes
    ----------
    picture : Picture
    value, dual, bound : float
        The optimum and the bound by its dual, both means over k, and that of the halfway bound.
    slip : float
        By how much the mechanism found breaks a constraint.
    """

    picture: Picture
    value: float
    dual: float
    bound: float
    slip: float


def program(n: int, m: int, epsilon: float) -> Found:
    """Solve the linear program of an instance and hold it against the bound.

    Raises
    ------
    InputError
        Where the program would be too large.
    """
    found = solve(n, m, epsilon)
    k = np.arange(m + 1, dtype=np.float64)
    curves = over_votes(k, float(np.log(n)), float(np.log(n - 1)), epsilon)
    limit = float((1.0 / (1.0 + np.exp(-curves.packing_two))).mean())
    picture = program_figure(found, curves, n, epsilon)
    return Found(picture, found.value, found.dual, limit, found.slip)


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """The proof along one replacement.

    Attributes
    ----------
    picture : Picture
    steps : tuple of Step
        The inequalities at h.
    free, half : float
        p0 and u1, in votes.
    possible : bool
        Whether there is a vote to take.
    bits : int
        The d that it is shown at.
    """

    picture: Picture
    steps: tuple[Step, ...]
    free: float
    half: float
    possible: bool
    bits: int


def checked(first: int, second: int, move: str, h: float, d: int, epsilon: float) -> Checked:
    """Follow one replacement, and check every inequality of the proof at h.

    Parameters
    ----------
    first, second : int
        Votes of candidates 1 and 2.
    move : str
        A key of `MOVES`.
    h : float
        In [0, 1].
    d : int
        At least 2: N = 2^d candidates; more than `MOST_BITS` are shown as so many.
    epsilon : float
    """
    bits = min(max(d, 2), MOST_BITS)
    log_n = log_domain_scalar(bits)
    source = MOVES[move][0]
    votes = (first, second)
    possible = source is None or votes[source] > 0
    if not possible:  # shown with one vote more, which there is to take
        votes = (max(first, 1), second) if source == 0 else (first, max(second, 1))
    names = ("candidate 1", "candidate 2", "candidate 3", "any other")
    picture = along_figure(along(votes, move, log_n, epsilon, _ALONG), h, names)
    free, half = edges(log_n, epsilon)
    return Checked(picture, steps(votes, move, log_n, epsilon, h), free, half, possible, bits)
