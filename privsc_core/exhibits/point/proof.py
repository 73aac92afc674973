"""The proof that the margin mechanism is eps-DP, checked along one replacement of a record.

Two databases are joined by a straight line with parameter h: votes are real numbers on it. Each
log P_l is continuous there, so |dP_l/dh| <= eps P_l for every candidate l and h is all that is
needed. All derivatives here are in units of eps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from privsc_core.concepts.shared.votes import half_named, named, slope, taxed, unnamed, untaxed

if TYPE_CHECKING:
    from numpy.typing import NDArray

Move = Literal["1-2", "2-1", "1-new", "drop-1", "drop-2", "add-1", "add-new"]

# What is replaced: from which of the candidates 1, 2, 3 (the third had no vote) to which.
MOVES: dict[str, tuple[int | None, int | None]] = {
    "1-2": (0, 1), "2-1": (1, 0), "1-new": (0, 2), "drop-1": (0, None), "drop-2": (1, None),
    "add-1": (None, 0), "add-new": (None, 2),
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """One replacement.

    Attributes
    ----------
    h : ndarray, shape (points,)
        From 0, before, to 1, after.
    ratio : ndarray, shape (4, points)
        dP_l/dh / (eps P_l) of candidates 1, 2, 3 and of any other one; within [-1, 1].
    chance : ndarray, shape (4, points)
        P_l.
    """

    h: NDArray[np.float64]
    ratio: NDArray[np.float64]
    chance: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Step:
    """One inequality of the proof, at one h.

    Attributes
    ----------
    words, formula : str
        What it says; LaTeX.
    left, right : float
        Its sides there.
    used : bool
        Whether the case that it belongs to is the one at hand.
    """

    words: str
    formula: str
    left: float
    right: float
    used: bool = True

    @property
    def holds(self) -> bool:
        """Whether it holds, up to rounding."""
        return self.left <= self.right + 1e-12 * max(abs(self.left), abs(self.right), 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """Everything at the h's: rows are candidates 1, 2, 3; eps u, F, F', their changes."""

    x: NDArray[np.float64]
    chance: NDArray[np.float64]
    rise: NDArray[np.float64]
    step: NDArray[np.float64]
    guess: NDArray[np.float64]
    total: NDArray[np.float64]
    log_n: float


def _state(
    votes: tuple[int, int], move: str, log_n: float, epsilon: float, h: NDArray[np.float64]
) -> _State:
    source, goal = MOVES[move]
    s = np.zeros((3, h.size))
    s[0], s[1] = votes
    own = np.zeros((3, 1))
    for place, sign in ((source, -1.0), (goal, 1.0)):
        if place is not None:
            own[place] = sign
    s = s + own * h
    total = s.sum(axis=0)
    beyond = epsilon * total > untaxed(log_n)
    x = taxed(epsilon * s, epsilon * total, log_n)
    # A vote less is half a vote less of tax for everybody, where there is any.
    step = own - 0.5 * own.sum() * beyond
    chance = named(x, log_n)
    top = x.argmax(axis=0)
    here = np.arange(h.size)
    best = x[top, here]
    guess = unnamed(best, log_n) - (chance.sum(axis=0) - chance[top, here])
    return _State(x, chance, slope(x, log_n), step, guess, total, log_n)


def _change(at: _State) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return P and dP/dh / eps of candidates 1, 2, 3 and of any other."""
    lucky = np.exp(-at.log_n)
    own = at.rise * at.step
    rest = -own.sum(axis=0) * lucky
    chance = np.vstack([at.chance + at.guess * lucky, at.guess * lucky])
    return chance, np.vstack([own + rest, rest])


