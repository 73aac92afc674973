"""What evaluations return."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privsc_core.records import Answer, spread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Method
    from privsc_core.numerics.intervals import Draws
    from privsc_core.records import Record

_NO_NUMBER = "the answer is no number"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class _Told(Answer):
    """An answer that knows its question.

    Attributes
    ----------
    asked : mapping of str to value or ndarray
        The question as its records tell it: names, and a setting that broadcasts; empty for results of
        inner functions.
    given : mapping of str to object
        What was asked about as it was given: a class, learners or bounds, a distribution.
    """

    quantity: ClassVar[str]

    asked: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)

    def plot(self, **size: Any) -> Any:
        """Return the figure that the class page draws at this setting, as `privsc_core.figure` does.

        Parameters
        ----------
        **size
            ``width``, ``height`` and ``font`` for print, as for `privsc_core.figure`.

        Returns
        -------
        plotly.graph_objects.Figure
            Against what has several values here: m (or d where m is the answer) where nothing has. The
            axis is the whole one of the page.

        Raises
        ------
        InputError
            Where the class page draws no such figure, and where Plotly is not installed.
        """
        # What draws stands above what evaluates, and is imported when it is asked.
        drawing = import_module("privsc_core.draw.paper")
        return drawing.plotted(self.asked, self.given, self.quantity, **size)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SuccessResult(_Told):
    """Probabilities of success with two ends: proved, or of 95% intervals where samples were drawn.

    A notebook shows it as a table; `to_frame()` has a row for each setting, `plot()` draws the figure.

    Attributes
    ----------
    value, low, high : ndarray of float64
        Of the broadcast shape of the request; equal where the method is exact.
    method : {"exact", "bracketed", "rao-blackwell", "monte-carlo"}
        How they were computed; of several learners an array of these.
    failure : ndarray of float64, optional
        1 - value without cancellation, right relative to itself as far down as beta. There where
        the law is exact and beta or 1 - beta is below 1e-4; elsewhere maybe.
    drawn : Draws, optional
        Where the law is simulated: sums over the samples, of which the ends are made.
    idle : mapping of str to str
        Which parameters cannot change the answer, each with the reason as a clause.
    reason : ndarray of str or str
        Why there is no value, of those learners of several that are refused; else empty.
    note : ndarray of str or str
        A remark on the learner, mostly empty.
    asked, given : mapping
        The question, for its table and figure.
    """

    title = "Probability of success"
    quantity = "success"
    columns = ("learner", "m", "value", "low", "high", "method", "reason")

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    method: Method
    failure: NDArray[np.float64] | None = None
    drawn: Draws | None = None
    idle: Mapping[str, str] = field(default_factory=dict)
    reason: NDArray[np.str_] | str = ""
    note: NDArray[np.str_] | str = ""

    def records(self) -> list[Record]:
        """Return a record for each setting, with the names that `privsc success --json` prints."""
        answer = {name: getattr(self, name) for name in ("value", "low", "high", "method")}
        answer |= {"reason": self.reason, "note": self.note}
        found = spread(self.value.shape, {**self.asked, **answer})
        for one in found:
            one["reason"] = one["reason"] or (_NO_NUMBER if one["value"] is None else None)
            one.update(method=one["method"] or None, note=one["note"] or None)
        return found


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NeedResult(_Told):
    """Numbers of samples, with reasons where there are none.

    A notebook shows it as a table; `to_frame()` has a row for each setting, `plot()` draws the figure.

    Attributes
    ----------
    m : ndarray of float64
        Whole numbers, the least that suffice; NaN where nothing suffices or the bound has no
        number.
    m_from : ndarray of float64
        Whole numbers, the least from which on every m suffices: m itself, but where a larger m
        may fail again. NaN where there is none.
    reason : ndarray of str
        Why a number is missing; empty where there are both.
    at_least : ndarray of float64
        Where simulation cannot tell m: every smaller number fails, with 97.5% confidence. NaN
        elsewhere.
    note : ndarray of str
        A remark on the number, mostly empty.
    method : str
        How success was computed; "bound" for bounds. Of several learners or bounds an array of these.
    idle : mapping of str to str
        Which parameters cannot change the answer, each with the reason as a clause.
    asked, given : mapping
        The question, for its table and figure.
    """

    title = "Least number of samples m"
    quantity = "m"
    columns = ("learner", "bound", "kind", "d", "m", "reason")

    m: NDArray[np.float64]
    m_from: NDArray[np.float64]
    reason: NDArray[np.str_]
    note: NDArray[np.str_]
    method: str
    at_least: NDArray[np.float64]
    idle: Mapping[str, str] = field(default_factory=dict)

    def records(self) -> list[Record]:
        """Return a record for each setting, with the names that `privsc need --json` prints."""
        bounds = bool(np.all(np.asarray(self.method) == "bound"))
        numbers = ("m",) if bounds else ("m", "m_from", "at_least")
        answer = {name: getattr(self, name) for name in numbers}
        words = ("reason", "note") if bounds else ("method", "reason", "note")
        answer |= {name: getattr(self, name) for name in words}
        found = spread(self.m.shape, {**self.asked, **answer})
        for one in found:
            one.update({name: None if one[name] is None else int(one[name]) for name in numbers})
            one.update({name: one[name] or None for name in words})
        return found

    @property
    def told(self) -> NDArray[np.float64]:
        """What a figure of several numbers can draw: m, or what it is at least."""
        return np.where(np.isfinite(self.at_least), self.at_least, self.m)


@dataclass(frozen=True, slots=True, repr=False)
class AuditResult(Answer):
    """The privacy loss of adjacent databases: of all, enumerated, or at least so much, from runs.

    Attributes
    ----------
    epsilon : float
        The privacy loss that was claimed.
    worst : float
        Exact: the largest |log ratio| of output probabilities; inf when an output is possible on
        one side only. From runs: the least epsilon at `delta` is at least so much, with 99 % confidence.
    pairs : int
        Exact: ordered pairs of adjacent databases compared. From runs: pairs looked at.
    private : bool or None
        Exact: whether worst <= epsilon; for approximate privacy whether least_delta <= delta (both up
        to 1e-9). From runs: False with confidence 1 - 10^-6, else None: runs never show privacy.
    database, neighbour : tuple of (point, label), or a data set as it was given
        A pair that attains `worst`; label 1 throughout where labels do not matter.
    output : str
        An output that attains `worst`, or an event likelier on the database.
    delta : float
        The privacy slack that was claimed; 0 for pure privacy.
    least_delta : float
        Exact: the least slack with which the instance is private at epsilon, the largest sum of
        max(p - e^epsilon q, 0) over adjacent databases, computed for approximate privacy only. From
        runs: that slack is at least so much, with 99 % confidence (at once with `worst`).
    method : {"exact", "monte-carlo"}
        Whether all was enumerated, or runs were counted.
    runs : int
        Runs in all; 0 if exact.
    hits : tuple of int
        How often the event happened on the database and on the neighbour, and in how many runs on
        each; zeros if exact.
    """

    title = "Privacy audit"
    columns = ("epsilon", "worst", "private", "pairs", "database", "neighbour", "output")

    epsilon: float
    worst: float
    pairs: int
    private: bool | None
    database: Any
    neighbour: Any
    output: str
    delta: float = 0.0
    least_delta: float = 0.0
    method: Method = "exact"
    runs: int = 0
    hits: tuple[int, int, int] = (0, 0, 0)

    @property
    def _headline(self) -> str:
        return f"{self.title}: {self.verdict}"

    def records(self) -> list[Record]:
        """Return one record: what was claimed, what was found, and where."""
        names = ("epsilon", "delta", "worst", "least_delta", "private", "method", "pairs", "runs",
                 "database", "neighbour", "output")  # fmt: skip
        return [{name: getattr(self, name) for name in names}]

    @property
    def verdict(self) -> str:
        """What was found, in one or two sentences."""
        claim = f"({self.epsilon:g}, {self.delta:g})" if self.delta else f"{self.epsilon:g}"
        found, claimed = ("δ", self.delta) if self.delta else ("ε", self.epsilon)
        least = self.least_delta if self.delta else self.worst
        if self.method == "exact":
            sign, said = ("≤", "private") if self.private else (">", f"not {claim}-private")
            return f"{said} on this instance: {found} = {least:.3g} {sign} {claimed:g}, exactly, over {self.pairs:,} pairs."
        hits, others, each = self.hits
        if self.private is None:
            return (
                f"no violation of {claim}-privacy found in {self.runs:,} runs on {self.pairs:,} "
                f"pair{'s' * (self.pairs > 1)}: "
                f"{found} is at least {least:.3g} of the claimed {claimed:g}. This does not show privacy."
            )
        return (
            f"not {claim}-private: {found} is at least {least:.3g} > {claimed:g}. The event {self.output} "
            f"happened in {hits:,} of {each:,} runs on {self.database}, in {others:,} on {self.neighbour}."
        )


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Answer):
    """A list of what exists, one row each.

    Attributes
    ----------
    rows : tuple of dict
    """

    title = "Concept classes"
    columns = ("concept",)

    rows: tuple[Record, ...]

    def records(self) -> list[Record]:
        """Return a record for each row."""
        return list(self.rows)
