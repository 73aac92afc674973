"""Run a command, print its answer, and turn every failure into one line."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING

from privsc_core.cli import streams
from privsc_core.cli.main import INTERRUPTED
from privsc_core.cli.parser import parse, parser
from privsc_core.errors import InputError
from privsc_core.records import as_csv, as_json, as_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from privsc_core.records import Record

_BAD_INPUT = 2
_INTERNAL = 1
_BROKEN_PIPE = 141  # as if SIGPIPE had ended us, which is what a shell expects
_LINE = 2000

# Each command: what answers it, imported when it is asked, and the columns of its table that are shown
# even when all records agree.
_ANSWERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "list": ("listing.catalog_records", ()),
    "ours": ("listing.ours_records", ()),
    "success": ("answers.success", ("learner", "m", "value", "low", "high", "method", "reason",
                                  "note")),
    "need": ("answers.need", ("learner", "d", "m", "m_from", "method", "reason", "note")),
    "bound": ("answers.bound", ("bound", "kind", "constants", "d", "m", "reason", "note")),
    "reach": ("answers.reach", ("learner", "privacy", "proper", "efficient", "value", "best", "bound",
                              "ratio", "reason", "note")),
    "dimensions": ("answers.dimension_records", ("type", "name", "low", "high", "note")),
    "certify": ("answers.certify", ("learner", "bound", "d", "m", "least", "low", "high",
                                          "agrees", "holds", "reason", "note")),
    "figure": ("answers.figure", ("curve", "method", "low", "high")),
    "sweep": ("sweeping.records", ("output", "rows", "missing", "found", "seconds", "rate")),
    "audit": (
        "answers.audit",
        ("learner", "epsilon", "worst", "delta", "least_delta", "private", "pairs", "database",
         "neighbour", "output", "reason", "note"),
    ),
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after the program's name; by default those of this process.

    Returns
    -------
    int
        The exit status: 0; 2 for bad input; 1 for a mistake of ours; 130 after Ctrl-C; 141 when
        the reader of the output is gone.
    """
    if argv is None and not sys.warnoptions:
        # Extreme but valid settings overflow on their way to the right limit; in process, and
        # so in the tests, warnings stay visible.
        warnings.simplefilter("ignore", RuntimeWarning)
    words = sys.argv[1:] if argv is None else argv
    try:
        return _run(words)
    except InputError as error:
        return _fail(str(error), _BAD_INPUT)
    except MemoryError:
        return _fail("the request must fit into memory; got MemoryError.", _BAD_INPUT)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _BROKEN_PIPE
    except Exception as error:
        if os.environ.get("PRIVSC_DEBUG"):
            raise
        said = type(error).__name__
        # What an error of `learn` says may be what an example has.
        said += " (PRIVSC_DEBUG=1 shows where)" if "learn" in words[:1] else f": {error}"
        return _fail(f"internal error, please report it: {said}", _INTERNAL)


def _run(words: Sequence[str]) -> int:
    options = parse(words)
    streams.check()
    if options.command == "serve":
        from privsc_core.cli import serving

        return serving.serve(options)
    if options.command == "learn":
        from privsc_core.cli import learning

        learning.learn(options, lambda record: streams.say(_text([record], options)))
    elif options.command is None:
        streams.say(parser().format_help())
    else:
        file, function = _ANSWERS[options.command][0].split(".")
        answer = getattr(import_module(f"privsc_core.cli.{file}"), function)
        streams.say(_text(answer(options), options))
    return 0


def _text(records: list[Record], options: argparse.Namespace) -> str:
    if options.json:
        return as_json(records)
    if options.csv:
        return as_csv(records)
    if options.command in {"list", "ours"}:
        from privsc_core.cli import listing

        return (listing.as_text if options.command == "list" else listing.ours_as_text)(records)
    if options.command == "learn":
        from privsc_core.cli import learning

        return learning.as_text(records[0])
    if all(record.get("m_from") == record.get("m") for record in records):
        records = [{k: v for k, v in record.items() if k != "m_from"} for record in records]
    return as_table(records, _ANSWERS[options.command][1])


def _fail(sentence: str, status: int) -> int:
    """Print one line, whatever was typed."""
    line = "".join(c if c.isprintable() else " " for c in " ".join(sentence.split()))
    streams.tell(f"privsc: error: {line[:_LINE]}\n")
    return status
