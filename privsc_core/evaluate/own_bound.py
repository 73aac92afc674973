"""A bound of a reader's own: a formula that every view treats as a bound of the class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.contracts.idle import ALONE, IN_BOUNDS
from privsc_core.formula import Formula
from privsc_core.numerics.wide import Wide

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from privsc_core.concepts.contracts import Cell, ConceptClass, Constants, Distribution
    from privsc_core.formula import Evaluated

OWN = "yours"
"""The name of the bound, and its constants: no bound of the catalog has it."""

_SETTING = ("d", "epsilon", "delta", "alpha", "beta")


@dataclass(frozen=True)
class OwnBound(Bound):
    """A formula as a bound.

    It says nothing of what is proved. Where it has to stand on a side, it is an upper bound: so many examples
    suffice. `evaluate.comparison` tells what follows from either reading.

    Attributes
    ----------
    formula : Formula
    size : str
        The symbol of the size in its class, another name of d.
    called : tuple of (str, callable)
        As in its class.
    """

    formula: Formula
    size: str = "d"
    called: tuple[tuple[str, Callable[[int], float]], ...] = ()

    name = OWN
    title = "Your bound"
    source = Source(OWN, "a formula")
    kind = "upper"
    statement = derivation = ""
    applies_to = "what its author says"
    whom = Whom()

    @property
    def constants(self) -> Constants:
        """Whose constants these are."""
        return "yours"

    @property
    def origin(self) -> str:
        """Whose constants these are, in a word of the glossary."""
        return OWN

    @property
    def free_of_delta(self) -> bool:
        """Whether the formula is without delta."""
        return "delta" not in self.formula.used

    @property
    def idle(self) -> dict[str, str]:
        """What the formula does not contain."""
        used = {*self.formula.used}
        if used & {self.size, *(name for name, _ in self.called)}:
            used.add("d")
        absent = [name for name in _SETTING if name not in used]
        alone = dict.fromkeys(("u", "trials", "seed", "distribution", "target"), ALONE)
        return dict.fromkeys(absent, IN_BOUNDS) | alone

    def holds_on(self, _distribution: Distribution, _at: Cell, /) -> bool:
        """Return that it is drawn everywhere."""
        return True

    def least(self, at: Cell) -> BoundValue:
        """Return the number of examples that the formula gives."""
        return self.leasts([at])[0]

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Return the numbers at several settings, or why there is none."""
        columns = {name: np.array([getattr(at, name) for at in cells]) for name in _SETTING}
        found = self.along(**columns)
        return [
            BoundValue(None, reason) if math.isnan(m) else BoundValue(int(m))
            for m, reason in zip(found.m.tolist(), found.reason.tolist(), strict=True)
        ]

    def along(self, d: ArrayLike, **rest: ArrayLike) -> Evaluated:
        """Return the numbers at many settings at once, which broadcast; they are not remembered."""
        d = np.asarray(d, dtype=np.int64)
        values: dict[str, Any] = rest | {"d": d, self.size: d}
        for name, log2 in self.called:
            if name in self.formula.used:
                distinct, places = np.unique(d, return_inverse=True)
                logs = np.array([log2(size) for size in distinct.tolist()])
                values[name] = Wide.power_of_two(logs[places.reshape(d.shape)])
        return self.formula(values)


def own_bound(concept: str | ConceptClass, text: str) -> OwnBound:
    """Return a formula as a bound of a concept class.

    Parameters
    ----------
    concept : str or ConceptClass
        A name in the catalog, or a class.
    text : str
        A formula in d, epsilon, delta, alpha and beta, in the symbol of the size of the class, and in what the
        class calls 2^d: T, kappa, p.

    Raises
    ------
    InputError
        For a text that is no such formula, in one sentence that says where.
    """
    known = catalog.concept(concept)
    return OwnBound(Formula(text, names_of(known)), known.size.symbol, known.called)


def names_of(concept: ConceptClass) -> tuple[str, ...]:
    """Return the names that a formula about a class may contain."""
    return tuple(
        dict.fromkeys((concept.size.symbol, *_SETTING, *(name for name, _ in concept.called)))
    )
