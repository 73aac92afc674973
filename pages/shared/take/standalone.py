"""The figure with a slider in one HTML file: no server, no network, the page's own chart inside.

Pure: nothing here knows Streamlit's session. The file may talk to no server: its security policy
forbids every request and every program but the two that are in it.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Semaphore
from typing import TYPE_CHECKING, Any

from pages.shared.chart.payload import of_picture
from pages.shared.host import static_files
from pages.shared.scheduling import scheduler
from privsc_core import __version__, draw, export
from privsc_core.draw.still import still
from privsc_core.errors import InputError
from privsc_core.evaluate.pinned import moved
from privsc_core.literature.wording import told

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pages.shared.scheduling.scheduler import Task
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.literature.papers import Paper
    from privsc_core.parameters import Parameter

HEIGHT = 430
# Work is bounded: positions of the slider by the cost of one, d by the end of its axis in other
# pictures, and simulated samples of each position but the page's own.
_POSITIONS = {"success": 25, "map": 13, "m": 13}
_LARGEST_D = 10_000
_SIMULATED = 9
TRIALS = 250

_HERE = Path(__file__).parent
_ONE_AT_A_TIME = Semaphore(1)  # files: each is dozens of computations


@dataclass(frozen=True, slots=True)
class Stop:
    """One position of the slider: the value, how it is written, the page that shows it."""

    value: float
    text: str
    link: str = ""


def _itself(found: Any) -> Picture:
    picture: Picture = found
    return picture


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    """A figure at the positions of a slider, with what stands around it in the file.

    Attributes
    ----------
    title, claim : str
        Above the figure; of the claim's Markdown and LaTeX only ``**``, ``*`` and ``$2^d$`` are read.
    parameter : Parameter
        What the slider moves.
    now : float
        Where it starts.
    stops : tuple of Stop
        Its positions, `now` among them.
    start : callable
        Stop -> the job that draws the figure there.
    picture : callable
        What a job gives -> the picture.
    credit : callable
        Stop -> the line of sources below the figure.
    thanks, cut : str
        The same line for the foot of the file, and what it says is cut short.
    settings : sequence of (str, str)
        Everything that is set where the slider starts, with its names.
    papers : sequence of Paper
        What is referred to.
    bibtex : str
        The same to be cited.
    """

    title: str
    claim: str
    parameter: Parameter
    now: float
    stops: tuple[Stop, ...]
    start: Callable[[Stop], Task]
    picture: Callable[[Any], Picture] = _itself
    credit: Callable[[Stop], str]
    thanks: str
    cut: str = ""
    settings: Sequence[tuple[str, str]]
    papers: Sequence[Paper]
    bibtex: str


def choices(shown: export.Shown, names: Collection[str]) -> list[str]:
    """Return the parameters that a slider can move: those of the figure that no axis has."""
    chosen = draw.VIEWS[shown.view]
    without = set(chosen.axes) | ({"m"} if chosen.quantity == "m" else set())
    if not any(entry.privacy == "approximate" for entry in shown.learners):
        without.add("delta")
    order = ("d", "epsilon", "m", "alpha", "beta", "delta")
    return [name for name in order if name in names and name not in without]


def positions(shown: export.Shown, name: str, stops: tuple[float, ...]) -> list[float]:
    """Return where the slider stops: some of the page's stops, the page's value among them."""
    now = getattr(shown.scenario, name)
    most = _SIMULATED if simulates(shown) else _POSITIONS[draw.VIEWS[shown.view].quantity]
    return thinned(now, [stop for stop in stops if name != "d" or stop <= _LARGEST_D], most)


def thinned(now: float, stops: Sequence[float], most: int) -> list[float]:
    """Return at most so many of some stops, evenly, the first, the last and `now` among them."""
    every = sorted({now, *stops})
    if len(every) <= most:
        return every
    last = len(every) - 1
    kept = {every[round(step * last / (most - 2))] for step in range(most - 1)}
    return sorted({*kept, now})


def cap_words(shown: export.Shown) -> str:
    """Return a sentence about what is cut short at other positions than the page's; may be empty."""
    if not simulates(shown) or shown.scenario.trials <= TRIALS:
        return ""
    return f" At other positions of the slider each point is simulated with {TRIALS} samples, as the captions say."


def of_shown(shown: export.Shown, name: str, stops: tuple[Stop, ...], claim: str) -> Film:
    """Return the film of a figure of a scenario, over one of its parameters."""
    concept = shown.scenario.concept_class
    there = functools.partial(_there, shown, name)
    return Film(
        title=f"{concept.title}: {draw.VIEWS[shown.view].said(concept.size.symbol).lower()}",
        claim=claim, parameter=concept.parameter(name), now=getattr(shown.scenario, name), stops=stops,
        start=lambda stop: _job(there(stop)), credit=lambda stop: export.credit_of(there(stop).behind),
        thanks=export.credit_of(shown.behind), cut=cap_words(shown), settings=_settings(shown),
        papers=export.papers_of(shown.behind), bibtex=export.bibtex_of(shown.behind, shown.link),
    )  # fmt: skip


def page(film: Film) -> str:
    """Return the file."""
    with _ONE_AT_A_TIME:
        found = [_frame(film, stop) for stop in film.stops]
    start = next(place for place, stop in enumerate(film.stops) if stop.value == film.now)
    entry = film.parameter
    frames = [frame for frame, _ in found]
    data = {"frames": frames, "start": start, "symbol": entry.symbol, "words": entry.meaning}
    return _document(film, film.stops[start], found[start][1], _json(data))


def jobs(film: Film) -> list[Callable[[], Task]]:
    """Return the function that starts or joins the computations of the file."""
    return [functools.partial(film.start, stop) for stop in film.stops]


