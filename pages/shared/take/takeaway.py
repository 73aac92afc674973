"""The section of the page: data, notebook, one zip, one HTML file, commands, link."""

from __future__ import annotations

import functools
import json
import re
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.frame import shell
from pages.shared.host import static_files
from pages.shared.scheduling import scheduler
from pages.shared.scheduling.waiting import watch
from pages.shared.state import state
from pages.shared.take import standalone
from pages.shared.take.share import Shared, address
from privsc_core import export
from privsc_core.draw.style import number
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from pages.shared.scheduling.scheduler import Task
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.parameters import Parameter

PARTS = ("files", "html", "recipe")  # the folded parts in links: fixed for ever

_ZIP = st.components.v2.component(
    "privsc_zip",
    js=f"""{static_files.FIND_FOLDER}
const [chart, zip] = await Promise.all(
  ["{static_files.CHART}", "{static_files.ZIP}"].map((name) => import(new URL(name, folder))));
const zipper = new URL("{static_files.ZIPPER}", folder).href;
export default (given) => zip.default(given, chart, zipper);
""",
    isolate_styles=False,
)


def credit(scenario: Scenario, view: str, on_map: str) -> str:
    """Return the sources of a figure in one line, for under the figure that people save."""
    return export.credit_of(export.Shown(scenario, view, on_map).behind)


def show(
    scenario: Scenario,
    picture: Callable[[], Picture],
    fields: Mapping[str, state.Field],
    claim: str,
    pinned: Scenario | None = None,
) -> None:
    """Draw what can be taken away of a class page.

    Parameters
    ----------
    scenario : Scenario
        What the page shows.
    picture : callable
        Gives the main figure as it is on the screen.
    fields : mapping of str to Field
        The page's fields by name.
    claim : str
        The page's sentence, in Markdown with $LaTeX$.
    pinned : Scenario, optional
        What is drawn beside it.
    """
    now = state.current()
    shown = export.Shown(
        scenario, str(now[fields["view"].key]), str(now[fields["on_map"].key]), here({}), pinned
    )
    folds(
        lambda: _files(shown, picture(), claim),
        lambda: _standalone(shown, picture(), fields, claim),
        lambda: _recipe(shown),
    )


def folds(files: Callable[[], None], page: Callable[[], None], recipe: Callable[[], None]) -> None:
    """Draw the folded parts of the section; each is filled when it is opened."""
    st.caption(
        "The buttons at the figure's top right save it as SVG or PNG, with its setting, sources "
        "and link. The address of this page holds every setting, the seed included."
    )
    # None of this travels while a control moves.
    for name, words, fill in (
        ("files", "Files: everything in one zip, or data, notebook and references alone", files),
        ("html", "One HTML file with a slider, for a course page or a USB stick", page),
        ("recipe", "Python, command line and link that reproduce this", recipe),
    ):
        part = exhibit.part(words, name)
        if part.open:
            with part, shell.guard():
                fill()


def _files(shown: export.Shown, picture: Picture, claim: str) -> None:
    if standalone.simulates(shown):
        st.caption(
            "While a simulation runs, data and pictures hold the samples so far; the notebook computes all samples."
        )
    rows(export.bundle(export.figures_of(shown, picture, claim)), picture.filename)
    certificate(shown, picture.filename)


def rows(texts: Mapping[str, str], name: str) -> None:
    """Draw the buttons of a bundle: all in one zip, and each of its files that stands alone.

    Parameters
    ----------
    texts : mapping of str to str
        Of `export.bundle`.
    name : str
        Of the downloads.
    """
    name = _safe(name)
    with _row("All these files, the figure as SVG and PNG, and a README."):
        _ZIP(key="pv_zip", data=json.dumps({"name": name, "files": texts}).encode())
    for label, words, file, ending, mime in (
        ("Data (CSV)", "Every number in the figure, with all digits.", "data.csv", ".csv",
         "text/csv"),
        ("Notebook (Jupyter)", "Computes and draws the figure again; it needs only privsc_core.",
         "notebook.ipynb", ".ipynb", "application/x-ipynb+json"),
        ("References (BibTeX)", "The references for this figure, and for this program.",
         "references.bib", ".bib", "application/x-bibtex"),
        ("Manifest (JSON)", "Parameters, seed, versions and theorems, for programs.",
         "manifest.json", ".json", "application/json"),
    ):  # fmt: skip
        with _row(words):
            st.download_button(
                label, data=texts[file], file_name=f"{name}{ending}", mime=mime,
                on_click="ignore", key=f"pv_take_{file}", width="stretch",
            )  # fmt: skip


def tables(pictures: Sequence[Picture]) -> None:
    """Draw the buttons of the data of some figures."""
    with st.container(horizontal=True):
        for picture in pictures:
            st.download_button(
                f"{picture.title} (CSV)", data=export.data_csv(picture), mime="text/csv",
                file_name=f"{picture.filename}.csv", key=f"pv_take_{picture.filename}",
                on_click="ignore",
            )  # fmt: skip


