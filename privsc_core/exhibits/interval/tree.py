"""The candidates of the learner `tree` on one sample, and on a neighbour of it.

Small domains, so that every candidate can be told: they are computed by `interval.nodes`, as in a
real run; nothing is written a second time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.interval.distributions import target
from privsc_core.concepts.interval.learners.tree import Tree
from privsc_core.concepts.interval.nodes import Candidates, Scale
from privsc_core.concepts.shared.sample import Sample, uniform_below
from privsc_core.draw.picture import Picture, plot
from privsc_core.draw.style import integer, number
from privsc_core.draw.traces import (
    GREY,
    PINK,
    Trace,
    across,
    axis,
    hover,
    marks,
    rows_axis,
    told,
    upright,
)
from privsc_core.errors import InputError
from privsc_core.exhibits.interval.noise_channel import FOUND, ONE, WRONG, ZERO, count
from privsc_core.numerics.logspace import draw, probabilities
from privsc_core.numerics.text import chance, small

if TYPE_CHECKING:
    from numpy.typing import NDArray


LEAST_D, LARGEST_D = 4, 8
# Words of links, fixed for ever: the target alternates on both.
LAWS = {"cascade": "cascade", "hard": "hard(alternating)"}
CHANGES = ("none", "flip", "move")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate: the node t in the middle of its cell (A, B).

    Attributes
    ----------
    level, node, low, high : int
        How often 2 divides t; t, A and B.
    left, right, room : float
        D(A)/2, -D(B)/2 (infinite at the ends of the tree) and v - E(t).
    score, chance : float
        The least of the three, at least 0; the probability of being drawn.
    """

    level: int
    node: int
    low: int
    high: int
    left: float
    right: float
    room: float
    score: float
    chance: float


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A sample with its candidates, leaves first.

    Attributes
    ----------
    points : tuple of int
        The distinct points, in order.
    ones, zeros : ndarray of int64, shape (points,)
        How often each occurs, by label.
    candidates : tuple of Candidate
    lump : float
        The probability of drawing none of them.
    """

    points: tuple[int, ...]
    ones: NDArray[np.int64]
    zeros: NDArray[np.int64]
    candidates: tuple[Candidate, ...]
    lump: float

    @property
    def chances(self) -> dict[int, float]:
        """The probability of each node that can be drawn; that of the lump is under 0."""
        return {one.node: one.chance for one in self.candidates} | {0: self.lump}


@dataclass(frozen=True, slots=True, eq=False)
class TreeRun:
    """One run of the learner that can be followed, and what one example changes.

    Attributes
    ----------
    d, m, target : int
        Bits, examples, and j of the target.
    epsilon, delta : float
    scale : Scale
        u, v and C.
    here : Side
        The sample.
    there : Side or None
        With one example replaced.
    changed : str
        What was replaced by what, in words; empty for nothing.
    drawn, output : int
        The node that was drawn, 0 for the lump, and the threshold that came out.
    """

    d: int
    m: int
    target: int
    epsilon: float
    delta: float
    scale: Scale
    here: Side
    there: Side | None
    changed: str
    drawn: int
    output: int

    @property
    def moved(self) -> float:
        """The largest change of a score; a node that is no candidate has score 0."""
        if self.there is None:
            return 0.0
        old, new = ({r.node: r.score for r in side.candidates} for side in (self.here, self.there))
        return max((abs(old.get(t, 0.0) - new.get(t, 0.0)) for t in old | new), default=0.0)

    @property
    def appeared(self) -> float:
        """The largest probability of a node that is a candidate of one of the samples alone."""
        if self.there is None:
            return 0.0
        old, new = self.here.chances, self.there.chances
        alone = [p for a, b in ((old, new), (new, old)) for t, p in a.items() if t not in b]
        return max(alone, default=0.0)


def tree_run(
    *, law: str, d: int, m: int, seed: int, epsilon: float, alpha: float, beta: float, delta: float,
    change: str = "none", example: int = 1, place: int = 1,
) -> TreeRun:  # fmt: skip
    """Return a run on a sample of a distribution, and its neighbour.

    Parameters
    ----------
    law : str
        A word of `LAWS`.
    d, m, seed : int
        Bits of a point (4 to 8), examples, and what fixes sample and coins.
    epsilon, alpha, beta, delta : float
        The setting; a delta of 0 stands for the learner's own.
    change : {"none", "flip", "move"}
        What happens to one example: nothing, its label flips, or it moves to another point.
    example : int
        Which one: one at the so manieth point that occurs, from the left; the last one for more.
    place : int
        Where it moves to; the last point of the domain for more.

    Raises
    ------
    InputError
        For a word or a size that does not exist.
    """
    if law not in LAWS or change not in CHANGES:
        name, words = ("law", LAWS) if law not in LAWS else ("change", CHANGES)
        raise InputError(
            name, f"must be one of {', '.join(words)}", law if name == "law" else change
        )
    if not LEAST_D <= d <= LARGEST_D:
        raise InputError("d", f"must be in [{LEAST_D}, {LARGEST_D}] to show every candidate", d)
    distribution = catalog.distribution("interval", LAWS[law])
    distribution.check(d=d, alpha=alpha)
    delta = delta or Tree().privacy_slack
    scale = Scale.of(d=d, epsilon=epsilon, beta=beta, delta=delta)
    of_sample, of_coins = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    sample = distribution.draw(m=m, d=d, alpha=alpha, rng=of_sample)
    here, log_weights = _side(sample, scale)
    pick, _ = draw(log_weights, of_coins)
    lump = pick == len(here.candidates)
    node = 0 if lump else here.candidates[pick].node
    output = 1 + uniform_below(of_coins, (1 << d) + 1) if lump else min(node, (1 << d) + 1)
    there, changed = None, ""
    if change != "none":
        other, changed = replaced(sample, here.points, change, example, place)
        there, _ = _side(other, scale)
    j = target(d, "alternating")
    return TreeRun(d, m, j, epsilon, delta, scale, here, there, changed, node, output)


def slack_of(run: TreeRun) -> float:
    """Return the least delta that this pair of samples needs at epsilon, in either direction."""
    if run.there is None:
        return 0.0
    factor = math.exp(run.epsilon)
    old, new = run.here.chances, run.there.chances
    return max(
        sum(max(p - factor * b.get(t, 0.0), 0.0) for t, p in a.items())
        for a, b in ((old, new), (new, old))
    )


def _side(sample: Sample, scale: Scale) -> tuple[Side, NDArray[np.float64]]:
    """Return a sample with its candidates, and the log weights of these and, last, of the lump."""
    found = Candidates.of(sample, scale)
    log_weights = np.append(scale.log_gain(found.score), scale.log_lump)
    chances = probabilities(log_weights).tolist()
    columns = (found.level, found.left, found.right, found.room, found.score)
    candidates = tuple(
        Candidate(level, found.node(i), *found.cell(i), left, right, room, score, chances[i])
        for i, (level, left, right, room, score) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        )
    )
    ones, zeros = sample.tallies()
    order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
    kept = [i for i in order if ones[i] + zeros[i]]
    points = tuple(sample.points[i] for i in kept)
    return Side(points, ones[kept], zeros[kept], candidates, chances[-1]), log_weights


def replaced(
    sample: Sample, points: tuple[int, ...], change: str, example: int, place: int
) -> tuple[Sample, str]:
    """Return the sample with one example replaced, and what was done to it."""
    point = points[min(max(example, 1), len(points)) - 1]
    x = [sample.points[i] for i in sample.index.tolist()]
    y = sample.labels.tolist()
    row = x.index(point)
    before = f"({x[row]}, {y[row]})"
    if change == "flip":
        y[row] = 1 - y[row]
    else:
        x[row] = min(max(place, 1), sample.domain_size)
    return Sample.of(sample.d, x, y), f"{before} → ({x[row]}, {y[row]})"


# --- The figures: cells over the domain, and what the score of each candidate is -----------------


# The steps of a run by the words of links, fixed for ever, with their titles.
STEPS = {
    "cells": "The cells", "margins": "The margins", "room": "The room", "score": "The scores",
    "draw": "The draw",
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class TreeExhibit:
    """What the exhibit shows.

    Attributes
    ----------
    cells, scores : Picture
        Where the candidates are, and what their scores are made of.
    said : tuple of (str, str)
        Title and words of each step so far.
    changed : str
        What was replaced by what; empty for nothing.
    moved, slack, promised, appeared, share : str
        The largest change of a score; the delta that this pair needs, and the one that is promised;
        the largest probability of a candidate of one side alone, and the share of delta that it may have.
    """

    cells: Picture
    scores: Picture
    said: tuple[tuple[str, str], ...]
    changed: str
    moved: str
    slack: str
    promised: str
    appeared: str
    share: str


def tree_exhibit(
    *, law: str, d: int, m: int, seed: int, epsilon: float, alpha: float, beta: float, delta: float,
    step: str, change: str, example: int, place: int,
) -> TreeExhibit:  # fmt: skip
    """Compute and draw a run up to a step of `STEPS`; the other parameters as for `tree_run`."""
    run = tree_run(
        law=law, d=d, m=m, seed=seed, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta,
        change=change, example=example, place=place,
    )  # fmt: skip
    words_of = list(STEPS)
    done = words_of[: words_of.index(step) + 1]
    every, slack = _told(run), slack_of(run)
    return TreeExhibit(
        cells=_cells(run, done),
        scores=_scores(run, done),
        said=tuple((STEPS[word], every[word]) for word in done),
        changed=run.changed,
        moved=f"{run.moved:g}",
        # Below rounding it is none.
        slack=small(float(f"{slack:.2g}")) if slack > 1e-15 else "0",
        promised=number(run.delta),
        appeared=chance(math.log(run.appeared)) if run.appeared else "none",
        share=small(run.delta / (run.d + 1)),
    )


def _told(run: TreeRun) -> dict[str, str]:
    """Return what each step does, in words."""
    positives, candidates = int(run.here.ones.sum()), run.here.candidates
    scale = run.scale
    best = max(candidates, key=lambda one: one.score, default=None)
    first = "" if best is None else f" The highest score has t = {best.node}: {best.score:g}."
    drawn = (
        f"a random threshold, {run.output}" if not run.drawn
        else f"t = {run.drawn}" + ("" if run.drawn == run.output else ", which means T + 1")
    )  # fmt: skip
    return {
        "cells": (
            f"{positives:,} examples are positive, {run.m - positives:,} negative. Of the cells of the tree "
            f"{len(candidates)} contain the step, at most one of each of the d + 1 = {run.d + 1} levels. The middles "
            "t of these cells are the candidates."
        ),
        "margins": (
            "D(t) = positives from t on minus negatives before t falls from left to right. How far it is "
            "above 0 at the left end A of a cell, and below 0 at its right end B, is a margin. One example "
            "moves D by up to 2, so each margin is halved."
        ),
        "room": (
            f"E(t) is the number of mistakes of t. The third number is v − E(t), with v = {scale.most:,}: a large "
            "cell far from the step has wide margins, but its threshold makes many mistakes."
        ),
        "score": (
            "The score of a candidate is the least of the three, at least 0: no single example moves it "
            f"by more than 1.{first}"
        ),
        "draw": (
            "Each gets the weight exp(ε · score / 2) − 1, and the choice of a random threshold "
            f"gets the weight C = {_large(scale.log_lump)}. A score of u = "
            f"{integer(scale.enough)} would be enough. Drawn: {drawn}. Exact probabilities, "
            "simulated draw."
        ),
    }


def _large(log_value: float) -> str:
    return f"{math.exp(log_value):,.0f}" if log_value < math.log(1e9) else f"e^{log_value:.1f}"


def _name(one: Candidate) -> str:
    return f"t = {one.node}"


def _rows(run: TreeRun) -> list[Candidate]:
    """Return the candidates of both sides, the root first; where both have one, that of the sample."""
    found = {one.node: one for side in (run.there, run.here) if side for one in side.candidates}
    return sorted(found.values(), key=lambda one: (-one.level, one.node))


def _cells(run: TreeRun, done: list[str]) -> Picture:
    rows, top = _rows(run), 2 << run.d
    own = {one.node for one in run.here.candidates}
    places = list(range(len(rows)))
    names = [_name(one) for one in rows]
    data: list[Trace] = [
        across(
            [one.high - one.low for one in rows], places, "cell (A, B)", ZERO, uid="cells",
            base=[one.low for one in rows], width=0.6,
        )
        | told([f"level {r.level}: A = {r.low}, t = {r.node}, B = {r.high}" for r in rows]),
        marks(
            [one.node for one in rows], places, "candidate t", ONE,
            ["circle" if one.node in own else "circle-open" for one in rows], 10,
        )
        | hover("t = %{x}"),
    ]  # fmt: skip
    if "draw" in done and run.drawn in own:
        row = names.index(f"t = {run.drawn}")
        data.append(marks([run.drawn], [row], "drawn", FOUND, "diamond", 15) | hover("drawn"))
    data += _sample(run.here, len(rows))
    return plot(
        data,
        axis("domain point x, threshold t", (0, top), zoom=f"ladder-{run.d}"),
        rows_axis([*names, "sample"]),
        barmode="overlay",
        shapes=[upright(run.target - 0.5, "x", "y", (-0.6, len(rows) + 0.4))],
        legend=0.24,
        title=f"The candidates over the domain: {count(len(rows), 'candidate')}",
        caption=f"{_setting(run)}. Dashed: the target's step, j = {run.target}; beyond T = {1 << run.d} every t "
        "means T + 1.",
        summary="; ".join(f"t = {r.node} in the cell ({r.low}, {r.high})" for r in rows) + ".",
        filename=f"privsc-ladder-cells-d{run.d}",
        table=_columns(rows, level="level", t="node", A="low", B="high"),
    )


def _columns(rows: list[Candidate], **names: str) -> dict[str, list[Any]]:
    return {word: [getattr(one, name) for one in rows] for word, name in names.items()}


def _sample(side: Side, row: int) -> list[Trace]:
    """Return the points that occur, by label, in a row of their own."""
    data = []
    for label, counts, colour, symbol in (
        (1, side.ones, ONE, "line-ns-open"), (0, side.zeros, GREY, "x-thin-open"),
    ):  # fmt: skip
        there = [(x, n) for x, n in zip(side.points, counts.tolist(), strict=True) if n]
        trace = marks(
            [x for x, _ in there], [row] * len(there), f"label {label}", colour, symbol, 11, edge=2
        )
        data.append(trace | told([f"x = {x}, label {label}: {n:,}" for x, n in there]))
    return data


def _scores(run: TreeRun, done: list[str]) -> Picture:
    rows, most = _rows(run), float(run.scale.most)
    places = list(range(len(rows)))
    names = [_name(one) for one in rows]
    data: list[Trace] = []
    parts = [
        ("margins", "D(A) / 2", ONE, [r.left for r in rows]),
        ("margins", "−D(B) / 2", GREY, [r.right for r in rows]),
        ("room", "v − E(t)", PINK, [r.room for r in rows]),
    ]
    for step, name, colour, values in parts:
        if step in done:
            # Infinite at the ends of the tree: as long as the axis.
            shown = [min(max(value, 0.0), 1.1 * most) for value in values]
            said = [f"{name} = {'∞' if math.isinf(v) else f'{v:g}'}" for v in values]
            data.append(across(shown, places, name, colour, uid=name) | told(said))
    if "score" in done:
        data += _marked(run, names)
    drawn = "draw" in done
    lump = (
        f" A random threshold is chosen with probability {chance(math.log(run.here.lump))}."
        if drawn
        else ""
    )
    return plot(
        data,
        axis("examples", (0, 1.1 * most), zoom=f"scores-{run.d}"),
        rows_axis(_with_chances(run, names) if drawn else names),
        barmode="group",
        bargap=0.3,
        legend=0.24,
        title="What the score of each candidate consists of",
        caption=f"{_setting(run)}. Bars beyond v = {run.scale.most:,} end at the frame.{lump}",
        summary="; ".join(
            f"{_name(r)}: D(A)/2 = {r.left:g}, −D(B)/2 = {r.right:g}, v − E = {r.room:g}, "
            f"score {r.score:g}, probability {r.chance:.3g}"
            for r in rows
        )
        + ".",
        filename=f"privsc-ladder-scores-d{run.d}",
        table=_columns(
            rows,
            t="node",
            left="left",
            right="right",
            room="room",
            score="score",
            probability="chance",
        ),
    )


def _marked(run: TreeRun, names: list[str]) -> list[Trace]:
    """Return the scores as marks, of the neighbour too."""
    data: list[Trace] = []
    sides = [
        ("score", run.here, "diamond", FOUND),
        ("after the change", run.there, "diamond-open", WRONG),
    ]
    for name, side, symbol, colour in sides:
        if side is not None:
            at = [names.index(_name(one)) for one in side.candidates]
            values = [one.score for one in side.candidates]
            data.append(marks(values, at, name, colour, symbol, 13, edge=2) | hover("score %{x}"))
    return data


def _with_chances(run: TreeRun, names: list[str]) -> list[str]:
    """Return the names of the rows with the probabilities of the candidates of the sample."""
    each = {_name(r): chance(math.log(r.chance)) if r.chance else "0" for r in run.here.candidates}
    return [f"{name}: {each.get(name, '–')}" for name in names]


def _setting(run: TreeRun) -> str:
    return (
        f"d = {run.d}, m = {run.m:,}, ε = {number(run.epsilon)}, δ = {number(run.delta)}, "
        "target alternating"
    )
