"""Classes of any size: their dimensions by formula, and what pure privacy costs along the size.

The classes of Feldman and Xiao 2014, Sections 2.5 and 4 and Appendix B, over grids of N = 2^b places
an axis. Where the paper's number is wrong or only a bound, ours stands here (see the slips in the atlas).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import progress
from privsc_core.concepts.generic.littlestone import sharp_littlestones
from privsc_core.concepts.shared.inequalities import least_at_rate, mechanism_rate
from privsc_core.errors import InputError
from privsc_core.finite.matrix import FiniteClass
from privsc_core.finite.ready import ready
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


BITS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)  # bits of an axis that are computed
MOST_AXES = 100
_LOG2 = math.log(2.0)


@dataclass(frozen=True, slots=True)
class Family:
    """A class for every number of bits b of an axis, and of axes k.

    Attributes
    ----------
    name, word, title, words : str
        Fixed name, as in the paper, the word of the command line, what a person calls it, and its
        concepts.
    vc : callable
        (b, k) -> its VC dimension.
    depth : callable
        (b, k) -> a depth of mistake trees whose concepts agree on one point, the dummy.
    log_size : callable
        (b, k) -> log |C|, or a bound from above.
    paper, ours : str
        The Littlestone dimension in the paper, and what is known of it here.
    by_axes : bool
        Whether k plays a role.
    """

    name: str
    word: str
    title: str
    words: str
    vc: Callable[[int, int], int]
    depth: Callable[[int, int], int]
    log_size: Callable[[int, int], float]
    paper: str
    ours: str
    by_axes: bool = True

    def __reduce__(self) -> tuple[Callable[[str], Family], tuple[str]]:
        """Pickle as its word: another process has the same families."""
        return _named, (self.word,)


def _named(word: str) -> Family:
    return next(family for family in FAMILIES if family.word == word)


def _sauer(points: float, dimension: int) -> float:
    """Return log of sum_{i <= VC} C(n, i), n = e^points, where n is large: Sauer's lemma."""
    # C(n, i) = n (n - 1) ... / i!, at most n^i / i!; and the sum at most 2^n.
    terms = [i * points - math.lgamma(i + 1) for i in range(dimension + 1)]
    log_sum = float(np.logaddexp.reduce(terms))
    return min(log_sum, math.exp(points) * _LOG2) if points < math.log(1e6) else log_sum


def _runs(b: int) -> float:
    """Return log of N (N + 1) / 2, the runs of places of an axis."""
    return b * _LOG2 + math.log(2.0**b + 1.0) - _LOG2


def _boxes(b: int, k: int) -> float:
    """Return log of the number of boxes, the empty one too."""
    return float(np.logaddexp(0.0, k * _runs(b)))


