"""A visitor's CSV as the counts of its columns: never in the link, never in a cache, no rows kept.

`read` is pure: bytes in, a `Table` of counts out, or one sentence (`InputError`) that names the
file or the column. The file is read with the standard library's parser, not with pandas: it
names the line that is wrong, never guesses types, and reading stops where a limit is reached.
"""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["BYTES_MOST", "COLUMNS_MOST", "VALUES_MOST", "Column", "Table", "read", "rows", "titled"]

BYTES_MOST = 5 * 1024**2  # as server.maxUploadSize
COLUMNS_MOST = 100
VALUES_MOST = 64
_PART = 2_000  # rows at a time: counted together, and never much memory
_LINE_SHOWN = 24
_MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null"})


@dataclass(frozen=True, slots=True)
class Column:
    """One column as counts.

    Attributes
    ----------
    name : str
        From the first row, made different from the names of the columns before it; a number where
        the first row is data.
    labels : tuple of str
        The distinct values: in order of size when all are numbers, else of the alphabet.
    counts : tuple of int
    missing : int
        Rows without a value here.
    many : bool
        Whether there are more than `VALUES_MOST` distinct values; then none are kept.
    """

    name: str
    labels: tuple[str, ...]
    counts: tuple[int, ...]
    missing: int
    many: bool = False

    def check(self) -> None:
        """Refuse a column that cannot be drawn.

        Raises
        ------
        InputError
            For one with too many distinct values, or none.
        """
        what = f"The column “{_short(self.name)}”"
        if self.many:
            requirement = f"must have at most {VALUES_MOST} distinct values to be drawn"
            raise InputError(what, requirement, f"more than {VALUES_MOST}")
        if not self.labels:
            raise InputError(what, "must have at least one value", f"{self.missing:,} missing ones")


@dataclass(frozen=True, slots=True)
class Table:
    """What is kept of a file.

    Attributes
    ----------
    file : str
        Its name.
    named : tuple of Column
        When the first row names the columns.
    whole : tuple of Column
        When the first row is data like all others.
    below : int
        Rows below the first.
    header : bool
        Whether the first row names the columns: a guess, which a reader may correct.
    """

    file: str
    named: tuple[Column, ...]
    whole: tuple[Column, ...]
    below: int
    header: bool

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""
        return self.named if self.header else self.whole

    @property
    def rows(self) -> int:
        """Rows of data."""
        return self.below + (not self.header)


def read(data: bytes, file: str) -> Table:
    """Read a CSV; commas, semicolons or tabs between values.

    The first row is taken for data when it is all numbers or blank, or when a value of it occurs
    again below in its own column; else for the names of the columns.

    Parameters
    ----------
    data : bytes
        UTF-8, with or without a byte order mark.
    file : str
        Its name, for the messages.

    Raises
    ------
    InputError
        For whatever cannot be read, in one sentence.
    """
    with _lines(data, file) as lines:
        return _table(lines, file, titled(file))


def rows(data: bytes, table: Table) -> Iterator[list[list[str]]]:
    """Yield the rows of a file that was read, part by part, each value without blanks around it.

    A missing value is an empty text. No row is kept.
    """
    with _lines(data, table.file) as lines:
        skip = table.header
        # Those before the first row are no rows whatever they look like.
        begun = itertools.dropwhile(lambda row: not row, lines)
        every = _filled(begun, len(table.columns))
        while part := _checked(
            itertools.islice(every, _PART), len(table.columns), lines, titled(table.file)
        ):
            found = [
                ["" if (value := text.strip()).lower() in _MISSING else value for text in row]
                for row in part
            ]
            yield found[1:] if skip else found
            skip = False


def titled(file: str) -> str:
    """Return what a file is called in a refusal: short and printable."""
    return f"The file “{_short(file)}”"


