"""Blocks that vote: noisy counts of seen candidates, the largest of them, and the law of that.

Every seen count gets noise Lap(2 / eps); the largest is released if it is above a threshold.
"""

from __future__ import annotations

import itertools
import math
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from privsc_core.concepts.line.laws import FEW, occupied
from privsc_core.concepts.line.plane import LARGE
from privsc_core.concepts.shared.laws import certain, rao_blackwell, simulated
from privsc_core.errors import InputError
from privsc_core.kept import Kept
from privsc_core.numerics.decimals import ceiling, decimal
from privsc_core.numerics.intervals import Draws

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting
    from privsc_core.concepts.line.distributions import Profile

    _Number = TypeVar("_Number", float, NDArray[np.float64])

_NODES, _WEIGHTS = (0.5 * x for x in np.polynomial.legendre.leggauss(32))
_NODES = _NODES + 0.5
_PIECE = np.polynomial.legendre.leggauss(40)
_VOTES_MOST = 20_000
_SURE = 60.0


def block_size(alpha: float) -> int:
    """Return ceil(2 / alpha): a block then has two places of a line of mass alpha more often than not."""
    return ceiling(2 / decimal(alpha))


def threshold(epsilon: _Number, delta: float) -> _Number:
    """Return the noisy count that a count of 1 exceeds with probability delta; epsilon may be many.

    Raises
    ------
    InputError
        For a delta outside (0, 1/2).
    """
    if not 0.0 < delta < 0.5:
        raise InputError("delta", "must be in (0, 0.5)", delta)
    return 1.0 - 2.0 / epsilon * math.log(2.0 * delta)


