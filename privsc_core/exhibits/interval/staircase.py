"""The least m that trees of depth 1, 2 and 3 guarantee, against the log of the bits of a point.

Below them what no proper learner with a slack can do on its worst distribution. A domain is known by L
alone, log2(d + 1): d itself, and the 2^d points, are formed nowhere.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.style import AMBER, DASHES, IMPOSSIBLE, PALER, RED, faint
from privsc_core.concepts.interval.bounds.finite import TreeBound
from privsc_core.concepts.interval.bounds.tower import Tower
from privsc_core.concepts.interval.nodes import candidates_most
from privsc_core.draw.picture import plains, plot, setting
from privsc_core.draw.reading import Line
from privsc_core.draw.style import integer, number
from privsc_core.draw.traces import (
    GREY,
    QUIET,
    THICK,
    THIN,
    Trace,
    axis,
    band,
    hover,
    line,
    log_axis,
    marks,
    parted,
    shade,
    stroke,
    words,
)
from privsc_core.errors import InputError
from privsc_core.evaluate.prediction import Least
from privsc_core.numerics.text import raised
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.draw.picture import Picture

DEPTHS = (1, 2, 3)
# The words of links for the two axes, fixed for ever, with what their switch says.
PANELS = {"bits": "Up to 2⁶⁴", "tower": "Up to 2^(2³²)"}
LEAST, MOST = 3.0, 2.0**32
STOPS = (
    *map(float, (3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 25, 26, 28, 30, 32, 40, 48, 56, 64)),
    *(2.0**power for power in (7, 8, 10, 12, 16, 20, 24, 28, 29, 30, 31, 32)),
)
"""Where a slider of L stops."""
AXES, QUANTITY = ("log2_d",), "m"
COPIED_D = 2**10  # bits of a point
_PARTS, _ROUNDS = 16, 3  # a gap in which one depth begins to pay is cut into so many, so often
_SETTING = ("epsilon", "delta", "alpha", "beta")
# Few of them: between two the curves are nearly straight.
_PLACES = np.concatenate([
    [3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 52, 64], np.exp2([8, 10, 13, 18, 24, 32])
])  # fmt: skip
# Where a lower bound is computed that holds from there on: each place takes as long as a curve of a learner.
_LOWER = {
    "bits": np.array([LEAST, 10, 15, 20, 30, 64]), "tower": np.array([LEAST, 10, 20, 30, 2.0**16, MOST]),
}  # fmt: skip
_STEEP = 2.0**13  # beyond it a single tree needs far more than the others
_DASHES = ("solid", "dash", "longdashdot")
_TICKS = {
    "bits": (3, 8, 16, 24, 32, 40, 48, 56, 64),
    "tower": tuple(2.0**power for power in (3, 6, 10, 15, 20, 25, 32)),
}
_ROOM = 1.25
_BELOW = 1.35  # of the height of a mark, where its words begin
_BEST = 0.4  # of the colour, behind the least curve
_SPENT = "but mδ ≥ 1 there: no privacy"
_LATE = 0.75  # of the axis, from where on words stand on the left of their mark
# At which L the name of each curve stands, and on which side.
_NAMED = {
    "bits": ((52.0, "bottom center"), (9.0, "top center"), (9.0, "top center")),
    "tower": ((40.0, "bottom right"), (2.0**18, "bottom right"), (2.0**14, "top center")),
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A setting; log2_d is L, the log of d + 1.

    Raises
    ------
    InputError
        For a value outside its domain.
    """

    epsilon: float
    delta: float
    alpha: float
    beta: float
    log2_d: float = 24.0

    def __post_init__(self) -> None:
        for name in ("epsilon", "alpha", "beta"):
            scalar(name, getattr(self, name))
        if not 0.0 < self.delta < 0.5:
            raise InputError("delta", "must be in (0, 0.5) for a tree", self.delta)
        if not LEAST <= self.log2_d <= MOST:
            raise InputError("log2_d", f"must be in [{LEAST:g}, {MOST:.0f}]", self.log2_d)

    def cell(self) -> Cell:
        """Return the setting without L, as bounds take it; its d is not read."""
        return Cell(1, self.epsilon, self.alpha, self.beta, delta=self.delta)

    @property
    def anywhere(self) -> Standing:
        """The setting of all places together."""
        return replace(self, log2_d=LEAST)