def _frame(film: Film, stop: Stop) -> tuple[dict[str, Any], str]:
    """Return what the program draws at a position, and what is seen where no program runs."""
    said: dict[str, Any] = {"text": stop.text, "link": stop.link}
    try:
        with film.start(stop) as job:
            picture = film.picture(job.result())
    except InputError as refused:
        why = told(refused)
        return said | {"refused": why}, f"<p>{html.escape(why)}</p>"
    sent = json.loads(of_picture(picture, HEIGHT, film.credit(stop)))
    return said | {"sent": sent}, still(picture)


def _job(there: export.Shown) -> Task:
    # Some seconds of work in all: in the worker, where it holds up no other visitor.
    return scheduler.start(export.Shown.picture, there, kind=("frame", there))


def _there(shown: export.Shown, name: str, stop: Stop) -> export.Shown:
    return replace(shown, scenario=_moved(shown, name, stop.value), link=stop.link)


def _moved(shown: export.Shown, name: str, value: float) -> Scenario:
    scenario = shown.scenario
    if value == getattr(scenario, name):
        return scenario
    trials = min(scenario.trials, TRIALS) if simulates(shown) else scenario.trials
    changed: dict[str, Any] = {"trials": trials, name: value}
    return replace(scenario, **changed)


def simulates(shown: export.Shown) -> bool:
    """Return whether a curve of the figure is simulated."""
    law = shown.scenario.law.name
    if draw.VIEWS[shown.view].quantity != "success":
        return False
    return any(entry.laws[law] != "exact" for entry in shown.learners)


# --- the document ------------------------------------------------------------------------------


def _document(film: Film, start: Stop, figure: str, data: str) -> str:
    entry, title = film.parameter, html.escape(film.title)
    own = (_HERE / "standalone.js").read_text(encoding="utf-8")
    programs = [_inside(static_files.plotly_program()), _inside(static_files.chart_program() + own)]
    allowed = " ".join(f"'sha256-{_digest(text)}'" for text in programs)
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    sheets = (_HERE.parent / "chart" / "still.css", _HERE / "standalone.css")
    style = "".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    low, high = entry.ends
    references = "".join(
        f"<li><b>{html.escape(paper.key)}</b> {html.escape(paper.citation)}</li>"
        for paper in film.papers
    )
    settings = "".join(
        f"<dt>{html.escape(key)}</dt><dd>{html.escape(text)}</dd>" for key, text in film.settings
    )
    address = html.escape(start.link)
    link = (
        f'<p id="pv-link">With every control: <a rel="noopener" href="{address}">{address}</a></p>'
    )
    here = html.escape(f"{entry.symbol} = {start.text}")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="privsc {__version__}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>{title} · privsc</title>
<style>{style}</style>
</head>
<body>
<header><h1>{title}</h1><p>{sentence(film.claim)}</p></header>
<main>
<p id="pv-quiet">The figure at {here}. Its slider needs a program inside this file, which does not run
here: save the file, and open it in a browser.</p>
<div class="slider" hidden>
<label for="pv-slider"><output id="pv-value"></output>{html.escape(entry.meaning)}</label>
<input id="pv-slider" type="range" min="0" step="1">
<div class="ends" aria-hidden="true"><span>← {html.escape(low)}</span><span>{html.escape(high)} →</span></div>
</div>
<p id="pv-refused" role="status" hidden></p>
<div id="pv-figure">{figure}</div>
</main>
<footer>
<p>{html.escape(film.thanks)}{html.escape(film.cut)}</p>
{link}
<details><summary>Every setting, at the position where the slider starts</summary>
<dl>{settings}</dl></details>
<details><summary>References, and BibTeX to cite them</summary>
<ul>{references}</ul><pre>{html.escape(film.bibtex)}</pre></details>
</footer>
<script type="application/json" id="pv-frames">{data}</script>
<script>{programs[0]}</script>
<script type="module">{programs[1]}</script>
</body>
</html>
"""


def _settings(shown: export.Shown) -> list[tuple[str, str]]:
    rows = [("picture", draw.VIEWS[shown.view].words), *asdict(shown.scenario).items()]
    if shown.is_map:
        rows.append(("learner on the map", shown.on_map))
    if shown.pinned:
        rows.append(("pinned beside it", beside(shown.pinned, shown.scenario)))

    def text(value: object) -> str:
        return ", ".join(value) if isinstance(value, tuple) else str(value)

    return [(key, text(value)) for key, value in rows]


def beside(pinned: Any, now: Any) -> str:
    """Return in words what is drawn beside the setting of now."""
    other = [f"{each.name} {each.before}" for each in moved(pinned, now)]
    return ", ".join(other) or "the same setting"


def sentence(claim: str) -> str:
    """Return the page's sentence as HTML: escaped first, then the marks that it uses."""
    text = html.escape(claim)
    text = text.replace(r"\varepsilon", "ε")
    text = re.sub(r"\$([^$^]+)\^(?:\{([^$^]+)\}|([^$^]))\$", r"<var>\1<sup>\2\3</sup></var>", text)
    text = re.sub(r"\$([^$]+)\$", r"<var>\1</var>", text)
    text = re.sub(r"\*\*(.+?)\*\*(?!\*)", r"<strong>\1</strong>", text)
    text = re.sub(r"\*(.+?)\*", r"<em>\1</em>", text)
    return re.sub(r"`(.+?)`", r"<code>\1</code>", text)


def _json(data: object) -> str:
    """Return JSON that can stand inside a script element, whatever its texts say."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _inside(program: str) -> str:
    """Return a program of ours as it is; one that would end its element is no program of ours."""
    if re.search(r"</script|<!--", program, re.IGNORECASE):
        raise RuntimeError("a program with </script or <!-- cannot stand inside an HTML file")
    return program


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
