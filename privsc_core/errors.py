"""The one error type for bad input, with one grammar.

Every refusal reads "<parameter> must <requirement>; got <value>." so that the command
line, the pages and a notebook can show it as it is.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_SHOWN_LENGTH = 40
_SHOWN_BITS = 4096


def shown(value: object) -> str:
    """Return `value` as it is quoted in a message: one line, at most 40 characters."""
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        # Python refuses to print whole numbers of more than 4300 digits.
        return f"a whole number of {value.bit_length()} bits"
    try:
        text = " ".join((value if isinstance(value, str) else repr(value)).split())
    except Exception:  # noqa: BLE001 - what somebody else wrote, or what is nested too deep
        return f"a value of the type {type(value).__name__}"
    if isinstance(value, str) and not text:
        text = "an empty text"
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


class InputError(ValueError):
    """Bad input: which parameter, what it must be, what it got.

    Parameters
    ----------
    parameter : str
        The name as the user typed it (``epsilon``, ``m``, ``distribution``).
    requirement : str
        What must hold, worded to follow the name ("must be in (0, inf)").
    got : object
        The offending value.
    """

    def __init__(self, parameter: str, requirement: str, got: object) -> None:
        self.parameter = parameter
        self.requirement = requirement
        self.got = got
        super().__init__(f"{parameter} {requirement}; got {shown(got)}.")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, object]]:
        """Pickle by the three parts: the default would replay the finished sentence."""
        return (type(self), (self.parameter, self.requirement, self.got))


def missing(package: str, extra: str) -> InputError:
    """Return the refusal of what needs a package that is not installed: it says how to install it."""
    return InputError(
        package, f"must be installed: pip install 'privsc[{extra}]'", "no such module"
    )


def needed(module: str, extra: str, package: str = "") -> Any:
    """Return a module that comes with an extra, or refuse with how to install it.

    Parameters
    ----------
    module, extra : str
        What is imported, and the extra of privsc that brings it.
    package : str, optional
        What pip calls it, if that is not the module's first word.
    """
    try:
        return import_module(module)
    except ImportError:
        raise missing(package or module.partition(".")[0], extra) from None
