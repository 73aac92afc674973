"""One run of the generic learner of rectangles, to be followed: people, cuts, labels, the rectangle.

On the uniform distribution, where the error is an area.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts.style import RED
from privsc_core.concepts.rectangle.distributions import Board
from privsc_core.concepts.rectangle.learners import Generic
from privsc_core.concepts.shared.sample import Sample
from privsc_core.draw.picture import Picture, plot
from privsc_core.draw.style import integer, number
from privsc_core.draw.traces import GREY, PINK, STEEL, TEAL, axis, hover, line, marks
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What is drawn after how many steps, by the name of the step.
STEPS = {"people": "The people", "cuts": "The cuts", "labels": "The labels", "choice": "The choice"}
_M, _U = 300, 8000
_SHOWN = 600  # of the people
_FEWEST, _MOST = 3, 31  # bits of a side, of two coordinates in an int64


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What a run drew; everything in shares of the board's side.

    Attributes
    ----------
    people, labelled : ndarray of float64, shape (examples, 2)
        Where the examples are.
    labels : ndarray of bool, shape (examples,)
        Of the labelled ones.
    cuts : (ndarray, ndarray)
        Of x and of y, increasing.
    box : (float, float, float, float) or None
        Left, right, bottom and top of what was chosen; None for the empty one.
    error : float
        The area on which it errs.
    """

    people: NDArray[np.float64]
    labelled: NDArray[np.float64]
    labels: NDArray[np.bool_]
    cuts: tuple[NDArray[np.float64], NDArray[np.float64]]
    box: tuple[float, float, float, float] | None
    error: float


def follow(d: int, epsilon: float, seed: int) -> Run:
    """Draw both samples from the uniform distribution and run the learner on them."""
    if not _FEWEST <= d <= _MOST:
        raise InputError("d", f"must be from {_FEWEST} to {_MOST} for a run of rectangles", d)
    rng = np.random.default_rng([seed, d])
    board, size = Board(d, d), 1 << d
    low, high = size // 4, 3 * size // 4
    places = rng.integers(1, size + 1, size=(_M + _U, 2))
    labels = np.asarray(((places >= low) & (places <= high)).all(axis=1))
    sample = Sample.of(
        2 * d, [board.code(x, y) for x, y in places.tolist()], labels.astype(int).tolist()
    )
    grid, _, _, box = Generic(u=_U).drawn(sample, epsilon, rng)
    left, right, bottom, top = box
    wide, tall = max(0, right - left + 1), max(0, top - bottom + 1)
    both = max(0, min(right, high) - max(left, low) + 1) * max(
        0, min(top, high) - max(bottom, low) + 1
    )
    error = (wide * tall + (high - low + 1) ** 2 - 2 * both) / size**2
    sides = ((left - 1) / size, right / size, (bottom - 1) / size, top / size)
    cuts = tuple(np.sort([(cut.at - 1) / size for cut in one]) for one in (grid.x, grid.y))
    shares = (places - 0.5) / size
    return Run(
        shares[_M:], shares[:_M], labels[:_M], (cuts[0], cuts[1]),
        sides if wide and tall else None, error,
    )  # fmt: skip


def run_picture(d: int, epsilon: float, alpha: float, seed: int, step: str) -> Picture:
    """Draw a run up to one of `STEPS`; of a larger board that of the largest side that is drawn."""
    bits = min(d, _MOST)
    found, last = follow(bits, epsilon, seed), list(STEPS).index(step)
    few = found.people[:_SHOWN] if not last else found.people[: _SHOWN // 3]
    data = [
        marks(few[:, 0], few[:, 1], f"unlabelled: {len(few)} of {_U:,}", GREY, "circle", 3)
        | hover("(%{x:.3f}, %{y:.3f}), no label")
    ]
    if last >= 1:
        for name, places, flip in (("x", found.cuts[0], False), ("y", found.cuts[1], True)):
            along = np.ravel([(place, place, math.nan) for place in places])
            ends = np.tile([0.0, 1.0, math.nan], len(places))
            one, other = (ends, along) if flip else (along, ends)
            data.append(
                line(one, other, "private medians", STEEL, width=1, uid=f"cuts {name}", legendgroup="cuts")
                | {"showlegend": not flip, "hoverinfo": "skip"}
            )  # fmt: skip
    if last >= 2:
        for mine, colour, symbol, words in (
            (found.labels, PINK, "circle", "label 1"), (~found.labels, GREY, "circle-open", "label 0"),
        ):  # fmt: skip
            at = found.labelled[mine]
            data.append(marks(at[:, 0], at[:, 1], words, colour, symbol, 7) | hover(words))
    data.append(_outline((0.25, 0.75, 0.25, 0.75), "target", TEAL, "dot"))
    verdict, paint = ("accurate", TEAL) if found.error <= alpha else ("not accurate", RED)
    if last >= 3 and found.box:
        data.append(_outline(found.box, f"chosen: {verdict}", paint, "solid"))
    side = (0.0, 1.0)
    chosen = f" Chosen: error {found.error:.3f}, {verdict}." if last >= 3 else ""
    beyond = f" (a run is drawn up to there; the plane has {d:,})" if d > bits else ""
    empty = " It is the empty rectangle." if last >= 3 and not found.box else ""
    return plot(
        data,
        axis("x / T", side, zoom="run", constrain="domain"),
        axis("y / T", side, zoom="run", scaleanchor="x", constrain="domain"),
        legend=0.16,
        title=f"A run for rectangles: {STEPS[step].lower()}",
        caption=(
            f"d = {bits}{beyond}, ε = {number(epsilon)}, α = {number(alpha)}: one run on {_M} labelled and {_U:,} unlabelled "
            "examples of the uniform distribution, where the error is an area. Medians of both coordinates, four "
            f"levels each, cut a grid of {len(found.cuts[0]) + 1} by {len(found.cuts[1]) + 1} cells; the choice is "
            f"among the rectangles of the grid.{chosen}{empty}"
        ),
        summary=(
            f"{integer(float(len(found.cuts[0])))} cuts of x and {integer(float(len(found.cuts[1])))} of y."
            f"{chosen}{empty}"
        ),
        filename=f"privsc-labels-run-d{bits}-eps{epsilon:g}-{seed}",
        table={
            "coordinate": ["x"] * len(found.cuts[0]) + ["y"] * len(found.cuts[1]),
            "cut": [float(v) for part in found.cuts for v in part],
        },
        sources=(Generic.source,),
    )  # fmt: skip


def _outline(
    box: tuple[float, float, float, float], name: str, colour: str, dash: str
) -> dict[str, object]:
    left, right, bottom, top = box
    return line(
        [left, right, right, left, left], [bottom, bottom, top, top, bottom], name, colour, dash=dash,
        width=3,
    ) | {"hoverinfo": "skip"}  # fmt: skip