def along(votes: tuple[int, int], move: str, log_n: float, epsilon: float, points: int) -> Along:
    """Return how every probability changes along one replacement.

    Parameters
    ----------
    votes : (int, int)
        Of candidates 1 and 2; the other candidates have none.
    move : str
        A key of `MOVES`; votes are only taken where there are any.
    log_n : float
        Log of the number of candidates, at least 4.
    epsilon : float
    points : int
        How many h are looked at, both ends among them.
    """
    h = np.linspace(0.0, 1.0, points)
    chance, change = _change(_state(votes, move, log_n, epsilon, h))
    return Along(h, change / chance, chance)


def steps(
    votes: tuple[int, int], move: str, log_n: float, epsilon: float, h: float
) -> tuple[Step, ...]:
    """Return the inequalities of the proof at one h, in its order."""
    at = _state(votes, move, log_n, epsilon, np.array([h]))
    x, rise = at.x[:, 0], at.rise[:, 0]
    guess = float(at.guess[0])
    share = float(np.exp(-log_n))
    standing = x > 0.0
    crowd = float(x[standing].sum())
    free = float(untaxed(log_n))
    in_a = crowd <= free + 1e-12
    top = float(rise.max())
    chance, change = _change(at)
    own = rise * at.step[:, 0]
    loss = float(abs(own.sum()))
    worst = int(np.argmax(np.abs(change[:, 0]) / chance[:, 0]))
    source, goal = MOVES[move]
    moved = source is not None and goal is not None
    found = [
        Step(
            "Two cases. (A): the votes left after the subtraction sum to at most p₀. (B): only "
            "one candidate has votes left, and more than p₀.",
            r"\textstyle\sum_{u_l > 0} u_l \le p_0" if in_a else r"\#\{l : u_l > 0\} \le 1",
            crowd / epsilon if in_a else float(standing.sum()), free / epsilon if in_a else 1.0,
        ),
        Step(
            "(A) No candidate has more than u₁ votes left, so every probability changes slowly.",
            r"f_l \le \varepsilon\,\tfrac{N+1}{4N}",
            top * epsilon, epsilon * 0.25 * (1.0 + share), in_a,
        ),
        Step(
            "(A) The random guess keeps most of the probability.",
            r"\tfrac{3N+1}{4N} \le 1-G", 0.25 * (3.0 + share), guess, in_a,
        ),
        Step(
            "(B) The random guess compensates the only slope.",
            r"f_q \le \varepsilon\,(1-G)", top * epsilon, epsilon * guess, not in_a,
        ),
        Step(
            "The probability of the random guess changes by at most ε times itself. This settles all candidates that "
            "the example does not vote for.",
            r"|dG/dh| \le \varepsilon\,(1-G)", loss * epsilon, epsilon * guess,
        ),
    ]  # fmt: skip
    if moved:
        lost = float(rise[source]) if source is not None else 0.0
        found.append(
            Step(
                "(A) A vote is moved: the candidate that gains it. Equality is possible here: "
                "this "
                "fixes p₀.",
                r"\tfrac12 + f_i/\varepsilon + G \le 1", 0.5 + lost + (1.0 - guess), 1.0, in_a,
            )
        )  # fmt: skip
    else:
        found.append(
            Step(
                "A vote is dropped or added: the subtraction changes by half a vote for every "
                "candidate.",
                r"|dG/dh| \le \tfrac12 \textstyle\sum_l f_l" if float(at.total[0]) * epsilon > free
                else r"|dG/dh| \le f_i",
                loss * epsilon,
                epsilon * (0.5 * float(rise.sum()) if float(at.total[0]) * epsilon > free else top),
            )
        )  # fmt: skip
    found.append(
        Step(
            "This holds for every candidate; the figure shows the one that is nearest to equality.",
            r"|dP_l/dh| \le \varepsilon\,P_l",
            epsilon * float(abs(change[worst, 0])), epsilon * float(chance[worst, 0]),
        )
    )  # fmt: skip
    return tuple(found)


def edges(log_n: float, epsilon: float) -> tuple[float, float]:
    """Return p0 and u1, in votes."""
    return float(untaxed(log_n)) / epsilon, float(half_named(log_n)) / epsilon
