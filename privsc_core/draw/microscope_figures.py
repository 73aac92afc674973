"""The figures of one run: what each of its steps shows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from privsc_core.concepts.style import BLUE
from privsc_core.concepts.trace import Choice, Noised, Sampled, Thinned
from privsc_core.draw.interval_figures import BELOW
from privsc_core.draw.picture import Picture
from privsc_core.draw.style import BOUND_STYLES
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from privsc_core.concepts.trace import Row, Step
    from privsc_core.evaluate.microscope import Examination

__all__ = ["step_figure", "step_height"]

_ONE = BLUE.colour
_GREY = "rgba(128, 138, 153, 0.75)"
_TARGET = BOUND_STYLES["upper"].colour
_DRAWN = "#c48a00"
_LIMIT = BOUND_STYLES["lower"].colour
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
    data: list[dict[str, Any]],
    layout: dict[str, Any],
    table: dict[str, list[Any]],
    summary: str,
) -> Picture:
    return Picture(
        figure={"data": data, "layout": layout},
        title=title,
        caption="",
        summary=summary,
        filename=f"privsc-run-{run.learner.name}-{what}-d{run.d}-seed{run.seed}",
        table=table,
    )


def _rows_axis(names: list[str], revision: str) -> dict[str, Any]:
    """Return a vertical axis with one row per name, the first on top."""
    return {
        "tickvals": list(range(len(names))), "ticktext": names, "range": [len(names) - 0.4, -0.6],
        "showgrid": False, "ticks": "", "fixedrange": True, "uirevision": revision,
    }  # fmt: skip


def _bar(x: list[float], y: list[int], name: str, colour: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "bar", "orientation": "h", "x": x, "y": y, "name": name, "uid": name,
        "marker": {"color": colour}, "cliponaxis": False,
    } | more  # fmt: skip


# --- The sample ---------------------------------------------------------------------------------


def _sample(run: Examination, shows: Sampled) -> Picture:
    places = list(range(len(shows.names)))
    unit = run.learner.labelled
    kinds = [("label 1", _ONE, shows.ones), ("label 0", _GREY, shows.zeros)]
    if not shows.labelled:
        kinds = [("entries", _ONE, shows.ones)]
    layout: dict[str, Any]
    if shows.binned:
        at = [float(name) + 1 / (2 * len(shows.names)) for name in shows.names]
        data = [
            {
                "type": "bar", "x": at, "y": list(values), "name": name, "uid": name,
                "marker": {"color": colour}, "width": 1 / len(shows.names),
                "hovertemplate": "%{y:,} with " + name + "<extra></extra>",
            }
            for name, colour, values in kinds
        ]  # fmt: skip
        layout = {
            "barmode": "stack", "legend": BELOW,
            "xaxis": {
                "title": {"text": f"domain point, as a share of 2<sup>{run.d}</sup>"},
                "range": [0, 1], "uirevision": "sample",
            },
            "yaxis": {"title": {"text": "examples"}, "uirevision": "sample"},
        }  # fmt: skip
    else:
        hover = "%{x:,} with " if unit else "%{x:,} "
        data = [
            _bar(
                list(map(float, values)), places, name, colour,
                hovertemplate=f"{hover}{name}<extra></extra>",
            )
            for name, colour, values in kinds
        ]  # fmt: skip
        totals = [sum(values) for values in zip(*(values for _, _, values in kinds), strict=True)]
        data.append(
            {
                "type": "scatter", "mode": "text", "x": totals, "y": places, "uid": "counts",
                "text": [f" {total:,}" for total in totals], "textposition": "middle right",
                "hoverinfo": "skip", "showlegend": False, "cliponaxis": False, "name": "counts",
            }
        )  # fmt: skip
        layout = {
            "barmode": "stack", "legend": BELOW, "showlegend": shows.labelled,
            "xaxis": {
                "title": {"text": "examples" if unit else "entries"},
                "range": [0, 1.25 * max(totals)],
                "uirevision": "sample",
            },
            "yaxis": _rows_axis(list(shows.names), "sample"),
        }  # fmt: skip
    title = f"{run.sample.size:,} {'examples' if unit else 'entries'} by point"
    table: dict[str, list[Any]] = {"point": list(shows.names)}
    for name, _, values in kinds:
        table[name] = list(values)
    summary = "; ".join(
        f"{name}: " + ", ".join(f"{v:,} {kind}" for kind, _, vs in kinds if (v := vs[i]))
        for i, name in enumerate(shows.names)
    )
    return _picture(run, "sample", title, data, layout, table, summary + ".")


def _thinned(run: Examination, shows: Thinned) -> Picture:
    places = list(range(len(shows.names)))
    data = [
        _bar(list(map(float, shows.all)), places, "dropped", _GREY, width=0.7,
             hovertemplate="%{x:,} in all<extra></extra>"),
        _bar(
            list(map(float, shows.kept)), places, "kept", _ONE, width=0.7,
            hovertemplate="%{x:,} kept<extra></extra>",
        ),
        {
            "type": "scatter", "mode": "text", "x": list(map(float, shows.all)), "y": places,
            "text": [f" {k:,} of {n:,} kept" for k, n in zip(shows.kept, shows.all, strict=True)],
            "textposition": "middle right", "hoverinfo": "skip", "showlegend": False,
            "uid": "words", "name": "words", "cliponaxis": False,
        },
    ]  # fmt: skip
    layout = {
        "barmode": "overlay", "legend": BELOW,
        "xaxis": {
            "title": {"text": "examples"}, "range": [0, 1.9 * max(shows.all)],
            "uirevision": "kept",
        },
        "yaxis": _rows_axis(list(shows.names), "kept"),
    }  # fmt: skip
    table: dict[str, list[Any]] = {
        "examples": list(shows.names),
        "all": list(shows.all),
        "kept": list(shows.kept),
    }
    title = f"{sum(shows.kept):,} of {sum(shows.all):,} examples are kept"
    return _picture(run, "kept", title, data, layout, table, title + ".")


# --- A choice -----------------------------------------------------------------------------------


def _colour(row: Row) -> str:
    return _TARGET if row.target else _GREY


def _choice_bars(
    rows: tuple[Row, ...], x: list[float], texts: list[str], hover: list[str]
) -> list[dict[str, Any]]:
    """Return bars by row, those of the target in a trace of their own, for the legend."""
    data = []
    for is_target, name, colour in ((False, "other", _GREY), (True, "target", _TARGET)):
        here = [i for i, row in enumerate(rows) if row.target is is_target]
        if here:
            data.append(
                _bar(
                    [x[i] for i in here], here, name, colour, width=0.62,
                    text=[texts[i] for i in here], textposition="outside",
                    hoverinfo="text", hovertext=[hover[i] for i in here], showlegend=False,
                )
            )  # fmt: skip
    return data


def _scores(run: Examination, shows: Choice) -> Picture:
    texts = [_number(row.score, row.score_most) for row in shows.rows]
    top = max(*(row.score_most for row in shows.rows), 1.0)
    data = _choice_bars(
        shows.rows, [row.score_most for row in shows.rows], texts,
        [f"{row.name}: {t} {shows.score}" for row, t in zip(shows.rows, texts, strict=True)],
    )  # fmt: skip
    layout = {
        "xaxis": {
            "title": {"text": f"{shows.score} on the sample"}, "range": [0, 1.3 * top],
            "uirevision": "scores",
        },
        "yaxis": _rows_axis([row.name for row in shows.rows], "choice"),
    }  # fmt: skip
    table = _table(shows) | {shows.score: [row.score for row in shows.rows]}
    best = min(shows.rows, key=lambda row: row.score)
    title = ("Fewest: " if shows.score == "mistakes" else "Least: ") + _plain(best)
    return _picture(run, "scores", title, data, layout, table, _summary(shows, texts, shows.score))


def _chances(run: Examination, shows: Choice) -> Picture:
    texts = [chance(row.log_share) for row in shows.rows]
    data = _choice_bars(
        shows.rows, [math.exp(row.log_share) for row in shows.rows], texts,
        [
            f"{row.name}: {t}, {row.members} of them"
            for row, t in zip(shows.rows, texts, strict=True)
        ],
    )  # fmt: skip
    layout = {
        "xaxis": {
            "title": {"text": "probability to be drawn"}, "range": [0, 1.3],
            "tickvals": [0, 0.25, 0.5, 0.75, 1], "uirevision": "chances",
        },
        "yaxis": _rows_axis([row.name for row in shows.rows], "choice"),
    }  # fmt: skip
    table = _table(shows) | {"probability": [math.exp(row.log_share) for row in shows.rows]}
    likely = max(shows.rows, key=lambda row: row.log_share)
    title = f"Most likely: {_plain(likely)}"
    return _picture(
        run, "probabilities", title, data, layout, table, _summary(shows, texts, "probability")
    )


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
    mark: dict[str, Any] = {"type": "scatter", "mode": "markers", "cliponaxis": False}
    data: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", "x": x, "y": y, "hoverinfo": "skip",
            "line": {"color": _GREY, "width": 2}, "showlegend": False, "uid": "coins",
            "name": "coins",
        },
        mark | {
            "x": [start[i] for i in near], "y": near, "name": "log weight", "uid": "weight",
            "marker": {"color": [_colour(rows[i]) for i in near], "symbol": "circle-open",
                       "size": 11, "line": {"width": 2}},
            "hovertemplate": "%{x:.2f}<extra>log weight</extra>",
        },
        mark | {
            "x": [end[i] for i in near if i != drawn], "y": [i for i in near if i != drawn],
            "name": "with its coin", "uid": "coin",
            "marker": {"color": _GREY, "symbol": "circle", "size": 9},
            "hovertemplate": "%{x:.2f}<extra>with its coin</extra>",
        },
        mark | {
            "x": [end[drawn]], "y": [drawn], "name": "drawn", "uid": "drawn",
            "marker": {"color": _DRAWN, "symbol": "star", "size": 17},
            "hovertemplate": "%{x:.2f}<extra>drawn</extra>",
        },
    ]  # fmt: skip
    if far:
        data.append(
            {
                "type": "scatter", "mode": "text", "x": [-_FAR] * len(far), "y": far,
                "text": [_below(rows[i].log_weight - top) for i in far], "uid": "far",
                "textposition": "middle right", "hoverinfo": "skip", "showlegend": False,
                "name": "far", "cliponaxis": False,
            }
        )  # fmt: skip
    low = -_FAR if far else min(*start, *end) - 1.0
    layout = {
        "xaxis": {
            "title": {"text": "log weight, above the largest"},
            "range": [low - 0.5, max(*end, 0.0) + 1.5], "uirevision": "draw",
        },
        "yaxis": _rows_axis([row.name for row in rows], "choice"),
        "legend": BELOW,
    }  # fmt: skip
    texts = [_finite(row.best - top) for row in rows]
    table = _table(shows) | {
        "log weight": [_or_none(row.log_weight - top) for row in rows],
        "with its coin": [_or_none(row.best - top) for row in rows],
    }
    title = f"Drawn: {_plain(rows[drawn])}"
    return _picture(
        run, "draw", title, data, layout, table, _summary(shows, texts, "log weight with its coin")
    )


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
    data: list[dict[str, Any]] = [
        _bar(
            list(map(float, shows.counts)), places, "true count", _GREY, width=0.5,
            hovertemplate="true count %{x:,}<extra></extra>",
        )
    ]  # fmt: skip
    for flag, name, symbol, colour in (
        (True, "with noise: released", "diamond", _ONE),
        (False, "with noise: released as 0", "x", _LIMIT),
    ):
        here = [i for i in places if kept[i] is flag]
        if here:
            data.append(
                {
                    "type": "scatter", "mode": "markers", "x": [shows.noisy[i] for i in here],
                    "y": here, "name": name, "uid": name, "cliponaxis": False,
                    "marker": {"color": colour, "symbol": symbol, "size": 12},
                    "hovertemplate": "%{x:,.2f}<extra>" + name + "</extra>",
                }
            )  # fmt: skip
    if shows.empties:
        names.append(f"{shows.empties:,} empty point{'' if shows.empties == 1 else 's'}")
        data.append(
            {
                "type": "scatter", "mode": "markers", "x": list(shows.empty),
                "y": [len(places)] * len(shows.empty), "uid": "empty", "cliponaxis": False,
                "name": "largest of the empty points",
                "marker": {"color": _DRAWN, "symbol": "diamond-open", "size": 12},
                "hovertemplate": "%{x:,.2f}<extra>an empty point</extra>",
            }
        )  # fmt: skip
    data.append(
        {
            "type": "scatter", "mode": "lines", "x": [shows.threshold] * 2,
            "y": [-0.6, len(names) - 0.4], "name": f"threshold {shows.threshold:,.4g}",
            "uid": "threshold", "hoverinfo": "skip",
            "line": {"color": _LIMIT, "dash": "dash", "width": 2},
        }
    )  # fmt: skip
    low = min(0.0, *shows.noisy)
    high = max(shows.threshold, *shows.counts, *shows.noisy, *(shows.empty or (0.0,)))
    room = 0.06 * (high - low)
    layout = {
        "barmode": "overlay",
        "xaxis": {
            "title": {"text": "count"}, "uirevision": "noise",
            "range": [low - (room if low < 0.0 else 0.0), high + room],
        },
        "yaxis": _rows_axis(names, "noise"), "legend": BELOW,
    }  # fmt: skip
    table: dict[str, list[Any]] = {
        "point": list(shows.names), "count": list(shows.counts), "with noise": list(shows.noisy),
        "released": [v if k else 0 for v, k in zip(shows.noisy, kept, strict=True)],
    }  # fmt: skip
    title = f"Released: {sum(kept)} of the {len(places)} points that occur"
    summary = "; ".join(
        f"{n}: {c:,}, with noise {v:,.2f}"
        for n, c, v in zip(shows.names, shows.counts, shows.noisy, strict=True)
    )
    return _picture(
        run, "noise", title, data, layout, table, f"{summary}. Threshold {shows.threshold:,.4g}."
    )