def _half_spaces(b: int, k: int) -> int:
    return (k * (k - 1) // 2 + 1) * b


def _boxes_vc(b: int, k: int) -> int:
    return k if b == 1 and k >= 2 else 2 * k


FAMILIES: tuple[Family, ...] = (
    Family(
        "Thr", "thresholds", "Thresholds", "an axis, labelled 1 from a place on",
        lambda _b, _k: 1, lambda b, _k: b, lambda b, _k: math.log(2.0**b + 1.0),
        "b", "b, computed for b ≤ 5", by_axes=False,
    ),
    Family(
        "BOX", "boxes", "Boxes", "axis-parallel boxes in k dimensions",
        _boxes_vc, lambda b, k: 2 * k * (b - 1), _boxes,
        "≥ kb", "≥ 2k(b - 1) beside the centre: each of 2k sides is a free binary search",
    ),
    Family(
        "HS", "half-spaces", "Half-spaces", "half-spaces in k dimensions",
        lambda _b, k: k + 1, _half_spaces, lambda b, k: _sauer(k * b * _LOG2, k + 1),
        "(k(k - 1)/2 + 1)b, which is only ≥", "≥ (k(k - 1)/2 + 1)b + 1; one level less beside a dummy",
    ),
    Family(
        "BALL", "balls", "Balls", "balls in k dimensions",
        lambda _b, k: k + 1, _half_spaces, lambda b, k: _sauer(k * b * _LOG2, k + 1),
        "Ω(bk²)", "at least that of half-spaces, which are large balls",
    ),
    Family(
        "Line", "lines", "Lines modulo p", "y = ax + b over a prime p of b bits",
        lambda _b, _k: 2, lambda b, _k: min(b, 2), lambda b, _k: 2.0 * b * _LOG2,
        "2", "2, as every dimension: two points fix a line", by_axes=False,
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """What pure privacy costs a family along b.

    Attributes
    ----------
    family : Family
    b : ndarray of int64
    vc, depth : ndarray of int64
    lower, upper : ndarray of float64
        Every ε-DP learner needs m >= lower (sharp Littlestone bound); upper are enough (finite
        class).
    """

    family: Family
    b: NDArray[np.int64]
    vc: NDArray[np.int64]
    depth: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def priced(axes: int, *, epsilon: float, alpha: float, beta: float) -> tuple[Priced, ...]:
    """Return what pure privacy costs each family, for b of `BITS`.

    Parameters
    ----------
    axes : int
        k, from 1 to 100.
    epsilon, alpha, beta : float
    """
    if not 1 <= axes <= MOST_AXES:
        raise InputError("k", f"must be from 1 to {MOST_AXES}", axes)
    return tuple(
        _priced(family, [b for b in BITS if family.depth(b, axes) >= 1], axes,
                epsilon=epsilon, alpha=alpha, beta=beta)
        for family in progress.steps(FAMILIES)
    )  # fmt: skip


def _priced(
    family: Family, bits: Sequence[int], axes: int, *, epsilon: float, alpha: float, beta: float
) -> Priced:
    epsilon, alpha, beta = (
        scalar(name, value)
        for name, value in (("epsilon", epsilon), ("alpha", alpha), ("beta", beta))
    )
    rate = float(mechanism_rate(np.array(epsilon), alpha))
    depth = [family.depth(b, axes) for b in bits]
    lower = sharp_littlestones(tuple(depth), (epsilon,) * len(depth), alpha=alpha, beta=beta)
    upper = [least_at_rate(family.log_size(b, axes) - math.log(beta), rate) for b in bits]
    return Priced(
        family, np.array(bits), np.array([family.vc(b, axes) for b in bits]), np.array(depth),
        np.array([float(one.m) if one.m else math.nan for one in lower]),
        np.array(upper, dtype=np.float64),
    )  # fmt: skip


def priced_at(word: str, *, epsilon: float, alpha: float, beta: float) -> list[dict[str, Any]]:
    """Return as records what one class of any size costs.

    Parameters
    ----------
    word : str
        A family and its size: bits b of an axis, from 1 to 128, and where axes play a role their
        number k, from 1 to 100; such as lines-64 or boxes-16-10.
    epsilon, alpha, beta : float

    Returns
    -------
    list of dict
        The VC dimension; the levels of a mistake tree beside a dummy; m that every purely private
        learner needs (sharp Littlestone bound), and m that are enough (finite class).

    Raises
    ------
    InputError
        When there is no such family, or a size is missing, superfluous or out of range.
    """
    family, b, k = _parts(word)
    row = _priced(family, [b], k, epsilon=epsilon, alpha=alpha, beta=beta)
    vc, levels, enough = family.vc(b, k), family.depth(b, k), int(row.upper[0])
    low = int(row.lower[0]) if levels and not math.isnan(row.lower[0]) else None
    tree = (
        "of a mistake tree whose concepts agree on one point; LDim in the paper: "
        f"{family.paper}; here: {family.ours}"
    )
    setting: dict[str, Any] = {"class": family.word, "b": b}
    if family.by_axes:
        setting["k"] = k
    setting |= {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    rows: tuple[tuple[str, str, float | None, float | None, str], ...] = (
        ("dimension", "vc", vc, vc, family.words),
        ("dimension", "levels", levels, levels, tree),
        ("samples lower", "littlestone", low, None,
         "every purely private learner needs them" if low else "says nothing here"),
        ("samples upper", "finite-class", None, enough,
         "enough for the exponential mechanism, by |C| counted or by Sauer's lemma"),
    )  # fmt: skip
    return [
        setting | {"type": kind, "name": name, "low": least, "high": most, "note": note}
        for kind, name, least, most, note in rows
    ]


def sized(family: Family) -> str:
    """Return the word of a family with sizes for an example."""
    return f"{family.word}-16-10" if family.by_axes else f"{family.word}-64"


def _parts(word: str) -> tuple[Family, int, int]:
    family = next((f for f in FAMILIES if word == f.word or word.startswith(f"{f.word}-")), None)
    if family is None:
        raise InputError("family", f"must be one of {', '.join(f.word for f in FAMILIES)}", word)
    sizes = {"b": BITS[-1], "k": MOST_AXES} if family.by_axes else {"b": BITS[-1]}
    texts = word[len(family.word) + 1 :].split("-")
    if word == family.word or len(texts) != len(sizes):
        names = " and ".join(sizes)
        raise InputError(family.word, f"must be followed by {names}, as in {sized(family)}", word)
    values = {"k": 1}
    for (name, high), text in zip(sizes.items(), texts, strict=True):
        good = text.isascii() and text.isdigit() and len(text) <= 8
        if not good or not 1 <= int(text) <= high:
            must = f"must be a whole number from 1 to {high}"
            raise InputError(f"{name} of {family.word}", must, text)
        values[name] = int(text)
    return family, values["b"], values["k"]


# -------------------------------------------------------------------------------------------------
# A zoo: the smallest classes that part two dimensions, found by looking at all small classes.


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A class that shows that two dimensions differ.

    Attributes
    ----------
    name, title, claim : str
        In a link; what differs; in which sense it is a witness.
    word : str
        The ready-made class it is, or empty.
    concepts : tuple of int
        Else its concepts, bit x the label of point x.
    points : int
    """

    name: str
    title: str
    claim: str
    word: str = ""
    concepts: tuple[int, ...] = ()
    points: int = 0

    @property
    def of(self) -> FiniteClass:
        """The class."""
        return ready(self.word) if self.word else FiniteClass(self.concepts, self.points)


def _shifts(*words: str) -> Sequence[int]:
    """Return all cyclic shifts of rows of labels."""
    return [int((w[i:] + w[:i])[::-1], 2) for w in words for i in range(len(w))]


ZOO: tuple[Exhibit, ...] = (
    Exhibit(
        "ldim-above-vc", "LDim > VC", "The smallest: VC 1, LDim 2.", concepts=(0, 1, 3, 4), points=3
    ),
    Exhibit(
        "ldim-above-td", "LDim > TD",
        "LDim 3, VC = TD = 2; one of two such classes on 4 points, up to permutation.",
        concepts=(3, 4, 6, 7, 8, 9, 11, 12), points=4,
    ),
    Exhibit(
        "warmuth", "TDmin > VC", "Warmuth's class: VC 2, and no concept is taught by two points.",
        concepts=tuple(_shifts("11000", "11010")), points=5,
    ),
    Exhibit(
        "pr-below-dr", "PRsize < DRsize",
        "A random set of three hypotheses does what no fixed set of three can.",
        concepts=(6, 7, 8, 9), points=4,
    ),
    Exhibit("discs", "LDim - VC = 3", "Discs on the 3 × 3 grid: VC 3, LDim 6.", word="balls-3"),
    Exhibit(
        "half-planes", "LDim - VC = 4", "Half-planes on the 4 × 4 grid: VC 3, LDim 7.",
        word="half-planes-4",
    ),
    Exhibit(
        "lines", "All dimensions are 2", "Lines modulo 5; pure privacy still pays log p.", word="lines-5"
    ),
    Exhibit(
        "singletons", "TD - LDim = n - 1", "Points and the empty concept: all n points must be shown.",
        word="singletons-8",
    ),
)  # fmt: skip
