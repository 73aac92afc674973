"""Two exhibits of data release: a histogram really released, and what delta buys.

A visitor's own file is not part of the link: it is read into counts, which only this visitor's
session holds.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.frame import shell
from pages.shared.state import controls
from privsc_core.draw.style import integer
from privsc_core.exhibits.release import MECHANISMS, Histogram, compared, released, zipf
from privsc_core.tables import counted

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.exhibits.release import Answers, ReleasedHistogram
    from privsc_core.tables import Column, Table

_ASSETS = Path(__file__).parents[2] / "assets" / "data"  # its README has sources and licences
# Choice -> what the button says, the file, and what stands below the picture.
_SHIPPED: dict[str, tuple[str, str, str]] = {
    "income": (
        "Incomes", "anes96-income.csv",
        ("Real data: household income of 944 respondents in 24 brackets, from below $3,000 to "
        "$105,000 and more (American National Election Studies 1996, as in statsmodels 0.15.0; "
        "public domain)."),
    ),
    "penguins": (
        "Penguins", "penguins-species.csv",
        ("Real data: the species of 344 penguins (Gorman, Williams, Fraser 2014, as in "
        "palmerpenguins 0.1.6; CC0)."),
    ),
}  # fmt: skip
_SOURCES = {
    "zipf": "Zipf-like example",
    **{name: label for name, (label, _, _) in _SHIPPED.items()},
    "csv": "My CSV",
}
_EXAMPLE = zipf(32, 500)
_DELTA = 1e-6  # where the page has no δ, or δ is 0

_OWN = Fields("release")

_UPLOADER, _TABLE = "pv_csv", "pv_csv_table"
_HEADER, _COLUMN = "pv_csv_header", "pv_csv_column"


# --- The histogram, released --------------------------------------------------------------------

_MECHANISM = _OWN.choice("mech", "mechanism of the histogram", "laplace", tuple(MECHANISMS))
_DRAW = _OWN.draw("rdraw", "draw of the release")
_SOURCE = _OWN.choice("data", "data of the histogram", "zipf", tuple(_SOURCES))


def _histogram(scenario: Scenario, values: Values) -> None:
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    with left:
        controls.segmented(_SOURCE, "Data", names=_SOURCES)
    with right:
        exhibit.redraw(_DRAW, "Redraw the noise", "pv_redraw_release", width="stretch")
    titles = {name: entry.title for name, entry in MECHANISMS.items()}
    controls.segmented(_MECHANISM, "Mechanism", names=titles)
    source = values[_SOURCE]
    own = source == "csv"
    data, note = _own() if own else _known(source)
    if data is None:
        return
    setting = (scenario.epsilon, scenario.alpha, _delta_of(scenario))
    run = (data, values[_MECHANISM], *setting, values[_DRAW])
    # What goes through the queue all visitors share, so a visitor's own counts do not: they are
    # few enough to be released in some milliseconds.
    if own:
        found, picture = released(*run)
    else:
        found, picture = exhibit.quickly(released, *run)
    _result(found, picture)
    st.caption(
        "**One real run**, with the seed in the link, at the page's ε, α and δ; nothing is averaged. A release of "
        "real data must use secret random numbers, and must not publish the true bars. **Exact**: the true "
        "fractions, the worst query and whether the release is useful. The domain is public: the values that occur, "
        "and unused values up to a power of two. Unused values are shown only if something is released for them. The "
        f"counts are private. {note}"
    )


def _delta_of(scenario: Scenario) -> float:
    return scenario.delta or _DELTA


def _result(found: ReleasedHistogram, picture: Picture) -> None:
    limit = f"off at the worst query; α = {found.alpha:g}"
    shell.cards(
        shell.card(
            "Entries", integer(found.histogram.size),
            f"{len(found.histogram.labels)} values, d = {found.histogram.d}",
        ),
        _verdict("Release", found.released, limit, empty=found.empty),
        _verdict("Synthetic database", found.synthetic, limit, empty=found.empty),
    )  # fmt: skip
    if found.empty:
        shell.message(
            "Every released count is 0, so this release says nothing about these data, and all values are equally "
            "frequent in the synthetic database. If no true fraction reaches α, even this release counts as useful, "
            "by the definition.",
            "plain",
        )
    exhibit.draw(picture, "histogram", 430)


def _verdict(what: str, answers: Answers, limit: str, *, empty: bool) -> shell.Card:
    error = f"{answers.error:.3g}"
    if empty and answers.useful:  # no merit of the mechanism: no green
        return shell.card(f"{what}: says nothing", error, limit)
    if answers.useful:
        return shell.card(f"{what}: useful", error, limit, "good")
    return shell.card(f"{what}: not useful", error, limit, "bad")


_HISTOGRAM = Exhibit(
    name="histogram",
    title="The histogram, released",
    claim="**Noise on every count hides each single entry, and with enough entries the release is still useful:** "
    "every released fraction is less than $\\alpha$ away from the true one. A synthetic database of whole entries "
    "can be made from the release, at no further cost in privacy.",
    label="Release a histogram",
    fields=(_MECHANISM, _DRAW, _SOURCE),
    draw=_histogram,
)


# --- The data -----------------------------------------------------------------------------------


def _known(source: str) -> tuple[Histogram, str]:
    """Return the example or a data set that comes with privsc, and its origin."""
    if source == "zipf":
        return _EXAMPLE, "The data are made up: value j occurs about 1/j times as often as value 1."
    return _shipped(source), _escaped(_SHIPPED[source][2])


def _escaped(text: str) -> str:
    return text.replace("$", "\\$")  # markdown would set it as a formula


@cache
def _shipped(source: str) -> Histogram:
    path = _ASSETS / _SHIPPED[source][1]
    return _histogram_of(counted(path.read_bytes(), path.name).columns[0])


def _histogram_of(column: Column) -> Histogram:
    column.check()
    return Histogram(column.name, column.labels, column.counts)


def _own() -> tuple[Histogram | None, str]:
    """Ask for a file and a column of it; return its histogram and what was left out."""
    given = st.file_uploader(
        "A CSV, TSV or text file, at most 5 MB",
        type=["csv", "tsv", "txt"], key=_UPLOADER, on_change=_forget,
        help="The file stays on this server while this page is open, and is not part of the link. Blank cells, NA, "
             "N/A, NaN and null are missing values. A file that is marked red was refused: it is too large, or its "
             "name does not end in .csv, .tsv or .txt.",
    )  # fmt: skip
    if given is not None and _TABLE not in st.session_state:
        st.session_state[_TABLE] = exhibit.read(counted, given)
    table: Table | None = st.session_state.get(_TABLE)
    if table is None:
        st.markdown("Choose a file to see one of its columns released.")
        return None, ""
    if given is None:  # the reader went to another source and came back
        shell.message(f"Still in use: {table.file}", "plain")
        st.button("Forget my file", key="pv_csv_forget", on_click=_forget)
    header = st.toggle(
        "The first row names the columns", table.header, key=_HEADER, disabled=table.index
    )
    table = replace(table, header=header)
    names = [column.name for column in table.columns]
    chosen = st.selectbox("Column", range(len(names)), format_func=names.__getitem__, key=_COLUMN)
    column = table.columns[chosen]
    data = _histogram_of(column)
    note = f"Your file: {table.rows:,} rows, all of them read; {table.read_as}"
    return data, f"{note}; {column.missing:,} without a value in this column were left out."


def _forget() -> None:
    for key in (_TABLE, _HEADER, _COLUMN):
        st.session_state.pop(key, None)


# --- What delta buys ----------------------------------------------------------------------------


def _delta(scenario: Scenario, values: Values) -> None:  # noqa: ARG001 - it has none of its own
    setting = (scenario.epsilon, scenario.alpha, scenario.beta, _delta_of(scenario))
    exhibit.draw(exhibit.computed(compared, *setting), "delta", 400)
    st.markdown(
        "**What δ means:** $\\Pr[A(D) \\in S] \\le e^{\\varepsilon}\\,\\Pr[A(D') \\in S] + \\delta$ for all sets $S$ "
        "of outputs and all $D$, $D'$ that differ in one entry. Here δ can be seen: a value that only one person has "
        "appears in the release with probability exactly $\\delta$. Then the release reveals this person. So "
        "$\\delta$ should be far below $1/m$: $\\delta = 1/m$ already allows a mechanism that publishes a random "
        "entry unchanged."
    )
    st.caption(
        "**Exact**: both curves are computed from the success probability on m equal entries. **Ours**: the "
        "constants. Nothing is simulated."
    )


_DELTA_BUYS = Exhibit(
    name="delta",
    title="What δ buys",
    claim="**Under pure privacy every value that could occur gets noise; under $(\\varepsilon, \\delta)$-privacy "
    "only the values that do occur.** Noise on all $2^d$ counts must stay below $\\alpha m$ on each of them, so $m$ "
    "grows with $d$. With $\\delta > 0$ an empty count may stay 0, and $d$ plays no role.",
    label="Compare with and without δ",
    draw=_delta,
)

EXHIBITS = (_HISTOGRAM, _DELTA_BUYS)
