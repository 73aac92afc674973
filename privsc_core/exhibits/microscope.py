"""One run of a learner, taken apart: what its steps say, what they show, how it ended."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privsc_core.concepts.contracts.style import PALE, RED, TEAL
from privsc_core.concepts.shared.trace import Choice, Noised, Sampled, Thinned
from privsc_core.draw.picture import plot
from privsc_core.draw.traces import (
    MUTE,
    PINK,
    QUIET,
    STEEL,
    THIN,
    UNLISTED,
    Trace,
    across,
    axis,
    bar,
    hover,
    line,
    marks,
    rows_axis,
    told,
    words,
)
from privsc_core.evaluate.microscope import examine
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from privsc_core.concepts.shared.trace import Row, Step
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.microscope import Examination


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """One step.

    Attributes
    ----------
    title, words : str
    picture : Picture or None
        Some steps need none.
    height : int
        Of the picture, in pixels.
    """

    title: str
    words: str
    picture: Picture | None
    height: int


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """A run as a page shows it: small enough to be kept, see `Examination` for all of it.

    Attributes
    ----------
    steps : tuple of Told
    answered : bool
        Whether the output is not ⊥.
    error : float or None
        None where it is unknown.
    succeeded : bool or None
    barely : bool
        Whether it failed by an error that is alpha when rounded.
    chance : float or None
        The probability that such a run succeeds.
    m, d, epsilon, alpha, seed
        The setting.
    """

    steps: tuple[Told, ...]
    answered: bool
    error: float | None
    succeeded: bool | None
    barely: bool
    chance: float | None
    m: int
    d: int
    epsilon: float
    alpha: float
    seed: int


def watched(
    *,
    concept: str,
    learner: str,
    distribution: str,
    m: int,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
    delta: float,
    seed: int,
) -> Watched:
    """Run a learner once and draw its steps, see `examine`.

    Raises
    ------
    InputError
        As `examine` does.
    """
    run = examine(
        concept=concept, learner=learner, distribution=distribution, m=m, d=d, epsilon=epsilon,
        alpha=alpha, beta=beta, delta=delta, seed=seed,
    )  # fmt: skip
    steps = tuple(
        Told(step.title, step.words, step_figure(run, step), step_height(step))
        for step in run.steps
    )
    return Watched(
        steps=steps, answered=not run.failed_to_answer, error=run.error, succeeded=run.succeeded, barely=run.barely, chance=run.chance,
        m=run.m, d=run.d, epsilon=run.epsilon, alpha=run.alpha, seed=run.seed,
    )  # fmt: skip


# --- The figures of one run: what each of its steps shows ------------------------------------------


_FAR = 26.0  # below e^-26 a coin does not help: such rows stand at the edge
_PER_ROW, _AROUND, _BINNED = 36, 120, 260


def step_height(step: Step) -> int:
    """Return the height of a step's figure in pixels."""
    shows = step.shows
    if isinstance(shows, Sampled) and shows.binned:
        return _BINNED
    rows = len(shows.rows) if isinstance(shows, Choice) else len(shows.names) if shows else 0
    extra = 1 if isinstance(shows, Noised) and shows.empties else 0
    return _AROUND + _PER_ROW * max(rows + extra, 3)


def step_figure(run: Examination, step: Step) -> Picture | None:
    """Draw what a step shows, if anything."""
    shows = step.shows
    if isinstance(shows, Sampled):
        return _sample(run, shows)
    if isinstance(shows, Thinned):
        return _thinned(run, shows)
    if isinstance(shows, Noised):
        return _noised(run, shows)
    if isinstance(shows, Choice):
        return {"score": _scores, "chance": _chances, "draw": _draw}[step.aspect](run, shows)
    return None


