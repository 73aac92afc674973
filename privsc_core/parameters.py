"""The parameters of every question, declared once.

Symbol, meaning, domain and typical range are read by validation, command line, controls,
documentation and tests: change them here and nowhere else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: how it is written, what it means, what it may be.

    Attributes
    ----------
    name : str
        The keyword argument and command-line option.
    symbol : str
        How the field writes it, in Unicode (figures) and usable in text.
    key : str
        Its short name in a link.
    short : str
        What it is in two or three words, beside its symbol.
    meaning : str
        One plain sentence.
    low, high : float
        The ends of the domain.
    ends_included : {"both", "low", "high", "none"}
        Which ends belong to the domain.
    integer : bool
        Whether only whole numbers are allowed.
    page : tuple of float
        What the controls and links of a page take, both ends included: a hosted page
        computes less at once than a program may ask for.
    typical : tuple of float
        The range that controls and random tests draw from.
    default : float
        The value of the first view.
    log : bool
        Whether a logarithmic scale suits it.
    ends : tuple of str
        What the low and the high end of a control mean.
    margins : tuple of float
        How near to the low and to the high end a value may come, where an end is excluded: nearer
        ones are beyond what floats can tell apart.
    """

    name: str
    symbol: str
    key: str
    short: str
    meaning: str
    low: float
    high: float
    ends_included: Literal["both", "low", "high", "none"]
    integer: bool
    page: tuple[float, float]
    typical: tuple[float, float]
    default: float
    log: bool
    ends: tuple[str, str]
    margins: tuple[float, float] = (0.0, 0.0)

    @property
    def domain(self) -> str:
        """The domain in interval notation, e.g. ``(0, 1)``."""
        left = "[" if self.ends_included in {"both", "low"} else "("
        right = "]" if self.ends_included in {"both", "high"} else ")"
        return f"{left}{self._end(self.low)}, {self._end(self.high)}{right}"

    @property
    def on_page(self) -> str:
        """What a page takes in interval notation, e.g. ``[0.0001, 0.5]``."""
        low, high = self.page
        return f"[{self._end(low)}, {self._end(high)}]"

    def _end(self, value: float) -> str:
        if math.isinf(value):
            return "inf"
        return f"{value:.0f}" if self.integer else f"{value:.10g}"

    @property
    def requirement(self) -> str:
        """What must hold, as an error message says it."""
        kind = "be a whole number in" if self.integer else "be in"
        needs = f"must {kind} {self.domain}"
        if self.margins != (0.0, 0.0):
            low, high = self.margins
            needs += f", at least {low:g} and 1 - {self.name} at least {high:g}"
        return needs

    def contains(self, value: float | NDArray[np.float64]) -> Any:
        """Return elementwise whether `value` lies in the domain (NaN does not)."""
        plain = type(value) in {int, float}
        above = value >= self.low if self.ends_included in {"both", "low"} else value > self.low
        below = value <= self.high if self.ends_included in {"both", "high"} else value < self.high
        inside = above & below & (math.isfinite(value) if plain else np.isfinite(value))
        low, high = self.margins
        if low:
            inside &= value >= self.low + low
        if high:
            inside &= value <= self.high - high
        if self.integer:
            inside &= float(value).is_integer() if plain else value == np.floor(value)
        return inside


@dataclass(frozen=True, slots=True)
class Word:
    """A parameter that is one of a few words, for those distributions that have it.

    Attributes
    ----------
    name : str
        The keyword argument and command-line option, and what notes call it.
    key : str
        Its short name in a link.
    meaning : str
        One plain sentence.
    words : mapping of str to str
        What it may be, each with what it means; the first is the default.
    """

    name: str
    key: str
    meaning: str
    words: Mapping[str, str]

    @property
    def default(self) -> str:
        """The word of the first view."""
        return next(iter(self.words))

    @property
    def requirement(self) -> str:
        """What must hold, as an error message says it."""
        return f"must be one of {', '.join(self.words)}"


# In links `target` is the point of an exhibit of intervals since before.
TARGET = Word(
    "target", "goal", "where the step of the target concept is",
    {
        "middle": "in the middle, j = T/2",
        "alternating": "at a j whose binary digits alternate, about T/3 (d even) or T/6 (d odd)",
    },
)  # fmt: skip