class Stairs(NamedTuple):
    """What trees guarantee at many places, and what is impossible.

    Attributes
    ----------
    log2_d : ndarray, shape (places,)
        L.
    m : ndarray, shape (depths, places)
        Least m that suffices on every distribution; NaN far beyond what other depths need.
    pays : tuple of (float, float)
        For each further depth the first L at which it needs fewer examples than the one before, and how many;
        infinite and NaN if there is none up to 2^32.
    """

    log2_d: NDArray[np.float64]
    m: NDArray[np.float64]
    pays: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Staircase:
    """The numbers at a setting.

    Attributes
    ----------
    at : Standing
    stairs : Stairs
    here : tuple of float
        What each depth needs at L.
    lower : int
        Fewer are impossible at L, on the worst distribution.
    """

    at: Standing
    stairs: Stairs
    here: tuple[float, ...]
    lower: int

    @property
    def depth(self) -> int:
        """The depth that needs the fewest examples at L; of equal ones the least."""
        return DEPTHS[int(np.argmin(self.here))]

    @property
    def least(self) -> int:
        """How many it needs."""
        return int(min(self.here))

    @property
    def spent(self) -> bool:
        """Whether so many examples are too many for the slack."""
        return self.least * self.at.delta >= 1.0


# --- What is computed ----------------------------------------------------------------------------


def needs(depth: int, log2_d: NDArray[np.float64], at: Cell) -> NDArray[np.float64]:
    """Return the least m that a tree of some depth guarantees, NaN for more than 10^12.

    Places with as many candidates are computed once: from depth 2 on there are few numbers of them.
    """
    counts = [candidates_most(depth, 0, place)[1] for place in log2_d.tolist()]
    _, first, where = np.unique(counts, return_index=True, return_inverse=True)
    found = TreeBound(depth=depth).leasts_over(log2_d[first], at).astype(np.float64)
    return np.where(found > 0, found, np.nan)[where]


def impossible(log2_d: NDArray[np.float64], at: Cell) -> NDArray[np.float64]:
    """Return the number of examples with less than which every proper learner fails on some distribution.

    Copies of one point prove no more beyond `COPIED_D` bits.
    """
    copies = catalog.bound("interval", "packing-delta")
    sizes = np.minimum(np.exp2(np.minimum(log2_d, 30.0)) - 1.0, COPIED_D).astype(int)
    few = copies.leasts([replace(at, d=d) for d in np.unique(sizes).tolist()])
    copied = np.array([value.m or 0 for value in few])[np.searchsorted(np.unique(sizes), sizes)]
    found: NDArray[np.float64] = np.maximum(Tower().leasts_over(log2_d, at), copied).astype(float)
    return found


@functools.lru_cache(maxsize=256)
def stairs(at: Standing) -> Stairs:
    """Return the numbers at many places; the L of the setting is not read."""
    cell = at.cell()
    m = np.full((len(DEPTHS), _PLACES.size), np.nan)
    for row, depth in enumerate(progress.steps(DEPTHS)):
        there = (_STEEP if depth == 1 else MOST) >= _PLACES
        m[row, there] = needs(depth, _PLACES[there], cell)
    pays = tuple(_first(depth, m, cell) for depth in DEPTHS[1:])
    return Stairs(_PLACES, m, pays)


def _first(depth: int, m: NDArray[np.float64], cell: Cell) -> tuple[float, float]:
    """Return the first L at which a depth needs fewer than the one before, to 1 of 4096 of a gap, and how many."""
    one, other = m[DEPTHS.index(depth) - 1], m[DEPTHS.index(depth)]
    fewer = np.flatnonzero((other < one) | (np.isnan(one) & ~np.isnan(other)))
    if not fewer.size:
        return math.inf, math.nan
    if fewer[0] == 0:
        return LEAST, float(other[0])
    low, high = _PLACES[fewer[0] - 1 : fewer[0] + 1]
    before, most = TreeBound(depth=depth - 1), math.nan
    for _ in range(_ROUNDS):
        gap = np.geomspace(low, high, _PARTS + 1)
        target = needs(depth, gap, cell)  # few numbers, as it has few numbers of candidates
        fails = before.failures_over(gap, target, cell)[1:] > cell.beta
        at = int(np.argmax(fails)) + 1
        (low, high), most = gap[at - 1 : at + 1], float(target[at])
    return float(high), most


