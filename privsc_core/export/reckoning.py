"""How to take a calculation along: its rows as CSV, and how to get them elsewhere."""

from __future__ import annotations

import csv
import io
import shlex
from typing import TYPE_CHECKING, Any

from privsc_core.evaluate.calculator import record

if TYPE_CHECKING:
    from privsc_core.evaluate.calculator import Answer, Question

__all__ = ["reach_command", "reach_csv", "reach_snippet"]

_OPTIONS = {"m": "-m", "d": "-d", "u": "-u"}


def reach_csv(answer: Answer) -> str:
    """Return the rows of a calculation as CSV, those of `privsc reach --csv`."""
    rows = [record(answer.question, found) for found in answer.lines]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _text(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, float) else value


def _asked(question: Question) -> dict[str, Any]:
    return question.given() | {"u": question.u}


def reach_command(question: Question) -> str:
    """Return the command that prints the rows."""
    words = [
        "privsc", "reach", "--for", question.wanted, "--concept", shlex.quote(question.concept),
        "--distribution", f"'{question.distribution}'",
    ]  # fmt: skip
    for name, value in _asked(question).items():
        if name not in {"delta", "u"} or value:
            words += [_OPTIONS.get(name, f"--{name}"), repr(value)]
    return " ".join(words)


def reach_snippet(question: Question, learner: str) -> str:
    """Return the Python lines that give the number of one learner."""
    given = [
        f"{name}={value!r}"
        for name, value in _asked(question).items()
        if name not in {"delta", "u"} or value
    ]
    return f"""import privsc_core as pv

pv.reach(
    concept={question.concept!r}, learner={learner!r}, wanted={question.wanted!r},
    distribution={question.distribution!r},
    {", ".join(given)},
)
"""
