"""The packing argument acted out: one learner's probability, shared out among n boxes.

On one sample a learner has probability 1 to give away. Its answers that are good for target i are
box i, and the boxes are disjoint. Whoever promises p to every target on its own sample owes each
other box e^{-eps K} p on this one, K the number of examples in which the samples differ. So
p (1 + (n-1) e^{-eps K}) <= 1, and on average over K no promise is better than
E[1 / (1 + (n-1) e^{-eps K})]: the packing bound.

With a database halfway, t examples from the sample of the target and K - t from another one: the
target's box still gets 1 - e^{eps t} (1 - p), and seen from the other side all other answers are
owed 1 - e^{eps (K-t)} (1 - p) / (n-1). These must fit into 1 as well: the sharper bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import special

from privsc_core import progress
from privsc_core.concepts.shared.inequalities import SEARCH_LIMIT, halfway_steps, log_odds
from privsc_core.numerics.decimals import complement

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Bound, Cell
    from privsc_core.concepts.shared.boxes import Boxes

Hand = Literal["asked", "best", "own"]
_POINTS, _STEEP = 33, 41  # of a curve, and of its climb
# Beyond e^-460 products with weights are subnormal, which is fifty times slower.
_RAREST, _FURTHER = 460.0, 700.0


@dataclass(frozen=True, slots=True)
class Shares:
    """How one learner's probability is given away, on one sample and on average.

    Attributes
    ----------
    log_rivals : float
        Log of the number of other boxes.
    lost : float
        The share of targets for which no box is good.
    promise, log_promise : float
        What each box gets on its own sample, and its log.
    own, log_own : float
        What the target's box gets on the database that is shown: the same, or less halfway.
    steps : int
        t, how many examples the database is from the target's sample; 0 where it is that sample.
    best : float
        The largest promise that can be kept, on samples that differ in K examples.
    log_each, log_owed : float
        Log of what one other box is owed, and of what all of them are owed; halfway the first is
        what the target's box could have at most, seen from the other sample.
    log_total : float
        Log of the sum; above 0 the promise cannot be kept.
    fits : bool
        Whether it can.
    enough : int or None
        The least K from which on it can (at "best": could 1 - beta); None if at no K.
    average : float
        The best promise on average over K and targets.
    least : int or None
        The least m at which that reaches 1 - beta; None where it is beyond the search.
    """

    log_rivals: float
    lost: float
    promise: float
    log_promise: float
    own: float
    log_own: float
    steps: int
    best: float
    log_each: float
    log_owed: float
    log_total: float
    fits: bool
    enough: int | None
    average: float
    least: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """The scene at one setting.

    Attributes
    ----------
    bound : Bound
    boxes : Boxes
    at : Cell
    m : int
    first : int
    weights : ndarray of float64
        The probabilities of K = first, first + 1, ...
    count, typical : int
        The K that is shown, and the likeliest one.
    asked : float
        1 - beta.
    apart : Shares
        With a box for every target.
    merged : Shares or None
        With merged boxes, where the class knows some.
    """

    bound: Bound
    boxes: Boxes
    at: Cell
    m: int
    first: int
    weights: NDArray[np.float64]
    count: int
    typical: int
    asked: float
    apart: Shares
    merged: Shares | None


def best_promise(
    log_rivals: float, epsilon: float, counts: NDArray[np.float64], *, halfway: bool = False
) -> NDArray[np.float64]:
    """Return 1 / (1 + rivals e^{-eps K}) for every K, or what the halfway database leaves of it."""
    if halfway:
        return np.asarray(-np.expm1(-_spent(log_rivals, epsilon, counts)))
    return np.asarray(special.expit(epsilon * counts - log_rivals))


def _spent(log_rivals: float, epsilon: float, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return -log of the failure that the halfway database forces."""
    return halfway_steps(counts, np.array(log_rivals), np.array(epsilon))[1]


def reached(
    counts: Callable[[int], tuple[int, NDArray[np.float64]]],
    log_rivals: float,
    lost: float,
    epsilon: float,
    m: int,
    rarest: float = _RAREST,
    *,
    halfway: bool = False,
) -> tuple[float, float]:
    """Return the best promise on average over K, summed over K, and 1 less it.

    Parameters
    ----------
    counts : callable
        As of `Boxes`.
    log_rivals, lost : float
        As of `Shares`.
    epsilon : float
    m : int
        At least 1.
    rarest : float
        -log of what matters of either.
    halfway : bool
        As of `Boxes`.
    """
    first, weights = counts(m)
    if halfway:
        every = np.arange(first, first + weights.size, dtype=np.float64)
        spent = np.minimum(_spent(log_rivals, epsilon, every), rarest)
        kept, failed = float(weights @ -np.expm1(-spent)), float(weights @ np.exp(-spent))
        return (1.0 - lost) * kept, lost + (1.0 - lost) * failed
    exponent = epsilon * np.arange(first, first + weights.size, dtype=np.float64) - log_rivals
    np.clip(exponent, -rarest, rarest, out=exponent)
    kept = float(weights @ special.expit(exponent))
    failed = float(weights @ special.expit(-exponent))
    return (1.0 - lost) * kept, lost + (1.0 - lost) * failed


