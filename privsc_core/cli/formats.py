"""Records as JSON, as CSV, and as a table to read."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from privsc_core.tables import Record, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def as_table(records: Sequence[Record], answer: Sequence[str]) -> str:
    """Return what all records share in a first line, and what differs as an aligned table.

    Parameters
    ----------
    records : sequence of dict
        With the same names in each; at least one.
    answer : sequence of str
        The names that are columns even when all records agree on them; those that are null
        throughout are left out. What all notes say stands below the table.
    """
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
    head = ", ".join(f"{name} {cell(name, records[0][name], wanted=wanted)}" for name in shared)
    rows = [
        columns,
        *([cell(name, record[name], wanted=wanted) for name in columns] for record in records),
    ]
    right = [
        all(r[name] is None or isinstance(r[name], int | float) for r in records)
        for name in columns
    ]
    below = "".join(f"\n{text}\n" for text in said)
    return (f"{head}\n\n" if head else "") + aligned(rows, right) + below


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
