"""The mistake tree of INTERVAL_d: binary search, and why Littlestone's dimension is d.

Feldman and Xiao 2014, Sections 2.5 and 4. Each node asks for the label of one point; a leaf is a
concept that agrees with every answer on its path. The T concepts c_2, ..., c_{T+1} are the leaves
of a complete tree of depth d (c_1 is not needed, and point 1, where they agree, is never asked).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privsc_core.concepts.contracts.style import DEEP_GREY, DEEP_TEAL, WHITE
from privsc_core.draw.picture import Picture, plot
from privsc_core.draw.style import integer
from privsc_core.draw.traces import (
    MUTE,
    QUIET,
    THIN,
    UNLISTED,
    Trace,
    across,
    axis,
    bare_axis,
    beside,
    fixed_axis,
    hover,
    line,
    marks,
    pins,
    words,
)
from privsc_core.errors import InputError
from privsc_core.exhibits.interval.noise_channel import ONE, ZERO, count
from privsc_core.parameters import scalar


def consistent(answers: str, d: int) -> tuple[int, int]:
    """Return the first and the last j of the concepts c_j that agree with the answers.

    Parameters
    ----------
    answers : str
        The answers so far as bits, at most d of them: "1" says that the point asked has label 1.
    d : int
        Bits of a point.

    Returns
    -------
    first, last : int
        2^(d - len(answers)) concepts, so one concept after d answers.
    """
    bits = int(scalar("d", d))
    if set(answers) - {"0", "1"} or len(answers) > bits:
        raise InputError("answers", f"must be at most {bits} bits", answers)
    # c_j has label 1 below j: answer 1 keeps the upper half, which reads j - 2 bit by bit.
    prefix = int(answers, 2) if answers else 0
    width = 1 << (bits - len(answers))
    return 2 + prefix * width, 1 + (prefix + 1) * width


def query(answers: str, d: int) -> int:
    """Return the point that the node after these answers asks for (FX14, Section 2.5).

    Half of the concepts that are left give it label 1, so whatever a learner predicts, the
    other label is still possible: d mistakes in a row.

    Raises
    ------
    InputError
        Also when d answers were given: that is a leaf, there is nothing left to ask.
    """
    first, last = consistent(answers, d)
    if first == last:
        raise InputError("answers", f"must be fewer than {d} bits to leave a question", answers)
    return (first + last) // 2


# What is drawn over which axes, and what else a layout has.
_Drawn = tuple[list[Trace], Trace, Trace, dict[str, Any]]

# --- The exhibit of the mistake tree: the whole tree, or the intervals that its answers leave ----


_WHOLE_TREE = 4  # deeper trees are shown as halving intervals


def tree_figure(answers: str, d: int) -> Picture:
    """Draw the mistake tree with the path of the answers; a deep one as halving intervals."""
    first, last = consistent(answers, d)
    left = last - first + 1
    data, x, y, layout = (_whole_tree if d <= _WHOLE_TREE else _halving)(answers, d)
    if left == 1:
        title = f"{count(d, 'answer')}, one concept left: c{_lowered(first)}"
    else:
        title = f"What is the label of point {query(answers, d)}? {left:,} concepts left"
    steps = [answers[:i] for i in range(len(answers) + 1)]
    spans = [consistent(prefix, d) for prefix in steps]
    return plot(
        data,
        x,
        y,
        **layout,
        title=title,
        caption=f"d = {d}: the {integer(1 << d)} concepts c₂ … c{_lowered((1 << d) + 1)} are the leaves. Answer 1 "
        "keeps the larger j (right), answer 0 the smaller j (left)"
        + ("." if d <= _WHOLE_TREE else "; white marks the point that is asked."),
        summary=f"Complete binary tree of depth {d}. After the answers “{answers}” the concepts "
        f"c_{first} to c_{last} are left.",
        filename=f"privsc-interval-tree-d{d}-{answers or 'start'}",
        table={
            "answers": [prefix or "none" for prefix in steps],
            "first": [span[0] for span in spans],
            "last": [span[1] for span in spans],
            "next question": [query(p, d) if len(p) < d else None for p in steps],
        },
    )


def _whole_tree(answers: str, d: int) -> _Drawn:
    """Return traces, axes and layout of all 2^d leaves and the nodes above them."""
    nodes = [format(i, f"0{k}b") if k else "" for k in range(d + 1) for i in range(1 << k)]

    def place(word: str) -> float:
        first, last = consistent(word, d)
        return (first + last) / 2

    taken = [w for w in nodes if answers.startswith(w)]
    open_ = [w for w in nodes if w.startswith(answers) and w != answers]
    off = [w for w in nodes if w not in taken and w not in open_]
    data = [
        line(
            [v for w in some if w for v in (place(w[:-1]), place(w), None)],
            [v for w in some if w for v in (1 - len(w), -len(w), None)],
            name,
            colour,
            width=width,
            opacity=opacity,
        )
        | QUIET
        for name, some, colour, width, opacity in (
            ("edges off", off, DEEP_GREY, 1.5, 0.4),
            ("edges open", open_, DEEP_GREY, THIN, 1.0),
            ("edges taken", taken, DEEP_TEAL, 5, 1.0),
        )
    ]
    for name, some, colour, opacity in (
        ("ruled out", off, DEEP_GREY, 0.3),
        ("still possible", open_, DEEP_GREY, 1.0),
        ("your path", taken, DEEP_TEAL, 1.0),
    ):
        # One size a trace, and the figure's own type size: so both grow on a full screen. On a
        # phone sixteen leaves have 18 px each.
        for kind, here, symbol, size in (
            ("nodes", [w for w in some if len(w) < d], "circle", 27),
            ("leaves", [w for w in some if len(w) == d], "square", 18),
        ):
            x, y = [place(w) for w in here], [-len(w) for w in here]
            texts = [str(query(w, d) if len(w) < d else consistent(w, d)[0]) for w in here]
            trace = marks(x, y, name, colour, symbol, size, uid=f"{name} {kind}", opacity=opacity)
            trace |= beside(texts, colour=WHITE) | UNLISTED | hover("%{text}")
            data.append(trace | {"mode": "markers"} if some is off else trace)
    steps = [w for w in taken if w]
    data.append(
        words(
            [(place(w) + place(w[:-1])) / 2 for w in steps],
            [0.5 - len(w) for w in steps],
            [f"<b>{w[-1]}</b>" for w in steps],
            "answers",
            [f"top {'right' if w[-1] == '1' else 'left'}" for w in steps],
            ONE,
        )
    )
    texts = ["ask x", "c<sub>j</sub>"]
    across = fixed_axis((1.2, (1 << d) + 1.8), visible=False)
    up = bare_axis((-d - 0.5, 0.5)) | axis(at=[0, -d], texts=texts, ticks="")
    return data, across, up, {"legend": None}


def _halving(answers: str, d: int) -> _Drawn:
    """Return traces, axes and layout of the intervals of concepts left, one row an answer."""
    spans = [consistent(answers[:i], d) for i in range(len(answers) + 1)]
    rows = list(range(len(spans)))
    start, end = spans[0]
    whole = [end - start + 1] * len(rows)
    left = across(
        [last - first + 1 for first, last in spans],
        rows,
        "still possible",
        DEEP_TEAL,
        uid="left",
        base=[first - 0.5 for first, _ in spans],
        width=0.7,
        customdata=spans,
    ) | hover("c_%{customdata[0]} … c_%{customdata[1]}")
    left["marker"]["line"] = {"color": DEEP_TEAL, "width": THIN}
    asked = [query(answers[:i], d) for i in range(min(len(spans), d))]
    question = pins(np.array(asked) + 0.5, 0.0, "question", WHITE, "line-ns-open", 14)
    data = [
        across(whole, rows, "ruled out", ZERO, uid="out", base=start - 0.5, width=0.7) | MUTE,
        left,
        question | {"y": rows[: len(asked)]} | UNLISTED,
    ]
    said = [
        f"{'start' if i == 0 else answers[i - 1]}: {last - first + 1:,}"
        for i, (first, last) in enumerate(spans)
    ]
    ends = (start - 0.5, end + 0.5)
    up = axis(
        span=(d + 0.6, -0.6), at=list(range(d + 1)), texts=said + [""] * (d + 1 - len(said)),
        fixedrange=True, showgrid=False,
    )  # fmt: skip
    concepts = fixed_axis(ends, "concepts c<sub>j</sub>, by j", at=[start, end])
    return data, concepts, up, {"barmode": "overlay"}


def _lowered(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
