"""The ladder of the learner `tree` on one sample, and on a neighbour of it.

Small domains, so that every rung can be told: the candidates are computed by `interval.rungs`, as in
a real run; nothing is written a second time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.choice import draw, probabilities
from privsc_core.concepts.interval.distributions import target
from privsc_core.concepts.interval.ladder import Rungs, Scale
from privsc_core.concepts.interval.learners.tree import Tree
from privsc_core.concepts.sample import Sample, uniform_below
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "CHANGES",
    "LARGEST_D",
    "LAWS",
    "LEAST_D",
    "Climb",
    "Rung",
    "Side",
    "climbed",
    "slack_of",
]

LEAST_D, LARGEST_D = 4, 8
# Words of links, fixed for ever: the target alternates on both.
LAWS = {"cascade": "cascade", "hard": "hard(alternating)"}
CHANGES = ("none", "flip", "move")


@dataclass(frozen=True, slots=True)
class Rung:
    """A candidate: the node t in the middle of its cell (A, B).

    Attributes
    ----------
    level, node, low, high : int
        How often 2 divides t; t, A and B.
    left, right, room : float
        D(A)/2, -D(B)/2 (infinite at the ends of the tree) and v - E(t).
    score, chance : float
        The least of the three, at least 0; the probability of being drawn.
    """

    level: int
    node: int
    low: int
    high: int
    left: float
    right: float
    room: float
    score: float
    chance: float


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A sample with its rungs, leaves first.

    Attributes
    ----------
    points : tuple of int
        The distinct points, in order.
    ones, zeros : ndarray of int64, shape (points,)
        How often each occurs, by label.
    rungs : tuple of Rung
    lump : float
        The probability of drawing none of them.
    """

    points: tuple[int, ...]
    ones: NDArray[np.int64]
    zeros: NDArray[np.int64]
    rungs: tuple[Rung, ...]
    lump: float

    @property
    def chances(self) -> dict[int, float]:
        """The probability of each node that can be drawn; that of the lump is under 0."""
        return {rung.node: rung.chance for rung in self.rungs} | {0: self.lump}


@dataclass(frozen=True, slots=True, eq=False)
class Climb:
    """One run of the learner that can be followed, and what one example changes.

    Attributes
    ----------
    d, m, target : int
        Bits, examples, and j of the target.
    epsilon, delta : float
    scale : Scale
        u, v and C.
    here : Side
        The sample.
    there : Side or None
        With one example replaced.
    changed : str
        What was replaced by what, in words; empty for nothing.
    drawn, output : int
        The node that was drawn, 0 for the lump, and the threshold that came out.
    """

    d: int
    m: int
    target: int
    epsilon: float
    delta: float
    scale: Scale
    here: Side
    there: Side | None
    changed: str
    drawn: int
    output: int

    @property
    def moved(self) -> float:
        """The largest change of a score; a node that is no candidate has score 0."""
        if self.there is None:
            return 0.0
        old, new = ({r.node: r.score for r in side.rungs} for side in (self.here, self.there))
        return max((abs(old.get(t, 0.0) - new.get(t, 0.0)) for t in old | new), default=0.0)

    @property
    def appeared(self) -> float:
        """The largest probability of a node that is a candidate of one of the samples alone."""
        if self.there is None:
            return 0.0
        old, new = self.here.chances, self.there.chances
        alone = [p for a, b in ((old, new), (new, old)) for t, p in a.items() if t not in b]
        return max(alone, default=0.0)


def climbed(
    *, law: str, d: int, m: int, seed: int, epsilon: float, alpha: float, beta: float, delta: float,
    change: str = "none", example: int = 1, place: int = 1,
) -> Climb:  # fmt: skip
    """Return a run on a sample of a distribution, and its neighbour.

    Parameters
    ----------
    law : str
        A word of `LAWS`.
    d, m, seed : int
        Bits of a point (4 to 8), examples, and what fixes sample and coins.
    epsilon, alpha, beta, delta : float
        The setting; a delta of 0 stands for the learner's own.
    change : {"none", "flip", "move"}
        What happens to one example: nothing, its label flips, or it moves to another point.
    example : int
        Which one: one at the so manieth point that occurs, from the left; the last one for more.
    place : int
        Where it moves to; the last point of the domain for more.

    Raises
    ------
    InputError
        For a word or a size that does not exist.
    """
    if law not in LAWS or change not in CHANGES:
        name, words = ("law", LAWS) if law not in LAWS else ("change", CHANGES)
        raise InputError(
            name, f"must be one of {', '.join(words)}", law if name == "law" else change
        )
    if not LEAST_D <= d <= LARGEST_D:
        raise InputError("d", f"must be in [{LEAST_D}, {LARGEST_D}] to show every rung", d)
    distribution = catalog.distribution("interval", LAWS[law])
    distribution.check(d=d, alpha=alpha)
    delta = delta or Tree().privacy_slack
    scale = Scale.of(d=d, epsilon=epsilon, beta=beta, delta=delta)
    of_sample, of_coins = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    sample = distribution.draw(m=m, d=d, alpha=alpha, rng=of_sample)
    here, log_weights = _side(sample, scale)
    pick, _ = draw(log_weights, of_coins)
    lump = pick == len(here.rungs)
    node = 0 if lump else here.rungs[pick].node
    output = 1 + uniform_below(of_coins, (1 << d) + 1) if lump else min(node, (1 << d) + 1)
    there, changed = None, ""
    if change != "none":
        other, changed = _replaced(sample, here.points, change, example, place)
        there, _ = _side(other, scale)
    j = target(d, "alternating")
    return Climb(d, m, j, epsilon, delta, scale, here, there, changed, node, output)


def slack_of(climb: Climb) -> float:
    """Return the least delta that this pair of samples needs at epsilon, in either direction."""
    if climb.there is None:
        return 0.0
    factor = math.exp(climb.epsilon)
    old, new = climb.here.chances, climb.there.chances
    return max(
        sum(max(p - factor * b.get(t, 0.0), 0.0) for t, p in a.items())
        for a, b in ((old, new), (new, old))
    )


def _side(sample: Sample, scale: Scale) -> tuple[Side, NDArray[np.float64]]:
    """Return a sample with its rungs, and the log weights of these and, last, of the lump."""
    found = Rungs.of(sample, scale.most)
    log_weights = np.append(scale.log_gain(found.score), scale.log_lump)
    chances = probabilities(log_weights).tolist()
    columns = (found.level, found.left, found.right, found.room, found.score)
    rungs = tuple(
        Rung(level, found.node(i), *found.cell(i), left, right, room, score, chances[i])
        for i, (level, left, right, room, score) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        )
    )
    ones, zeros = sample.tallies()
    order = sorted(range(len(sample.points)), key=sample.points.__getitem__)
    kept = [i for i in order if ones[i] + zeros[i]]
    points = tuple(sample.points[i] for i in kept)
    return Side(points, ones[kept], zeros[kept], rungs, chances[-1]), log_weights


def _replaced(
    sample: Sample, points: tuple[int, ...], change: str, example: int, place: int
) -> tuple[Sample, str]:
    """Return the sample with one example replaced, and what was done to it."""
    point = points[min(max(example, 1), len(points)) - 1]
    x = [sample.points[i] for i in sample.index.tolist()]
    y = sample.labels.tolist()
    row = x.index(point)
    before = f"({x[row]}, {y[row]})"
    if change == "flip":
        y[row] = 1 - y[row]
    else:
        x[row] = min(max(place, 1), sample.domain_size)
    return Sample.of(sample.d, x, y), f"{before} → ({x[row]}, {y[row]})"