# m reaches further than the 10^7 that pages offer, because the paper's own constants ask for
# more than 10^8 samples at everyday settings and `need` must be able to say so.
PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "m", "m", "m", "sample size",
        "number of labelled examples in the sample",
        1, 10**12, "both", integer=True, page=(1, 10**7),
        typical=(10, 10_000), default=500, log=True,
        ends=("fewer", "more"),
    ),
    Parameter(
        "d", "d", "d", "bits of a domain point",
        "bits of a domain point; the domain has T = 2^d points",
        1, 10**6, "both", integer=True, page=(1, 10**6),
        typical=(2, 1024), default=64, log=True,
        ends=("smaller", "larger"),
    ),
    Parameter(
        "epsilon", "ε", "eps", "privacy loss",
        "privacy loss: how much one replaced example may change the "
        "probability of any output (a factor of at most e^ε)",
        0, math.inf, "none", integer=False, page=(0.001, 20.0),
        typical=(0.05, 5.0), default=0.5, log=True,
        ends=("more privacy", "less privacy"),
    ),
    Parameter(
        "delta", "δ", "delta", "additive privacy loss",
        "amount by which a probability may exceed e^ε times that on an adjacent sample; 0 is pure differential "
        "privacy",
        0, 0.5, "low", integer=False, page=(1e-15, 0.1),
        typical=(0.0, 1e-3), default=0.0, log=True,
        ends=("nearer to pure", "looser"),
    ),
    Parameter(
        "u", "u", "u", "unlabelled examples",
        "number of unlabelled examples in addition to the m labelled ones, for learners that use some; 0 stands for "
        "the number that the learner chooses",
        0, 10**12, "both", integer=True, page=(0, 10**6),
        typical=(0, 10_000), default=0, log=True,
        ends=("fewer", "more"),
    ),
    Parameter(
        "alpha", "α", "alpha", "error allowed",
        "accuracy parameter: the error that a hypothesis may have",
        0, 1, "none", integer=False, page=(0.005, 0.49),
        typical=(0.02, 0.45), default=0.1, log=True,
        ends=("more accurate", "less accurate"),
    ),
    Parameter(
        "beta", "β", "beta", "failures allowed",
        "confidence parameter: the probability with which the learner may fail",
        0, 1, "none", integer=False, page=(0.0001, 0.5),
        typical=(0.01, 0.3), default=0.1, log=True,
        ends=("more certain", "less certain"), margins=(1e-300, 1e-15),
    ),
    Parameter(
        "trials", "trials", "trials", "Simulated samples",
        "number of simulated samples where no exact law is known",
        2, 1_000_000, "both", integer=True, page=(250, 5000),
        typical=(100, 10_000), default=1000, log=True,
        ends=("faster", "narrower band"),
    ),
    Parameter(
        "seed", "seed", "seed", "Seed",
        "number that fixes every random choice",
        0, 2**53, "both", integer=True, page=(0, 10**9),
        typical=(0, 1000), default=1, log=False,
        ends=("", ""),
    ),
)  # fmt: skip

# For what answers where d is too large to be written out; else d says it.
LOG2_D = Parameter(
    "log2_d", "log₂ d", "L", "bits of a domain point, their log",
    "log2 of d + 1, in place of d, for domains of any size; 0 leaves the size to d",
    0, 2**32, "both", integer=False, page=(0, 2**32),
    typical=(3, 64), default=0, log=True,
    ends=("smaller", "larger"),
)  # fmt: skip

Wanted: TypeAlias = Literal["m", "d", "epsilon", "alpha", "beta"]
WANTED: tuple[Wanted, ...] = ("m", "d", "epsilon", "alpha", "beta")
"""What can be looked for when the rest is given (`evaluate.reach`)."""

_BY_NAME = {entry.name: entry for entry in (*PARAMETERS, LOG2_D)}


def parameter(name: str) -> Parameter:
    """Return the declaration of the parameter called `name`.

    Raises
    ------
    InputError
        When there is no such parameter.
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        raise InputError("parameter", f"must be one of {', '.join(_BY_NAME)}", name) from None


def validated(name: str, value: ArrayLike) -> NDArray[Any]:
    """Return `value` as an array of the parameter's type, or refuse it.

    Parameters
    ----------
    name : str
        A name in `PARAMETERS`.
    value : array_like
        A number or an array of numbers, of any shape but not empty.

    Returns
    -------
    numpy.ndarray
        int64 for whole-number parameters, float64 otherwise.

    Raises
    ------
    InputError
        Naming the first value outside the domain.
    """
    entry = _BY_NAME.get(name) or parameter(name)
    kind = np.int64 if entry.integer else np.float64
    # Mostly it is one number, for which arrays are slow.
    if type(value) in {int, float} and abs(value) < 2.0**63 and entry.contains(value):  # type: ignore[arg-type]
        return np.asarray(value, dtype=kind)
    try:
        raw = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise InputError(name, "must be numbers in rows of the same length", value) from None
    if raw.dtype.kind not in "iuf" and not _whole_numbers(raw):
        bad = value if raw.ndim == 0 else _first_non_number(raw)
        raise InputError(name, entry.requirement, bad)
    try:
        array = raw.astype(np.float64)
    except OverflowError:  # a whole number beyond every float
        huge = next(v for v in raw.ravel().tolist() if abs(v) >= 1 << 1023)
        raise InputError(name, entry.requirement, huge) from None
    if array.size == 0:
        raise InputError(name, "must have at least one value", "none")
    inside = entry.contains(array)
    if not inside.all():
        bad_value = float(array[~inside].ravel()[0]) if array.ndim else float(array)
        whole = entry.integer and bad_value.is_integer() and abs(bad_value) < 2**63
        raise InputError(name, entry.requirement, int(bad_value) if whole else bad_value)
    return np.asarray(value, dtype=kind) if entry.integer else array


def scalar(name: str, value: float) -> Any:
    """Return one validated number: an int for whole-number parameters, else a float."""
    array = validated(name, value)
    if array.ndim:
        raise InputError(name, "must be a single number", value)
    return array.item()


def _whole_numbers(raw: NDArray[Any]) -> bool:
    """Return whether an object array holds Python integers only (those beyond 64 bits)."""
    return raw.dtype.kind == "O" and raw.size > 0 and all(type(v) is int for v in raw.flat)


def _first_non_number(raw: NDArray[Any]) -> object:
    for item in raw.ravel().tolist():
        if isinstance(item, bool) or not isinstance(item, int | float):
            return item
    return "none" if raw.size == 0 else raw.ravel()[0]
