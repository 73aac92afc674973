"""Figures for notebooks and for print: a picture as a Plotly figure, in our style and at a size."""

from __future__ import annotations

import math
import re
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts.style import BLACK, MAP_SCALE, WHITE, faint
from privsc_core.draw.traces import SLOPE
from privsc_core.draw.views import VIEWS, picture
from privsc_core.errors import InputError, needed
from privsc_core.evaluate.own_bound import OwnBound
from privsc_core.evaluate.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping

    from privsc_core.concepts.contracts import Bound, ConceptClass, Distribution
    from privsc_core.draw.picture import Picture
    from privsc_core.draw.traces import Trace

    Length = float | str

_GRID, _EDGE = faint(BLACK, 0.13), faint(BLACK, 0.5)
_FONT = "Helvetica, Arial, sans-serif"
_SCREEN, _PRINT = 14.0, 8 * 96 / 72  # px of type: in a notebook, and 8 pt in a paper
_TALL, _SHAPE = 400.0, 0.6  # px of axes in a notebook; their height over the width in a paper
# In sizes of type: about the width of a letter, a line with its space, the sample of a line in a legend.
_LETTER, _LINE, _KEY = 0.55, 1.35, 4.0
_LONGEST = 100  # letters of a line in the legend of a notebook
_AXIS = re.compile(r"[xy]axis\d*")

_UNITS = {"px": 1.0, "pt": 96 / 72, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}
_LENGTH = re.compile(rf"(\d{{1,5}}(?:\.\d{{1,6}})?)\s*({'|'.join(_UNITS)})", re.ASCII)
_LENGTHS = (1.0, 10_000.0)


def figure(
    *,
    concept: str | ConceptClass,
    learner: Any = "all",
    view: str = "m",
    distribution: str | Distribution | None = None,
    target: str | None = None,
    width: Length | None = None,
    height: Length | None = None,
    font: Length | None = None,
    on_map: str = "",
    **setting: Any,
) -> Any:
    """Return a figure of a class page as a Plotly figure.

    Parameters
    ----------
    concept, distribution, target
        As for `success`.
    learner : name, function, list of these, or "all"
        Whose curves to draw; an empty list for none. A function is simulated, as by `success`.
    view : str
        ``m``, ``eps``, ``d`` (success), ``need-eps``, ``need-d`` (least number of examples),
        ``map-m-d``, ``map-m-eps`` or ``map-d-eps``: as in the dashboard's links.
    width, height : float or str, optional
        Of the figure: pixels, or a length such as ``"85mm"``, ``"3.3in"``, ``"240pt"``. With a width
        it is made for print: black on white, type of 8 points, without a title and without the slopes of
        curves, which the summary has.
    font : float or str, optional
        The size of type, likewise.
    on_map : str
        The learner of a map; the first private one of the class if empty.
    **setting
        What else a `Scenario` has: m, d, epsilon, alpha, beta, delta, u, trials, seed, constants; as
        `regions` the names of the bounds to draw, in place of all; as `formula` a bound of one's own. What
        stands on an axis of the figure has no effect.

    Returns
    -------
    plotly.graph_objects.Figure
        A notebook shows it; ``write_html`` saves it, and ``write_image`` as SVG or PDF at its size
        where the package kaleido is installed. ``layout.meta`` has its caption and its summary in words.

    Raises
    ------
    InputError
        For what a `Scenario` refuses, a length that is none, and where Plotly is not installed.

    Examples
    --------
    >>> import privsc_core as pv
    >>> drawn = pv.figure(
    ...     concept="point", learner=["exponential", "hash"], view="need-d", width="85mm", font="8pt"
    ... )
    >>> round(drawn.layout.width), drawn.layout.xaxis.title.text
    (321, 'bits of a domain point d')
    """
    known = catalog.concept(concept)
    if isinstance(learner, str) and learner == "all":
        learner = [entry.name for entry in known.learners]
    elif not isinstance(learner, list | tuple):
        learner = [learner]
    entries = [catalog.learner(known, one) for one in learner]
    for entry in entries:
        if all(entry.name != other.name for other in known.learners):
            known = known.beside(entry)
    law = catalog.distribution(known, distribution, target)
    unknown = setting.keys() - Scenario.__dataclass_fields__.keys()
    if unknown:
        needs = f"must be one of {', '.join(Scenario.__dataclass_fields__)}"
        raise InputError("setting", needs, min(unknown))
    names = tuple(entry.name for entry in entries)
    asked = Scenario(catalog.told(known), names, law.label, **setting)
    return plotly_figure(picture(asked, view, on_map=on_map), width=width, height=height, font=font)