def staircase(at: Standing) -> Staircase:
    """Return the numbers at a setting."""
    found, cell, place = stairs(at.anywhere), at.cell(), np.array([at.log2_d])
    here = found.m[:, np.searchsorted(_PLACES, at.log2_d)]
    if at.log2_d not in _PLACES or np.isnan(here).any():
        here = np.array([needs(depth, place, cell)[0] for depth in DEPTHS])
    # A single tree may need more than 10^12.
    return Staircase(
        at,
        found,
        tuple(np.nan_to_num(here, nan=math.inf).tolist()),
        int(impossible(place, cell)[0]),
    )


# --- What is drawn -------------------------------------------------------------------------------


def staircase_picture(at: Standing, panel: str) -> tuple[Staircase, Picture]:
    """Compute and draw the least m against L, on one of the two axes of `PANELS`."""
    found = staircase(at)
    return found, _figure(found, panel)


def staircase_strip(
    panel: str, settings: tuple[Standing, ...]
) -> tuple[tuple[Staircase, Picture], ...]:
    """Compute and draw it at several settings; each equals what `staircase_picture` says."""
    return tuple(staircase_picture(at, panel) for at in progress.steps(settings))


def bits(log2_d: float) -> str:
    """Return how many bits a point has, as a power of 2."""
    if log2_d < 1024.0:
        return f"2{_above(log2_d)}"
    return f"2^(2{_above(math.log2(log2_d))})"


def _above(power: float) -> str:
    """Return an exponent to one decimal, raised where it is whole."""
    text = f"{power:.1f}"
    return raised(int(power + 0.5)) if text.endswith(".0") else f"^{text}"


def counted(log2_d: float) -> str:
    """Return how many bits a point has, in words where there are any for it."""
    value = 2.0**log2_d if log2_d < 40.0 else math.inf
    for unit, name in ((1e9, "billion"), (1e6, "million")):
        if unit <= value < 1000.0 * unit:
            return f"{value / unit:.3g} {name}"
    return integer(float(f"{value:.3g}")) if value < 1e6 else bits(log2_d)


@functools.lru_cache(maxsize=256)
def floor(at: Standing, panel: str) -> NDArray[np.float64]:
    """Return what is impossible at the places of an axis, see `_LOWER`; the L of the setting is not read."""
    return impossible(_LOWER[panel], at.cell())


def _figure(found: Staircase, panel: str) -> Picture:
    at, near = found.at, panel == "bits"
    shown = found.stairs.log2_d <= (64.0 if near else MOST)
    x, m = found.stairs.log2_d[shown], found.stairs.m[:, shown]
    # On the far axis a single tree leaves the frame.
    top = _ROOM * float(np.nanmax(m if near else m[1:])) * (1.0 if near else 2.0)
    lower = floor(at.anywhere, panel)
    bottom = float(lower[0]) / _ROOM
    data = [_best(found, x, np.nanmin(m, axis=0)), *_impossible(found, panel, bottom)]
    for row, depth in enumerate(DEPTHS):
        name = f"depth {depth}" + ": the tree of thresholds" * (depth == 1)
        curve = line(x, m[row], name, AMBER, dash=_DASHES[row], width=THIN, uid=f"depth-{depth}")
        curve |= {"text": [bits(place) for place in x]}
        told = hover(f"%{{text}} bits, depth {depth}: least m = %{{y:,.0f}}")
        data += parted(curve | told, m[row], at.delta)
    # From edge to edge: their ends would tell a range of m while it is to be predicted.
    shapes = [shade((float(x[0]), 20.0), (0, 1), PALER, yref="paper")] if near else []
    if x[0] <= at.log2_d <= x[-1]:
        shapes.append(stroke((at.log2_d, at.log2_d), (0, 1), GREY, dash="dot", yref="paper"))
    data += _named(x, m, top, panel)
    data += _written(found, panel, bottom, top)
    ends = (float(x[0]), float(x[-1]))
    return plot(
        data,
        _across(panel, ends),
        log_axis((bottom, top), "least number of examples m"),
        shapes=shapes,
        legend=0.26,
        title="Least m against the bits of a point: three depths of recursion",
        caption=(
            f"{setting(at, *_SETTING)}. Depths: upper bounds, on every distribution; ours, proved. Thick: the least of "
            "the three. Red: a lower bound for proper learners with δ on their worst distribution; a curve on another "
            f"distribution may lie below it.{_grey(found, m)}"
        ),
        summary=summary(found),
        filename=f"privsc-staircase-{panel}-eps{at.epsilon:g}-delta{at.delta:g}",
        table={"log2 of the bits": plains(x)} | {
            f"depth {depth}": plains(m[row]) for row, depth in enumerate(DEPTHS)
        } | {"impossible below": plains(lower[np.searchsorted(_LOWER[panel], x, side="right") - 1])},
    )  # fmt: skip


