"""A refusal in the words of somebody who reads a page and moves its controls.

An `InputError` speaks to who calls a function: names of arguments, intervals in brackets. Here the same
is said with symbols, in words, and with what to do about it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from privsc_core.errors import shown
from privsc_core.numerics.text import small
from privsc_core.parameters import PARAMETERS

if TYPE_CHECKING:
    from privsc_core.errors import InputError

__all__ = ["told"]

_SYMBOLS = {name: entry.symbol for entry in PARAMETERS for name in (entry.name, entry.symbol)}
_INTERVAL = re.compile(r"\bin ([(\[])([^,\s]+), ([^\])\s]+)([)\]])")
_NAMES = re.compile(r"\b(" + "|".join(entry.name for entry in PARAMETERS) + r")\b")


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
    needs = _INTERVAL.sub(_in_words, error.requirement)
    needs = _NAMES.sub(lambda met: named[met[0]], needs)
    return f"{name} {needs}: it is {_value(error.got)} here. Move {name}."


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
