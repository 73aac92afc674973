"""The laboratory's page: a matrix, its dimensions, their inequalities, a tree, sample sizes."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from pages.shared.frame import shell
from pages.shared.frame.heads import HEADS
from pages.shared.hall import presenter
from pages.shared.page import laboratory_parts
from pages.shared.page.matrix import editor
from pages.shared.state import controls, state
from pages.shared.state.fields import COMMON, EVERYWHERE, PRESENTING, explanation, label
from pages.shared.take import share
from pages.shared.work.waiting import wait_for
from privsc_core import export
from privsc_core.draw import dimensions as drawn
from privsc_core.draw.style import number
from privsc_core.errors import InputError
from privsc_core.finite import READY, ZOO, to_code
from privsc_core.finite.asked import AT_ONCE, FORM, class_of, code_of, dimensions_of, rows_to_edit
from privsc_core.finite.matrix import CODE_POINTS
from privsc_core.finite.ready import example, parts
from privsc_core.tables import decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from streamlit.delta_generator import DeltaGenerator

    from privsc_core.finite import Dimensions

__all__ = ["FIELDS", "show"]

_HEADING, _CLAIM = HEADS["laboratory"]
_OF = state.Field(
    key="of", kind="text", default="thresholds-8", name="class", pattern=FORM, scope="laboratory"
)
# What an audience sees: the parts that the link names, and first of all these.
_PARTS = (
    "class", "dimensions", "chain", "tree", "game", "samples", "learner", "families", "zoo",
)  # fmt: skip
_FIRST = ("class", "dimensions")
_OPEN = state.Field(
    key="open", kind="choices", default=(), name="parts to show", choices=_PARTS, scope="laboratory"
)
FIELDS: tuple[state.Field, ...] = (
    *EVERYWHERE, *(PRESENTING[name] for name in ("present", "lecture", "scene")), _OPEN,
    *laboratory_parts.FIELDS, _OF,
)  # fmt: skip
_STYLE = f"<style>{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}</style>"
_BYTES = 2**18
_SIZE = "size"  # of a ready-made class: what complaints about it are kept by


def show() -> None:
    """Draw the whole page, or to an audience some of its parts."""
    shell.page(_HEADING, "laboratory", "🔬", FIELDS)
    st.html(_STYLE)
    presenting = shell.mode() == "present"
    presenter.turn("laboratory", presenting=presenting)
    lift = presenter.veil(presenting=presenting)
    if presenting:
        presenter.head(_HEADING)
    else:
        _head()
    _body(state.words(_OPEN.key) or _FIRST if presenting else _PARTS)
    lift()
    if presenting:
        presenter.bar(lambda: share.code(_HEADING))
    shell.footer("", shell.mode())


def _head() -> None:
    with shell.head(_HEADING):
        share.button(_HEADING, {}, purposes=("link", "qr"))
    st.markdown(_CLAIM)


@st.fragment
def _body(parts: Sequence[str]) -> None:
    """Draw everything that depends on the matrix."""
    asked = str(state.current()[_OF.key])
    left, right = _places(parts)
    if left is not None:
        with left:
            st.subheader("The class", anchor="class")
            _picked(asked)
            with shell.guard():
                _edited(asked)
            _pasted()
    found = None
    with right, shell.guard():
        if "dimensions" in parts:
            st.subheader("Its dimensions", anchor="dimensions")
        bars = st.empty()
        for found in _found(asked):
            if "dimensions" in parts:
                with bars.container():
                    _bars(found)
    drawn_by: dict[str, Callable[[Dimensions], None]] = {
        "chain": _chain,
        "tree": laboratory_parts.tree,
        "game": lambda _: laboratory_parts.game(asked),
        "samples": _samples,
        "learner": lambda _: laboratory_parts.learner(asked),
    }
    for name, draw in drawn_by.items():
        if found is not None and name in parts:
            with shell.guard():
                draw(found)
    if "families" in parts:
        with shell.guard():
            laboratory_parts.families()
    if "zoo" in parts:
        _zoo()
    if found is not None and parts == _PARTS:
        _take(found, asked)


def _found(asked: str) -> Iterator[Dimensions]:
    """Yield what is known at once, and then all, if that took longer."""
    of = class_of(asked)
    size = len(of).bit_length(), of.points
    epsilon, beta = (float(state.current()[COMMON[n].key]) for n in ("epsilon", "beta"))  # type: ignore[arg-type] # numbers both
    first: Dimensions = wait_for(
        dimensions_of, asked, kind=("dimensions at once", *size), where="_at_once",
        tame=of.points <= CODE_POINTS, epsilon=epsilon, beta=beta, steps=AT_ONCE,
    )  # fmt: skip
    yield first
    if first.cut:
        yield wait_for(
            dimensions_of, asked, kind=("dimensions", *size), tame=len(of) * of.points <= 400,
            epsilon=epsilon, beta=beta,
        )  # fmt: skip


def _places(parts: Sequence[str]) -> tuple[DeltaGenerator | None, DeltaGenerator]:
    """Return where the matrix goes, if anywhere, and its dimensions."""
    if "class" not in parts:
        return None, st.container()
    left, right = st.columns([1, 1.25], gap="large")
    return left, right


def _picked(asked: str) -> None:
    """Draw the choice among ready-made classes, and the sizes of the one that is shown."""
    names = {example(entry): entry.title for entry in READY}
    try:
        entry, sizes = parts(asked)
    except InputError:
        entry, sizes = None, ()
    own = "your own"
    now = example(entry) if entry else own

    def pick() -> None:
        chosen = st.session_state.get("pv_ready")
        if chosen in names:
            _set(chosen)

    st.session_state["pv_ready"] = now
    st.selectbox(
        "Ready-made class", [own, *names], key="pv_ready", on_change=pick,
        format_func=lambda word: names.get(word, "your own matrix"),
    )  # fmt: skip
    if entry is None:
        return
    for place, (i, size) in zip(st.columns(len(sizes)), enumerate(entry.sizes), strict=True):
        key = f"pv_size_{entry.name}_{i}"
        st.session_state[key] = sizes[i]

        def resize(key: str = key, i: int = i) -> None:
            if key not in st.session_state:
                return  # of a page that was left since
            given = int(st.session_state[key])
            size = entry.sizes[i]
            if size.low <= given <= size.high:
                _set("-".join([entry.name, *map(str, [*sizes[:i], given, *sizes[i + 1 :]])]))
            else:
                requirement = f"must be a whole number from {size.low} to {size.high}"
                state.refuse(_SIZE, str(InputError(size.name, requirement, given)))

        # Not the browser but a sentence says what a size can be, see `controls.number_input`.
        place.number_input(size.name.capitalize(), step=1, key=key, on_change=resize)
    _complain(_SIZE)


def _set(asked: str) -> None:
    state.assign(**(laboratory_parts.forgotten() | {_OF.key: asked}))


def _edited(asked: str) -> None:
    """Draw the matrix to click, where it is small enough."""
    if rows := rows_to_edit(asked):
        editor(rows, "pv_matrix", _typed)
    else:
        of = class_of(asked)
        shell.message(
            f"{len(of)} concepts on {of.points} points: too many to be clicked here.", "plain"
        )
    _complain(_OF.key)


def _complain(what: str) -> None:
    if refused := state.complaint(what):
        shell.message(refused)


def _typed(text: object) -> None:
    """Take a matrix as a text, or keep the sentence why it cannot be taken."""
    if not isinstance(text, str):
        return  # a client can send anything
    try:
        _set(code_of(text))
    except InputError as error:
        state.refuse(_OF.key, str(error))


def _pasted() -> None:
    """Draw the ways in for a matrix from elsewhere."""
    with st.popover("Paste or upload"):
        st.text_area(
            "Rows of 0 and 1, a line a concept", key="pv_pasted", height=140, max_chars=8000,
            placeholder="0,1,1\n1,0,0",
        )  # fmt: skip
        st.button(
            "Take these rows", key="pv_take_rows",
            on_click=lambda: _typed(st.session_state["pv_pasted"]),
        )  # fmt: skip
        st.file_uploader(
            "Or a CSV file", type=["csv", "tsv", "txt"], key="pv_uploaded", on_change=_uploaded
        )


def _uploaded() -> None:
    file = st.session_state["pv_uploaded"]
    if file is None:
        return
    try:
        _typed(
            decoded(file.getvalue(), "file", _BYTES, "must have a row of 0 and 1 for each concept")
        )
    except InputError as error:
        state.refuse(_OF.key, str(error))


def _bars(found: Dimensions) -> None:
    rows = "".join(
        f'<tr><th scope="row">{html.escape(bar.title)}</th><td>{bar.text}</td>'
        f'<td><span class="pv-bar" aria-hidden="true"><i class="pv-open" style="width:{bar.high:.1%}"></i>'
        f'<i style="width:{bar.low:.1%}"></i></span><small>{html.escape(bar.words)}</small></td></tr>'
        for bar in drawn.bars(found)
    )
    st.html(
        f'<table class="pv-dims" aria-label="Dimensions of {len(found.of)} concepts on '
        f'{found.of.points} points"><tbody>{rows}</tbody></table>'
        f'<p class="pv-heard" role="status">{html.escape(drawn.aloud(found))}</p>'
    )
    st.caption(
        f"{len(found.of)} different concepts on {found.of.points} points. Bars grow with the logarithm. "
        "Hatched: between what was found and a cap, where the search was cut short or no method is known."
    )


def _chain(found: Dimensions) -> None:
    st.subheader("The chain of inequalities", anchor="chain")
    items = []
    for entry in found.inequalities:
        low, sign, high = drawn.sides(entry)
        plain = "<" if entry.strict else "≤"
        items.append(
            f"<li>{html.escape(entry.left)} {plain} {html.escape(entry.right)}: "
            f"<strong>{low} {html.escape(sign)} {high}</strong><small>{html.escape(entry.source)}</small></li>"
        )
    st.html(f'<ul class="pv-chain">{"".join(items)}</ul>')


def _samples(found: Dimensions) -> None:
    st.subheader("What it means for numbers of samples", anchor="samples")
    for place, name in zip(st.columns(2, gap="medium"), ("epsilon", "beta"), strict=True):
        with place:
            controls.slider(COMMON[name], label(name), help=explanation(name), show=number)
    rows = "".join(
        f'<tr><th scope="row">{html.escape(s.title)}</th>'
        f"<td>{'–' if s.m is None else ('≤ ' if s.kind == 'upper' else '≥ ') + format(s.m, ',')}</td>"
        f"<td>{html.escape(s.how)}</td></tr>"
        for s in found.samples
    )
    st.html(
        f'<table class="pv-dims pv-samples" aria-label="Numbers of samples"><tbody>{rows}</tbody></table>'
    )
    st.caption(
        f"At α = {number(found.alpha)}, for targets and distributions of the worst kind: ≤ is enough for "
        "ε-DP, ≥ is needed by every ε-DP learner, proper or not. Constants ours. The finite class is BBKN13, "
        "Theorem 3.2; that a blind guess decides, up to constants, is Beimel, Nissim, Stemmer 2013a, there "
        "with sets of hypotheses, here with one."
    )


def _zoo() -> None:
    st.subheader("A zoo", anchor="zoo")
    items = []
    for entry in ZOO:
        query = urlencode({"v": "1", "of": entry.word or to_code(entry.of)})
        items.append(
            f'<li><a href="./laboratory?{html.escape(query)}" target="_self">{html.escape(entry.title)}</a>'
            f"<small>{html.escape(entry.claim)}</small></li>"
        )
    st.html(f'<ul class="pv-zoo">{"".join(items)}</ul>')
    st.markdown(
        "**Beat the machine:** is there a class with LDim > T? None on up to 4 points, and none in a hill "
        "climb on 5 to 7. If you find one, tell us."
    )


def _take(found: Dimensions, asked: str) -> None:
    st.subheader("Take it away", anchor="take-away")
    left, right = st.columns(2)
    left.download_button(
        "These numbers (CSV)", data=export.dimensions_csv(found), mime="text/csv",
        file_name="privsc-dimensions.csv", key="pv_take_csv", on_click="ignore",
    )  # fmt: skip
    right.download_button(
        "The matrix (CSV)", data=found.of.text(","), mime="text/csv",
        file_name="privsc-class.csv", key="pv_take_matrix", on_click="ignore",
    )  # fmt: skip
    st.caption("Command line: the same numbers")
    st.code(export.dimensions_command(found, asked), language="bash", wrap_lines=True)
    st.caption("Python")
    st.code(export.dimensions_snippet(found, asked), language="python")
