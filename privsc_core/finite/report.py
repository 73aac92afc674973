"""All dimensions of a class at once, the inequalities among them, and sample sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privsc_core import progress
from privsc_core.errors import InputError
from privsc_core.finite.budget import USUAL, Between, Budget, OutOfStepsError
from privsc_core.finite.littlestone import MistakeTree
from privsc_core.finite.matrix import MOST_POINTS, from_matrix
from privsc_core.finite.samples import (  # fmt: skip
    Guess,
    SampleBound,
    binomial_share,
    deterministic_size,
    guess,
    patterns_of,
    probabilistic_size,
    sample_bounds,
)
from privsc_core.finite.shatter import dual_vc, growth, sauer, teaching, vc
from privsc_core.finite.threshold import Thresholds, threshold
from privsc_core.parameters import scalar
from privsc_core.records import Answer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from privsc_core.finite.littlestone import Node
    from privsc_core.finite.matrix import FiniteClass

# At 1/10 a class of up to nine points guesses one concept in |C|: nothing to see. At 1/4 there is.
ACCURACY = 0.25
_MOST_STEPS = 10**9


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a class, or the ends between which it lies.

    Attributes
    ----------
    name, title, words : str
    low, high : float
        Equal where it is known; whole numbers as floats.
    """

    name: str
    title: str
    words: str
    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Whether it is known."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Inequality:
    """An inequality that all classes satisfy, with this class's numbers.

    Attributes
    ----------
    left, right : str
        Both sides in words of the field.
    low, high : float
        What they are here: the left at least, the right at most, where they are not known.
    strict : bool
    source : str
    """

    left: str
    right: str
    low: float
    high: float
    strict: bool = False
    source: str = ""

    @property
    def holds(self) -> bool:
        """Whether the numbers agree; they must."""
        return self.low < self.high if self.strict else self.low <= self.high + 1e-9

    @property
    def tight(self) -> bool:
        """Whether both sides are equal."""
        return not self.strict and math.isclose(self.low, self.high)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dimensions(Answer):
    """What is known of a class.

    Attributes
    ----------
    of : FiniteClass
    quantities : tuple of Quantity
        Their names: representation, littlestone, vc, dual_vc, threshold, teaching, teaching_least,
        growth, guess (which is 1/rho), deterministic_size, probabilistic_size.
    inequalities : tuple of Inequality
    samples : tuple of SampleBound
    tree : Node or None
        An optimal mistake tree, where its depth is known.
    chain : Thresholds
        The longest chain of thresholds that was found.
    epsilon, alpha, beta : float
    cut : bool
        Whether a search ran out of steps: with more of them some ends may come together.
    """

    title = "Dimensions of a class"
    columns = ("type", "name", "low", "high")

    of: FiniteClass
    quantities: tuple[Quantity, ...]
    inequalities: tuple[Inequality, ...]
    samples: tuple[SampleBound, ...]
    tree: Node | None
    chain: Thresholds
    epsilon: float
    alpha: float
    beta: float
    cut: bool = False

    def __getitem__(self, name: str) -> Quantity:
        """Return a quantity by its name."""
        return next(entry for entry in self.quantities if entry.name == name)

    def records(self) -> list[dict[str, Any]]:
        """Return everything as records: numbers first, then sample sizes."""
        setting = {"epsilon": self.epsilon, "alpha": self.alpha, "beta": self.beta}
        size = {"rows": len(self.of), "columns": self.of.points}
        rows: list[dict[str, Any]] = [
            {"type": "dimension", "name": q.name, "low": _number(q.low), "high": _number(q.high),
             "exact": q.exact, "note": q.words}
            for q in self.quantities
        ]  # fmt: skip
        rows += [
            {"type": f"samples {s.kind}", "name": s.name, "low": s.m if s.kind == "lower" else None,
             "high": s.m if s.kind == "upper" else None, "exact": None, "note": s.how}
            for s in self.samples
        ]  # fmt: skip
        return [{**size, **setting, **row} for row in rows]


