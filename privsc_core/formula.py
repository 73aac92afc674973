"""A number of examples as a reader types it: ``2*(d*log(2) + log(1/beta))/(alpha*epsilon)``.

A text is read by the grammar below and never by Python. Its numbers are those of `numerics.wide`: a value that is
no number of examples is a gap, and the gap has a reason.

    sum      product, + and - of products
    product  signed, * and / of signed
    signed   - or + before a signed one, or a power
    power    an atom, or an atom ^ a signed one (** as well)
    atom     a number, a name, a function of sums in parentheses, or a sum in parentheses
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privsc_core.errors import InputError
from privsc_core.numerics.wide import Wide

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import ArrayLike, NDArray

LONGEST, NODES, DEPTH = 200, 50, 40
"""The most characters, numbers with names and operations, and parentheses inside each other."""

MOST = 1e15
"""More examples than these are a gap: floats no longer have all whole numbers."""

_ROUNDING = 1e-14  # so near to a whole number a value is that number
_NOTHING = 1e-9  # what is left of a difference that is 0
_NAMES = {"eps": "epsilon", "ε": "epsilon", "ϵ": "epsilon", "δ": "delta", "α": "alpha", "β": "beta",
          "κ": "kappa", "ln": "log", "log*": "logstar", "log₂": "log2"}  # fmt: skip
_SIGNS = str.maketrans({"·": "*", "×": "*", "⋅": "*", "−": "-", "–": "-", "÷": "/"})
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>log\*(?=\s*\()|log₂|[A-Za-zα-ωϵ][A-Za-z0-9_]*)"
    r"|(?P<sign>\*\*|[-+*/^(),])"
    r"|(?P<space>\s+)"
)
_POWERS = ("^", "*" * 2)
_SHOWN = 24  # characters of a part of a formula in a reason


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int

    @property
    def said(self) -> str:
        text = self.text if len(self.text) <= _SHOWN else f"{self.text[: _SHOWN - 1]}…"
        return f"{text} at character {self.start + 1}" if text else "the end"


class _Node(NamedTuple):
    """A part of a formula: what is done, to what; where it stands in the text."""

    does: str
    parts: tuple[_Node, ...]
    start: int
    end: int
    value: float = 0.0

    def words(self) -> set[str]:
        return {self.does}.union(*(part.words() for part in self.parts))


# --- From a text to its parts ---------------------------------------------------------------------


FUNCTIONS: dict[str, int] = {
    "log": 1, "log2": 1, "logstar": 1, "sqrt": 1, "exp": 1, "min": 2, "max": 2,
}  # fmt: skip
"""Each with how many values it has at least; one value means exactly one."""


class _Reader:
    """Reads a text part by part; what it does not understand it refuses in a sentence."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        self.names, self.count, self.depth, self.at = names, 0, 0, 0
        self.tokens = _tokens(text.translate(_SIGNS))

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def whole(self) -> _Node:
        found = self.sum()
        left = self.next
        if left.kind == "end":
            return found
        before = self.tokens[self.at - 1]
        if left.text == ")":
            raise _refused("must have a ( for every )", left.said)
        if left.text == ",":
            raise _refused("must have commas only between the values of min and max", left.said)
        raise _refused(f"must have an operator such as * after {before.text}", left.said)

    def sum(self) -> _Node:
        return self._chain(("+", "-"), self.product)

    def product(self) -> _Node:
        return self._chain(("*", "/"), self.signed)

    def _chain(self, signs: tuple[str, ...], part: Callable[[], _Node]) -> _Node:
        found = part()
        while self.next.text in signs:
            sign = self._take().text
            right = part()
            found = self._node(sign, (found, right), found.start, right.end)
        return found

    def signed(self) -> _Node:
        if self.next.text not in {"+", "-"}:
            return self.power()
        sign = self._take()
        with_sign = self._deeper(self.signed)
        if sign.text == "+":
            return with_sign
        return self._node("negative", (with_sign,), sign.start, with_sign.end)

    def power(self) -> _Node:
        base = self.atom()
        if self.next.text not in _POWERS:
            return base
        self._take()
        to = self._deeper(self.signed)
        return self._node("^", (base, to), base.start, to.end)

    def atom(self) -> _Node:
        token = self._take()
        if token.kind == "number":
            value = float(token.text)
            if not np.isfinite(value):
                raise _refused("must have numbers below 1e308", token.said)
            return self._node("number", (), token.start, token.end, value)
        if token.text == "(":
            found = self._deeper(self.sum)
            return found._replace(start=token.start, end=self._close(token))
        if token.kind != "name":
            raise _refused("must have a number, a name or a ( here", token.said)
        name = _NAMES.get(token.text, token.text)
        if name in FUNCTIONS:
            return self._function(name, token)
        if name not in self.names:
            raise _unknown(token, self.names)
        return self._node(name, (), token.start, token.end)

    def _function(self, name: str, token: _Token) -> _Node:
        if self.next.text != "(":
            raise _refused(f"must have a ( after {token.text}", self.next.said)
        opening = self._take()
        values = [self._deeper(self.sum)]
        while self.next.text == ",":
            self._take()
            values.append(self._deeper(self.sum))
        end = self._close(opening)
        least = FUNCTIONS[name]
        if len(values) < least or (least == 1 and len(values) > 1):
            many = "one value" if least == 1 else "at least two values, with commas between them,"
            raise _refused(f"must have {many} in {token.text}( )", str(len(values)))
        if least == 1:
            return self._node(name, tuple(values), token.start, end)
        found, *others = values  # of several: two by two
        for one in others:
            found = self._node(name, (found, one), token.start, end)
        return found

    def _close(self, opening: _Token) -> int:
        if self.next.text != ")":
            if self.next.kind == "end":
                raise _refused("must have a ) for every (", opening.said)
            before = self.tokens[self.at - 1].text
            raise _refused(f"must have an operator such as * or a ) after {before}", self.next.said)
        return self._take().end

    def _take(self) -> _Token:
        token = self.next
        self.at += token.kind != "end"
        return token

    def _deeper(self, part: Callable[[], _Node]) -> _Node:
        self.depth += 1
        if self.depth > DEPTH:
            raise _refused(f"must be nested at most {DEPTH} deep", self.next.said)
        found = part()
        self.depth -= 1
        return found

    def _node(
        self, does: str, parts: tuple[_Node, ...], start: int, end: int, value: float = 0.0
    ) -> _Node:
        self.count += 1
        if self.count > NODES:
            raise _refused(f"must have at most {NODES} numbers, names and operations", "more")
        return _Node(does, parts, start, end, value)


