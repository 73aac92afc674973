"""The page of sweeps: a file of results as a figure, at first that of an example.

A file that a visitor loads stays in the session: it is in no link and no cache, and is read in the worker.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.chart import chart
from pages.shared.chart.payload import of_picture
from pages.shared.frame import shell
from pages.shared.frame.sitemap import HEADS
from pages.shared.scheduling.waiting import wait_for
from pages.shared.state import controls, state
from pages.shared.state.fields import EVERYWHERE, label
from pages.shared.take import share
from privsc_core.draw.style import number
from privsc_core.draw.sweep_figures import axes, choices, sweep_picture
from privsc_core.parameters import parameter
from privsc_core.sweep.sheet import BYTES_MOST, ROWS_MOST, SETTING, read_sheet

if TYPE_CHECKING:
    from privsc_core.sweep.sheet import Sheet

_HEADING, _CLAIM = HEADS["sweep"]
_SHEET, _FILE = "pv_sweep_sheet", "pv_sweep_file"
_OWN = "pv_sweep_"
_ACROSS = 3
_HEIGHT = 380
_ASKS = {
    "success": "Success", "need": "Least m", "bound": "Bounds", "learn": "Runs", "audit": "Audits",
}  # fmt: skip
# A plan, and what `privsc sweep` wrote for it.
_EXAMPLE = Path(__file__).parents[3] / "assets" / "sweep"
_COMMAND = """pip install "privsc[sweep]"
privsc sweep plan.toml -o results.csv"""
_SCOPE: dict[str, Any] = {"scope": "sweep"}
_ASK = state.Field(
    key="ask", kind="choice", default="need", name="question", choices=tuple(_ASKS), **_SCOPE
)
_ALONG = state.Field(
    key="x", kind="choice", default="d", name="horizontal axis", choices=SETTING, **_SCOPE
)
FIELDS: tuple[state.Field, ...] = (*EVERYWHERE, _ASK, _ALONG)


def show() -> None:
    """Draw the whole page."""
    shell.page(_HEADING, "sweep", "🧹", FIELDS)
    with shell.head(_HEADING):
        share.button(_HEADING, {}, purposes=("link", "qr"))
    st.markdown(_CLAIM)
    _body()
    shell.footer()


@st.fragment
def _body() -> None:
    """Draw everything that depends on the file."""
    figure, below = st.container(), st.container()
    own, plan = below.columns(2, gap="large")
    with own:
        st.subheader("Your own results", anchor="own")
        st.code(_COMMAND, language="bash")
        given = st.file_uploader(
            f"Parquet or CSV, at most {BYTES_MOST // 2**20} MB and {ROWS_MOST:,} rows",
            type=["parquet", "csv"], key=_FILE, on_change=_forget,
            help=(
                "The results stay on this server while this page is open, and are not part of any link."
            ),
        )  # fmt: skip
    with plan:
        st.subheader("The plan of the example", anchor="plan")
        st.code((_EXAMPLE / "plan.toml").read_text(encoding="utf-8"), language="toml")
        st.caption(
            '`d = "2:1024:10:log"`: ten values from 2 to 1,024, in equal factors. `ask = "need"`: the least m of a learner.'
        )
        results = (_EXAMPLE / "results.csv").read_bytes()
        st.download_button(
            "Results of the example (CSV)", results, "results.csv", "text/csv", key="pv_example_results",
            on_click="ignore",
        )  # fmt: skip
        st.caption(
            "A row is one setting. Its columns are the question (`ask`), the class, the learner or bound, the "
            "distribution, the parameters, and the answer (`value`; `low` and `high` where it is simulated)."
        )
    with figure, shell.guard():
        if given is None:
            _forget()  # what was loaded before this page was left
            _drawn(_example(), own=False)
            return
        if _SHEET not in st.session_state:
            st.session_state[_SHEET] = wait_for(
                read_sheet, given.getvalue(), kind="sheet", kept=False
            )
        _drawn(st.session_state[_SHEET], own=True)


@functools.cache
def _example() -> Sheet:
    return read_sheet((_EXAMPLE / "results.csv").read_bytes())


def _drawn(sheet: Sheet, *, own: bool) -> None:
    """Draw the figure and its controls; a link says what is chosen, but of a visitor's own file."""
    figure = st.container()
    first, second = st.columns([1.6, 1], gap="medium")
    with first:
        ask = _one_of(_ASK, "Question", sheet.asks(), _ASKS, own=own)
    names = axes(sheet, ask)
    with second:
        symbols = {name: parameter(name).symbol for name in names}
        along = _one_of(_ALONG, "Along", names, symbols, own=own)
    fixed: dict[str, float] = {}
    rest = list(choices(sheet, ask, along).items())
    for start in range(0, len(rest), _ACROSS):
        row = rest[start : start + _ACROSS]
        for place, (name, values) in zip(st.columns(len(row), gap="medium"), row, strict=True):
            with place:
                fixed[name] = _value_of(name, values, f"{ask}_{along}_{name}", own=own)
    with figure, shell.guard():
        picture = sweep_picture(sheet, ask, along, fixed)
        chart.chart(of_picture(picture, _HEIGHT), key="main")
    shell.said(picture.summary)


def _one_of(
    item: state.Field, words: str, options: tuple[str, ...], names: dict[str, str], *, own: bool
) -> str:
    """Draw a choice among what the file has."""
    asked: dict[str, Any] = {"format_func": lambda word: names.get(word, ""), "required": True}
    if own:
        key = f"{_OWN}{item.key}"
        if st.session_state.get(key) not in options:
            st.session_state[key] = options[0]
        return str(st.segmented_control(words, options, key=key, **asked))
    chosen = controls.bound(
        item, st.segmented_control, words, options, **asked,
        to_widget=lambda word: word if word in options else options[0],
    )  # fmt: skip
    return str(chosen if chosen in options else options[0])


def _value_of(name: str, values: tuple[float, ...], place: str, *, own: bool) -> float:
    """Draw the slider of a parameter over the values that the file has."""
    if own:
        key = f"{_OWN}at_{place}"
        return float(st.select_slider(label(name), values, key=key, format_func=number))

    def nearest(value: Any) -> float:
        return min(values, key=lambda one: abs(one - value))

    item = state.field_of(parameter(name).key)
    chosen = controls.bound(
        item, st.select_slider, label(name), options=list(values), format_func=number,
        to_widget=nearest,
    )  # fmt: skip
    return nearest(chosen)


def _forget() -> None:
    for key in [key for key in st.session_state if str(key).startswith(_OWN) and key != _FILE]:
        del st.session_state[key]
