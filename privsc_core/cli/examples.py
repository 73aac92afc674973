"""Labelled examples from a CSV file, kept exact: points may have hundreds of thousands of digits."""

from __future__ import annotations

import csv
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from privsc_core.errors import InputError
from privsc_core.tables import Reader, decoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_BYTES = 64 * 2**20
MOST_ROWS = 1_000_000
_MOST_COLUMNS = 1_000

_DIGITS = re.compile(r"\+?0*(\d+)", re.ASCII)
_COLUMNS = ("x", "y")


@contextmanager
def exact_digits() -> Iterator[None]:
    """Lift Python's limit on the digits of printed integers while a command runs."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def point(name: str, text: str, d: int) -> int:
    """Return the domain point that `text` writes in decimal.

    Raises
    ------
    InputError
        When it is not a whole number from 1 to 2^d.
    """
    value = _point(text.strip(), d)
    if value is None:
        raise InputError(name, f"must be a whole number from 1 to 2^{d}", text)
    return value


def _point(text: str, d: int) -> int | None:
    match = _DIGITS.fullmatch(text)
    # 2^d has at most d digits: longer texts are refused without converting them.
    value = int(match[1]) if match and len(match[1]) <= max(d, 2) else 0
    return None if value < 1 or value.bit_length() > d + 1 or value > 1 << d else value


def read_examples(
    path: str, d: int, *, labelled: bool = True
) -> tuple[list[int], list[int] | None]:
    """Return the columns x and y of a CSV file, or of standard input when `path` is ``-``.

    What separates cells, and what else a file may hold, is that of `tables.Reader`. Other columns
    are ignored; y too, and None is returned for it, when the examples are not `labelled`.

    Raises
    ------
    InputError
        Naming line and column, and never what stands there: it is people's data.
    """
    text = read_text(path, "must have a header line with the columns x and y")
    before = csv.field_size_limit(MOST_BYTES)
    try:
        reader = Reader(text, "file", columns=_MOST_COLUMNS, rows=MOST_ROWS)
        return _columns(reader, d, _COLUMNS if labelled else _COLUMNS[:1])
    finally:
        csv.field_size_limit(before)


def read_text(path: str, holds: str, kind: str = "CSV") -> str:
    """Return the text of a file, or of standard input when `path` is ``-``.

    Raises
    ------
    InputError
        When it cannot be read, is too large, no UTF-8, or empty: then it says what it `holds`.
    """
    if path == "-" and sys.stdin is None:
        raise InputError("file", "must be a file where standard input is closed", path)
    try:
        if path == "-":
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(path).open("rb") as stream:
                data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        requirement = f"must be a readable {kind} file, or - for standard input ({why.lower()})"
        raise InputError("file", requirement, path) from None
    return decoded(data, "file", MOST_BYTES, holds)


def _columns(reader: Reader, d: int, names: Sequence[str]) -> tuple[list[int], list[int] | None]:
    rows = iter(reader)
    header = next(rows, None)
    titles = header.cells if header else []
    for name in names:
        if titles.count(name) != 1:
            line = f"line {header.line if header else 1} of the file"
            raise InputError(line, f"must name one column {name}", titles.count(name) or "none")
    places = [titles.index(name) for name in names]
    known: dict[str, int] = {}
    x: list[int] = []
    y: list[int] = []
    for row in rows:
        at, *labelled = places
        written = row.cells[at]
        if written not in known:
            found = _point(written, d)
            if found is None:
                raise reader.refused(row, at, f"must be a whole number from 1 to 2^{d}")
            known[written] = found
        x.append(known[written])
        for at in labelled:
            if row.cells[at] not in {"0", "1"}:
                raise reader.refused(row, at, "must be 0 or 1")
            y.append(int(row.cells[at]))
    if not x:
        raise InputError("file", "must have at least one example below its header line", "none")
    return x, (y if "y" in names else None)
