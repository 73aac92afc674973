"""A bound of one's own held against exact numbers: ratios, contradictions, and what they mean.

A formula alone does not say whether so many examples suffice or are needed. Both readings are told.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.bounds import bound
from privsc_core.evaluate.own_bound import OWN
from privsc_core.numerics.text import small

if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, Learner
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times another number a bound of one's own is, over an axis.

    Attributes
    ----------
    low, high : float
        The smallest and the largest ratio.
    at : float
        Where on the axis it is smallest.
    first, last : float
        Between which places it is known.
    """

    low: float
    high: float
    at: float
    first: float
    last: float

    @property
    def constant(self) -> float:
        """The constant times which the formula touches the other curve, at `at`, and is nowhere below it."""
        return 1.0 / self.low if self.low else math.inf


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A bound of one's own over an axis, beside the least m of a learner and the impossible region.

    Attributes
    ----------
    scenario : Scenario
    axis : {"d", "epsilon"}
    learner : str
        The name of the learner.
    x, own, value, need, enough, lower : ndarray of float64
        Places; the numbers of the formula, and what it says before it is rounded up to them; the exact least m of
        the learner, and the m from which on every one suffices; the largest number of a lower bound that binds the
        learner on the distribution, if it excludes any m. NaN where there is none.
    """

    scenario: Scenario
    axis: Literal["d", "epsilon"]
    learner: str
    x: NDArray[np.float64]
    own: NDArray[np.float64]
    value: NDArray[np.float64]
    need: NDArray[np.float64]
    enough: NDArray[np.float64]
    lower: NDArray[np.float64]

    @property
    def to_need(self) -> Ratio | None:
        """The formula as multiples of the least m of the learner; None where no place has both."""
        return self._ratio(self.need)

    @property
    def to_edge(self) -> Ratio | None:
        """The formula as multiples of the edge of the impossible region, the first m that is not excluded."""
        return self._ratio(self.lower)

    @property
    def impossible(self) -> NDArray[np.bool_]:
        """Where the formula gives a number that a lower bound excludes."""
        return self.own < self.lower

    def _ratio(self, other: NDArray[np.float64]) -> Ratio | None:
        ratio = self.value / other
        if not np.isfinite(ratio).any():
            return None
        low, high = int(np.nanargmin(ratio)), int(np.nanargmax(ratio))
        there = self.x[np.isfinite(ratio)]
        return Ratio(
            float(ratio[low]), float(ratio[high]), float(self.x[low]), float(there[0]), float(there[-1])
        )  # fmt: skip

    # --- In words ---------------------------------------------------------------------------------

    def sentences(self) -> tuple[str, ...]:
        """Return what follows, in plain text: ratios and constants, then what each reading meets.

        Nothing where the formula has no number.
        """
        if not np.isfinite(self.own).any():
            return ()
        told = [
            (f"the least m of “{self._title}”", self.to_need),
            ("the edge of the impossible region", self.to_edge),
        ]
        known = [(what, ratio) for what, ratio in told if ratio]
        if not known:
            return self._as_enough, self._as_needed
        over = [
            f", for {self._symbol} from {_number(ratio.first)} to {_number(ratio.last)}"
            for _, ratio in known
        ]
        apart = len(set(over)) > 1
        if not apart:  # then it is said once, at the end
            over = [""] * (len(over) - 1) + over[-1:]
        times = (", and " if apart else " and ").join(
            f"{_times(ratio)} {what}{where}"
            for (what, ratio), where in zip(known, over, strict=True)
        )
        touches = [
            f"times {_factor(ratio.constant)} it touches {what} from above ({self._symbol} = {_number(ratio.at)})"
            if ratio.low
            else f"it is 0 at {self._symbol} = {_number(ratio.at)}, so times no constant it is above {what}"
            for what, ratio in known
        ]
        first, *rest = touches
        return (
            f"Your bound is {times}.",
            f"{', and '.join([first[0].upper() + first[1:], *rest])}.",
            self._as_enough,
            self._as_needed,
        )

    @property
    def _as_enough(self) -> str:
        words = self.scenario.concept_class.words
        reading = f"If it means “so many {words.records} suffice”: "
        if self.impossible.any():
            whom = self._strongest(int(np.argmax(self.impossible)))
            return (
                f"{reading}your bound says that a {words.learner} exists where none can{self._where(self.impossible)}. "
                f"A theorem excludes it for {whom}."
            )
        if (short := self.own < self.need).any():
            return (
                f"{reading}your bound promises less than “{self._title}” needs{self._where(short)}. Another "
                f"{words.learner} may need fewer."
            )
        kept, there = self.own >= self.enough, np.isfinite(self.own)
        if kept.any():
            where = "" if kept[there].all() else self._where(kept)
            return f"{reading}“{self._title}” keeps this promise on this distribution{where}."
        return f"{reading}no number here contradicts it."

    @property
    def _as_needed(self) -> str:
        reading = f"If it means “every {self._kind} needs so many”: "
        if (beaten := self.own > self.need).any():
            return (
                f"{reading}on this distribution “{self._title}” needs fewer{self._where(beaten)}. In the worst case "
                "it may still be true."
            )
        if (self.own <= self.lower)[np.isfinite(self.own)].all():
            return f"{reading}it follows from the lower bounds of this picture, which ask for as many or more."
        return f"{reading}no number here contradicts it."

    @property
    def _entry(self) -> Learner:
        return next(e for e in self.scenario.entries if e.name == self.learner)

    @property
    def _title(self) -> str:
        return self._entry.title

    @property
    def _kind(self) -> str:
        """The kind of learner that is compared: an improper one with all learners of its privacy."""
        concept = self.scenario.concept_class
        before = "proper, " if self._entry.proper and concept.labelled else ""
        kinds = {
            "none": f"{before.rstrip(', ')} {concept.words.learner}".strip(),
            "pure": f"{before}purely private {concept.words.learner}",
            "approximate": f"{before}(ε, δ)-private {concept.words.learner}",
            "label": f"{before.rstrip(', ')} {concept.words.learner} with private labels".strip(),
        }
        return kinds[self._entry.privacy]

    @property
    def _symbol(self) -> str:
        return self.scenario.concept_class.parameter(self.axis).symbol

    def _where(self, mask: NDArray[np.bool_]) -> str:
        first, last = np.flatnonzero(mask)[[0, -1]]
        places = f"{self._symbol} = {_number(self.x[first])}"
        if first < last:
            places += f" to {_number(self.x[last])}"
        gaps = not mask[first : last + 1].all()
        return f" ({places}{', not throughout' if gaps else ''})"

    def _strongest(self, place: int) -> str:
        """Return whom the lower bound is about that excludes most at a place."""
        at: dict[str, Any] = self.scenario.settings(self.axis) | {
            self.axis: self.x[place : place + 1]
        }
        told = [
            (float(bound(e, **at).m[0]), e)
            for e in lower_bounds(self.scenario, self.learner)
            if self.scenario.holding(e, self.axis, self.x[place : place + 1]).all()
        ]
        entry = max((one for one in told if not math.isnan(one[0])), key=lambda one: one[0])[1]
        return entry.applies_briefly or entry.applies_to


def lower_bounds(scenario: Scenario, learner: str) -> list[Bound]:
    """Return the lower bounds of a scenario that bind a learner."""
    entry = next(e for e in scenario.entries if e.name == learner)
    return [e for e in scenario.bounds if e.kind == "lower" and e.binds(entry)]


def watched(scenario: Scenario, first: str = "") -> str:
    """Return the learner that a bound of one's own is compared with.

    Of the private ones that are shown: those that a lower bound of the picture binds, if there are any; `first` if
    it is among them, else the first of them. Else the default of a map.
    """
    shown = [entry for entry in scenario.drawn if entry.privacy != "none"]
    drawn = [
        e for e in scenario.bounds if e.kind == "lower" and not e.on_demand and scenario.applies(e)
    ]
    told = [entry for entry in shown if any(e.binds(entry) for e in drawn)]
    names = [entry.name for entry in told or shown]
    if first in names:
        return first
    return names[0] if names else scenario.concept_class.mapped(scenario.law.name)


def axis_for(scenario: Scenario, axes: tuple[str, ...]) -> Literal["d", "epsilon"]:
    """Return over which axis a formula is compared beside a picture with some axes: d where there is a choice."""
    fixed = scenario.sizeless or scenario.concept_class.only_size is not None
    return "epsilon" if fixed or ("epsilon" in axes and "d" not in axes) else "d"


def compare(
    scenario: Scenario, axis: Literal["d", "epsilon"] = "d", learner: str = ""
) -> Comparison:
    """Hold the formula of a scenario against the least m of a learner and the lower bounds, over an axis.

    Parameters
    ----------
    scenario : Scenario
        With a formula; its distribution, constants and setting count.
    axis : {"d", "epsilon"}
        Over the places of the picture of least m.
    learner : str
        A name in the catalog; where left out, see `watched`. One whose law is simulated has no numbers here.

    Raises
    ------
    InputError
        For a scenario without a formula.

    Examples
    --------
    >>> import privsc_core as pv
    >>> from privsc_core.evaluate.comparison import compare
    >>> found = compare(pv.Scenario("point", ("exponential",), formula="20*d"))
    >>> found.to_need.low < 1 < found.to_need.high
    True
    """
    if scenario.own is None:
        raise InputError("formula", "must be given", scenario.formula)
    learner = learner or watched(scenario)
    curves = views.least_m(replace(scenario, learners=(learner,), regions=()), axis)
    own = next(curve for curve in curves.bounds if curve.name == OWN)
    nothing = np.full(own.x.shape, math.nan)
    lower = [nothing, *(curve.y for curve in curves.bounds if curve.kind == "lower")]
    need = [curve for curve in curves.learners if curve.name == learner]
    least = need[0].y if need else nothing
    enough = need[0].m_from if need and need[0].m_from is not None else least
    value = scenario.own.along(**scenario.settings(axis) | {axis: own.x}).value
    excluded = np.fmax.reduce(lower)
    return Comparison(
        scenario, axis, learner, own.x, own.y, np.broadcast_to(value, own.x.shape), least, enough,
        np.where(excluded > 1.0, excluded, np.nan),
    )  # fmt: skip


def here(found: Numbers, scenario: Scenario, learner: str) -> str:
    """Return the sentence on a bound of one's own at the setting alone, from numbers that are known."""
    own = found.bound(OWN)
    if own.m is None:
        return f"Your bound has no number at this setting: {own.remark}."
    parts = []
    row = next((row for row in found.learners if row.name == learner and not row.pending), None)
    if row and row.m:
        about = "" if row.method == "exact" else "about "
        parts.append(f"{about}{_factor(own.m / row.m)} times the least m of “{row.title}”")
    names = {entry.name for entry in lower_bounds(scenario, learner)}
    excluded = [row.m for row in found.bounds if row.name in names and row.here and row.m]
    if max(excluded, default=1) > 1:
        parts.append(f"{_factor(own.m / max(excluded))} times the edge of the impossible region")
    said = f": {' and '.join(parts)}" if parts else ""
    return f"At this setting your bound is {own.m:,}{said}."


def _times(ratio: Ratio) -> str:
    low, high = _factor(ratio.low), _factor(ratio.high)
    return f"{low} times" if low == high else f"{low} to {high} times"


def _number(value: Any) -> str:
    return f"{float(value):,.4g}" if value < 1e4 else f"{float(value):,.0f}"


def _factor(value: float) -> str:
    if 0 < value < 1e-3:
        return small(float(f"{value:.2g}"))
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"
