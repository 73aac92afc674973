"""What the dimensions of a class say about numbers of samples, above and below.

All lower bounds are about every purely private learner, proper or not; the mass of a point is "just
above" what is written, as everywhere here.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from privsc_core.concepts.generic.guessing import least_guessing
from privsc_core.concepts.generic.littlestone import sharp_littlestone
from privsc_core.concepts.inequalities import least_at_rate, mechanism_rate, shifted_rate
from privsc_core.finite.budget import Budget, OutOfStepsError
from privsc_core.finite.guess import guess, patterns_of, ranges
from privsc_core.finite.shatter import growth

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from privsc_core.concepts.generic.littlestone import SharpLittlestone
    from privsc_core.finite.littlestone import MistakeTree
    from privsc_core.finite.matrix import FiniteClass

    _Half = tuple[int, int, FiniteClass]

__all__ = ["SampleBound", "sample_bounds"]


@dataclass(frozen=True, slots=True)
class SampleBound:
    """A number of samples that is enough, or that is needed.

    Attributes
    ----------
    name, title : str
    kind : str
        ``upper`` or ``lower``.
    m : int or None
        None where it says nothing here.
    how : str
        With which numbers of the class, in words.
    """

    name: str
    title: str
    kind: Literal["upper", "lower"]
    m: int | None
    how: str


def sample_bounds(
    of: FiniteClass,
    tree: MistakeTree,
    *,
    epsilon: float,
    alpha: float,
    beta: float,
    budget: Budget | None = None,
) -> tuple[SampleBound, ...]:
    """Return all that is known, upper bounds first.

    Parameters
    ----------
    of : FiniteClass
    tree : MistakeTree
        Of the class; what it knows already is used.
    epsilon, alpha, beta : float
    budget : Budget, optional
    """
    budget = budget or Budget()
    halves = tuple(_halves(of))
    return (
        *_enough(of, epsilon, alpha, beta),
        _littlestone(of, tree, epsilon, alpha, beta),
        _packing(of, halves, epsilon, alpha, beta, budget),
        _blind(of, halves, epsilon, alpha, beta),
    )


def _enough(of: FiniteClass, epsilon: float, alpha: float, beta: float) -> list[SampleBound]:
    rate = float(mechanism_rate(np.array(epsilon), alpha))
    size = len(of)
    found = [
        SampleBound(
            "finite-class", "Finite class, the exponential mechanism", "upper",
            least_at_rate(math.log(size / beta), rate), f"|C| = {size}, proper",
        ),
        SampleBound(
            "blind-guess-upper", "The exponential mechanism over a blind guess", "upper",
            least_at_rate(math.log(max(size - 1, 1e-300) / beta), rate),
            f"ρ = 1/{size} at α' = 0, proper",
        ),
    ]  # fmt: skip
    points = of.reduced().points
    for start, _ in ranges(points):
        # The least alpha' at which rho is that of the range: a larger one only slows the rate.
        if start >= alpha * (1.0 - 1e-9):
            continue
        rho = guess(of, start).low
        slow = float(shifted_rate(np.array(epsilon), alpha, start))
        m = (
            least_at_rate(math.log(max((1.0 - rho) / rho, 1e-300) / beta), slow)
            if slow > 0
            else None
        )
        if m is not None and m < (found[1].m or math.inf):
            found[1] = SampleBound(
                "blind-guess-upper",
                found[1].title,
                "upper",
                m,
                f"ρ = {rho:.4g} at α' = {start:.3g}",
            )
    return found


def _halves(of: FiniteClass) -> Iterator[_Half]:
    """Yield the dummies: a point, a label, and the concepts that label it so, if several."""
    for x in range(of.points):
        for label in (0, 1):
            part = of.labelled(x, label)
            if part is not None and len(part) > 1:
                yield x, label, part


def _littlestone(
    of: FiniteClass, tree: MistakeTree, epsilon: float, alpha: float, beta: float
) -> SampleBound:
    """Return the better of a tree on all concepts, and of one beside a dummy."""
    values = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    whole = tree.between(of.everyone).found
    best = sharp_littlestone(whole, dummy=False, **values)
    how = f"LDim = {whole}, {_paths(best)}"
    beside, where = _beside(of, tree, whole)
    if beside:
        other = sharp_littlestone(beside, **values)
        if not other.m or 0 < best.m <= other.m:
            best = other
            dummy = f"dummy: point {where[0] + 1}, label {where[1]}"
            how = f"{dummy}, LDim = {beside} beside it, {_paths(best)}"
    silent = best.m == 1 or best.length == 0
    return SampleBound(
        "sharp-littlestone", "Sharp Littlestone bound", "lower",
        None if silent else best.m or None, "says nothing: no mistake tree" if silent else how,
    )  # fmt: skip


def _beside(of: FiniteClass, tree: MistakeTree, most: int) -> tuple[int, tuple[int, int]]:
    """Return the deepest tree beside a dummy, at most so deep, and the dummy: point and label."""
    depth, where = 0, (0, 0)
    with suppress(OutOfStepsError):  # whatever was found is a valid bound
        for x, column in enumerate(of.columns):
            for label, space in ((1, column), (0, of.everyone & ~column)):
                # Deeper than the best so far is all that is asked of a part.
                while depth < most and tree.at_least(space, depth + 1):
                    depth, where = depth + 1, (x, label)
    return depth, where


def _paths(by: SharpLittlestone) -> str:
    """Return in words which part of the tree excludes most."""
    if by.length == 1:
        return "two concepts that part at one point"
    fail = "one mistake fails" if by.mistakes == 1 else f"{by.mistakes} mistakes fail"
    return f"paths of {by.length} points, {fail}"


def _packing(
    of: FiniteClass,
    halves: Sequence[_Half],
    epsilon: float,
    alpha: float,
    beta: float,
    budget: Budget,
) -> SampleBound:
    """Return packing by patterns: few points, each of so much mass that all must be right."""
    most = patterns_of(alpha)
    rivals, masses, words = [], [], []

    def add(patterns: int, mass: float, text: str) -> None:
        if patterns > 1:
            rivals.append(math.log(patterns - 1))
            masses.append(min(mass, 1.0))
            words.append(text)

    with suppress(OutOfStepsError):  # whatever was found is a valid bound
        add(growth(of, most, budget).found, 1.0, f"patterns on {most} points")
        for k in range(1, most + 1):
            # Of parts with dummies of the same mass the one with most patterns excludes most.
            n, text = 1, ""
            for x, label, part in halves:
                if n == min(2**k, len(of)):
                    break
                budget.spend()
                if (patterns := growth(part, k, budget, beyond=n).found) > n:
                    n = patterns
                    on = f"{n} patterns on {k} point{'s' * (k > 1)}"
                    text = f"{on}, dummy: point {x + 1}, label {label}"
            add(n, k * alpha, text)
    return _best("packing", "Packing by patterns", rivals, masses, words, epsilon, beta)


def _blind(
    of: FiniteClass, halves: Sequence[_Half], epsilon: float, alpha: float, beta: float
) -> SampleBound:
    """Return what the blind guess leaves: E min(1, rho e^{eps K}), with and without a dummy."""
    logs, masses, words = [], [], []

    def add(part: FiniteClass, at: float, mass: float, text: str) -> None:
        rho = guess(part, at)
        if math.isclose(rho.low, rho.high, rel_tol=1e-6) and rho.high < 1.0:
            logs.append(math.log(rho.high))
            masses.append(min(mass, 1.0))
            words.append(f"1/ρ = {1 / rho.high:.4g}{text}")

    add(of, alpha, 1.0, "")
    for x, label, part in halves:
        points = part.reduced().points
        text = f", dummy: point {x + 1}, label {label}"
        for low, high in ranges(points):
            # Just below the upper end the mass is least, and the guess the same.
            if alpha < high:
                add(part, max(alpha, low), alpha / high, text)
        if points <= patterns_of(alpha):
            # So many points of mass alpha each, just above: all must be right.
            add(part, alpha, min(points * alpha, 1.0), text)
    return _best("blind-guess", "What a blind guess leaves", [0.0] * len(logs), masses, words,
                 epsilon, beta, logs)  # fmt: skip


def _best(
    name: str, title: str, rivals: list[float], masses: list[float], words: list[str],
    epsilon: float, beta: float, guesses: list[float] | None = None,
) -> SampleBound:  # fmt: skip
    """Return the largest least m of several limits."""
    if not words:
        return SampleBound(name, title, "lower", None, "says nothing here")
    good = np.array(guesses) if guesses is not None else np.zeros(len(words))
    found = least_guessing(
        good, np.array(rivals), np.array(masses), epsilon=epsilon, beta=beta, own=guesses is None
    )
    at = int(found.argmax())
    if found[at] <= 1:
        return SampleBound(name, title, "lower", None, "says nothing here")
    return SampleBound(name, title, "lower", int(found[at]), words[at])
