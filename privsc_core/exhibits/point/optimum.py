"""How good a proper private learner of points can be: success over votes, over m, over d."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from privsc_core import catalog, progress
from privsc_core.concepts.contracts.style import IMPOSSIBLE, RED
from privsc_core.concepts.shared.inequalities import halfway_steps
from privsc_core.concepts.shared.votes import log_named, log_unnamed, named, taxed, unnamed, untaxed
from privsc_core.draw.picture import columns, plains, plot
from privsc_core.draw.style import integer, number, share
from privsc_core.draw.traces import (
    GREY,
    QUIET,
    THIN,
    axis,
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
from privsc_core.exhibits.point.program import solve
from privsc_core.exhibits.point.proof import MOVES, along, edges, steps
from privsc_core.numerics import expectations
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.draw.picture import Picture
    from privsc_core.draw.traces import Trace
    from privsc_core.exhibits.point.proof import Step


_CONCEPT = "point"
_LEARNERS = ("margin", "permute-and-flip", "exponential")  # in the order in which they are drawn
_NAMES = {
    "packing": "packing (P)",
    "packing-two": "halfway (P2)",
    "margin": "margin learner",
    "permute-and-flip": "permute-and-flip",
    "exponential": "exponential mechanism",
}
_BOUNDS = {"packing": (1, "dot"), "packing-two": (THIN, "dash")}
_POINTS, _STEEP = 120, 60


def _curve(
    name: str, x: NDArray[np.float64], y: NDArray[np.float64], says: str, **more: Any
) -> Trace:
    """Return a curve in the style of its learner, or of lower bounds."""
    if name in _BOUNDS:
        width, dash = _BOUNDS[name]
        found = line(x, y, _NAMES[name], RED, width=width, dash=dash)
    else:
        found = line(x, y, _NAMES[name], catalog.concept(_CONCEPT).style_of(name))
    return found | hover(f"{_NAMES[name]}: {says}") | {"uid": name, "of": name} | more


def _across(at: float, ends: tuple[float, float]) -> Trace:
    return stroke(ends, (at, at), GREY, dash="dot")


# --- Success over the number of votes: two slopes, and the optimum of a small instance -------------


@dataclass(frozen=True, slots=True, eq=False)
class OverVotes:
    """Log odds of success where the target alone has votes, k of them.

    Attributes
    ----------
    k : ndarray
    packing, packing_two, margin, flip, mechanism : ndarray
        Bounds, and learners over votes.
    free, half : float
        p0, and the k at which the margin learner passes one half.
    """

    k: NDArray[np.float64]
    packing: NDArray[np.float64]
    packing_two: NDArray[np.float64]
    margin: NDArray[np.float64]
    flip: NDArray[np.float64]
    mechanism: NDArray[np.float64]
    free: float
    half: float


def over_votes(
    k: NDArray[np.float64], log_n: float, log_rivals: float, epsilon: float
) -> OverVotes:
    """Return log odds over the number of votes.

    Parameters
    ----------
    k : ndarray
        Votes of the target; the other candidates have none.
    log_n : float
        Log of the number N of candidates.
    log_rivals : float
        Log of n - 1, what the bounds count.
    epsilon : float
    """
    n, rivals, loss = np.array(log_n), np.array(log_rivals), np.array(epsilon)
    steps, spent = halfway_steps(k, rivals, loss)
    x = np.minimum(epsilon * k, 0.5 * (epsilon * k + untaxed(n)))
    # Named, or by luck; in logarithms, because with many candidates no float holds these chances.
    missed = log_unnamed(x, n)
    kept = np.logaddexp(log_named(x, n), missed - log_n)
    lost = missed + np.log(-np.expm1(-log_n))
    log_q = -0.5 * epsilon * k
    free = float(untaxed(n)) / epsilon
    with np.errstate(divide="ignore"):
        return OverVotes(
            k=k, packing=epsilon * k - log_rivals,
            # Without a step it is packing, also where no float holds the chance.
            packing_two=np.where(
                steps > 0.0, np.log(-np.expm1(-spent)) + spent, epsilon * k - log_rivals
            ),
            margin=kept - lost,
            flip=np.log(expectations.reached(n, log_q)) - np.log(expectations.missed(n, log_q)),
            mechanism=-log_q - (log_n + np.log1p(-np.exp(-log_n))), free=free,
            half=2.0 * float(np.logaddexp(log_n, -np.log(2.0))) / epsilon - free,
        )  # fmt: skip


def slopes(d: int, epsilon: float) -> Picture:
    """Draw log odds of success over the votes of the target."""
    log_n, rivals = log_domain_scalar(d), log_domain_scalar(max(d, 2), 2)
    last = 2.2 * max(log_n, 2.0) / epsilon + 2.0
    k = np.unique(np.round(np.linspace(0.0, last, 2 * _POINTS)))
    found = over_votes(k, log_n, rivals, epsilon)
    odds = (
        ("packing", found.packing),
        ("packing-two", found.packing_two),
        ("margin", found.margin),
        ("exponential", found.mechanism),
    )
    data = [_curve(name, k, y, "k = %{x:,.0f}, log odds %{y:.2f}") for name, y in odds]
    # Only to the bend of the optimum, and as far again, is there anything to see.
    span = (float(found.packing[0]) - 2.0, float(np.max(found.packing_two)) + 2.0)
    at = float(np.interp(0.0, found.margin, k))
    gap = at - float(np.interp(0.0, found.packing_two, k))
    ends = (0.0, float(k[-1]))
    return plot(
        [*data, words([at], [0.0], [" one half"], "half", "bottom right")],
        axis("k, votes for the target, none for others", ends),
        axis("log odds of success", span),
        shapes=[_across(0.0, ends)],
        title="Slope ε up to one half, then ε/2: the margin learner is "
        f"{max(gap, 0.0):.2g} votes behind the optimum's edge at one half",
        caption=f"POINT_d, d = {d:,}, ε = {number(epsilon)}. The packing bound has slope ε, and the exponential "
        "mechanism slope ε/2. The halfway bound and the margin learner have slope about ε up to success one half and "
        "ε/2 beyond. Exact.",
        summary=f"Log odds of success over the number of votes. Success exceeds one half from about k = {at:.3g} on, "
        "with the margin learner.",
        filename=f"privsc-optimum-slopes-d{d}-eps{epsilon:g}",
        table=columns(data, "k"),
    )


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
    """Solve the linear program of an instance and draw it beside bounds and learners over votes.

    Raises
    ------
    InputError
        Where the program would be too large.
    """
    found = solve(n, m, epsilon)
    k = np.arange(m + 1, dtype=np.float64)
    odds = over_votes(k, float(np.log(n)), float(np.log(n - 1)), epsilon)
    chances = {
        name: 1.0 / (1.0 + np.exp(-values))
        for name, values in (
            ("packing", odds.packing),
            ("packing-two", odds.packing_two),
            ("margin", odds.margin),
            ("permute-and-flip", odds.flip),
            ("exponential", odds.mechanism),
        )
    }
    says = "k = %{x:,.0f}, %{y:.6f}"
    data = [_curve(name, k, y, says) for name, y in chances.items()]
    table = columns(data, "k")
    optimum = marks(k, found.success, "optimum found", GREY, "circle-open", 13, edge=2)
    data.append(optimum | hover("optimum found: " + says))
    gap = float(np.abs(found.success - chances["packing-two"]).max())
    told = "is" if gap < 1e-7 else "is not"
    picture = plot(
        data,
        axis("k, votes for the target", (-0.3, m + 0.3)),
        axis("probability of the target", (0.0, 1.03)),
        title=f"The optimum {told} the halfway bound: largest difference {gap:.1e}",
        caption=f"N = {n:,} candidates, m = {m} examples, ε = {number(epsilon)}; an example may have no vote, so the "
        f"bounds take n = N. {found.variables:,} unknowns, {found.rows:,} inequalities, {found.bases:,} databases up "
        "to renaming.",
        summary=f"The linear program's optimum differs from the halfway bound by at most {gap:.1e}.",
        filename=f"privsc-optimum-program-n{n}-m{m}-eps{epsilon:g}",
        table=table | {"optimum": plains(found.success)},
    )
    limit = float(chances["packing-two"].mean())
    return Found(picture, found.value, found.dual, limit, found.slip)


# --- Success and need on the hard distribution ----------------------------------------------------


def successes(d: int, epsilon: float, alpha: float, beta: float) -> Picture:
    """Draw success on the hard distribution over m, with what is impossible shaded."""
    at: dict[str, Any] = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    law = catalog.distribution(_CONCEPT, "hard")
    least = {
        name: float(bound(catalog.bound(_CONCEPT, name), **at).m) for name in reversed(_BOUNDS)
    }
    with progress.stage(0.0, 0.6):
        for name in progress.steps(_LEARNERS):
            least[name] = float(need(catalog.learner(_CONCEPT, name), law, **at).m)
    low, high = max(1.0, 0.3 * least["packing-two"]), 1.7 * max(least.values())
    around = [np.geomspace(x / 1.25, x * 1.25, _STEEP) for x in least.values()]
    m = np.concatenate([np.geomspace(low, high, _POINTS), *around])
    m = np.unique(np.round(m.clip(low, high)))
    whole, ones, goal = m.astype(np.int64), np.ones(m.shape), 1.0 - beta
    data = []
    for name in least:
        if name in _LEARNERS:
            y = success(catalog.learner(_CONCEPT, name), law, m=whole, **at).value
        else:
            limit = bound_limit(catalog.bound(_CONCEPT, name), m=whole, **at)
            y = ones if limit is None else limit
        data.append(_curve(name, m, y, "m = %{x:,.0f}, %{y:.3f}"))
    table = columns(data, "m")
    data[0] |= {"fill": "tonexty", "fillcolor": IMPOSSIBLE}
    data.insert(0, line(m, ones, "ceiling", RED, width=0) | QUIET)
    for place, name in enumerate(("packing-two", *_LEARNERS)):
        if math.isfinite(least[name]):
            colour = RED
            if name in _LEARNERS:
                colour = catalog.concept(_CONCEPT).style_of(name).colour
            side = "bottom right" if place % 2 else "top left"
            number_at = [f" <b>{integer(least[name])}</b> "]
            data.append(words([least[name]], [goal], number_at, f"{name} at", side, colour))
    ends = (float(m[0]), float(m[-1]))
    ours, old, none = (integer(least[x]) for x in ("margin", "exponential", "packing-two"))
    return plot(
        data,
        log_axis(ends, "number of labelled examples m"),
        axis("probability of success", (0.0, 1.03)),
        shapes=[_across(goal, ends)],
        title=f"{ours} examples in place of {old}; fewer than {none} are impossible",
        caption=f"Hard distribution only, d = {d:,}, ε = {number(epsilon)}, α = {alpha:g}, β = {beta:g}. "
        "Red: impossible for every proper, purely private learner, on average over the targets. "
        "Exact.",
        summary=f"On the hard distribution success {goal:g} takes {ours} examples with the margin "
        f"learner, {old} with the exponential mechanism; fewer than {none} are impossible.",
        filename=f"privsc-optimum-success-d{d}-eps{epsilon:g}",
        table=table,
    )


_D = (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 128, 256, 1024, 4096, 16384, 10**5, 10**6)


def needed(d: int, epsilon: float, alpha: float, beta: float) -> Picture:
    """Draw least m over d, and beside it the ratio to the halfway bound."""
    at: dict[str, Any] = {"d": np.array(_D), "epsilon": epsilon, "alpha": alpha, "beta": beta}
    law = catalog.distribution(_CONCEPT, "hard")
    least = {
        name: bound(catalog.bound(_CONCEPT, name), **at).m
        if name in _BOUNDS
        else need(catalog.learner(_CONCEPT, name), law, **at).m
        for name in progress.steps((*_BOUNDS, *_LEARNERS))
    }
    x, floor = np.array(_D, dtype=np.float64), least["packing-two"]
    data, table = [], {"d": plains(x)}
    right = {"xaxis": "x2", "yaxis": "y2", "showlegend": False}
    for name, m in least.items():
        data.append(_curve(name, x, m, "d = %{x:,.0f}, m = %{y:,.0f}", legendgroup=name))
        again = _curve(name, x, m / floor, "d = %{x:,.0f}, %{y:.3f} times", legendgroup=name)
        data.append(again | right | {"uid": f"{name} ratio"})
        table |= {name: plains(m), f"{name} / packing-two": plains(m / floor)}
    ends = (float(x[0]), float(x[-1]))
    top = float(np.nanmax(least["exponential"]))
    old, ours = (float(least[name][-1] / floor[-1]) for name in ("exponential", "margin"))
    return plot(
        data,
        log_axis(ends, "bits d", domain=[0.0, 0.45]),
        log_axis((float(floor.min()) / 1.5, top * 1.5), "least m, hard only"),
        xaxis2=log_axis(ends, "bits d", domain=[0.57, 1.0], anchor="y2", uirevision="need"),
        yaxis2=axis("ratio to (P2)", (0.8, 2.1), zoom="ratio", anchor="x2"),
        title=f"In d the ratio to the bound tends to {ours:.3f}, where it was {old:.2f}",
        caption=f"Hard distribution only, ε = {number(epsilon)}, α = {alpha:g}, β = {beta:g}; the page's "
        f"d is {d:,}. Where T ≤ 1/(αβ) the margin learner has no guarantee, and at the very smallest "
        "d permute-and-flip needs fewer. Exact.",
        summary=f"Least m over d. At d = {integer(ends[1])} the margin learner needs {ours:.4f} times "
        f"the bound, the exponential mechanism {old:.3f} times.",
        filename=f"privsc-optimum-need-eps{epsilon:g}",
        table=table,
    )


# --- The price: votes for others too --------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Price:
    """Success on databases with votes for others too, which fit no concept.

    Attributes
    ----------
    others : ndarray
        V, all of them for one other candidate.
    margin, mechanism : ndarray
        Success of the margin learner, and of the exponential mechanism over votes.
    safe : float
        The V beyond which the margin learner falls below one half.
    """

    others: NDArray[np.float64]
    margin: NDArray[np.float64]
    mechanism: NDArray[np.float64]
    safe: float


def price(votes: int, others: NDArray[np.float64], d: int, epsilon: float) -> Price:
    """Return success with `votes` for the target and V for one other candidate."""
    log_n = log_domain_scalar(d)
    total = epsilon * (votes + others)
    own = taxed(np.full(others.shape, epsilon * votes), total, log_n)
    rival = taxed(epsilon * others, total, log_n)
    top, second = np.maximum(own, rival), np.minimum(own, rival)
    guess = unnamed(top, log_n) - named(second, log_n)
    kept = named(own, log_n) + guess * np.exp(-log_n)
    half = (
        2.0 * float(np.logaddexp(log_n, -np.log(2.0))) / epsilon - float(untaxed(log_n)) / epsilon
    )
    crowd = log_domain_scalar(d, 2)
    odds = np.logaddexp(0.5 * epsilon * others, crowd) - 0.5 * epsilon * votes
    return Price(others, kept, np.asarray(special.expit(-odds)), votes - half)


def traded(votes: int, d: int, epsilon: float) -> Picture:
    """Draw success over the votes for another candidate."""
    others = np.linspace(0.0, 1.5 * votes, 2 * _POINTS)
    found = price(votes, others, d, epsilon)
    data = [
        _curve(name, others, y, "V = %{x:,.0f}, %{y:.4f}")
        for name, y in (("margin", found.margin), ("exponential", found.mechanism))
    ]
    safe = [stroke((found.safe, found.safe), (0.0, 1.03), GREY, dash="dot")]
    title = (
        f"With V above {found.safe:.3g} the margin learner rather guesses"
        if found.safe > 0
        else f"{votes} votes are too few for a likely answer, with or without votes for others"
    )
    return plot(
        data,
        axis("V, votes for another point", (0.0, float(others[-1]))),
        axis("probability of the target", (0.0, 1.03)),
        shapes=safe if found.safe > 0 else [],
        title=title,
        caption=f"A database that no concept fits: {votes} votes for the target, V for one other point, d = {d:,}, ε "
        f"= {number(epsilon)}. With the margin learner the target needs about log(2T)/ε more votes than all other "
        "points together. With the exponential mechanism it needs only a small lead. Samples of a concept have V = "
        "0. Exact.",
        summary=f"{title}: {share(float(found.margin[0]))} at V = 0.",
        filename=f"privsc-optimum-price-d{d}-eps{epsilon:g}-k{votes}",
        table=columns(data, "V"),
    )


# --- The proof, along one replacement -------------------------------------------------------------


MOST_BITS = 600  # of the proof: with more no float holds the chances that it compares
_ALONG = 241


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
    picture = _along(votes, move, log_n, epsilon, h)
    free, half = edges(log_n, epsilon)
    return Checked(picture, steps(votes, move, log_n, epsilon, h), free, half, possible, bits)


def _along(votes: tuple[int, int], move: str, log_n: float, epsilon: float, h: float) -> Picture:
    """Draw how every log probability changes along a replacement, as a share of eps."""
    found = along(votes, move, log_n, epsilon, _ALONG)
    names = ("candidate 1", "candidate 2", "candidate 3", "any other")
    colour = catalog.concept(_CONCEPT).style_of("margin").colour
    dashes = ("solid", "dash", "dashdot", "dot")
    data = [
        line(found.h, row, name, colour, dash=dash)
        | hover(f"{name}: h = %{{x:.2f}}: %{{y:.4f}} of ε")
        for row, name, dash in zip(found.ratio, names, dashes, strict=True)
    ]
    here = [float(np.interp(h, found.h, row)) for row in found.ratio]
    ends, worst = (0.0, 1.0), float(np.abs(found.ratio).max())
    return plot(
        [*data, marks([h] * 4, here, "this h", colour, "circle", 11) | QUIET],
        axis("h, from one database to its neighbour", ends),
        axis("(dP/dh) / (εP)", (-1.15, 1.15), at=[-1, -0.5, 0, 0.5, 1]),
        shapes=[
            *(stroke(ends, (y, y), RED, dash="solid") for y in (-1.0, 1.0)),
            stroke((h, h), (-1.15, 1.15), GREY, dash="dot"),
        ],
        title=f"Every change stays within ε: at most {worst:.3f} of it here",
        caption="Votes change linearly from one database to the other. Red: what privacy allows. The derivatives are "
        "exact. The slope jumps where the subtraction of votes begins, or where a candidate has no votes left.",
        summary=(
            f"While the example is replaced, no log probability changes faster than {worst:.3f} times ε."
        ),
        filename="privsc-optimum-along",
        table=columns(data, "h"),
    )
