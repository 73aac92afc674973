"""Labelled examples from a CSV file, kept exact: points may have hundreds of thousands of digits."""

from __future__ import annotations

import csv
import io
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from privsc_core.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MOST_BYTES", "MOST_ROWS", "exact_digits", "point", "read_examples", "read_text"]

MOST_BYTES = 64 * 2**20
MOST_ROWS = 1_000_000

_DIGITS = re.compile(r"\+?0*(\d+)", re.ASCII)
_COLUMNS = ("x", "y")


@contextmanager
def exact_digits() -> Iterator[None]:
    """Let whole numbers have as many decimal digits as they have, for the time of a command."""
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
    match = _DIGITS.fullmatch(text.strip())
    # 2^d has at most d digits: longer texts are refused without converting them.
    value = int(match[1]) if match and len(match[1]) <= max(d, 2) else 0
    if value < 1 or value.bit_length() > d + 1 or value > 1 << d:
        raise InputError(name, f"must be a whole number from 1 to 2^{d}", text)
    return value


def read_examples(
    path: str, d: int, *, labelled: bool = True
) -> tuple[list[int], list[int] | None]:
    """Return the columns x and y of a CSV file, or of standard input when `path` is ``-``.

    Other columns are ignored, blank lines too; y too, and None is returned for it, when the
    examples are not `labelled`.

    Raises
    ------
    InputError
        Naming the column and the row (the first row below the header is row 1).
    """
    holds = "must have a header line with the columns x and y"
    reader = csv.reader(io.StringIO(read_text(path, holds), newline=""), strict=True)
    before = csv.field_size_limit(MOST_BYTES)
    try:
        header = next((row for row in reader if row), [])
        place = _places(path, header, _COLUMNS if labelled else _COLUMNS[:1])
        return _rows(reader, header, place, d)
    except csv.Error as error:
        raise InputError(
            f"line {reader.line_num} of {shown(path)}", "must be CSV", str(error)
        ) from None
    finally:
        csv.field_size_limit(before)


def read_text(path: str, holds: str, kind: str = "CSV") -> str:
    """Return the text of a file, or of standard input when `path` is ``-``.

    Raises
    ------
    InputError
        When it cannot be read, is too large, no UTF-8, or empty: then it says what it `holds`.
    """
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
    if len(data) > MOST_BYTES:
        raise InputError("file", f"must have at most {MOST_BYTES // 2**20} MB", path)
    if not data.strip():
        raise InputError("file", holds, "an empty file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "file", "must be encoded in UTF-8", f"byte {error.start} of it is not"
        ) from None


def _places(path: str, header: list[str], columns: tuple[str, ...]) -> dict[str, int]:
    titles = [title.strip() for title in header]
    for name in columns:
        if titles.count(name) != 1:
            what = "one column" if name in titles else "a column"
            requirement = f"must have {what} named {name} in its header line"
            raise InputError(f"file {shown(path)}", requirement, ",".join(titles))
    return {name: titles.index(name) for name in columns}


def _rows(
    reader: Iterator[list[str]], header: list[str], place: dict[str, int], d: int
) -> tuple[list[int], list[int] | None]:
    known: dict[str, int] = {}
    x: list[int] = []
    y: list[int] = []
    for row in reader:
        if not row:
            continue
        number = len(x) + 1
        if number > MOST_ROWS:
            raise InputError("file", f"must have at most {MOST_ROWS} rows", "more")
        if len(row) != len(header):
            raise InputError(f"row {number}", f"must have {len(header)} fields", len(row))
        written = row[place["x"]]
        if written not in known:
            known[written] = point(f"x in row {number}", written, d)
        if "y" in place:
            label = row[place["y"]].strip()
            if label not in {"0", "1"}:
                raise InputError(f"y in row {number}", "must be 0 or 1", label)
            y.append(int(label))
        x.append(known[written])
    if not x:
        raise InputError("file", "must have at least one example below its header line", "none")
    return x, (y if "y" in place else None)