def _number(value: float) -> float | int:
    """Return a whole number as one; a solver's answer without its rounding."""
    near = round(value)
    return near if math.isclose(value, near, rel_tol=1e-9) else float(f"{value:.10g}")


def dimensions(
    matrix: ArrayLike | FiniteClass,
    *,
    epsilon: float = 0.5,
    alpha: float = ACCURACY,
    beta: float = 0.1,
    steps: int = USUAL,
) -> Dimensions:
    """Return every dimension of a small concept class, and the sample sizes that they imply.

    Parameters
    ----------
    matrix : array_like or FiniteClass
        Labels 0 and 1, shape (concepts, points); equal rows count once. At most 4096 x 256.
    epsilon, alpha, beta : float
        Privacy, accuracy and confidence of the blind guess and of the sample sizes. At 1/4 and
        up to five points the blind guess is known.
    steps : int
        What each search may do, about ten microseconds a step. A search that is cut short says
        between which ends its number lies; the same on every machine.

    Returns
    -------
    Dimensions

    Raises
    ------
    InputError
        When the matrix is ragged, too large, or holds anything but 0 and 1.

    Examples
    --------
    >>> import privsc_core as pv
    >>> found = pv.dimensions([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]])
    >>> found["vc"].low, found["littlestone"].low
    (1.0, 2.0)
    """
    of = from_matrix(matrix)
    epsilon, alpha, beta = (
        scalar(name, value)
        for name, value in (("epsilon", epsilon), ("alpha", alpha), ("beta", beta))
    )
    if type(steps) is not int or not 0 <= steps <= _MOST_STEPS:
        raise InputError("steps", "must be a whole number from 0 to 10^9", steps)
    few = patterns_of(alpha)
    budgets: list[Budget] = []

    def own() -> Budget:
        budgets.append(Budget(steps))
        return budgets[-1]

    tree = MistakeTree(of, own())
    with progress.stage(0.0, 0.2):
        shattered, dual = vc(of, own()), dual_vc(of, own())
        mistakes = tree.between(of.everyone)
        patterns = growth(of, few, own())
    with progress.stage(0.2, 0.5):
        chain = threshold(of, own(), cap=2 ** (mistakes.cap + 1) - 1)
    with progress.stage(0.5, 0.8):
        taught = teaching(of, own())
    with progress.stage(0.8, 0.9):
        rho = guess(of, alpha, patterns=patterns.found, depth=mistakes.found)
        fixed = deterministic_size(of, alpha, math.ceil(1.0 / rho.high - 1e-9))
    with progress.stage(0.9, 1.0):
        samples = sample_bounds(of, tree, epsilon=epsilon, alpha=alpha, beta=beta, budget=own())
    at = f"at α = {alpha:.4g}"
    fewest, most = map(float, probabilistic_size(rho, fixed, beta))

    def whole(name: str, title: str, words: str, value: Between) -> Quantity:
        return Quantity(name, title, words, float(value.found), float(value.cap))

    quantities = (
        Quantity(
            "representation", "Representation dimension",
            f"decides the cost of pure privacy: the bits that name a hypothesis of a random set, {at}",
            math.log2(fewest), math.log2(most),
        ),
        whole("littlestone", "Littlestone dimension, LDim",
              "a lower bound on that cost: the most mistakes of a best online learner", mistakes),
        whole("vc", "VC dimension",
              "decides the cost without privacy: the largest shattered set of points", shattered),
        whole("dual_vc", "Dual VC dimension, VC*", "the same with points and concepts exchanged", dual),
        whole("threshold", "Threshold dimension, T", "the longest chain of thresholds in the class", chain.between),
        whole("teaching", "Teaching dimension, TD", "points that teach the hardest concept", taught.largest),
        whole("teaching_least", "Least teaching dimension, TDmin", "points that teach the easiest concept",
              taught.least),
        whole("growth", f"Growth function, Π({few})", f"the most labellings of {few} points", patterns),
        Quantity(
            "guess", "Blind guess, 1/ρ",
            f"1 over the chance ρ that the best guess before any data is good, {at}; {rho.reason}",
            1 / rho.high, 1 / rho.low,
        ),
        whole("deterministic_size", "Representation, DRsize",
              f"hypotheses of which one is good for each concept and distribution, {at}", fixed),
        Quantity(
            "probabilistic_size", "Random representation, PRsize",
            f"the same for a random set, {at}, confidence {1 - beta:.4g}", fewest, most,
        ),
    )  # fmt: skip
    by_name = {entry.name: entry for entry in quantities}
    chained = _inequalities(of, by_name, rho, few, alpha)
    optimal = _optimal(tree, mistakes)
    cut = any(budget.left < 0 for budget in budgets)
    return Dimensions(of, quantities, chained, samples, optimal, chain, epsilon, alpha, beta, cut)


