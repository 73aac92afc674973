"""The figures of the laboratory: coins on a tree, a learner on a class, classes of any size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from privsc_core.concepts.contracts.style import BLUE, faint, styled
from privsc_core.draw.picture import Picture, numbers, plains, plot
from privsc_core.draw.style import integer, number
from privsc_core.draw.traces import (
    GREY,
    PINK,
    STEEL,
    THIN,
    UNLISTED,
    around,
    axis,
    band,
    bar,
    fixed_axis,
    hover,
    joined,
    line,
    log_axis,
    marks,
    stroke,
)
from privsc_core.finite.families import priced
from privsc_core.finite.game import leaf_mistakes
from privsc_core.finite.ready import class_of
from privsc_core.finite.trial import trial

if TYPE_CHECKING:
    from privsc_core.finite import Dimensions
    from privsc_core.finite.families import Priced
    from privsc_core.finite.littlestone import Node
    from privsc_core.finite.report import Inequality, Quantity


def coins_picture(tree: Node, hypothesis: int) -> Picture:
    """Draw on how many leaves a hypothesis makes how many mistakes: coin tosses, whatever it is."""
    wrong = leaf_mistakes(tree, hypothesis)
    depth = len(wrong).bit_length() - 1
    x = list(range(depth + 1))
    counts = [wrong.count(i) for i in x]
    coins = [math.comb(depth, i) for i in x]
    data = [
        bar(x, counts, "leaves with so many mistakes", STEEL, width=0.72)
        | hover("%{x} mistakes on %{y} leaves"),
        marks(x, coins, "coin tosses", PINK, "line-ew-open", 30, edge=4)
        | hover(f"{depth} tosses of a coin: %{{y}} of {1 << depth}"),
    ]
    said = ", ".join(map(str, counts))
    return plot(
        data,
        fixed_axis((-0.6, depth + 0.6), "mistakes of h on the path", at=x),
        axis("leaves", (0.0, 1.15 * max(coins)), fixedrange=True),
        legend=0.3,
        title=f"Mistakes of h on the {1 << depth} paths",
        caption=(
            f"Exact: the hypothesis h makes 0 to {depth} mistakes on {said} leaves, the binomial numbers."
        ),
        summary=f"Bars of {said} leaves for 0 to {depth} mistakes, equal to the binomial numbers.",
        filename=f"privsc-laboratory-coins-{hypothesis}",
        table={"mistakes": x, "leaves": counts, "binomial": coins},
    )


def trial_picture(
    asked: str, target: int, weights: tuple[int, ...], *, epsilon: float, alpha: float,
    beta: float, seed: int,
) -> Picture:  # fmt: skip
    """Compute and draw how often the exponential mechanism finds a good row of a class."""
    of = class_of(asked)
    found = trial(of, target, weights, epsilon=epsilon, alpha=alpha, beta=beta, seed=seed)
    colour = BLUE
    data = [
        band(found.m, found.low, found.high, "95 %", faint(colour), uid="error band"),
        joined(found.m, found.value, "exponential mechanism, simulated", colour, "circle", 7)
        | hover("m = %{x}: success %{y:.3f}"),
        line(found.m, found.promised, "promised for every target and distribution", colour,
             dash="dash", width=THIN) | hover("m = %{x}: at least %{y:.3f}"),
    ]  # fmt: skip
    span = float(found.m[0]), float(max(found.m[-1], 1.2 * found.two_step))
    steps = [(found.one_step, colour, "dot"), (found.two_step, GREY, "dashdot")]
    enough = found.m[found.value >= 1.0 - beta]
    reached = f"{integer(float(enough[0]))} on this grid" if enough.size else "none drawn"
    told = (
        f"{found.good} of {len(of)} rows have error at most α. Success reaches 1 - β at m = {reached}; "
        f"promised from {found.one_step:,} on, by the survey's two steps from {found.two_step:,} on"
    )
    return plot(
        data,
        log_axis(span, "number of examples m"),
        axis("success probability", (0.0, 1.03), fixedrange=True),
        shapes=[
            stroke(span, (1 - beta, 1 - beta), GREY, dash="dot"),
            *(stroke((m, m), (0.0, 1.0), paint, dash=dash) for m, paint, dash in steps),
        ],
        legend=0.24,
        title=f"The exponential mechanism, target row {target + 1}",
        caption=f"{told} (upright lines). ε = {number(epsilon)}, α = {number(alpha)}, β = {number(beta)}; 400 "
        f"samples for each number, exact over the random bits of the mechanism; seed {seed}.",
        summary=f"Success probability against the number of examples. {told}.",
        filename=f"privsc-laboratory-trial-row{target + 1}",
        table={
            name: plains(numbers(values))
            for name, values in (
                ("m", found.m), ("success", found.value), ("low", found.low), ("high", found.high),
                ("promised", found.promised),
            )
        },
    )  # fmt: skip


def families_picture(
    axes: int, *, epsilon: float, alpha: float, beta: float
) -> tuple[tuple[Priced, ...], Picture]:
    """Compute and draw what pure privacy costs classes of any size, against bits of an axis."""
    found = priced(axes, epsilon=epsilon, alpha=alpha, beta=beta)
    data: list[dict[str, Any]] = []
    table: dict[str, list[Any]] = {
        "class": [], "b": [], "vc": [], "depth": [], "lower": [], "upper": []
    }  # fmt: skip
    # Both bounds speak of pure privacy and any answer; a family has a dash and a mark.
    for one, look in zip(found, styled(("improper",) * len(found)), strict=True):
        title = one.family.title
        lower = joined(one.b, one.lower, title, look)
        data.append(lower | hover("b = %{x}: impossible with fewer than %{y:,.0f}", title))
        upper = line(one.b, one.upper, f"{title}, enough", look.colour, dash=look.dash, width=1)
        data.append(upper | UNLISTED | hover("b = %{x}: %{y:,.0f} are enough", title))
        table["class"] += [title] * one.b.size
        for name in ("b", "vc", "depth", "lower", "upper"):
            table[name] += plains(getattr(one, name).astype(np.float64))
    ends = float(min(table["b"])), float(max(table["b"]))
    last = "; ".join(
        f"{o.family.title} {integer(float(o.lower[-1]))} to {integer(float(o.upper[-1]))}"
        for o in found
    )
    return found, plot(
        data,
        log_axis(ends, "bits of an axis b"),
        log_axis(around(data), "least number of examples m"),
        title=f"What pure privacy costs, k = {axes}",
        caption="Lines with marks: every ε-DP learner needs at least so many examples (Littlestone bound, our "
        f"constants). Thin lines: so many are enough (bound for finite classes). k = {axes} axes, ε = "
        f"{number(epsilon)}, α = {number(alpha)}, β = {number(beta)}.",
        summary=f"Least numbers of examples at b = {ends[1]:.0f}, needed to enough: {last}.",
        filename=f"privsc-laboratory-families-k{axes}-eps{epsilon:g}",
        table=table,
    )


# --- The dimensions of a class as bars, and its mistake tree as a picture and as text ------------


_LEVELS = 4  # of a tree that are drawn


@dataclass(frozen=True, slots=True)
class Bar:
    """One number and its bar: shares of the width, from `low`, which is sure, to `high`."""

    name: str
    title: str
    words: str
    text: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of a tree as it is drawn: its point, the answer that led there, what is below.

    `wrong` is whether that answer is a mistake of the hypothesis; a leaf's text counts them.
    """

    text: str
    answer: str
    below: tuple[Branch, ...]
    wrong: bool = False