def certificate(shown: export.Shown, name: str) -> None:
    """Draw the button of the certificate; the command where the arithmetic is not installed."""
    missing = export.uncertified(shown)
    if len(missing) == len(shown.learners) + len(shown.bounds):
        st.caption("No number of this figure has a certificate, because all are simulated.")
        return
    words = (
        "For each number at this setting two decimals between which it lies, proved by ball arithmetic; privsc "
        "certify checks the proof."
    )
    if missing:
        words += f" *Not certified:* {', '.join(missing)}."
    if not export.certifiable():
        st.caption("Certified numbers, on a computer that has `privsc[certify]`:")
        st.code(export.certificate_command(shown), language="bash", wrap_lines=True)
        return

    with _row(words):
        made(
            "Certificate (JSON)", export.certificate, shown, kind=("certificate", shown.scenario.concept),
            name=f"{_safe(name)}-certificate.json", mime="application/json", key="pv_take_certificate",
        )  # fmt: skip


def made(
    label: str,
    function: Callable[..., str | bytes],
    *arguments: Hashable,
    kind: Hashable,
    name: str,
    mime: str,
    key: str,
) -> None:
    """Draw the button of a file that is made when it is asked for, in the worker.

    Parameters
    ----------
    label : str
        On the button.
    function : callable
        Makes the file of the arguments.
    kind : hashable
        See `scheduler`.
    name, mime, key : str
        Of the file, and of the button.
    """

    def start() -> Task:
        return scheduler.start(function, *arguments, kind=kind)

    def data() -> str | bytes:
        with start() as job:
            found: str | bytes = job.result()
        return found

    asked = st.download_button(
        label, data=data, file_name=name, mime=mime, key=key, width="stretch"
    )
    if asked:  # the file is made elsewhere; its computation is everybody's
        watch([start])


def _row(words: str) -> st.delta_generator.DeltaGenerator:
    """Return the place of a button, with what it gives beside it."""
    button, meaning = st.columns([1, 2.4], gap="xsmall", vertical_alignment="center")
    meaning.markdown(words)
    return button


def _standalone(
    shown: export.Shown, picture: Picture, fields: Mapping[str, state.Field], claim: str
) -> None:
    film(
        {name: fields[name] for name in standalone.choices(shown, fields)},
        shown.scenario.concept_class.parameter,
        functools.partial(standalone.positions, shown),
        lambda name, stops: standalone.of_shown(shown, name, stops, claim),
        picture.filename,
    )


@st.fragment
@shell.guard()
def film(
    sliders: Mapping[str, state.Field],
    known: Callable[[str], Parameter],
    positions: Callable[[str, tuple[float, ...]], list[float]],
    make: Callable[[str, tuple[standalone.Stop, ...]], standalone.Film],
    filename: str,
) -> None:
    """Draw the choice of a slider and the button of the file.

    Parameters
    ----------
    sliders : mapping of str to Field
        What the slider may move, by name.
    known : callable
        Name -> parameter.
    positions : callable
        (name, the page's stops) -> where it stops.
    make : callable
        (name, stops) -> what the file shows.
    filename : str
        Of the figure.
    """
    st.markdown(
        "The figure with a slider, in one file of about 2 MB. The file opens from a disk or any web space, without "
        "this server and without the internet."
    )
    choice, button = st.columns([2.4, 1], vertical_alignment="bottom")
    name = choice.selectbox(
        "The slider moves", list(sliders), key="pv_html_axis",
        format_func=lambda item: f"{known(item).symbol}: {known(item).meaning}",
    )  # fmt: skip
    item = sliders[name]
    stops = tuple(
        standalone.Stop(value, number(value), here({item.key: item.written(value)}))
        for value in positions(name, item.stops)
    )
    made = make(name, stops)
    asked = button.download_button(
        "One HTML file",
        data=lambda: standalone.page(made),
        file_name=f"{_safe(filename)}-over-{item.key}.html",
        mime="text/html",
        key="pv_take_html",
        width="stretch",
    )
    st.caption(
        f"{len(stops)} positions of {known(name).symbol} are computed at the click, which "
        f"can take some seconds.{made.cut}"
    )
    if asked:  # the file is made elsewhere; its computations are everybody's
        watch(standalone.jobs(made))


def _recipe(shown: export.Shown) -> None:
    st.caption("Python: draws the figure and prints its data")
    st.code(export.python_snippet(shown), language="python")
    st.caption("Command line: prints the figure's data, all digits")
    st.code(export.figure_command(shown), language="bash", wrap_lines=True)
    st.caption("Command line: the least m of every learner")
    st.code(export.command_line(shown.scenario), language="bash", wrap_lines=True)
    ending()


def ending() -> None:
    """Draw what the page's address ends with."""
    pairs = "&".join(f"{key}={value}" for key, value in state.link().items())
    st.caption("The link's ending")
    st.code(f"?{pairs}" if pairs else "(the page's plain address)", language=None)


def here(changes: Mapping[str, str]) -> str:
    """Return the page's address with its settings; nothing where it cannot be told."""
    try:
        return address(st.context.url or "", {**state.link(), **changes}, Shared())
    except InputError:  # no browser, or an address that is none
        return ""


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._,()-]+", "-", name)