def plotted(asked: Mapping[str, Any], given: Mapping[str, Any], quantity: str, **size: Any) -> Any:
    """Return the figure of an answer: see `plot` of results.

    Parameters
    ----------
    asked, given : mapping
        Of the result.
    quantity : {"success", "m"}
        What the answer is.
    **size
        As for `figure`.
    """
    setting: dict[str, Any] = {
        name: asked[name]
        for name in ("m", "d", "epsilon", "delta", "alpha", "beta")
        if name in asked
    }
    axes = {name for name, values in setting.items() if np.unique(values).size > 1}
    axes = axes or {"m" if quantity == "success" else "d"}
    views = [name for name, view in VIEWS.items() if {*view.axes} == axes and
             view.quantity == ("map" if len(axes) > 1 and quantity == "success" else quantity)]  # fmt: skip
    if not views:
        needs = (
            "must be of one setting but for m, d or epsilon (of success two of them, of m not m)"
        )
        raise InputError("plot", needs, ", ".join(sorted(axes)))
    law = given["distribution"]
    if isinstance(law, list):
        if len(law) != 1:
            raise InputError("plot", "must be of one distribution", f"{len(law)} of them")
        law = law[0]
    known = catalog.concept(given["concept"])
    bounds = given["bound"] if isinstance(given["bound"], list) else [given["bound"]]
    entries = [catalog.bound(known, one) for one in bounds if one]
    learners = given["learner"] or [_bound_by(known, entry) for entry in entries]
    learners = learners if isinstance(learners, list) else [learners]
    mapped = VIEWS[views[0]].quantity == "map"
    if mapped and len(learners) != 1:
        needs = "must be of one learner where two numbers vary"
        raise InputError("plot", needs, f"{len(learners)} of them")
    own = next((entry.formula.text for entry in entries if isinstance(entry, OwnBound)), "")
    paper = bool(entries) and all(entry.constants == "paper" for entry in entries)
    return figure(
        concept=given["concept"], learner=learners, view=views[0], distribution=law,
        target=given["target"], on_map=catalog.learner(known, learners[0]).name if mapped else "",
        formula=own, constants="paper" if paper else "sharp", **size,
        **{name: np.ravel(values)[0].item() for name, values in setting.items()},
        **{name: asked[name] for name in ("trials", "seed") if name in asked},
    )  # fmt: skip


def _bound_by(known: ConceptClass, bound: Bound) -> str:
    """Return a learner of which a bound speaks: beside it the bound is drawn."""
    return next(filter(bound.binds, known.learners), known.learners[0]).name


def plotly_figure(
    picture: Picture,
    *,
    width: Length | None = None,
    height: Length | None = None,
    font: Length | None = None,
) -> Any:
    """Return a picture as a `plotly.graph_objects.Figure`; the sizes are as for `figure`.

    Raises
    ------
    InputError
        For a length that is none, and where Plotly is not installed.
    """
    wide = None if width is None else _pixels("width", width)
    tall = None if height is None else _pixels("height", height)
    size = _pixels("font", font or (_SCREEN if wide is None else _PRINT))
    dressed = _dressed(picture, wide, tall, size)
    return needed("plotly.graph_objects", "figure").Figure(dressed)


def _pixels(name: str, given: Length) -> float:
    """Return a length in pixels, 96 an inch."""
    match = _LENGTH.fullmatch(given.strip()) if isinstance(given, str) else None
    found = float(match[1]) * _UNITS[match[2]] if match else given
    if isinstance(found, str | bool) or not isinstance(found, int | float):
        found = math.nan
    if not _LENGTHS[0] <= found <= _LENGTHS[1]:
        needs = "must be a number of pixels in [1, 10000] or a length such as 85mm, 3.3in or 240pt"
        raise InputError(name, needs, given)
    return found