def least_packed(
    counts: Callable[[int], tuple[int, NDArray[np.float64]]],
    log_rivals: float,
    lost: float,
    at: Cell,
    guess: float,
    *,
    halfway: bool = False,
) -> int | None:
    """Return the least m at which the best promise reaches 1 - beta on average.

    Parameters
    ----------
    counts, log_rivals, lost, halfway
        As for `reached`.
    at : Cell
    guess : float
        Where to start.

    Returns
    -------
    int or None
        None where it is more than is searched for.
    """
    if lost > at.beta:
        return None
    rarest = _RAREST if at.beta > math.exp(-0.8 * _RAREST) else _FURTHER

    def enough(m: int) -> bool:
        kept, failed = reached(counts, log_rivals, lost, at.epsilon, m, rarest, halfway=halfway)
        # Whichever of the two has its digits.
        return failed <= at.beta if at.beta < 0.5 else kept >= complement(at.beta)

    low, high = 0, max(int(guess), 1)
    while not enough(high):
        low, high = high, 2 * high
        if low >= SEARCH_LIMIT:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def packed(
    bound: Bound, at: Cell, m: int, *, hand: Hand = "asked", give: float = 0.5,
    differ: int | None = None,
) -> Packed | None:  # fmt: skip
    """Share a learner's probability out among the boxes of a bound.

    Parameters
    ----------
    bound : Bound
        One that packs.
    at : Cell
        The setting.
    m : int
        Samples.
    hand : {"asked", "best", "own"}
        Who hands out: everybody gets 1 - beta; as much as fits; or `give`.
    give : float
        In (0, 1].
    differ : int, optional
        K, at most m; the likeliest one where it is left out.

    Returns
    -------
    Packed or None
        None where the bound says nothing.
    """
    boxes = bound.boxes(at)
    if boxes is None:
        return None
    first, weights = boxes.counts(m)
    typical = first + int(weights.argmax())
    # What always is K cannot be chosen.
    count = typical if differ is None or weights.size == 1 else min(differ, m)

    asked = complement(at.beta)

    def shares(log_rivals: float, lost: float) -> Shares:
        if boxes.halfway:
            return _halfway(boxes, at, m, count, hand, give if hand == "own" else asked)
        log_best = -float(np.logaddexp(0.0, log_rivals - at.epsilon * count))
        wanted = give if hand == "own" else asked
        log_promise = log_best if hand == "best" else math.log(wanted)
        log_each = log_promise - at.epsilon * count
        log_owed = log_rivals + log_each
        # As much as fits is 1 in all: not but for rounding.
        log_total = 0.0 if hand == "best" else float(np.logaddexp(log_promise, log_owed))
        edge = (log_rivals + log_odds(wanted)) / at.epsilon if wanted < 1.0 else math.inf
        kept, _ = reached(boxes.counts, log_rivals, lost, at.epsilon, m)
        guess = max(log_rivals, 1.0) / (at.epsilon * boxes.share)
        return Shares(
            log_rivals=log_rivals, lost=lost, promise=math.exp(log_promise), log_promise=log_promise,
            own=math.exp(log_promise), log_own=log_promise, steps=0, best=math.exp(log_best), log_each=log_each, log_owed=log_owed, log_total=log_total,
            fits=log_total <= 0.0, enough=max(math.ceil(edge), 0) if edge < math.inf else None,
            average=kept, least=least_packed(boxes.counts, log_rivals, lost, at, guess),
        )  # fmt: skip

    merged = boxes.merged
    return Packed(
        bound=bound, boxes=boxes, at=at, m=m, first=first, weights=weights, count=count,
        typical=typical, asked=asked, apart=shares(boxes.log_rivals, 0.0),
        merged=None if merged is None else shares(merged.log_rivals, merged.lost),
    )  # fmt: skip


