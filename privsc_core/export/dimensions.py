"""How to take the dimensions of a class along: as CSV, and how to get them elsewhere."""

from __future__ import annotations

import csv
import io
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privsc_core.finite import Dimensions

__all__ = ["dimensions_command", "dimensions_csv", "dimensions_snippet"]


def dimensions_csv(found: Dimensions) -> str:
    """Return the numbers as CSV, those of `privsc dimensions --csv`."""
    rows = found.records()
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        exact = {True: "yes", False: "no", None: ""}[row["exact"]]
        writer.writerow(row | {"exact": exact})
    return out.getvalue()


def dimensions_command(found: Dimensions, asked: str) -> str:
    """Return the command that prints them, for a class as a link has it."""
    kind = "--code" if "." in asked else "--ready"
    setting = f"--epsilon {found.epsilon!r} --alpha {found.alpha!r} --beta {found.beta!r}"
    return f"privsc dimensions {shlex.quote(asked)} {kind} {setting}"


def dimensions_snippet(found: Dimensions, asked: str) -> str:
    """Return the Python lines that give them."""
    make, kind = ("from_code", "code") if "." in asked else ("ready", "word")
    return f"""import privsc_core as pv
from privsc_core.finite import {make}

found = pv.dimensions(  # or any matrix of 0 and 1; here by its {kind}
    {make}({asked!r}),
    epsilon={found.epsilon!r}, alpha={found.alpha!r}, beta={found.beta!r},
)
for row in found.records():
    print(row)
"""