def _above(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Pr[Lap(1) > x]."""
    tail = 0.5 * np.exp(-np.abs(x))
    return np.where(x >= 0.0, tail, 1.0 - tail)


def released(counts: Sequence[int], epsilon: float, delta: float) -> list[float]:
    """Return the probability of each candidate to be released; some count 0 is never.

    By quadrature between the counts, which is exact to rounding for sums of exponentials.
    """
    half, least = 0.5 * epsilon, threshold(epsilon, delta)
    seen = np.array([count for count in counts if count], dtype=np.float64)
    ends = [least, *sorted(float(n) for n in set(seen.tolist()) if n > least)]
    y, w = [], []
    for low, high in itertools.pairwise(ends):
        y.append(0.5 * (low + high) + 0.5 * (high - low) * _PIECE[0])
        w.append(0.5 * (high - low) * _PIECE[1])
    # Beyond the last one in z = e^{-eps (y - end) / 2}, where they are polynomials.
    z = 0.5 + 0.5 * _PIECE[0]
    y.append(ends[-1] - np.log(z) / half)
    w.append(0.5 * _PIECE[1] / (half * z))
    at, weights = np.concatenate(y), np.concatenate(w)
    below = np.array([1.0 - _above(half * (at - n)) for n in seen])
    found = []
    for count in counts:
        if not count:
            found.append(0.0)
            continue
        own = int(np.flatnonzero(seen == count)[0])
        others = np.delete(below, own, axis=0).prod(axis=0)
        density = 0.5 * half * np.exp(-half * np.abs(at - count))
        found.append(float((weights * density * others).sum()))
    return found


# --- The law ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shares:
    """How blocks vote: for the target, for its points (each, how many of them), for nothing."""

    target: float
    one: tuple[float, ...]
    even: float
    nothing: float


def _shares(profile: Profile, p: float, t: int) -> _Shares:
    mass = profile.mass
    rest = max(1.0 - mass, 0.0)
    nothing = rest**t
    if profile.even[0]:
        even = p * nothing * math.expm1(t * math.log1p(mass / p / rest))
        return _Shares(max(1.0 - nothing - even, 0.0), (), even, nothing)
    one = tuple((rest + float(q)) ** t - nothing for q, _ in profile.atoms.values())
    return _Shares(max(1.0 - nothing - sum(one), 0.0), one, 0.0, nothing)


def law(profile: Profile, p: float, setting: Setting, t: int, delta: float) -> Estimate:
    """Return the law: counts of votes are drawn, the noise is integrated.

    It depends on how many blocks there are, so that many m have one.
    """
    enough = setting.alpha * (1.0 + 1e-12)
    if profile.off[0] and profile.mass <= enough:
        return certain(setting)
    points_good = bool(profile.off[0]) and profile.mass * (1.0 - 1.0 / p) <= enough
    shares = _shares(profile, p, t)
    columns = [shares.target, shares.even, shares.nothing, *shares.one]
    chances = np.array(columns) / sum(columns)

    # Whoever is alone on its side leads; the others must stay below it.
    lead, beside = (2, 0) if points_good else (0, 2)

    # By so much of the votes the target leads whatever else there is.
    ahead = float(chances[0] - max(chances[1] / p, chances[2], *chances[3:]))
    sure = _SURE + math.log(p)
    noise = 2.0 * sure / float(setting.epsilon.min())

    def settled(votes: int) -> bool:
        """Return whether, but for e^-60, no single point comes near the target (Hoeffding)."""
        return ahead > 0.0 and votes * ahead >= 4.0 * max(noise, sure / ahead)

    def sampled(m: int, trials: int, rng: np.random.Generator) -> tuple[NDArray[Any], ...]:
        drawn = rng.multinomial(m // t, chances, size=trials)
        every = np.arange(trials)
        rows = np.tile(every, 1 + len(shares.one))
        counts = np.concatenate([drawn[:, beside], drawn[:, 3:].T.ravel()])
        many = np.ones(rows.size, dtype=np.int64)
        if p > 2.0 ** (LARGE - 1):
            # Of so many points none gets two votes.
            parts = (rows, every), (counts, np.ones_like(every)), (many, drawn[:, 1])
        elif drawn[:, 1].max() > _VOTES_MOST and settled(m // t):
            parts = (rows, rows[:0]), (counts, counts[:0]), (many, many[:0])
        else:
            if p > FEW and drawn[:, 1].max() > _VOTES_MOST:
                most = int(drawn[:, 1].max())
                raise InputError("m", f"must give at most {_VOTES_MOST} votes for points", most)
            more = occupied(drawn[:, 1], int(p), rng)
            parts = (rows, more.rows), (counts, more.counts), (many, more.many)
        rows, counts, many = (np.concatenate(two) for two in parts)
        seen = (counts > 0) & (many > 0)
        return drawn[:, lead].astype(np.float64), rows[seen], counts[seen], many[seen]

    def given(
        d: int, epsilon: float, votes: NDArray[np.float64], rows: NDArray[np.int64],
        counts: NDArray[np.int64], many: NDArray[np.int64],
    ) -> NDArray[np.float64]:  # fmt: skip
        del d
        half, least = 0.5 * epsilon, threshold(epsilon, delta)
        # Many samples give the leader as many votes.
        votes, of = np.unique(votes, return_inverse=True)
        passes = np.where(votes > 0.0, _above(half * (least - votes)), 0.0)
        # Where the leader's noisy count is, given that it passes: by its upper tail.
        tail = np.maximum(passes[:, None] * _NODES, 1e-300)
        noise = np.where(
            tail < 0.5, -np.log(2.0 * tail), np.log(2.0 * (1.0 - np.minimum(tail, 0.9999999999)))
        )
        at = half * votes[:, None] + noise
        first = passes[of] * (_below(at, of, half, rows, counts, many) @ _WEIGHTS)
        if not points_good:
            return np.asarray(first)
        still = np.full((votes.size, 1), half * least)
        return np.asarray(
            1.0 - first - (1.0 - passes[of]) * _below(still, of, half, rows, counts, many)[:, 0]
        )

    owner = tuple(chances.tolist()), p, t, points_good, delta, setting.trials, setting.seed
    return _by_blocks(
        setting, t, (*owner, setting.first_trial), lambda part: rao_blackwell(part, sampled, given)
    )


_known: Kept[Hashable, tuple[float, ...]] = Kept(1 << 13)
_lock = threading.Lock()


def _by_blocks(
    setting: Setting, t: int, owner: Hashable, law: Callable[[Setting], Estimate]
) -> Estimate:
    """Return a simulated law of the number of blocks and epsilon, each asked for once."""
    m, epsilon = (np.broadcast_to(x, setting.shape) for x in (setting.m // t * t, setting.epsilon))
    cells = list(zip(m.ravel().tolist(), epsilon.ravel().tolist(), strict=True))
    with _lock:
        found = {cell: _known.seen((owner, cell)) for cell in cells}
    if new := [cell for cell, one in found.items() if one is None]:
        size, loss = np.array(new).T
        d = np.full(size.size, setting.d.min())
        fresh = law(replace(setting, m=size.astype(np.int64), d=d, epsilon=loss))
        found |= dict(zip(new, map(tuple, fresh.sums.table.T.tolist()), strict=True))
        with _lock:
            _known.keep({(owner, cell): found[cell] for cell in new})  # type: ignore[misc]
    rows = np.array([found[cell] for cell in cells], dtype=np.float64)
    return simulated(Draws.of(rows.T.reshape(-1, *setting.shape)))


def _below(
    at: NDArray[np.float64],
    of: NDArray[np.intp],
    half: float,
    rows: NDArray[np.int64],
    counts: NDArray[np.int64],
    many: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the chance that all candidates stay below levels `at[of]`, in units of 2 / eps, by trial."""
    total = np.zeros((of.size, at.shape[1]))
    if rows.size:
        span = int(counts.max()) + 1
        pairs, which = np.unique(of[rows] * span + counts, return_inverse=True)
        above = _above(at[pairs // span] - half * (pairs % span)[:, None])
        logs = np.log1p(-np.minimum(above, 1.0 - 1e-16))
        order = np.argsort(rows, kind="stable")
        there, starts = np.unique(rows[order], return_index=True)
        total[there] = np.add.reduceat(logs[which[order]] * many[order, None], starts, axis=0)
    return np.exp(total, out=total)