def _best(found: Staircase, x: NDArray[np.float64], least: NDArray[np.float64]) -> Trace:
    """Return the least of the depths, through the places where one begins to pay; none where it is no privacy."""
    turns = [turn for turn in found.stairs.pays if x[0] < turn[0] <= x[-1]]
    places = np.concatenate([x, [place for place, _ in turns]])
    values = np.concatenate([least, [m for _, m in turns]])
    values[values * found.at.delta >= 1.0] = np.nan
    order = np.argsort(places, kind="stable")
    paint = faint(AMBER, _BEST)
    return (
        line(places[order], values[order], "the least", paint, width=3 * THICK, uid="best") | QUIET
    )


def _impossible(found: Staircase, panel: str, bottom: float) -> list[Trace]:
    """Return what is impossible, in steps: a number holds from its place on, also the one at L."""
    at, lower = _LOWER[panel], floor(found.at.anywhere, panel)
    here = int(np.searchsorted(at, found.at.log2_d))
    if here < at.size and found.at.log2_d < at[here]:
        at, lower = np.insert(at, here, found.at.log2_d), np.insert(lower, here, found.lower)
    x, y = np.repeat(at, 2)[1:], np.repeat(lower, 2)[:-1]
    edge = line(
        x, y, "impossible below, on the worst distribution", RED, dash=DASHES["lower"][0], width=THIN,
        uid="impossible",
    )  # fmt: skip
    told = {"text": [bits(place) for place in x]} | hover(
        "%{text} bits: impossible below m = %{y:,.0f}"
    )
    return [
        band(x, np.full(x.size, bottom), y, "impossible area", IMPOSSIBLE, uid="area"),
        edge | told,
    ]


def _grey(found: Staircase, m: NDArray[np.float64]) -> str:
    return " Grey: mδ ≥ 1, no privacy." if np.nanmax(m) * found.at.delta >= 1.0 else ""


def _across(panel: str, ends: tuple[float, float]) -> Trace:
    at = list(map(float, _TICKS[panel]))
    ticked = axis(at=at, texts=[bits(place) for place in at], zoom=panel)
    if panel == "bits":
        return axis("a point has 2^L bits", ends) | ticked
    return log_axis(ends, "a point has 2^L bits, L on a logarithmic scale") | ticked


def _named(x: NDArray[np.float64], m: NDArray[np.float64], top: float, panel: str) -> list[Trace]:
    """Return the names of the curves, each beside its own where it is far from the others."""
    data = []
    for row, (depth, (where, side)) in enumerate(zip(DEPTHS, _NAMED[panel], strict=True)):
        inside = np.flatnonzero((m[row] < top / _ROOM) & (x <= where))
        if not inside.size:
            continue
        place = inside[-1]
        at = [x[place]], [m[row, place]]
        data.append(words(*at, [f"depth {depth}"], f"name-{depth}", side, AMBER))
    return data


def _written(found: Staircase, panel: str, bottom: float, top: float) -> list[Trace]:
    """Return the words in the figure: what is shaded, and where a depth begins to pay."""
    data = []
    if panel == "bits":
        text = ["d ≤ 10⁶: as on<br>other pages"]
        data.append(
            words([LEAST + 0.4], [bottom * (top / bottom) ** 0.5], text, "range", "middle right")
        )
    end = 64.0 if panel == "bits" else MOST
    for depth, (place, height) in zip(DEPTHS[1:], found.stairs.pays, strict=True):
        if not LEAST < place <= end:
            continue
        share = math.log(place) / math.log(end) if panel == "tower" else place / end
        side = "left" if share > _LATE else "right" if share < 1.0 - _LATE else "center"
        said = [f"depth {depth} pays<br>from {bits(place)} bits"]
        mark = marks([place], [height], f"depth {depth} pays", AMBER, "circle-open", 12, edge=THIN)
        data.append(mark | QUIET)
        data.append(words([place], [height / _BELOW], said, f"pays-{depth}", f"bottom {side}"))
    return data


