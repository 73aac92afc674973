"""What a packing argument packs, as its bound tells it: enough to act the proof out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """The boxes after those of many targets were made one by a public choice.

    Attributes
    ----------
    log_rivals : float
        Log of the number of the other boxes that are owed something.
    lost : float
        The share of targets for which no box is good.
    one, many : str
        What such a box is, singular and plural.
    log_each : float
        Log of how many of the points of the domain share a box.
    learner : str
        Whoever in the class answers so.
    """

    log_rivals: float
    lost: float
    one: str
    many: str
    log_each: float
    learner: str


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """n disjoint sets of answers: no answer is good for two targets.

    Samples of two targets can be coupled so that they differ in K examples. By privacy answers
    that have probability p on their own sample have at least e^{-eps K} p on any other one.

    Attributes
    ----------
    log_rivals : float
        log(n - 1).
    share : float
        E[K] / m, up to rounding.
    counts : callable
        m -> the first K that matters, and the probabilities of it and of those after it.
    law : str
        How K is distributed, in symbols.
    one, many : str
        What a target is, singular and plural.
    merged : Merged or None
        A way out that fits, where one is known.
    way_out : str
        A sentence on who escapes.
    unit : str
        What K counts.
    halfway : bool
        Whether the proof looks at a database halfway between the samples of two targets, t
        examples from one and K - t from the other.
    """

    log_rivals: float
    share: float
    counts: Callable[[int], tuple[int, NDArray[np.float64]]]
    law: str
    one: str
    many: str
    merged: Merged | None = None
    way_out: str = ""
    unit: str = "examples"
    halfway: bool = False
