"""Answers as records, and records as JSON, CSV, a table to read, HTML and a frame of pandas.

A record is one row: plain values by name, None where there is none. The command line prints the same
records that a result has in Python.
"""

from __future__ import annotations

import csv
import html
import io
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from privsc_core.errors import needed, shown

Record = dict[str, Any]

_PROBABILITIES = frozenset({"value", "low", "high"})
_MEASURED = frozenset({"worst", "least_delta", "ratio"})
_WANTED = "for"  # records that say which parameter was looked for
_REMARKS = frozenset({"reason", "note"})
_BETWEEN = "; "  # of the remarks of a note
_DIGITS = 6


def as_json(records: Sequence[Record]) -> str:
    """Return a JSON array, one record a line: strict JSON, plain ASCII, at full precision."""
    lines = [json.dumps(record, allow_nan=False) for record in records]
    return "[" + ",\n ".join(lines) + "]\n"


def as_csv(records: Sequence[Record]) -> str:
    """Return CSV with a header line; what is null in JSON is an empty field."""
    names = list(dict.fromkeys(name for record in records for name in record))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([plain(record.get(name)) for name in names] for record in records)
    return out.getvalue()


def plain(value: object) -> str:
    """Return a value as one field of text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Mapping):
        return " ".join(f"{name}={entry}" for name, entry in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(f"({', '.join(map(str, e))})" if isinstance(e, Sequence) and
                        not isinstance(e, str) else str(e) for e in value)  # fmt: skip
    return str(value)


def as_frame(records: Sequence[Record]) -> Any:
    """Return records as a frame of pandas, one row each; NaN stands where there is no number.

    Raises
    ------
    InputError
        Where pandas is not installed.
    """
    names = dict.fromkeys(name for record in records for name in record)
    columns = {name: [record.get(name) for record in records] for name in names}
    for name in names.keys() - _REMARKS:
        if all(x is None or isinstance(x, int | float) for x in columns[name]):
            columns[name] = [math.nan if x is None else x for x in columns[name]]
    return needed("pandas", "notebook").DataFrame(columns)


_HEAD_MOST = 60

# --- Tables to read ------------------------------------------------------------------------------


class _Table(NamedTuple):
    """What all records share, the columns in which they differ, and what all notes say."""

    head: str
    columns: list[str]
    rows: list[list[str]]
    right: list[bool]
    said: list[str]


def as_table(records: Sequence[Record], answer: Sequence[str], title: str = "") -> str:
    """Return what all records share in a first line, and what differs as an aligned table.

    Parameters
    ----------
    records : sequence of dict
        With the same names in each; at least one.
    answer : sequence of str
        The names that are columns even when all records agree on them; those that are null
        throughout are left out. What all notes say stands below the table.
    title : str
        The first words of the first line.
    """
    found = _table(records, answer)
    head = (" " if title.endswith(".") else ": ").join(filter(None, (title, found.head)))
    below = "".join(f"\n{text}\n" for text in found.said)
    return (
        (f"{head}\n\n" if head else "") + aligned([found.columns, *found.rows], found.right) + below
    )


def as_html(title: str, records: Sequence[Record], answer: Sequence[str], below: str = "") -> str:
    """Return `as_table` as HTML, with every text escaped; `below` is a paragraph below the table."""
    found = _table(records, answer)
    sides = ["right" if right else "left" for right in found.right]

    def row(tag: str, texts: Sequence[str]) -> str:
        cells = (
            f'<{tag} style="text-align: {side}">{html.escape(text)}</{tag}>'
            for text, side in zip(texts, sides, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    words = "".join(f"<p>{html.escape(text)}</p>" for text in (*found.said, below) if text)
    return (
        f"<div><p><b>{html.escape(title)}</b><br>{html.escape(found.head)}</p>"
        f"<table><thead>{row('th', found.columns)}</thead>"
        f"<tbody>{''.join(row('td', texts) for texts in found.rows)}</tbody></table>{words}</div>"
    )


def _table(records: Sequence[Record], answer: Sequence[str]) -> _Table:
    said = _said_of_all(records)
    if said:
        records = [record | {"note": _without(record["note"], said)} for record in records]
    names = list(records[0])
    wanted = _WANTED in names
    filled = [name for name in names if any(r[name] not in (None, "") for r in records)]
    shared = [
        name for name in filled
        if name not in answer and all(r[name] == records[0][name] for r in records)
    ]  # fmt: skip
    columns = [name for name in filled if name not in shared]
    head = ", ".join(
        f"{name} {_cut(cell(name, records[0][name], wanted=wanted))}" for name in shared
    )
    rows = [[cell(name, record[name], wanted=wanted) for name in columns] for record in records]
    right = [
        all(r[name] is None or isinstance(r[name], int | float) for r in records)
        for name in columns
    ]
    return _Table(head, columns, rows, right, said)


def _cut(text: str) -> str:
    """Return a text, without the end of a long one: a class of one's own is named by all its labels."""
    return text if len(text) <= _HEAD_MOST else f"{text[: _HEAD_MOST - 1]}…"


