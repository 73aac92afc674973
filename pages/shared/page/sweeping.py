"""The page of sweeps: a file of results that a visitor loads, as a figure.

The file stays in the session: it is in no link and no cache, and is read in the worker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.chart import chart
from pages.shared.chart.payload import of_picture
from pages.shared.frame import shell
from pages.shared.frame.sitemap import HEADS
from pages.shared.scheduling.waiting import wait_for
from pages.shared.state.fields import EVERYWHERE, label
from privsc_core.draw.style import number
from privsc_core.draw.sweep_figures import axes, choices, sweep_picture
from privsc_core.parameters import parameter
from privsc_core.sweep.sheet import BYTES_MOST, ROWS_MOST, read_sheet

if TYPE_CHECKING:
    from privsc_core.sweep.sheet import Sheet

_HEADING, _CLAIM = HEADS["sweep"]
_SHEET, _FILE = "pv_sweep_sheet", "pv_sweep_file"
_OWN = "pv_sweep_"
_ACROSS = 3
_HEIGHT = 480
_ASKS = {
    "success": "Success", "need": "Least m", "bound": "Bounds", "learn": "Runs", "audit": "Audits",
}  # fmt: skip
_PLAN = """[[sweep]]
ask = "need"
learner = ["exponential", "hash", "erm"]
d = "2:1000:50:log"
epsilon = [0.1, 0.5, 1.0]
"""
_COMMAND = """pip install "privsc[sweep]"
privsc sweep plan.toml -o results.parquet"""


def show() -> None:
    """Draw the whole page."""
    shell.page(_HEADING, "sweep", "🧹", EVERYWHERE)
    st.title(_HEADING)
    st.markdown(_CLAIM)
    _body()
    shell.footer()


@st.fragment
def _body() -> None:
    """Draw everything that depends on the file."""
    given = st.file_uploader(
        f"Results, at most {BYTES_MOST // 2**20} MB and {ROWS_MOST:,} rows",
        type=["parquet", "csv"], key=_FILE, on_change=_forget,
        help="They stay on this server for as long as this page is open, and are in no link.",
    )  # fmt: skip
    with shell.guard():
        if given is not None and _SHEET not in st.session_state:
            st.session_state[_SHEET] = wait_for(
                read_sheet, given.getvalue(), kind="sheet", kept=False
            )
    sheet: Sheet | None = st.session_state.get(_SHEET)
    if given is None or sheet is None:
        _forget()  # what was loaded before this page was left
        _how()
        return
    with shell.guard():
        _drawn(sheet)


def _how() -> None:
    st.caption("A plan (plan.toml)")
    st.code(_PLAN, language="toml")
    st.caption("Command line")
    st.code(_COMMAND, language="bash")


def _drawn(sheet: Sheet) -> None:
    figure = st.container()
    first, second = st.columns([1.6, 1], gap="medium")
    with first:
        ask = _one_of("ask", "Question", sheet.asks(), _ASKS)
    names = axes(sheet, ask)
    with second:
        along = _one_of("x", "Along", names, {name: parameter(name).symbol for name in names})
    fixed: dict[str, float] = {}
    rest = list(choices(sheet, ask, along).items())
    for start in range(0, len(rest), _ACROSS):
        row = rest[start : start + _ACROSS]
        for place, (name, values) in zip(st.columns(_ACROSS, gap="medium"), row, strict=False):
            with place:
                fixed[name] = st.select_slider(
                    label(name), values, key=f"{_OWN}at_{ask}_{along}_{name}", format_func=number
                )
    with figure, shell.guard():
        picture = sweep_picture(sheet, ask, along, fixed)
        chart.chart(of_picture(picture, _HEIGHT), key="main")
        st.caption(picture.caption)
    shell.said(picture.summary)


def _one_of(key: str, words: str, options: tuple[str, ...], names: dict[str, str]) -> str:
    """Draw a choice among what the file has."""
    key = f"{_OWN}{key}"
    if st.session_state.get(key) not in options:
        st.session_state[key] = options[0]
    chosen = st.segmented_control(
        words, options, key=key, format_func=lambda word: names.get(word, ""), required=True
    )
    return str(chosen)


def _forget() -> None:
    for key in [key for key in st.session_state if str(key).startswith(_OWN) and key != _FILE]:
        del st.session_state[key]
