"""What is left of a room: every question with its answers as CSV, as a figure, and as one HTML page."""

from __future__ import annotations

import csv
import html
import io
import math
import zipfile
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.style import GREY, GUESSED, TEAL
from privsc_core.draw.prediction import per_dot
from privsc_core.draw.style import axis_ticks, integer, number

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from pages.shared.room.question import Axis, Question

    Record: TypeAlias = Sequence[tuple[Question, Sequence[float]]]

_WIDE, _TALL, _EDGE, _FOOT = 760, 250, 30, 40  # of a figure; its margins at the sides and below
_ROW = 56  # the height of a choice in a figure
_FACE = 'font-family="system-ui,sans-serif" font-size="15"'
_STYLE = """
body { max-width: 50rem; margin: 0 auto; padding: 1rem; color: #1b2433; background: #fff;
  font: 17px/1.5 system-ui, sans-serif; }
h1 { line-height: 1.2; } h2 { margin: 2.5rem 0 0.5rem; font-size: 1.2rem; line-height: 1.35; }
svg { display: block; width: 100%; height: auto; } footer { margin-top: 3rem; font-size: 0.85rem; }
section { break-inside: avoid; }
"""


def table(question: Question, answers: Sequence[float]) -> str:
    """Return the answers to a question as CSV: each answer, or each choice with its count."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    if question.choices:
        write(("choice", "right", "answers"))
        for place, words in enumerate(question.choices):
            write((_plain(words), int(place == question.truth), sum(a == place for a in answers)))
    else:
        write(("answer",))
        for answer in answers:
            write((f"{answer:.10g}",))
    return out.getvalue()


def _plain(words: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{words}" if words[:1] in {"=", "+", "-", "@", "\t"} else words


def sentence(question: Question, answers: Sequence[float]) -> str:
    """Return in words what was answered."""
    found = question.result(list(answers))
    parts = [
        question.truth_text,
        f"{len(answers):,} answers." if len(answers) != 1 else "1 answer.",
    ]
    if found["median"] is not None:
        parts.append(f"Their median is {integer(found['median'])}.")
    if found["within"] is not None:
        parts.append(f"{found['within']:.0%} of them are within a factor of two of the truth.")
    return " ".join(filter(None, parts))


def figure(question: Question, answers: Sequence[float]) -> str:
    """Return the answers to a question as an SVG: a strip of dots on the axis, or a bar for each choice."""
    if question.axis:
        return _strip(question, question.axis, answers)
    return _bars(question, answers)


def _svg(tall: float, words: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {tall:g}" role="img" {_FACE} '
        f'aria-label="{html.escape(words)}"><rect width="{_WIDE}" height="{tall:g}" fill="#fff"/>'
        f"{''.join(parts)}</svg>"
    )


def _text(x: float, y: float, words: str, anchor: str = "start", more: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{html.escape(words)}</text>'
    )


def _strip(question: Question, axis: Axis, answers: Sequence[float]) -> str:
    found = question.result(list(answers))
    there = math.log if axis.log else float
    start, end, floor = there(axis.low), there(axis.high), _TALL - _FOOT

    def across(value: float) -> float:
        inside = min(axis.high, max(axis.low, value))
        return _EDGE + (_WIDE - 2 * _EDGE) * (there(inside) - start) / (end - start)

    parts = [f'<path d="M{_EDGE} {floor}H{_WIDE - _EDGE}" stroke="{GREY}"/>']
    for value, words in _ticks(axis):
        x = across(value)
        parts += (
            f'<path d="M{x:.1f} {floor}v6" stroke="{GREY}"/>',
            _text(x, floor + 22, words, "middle"),
        )
    places = found["answers"]
    each = per_dot(places) if places else 1
    for value, count in places:
        for row in range(math.ceil(count / each)):
            place = f'cx="{across(value):.1f}" cy="{floor - 6 - 8 * row}"'
            parts.append(f'<circle {place} r="3" fill="{GUESSED}" fill-opacity="0.75"/>')
    lines = (
        ("median", found["median"], GUESSED, "9 4 2 4", 34),
        ("truth", question.truth, TEAL, "none", 16),
    )
    for name, at, colour, dashes, y in lines:
        if at is None:
            continue
        x, bold = across(at), f'fill="{colour}" font-weight="700"'
        anchor = "end" if x > _WIDE / 2 else "start"
        parts += (
            f'<path d="M{x:.1f} {y - 12}V{floor}" stroke="{colour}" stroke-width="3" stroke-dasharray="{dashes}"/>',
            _text(x + (-6 if anchor == "end" else 6), y, f"{name} {integer(at)}", anchor, bold),
        )
    if each > 1:
        parts.append(_text(_WIDE - _EDGE, _TALL - 2, f"a dot: up to {each} answers", "end"))
    return _svg(_TALL, sentence(question, answers), parts)


def _ticks(axis: Axis) -> list[tuple[float, str]]:
    if axis.log:
        values, words = axis_ticks(axis.low, axis.high)
        return [*zip(values, words, strict=True)]
    values = [axis.low + (axis.high - axis.low) * part / 4 for part in range(5)]
    return [(value, number(value)) for value in values]


def _bars(question: Question, answers: Sequence[float]) -> str:
    counts = question.result(list(answers))["answers"]
    everybody = max(1, sum(counts))
    parts: list[str] = []
    for place, (words, count) in enumerate(zip(question.choices, counts, strict=True)):
        y, right = _ROW * place, place == question.truth
        mark, colour = ("✓ right: ", TEAL) if right else ("", GREY)
        parts += (
            _text(0, y + 18, f"{mark}{words}", more='font-weight="700"' if right else ""),
            f'<rect x="0" y="{y + 26}" width="{600 * count / everybody:.1f}" height="16" fill="{colour}"/>',
            _text(600 * count / everybody + 8, y + 40, f"{count:,}"),
        )
    return _svg(_ROW * len(counts), sentence(question, answers), parts)


def packed(record: Record) -> bytes:
    """Return all tables and figures, and the page, as one zip: the same bytes for the same answers."""
    files = {"how-the-audience-guessed.html": page(record)}
    for place, (question, answers) in enumerate(record, start=1):
        files[f"question-{place}.csv"] = table(question, answers)
        files[f"question-{place}.svg"] = figure(question, answers)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text.encode(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def page(record: Record) -> str:
    """Return one HTML file: how the audience guessed. It needs neither a program nor a network."""
    parts = []
    for place, (question, answers) in enumerate(record, start=1):
        said = "".join(
            f"<li><strong>{html.escape(words)}</strong>: {html.escape(text)}</li>"
            for words, text in zip(question.choices, question.feedback, strict=False)
        )
        parts.append(
            f"<section><h2>{place}. {html.escape(question.text)}</h2><p>{html.escape(sentence(question, answers))}</p>"
            f"{figure(question, answers)}{f'<ul>{said}</ul>' if said else ''}</section>"
        )
    if not parts:
        parts.append("<p>No phone has answered a question.</p>")
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>How the audience guessed</title><style>{_STYLE}</style>\n"
        f"<h1>How the audience guessed</h1>{''.join(parts)}<footer>Made by privsc. An answer is a number or a choice; "
        "nothing tells which phone gave it.</footer></html>\n"
    )
