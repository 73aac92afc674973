"""What may be spent on a data set, in a file: two at once wait for each other, a crash forgets nothing.

The file is JSON: `epsilon` and `delta` that may be spent in all, `adjacency` ("full", or "label" where
only labels are protected; "full" by default), and `spent`, what was. Sums are of the decimals, so that
ten times 0.1 is 1. It is replaced whole, and on the disk, before the first noise is drawn.
"""

from __future__ import annotations

import json
import math
import os
import stat
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BYTES_MOST = 1 << 24
_EXAMPLE = '{"epsilon": 1, "delta": 1e-6}'


def spend(
    path: str, *, epsilon: float, delta: float, adjacency: str, words: Mapping[str, object]
) -> dict[str, float]:
    """Write down that epsilon and delta are spent, and return what is left.

    Returns only when it is on the disk. Whoever comes at the same time waits.

    Parameters
    ----------
    path : str
        The budget file.
    epsilon, delta : float
        What is spent.
    adjacency : str
        Which samples the release compares: "full" or "label".
    words : mapping
        What is written beside it.

    Raises
    ------
    InputError
        Where the file is none, cannot be locked or written, or has not that much left.
    """
    file = _real(path)
    with _locked(file):
        after = _after(_read(file), epsilon, delta, adjacency, words)
        left = {name: float(value) for name, value in _left(after).items()}
        try:
            _replace(file, json.dumps(after, indent=1, allow_nan=False) + "\n")
        except OSError as error:
            raise InputError("budget", f"must be writable ({error.strerror})", path) from None
    return left


def _real(path: str) -> Path:
    """Return the file itself, so that a link to it is not replaced by another budget."""
    try:
        file = Path(path).resolve(strict=True)
        about = file.stat()
    except (OSError, ValueError, RuntimeError):
        about = None
    if about is None or not stat.S_ISREG(about.st_mode):
        wanted = f"must be a file that says what may be spent, such as {_EXAMPLE}"
        raise InputError("budget", wanted, path)
    return file


def _read(file: Path) -> dict[str, Any]:
    """Return what the file has as JSON, if it can be read in one way only."""
    try:
        with file.open("rb") as stream:
            names, text = os.fstat(stream.fileno()).st_nlink, stream.read(_BYTES_MOST + 1)
    except OSError as error:
        raise InputError("budget", f"must be readable ({error.strerror})", file.name) from None
    if names > 1:  # two accounts, once one of the names is that of a new file
        wanted = "must be a file with one name (no hard links)"
        raise InputError("budget", wanted, f"{names} names")
    try:
        found = None if len(text) > _BYTES_MOST else _parsed(text.decode("utf-8-sig"))
    except InputError:
        raise
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError("budget", f"must be JSON such as {_EXAMPLE}", file.name)
    return _whole_budget(found)


def _whole_budget(found: dict[str, Any]) -> dict[str, Any]:
    """Return a budget with all its keys, or refuse."""
    known = {"epsilon", "delta", "adjacency", "spent"}
    if more := sorted(set(found) - known):
        raise InputError(
            "budget", f"must have no other keys than {', '.join(sorted(known))}", more[0]
        )
    found.setdefault("delta", 0)
    spent, whom = found.setdefault("spent", []), found.setdefault("adjacency", "full")
    if not (isinstance(whom, str) and whom in {"full", "label"}):
        raise InputError("budget", "must have adjacency full or label", whom)
    if not isinstance(spent, list) or not all(isinstance(one, dict) for one in spent):
        raise InputError("budget", "must have spent as a list of records", spent)
    for one in (found, *spent):
        for name in ("epsilon", "delta"):
            if type(one.get(name)) not in {int, float}:
                raise InputError("budget", f"must have {name} as a number", one.get(name))
            if one[name] < 0:
                raise InputError("budget", f"must have {name} in [0, inf)", one[name])
    return found


def _parsed(text: str) -> Any:
    """Read JSON without keys that are there twice and numbers that are not those that were typed."""
    return json.loads(
        text, object_pairs_hook=_once, parse_float=_float, parse_constant=_float,
        parse_int=lambda digits: int(_float(digits)),
    )  # fmt: skip


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError("budget", "must have each key once", key)
        found[key] = value
    return found


def _float(text: str) -> float:
    """Return the float that prints as the number `text`, or refuse: sums are of what was typed."""
    value = float(text)
    try:
        same = math.isfinite(value) and Decimal(text) == Decimal(repr(value))
    except ArithmeticError:  # an exponent beyond all that is
        same = False
    if not same:
        wanted = "must have numbers that floating point holds as they are written"
        raise InputError("budget", wanted, text)
    return value


def _left(budget: Mapping[str, Any]) -> dict[str, Fraction]:
    return {
        name: decimal(budget[name]) - sum(decimal(one[name]) for one in budget["spent"])
        for name in ("epsilon", "delta")
    }


def _after(
    budget: dict[str, Any],
    epsilon: float,
    delta: float,
    adjacency: str,
    words: Mapping[str, object],
) -> dict[str, Any]:
    """Return the budget with one more record, or refuse."""
    if adjacency == "label" and budget["adjacency"] == "full":
        wanted = 'must have adjacency "label" for a learner that protects labels alone'
        raise InputError("budget", wanted, budget["adjacency"])
    left = _left(budget)
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        if decimal(value) > left[name]:
            rest = f"{float(max(left[name], Fraction())):.10g}"
            raise InputError(name, f"must be at most {rest}, what is left of the budget", value)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    record = {"epsilon": epsilon, "delta": delta, "when": when, **words}
    return {**budget, "spent": [*budget["spent"], record]}


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Hold the lock of a budget, a file beside it: the budget itself is replaced.

    The system lets go of it when a process ends, however it ends.
    """
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        raise InputError("budget", "must be on a system with file locks (POSIX)", os.name) from None
    try:
        handle = os.open(f"{file}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        wanted = f"must be in a folder that can be written ({error.strerror})"
        raise InputError("budget", wanted, file.name) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _replace(file: Path, text: str) -> None:
    """Replace a file at once and for good: after a crash it is the old one or the new one, whole."""
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            os.fchmod(stream.fileno(), file.stat().st_mode & 0o777)
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