def _picture(
    run: Examination,
    what: str,
    title: str,
    data: list[Trace],
    x: Trace,
    rows: Trace,
    table: dict[str, list[Any]],
    summary: str,
    **layout: Any,
) -> Picture:
    filename = f"privsc-run-{run.learner.name}-{what}-d{run.d}-seed{run.seed}"
    return plot(
        data, x, rows, title=title, caption="", summary=summary, filename=filename, table=table,
        **layout,
    )  # fmt: skip


_FREE: Trace = {"cliponaxis": False}


def _bars(x: list[int], name: str, colour: str, says: str, **more: Any) -> Trace:
    """Return one bar a row."""
    trace = across(list(map(float, x)), list(range(len(x))), name, colour, **more)
    return trace | hover(says) | _FREE


# --- The sample ---------------------------------------------------------------------------------


def _sample(run: Examination, shows: Sampled) -> Picture:
    places = list(range(len(shows.names)))
    unit = run.learner.labelled
    kinds = [("label 1", STEEL, shows.ones), ("label 0", PALE, shows.zeros)]
    if not shows.labelled:
        kinds = [("entries", STEEL, shows.ones)]
    layout: dict[str, Any] = {"barmode": "stack"}
    if shows.binned:
        width = 1 / len(shows.names)
        at = [float(name) + width / 2 for name in shows.names]
        data = [
            bar(at, list(values), name, colour, width=width) | hover("%{y:,} with " + name)
            for name, colour, values in kinds
        ]
        what = f"domain point, as a share of 2<sup>{run.d}</sup>"
        x, y = axis(what, (0, 1)), axis("examples")
    else:
        says = "%{x:,} with " if unit else "%{x:,} "
        data = [_bars(list(values), name, colour, says + name) for name, colour, values in kinds]
        totals = [sum(values) for values in zip(*(values for _, _, values in kinds), strict=True)]
        data.append(words(totals, places, [f" {total:,}" for total in totals], "counts"))
        what = "examples" if unit else "entries"
        layout["showlegend"] = shows.labelled
        x, y = axis(what, (0, 1.25 * max(totals))), rows_axis(list(shows.names))
    title = f"{run.sample.size:,} {'examples' if unit else 'entries'} by point"
    table: dict[str, list[Any]] = {"point": list(shows.names)}
    for name, _, values in kinds:
        table[name] = list(values)
    summary = "; ".join(
        f"{name}: " + ", ".join(f"{v:,} {kind}" for kind, _, vs in kinds if (v := vs[i]))
        for i, name in enumerate(shows.names)
    )
    return _picture(run, "sample", title, data, x, y, table, summary + ".", **layout)


def _thinned(run: Examination, shows: Thinned) -> Picture:
    places = list(range(len(shows.names)))
    texts = [f" {k:,} of {n:,} kept" for k, n in zip(shows.kept, shows.all, strict=True)]
    data = [
        _bars(list(shows.all), "dropped", PALE, "%{x:,} in all", width=0.7),
        _bars(list(shows.kept), "kept", STEEL, "%{x:,} kept", width=0.7),
        words(list(map(float, shows.all)), places, texts, "words"),
    ]
    x = axis("examples", (0, 1.9 * max(shows.all)))
    table: dict[str, list[Any]] = {
        "examples": list(shows.names),
        "all": list(shows.all),
        "kept": list(shows.kept),
    }
    title = f"{sum(shows.kept):,} of {sum(shows.all):,} examples are kept"
    return _picture(
        run,
        "kept",
        title,
        data,
        x,
        rows_axis(list(shows.names)),
        table,
        title + ".",
        barmode="overlay",
    )


# --- A choice -----------------------------------------------------------------------------------


def _colour(row: Row) -> str:
    return TEAL if row.target else PALE


def _choice_bars(
    rows: tuple[Row, ...], x: list[float], texts: list[str], says: list[str]
) -> list[Trace]:
    """Return bars by row, those of the target in a trace of their own, for the legend."""
    data = []
    for is_target, name, colour in ((False, "other", PALE), (True, "target", TEAL)):
        here = [i for i, row in enumerate(rows) if row.target is is_target]
        if here:
            trace = across([x[i] for i in here], here, name, colour, width=0.62)
            written = {"text": [texts[i] for i in here], "textposition": "outside"}
            data.append(trace | written | told([says[i] for i in here]) | UNLISTED | _FREE)
    return data


