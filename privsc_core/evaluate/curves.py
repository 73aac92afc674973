"""What views hold: frozen values of arrays and names, to be drawn or tabulated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy as np
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Learner
    from privsc_core.evaluate.scenario import Scenario

Axis = Literal["m", "d", "epsilon"]

SIMULATING = "is being simulated"  # why a curve is missing, for now


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One curve: a learner's (with its interval) or a bound's.

    Attributes
    ----------
    name, title : str
        From the catalog.
    x, y, low, high : ndarray of float64
        Points; NaN where there is no value. `low` and `high` equal `y` where it is exact.
    method : str
        exact, bracketed, rao-blackwell, monte-carlo; sharp, paper, rate or yours for bounds.
    at : float
        The number of samples that belongs to the curve at the scenario, NaN if there is none.
    slope : float
        Fitted log-log slope over the upper half of the axis, NaN where none is fitted.
    kind : {"learner", "lower", "upper"}
    legend : str
        What a bound says, in words; empty for the title.
    shaded : bool
        Whether a bound is shaded.
    m_from : ndarray of float64, optional
        Where `y` is the least m, and a larger one may fall short again: from which on every m
        suffices, NaN where there is none.
    on_demand : bool
        Whether a bound lies on the curve of the non-private learner.
    thin : bool
        Whether a sharper bound of the same argument stands beside it.
    """

    name: str
    title: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    method: str
    at: float = math.nan
    slope: float = math.nan
    kind: Literal["learner", "lower", "upper"] = "learner"
    legend: str = ""
    shaded: bool = False
    m_from: NDArray[np.float64] | None = None
    on_demand: bool = False
    thin: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Curves over one axis, with the learners and bounds that have none and why."""

    axis: Axis
    quantity: Literal["success", "m"]
    x_range: tuple[float, float]
    learners: tuple[Curve, ...]
    bounds: tuple[Curve, ...]
    missing: tuple[tuple[str, str], ...]
    scenario: Scenario
    simulated: int = 0  # samples a point so far, of the scenario's trials


@dataclass(frozen=True, slots=True)
class Row:
    """One number of samples: whose, how much, against what.

    Attributes
    ----------
    name, title, source : str
        From the catalog.
    m : int or None
        The number of samples: of a learner the least that suffice.
    remark : str
        Why there is none, or what to know about it.
    ratio : float
        m divided by the non-private learner's; NaN where there is none.
    method : str
        How it was computed.
    privacy, proper
        Of a learner; empty and None for a bound.
    kind : {"learner", "lower", "upper"}
    m_from : int or None
        Of a learner: the least m from which on every one suffices, None where there is none.
    slack : float
        Of a learner: the delta with which it is private; 0 for none.
    here : bool
        Of a bound: whether it is drawn, on this distribution and beside these learners.
    pending : bool
        Of a learner: whether its simulation was not waited for: m is of few samples, or None.
    at_least : int or None
        Of a learner without m: up to which number simulation tells, see `NeedResult`.
    """

    name: str
    title: str
    source: str
    m: int | None
    remark: str
    ratio: float
    method: str
    kind: Literal["learner", "lower", "upper"]
    privacy: str = ""
    proper: bool | None = None
    m_from: int | None = None
    slack: float = 0.0
    here: bool = True
    pending: bool = False
    at_least: int | None = None

    @property
    def published(self) -> float:
        """How many examples may be published, m delta: 0 without a slack, NaN without a number."""
        return math.nan if self.m is None else self.m * self.slack


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of one scenario: every learner, every bound, and the headline."""

    learners: tuple[Row, ...]
    bounds: tuple[Row, ...]

    def learner(self, name: str) -> Row:
        """Return the row of a learner."""
        return next(row for row in self.learners if row.name == name)

    def only(self, learners: Collection[str], bounds: Collection[str]) -> Numbers:
        """Return the rows of some learners and bounds."""
        return Numbers(
            tuple(row for row in self.learners if row.name in learners),
            tuple(row for row in self.bounds if row.name in bounds),
        )

    def bound(self, name: str) -> Row:
        """Return the row of a bound."""
        return next(row for row in self.bounds if row.name == name)

    def strongest(self, *names: str, here: bool = False) -> Row:
        """Return the row of the lower bound that excludes most, among some that bind the same.

        Which one it is changes with the setting. `here` leaves out what says nothing about this
        distribution, if anything else does.
        """
        rows = [self.bound(name) for name in names]
        told = [row for row in rows if row.here or not here] or rows
        return max(told, key=lambda row: row.m or 0)


@dataclass(frozen=True, slots=True, eq=False)
class Phase:
    """Success probability of one learner over two axes, with the bound curves.

    Attributes
    ----------
    x_axis, y_axis : str
        Names of the parameters.
    x, y : ndarray
        The cells' centres.
    z : ndarray, shape (y, x)
        Success probabilities.
    curves : tuple of Curve
        Bounds, and the learner's own least m (method "need"), as curves in the plane.
    own : ndarray, shape (y, x), optional
        Where m is on no axis: by how many powers of ten a bound of one's own asks for more than m.
    """

    x_axis: Axis
    y_axis: Axis
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    z: NDArray[np.float64]
    curves: tuple[Curve, ...]
    learner: Learner
    scenario: Scenario
    own: NDArray[np.float64] | None = None