def _halfway(boxes: Boxes, at: Cell, m: int, count: int, hand: Hand, wanted: float) -> Shares:
    """Share out the probability on a database halfway between two samples K examples apart."""
    log_rivals, epsilon = boxes.log_rivals, at.epsilon
    t, spent = (
        float(x) for x in halfway_steps(np.array(float(count)), np.array(log_rivals), np.array(epsilon))
    )  # fmt: skip
    best = -math.expm1(-spent)
    # Failure as such has its digits where the promise is nearly 1.
    log_failure = -spent if hand == "best" else _log(complement(wanted))
    own = -math.expm1(min(epsilon * t + log_failure, 0.0))
    log_most = epsilon * (count - t) + log_failure - log_rivals
    owed = -math.expm1(min(log_most, 0.0))
    log_total = 0.0 if hand == "best" else _log(own + owed)
    kept, _ = reached(boxes.counts, log_rivals, 0.0, epsilon, m, halfway=True)
    guess = max(log_rivals, 1.0) / (epsilon * boxes.share)
    promise = best if hand == "best" else wanted
    return Shares(
        log_rivals=log_rivals, lost=0.0, promise=promise, log_promise=_log(promise), own=own,
        log_own=_log(own), steps=round(t), best=best, log_each=log_most, log_owed=_log(owed),
        log_total=log_total, fits=log_total <= 0.0,
        enough=_enough(log_rivals, epsilon, _log(complement(wanted))), average=kept,
        least=least_packed(boxes.counts, log_rivals, 0.0, at, guess, halfway=True),
    )  # fmt: skip


def _log(value: float) -> float:
    return math.log(value) if value > 0.0 else -math.inf


def _enough(log_rivals: float, epsilon: float, log_failure: float) -> int | None:
    """Return the least K at which a failure is allowed; None if at no K."""
    if log_failure == -math.inf:
        return None
    low, high = -1, math.ceil((log_rivals - 2.0 * log_failure) / epsilon) + 4
    while high - low > 1:
        middle = (low + high) // 2
        allowed = float(_spent(log_rivals, epsilon, np.array(float(middle)))) >= -log_failure
        low, high = (low, middle) if allowed else (middle, high)
    return high


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """The best promise over K and, on average, over m.

    Attributes
    ----------
    k, apart, merged : ndarray of float64
        Over K; `merged` only where boxes can be.
    m, average, average_merged : ndarray of float64
        Over m.
    """

    k: NDArray[np.float64]
    apart: NDArray[np.float64]
    merged: NDArray[np.float64] | None
    m: NDArray[np.float64]
    average: NDArray[np.float64]
    average_merged: NDArray[np.float64] | None


def sweep(shown: Packed) -> Sweep:
    """Return what the best promise is for other K and m, around where it climbs."""
    epsilon, rivals = shown.at.epsilon, [shown.apart.log_rivals]
    least = [shown.apart.least]
    if shown.merged is not None:
        rivals.append(shown.merged.log_rivals)
        least.append(shown.merged.least)
    cliffs = [max(log_rivals / epsilon, 0.0) for log_rivals in rivals]
    last = max(1.9 * max(cliffs), shown.first + shown.weights.size, 10.0)
    wide = 12.0 / epsilon
    k = [np.linspace(0.0, last, _POINTS)]
    k += [np.linspace(max(at - wide, 0.0), min(at + wide, last), _STEEP) for at in cliffs]
    every_k = np.unique(np.concatenate(k))
    known = [m for m in least if m is not None]
    high = 10.0 ** math.ceil(math.log10(2.0 * max(*known, shown.m, 5)))
    m = [np.geomspace(1.0, high, _POINTS)]
    m += [np.geomspace(at / 1.8, at * 1.8, _STEEP) for at in known] + [np.array([shown.m])]
    every_m = np.unique(np.round(np.concatenate(m)).clip(1.0, high))

    def best(shares: Shares) -> NDArray[np.float64]:
        return best_promise(shares.log_rivals, epsilon, every_k, halfway=shown.boxes.halfway)

    kinds = [shares for shares in (shown.apart, shown.merged) if shares is not None]
    averages = np.array(
        [
            [
                reached(
                    shown.boxes.counts,
                    shares.log_rivals,
                    shares.lost,
                    epsilon,
                    size,
                    halfway=shown.boxes.halfway,
                )[0]
                for shares in kinds
            ]
            for size in progress.steps(every_m.astype(np.int64).tolist())
        ]
    )

    merged = shown.merged
    return Sweep(
        k=every_k, apart=best(shown.apart), merged=None if merged is None else best(merged),
        m=every_m, average=averages[:, 0],
        average_merged=None if merged is None else averages[:, 1],
    )  # fmt: skip