def _scores(run: Examination, shows: Choice) -> Picture:
    texts = [_number(row.score, row.score_most) for row in shows.rows]
    top = max(*(row.score_most for row in shows.rows), 1.0)
    says = [f"{row.name}: {t} {shows.score}" for row, t in zip(shows.rows, texts, strict=True)]
    data = _choice_bars(shows.rows, [row.score_most for row in shows.rows], texts, says)
    x = axis(f"{shows.score} on the sample", (0, 1.3 * top))
    table = _table(shows) | {shows.score: [row.score for row in shows.rows]}
    best = min(shows.rows, key=lambda row: row.score)
    title = ("Fewest: " if shows.score == "mistakes" else "Least: ") + _plain(best)
    return _picture(
        run, "scores", title, data, x, _names(shows), table, _summary(shows, texts, shows.score),
        legend=None,
    )  # fmt: skip


def _chances(run: Examination, shows: Choice) -> Picture:
    texts = [chance(row.log_share) for row in shows.rows]
    says = [
        f"{row.name}: {t}, {row.members} of them" for row, t in zip(shows.rows, texts, strict=True)
    ]
    chances = [math.exp(row.log_share) for row in shows.rows]
    data = _choice_bars(shows.rows, chances, texts, says)
    x = axis("probability to be drawn", (0, 1.3), at=[0, 0.25, 0.5, 0.75, 1])
    table = _table(shows) | {"probability": chances}
    likely = max(shows.rows, key=lambda row: row.log_share)
    title = f"Most likely: {_plain(likely)}"
    return _picture(
        run, "probabilities", title, data, x, _names(shows), table,
        _summary(shows, texts, "probability"), legend=None,
    )  # fmt: skip


def _draw(run: Examination, shows: Choice) -> Picture:
    """Draw every row's log weight and what its coin adds, up to the largest sum."""
    rows = shows.rows
    top = max(row.log_weight for row in rows)
    start = [max(row.log_weight - top, -_FAR) for row in rows]
    end = [max(row.best - top, -_FAR) for row in rows]
    x: list[float | None] = []
    y: list[float | None] = []
    for i, (a, b) in enumerate(zip(start, end, strict=True)):
        x += [a, b, None]
        y += [float(i), float(i), None]
    far = [i for i, row in enumerate(rows) if row.log_weight - top < -_FAR]
    near = [i for i in range(len(rows)) if i not in far]
    drawn = next(i for i, row in enumerate(rows) if row.drawn)
    others = [i for i in near if i != drawn]
    weights = marks(
        [start[i] for i in near],
        near,
        "log weight",
        [_colour(rows[i]) for i in near],
        "circle-open",
        11,
        edge=THIN,
        uid="weight",
    )
    coins = marks([end[i] for i in others], others, "with its coin", PALE, "circle", 9, uid="coin")
    star = marks([end[drawn]], [drawn], "drawn", PINK, "star", 17)
    data = [
        line(x, y, "coins", PALE, width=THIN) | QUIET,
        weights | hover("%{x:.2f}", "log weight") | _FREE,
        coins | hover("%{x:.2f}", "with its coin") | _FREE,
        star | hover("%{x:.2f}", "drawn") | _FREE,
    ]
    if far:
        texts = [_below(rows[i].log_weight - top) for i in far]
        data.append(words([-_FAR] * len(far), far, texts, "far"))
    low = -_FAR if far else min(*start, *end) - 1.0
    ends = (low - 0.5, max(*end, 0.0) + 1.5)
    x_axis = axis("log weight, above the largest", ends)
    texts = [_finite(row.best - top) for row in rows]
    table = _table(shows) | {
        "log weight": [_or_none(row.log_weight - top) for row in rows],
        "with its coin": [_or_none(row.best - top) for row in rows],
    }
    title = f"Drawn: {_plain(rows[drawn])}"
    return _picture(
        run, "draw", title, data, x_axis, _names(shows), table,
        _summary(shows, texts, "log weight with its coin"),
    )  # fmt: skip