# --- What is said --------------------------------------------------------------------------------


class Told(NamedTuple):
    """A card: label, value, note and tone."""

    label: str
    value: str
    note: str
    tone: Literal["plain", "delta"] = "plain"


def cards(found: Staircase) -> tuple[Told, ...]:
    """Return where each further depth begins to pay, and what is needed at L."""
    told = []
    for depth, (place, m) in zip(DEPTHS[1:], found.stairs.pays, strict=True):
        label, value, exact = f"Depth {depth} pays from", counted(place), bits(place)
        if math.isinf(place):
            told.append(Told(label, "never", f"up to {bits(MOST)} bits of a point"))
        else:
            note = "bits of a point" + f", {exact}" * (exact != value)
            note += f"; {_SPENT}" * (m * found.at.delta >= 1.0)
            told.append(
                Told(label, value.replace("(", "(\u200b"), note)
            )  # where a narrow card breaks it
    note = _SPENT if found.spent else f"impossible below {found.lower:,}"
    label = f"Enough at {bits(found.at.log2_d)} bits"
    return (*told, Told(label, integer(found.least), f"by depth {found.depth}; {note}", "delta"))


def question(at: Standing) -> str:
    """Return what is asked before the curves are shown; `answer` has the answer."""
    return f"How many examples are enough for the best of the three depths if a point has {bits(at.log2_d)} bits?"


def answer(found: Staircase) -> Least:
    """Return the least m of the three depths at L."""
    return Least(f"The tree of depth {found.depth}", found.least)


def paying(at: Standing, deltas: tuple[float, ...]) -> tuple[tuple[str, ...], ...]:
    """Return for each delta from how many bits depths 2 and 3 pay, and what is needed at the first of them.

    Each in brackets where its own number of examples is too many for the slack.
    """
    rows = []
    for delta in progress.steps(deltas):
        pays = stairs(replace(at, delta=delta).anywhere).pays
        told = ((m, counted(place) if math.isfinite(place) else "never") for place, m in pays)
        first = pays[0][1]
        said = (*told, (first, integer(first)))
        rows.append((number(delta), *(f"({one})" if m * delta >= 1.0 else one for m, one in said)))
    return tuple(rows)


def reading() -> tuple[Line, ...]:
    """Return how the figure is read."""
    first, second, third = _DASHES
    return (
        Line("bits of a point", "Each domain point is a number of 2^L bits, so the domain has 2^(2^L) points."),
        Line(
            "depth 1", "The tree of thresholds. Each doubling of the bits costs it equally many examples.",
            AMBER, first,
        ),
        Line("depth 2", "A tree on the levels of the first tree. It hardly grows, but starts higher.", AMBER, second),
        Line("depth 3", "A tree on the levels of the second tree.", AMBER, third),
        Line("thick", "The depth that needs the fewest examples at so many bits.", faint(AMBER, _BEST)),
        Line(
            "impossible", "No proper learner with this δ does with fewer examples on its worst distribution. On one "
            "distribution a learner may.", IMPOSSIBLE, filled=True,
        ),
    )  # fmt: skip


def summary(found: Staircase) -> str:
    """Return the figure in words."""
    said = ", ".join(
        f"{integer(m)} examples are enough for depth {depth}"
        for depth, m in zip(DEPTHS, found.here, strict=True)
    )
    pays = "".join(
        f" From {counted(place)} bits on fewer are enough for depth {depth} than for depth {depth - 1}."
        for depth, (place, _) in zip(DEPTHS[1:], found.stairs.pays, strict=True) if math.isfinite(place)
    )  # fmt: skip
    return f"With {bits(found.at.log2_d)} bits of a point, {said}; fewer than {found.lower:,} are impossible.{pays}"