def _said_of_all(records: Sequence[Record]) -> list[str]:
    """Return the remarks that all of several records have, but for those without an answer."""
    told = (
        [r["note"] for r in records if r.get("note") or not r.get("reason")]
        if "note" in records[0]
        else []
    )
    if len(told) < 2 or not all(told):
        return []
    first, *others = (note.split(_BETWEEN) for note in told)
    return [text for text in first if all(text in texts for texts in others)]


def _without(note: str | None, said: Sequence[str]) -> str | None:
    """Return a note without some of its remarks."""
    left = (text for text in (note or "").split(_BETWEEN) if text not in said)
    return _BETWEEN.join(left) or None


def aligned(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Return rows of texts as lines with columns two spaces apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            text.rjust(width) if to_right else text.ljust(width)
            for text, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    )
    return "\n".join(lines) + "\n"


def cell(name: str, value: object, *, wanted: bool = False) -> str:
    """Return a value as a table shows it: few digits, and never 1 for what is less than 1.

    Where a parameter was `wanted`, a value is one, and no probability.
    """
    if value is None:
        return "" if name in _REMARKS else "-"
    if isinstance(value, float) and name in _PROBABILITIES and not wanted:
        return _probability(value)
    if isinstance(value, float):
        # A parameter as it was typed: 0.9999999999999 is not 1.
        return f"{value:.{_DIGITS if name in _MEASURED else 15}g}"
    return plain(value)


def _probability(value: float) -> str:
    text = f"{value:.{_DIGITS}f}"
    if value < 1 and math.isclose(float(text), 1.0, rel_tol=0, abs_tol=1e-12):
        return f">{1 - 10.0**-_DIGITS:.{_DIGITS}f}"
    return f"{value:.2e}" if 0 < value < 1e-4 else text


# --- Answers -------------------------------------------------------------------------------------

_ROWS_SHOWN = 20
# What says nothing of answers that no sample was drawn for.
_CERTAIN, _OF_DRAWS = {"exact", None}, {"low", "high", "trials", "seed"}


class Answer(ABC):
    """What a notebook shows of an answer, and what a program takes of it.

    Attributes
    ----------
    title : str
        What the answer is, above its table.
    columns : tuple of str
        The names that are columns even where all rows agree on them.
    """

    __slots__ = ()
    title: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]

    @abstractmethod
    def records(self) -> list[Record]:
        """Return a record for each setting, with the names that `privsc --json` prints."""

    def to_frame(self) -> Any:
        """Return a frame of pandas with one row for each setting.

        Raises
        ------
        InputError
            Where pandas is not installed.
        """
        return as_frame(self.records())

    def _shown(self) -> tuple[list[Record], str]:
        """Return the first records, and what is said of the others."""
        records = self.records()
        if all(record.get("method", "") in _CERTAIN for record in records):
            records = [{n: x for n, x in one.items() if n not in _OF_DRAWS} for one in records]
        # The name of a class that is a matrix is all of its labels.
        records = [one | {n: shown(one[n]) for n in ("concept",) if n in one} for one in records]
        more = len(records) - _ROWS_SHOWN
        below = f"{more:,} more rows: to_frame() has them all." if more > 0 else ""
        return records[:_ROWS_SHOWN], below

    @property
    def _headline(self) -> str:
        """What stands above the table."""
        return self.title

    def __repr__(self) -> str:
        """Return a table to read."""
        records, below = self._shown()
        if not records:
            return f"{self._headline}: no rows"
        return f"{as_table(records, self.columns, self._headline)}{below}".rstrip()

    def _repr_html_(self) -> str:
        records, below = self._shown()
        return as_html(self._headline, records, self.columns, below) if records else ""


def spread(shape: tuple[int, ...], values: Mapping[str, Any]) -> list[Record]:
    """Return a record for each cell of a shape, of values that broadcast to it, the last axis fastest.

    A number that is not finite becomes None.
    """
    columns = [np.broadcast_to(np.asarray(value), shape).ravel() for value in values.values()]
    plain_ = [
        [x if math.isfinite(x) else None for x in column.tolist()]
        if column.dtype.kind == "f" else column.tolist()
        for column in columns
    ]  # fmt: skip
    return [dict(zip(values, row, strict=True)) for row in zip(*plain_, strict=True)]
