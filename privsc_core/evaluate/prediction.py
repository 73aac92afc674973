"""Predict, then reveal: how far a guess of the number of samples is from the truth."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Answer(Protocol):
    """The answer of a prediction: how many each learner needs, or why `m` is None."""

    @property
    def title(self) -> str:
        """Who."""

    @property
    def m(self) -> int | None:
        """How many."""

    @property
    def remark(self) -> str:
        """Why none."""


class Least(NamedTuple):
    """An `Answer` that is no learner's row."""

    title: str
    m: int | None
    remark: str = ""


def verdict(guess: int, truth: Answer) -> str:
    """Return in words what a guess of the least m misses.

    Parameters
    ----------
    guess : int
        Number of samples, at least 1.
    truth : Answer
        Such as the learner's row of `views.numbers`.
    """
    said = f"Predicted {guess:,}."
    if truth.m is None:
        return f"{said} {truth.title}: no least m is known here: {truth.remark}"
    fact = f"{truth.title} needs {truth.m:,}"
    if guess == truth.m:
        return f"{said} {fact}: exactly right."
    difference = abs(truth.m - guess)
    more, larger, smaller = (
        ("more", truth.m, guess) if truth.m > guess else ("fewer", guess, truth.m)
    )
    factor = larger / smaller
    # 1.004 times reads as nonsense; below a tenth the percentage says more.
    times = f"{factor:.3g}" if factor < 999.5 else f"{factor:,.0f}"
    ratio = f"{factor - 1:.1%} off" if factor < 1.1 else f"a factor of {times}"
    return f"{said} {fact}: {difference:,} {more} than predicted, {ratio}."