def _tokens(text: str) -> list[_Token]:
    if not text.strip():
        raise _refused("must not be empty", text)
    if len(text) > LONGEST:
        raise _refused(f"must have at most {LONGEST} characters", len(text))
    found: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            shown = text[at] if text[at].isprintable() else "a character that is not printed"
            needs = "must be made of numbers, names, + - * / ^ ( ) and commas"
            raise _refused(needs, f"{shown} at character {at + 1}")
        if match.lastgroup != "space":
            found.append(_Token(match.lastgroup or "", match[0], at, match.end()))
        at = match.end()
    return [*found, _Token("end", "", at, at)]


def _refused(requirement: str, got: object) -> InputError:
    return InputError("formula", requirement, got)


def _unknown(token: _Token, names: Collection[str]) -> InputError:
    if token.text == "m":
        return _refused("must do without m, which is the number that it gives", token.said)
    words = ", ".join([*names, *FUNCTIONS])
    return _refused(f"must be made of the names {words}", token.said)


@lru_cache(maxsize=512)
def _parsed(text: str, names: tuple[str, ...]) -> _Node:
    return _Reader(text, names).whole()


# --- From the parts to values ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """The values of a formula.

    Attributes
    ----------
    m : ndarray of float64
        Numbers of examples: whole numbers of at least 1; NaN at a gap.
    value : ndarray of float64
        What the formula says before it is rounded up to m; NaN at a gap.
    reason : ndarray of str
        Why there is a gap; empty elsewhere.
    """

    m: NDArray[np.float64]
    value: NDArray[np.float64]
    reason: NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that has been read: hashable.

    Parameters
    ----------
    text : str
        At most 200 characters; blanks do not matter.
    names : tuple of str
        The names that may stand in it, in the order in which a refusal lists them.

    Attributes
    ----------
    used : frozenset of str
        The names that stand in it.

    Raises
    ------
    InputError
        In one sentence, with what is not understood, and where.
    """

    text: str
    names: tuple[str, ...] = ("d", "epsilon", "delta", "alpha", "beta")
    used: frozenset[str] = field(init=False, repr=False, compare=False)
    _root: _Node = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read it."""
        if not isinstance(self.text, str):
            raise _refused("must be a text", self.text)
        text = " ".join(self.text.split()) if len(self.text) <= 2 * LONGEST else self.text
        object.__setattr__(self, "text", text)
        root = _parsed(text, self.names)
        object.__setattr__(self, "_root", root)
        object.__setattr__(self, "used", frozenset(root.words() & {*self.names}))

    def __call__(self, values: Mapping[str, ArrayLike | Wide]) -> Evaluated:
        """Return the number of examples at some values of its names, which broadcast."""
        with np.errstate(all="ignore"):
            wide = {
                name: value if isinstance(value, Wide) else Wide.of(value)
                for name, value in values.items()
            }
            shape = np.broadcast_shapes(*(value.m.shape for value in wide.values()))
            return _Evaluation(self.text, wide, shape).examples(self._root)


# Of functions of one value both are the same.
_DOES: dict[str, Callable[[Wide, Wide], Wide]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a.power(b),
    "min": lambda a, b: a.smaller(b),
    "max": lambda a, b: -(-a).smaller(-b),
    "negative": lambda a, _: -a,
    "exp": lambda a, _: a.exp(),
    "sqrt": lambda a, _: a.sqrt(),
    "log": lambda a, _: Wide.of(a.log()),
    "log2": lambda a, _: Wide.of(a.log2()),
    "logstar": lambda a, _: Wide.of(a.iterated_log()),
}
_Wrong = tuple[Callable[[Wide, Wide], Any], str]
_NOT_ABOVE_0: _Wrong = (lambda a, _: a.m <= 0.0, "needs a number above 0")
# Of each where it has no value, and why.
_WRONG: dict[str, tuple[_Wrong, ...]] = {
    "/": ((lambda _, b: b.m == 0.0, "divides by 0"),),
    "^": (
        (lambda a, b: (a.m < 0.0) & (b.plain() % 1.0 != 0.0), "is no real number"),
        (lambda a, b: (a.m == 0.0) & (b.m < 0.0), "divides by 0"),
    ),
    "sqrt": ((lambda a, _: a.m < 0.0, "is no real number"),),
    "log": (_NOT_ABOVE_0,),
    "log2": (_NOT_ABOVE_0,),
}


class _Evaluation:
    """One evaluation: it notes why there is no value, the first time that something has none."""

    def __init__(self, text: str, values: Mapping[str, Wide], shape: tuple[int, ...]) -> None:
        self.text, self.values = text, values
        self.reasons, self.why = [""], np.zeros(shape, dtype=np.int64)

    def examples(self, root: _Node) -> Evaluated:
        plain = self.value(root).plain()
        self.gap(plain < -_NOTHING, "the formula is below 0 here")
        self.gap(plain > MOST, "the formula is above 10¹⁵ here")
        whole = np.rint(plain)
        near = abs(plain - whole) <= _ROUNDING * whole
        m = np.maximum(1.0, np.where(near, whole, np.ceil(plain)))
        m, value = (np.where(self.why == 0, x, np.nan) for x in (m, np.maximum(plain, 0.0)))
        return Evaluated(m, value, np.array(self.reasons)[self.why])

    def gap(self, where: NDArray[np.bool_], why: str) -> None:
        if where.any():
            self.why = np.where((self.why == 0) & where, len(self.reasons), self.why)
            self.reasons.append(why)

    def value(self, node: _Node) -> Wide:
        if node.does == "number":
            return Wide.of(node.value)
        if not node.parts:
            return self.values[node.does]
        a, b = (list(map(self.value, node.parts)) * 2)[:2]
        for wrong, why in _WRONG.get(node.does, ()):
            self.gap(wrong(a, b), f"{self.shown(node)} {why}")
        found = _DOES[node.does](a, b)
        self.gap(found.beyond, f"{self.shown(node)} is too large or too near 0")
        return found

    def shown(self, node: _Node) -> str:
        part = self.text[node.start : node.end]
        return part if len(part) <= _SHOWN else f"{part[: _SHOWN - 1]}…"
