"""The numbers of data release that have a certified route (theory, section 5, laws 14 to 17)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, floor
from typing import TYPE_CHECKING

from privsc_core.certify import formulas
from privsc_core.certify.balls import Uncertified, at_least, ball, least_of
from privsc_core.certify.formulas import points
from privsc_core.certify.routes import Routes

if TYPE_CHECKING:
    from privsc_core.certify.balls import At, Ball


def _counts(at: At) -> list[int]:
    """Return the counts above 0 of the database."""
    if at.law.name == "single":
        return [at.m]
    rare = ceil(3 * at.alpha * at.m)
    return [count for count in (rare, at.m - rare) if count]


def _others(at: At, few: int, lost: Ball) -> Ball:
    """Return (1 - lost)^(T - few)."""
    return (points(at.d, few) * (-lost).log1p()).exp()


def _laplace(at: At) -> Ball:
    """Return (1 - u)^(T-b) times (1 - (e^-x + e^-y)/2) for the b counts of at least alpha m.

    x = eps alpha m/2, u = e^-x/2, and y = min(x, eps (n - alpha m)/2): the threshold is alpha m.
    """
    reach = at.alpha * at.m
    up = (-ball(at.epsilon * reach / 2)).exp()
    heavy = [n for n in _counts(at) if n >= reach]
    found = _others(at, len(heavy), up / 2)
    for n in heavy:
        found *= 1 - (up + (-ball(at.epsilon * min(reach, n - reach) / 2)).exp()) / 2
    return found


def _geometric(at: At) -> Ball:
    """Return the law for noise with q = e^{-eps/2}: (1 - q^k/(1+q))^(T-b) prod(1 - (q^k+q^s)/(1+q)).

    k = ceil(alpha m), and s = min(k, n - k + 1): the threshold is k.
    """
    q, k = (-ball(at.epsilon / 2)).exp(), ceil(at.alpha * at.m)
    heavy = [n for n in _counts(at) if n >= k]
    found = _others(at, len(heavy), q**k / (1 + q))
    for n in heavy:
        found *= 1 - (q**k + q ** min(k, n - k + 1)) / (1 + q)
    return found


def _stability(at: At) -> Ball:
    """Return the product over the values that occur, threshold 1 + (2/eps) log(1/(2 delta))."""
    rate, up = ball(at.epsilon / 2), ball(at.epsilon * at.alpha * at.m / 2)
    least = 1 + ball(1 / (2 * at.delta)).log() / rate
    found = ball(1)
    for n in _counts(at):
        lost = rate * (least - n)
        if n >= at.alpha * at.m:
            found *= at_least(_laplace_below(up) - _laplace_below(at_least(-up, lost)), 0)
        else:
            found *= _laplace_below(at_least(up, lost))
    return found


# Synthetic databases are counted up to these sizes; the numbers of them grow with both.
_ENTRIES_MOST, _BITS_MOST = 100, 1024


def _blr(at: At) -> Ball:
    """Return the share of the good synthetic databases of n = ceil(2/alpha) entries.

    Each of the multisets has the weight e^{-eps m e/2}, e the largest deviation of a fraction; good
    are those with e < alpha. Of what is left for the points that do not occur in the database, the
    multisets with no count above c are counted by inclusion and exclusion.
    """
    entries, seen = ceil(2 / at.alpha), _counts(at)
    if entries > _ENTRIES_MOST or at.d > _BITS_MOST:
        raise Uncertified(
            f"synthetic databases are counted up to {_ENTRIES_MOST} entries and d = {_BITS_MOST}"
        )
    others = (1 << at.d) - len(seen)
    counted = lru_cache(None)(lambda rest, most: _multisets(others, rest, most))
    weights: Counter[Fraction] = Counter()
    for first in range(entries + 1):
        for second in range(entries - first + 1) if len(seen) > 1 else (0,):
            pairs = zip((first, second), seen, strict=False)
            error = max(abs(Fraction(x, entries) - Fraction(n, at.m)) for x, n in pairs)
            rest = entries - first - second
            for most in range(rest + 1):
                number = counted(rest, most) - (counted(rest, most - 1) if most else 0)
                weights[max(error, Fraction(most, entries))] += number
    least = min(weights)
    good, total = ball(0), ball(0)
    for error, number in weights.items():
        weight = number * (-ball(at.epsilon * at.m * (error - least) / 2)).exp()
        total += weight
        good += weight if error < at.alpha else 0
    return good / total


def _multisets(points: int, size: int, most: int) -> int:
    """Return how many multisets of so many points have that size and no count above `most`."""
    if points == 0 or size == 0:
        return int(size == 0)
    return sum(
        (-1) ** i * comb(points, i) * comb(left + points - 1, left)
        for i in range(points + 1 if points < size else size + 1)
        if (left := size - i * (most + 1)) >= 0
    )


def _laplace_below(x: Ball) -> Ball:
    """Return Pr[L < x] for the density e^{-|y|}/2."""
    if x >= 0:
        return 1 - (-x).exp() / 2
    if x < 0:
        return x.exp() / 2
    return (1 + x) / 2 + x * x * ball(0).union(ball(1)) - x * x / 2


# --- Bounds -------------------------------------------------------------------------------------


def _packing(at: At) -> Ball:
    if 2 * at.alpha > 1:
        return ball(1)
    return formulas.packing(at, at.alpha, points(at.d, 1), count=ceil(2 * at.alpha * at.m))


def _packing_two(at: At) -> Ball:
    if 2 * at.alpha > 1:
        return ball(1)
    return formulas.halfway(at, at.alpha, points(at.d, 1), count=ceil(2 * at.alpha * at.m))


def _promise(at: At) -> Ball:
    """Return what the Laplace histogram promises, by the worst of the databases that it covers."""
    reach = at.alpha * at.m
    worst = _product(at, floor(1 / (2 * at.alpha)), reach)
    worst = least_of(worst, _product(at, 1, (1 - at.alpha) * at.m))
    if 4 * at.alpha <= 1:
        rest = max((1 - 4 * at.alpha) * at.m - 1, Fraction(0))
        worst = least_of(worst, _product(at, 2, reach, rest))
    return worst


def _product(at: At, number: int, *spare: Fraction) -> Ball:
    """Return success with heavy counts so far above the threshold: all alike, or one each."""
    reach = at.alpha * at.m
    few = min(number, 1 << min(at.d, 64))
    up = (-ball(at.epsilon * reach / 2)).exp()
    found = _others(at, few, up / 2)
    one = [1 - (up + (-ball(at.epsilon * min(reach, y) / 2)).exp()) / 2 for y in spare]
    if len(one) == 1:
        return found * one[0] ** few
    for factor in one:
        found *= factor
    return found


_LAWS = {"laplace": _laplace, "geometric": _geometric, "stability": _stability, "blr": _blr}

ROUTES = Routes(
    success={(name, law): route for name, route in _LAWS.items() for law in ("hard", "single")},
    limits={"packing": _packing, "packing-two": _packing_two, "laplace": _promise},
    excess={
        "theorem-7.2": lambda at: formulas.minimal_class(
            at, points(at.d, 1), changed=ceil(3 * at.alpha * at.m)
        )
    },
)