def _names(shows: Choice) -> Trace:
    return rows_axis([row.name for row in shows.rows])


def _plain(row: Row) -> str:
    return row.name.removesuffix(" (target)")


def _below(value: float) -> str:
    if math.isinf(value):
        return "◀ weight 0"
    return f"◀ {value:,.0f}".replace("-", "−")


def _finite(value: float) -> str:
    return f"{value:,.2f}" if math.isfinite(value) else "none"


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(low: float, high: float) -> str:
    texts = [f"{v:,.0f}" if v.is_integer() else f"{v:,.3g}" for v in (low, high)]
    return texts[0] if low == high else " to ".join(texts)


def _table(shows: Choice) -> dict[str, list[Any]]:
    return {
        shows.what: [row.name for row in shows.rows],
        "number": [row.members for row in shows.rows],
    }


def _summary(shows: Choice, texts: list[str], what: str) -> str:
    pairs = ", ".join(f"{row.name}: {text}" for row, text in zip(shows.rows, texts, strict=True))
    return f"By row, the {what}: {pairs}."


# --- Noisy counts -------------------------------------------------------------------------------


def _noised(run: Examination, shows: Noised) -> Picture:
    places = list(range(len(shows.names)))
    names = list(shows.names)
    kept = [v >= shows.threshold for v in shows.noisy]
    data = [_bars(list(shows.counts), "true count", PALE, "true count %{x:,}", width=0.5)]
    for flag, name, symbol, colour in (
        (True, f"with noise: {shows.passed}", "diamond", STEEL),
        (False, f"with noise: {shows.failed}", "x", RED),
    ):
        here = [i for i in places if kept[i] is flag]
        if here:
            trace = marks([shows.noisy[i] for i in here], here, name, colour, symbol, 12)
            data.append(trace | hover("%{x:,.2f}", name) | _FREE)
    if shows.empties:
        names.append(f"{shows.empties:,} empty point{'' if shows.empties == 1 else 's'}")
        y, name = [len(places)] * len(shows.empty), "largest of the empty points"
        trace = marks(list(shows.empty), y, name, PINK, "diamond-open", 12, uid="empty")
        data.append(trace | hover("%{x:,.2f}", "an empty point") | _FREE)
    name, ends = f"threshold {shows.threshold:,.4g}", [-0.6, len(names) - 0.4]
    limit = line([shows.threshold] * 2, ends, name, RED, dash="dash", width=THIN)
    data.append(limit | MUTE | {"uid": "threshold"})
    low = min(0.0, *shows.noisy)
    high = max(shows.threshold, *shows.counts, *shows.noisy, *(shows.empty or (0.0,)))
    room = 0.06 * (high - low)
    span = (low - (room if low < 0.0 else 0.0), high + room)
    table: dict[str, list[Any]] = {
        "point": list(shows.names),
        "count": list(shows.counts),
        "with noise": list(shows.noisy),
        "released": [v if k else 0 for v, k in zip(shows.noisy, kept, strict=True)],
    }
    title = f"{shows.passed.capitalize()}: {sum(kept)} of the {len(places)} {shows.what}"
    summary = "; ".join(
        f"{n}: {c:,}, with noise {v:,.2f}"
        for n, c, v in zip(shows.names, shows.counts, shows.noisy, strict=True)
    )
    return _picture(
        run, "noise", title, data, axis("count", span), rows_axis(names), table,
        f"{summary}. Threshold {shows.threshold:,.4g}.", barmode="overlay",
    )  # fmt: skip