def _optimal(tree: MistakeTree, mistakes: Between) -> Node | None:
    try:
        return tree.tree(tree.of.everyone, mistakes.found) if mistakes.exact else None
    except OutOfStepsError:
        return None


def _inequalities(
    of: FiniteClass, q: dict[str, Quantity], rho: Guess, few: int, alpha: float
) -> tuple[Inequality, ...]:
    """Return the inequalities, checked at the safe ends of what is not known."""
    size, points = float(len(of)), float(of.points)
    vc_, dual, ldim, chain = (q[n] for n in ("vc", "dual_vc", "littlestone", "threshold"))
    tail = max(1.0 / binomial_share(k, alpha) for k in range(int(ldim.low) + 1))
    pairs = (
        ("VC", "LDim", vc_.low, ldim.high, False, "a shattered set is a mistake tree"),
        ("LDim", "log₂ |C|", ldim.low, math.log2(size), False, "leaves are different concepts"),
        ("VC", "T", vc_.low, chain.high, False, "a shattered set has all thresholds"),
        ("T", "min(|C|, |X|)", chain.low, min(size, points), False, "by definition"),
        ("⌊log₂ T⌋", "LDim", _log(chain.low), ldim.high, False, "binary search"),
        ("LDim", "2^(T+1)", ldim.low, _two(chain.high + 1), True,
         "not proved here; checked on all classes up to 4 points"),
        ("VC*", "2^(VC+1)", dual.low, _two(vc_.high + 1), True,
         "2^k shattered concepts, numbered in binary, shatter k points"),
        ("VC", "2^(VC*+1)", vc_.low, _two(dual.high + 1), True, "the same of the dual class"),
        ("TD", "min(|X|, |C| - 1)", q["teaching"].low, min(points, size - 1), False,
         "each other concept, or each point, at most once"),
        ("|C|", "Σ C(|X|, i), i ≤ VC", size, float(_sauer(of.points, int(vc_.high))), False, "Sauer"),
        (f"Π({few})", "1/ρ", q["growth"].low, q["guess"].high, False, "few points, each too heavy"),
        ("1/Pr[Bin(l, ½) ≤ αl], l ≤ LDim", "1/ρ", tail, q["guess"].high, False,
         "no guess beats a coin on a mistake tree"),
        ("1/ρ", "DRsize", 1.0 / rho.high, q["deterministic_size"].high, False,
         "draw from a representation"),
        ("DRsize", "|C|", q["deterministic_size"].low, size, False, "the class itself"),
    )  # fmt: skip
    return tuple(Inequality(*pair) for pair in pairs)


def _log(value: float) -> float:
    return float(math.floor(math.log2(value))) if value >= 1 else 0.0


def _two(exponent: float) -> float:
    """Return 2^exponent, which stays a number: no class is so rich that more matters."""
    return float(2.0 ** min(exponent, MOST_POINTS))


def _sauer(points: int, dimension: int) -> float:
    return float(min(sauer(points, dimension), 10**300))
