"""What evaluations return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Method
    from privsc_core.numerics.intervals import Draws


@dataclass(frozen=True, slots=True, eq=False)
class SuccessResult:
    """Probabilities of success with two ends: proved, or of 95% intervals where samples were drawn.

    Attributes
    ----------
    value, low, high : ndarray of float64
        Of the broadcast shape of the request; equal where the method is exact.
    method : {"exact", "bracketed", "rao-blackwell", "monte-carlo"}
        How they were computed.
    failure : ndarray of float64, optional
        1 - value without cancellation, right relative to itself as far down as beta. There where
        the law is exact and beta or 1 - beta is below 1e-4; elsewhere maybe.
    drawn : Draws, optional
        Where the law is simulated: sums over the samples, of which the ends are made.
    idle : mapping of str to str
        Which parameters cannot change the answer, each with the reason as a clause.
    """

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    method: Method
    failure: NDArray[np.float64] | None = None
    drawn: Draws | None = field(default=None, repr=False)
    idle: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class NeedResult:
    """Numbers of samples, with reasons where there are none.

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
        How success was computed; "bound" for bounds.
    idle : mapping of str to str
        Which parameters cannot change the answer, each with the reason as a clause.
    """

    m: NDArray[np.float64]
    m_from: NDArray[np.float64]
    reason: NDArray[np.str_]
    note: NDArray[np.str_]
    method: str
    at_least: NDArray[np.float64]
    idle: Mapping[str, str] = field(default_factory=dict)

    @property
    def told(self) -> NDArray[np.float64]:
        """What a figure of several numbers can draw: m, or what it is at least."""
        return np.where(np.isfinite(self.at_least), self.at_least, self.m)


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The privacy loss found by enumerating every pair of adjacent databases.

    Attributes
    ----------
    epsilon : float
        The privacy loss that was claimed.
    worst : float
        The largest |log ratio| of output probabilities; inf when an output is possible on
        one side only.
    pairs : int
        Ordered pairs of adjacent databases compared.
    private : bool
        Whether worst <= epsilon; for approximate privacy whether least_delta <= delta (both up
        to 1e-9).
    database, neighbour : tuple of (point, label)
        A pair that attains `worst`; label 1 throughout where labels do not matter.
    output : str
        An output that attains `worst`.
    delta : float
        The privacy slack that was claimed; 0 for pure privacy.
    least_delta : float
        The least slack with which the instance is private at epsilon: the largest sum of
        max(p - e^epsilon q, 0) over adjacent databases. Computed for approximate privacy only.
    """

    epsilon: float
    worst: float
    pairs: int
    private: bool
    database: tuple[tuple[int, int], ...]
    neighbour: tuple[tuple[int, int], ...]
    output: str
    delta: float = 0.0
    least_delta: float = 0.0
