"""Tables that people give as text: the one reader of them, and the counts of their columns.

`Reader` has one rule for each of these; what it cannot tell it refuses, and says in which line:

- Text is UTF-8; a byte order mark is skipped. Lines end as on any system.
- The first line may be ``sep=;``, which Excel writes: it says what separates cells.
- Lines that begin with ``#`` are comments; blank lines separate nothing.
- Commas, semicolons or tabs separate cells, one of them in the whole file, never inside quotes. It is
  the one that cuts the first rows into equally many cells. Where two do, the file has to say which.
- Every row has as many cells as the first one; a cell is there even if it is empty.

And `indexed`: a first column without a name, beside columns with names, which counts 0, 1, 2, ... or
1, 2, 3, ... is the index that pandas and R write: it numbers the rows and is left out.

A refusal of `Reader` never quotes a cell, for cells may be people's data.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from privsc_core.errors import InputError
from privsc_core.progress import steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_AHEAD = re.compile(r"(?: *(?:#[^\n]*)?\n)*")  # blank lines and comments
_DECLARED = re.compile(r'"?sep=(.*?)"?(?:\n|\Z)', re.IGNORECASE)
# A comment; what stands in quotes where a cell begins.
_ASIDE = re.compile(r'^ *#[^\n]*|((?:^|[,;\t]) *)"[^"]*(?:""[^"]*)*(?:"|\Z)', re.MULTILINE)
_SAMPLE = 200  # lines that tell what separates cells


# --- The reader ---------------------------------------------------------------------------------


class Row(NamedTuple):
    """A row: the line of the text in which it begins, and its cells, without blanks around them."""

    line: int
    cells: list[str]


class Reader:
    """The rows of a text, one by one; it can be gone through again.

    Parameters
    ----------
    text : str
    what : str
        What it is called in a refusal, such as "file".
    columns, rows : int
        How many there may be at most; an index and a row of names do not count.
    digits : bool
        Whether in a text without separators blanks separate cells, or else every character is one.
    holes : bool
        Whether a blank line inside a table of one column is a row without a value.

    Attributes
    ----------
    separator : str
        A comma, a semicolon or a tab; with `digits` perhaps a blank or nothing.
    comments : int
        Lines that were left out so far because they begin with #.

    Raises
    ------
    InputError
        At once when it cannot tell what separates cells; on the way for a row that does not fit.
    """

    def __init__(
        self, text: str, what: str, *, columns: int, rows: int, digits: bool = False, holes: bool = False
    ) -> None:  # fmt: skip
        self._text = (
            text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
        )
        self.what, self._columns, self._rows, self._holes = what, columns, rows, holes
        self.comments = 0
        self._begins = True  # whether the next line begins a row, and does not go on inside quotes
        ahead = _AHEAD.match(self._text)
        start = ahead.end() if ahead else 0
        said = _DECLARED.match(self._text, start)
        self._declared = self._text.count("\n", 0, said.end()) if said else 0
        sample = self._sample(said.end() if said else start)
        self._cut = said[1] if said else self._found(sample)
        if self._cut not in _SEPARATORS:
            needs = "must name a comma, a semicolon or a tab after sep="
            raise InputError(f"first line of the {what}", needs, "something else")
        self.separator = self._cut
        if digits and not any(self._cut in line for line in sample):
            self.separator = " " if any(line.split()[1:] for line in sample) else ""

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows, blank lines aside."""
        width = first = number = 0
        splits: dict[str, Callable[[str], list[str]]] = {"": list, " ": str.split}
        split = splits.get(self.separator)
        for line, found in self._records():
            cells = found
            if not cells:
                if not (self._holes and width == 1):
                    continue
                cells = [""]
            elif split is not None and len(cells) == 1:
                cells = split(cells[0])
            if len(cells) != width:
                if width:
                    needs = f"must have {_many(width)}, as line {first}"
                    raise InputError(f"line {line} of the {self.what}", needs, _many(len(cells)))
                width, first = len(cells), line
                if width > self._columns + 1:
                    most = f"must have at most {self._columns:,} columns"
                    raise InputError(self.what, most, f"{width:,}")
            number += 1
            if number > self._rows + 1:
                raise InputError(self.what, f"must have at most {self._rows:,} rows", "more")
            yield Row(line, cells)

    def refused(self, row: Row, column: int, requirement: str) -> InputError:
        """Return the refusal of a cell, which it does not quote; columns are counted from 0."""
        got = "something else" if row.cells[column] else "an empty cell"
        where = f"line {row.line}, column {column + 1} of the {self.what}"
        return InputError(where, requirement, got)

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        lines = io.StringIO(self._text, newline="")
        for _ in range(self._declared):
            next(lines)
        self.comments = 0
        # The blanks after a comma belong to no cell, and a quote may follow.
        blanks = self._cut != "\t"
        records = csv.reader(
            self._plain(lines), delimiter=self._cut, skipinitialspace=blanks, strict=True
        )
        while True:
            line, comments = self._declared + records.line_num + 1, self.comments
            self._begins = True
            try:
                cells = next(records)
            except StopIteration:
                return
            except csv.Error as error:
                where = f"line {line} of the {self.what}"
                raise InputError(where, "must be well-formed CSV", str(error)) from None
            if comments == self.comments:
                yield line, [cell.strip() for cell in cells]

    def _plain(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield lines for `csv`, an empty one for blanks and for a comment: so that it counts all."""
        for line in lines:
            text = line.strip(" \n") if self._begins else line
            self._begins = self._begins and text[:1] in {"", "#"}
            self.comments += self._begins and text != ""
            yield "\n" if self._begins else line

    def _sample(self, start: int) -> list[str]:
        """Return the first lines from a place on, without comments and what stands in quotes."""
        lines = io.StringIO(self._text)
        lines.seek(start)
        begin = list(itertools.islice(lines, _SAMPLE))
        found = _ASIDE.sub(r"\1", "".join(begin)).split("\n")
        if len(begin) == _SAMPLE:  # the last one may end inside quotes
            found = found[: max(1, len(found) - 2)]
        return [line for line in found if line.strip(" ")]

    def _found(self, sample: list[str]) -> str:
        widths = {one: [line.count(one) for line in sample] for one in _SEPARATORS}
        fits = [one for one, found in widths.items() if len(set(found)) == 1 and found[0]]
        if len(fits) > 1:
            both = " and ".join(_SEPARATORS[one] for one in fits)
            needs = (
                f"must begin with a line such as sep=; where {both} could both separate its cells"
            )
            raise InputError(self.what, needs, "no such line")
        # None fits: then there is one column, or one of them refuses a row.
        return max(fits or widths, key=lambda one: sum(widths[one]))


def _many(cells: int) -> str:
    return "1 cell" if cells == 1 else f"{cells:,} cells"


def decoded(data: bytes, what: str, most: int, holds: str) -> str:
    """Return the text of a file.

    Raises
    ------
    InputError
        When it has more than `most` bytes, is empty (then it says what the file `holds`), or no UTF-8.
    """
    if len(data) > most:
        size = f"{len(data) / 2**20:.1f} MB"
        raise InputError(what, f"must be at most {most / 2**20:g} MB", size)
    if not data.strip():
        raise InputError(what, holds, "an empty file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        got = f"byte 0x{data[error.start]:02x} at position {error.start:,}"
        raise InputError(what, "must be text encoded in UTF-8", got) from None
    if "\x00" in text:
        raise InputError(what, "must be text encoded in UTF-8", "a binary file")
    return text


def indexed(names: Sequence[str]) -> bool:
    """Return whether a first row has names for all columns but the first, which may then be an index."""
    return len(names) > 1 and not names[0] and all(names[1:])


def counting(cells: Sequence[str], begin: int) -> bool:
    """Return whether cells count up from a number."""
    return list(cells) == [str(begin + k) for k in range(len(cells))]


# --- The columns of a file as counts --------------------------------------------------------------

BYTES_MOST = 5 * 2**20  # as server.maxUploadSize
COLUMNS_MOST = 100
ROWS_MOST = 1_000_000
VALUES_MOST = 64
_PART = 2_000  # rows at a time: counted together, and never much memory
_SHOWN = 24
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
        When the first row names the columns; without the index.
    whole : tuple of Column
        When the first row is data like all others.
    below : int
        Rows below the first.
    header : bool
        Whether the first row names the columns: a guess, which a reader may correct.
    index : bool
        Whether the first column is an index; then the first row does have names.
    comments : int
        Lines that were left out because they begin with #.
    """

    file: str
    named: tuple[Column, ...]
    whole: tuple[Column, ...]
    below: int
    header: bool
    index: bool
    comments: int

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""
        return self.named if self.header else self.whole

    @property
    def rows(self) -> int:
        """Rows of data."""
        return self.below + (not self.header)

    @property
    def read_as(self) -> str:
        """How it was read, as a clause."""
        first = "the first row names the columns" if self.header else "the first row is data"
        index = ", the first column numbers the rows" if self.index else ""
        lines = "comment line was" if self.comments == 1 else "comment lines were"
        left = f", {self.comments:,} {lines} left out" if self.comments else ""
        return f"{first}{index}{left}"


def counted(data: bytes, file: str) -> Table:
    """Count the values of each column.

    The first row is taken for data when it is all numbers or blank, or when a value of it occurs
    again below in its own column; else, and above an index, for the names of the columns.

    Parameters
    ----------
    data : bytes
    file : str
        Its name, for the messages.

    Raises
    ------
    InputError
        For whatever cannot be read, in one sentence.
    """
    reader, parts = _opened(data, file)
    every = iter(reader)
    first = next(every, Row(0, [])).cells
    if not first:
        raise InputError(reader.what, "must have at least one column", "comments alone")
    tallies = [_Tally() for _ in first]
    index, begin, below = indexed(first), 0, 0
    for _ in steps(range(parts)):
        part = [row.cells for row in itertools.islice(every, _PART)]
        for tally, values in zip(
            tallies, zip(*part, strict=True), strict=False
        ):  # no row, no cells
            tally.add(values)
        if index and part:
            begin = begin if below else int(part[0][0] == "1")
            index = counting([cells[0] for cells in part], begin + below)
        below += len(part)
    plain = all(value.lower() in _MISSING or number(value) is not None for value in first)
    again = any(tally.counts[value] for value, tally in zip(first, tallies, strict=True))
    index = index and below > 0
    header = index or not (plain or again)
    if header and not below:
        raise InputError(reader.what, "must have at least one row below the names", "none")
    named = tuple(t.column(name) for name, t in zip(_names(first), tallies, strict=True))[index:]
    for value, tally in zip(first, tallies, strict=True):
        tally.add([value])
    whole = tuple(tally.column(f"column {k}") for k, tally in enumerate(tallies, start=1))
    return Table(file, named, whole, below, header, index, reader.comments)


def rows_of(data: bytes, table: Table) -> Iterator[list[list[str]]]:
    """Yield the rows of a file that was counted, part by part; a missing value is an empty text."""
    reader, parts = _opened(data, table.file)
    every = itertools.islice(reader, int(table.header), None)
    for _ in steps(range(parts)):
        yield [
            ["" if value.lower() in _MISSING else value for value in row.cells[table.index :]]
            for row in itertools.islice(every, _PART)
        ]


def _opened(data: bytes, file: str) -> tuple[Reader, int]:
    """Return the reader of a file, and in how many parts its rows come at most."""
    what = titled(file)
    text = decoded(data, what, BYTES_MOST, "must have at least one column")
    lines = max(text.count("\n"), text.count("\r")) + 1
    return Reader(text, what, columns=COLUMNS_MOST, rows=ROWS_MOST, holes=True), lines // _PART + 1


def titled(file: str) -> str:
    """Return what a file is called in a refusal: short and printable."""
    return f"file “{_short(file)}”"


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
        for value, times in Counter(given).items():
            if value.lower() in _MISSING:
                self.missing += times
            elif not self.many:
                self.counts[value] += times
                if len(self.counts) > VALUES_MOST:
                    self.many = True
                    self.counts.clear()

    def column(self, name: str) -> Column:
        values = list(self.counts)
        sizes = {value: number(value) for value in values}
        if any(size is None for size in sizes.values()):
            values.sort(key=lambda value: (value.casefold(), value))
        else:
            values.sort(key=lambda value: (sizes[value], value))
        counts = tuple(self.counts[value] for value in values)
        return Column(name, tuple(values), counts, self.missing, self.many)


def number(text: str) -> float | None:
    """Return the finite number that a text writes, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _short(text: str) -> str:
    part = "".join(c if c.isprintable() else "�" for c in text[: _SHOWN + 1])
    return part if len(part) <= _SHOWN else part[: _SHOWN - 1] + "…"
