"""Thresholds, the levels of their tree, and the levels of these levels, on one sample and on a neighbour of it.

Small domains, so that every threshold can be told. Levels, paths and scores are computed by
`interval.stages`, as in a real run; nothing is written a second time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.interval.nodes import Scale, candidates_most, neighbours
from privsc_core.concepts.interval.stages import Stage, paths
from privsc_core.draw.picture import Picture, plains, plot
from privsc_core.draw.style import number
from privsc_core.draw.traces import GREY, Trace, axis, bar, hover, line, marks, stroke, told
from privsc_core.errors import InputError
from privsc_core.exhibits.interval.noise_channel import FOUND, ONE, WRONG
from privsc_core.exhibits.interval.tree import CHANGES, LAWS, replaced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.shared.sample import Sample

LEAST_D, LARGEST_D = 3, 8
DEPTHS = ("1", "2", "3")
_WORDS = ("thresholds t", "levels of the tree", "levels of the levels")
_INFINITE = 1.15  # of the largest number: how high a bar is that has no end


class Rungs(NamedTuple):
    """The least mistakes at the positions of each stage, and the scores.

    Attributes
    ----------
    stages : tuple of ndarray
        E of each threshold 1 to T + 1, the larger of its mistakes on positives and on negatives; M of each level; M of each level of the levels; as far as the depth goes.
    score : ndarray, shape (paths,)
        In the order of the levels of the last stage.
    threshold : ndarray of int64, shape (paths,)
        Where each path ends; 0 where it leads nowhere.
    """

    stages: tuple[NDArray[np.float64], ...]
    score: NDArray[np.float64]
    threshold: NDArray[np.int64]


def rungs(sample: Sample, scale: Scale) -> Rungs:
    """Return the stages of a sample on a domain whose thresholds can be listed."""
    before, ends = neighbours(sample)
    ones, zeros = sample.tallies()
    x = np.array(sample.points, dtype=np.int64)
    t = np.arange(1, sample.domain_size + 2)[:, None]
    errs = np.maximum((x >= t) @ ones, (x < t) @ zeros).astype(np.float64)
    stages, level = [errs], ends.level
    least, size = np.minimum(ends.under, ends.over), ends.size
    for centre in scale.centres:
        stages.append(least[0])
        stage = Stage(level, least, size, centre)
        least, size = stage.mistakes(), stage.length
        level = np.arange(size + 1)
    found = paths(ends, scale.centres, scale.most)
    low = before >> found.level << found.level
    there = low + (1 << found.level) * (found.way + 1) // 2
    score = found.score[0]
    return Rungs(tuple(stages), score, np.where(score > 0.0, there[0], 0))


@dataclass(frozen=True, slots=True, eq=False)
class Ladders:
    """What the exhibit shows.

    Attributes
    ----------
    stages, scores : Picture
    changed : str
        What was replaced by what; empty for nothing.
    moved : float
        The largest change of a score.
    bars : int
        k, how many scores there can be.
    """

    stages: Picture
    scores: Picture
    changed: str
    moved: float
    bars: int


def ladders(
    *, law: str, d: int, m: int, seed: int, epsilon: float, alpha: float, beta: float, delta: float,
    depth: str, change: str, example: int, place: int,
) -> Ladders:  # fmt: skip
    """Return the stages and scores of a sample, beside a neighbour's if an example is changed.

    The parameters are as in `tree.tree_run`; depth is a word of `DEPTHS`.

    Raises
    ------
    InputError
        For a word or a size that does not exist.
    """
    for name, word, known in (
        ("law", law, LAWS),
        ("depth", depth, DEPTHS),
        ("change", change, CHANGES),
    ):
        if word not in known:
            raise InputError(name, f"must be one of {', '.join(known)}", word)
    if not LEAST_D <= d <= LARGEST_D:
        raise InputError("d", f"must be in [{LEAST_D}, {LARGEST_D}] to show every threshold", d)
    distribution = catalog.distribution("interval", LAWS[law])
    distribution.check(d=d, alpha=alpha)
    scale = Scale.of(d=d, epsilon=epsilon, beta=beta, delta=delta, depth=int(depth))
    rng = np.random.default_rng(seed)
    sample = distribution.draw(m=m, d=d, alpha=alpha, rng=rng)
    here, there, said = rungs(sample, scale), None, ""
    if change != CHANGES[0]:
        ones, zeros = sample.tallies()
        points = tuple(sorted(x for x, n in zip(sample.points, ones + zeros, strict=True) if n))
        other, said = replaced(sample, points, change, example, place)
        there = rungs(other, scale)
    moved = 0.0 if there is None else float(np.abs(here.score - there.score).max())
    caption = f"d = {d}, m = {m:,}, ε = {number(epsilon)}, δ = {number(delta)}, target alternating"
    name = f"d{d}-depth{depth}"
    return Ladders(
        _stages(here, there, scale, caption, name), _scores(here, there, scale, caption, name),
        said, moved, int(candidates_most(int(depth), d)[0]),
    )  # fmt: skip


# --- The figures: the stages below each other, and the scores ------------------------------------


def _stages(here: Rungs, there: Rungs | None, scale: Scale, caption: str, name: str) -> Picture:
    """Draw the mistakes at the positions of each stage, the thresholds on top."""
    data: list[Trace] = []
    shapes: list[Trace] = []
    layout: dict[str, Any] = {}
    count = len(here.stages)
    for row, values in enumerate(here.stages):
        tag = "" if row == 0 else str(row + 1)
        finite = values[np.isfinite(values)]
        most = max(float(finite.max(initial=1.0)), 1.0)
        height = np.where(np.isfinite(values), values, _INFINITE * most)
        first = 1 if row == 0 else 0
        x = np.arange(first, first + values.size)
        words = [f"{_WORDS[row]}: {n}, mistakes {'∞' if math.isinf(v) else f'{v:g}'}"
                 for n, v in zip(x.tolist(), values.tolist(), strict=True)]  # fmt: skip
        place = {"xaxis": f"x{tag}", "yaxis": f"y{tag}", "showlegend": False}
        data.append(bar(x, height, f"stage {row}", ONE, **place) | told(words))
        if there is not None:
            other = there.stages[row]
            after = np.where(np.isfinite(other), other, _INFINITE * most)
            data.append(
                marks(x, after, f"changed {row}", WRONG, "line-ew-open", 9, edge=2, **place)
                | hover("after the change: %{y}")
            )
        if row and row - 1 < len(scale.centres):
            theta = scale.centres[row - 1]
            ends = (first - 0.6, first + values.size - 0.4)
            shapes.append(stroke(ends, (theta, theta), GREY, xref=f"x{tag}", yref=f"y{tag}"))
        top = 1.0 - row / count
        span = [top - 0.55 / count if count > 1 else 0.0, top]
        layout[f"xaxis{tag}"] = axis(_WORDS[row], anchor=f"y{tag}", zoom=f"{name}-{row}")
        layout[f"yaxis{tag}"] = axis(
            "mistakes",
            (0.0, 1.2 * most),
            anchor=f"x{tag}",
            domain=span,
            nticks=4,
            zoom=f"{name}-{row}",
        )
    x_axis, y_axis = layout.pop("xaxis"), layout.pop("yaxis")
    rows = [(word, n, v) for word, values in zip(_WORDS, here.stages, strict=False)
            for n, v in enumerate(values.tolist(), start=word == _WORDS[0])]  # fmt: skip
    return plot(
        data, x_axis, y_axis, shapes=shapes, legend=None, bargap=0.15, **layout,
        title="The least number of mistakes at each place",
        caption=f"{caption}. Mistakes: on positives or on negatives, whichever are more. Level l has the multiples of 2ˡ. Dashed: θ; the score of a level is its distance from θ. A bar "
        "that reaches the frame is infinite.",
        summary="; ".join(
            f"{word}: {', '.join(f'{v:g}' for v in values.tolist())}"
            for word, values in zip(_WORDS, here.stages, strict=False)
        ) + ".",
        filename=f"privsc-ladders-{name}",
        table={
            "stage": [word for word, _, _ in rows], "place": [n for _, n, _ in rows],
            "mistakes": plains(np.array([v if math.isfinite(v) else math.nan for _, _, v in rows])),
        },
    )  # fmt: skip


def _scores(here: Rungs, there: Rungs | None, scale: Scale, caption: str, name: str) -> Picture:
    """Draw a bar for each score, with that of the neighbour."""
    x = np.arange(1, here.score.size + 1)
    words = [f"path {n}: " + (f"t = {t}, score {s:g}" if s else "leads to no threshold")
             for n, t, s in zip(x.tolist(), here.threshold.tolist(), here.score.tolist(), strict=True)]  # fmt: skip
    data: list[Trace] = [bar(x, here.score, "score s", FOUND) | told(words)]
    if there is not None:
        data.append(
            marks(x, there.score, "after the change", WRONG, "diamond-open", 10, edge=2)
            | hover("after the change: %{y}")
        )
    ends = [0.4, here.score.size + 0.6]
    data.append(
        line(ends, [scale.enough] * 2, f"u = {scale.enough}: enough", GREY, dash="dash", width=2)
    )
    best = int(np.argmax(here.score))
    top = max(float(here.score.max()), scale.enough, 1.0)
    return plot(
        data, axis("path", (ends[0], ends[1]), zoom=name), axis("score s", (0.0, 1.15 * top)),
        legend=0.26, bargap=0.3,
        title=f"The scores: {int((here.score > 0).sum())} of {here.score.size} paths lead to a threshold",
        caption=f"{caption}. A threshold is drawn with probability proportional to exp(ε s / 2) − 1.",
        summary=f"The highest score is {here.score[best]:g}, of t = {here.threshold[best]}.",
        filename=f"privsc-ladders-scores-{name}",
        table={
            "path": x.tolist(), "t": here.threshold.tolist(), "score": plains(here.score),
        } | ({} if there is None else {"after": plains(there.score)}),
    )  # fmt: skip