def _dressed(picture: Picture, width: float | None, height: float | None, size: float) -> Trace:
    """Return the figure in black on white, with type and strokes of a size."""
    given = picture.figure["layout"]
    letters = int(max(12.0, (width / size - _KEY) / _LETTER)) if width else _LONGEST
    data = picture.figure["data"]
    if width:
        data = [t | {"name": t["name"].split(SLOPE)[0]} if "name" in t else t for t in data]
    data = [_sized(trace, size / _SCREEN, letters) for trace in data]
    legend: Trace = {"tracegroupgap": size / 4, "font": {"size": size}} | given.get("legend", {})
    if legend.get("y", 1) < 0:
        # From the foot of the figure: from that of the axes many entries would leave it.
        legend |= {"y": 0, "yanchor": "bottom", "yref": "container", "x": 0, "xref": "container"}
    if any(trace["type"] == "heatmap" for trace in data):  # the lines on it are light
        legend |= {"bgcolor": MAP_SCALE[2], "font": {"size": size, "color": WHITE}}
    listed = [trace["name"] for trace in data if trace.get("showlegend", True) and "name" in trace]
    rows = sum(_LINE * (1 + name.count("<br>")) + 0.25 for name in listed)
    tall = (_SHAPE * width if width else _TALL) + size * (rows + 4 * _LINE)
    layout = {
        "font": {"family": _FONT, "size": size, "color": BLACK},
        "paper_bgcolor": WHITE,
        "plot_bgcolor": WHITE,
        "showlegend": len(data) > 1,
        "height": height or tall,
        "margin": dict.fromkeys("lrb", size) | {"t": size if width else 4 * size},
        **({"width": width} if width else {"title": {"text": picture.title, "x": 0, "xref": "paper"}}),
    } | given | {"legend": legend, "template": "none"}  # fmt: skip
    layout["meta"] = layout.get("meta", {}) | {
        "caption": picture.caption, "summary": picture.summary,
    }  # fmt: skip
    for name in filter(_AXIS.fullmatch, given):
        layout[name] = _axis(given[name], name, size, width)
    layout["shapes"] = [_sized(shape, size / _SCREEN, letters) for shape in given.get("shapes", ())]
    return {"data": data, "layout": layout}


def _axis(given: Mapping[str, Any], name: str, size: float, width: float | None) -> Trace:
    """Return an axis with its lines, and not more ticks than there is room for."""
    axis: Trace = {
        "automargin": True, "gridcolor": _GRID, "linecolor": _EDGE, "tickcolor": _EDGE, "showline": True,
        "zeroline": False, "ticks": "outside", "ticklen": size / 3, "ticklabeloverflow": "allow",
    } | dict(given)  # fmt: skip
    title = given.get("title", {})
    words = title.get("text", "")
    if name.startswith("y"):
        words = "<br>".join(textwrap.wrap(words, 26, break_long_words=False))
    axis["title"] = {"standoff": size / 2, "font": {"size": size}, **title, "text": words}
    texts = given.get("ticktext", ())
    if width and name.startswith("x") and given.get("type") == "log":
        room = (width - 8 * size) / (_LETTER * size)  # letters
        if sum(map(len, texts)) + 2 * len(texts) > room:
            kept = [n for n, at in enumerate(given["tickvals"]) if math.log10(at) % 1 < 1e-9]
            for key in ("tickvals", "ticktext"):
                axis[key] = [given[key][n] for n in kept]
    return axis


def _sized(item: Mapping[str, Any], scale: float, letters: int) -> Trace:
    """Return a trace or a shape with strokes and marks of another size, its name in lines."""
    found = dict(item)
    if "name" in item:
        found["name"] = "<br>".join(textwrap.wrap(item["name"], letters)) or item["name"]
    for part, key in (("line", "width"), ("marker", "size")):
        if isinstance(item.get(part), dict) and isinstance(item[part].get(key), int | float):
            found[part] = item[part] | {key: scale * item[part][key]}
    if found.get("type") == "heatmap":
        bar = {"outlinewidth": 0, "thickness": 14 * scale}
        title = {"font": {"size": _SCREEN * scale}} | item.get("colorbar", {}).get("title", {})
        found["colorbar"] = bar | item.get("colorbar", {}) | {"title": title}
    if item.get("visible") == "legendonly":
        found["showlegend"] = False  # a legend lists what is drawn
    return found
