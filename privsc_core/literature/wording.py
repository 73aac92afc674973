"""Refusals and reasons in the words of a page: symbols, and what to move.

The core speaks to programs: names of arguments, intervals in brackets, 1e+12. Here the same is said with
symbols and in words, and a refusal with what to do about it.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from privsc_core.errors import shown
from privsc_core.numerics.text import raised, small
from privsc_core.parameters import PARAMETERS

if TYPE_CHECKING:
    from privsc_core.errors import InputError

_SYMBOLS = {name: entry.symbol for entry in PARAMETERS for name in (entry.name, entry.symbol)}
_INTERVAL = re.compile(r"\bin ([(\[])([^,\s]+), ([^\])\s]+)([)\]])")
# Only names that stand for Greek letters: others, such as "trials", are words of a sentence too.
_LETTERS = {name: sign for name, sign in _SYMBOLS.items() if not sign.isascii()} | {"kappa": "κ"}
_NAMES = re.compile(rf"\b(?:{'|'.join(_LETTERS)})\b")
_SIZE = re.compile(r"\bd\b")
_DECIMAL = re.compile(r"\b(\d+(?:\.\d+)?)e([+-]?\d+)\b")
_POWER = re.compile(r"\^(-?\d+)\b")
_COMPARED = {"at least ": "≥", "at most ": "≤", "less than ": "<", "above ": ">"}
_SIGNS = {"<=": "≤", ">=": "≥", "sqrt(": "√("}


def in_symbols(text: str, size: str = "d") -> str:
    """Return a reason with symbols, signs and words in place of names, ASCII and brackets.

    `size` is the symbol that a concept class has for its size, which programs call d.
    """
    text = _SIZE.sub(size, text)
    for sign, written in _SIGNS.items():
        text = text.replace(sign, written)
    text = _INTERVAL.sub(_in_words, text)
    text = _DECIMAL.sub(
        lambda met: f"{met[1] + '·' if met[1] != '1' else ''}10{raised(int(met[2]))}", text
    )
    text = _NAMES.sub(lambda met: _LETTERS[met[0]], text)
    return _POWER.sub(lambda met: raised(int(met[1])), text)


def told(error: InputError, size: str = "", symbol: str = "") -> str:
    """Return a refusal as a page says it.

    Parameters
    ----------
    error : InputError
        About a parameter of a setting; what is wrong with a file or a text is said as it stands.
    size, symbol : str
        The size of a concept class by the name of its parameter, and what it is called there.
    """
    if error.requirement.startswith("must be installed"):
        how = error.requirement.partition(": ")[2]
        return f"{error.parameter} is not installed where this runs{how and ': '}{how}."
    named = {**_SYMBOLS, size: symbol, symbol: symbol} if size else _SYMBOLS
    name = named.get(error.parameter)
    if name is None:
        return str(error)
    return f"{name} {in_symbols(error.requirement)}: it is {_value(error.got)} here. Move {name}."


def lacking(error: InputError, size: str = "", symbol: str = "") -> str:
    """Return a refusal as a remark in a table: "needs δ > 0"; else as `told`, whose parameters it has."""
    name = {**_SYMBOLS, size: symbol}.get(error.parameter)
    _, found, wanted = error.requirement.partition("must be ")
    if name is None or not found:
        return told(error, size, symbol)
    if met := _INTERVAL.match(wanted):
        left, low, high, right = met.groups()
        below = isinstance(error.got, int | float) and error.got <= Fraction(low)
        sign, end = (">≥"[left == "["], low) if below else ("<≤"[right == "]"], high)
        return f"needs {name} {sign} {end}"
    for words, sign in _COMPARED.items():
        if wanted.startswith(words):
            return f"needs {name} {sign} {in_symbols(wanted.removeprefix(words))}"
    return told(error, size, symbol)


def _in_words(interval: re.Match[str]) -> str:
    left, low, high, right = interval.groups()
    if high == "inf":
        return f"at least {low}" if left == "[" else f"above {low}"
    words = {"[]": "from {} to {}", "()": "between {} and {}", "[)": "at least {} and below {}",
             "(]": "above {} and at most {}"}  # fmt: skip
    return words[left + right].format(low, high)


def _value(got: object) -> str:
    try:
        value = float(got)  # type: ignore[arg-type] # anything may have been given
    except (TypeError, ValueError, OverflowError):
        return shown(got)
    return small(value) if 0.0 < value < 1e-3 else f"{value:,.10g}"
