"""`list`: the catalog as records, and as text to read."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from privsc_core import catalog
from privsc_core.errors import InputError
from privsc_core.own import loading
from privsc_core.parameters import PARAMETERS

if TYPE_CHECKING:
    import argparse

    from privsc_core.concepts.contracts import Bound, Distribution, Learner, Source
    from privsc_core.records import Record

_WIDTH = 96


def catalog_records(options: argparse.Namespace) -> list[Record]:
    """Return everything that exists, told apart by ``type``."""
    del options
    records: list[Record] = []
    for concept in (*catalog.CONCEPTS, *catalog.BESIDE):
        records.append(
            {"type": "concept", "concept": concept.name, "name": concept.name,
             "title": concept.title, "symbol": concept.symbol, "summary": concept.definition}
        )  # fmt: skip
        records += [_learner(concept.name, entry) for entry in concept.learners]
        records += [_bound(concept.name, entry) for entry in concept.bounds]
        records += [_distribution(concept.name, entry) for entry in concept.distributions]
    records += [
        {"type": "parameter", "concept": None, "name": entry.name, "symbol": entry.symbol,
         "summary": entry.meaning, "domain": entry.domain, "default": entry.default,
         "page": entry.on_page}
        for entry in PARAMETERS
    ]  # fmt: skip
    return records + [
        {"type": "package", "concept": None, "name": name, "title": f"from the package {package}",
         "summary": f"A learner that the package {package} brings: --learner {name} loads it."}
        for name, package in loading.brought()
    ]  # fmt: skip


def ours_records(options: argparse.Namespace) -> list[Record]:
    """Return what is ours, of one class or of all; with a file, write it there as a document too."""
    from privsc_core.evaluate import ours

    concepts = [catalog.concept(options.concept)] if options.concept else None
    found = [one for one in ours.results() if concepts is None or one.concept in concepts]
    if options.pdf is not None:
        from privsc_core.typeset import paper

        made = paper.pdf(found)
        try:
            Path(options.pdf).write_bytes(made)
        except OSError as error:
            raise InputError(
                "pdf", f"must be a file to write ({error.strerror})", options.pdf
            ) from None
    return [one.record() for one in found]


def ours_as_text(records: list[Record]) -> str:
    """Return what is ours as headings and indented paragraphs."""
    lines: list[str] = []
    heading = ""
    for record in records:
        if record["concept"] != heading:
            heading = record["concept"]
            lines += ["", f"CONCEPT CLASS {heading}"]
        lines.append(f"  {record['kind']} {record['name']}: {record['title']}")
        said = (record["statement"], f"Nearest: {record['nearest']}.", *record["checks"])
        lines += [f"      {line}" for line in said if line]
    return "\n".join(lines).lstrip("\n") + "\n"


def _source(source: Source) -> str:
    return f"{source.paper}, {source.place}"


def _learner(concept: str, entry: Learner) -> Record:
    return {
        "type": "learner", "concept": concept, "name": entry.name, "title": entry.title,
        "source": _source(entry.source), "summary": entry.summary, "privacy": entry.privacy,
        "adjacency": None if entry.privacy == "none" else entry.adjacency,
        "proper": entry.proper, "efficient": entry.efficient, "laws": dict(entry.laws),
        "caveat": entry.caveat or None,
    }  # fmt: skip


def _bound(concept: str, entry: Bound) -> Record:
    learners = catalog.concept(concept).learners
    return {
        "type": "bound", "concept": concept, "name": entry.name, "title": entry.title,
        "source": _source(entry.source), "summary": entry.applies_to, "kind": entry.kind,
        "constants": entry.constants, "completed": entry.completed or None,
        "validity": entry.validity or None,
        "adjacency": entry.adjacency if entry.kind == "lower" else None,
        "binds": [learner.name for learner in learners if entry.binds(learner)],
        "statement": entry.statement,
    }  # fmt: skip


def _distribution(concept: str, entry: Distribution) -> Record:
    return {
        "type": "distribution", "concept": concept, "name": entry.label, "title": entry.title,
        "source": _source(entry.source), "summary": entry.meaning,
    }  # fmt: skip


def as_text(records: list[Record]) -> str:
    """Return the records as headings and indented paragraphs."""
    lines: list[str] = []
    heading = ""
    for record in records:
        if record["type"] == "concept":
            lines += ["", f"CONCEPT CLASS {record['name']}: {record['title']}, {record['symbol']}"]
            continue
        if record["type"] != heading:
            heading = record["type"]
            lines += ["", f"{heading}s"]
        lines.append("  " + _headline(record))
        lines += textwrap.wrap(
            record["summary"], _WIDTH, initial_indent="      ", subsequent_indent="      "
        )
    return "\n".join(lines).lstrip("\n") + "\n"


def _headline(record: Record) -> str:
    name = f"{record['name']:<20}"
    if record["type"] == "learner":
        words = [
            {"none": "not private", "pure": "pure privacy"}.get(record["privacy"])
            or f"{record['privacy']} privacy",
            "proper" if record["proper"] else "improper",
            "efficient" if record["efficient"] else "inefficient",
            record["source"],
            "laws: " + ", ".join(f"{where} {how}" for where, how in record["laws"].items()),
        ]
    elif record["type"] == "bound":
        constants = {"rate": "a rate, no number"}.get(
            record["constants"], f"{record['constants']} constants"
        )
        if record["completed"]:
            constants += f", but ours: {record['completed']}"
        binds = "binds: " + ", ".join(record["binds"])
        words = [record["kind"], constants, record["source"], binds]
    elif record["type"] == "distribution":
        words = [record["title"], record["source"]]
    elif record["type"] == "package":
        words = [record["title"]]
    else:
        words = [
            record["symbol"], f"in {record['domain']}", f"on a page in {record['page']}",
            f"default {record['default']:g}",
        ]  # fmt: skip
    return name + " " + "; ".join(words)
