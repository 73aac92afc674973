"""The interior point problem with a slack, and how its solver learns thresholds.

Of n points output one between the least and the largest: the tree without labels. The reduction is
that of Bun, Nissim, Stemmer and Vadhan 2015; constants, and the solver in one shot, are ours.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core import catalog
from privsc_core.concepts.contracts.style import AMBER, TEAL
from privsc_core.concepts.interval.distributions import target
from privsc_core.concepts.interval.learners.tree import Tree
from privsc_core.concepts.interval.nodes import log_lump
from privsc_core.draw.least import LeastM, least_m_plot, least_m_traces
from privsc_core.draw.picture import Picture, columns, plot, setting
from privsc_core.draw.style import number
from privsc_core.draw.traces import axis, bar, hover, joined, marks, told, upright
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from privsc_core.exhibits.interval.noise_channel import ONE, ZERO
from privsc_core.numerics.logspace import probabilities
from privsc_core.numerics.text import chance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.concepts.shared.sample import Sample


@dataclass(frozen=True, slots=True)
class Solver:
    """What depends on the setting alone.

    Attributes
    ----------
    d : int
        Bits of a point.
    rate : float
        e' = epsilon / 2.
    log_lump : float
        log C, with k = d + 1 candidates at most: a leaf never is one.
    """

    d: int
    rate: float
    log_lump: float

    @classmethod
    def of(cls, d: int, epsilon: float, delta: float) -> Solver:
        """Return the solver of a setting.

        Raises
        ------
        InputError
            For a delta outside (0, 1/2).
        """
        rate = 0.5 * epsilon
        return cls(d, rate, log_lump(math.log(d + 1), rate, delta))

    def score_needed(self, beta: float) -> int:
        """Return u, the least score with which one candidate leaves the lump at most beta."""
        wanted = np.logaddexp(0.0, self.log_lump + math.log(1.0 / beta - 1.0)) / self.rate
        return math.ceil(float(wanted) * (1 - 1e-14))


def points_needed(d: int, epsilon: float, delta: float, beta: float) -> int:
    """Return n = 4 u - 2: from so many points on the solver fails with probability at most beta.

    The deepest node with both margins at least u scores u: at n = 2h points, h = 2u - 1, one of its
    children else had them, or |D| there were above h - u.
    """
    return 4 * Solver.of(d, epsilon, delta).score_needed(beta) - 2


def examples_needed(d: int, epsilon: float, alpha: float, beta: float, delta: float) -> int:
    """Return from how many examples on the reduction learns thresholds, whatever the distribution.

    A solver for d + 1 bits at (epsilon / 2, delta / (1 + e^{epsilon / 2})) that fails with
    probability at most beta / 2, and beta / 2 + 2 Pr[Bin(m, alpha) < h] <= beta.
    """
    h = points_needed(d + 1, *halved(epsilon, delta), 0.5 * beta) // 2

    def enough(m: int) -> bool:
        return m >= h and bool(special.bdtr(h - 1, m, alpha) <= 0.25 * beta)

    high = max(h, 1)
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def halved(epsilon: float, delta: float) -> tuple[float, float]:
    """Return the setting of a solver, where one example may change two of its entries."""
    return 0.5 * epsilon, delta / (1.0 + math.exp(0.5 * epsilon))


def candidates(points: Sequence[int], d: int) -> dict[int, float]:
    """Return the score of every candidate t among the nodes 1..2^(d+2) - 1.

    Parameters
    ----------
    points : sequence of int
        n = 2h points of [1, 2^d].
    d : int
        Bits of a point.

    Raises
    ------
    InputError
        For an odd number of points, or one outside the domain.

    Notes
    -----
    Point x stands at 2x. F(t) counts the points below t and D(t) = h - F(t) at odd t; at even t it
    is the median of D(t-1), D(t+1) and 0. A node t in the middle of its cell (A, B) is a candidate
    if D(A) > 0 > D(B), and scores min(D(A), -D(B), h - |D(t)|): one replaced point changes D, and
    the score, by at most 1. A candidate with a score above 0, and only those have a weight, is
    interior: D(A) > 0 > D(B) alone does not put t/2 between the points, |D(t)| < h does.
    """
    size, top = len(points), 4 << d
    if size % 2 or not size:
        raise InputError("points", "must be even in number, at least 2", size)
    if not all(1 <= x <= 1 << d for x in points):
        raise InputError("points", f"must be in [1, 2^{d}]", "others")
    h, order = size // 2, sorted(points)

    def odd(t: int) -> int:
        return h - bisect_left(order, (t + 1) // 2)

    def margin(t: int) -> float:
        if t in {0, top}:
            return math.inf if t == 0 else -math.inf
        return odd(t) if t % 2 else sorted((odd(t - 1), odd(t + 1), 0))[1]

    found = {}
    for level in range(1, d + 2):
        # D(A) > 0 up to the h-th smallest point: the one cell of the level that can be.
        low = (2 * order[h - 1] - 1) >> (level + 1) << (level + 1)
        t, high = low + (1 << level), low + (2 << level)
        left, right = margin(low), -margin(high)
        if left > 0 < right:
            found[t] = max(0.0, min(left, right, h - abs(margin(t))))
    return found


def solved(points: Sequence[int], solver: Solver) -> tuple[dict[int, float], float]:
    """Return the probability of every output in [1, 2^d], and that of the lump, which fails."""
    found = candidates(points, solver.d)
    exponents = solver.rate * np.array(list(found.values()), dtype=np.float64)
    with np.errstate(divide="ignore"):
        weights = exponents + np.log(-np.expm1(-exponents))
    chances = probabilities(np.append(weights, solver.log_lump)).tolist()
    outputs: dict[int, float] = {}
    for t, share in zip(found, chances, strict=False):
        outputs[t // 2] = outputs.get(t // 2, 0.0) + share
    return outputs, chances[-1]


# --- The reduction --------------------------------------------------------------------------------


def halves(sample: Sample, h: int) -> list[int]:
    """Return the 2h entries of the solver, of d + 1 bits: what decides between the labels.

    The h largest positives x at 2x and the h smallest negatives at 2x - 1, padded with 1 and 2T.
    One replaced example changes at most two of them.
    """
    x = [sample.points[i] for i in sample.index.tolist()]
    ones = sorted((p for p, y in zip(x, sample.labels.tolist(), strict=True) if y), reverse=True)[
        :h
    ]
    zeros = sorted(p for p, y in zip(x, sample.labels.tolist(), strict=True) if not y)[:h]
    left = [2 * p for p in ones] + [1] * (h - len(ones))
    right = [2 * p - 1 for p in zeros] + [2 * sample.domain_size] * (h - len(zeros))
    return left + right


def threshold(z: int) -> int:
    """Return the threshold that an interior point of `halves` means: at most h - 1 mistakes."""
    return z // 2 + 1


# -------------------------------------------------------------------------------------------------
# The figures of the interior point problem: what it costs over d, and a run of the reduction.


BITS = 6  # of a run: 64 points can be told apart
_PLACES = (8, 16, 64, 256, 1024, 10**4, 10**5, 10**6)


def needs(epsilon: float, alpha: float, beta: float, delta: float) -> Picture:
    """Draw over d: points for the solver, examples for the learner that it makes, and for `tree`."""
    delta = delta or Tree().privacy_slack
    points = [float(points_needed(one, epsilon, delta, beta)) for one in _PLACES]
    learner = [float(examples_needed(one, epsilon, alpha, beta, delta)) for one in _PLACES]
    at = Scenario("interval", (), epsilon=epsilon, alpha=alpha, beta=beta, delta=delta)
    tree = LeastM(
        "thresholds by the tree, any distribution: examples m", "tree", "tree", delta=delta,
        dash="dot", says="%{y:,.0f}",
    )  # fmt: skip
    data = [
        joined(_PLACES, values, name, colour, symbol, dash=dash, uid=uid)
        | hover("d = %{x:,}: %{y:,.0f}", name)
        for uid, name, values, colour, symbol, dash in (
            ("points", "interior point: points n", points, TEAL, "circle", "solid"),
            (
                "reduction",
                "thresholds by the reduction: examples m",
                learner,
                AMBER,
                "square",
                "dash",
            ),
        )
    ] + least_m_traces([tree], at, _PLACES)
    table = columns(data, "d")
    told = list(zip(*table.values(), strict=True))
    here = next(one for one in told if one[0] == 64)
    return least_m_plot(
        data,
        at,
        up="n or m",
        title="Examples for an interior point, and for thresholds by the reduction",
        caption=(
            f"{setting(at, 'epsilon', 'delta', 'alpha', 'beta')}. At d = 64: n = {here[1]:,} points, {here[2]:,} "
            f"examples by the reduction, {here[3]:,} by the tree itself. All three numbers are guarantees for every "
            "input."
        ),
        summary="; ".join(
            f"d = {d:,}: n = {a:,}, reduction {b:,}, tree {c:,}" for d, a, b, c in told
        )
        + ".",
        filename=f"privsc-interior-point-eps{epsilon:g}",
        table=table,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """One run of the reduction.

    Attributes
    ----------
    picture : Picture
    h : int
        Entries of each label.
    failure : str
        The probability that the solver fails.
    mistakes, allowed : int
        The most mistakes of a threshold that can come out, and h - 1.
    """

    picture: Picture
    h: int
    failure: str
    mistakes: int
    allowed: int


def reduced(m: int, seed: int, epsilon: float, beta: float, delta: float) -> Reduced:
    """Draw what the solver is given by a sample on `cascade`, and where its point may fall."""
    delta = delta or Tree().privacy_slack
    inner = halved(epsilon, delta)
    h = points_needed(BITS + 1, *inner, 0.5 * beta) // 2
    law, j = catalog.distribution("interval", "cascade"), target(BITS, "alternating")
    rng = np.random.default_rng(seed)
    sample = law.draw(m=m, d=BITS, alpha=0.1, rng=rng)
    entries = halves(sample, h)
    found, lump = solved(entries, Solver.of(BITS + 1, *inner))
    outputs = {z: share for z, share in found.items() if share > 0.0}
    x = [sample.points[i] for i in sample.index.tolist()]
    wrong = {z: sum((p < threshold(z)) != y for p, y in zip(x, sample.labels.tolist(), strict=True))
             for z in outputs}  # fmt: skip
    data = []
    for name, part, colour in (("h largest positives, at 2x", entries[:h], ONE),
                               ("h smallest negatives, at 2x − 1", entries[h:], ZERO)):  # fmt: skip
        at, counts = np.unique(np.array(part), return_counts=True)
        trace = bar(at, counts, name, colour, width=0.8)
        data.append(trace | hover("z = %{x}: %{y:,} entries", name))
    said = [f"z = {z}, c_{threshold(z)}: probability {chance(math.log(p))}, {wrong[z]} mistakes"
            for z, p in outputs.items()]  # fmt: skip
    dots = marks(
        list(outputs), list(outputs.values()), "where z may fall: probability", TEAL, "diamond", 11
    )
    most = max(wrong.values(), default=0)
    fails = chance(math.log(lump))
    picture = plot(
        [*data, dots | told(said) | {"yaxis": "y2"}],
        axis("position z, of d + 1 bits", (0.0, float((2 << BITS) + 1))),
        axis("entries"),
        yaxis2=axis(
            "probability", (0.0, 1.05), at=[0, 0.5, 1], texts=["0", "½", "1"], overlaying="y",
            side="right", showgrid=False,
        ),
        barmode="overlay",
        shapes=[upright(2 * j - 1.5, "x", "y2", (0.0, 1.05))],
        legend=0.26,
        title="From labels to an interior point and back",
        caption=(
            f"cascade, d = {BITS}, m = {m:,}, {_setting(epsilon, delta)}; the solver is private with ε/2 and δ/(1 + "
            f"exp(ε/2)). Dashed: the target, the threshold j = {j}. The output z stands for the threshold ⌊z/2⌋ + 1."
        ),
        summary=f"The solver fails with probability {fails}; {'; '.join(said)}.",
        filename=f"privsc-reduction-m{m}-seed{seed}",
        table={
            "z": list(outputs),
            "threshold": [threshold(z) for z in outputs],
            "probability": list(outputs.values()),
            "mistakes": list(wrong.values()),
        },
    )  # fmt: skip
    return Reduced(picture, h, fails, most, h - 1)


def _setting(epsilon: float, delta: float) -> str:
    return f"ε = {number(epsilon)}, δ = {number(delta)}"