@contextlib.contextmanager
def _lines(data: bytes, file: str) -> Iterator[csv._reader]:  # type: ignore[name-defined]
    """Read a file line by line; what the parser does not like is one sentence."""
    what = titled(file)
    if len(data) > BYTES_MOST:
        size = f"{len(data) / 1024**2:.1f} MB"
        raise InputError(what, f"must be at most {BYTES_MOST // 1024**2} MB", size)
    text = _text(data, what)
    text = text.rstrip("\r\n")
    first = text[: text.find("\n")] if "\n" in text else text
    separator = max(",;\t", key=first.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        yield lines
    except csv.Error as error:
        got = f"line {lines.line_num}: {error}"
        raise InputError(what, "must be a well-formed CSV", got) from None


def _filled(lines: Iterable[list[str]], width: int) -> Iterator[list[str]]:
    """Leave blank lines out: they are no rows, unless blank cells look like this."""
    return (row or [""] for row in lines if row or width == 1)


def _text(data: bytes, what: str) -> str:
    if not data.strip():
        raise InputError(what, "must have at least one column", "an empty file")
    requirement = "must be text encoded in UTF-8"
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        got = f"byte 0x{data[error.start]:02x} at position {error.start:,}"
        raise InputError(what, requirement, got) from None
    if "\x00" in text:
        raise InputError(what, requirement, "a binary file")
    return text


def _table(lines: csv._reader, file: str, what: str) -> Table:  # type: ignore[name-defined]
    first = [value.strip() for value in next(filter(None, lines), [])]
    if len(first) > COLUMNS_MOST:
        raise InputError(what, f"must have at most {COLUMNS_MOST} columns", f"{len(first):,}")
    names = _names(first)
    rows = _filled(lines, len(names))
    tallies = [_Tally() for _ in names]
    number = 0
    while part := _checked(itertools.islice(rows, _PART), len(names), lines, what):
        for tally, values in zip(tallies, zip(*part, strict=True), strict=True):
            tally.add(values)
        number += len(part)
    plain = all(value.lower() in _MISSING or _number(value) is not None for value in first)
    again = any(tally.counts[value] for value, tally in zip(first, tallies, strict=True))
    header = not (plain or again)
    if header and not number:
        raise InputError(what, "must have at least one row below the names", "none")
    named = tuple(tally.column(name) for name, tally in zip(names, tallies, strict=True))
    for value, tally in zip(first, tallies, strict=True):
        tally.add([value])
    whole = tuple(tally.column(f"column {k}") for k, tally in enumerate(tallies, start=1))
    return Table(file, named, whole, number, header)


def _checked(
    rows: Iterable[list[str]],
    width: int,
    lines: csv._reader,  # type: ignore[name-defined]
    what: str,
) -> list[list[str]]:
    part = []
    for row in rows:
        if len(row) != width:
            requirement = f"must have {width} values in every row, as in its first one"
            raise InputError(what, requirement, f"{len(row)} in line {lines.line_num:,}")
        part.append(row)
    return part


def _names(given: list[str]) -> list[str]:
    names: list[str] = []
    taken: set[str] = set()
    for position, name in enumerate(given, start=1):
        base = name or f"column {position}"
        tries = (base, *(f"{base} ({k})" for k in range(2, len(given) + 2)))
        names.append(next(one for one in tries if one not in taken))
        taken.add(names[-1])
    return names


class _Tally:
    """The values of one column so far."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.missing = 0
        self.many = False

    def add(self, given: Iterable[str]) -> None:
        for text, times in Counter(given).items():
            value = text.strip()
            if value.lower() in _MISSING:
                self.missing += times
            elif not self.many:
                self.counts[value] += times
                if len(self.counts) > VALUES_MOST:
                    self.many = True
                    self.counts.clear()

    def column(self, name: str) -> Column:
        values = list(self.counts)
        sizes = {value: _number(value) for value in values}
        if any(size is None for size in sizes.values()):
            values.sort(key=lambda value: (value.casefold(), value))
        else:
            values.sort(key=lambda value: (sizes[value], value))
        counts = tuple(self.counts[value] for value in values)
        return Column(name, tuple(values), counts, self.missing, self.many)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _short(text: str) -> str:
    part = "".join(c if c.isprintable() else "�" for c in text[: _LINE_SHOWN + 1])
    return part if len(part) <= _LINE_SHOWN else part[: _LINE_SHOWN - 1] + "…"