def between(low: float, high: float) -> str:
    """Return a number, or the ends between which it lies."""
    return _plain(low) if math.isclose(low, high) else f"{_plain(low)} to {_plain(high)}"


def _plain(value: float) -> str:
    return f"{value:.4g}" if value < 10**6 else f"{value:.3g}"


def bars(found: Dimensions) -> tuple[Bar, ...]:
    """Return the bars, all on one logarithmic scale that begins at 0: log2(1 + value)."""
    top = max(_length(q.high) for q in found.quantities) or 1.0
    return tuple(_bar(q, top) for q in found.quantities)


def aloud(found: Dimensions) -> str:
    """Return a class and its dimensions in one sentence, for screen readers."""
    size = f"{len(found.of)} different concepts on {found.of.points} points"
    return f"{size}: {', '.join(f'{q.title} {between(q.low, q.high)}' for q in found.quantities)}."


def cards(found: Dimensions) -> tuple[tuple[str, str, str, Literal["accent", "plain"]], ...]:
    """Return label, number, meaning and tone of the dimensions that decide a cost or bound it."""
    said: tuple[tuple[str, str, Literal["accent", "plain"]], ...] = (
        ("representation", "decides the cost of pure privacy, up to constant factors", "accent"),
        ("littlestone", "bounds the cost of pure privacy from below", "plain"),
        ("vc", "decides the cost without privacy, up to constant factors", "plain"),
    )
    return tuple(
        (
            found[name].title, between(found[name].low, found[name].high),
            note if math.isclose(found[name].low, found[name].high) else f"{note}; the number lies between these two", tone,
        )
        for name, note, tone in said
    )  # fmt: skip


