"""What the exhibits of points show, from values that can be a key: computed and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog, progress
from privsc_core.evaluate.bounds import bound, bound_limit
from privsc_core.evaluate.need import need
from privsc_core.evaluate.success import success
from privsc_core.exhibits.point import figures
from privsc_core.exhibits.point.optimum import (
    LEARNERS,
    needs,
    over_votes,
    price,
)
from privsc_core.exhibits.point.program import solve
from privsc_core.exhibits.point.proof import MOVES, along, edges, steps
from privsc_core.numerics.logspace import log_domain_scalar

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture
    from privsc_core.exhibits.point.proof import Step

__all__ = ["MOST_BITS", "MOVES", "Checked", "Found", "checked", "needed", "program", "slopes", "successes",
           "traded"]  # fmt: skip

MOST_BITS = 600  # of the proof: with more no float holds the chances that it compares
_POINTS, _STEEP = 120, 60
_ALONG = 241
_D = (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64, 128, 256, 1024, 4096, 16384, 10**5, 10**6)


def slopes(d: int, epsilon: float) -> Picture:
    """Draw log odds over votes: packing, halfway, margin, exponential."""
    log_n, rivals = log_domain_scalar(d), log_domain_scalar(max(d, 2), 2)
    last = 2.2 * max(log_n, 2.0) / epsilon + 2.0
    k = np.unique(np.round(np.linspace(0.0, last, 2 * _POINTS)))
    return figures.slopes_figure(over_votes(k, log_n, rivals, epsilon), d, epsilon)


def successes(d: int, epsilon: float, alpha: float, beta: float) -> Picture:
    """Draw success on the hard distribution over m."""
    at: dict[str, Any] = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    law = catalog.distribution("point", "hard")
    least = {
        name: float(bound(catalog.bound("point", name), **at).m)
        for name in ("packing", "packing-two")
    }
    with progress.stage(0.0, 0.6):
        for name in progress.steps(LEARNERS):
            least[name] = float(need(catalog.learner("point", name), law, **at).m)
    low, high = max(1.0, 0.3 * least["packing-two"]), 1.7 * max(least.values())
    around = [np.geomspace(x / 1.25, x * 1.25, _STEEP) for x in least.values()]
    m = np.concatenate([np.geomspace(low, high, _POINTS), *around])
    m = np.unique(np.round(m.clip(low, high)))
    whole = m.astype(np.int64)
    rows = {}
    for name in least:
        if name in LEARNERS:
            rows[name] = success(catalog.learner("point", name), law, m=whole, **at).value
        else:
            limit = bound_limit(catalog.bound("point", name), m=whole, **at)
            rows[name] = np.ones(m.shape) if limit is None else limit
    return figures.success_figure(m, rows, least, d, epsilon, alpha, beta)


def needed(d: int, epsilon: float, alpha: float, beta: float) -> Picture:
    """Draw least m and its ratio to the halfway bound over d."""
    return figures.need_figure(needs(np.array(_D), epsilon, alpha, beta), d, epsilon, alpha, beta)


def traded(votes: int, d: int, epsilon: float) -> Picture:
    """Draw success over the votes for others."""
    others = np.linspace(0.0, 1.5 * votes, 2 * _POINTS)
    return figures.price_figure(price(votes, others, d, epsilon), votes, d, epsilon)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A linear program that was solved.

    Attributes
    ----------
    picture : Picture
    value, dual, bound : float
        The optimum and the bound by its dual, both means over k, and that of the halfway bound.
    slip : float
        By how much the mechanism found breaks a constraint.
    """

    picture: Picture
    value: float
    dual: float
    bound: float
    slip: float


def program(n: int, m: int, epsilon: float) -> Found:
    """Solve the linear program of an instance and hold it against the bound.

    Raises
    ------
    InputError
        Where the program would be too large.
    """
    found = solve(n, m, epsilon)
    k = np.arange(m + 1, dtype=np.float64)
    curves = over_votes(k, float(np.log(n)), float(np.log(n - 1)), epsilon)
    limit = float((1.0 / (1.0 + np.exp(-curves.packing_two))).mean())
    picture = figures.program_figure(found, curves, n, epsilon)
    return Found(picture, found.value, found.dual, limit, found.slip)


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """The proof along one replacement.

    Attributes
    ----------
    picture : Picture
    steps : tuple of Step
        The inequalities at h.
    free, half : float
        p0 and u1, in votes.
    possible : bool
        Whether there is a vote to take.
    bits : int
        The d that it is shown at.
    """

    picture: Picture
    steps: tuple[Step, ...]
    free: float
    half: float
    possible: bool
    bits: int


def checked(first: int, second: int, move: str, h: float, d: int, epsilon: float) -> Checked:
    """Follow one replacement, and check every inequality of the proof at h.

    Parameters
    ----------
    first, second : int
        Votes of candidates 1 and 2.
    move : str
        A key of `MOVES`.
    h : float
        In [0, 1].
    d : int
        At least 2: N = 2^d candidates; more than `MOST_BITS` are shown as so many.
    epsilon : float
    """
    bits = min(max(d, 2), MOST_BITS)
    log_n = log_domain_scalar(bits)
    source = MOVES[move][0]
    votes = (first, second)
    possible = source is None or votes[source] > 0
    if not possible:  # shown with one vote more, which there is to take
        votes = (max(first, 1), second) if source == 0 else (first, max(second, 1))
    names = ("candidate 1", "candidate 2", "candidate 3", "any other")
    picture = figures.along_figure(along(votes, move, log_n, epsilon, _ALONG), h, names)
    free, half = edges(log_n, epsilon)
    return Checked(picture, steps(votes, move, log_n, epsilon, h), free, half, possible, bits)
