"""What marginals alone show: a matrix really released, and the error against rows.

A visitor's own file is not part of the link: it is read into sums, which only this visitor's
session holds.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.frame import shell
from pages.shared.state import controls
from privsc_core.draw.style import integer
from privsc_core.exhibits.marginals.figures import (
    errors_picture,
    noise_picture,
    population_pictures,
    survey_pictures,
)
from privsc_core.exhibits.marginals.tables import surveyed

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.exhibits.marginals.tables import Released, Survey
    from privsc_core.tables import Table

_VIEWS = Path(__file__).parents[2] / "assets" / "data" / "anes96-views.csv"  # see its README
_POPULATIONS = {
    "clusters": "Clusters", "chain": "Chain", "uniform": "Uniform", "copies": "Copies",
}  # fmt: skip
_SOURCES = _POPULATIONS | {"views": "Voters 1996", "csv": "My CSV"}
_NOTES = {
    "views": (
        "Real data: vote, party, education, and the places of oneself and of both candidates from left to right, of "
        "944 respondents (American National Election Studies 1996, as in statsmodels 0.15.0; public domain). Every "
        "answer is an attribute: 36 of them."
    ),
}  # fmt: skip
_DELTA = 1e-6  # where the page has no δ, or δ is 0

_OWN = Fields("marginals")

_UPLOADER, _SURVEY = "pv_csv_marginals", "pv_csv_survey"

_DRAW = _OWN.draw("rdraw", "draw of the release")
_SOURCE = _OWN.choice("data", "data of the release", "clusters", tuple(_SOURCES))
_TABLE = _OWN.choice("table", "table of the errors", "clusters", tuple(_POPULATIONS))


def _delta_of(scenario: Scenario) -> float:
    return scenario.delta or _DELTA


# --- The matrix, released -----------------------------------------------------------------------


def _matrix(scenario: Scenario, values: Values) -> None:
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    with left:
        controls.segmented(_SOURCE, "Data", names=_SOURCES)
    with right:
        exhibit.redraw(_DRAW, "Redraw the noise", "pv_redraw_marginals", width="stretch")
    source = values[_SOURCE]
    setting = (scenario.epsilon, _delta_of(scenario), values[_DRAW])
    if source in _POPULATIONS:
        d, m = scenario.d, scenario.m
        shown = exhibit.computed(population_pictures, source, d, m, *setting)
        note = f"At the page's d = {d} and m = {m:,}; the answers are those of the population."
    else:
        survey, note = (_voters(), _NOTES[source]) if source == "views" else _own()
        if survey is None:
            return
        # What goes through the queue all visitors share, so a visitor's own data do not: one
        # projection takes some milliseconds.
        shown = survey_pictures(survey, *setting)
    _result(*shown)
    st.caption(
        "**One real run**, with the seed in the link, at the page's ε and δ. A release of real data must use secret "
        "random numbers, and must not publish the first matrix. The attributes and the number of rows are public. "
        f"{note}"
    )


def _result(found: Released, matrices: Picture, spectra: Picture) -> None:
    shell.cards(
        shell.card(
            "Answers", integer(found.answers),
            f"{len(found.survey.names)} attributes, {integer(found.survey.rows)} rows",
        ),
        shell.card(
            "Noise alone", f"{found.error(found.noisy):.3g}",
            f"off in root mean square; {found.worst(found.noisy):.3g} at worst", "accent",
        ),
        shell.card(
            "Projected", f"{found.error(found.projected):.3g}",
            f"off in root mean square; {found.worst(found.projected):.3g} at worst", "good",
        ),
        shell.card(
            "Synthetic table", f"{found.error(found.synthetic):.3g}",
            f"off in root mean square; {found.worst(found.synthetic):.3g} at worst",
        ),
    )  # fmt: skip
    exhibit.draw(matrices, "matrices", 290)
    exhibit.draw(spectra, "spectra", 300)


@cache
def _voters() -> Survey:
    return surveyed(_VIEWS.read_bytes(), _VIEWS.name)[0]


def _own() -> tuple[Survey | None, str]:
    """Ask for a file; return its sums and how it was read."""
    given = st.file_uploader(
        "A CSV, TSV or text file, at most 5 MB",
        type=["csv", "tsv", "txt"], key=_UPLOADER, on_change=_forget,
        help="A column of zeros and ones is one attribute; any other column gives one attribute for each of its "
             "values. At most 128 attributes are read. Rows without a value in some column are left out. The file "
             "stays on this server for as long as this page is open, and is not part of the link.",
    )  # fmt: skip
    if given is not None and _SURVEY not in st.session_state:
        st.session_state[_SURVEY] = exhibit.read(surveyed, given)
    kept: tuple[Survey, Table] | None = st.session_state.get(_SURVEY)
    if kept is None:
        st.markdown(
            "Choose a file. Every row is a person, and every column of zeros and ones is an attribute. Another "
            "column gives one attribute for each of its values."
        )
        return None, ""
    survey, table = kept
    if given is None:  # the reader went to another source and came back
        shell.message(f"Still in use: {table.file}", "plain")
        st.button("Forget my file", key="pv_csv_marginals_forget", on_click=_forget)
    return survey, f"Your file: {survey.rows:,} rows with all their values; {table.read_as}."


def _forget() -> None:
    st.session_state.pop(_SURVEY, None)


_RELEASED = Exhibit(
    name="matrix",
    title="The matrix, released",
    claim="**The projection removes noise that no table could cause.** The answers of a table form a matrix without "
    "negative eigenvalues, but the noise creates negative ones. The mechanism releases the nearest matrix that has "
    "none. It uses only the noisy answers, so this step costs no privacy.",
    label="Release a matrix",
    fields=(_DRAW, _SOURCE),
    draw=_matrix,
)


# --- Errors against rows ------------------------------------------------------------------------


def _errors(scenario: Scenario, values: Values) -> None:
    controls.segmented(_TABLE, "Table", names=_POPULATIONS)
    setting = (scenario.d, scenario.epsilon, _delta_of(scenario), scenario.seed)
    exhibit.draw(exhibit.computed(errors_picture, values[_TABLE], *setting), "errors", 420)
    st.markdown(
        "A **synthetic table** has made-up rows and answers further queries. Rows are quickly drawn as the signs of "
        "Gaussian vectors with the projected correlations $\\rho$. But the signs have the correlation "
        "$\\frac{2}{\\pi}\\arcsin\\rho$, and this error stays, however many rows there are. We know of no fast "
        "mechanism that does much better. If one-way functions are hard enough, some error must stay (V17, Theorem "
        "6.12)."
    )


_AGAINST = Exhibit(
    name="errors",
    part="see",
    title="Error against rows",
    claim="**The projection helps most where the noise is large or the table has structure.** A synthetic table adds "
    "an error that does not vanish as m grows.",
    label="Show the error against m",
    fields=(_TABLE,),
    draw=_errors,
)


# --- Why d squared, and why d --------------------------------------------------------------------


def _noise(scenario: Scenario, values: Values) -> None:  # noqa: ARG001 - it has none of its own
    setting = (scenario.d, scenario.m, scenario.epsilon, _delta_of(scenario))
    exhibit.draw(exhibit.quickly(noise_picture, *setting), "noise", 380)


# One row's changes of two answers, as a vector: its l1 length along the axes, its l2 length straight.
_LENGTHS = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 110" width="240" height="110">
<g fill="none" stroke-width="3"><path d="M24 92H120V16" stroke="#0f9d58"/>
<path d="M24 92 120 16" stroke="#c48a00"/></g>
<g fill="#808a99" font-size="14" font-family="sans-serif"><text x="40" y="108">one answer</text>
<text x="126" y="60">another</text><text x="126" y="78">ℓ₁: the sum</text><text x="6" y="34">ℓ₂: straight</text></g></svg>
"""

_LAPLACE_OR_GAUSS = Exhibit(
    name="sensitivity",
    title="Why d² and why d",
    claim="**Laplace noise must grow with the sum of all changes, Gaussian noise only with the root of the sum of "
    "their squares.** Replacing one row changes up to $k = \\lfloor (d+1)^2/4\\rfloor$ of the $d(d+1)/2$ "
    "answers, each by $2/m$. The sum of the changes, the $\\ell_1$ sensitivity, is $2k/m$ and grows like "
    "$d^2/m$. The root of the sum of squares, the $\\ell_2$ sensitivity, is $2\\sqrt{k}/m$ and grows like "
    "$d/m$. Gaussian noise gives approximate privacy only, with $\\delta > 0$.",
    label="Compare the noise over d",
    draw=_noise,
    sketch=(_LENGTHS, "A right triangle: the sum of its legs is longer than its hypotenuse"),
)

EXHIBITS = (_LAPLACE_OR_GAUSS, _RELEASED, _AGAINST)