def answer(found: Dimensions) -> str:
    """Return which number of a class decides the cost of pure privacy, and what the others say, in Markdown."""
    dimension, mistakes, shattered = (
        between(found[n].low, found[n].high) for n in ("representation", "littlestone", "vc")
    )
    return (
        f"**The representation dimension decides: {dimension} here.** At fixed α and β the sample complexity of pure "
        "private learning, proper or not, is this dimension divided by ε, up to constant factors (Beimel, Nissim and "
        f"Stemmer 2013a). The Littlestone dimension, {mistakes} here, is only a lower bound (Feldman and Xiao 2014): "
        f"lines modulo p have 2, and their cost grows like log p. The VC dimension, {shattered} here, decides the "
        "cost without privacy."
    )


def _bar(q: Quantity, top: float) -> Bar:
    low, high = _length(q.low) / top, _length(q.high) / top
    return Bar(q.name, q.title, q.words, between(q.low, q.high), low, high)


def _length(value: float) -> float:
    return math.log2(1.0 + value)


def sides(entry: Inequality) -> tuple[str, str, str]:
    """Return both numbers of an inequality, and what stands between them."""
    sign = "<" if entry.strict else "=" if entry.tight else "≤"
    return _plain(entry.low), sign, _plain(entry.high)


def branches(tree: Node, hypothesis: int = 0) -> Branch:
    """Return the upper levels of a mistake tree to be drawn, with a hypothesis' mistakes."""

    def grow(node: Node | None, answer: str, level: int, wrong: list[bool]) -> Branch:
        last = bool(wrong) and wrong[-1]
        if node is None:
            return Branch(str(sum(wrong)), answer, (), last)
        if level == _LEVELS:
            return Branch("…", answer, (), last)
        said = hypothesis >> node.x & 1
        below = tuple(
            grow(n, str(y), level + 1, [*wrong, y != said]) for y, n in enumerate(node.below)
        )
        return Branch(str(node.x + 1), answer, below, last)

    return grow(tree, "", 0, [])


def tree_lines(tree: Node) -> list[str]:
    """Return the upper levels as text: a line a node, with the answers that lead to it."""
    lines: list[str] = []

    def tell(node: Node | None, path: tuple[str, ...]) -> None:
        if node is None or len(path) == _LEVELS:
            return
        where = "first" if not path else "after " + ", ".join(path)
        lines.append(f"{where}: ask point {node.x + 1}")
        for label, child in enumerate(node.below):
            tell(child, (*path, f"{node.x + 1} is {label}"))

    tell(tree, ())
    return lines
