"""What a visitor sees while the programs are on their way: words, numbers and a still picture.

The page's own default setting, computed when the server starts: true at once, also without any
program. When the live figure is drawn it goes (first.js). The address of the visitor has no part
in it, which is why every still says that it shows the default setting. Of pages beside the home page
and the classes these are their first words, which go when the page has them.
"""

from __future__ import annotations

import contextlib
import html
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pages.shared.chart import chart
from pages.shared.chart.payload import Look
from pages.shared.frame import search, shell, sitemap
from pages.shared.frame.sitemap import HEADS
from pages.shared.host import opening
from pages.shared.page import declaration, lines
from pages.shared.page.class_controls import SLIDERS
from pages.shared.page.declaration import CARDS, HEIGHT, scenario_of
from pages.shared.take.standalone import sentence
from privsc_core import draw
from privsc_core.draw.still import still
from privsc_core.errors import InputError
from privsc_core.evaluate import views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pages.shared.page.declaration import ClassPage
    from pages.shared.scheduling.scheduler import Task
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.curves import Numbers
    from privsc_core.evaluate.scenario import Scenario


# -------------------------------------------------------------------------------------------------
# A class page before a control is moved: what it shows, and what will be asked for next.


def first(page: ClassPage) -> tuple[Scenario, Picture, Numbers]:
    """Return what the page shows before any control was moved: setting, main figure, numbers."""
    scenario = scenario_of(page, {name: item.default for name, item in page.settings.items()})
    picture = draw.picture(scenario, on_map=page.on_map, trials=0)
    return scenario, picture, views.numbers(scenario)


def likely(page: ClassPage) -> Iterator[Callable[[], None]]:
    """Yield computations that visitors of the first view will ask for: moves of one control.

    First the strips by which it is followed. No more: what is prepared keeps a processor busy while
    people come in, and two moved controls are a setting that no visitor had before.
    """
    settings = page.settings
    first = {name: item.default for name, item in settings.items()}
    look = Look("m", page.on_map, HEIGHT)
    sizeless = scenario_of(page, first).sizeless
    for name in SLIDERS:
        if (
            name in settings
            and settings[name].key in page.controls
            and not (sizeless and name == "d")
        ):
            with contextlib.suppress(InputError):
                stops = settings[name].stops
                asked = scenario_of(page, first), look, name, stops, page.told
                yield partial(_done, chart.strip, *asked)
    moves: list[dict[str, Any]] = [
        *({"d": int(stop)} for stop in settings["d"].stops if not sizeless),
        *({"epsilon": stop} for stop in settings["epsilon"].stops),
    ]
    for moved in moves:
        with contextlib.suppress(InputError):
            yield partial(chart.prepare, scenario_of(page, first | moved), look, page.told)


def _done(start: Callable[..., Task], *asked: Any) -> None:
    start(*asked).result()


_HERE = Path(__file__).parent
_WAIT = (
    '<span class="pv-first-wait">Controls follow<span class="pv-first-asked">, and with them the '
    "setting of your link</span>.</span>"
)
_WITHOUT = (
    " <noscript><style>.pv-first-wait{display:none}</style>Moving the controls needs JavaScript. "
    "Without it the same numbers come from the command line (<code>privsc need --concept point "
    "-d 64</code>) and from Python (<code>import privsc_core</code>).</noscript>"
)
_CONFIG = Path(__file__).parents[3] / ".streamlit" / "config.toml"


def documents() -> Iterator[tuple[str, str]]:
    """Yield name and document of every page that a browser may be sent first.

    The still of a class takes as long as its figure and its numbers: about a second for all.
    """
    for _, entries in sitemap.PAGES:
        for label, file in entries:
            name = sitemap.address(file)
            if sitemap.file_of(name):
                page = declaration.declared(file)
                yield name, _document(page.heading, name, _class(page))
            elif not name:
                yield name, _document(lines.TITLE, name, _home())
            else:
                yield name, _document(label, name, _words(name))


def plain() -> Iterator[tuple[str, str]]:
    """Yield the same pages without a still: they cost nothing."""
    for _, entries in sitemap.PAGES:
        for label, file in entries:
            yield sitemap.address(file), _document(label, sitemap.address(file))


def _document(title: str, name: str, main: str = "") -> str:
    program = (_HERE / "first.js").read_text(encoding="utf-8").replace("PAGE", name)
    body = ""
    if main:
        names = ("frame/cards.css", "chart/still.css", "page/home.css", "page/first.css")
        style = "".join((_HERE.parent / name).read_text(encoding="utf-8") for name in names)
        body = (
            f'<div id="pv-first"><style>{_theme()}{shell.tones()}{style}</style>'
            f'{_sidebar(name)}<div class="pv-first-main">{main}</div></div>'
        )
    return opening.document(
        f"{html.escape(title)} · privsc", f"{body or _WITHOUT}<script>{program}</script>"
    )


def _theme() -> str:
    """Return the colours and the font of the theme as a style sheet."""
    theme = tomllib.loads(_CONFIG.read_text(encoding="utf-8"))["theme"]

    def colours(name: str) -> str:
        one = theme[name]
        return (
            f"color-scheme:{name};--pv-paper:{one['backgroundColor']};--pv-ink:{one['textColor']};"
            f"--pv-border:{one['borderColor']};--pv-side:{one['sidebar']['backgroundColor']};"
            f"--pv-side-soft:{one['sidebar']['secondaryBackgroundColor']}"
        )

    dark = colours("dark")
    return (
        f"#pv-first{{--pv-font:{theme['font']};{colours('light')}}}"
        f"@media(prefers-color-scheme:dark){{html:not([data-pv-theme]) #pv-first{{{dark}}}}}"
        f"[data-pv-theme=dark] #pv-first{{{dark}}}"
    )


def _sidebar(here: str) -> str:
    groups = []
    for group, entries in sitemap.PAGES:
        links = "".join(
            f'<a href="./{sitemap.address(file)}"'
            f"{' aria-current=page' if sitemap.address(file) == here else ''}>{html.escape(label)}</a>"
            for label, file in entries
        )
        groups.append(f'<p class="pv-group">{html.escape(group)}</p>{links}')
    return f'<nav aria-label="Pages">{search.button()}{"".join(groups)}</nav>'


def _words(name: str) -> str:
    """Return heading and first words of a page; all of it comes with its program."""
    head = HEADS[name]
    claim = f"{sentence(head.claim)}<br>" if head.claim else ""
    return (
        f'<h1>{html.escape(head.title)}</h1><div class="pv-first-claim"><p>{claim}<small '
        'class="pv-first-wait" data-first-coming>The rest of this page is on its way.</small>'
        f"{_WITHOUT}</p></div>"
    )


def _class(page: ClassPage) -> str:
    scenario, picture, numbers = first(page)
    caption = f"Default setting: {picture.caption}"
    return (
        f"<h1>{html.escape(page.heading)}</h1>"
        f'<div class="pv-first-claim"><p>{sentence(page.claim)}<br><small>'
        f"{html.escape(caption)} {_WAIT}</small>{_WITHOUT}</p>{page.sketch}</div>"
        f"{shell.cards_drawn(*page.in_hues(page.cards(numbers, scenario)[:CARDS]))}"
        f"{still(replace(picture, caption=caption))}"
    )


def _home() -> str:
    _, picture = lines.first()
    caption = f"Default setting: {picture.caption}"
    rows = "".join(
        f"<div>{lines.small(declaration.declared(file))}"
        f'<p><a href="./{sitemap.address(file)}"><b>{html.escape(label)}</b></a></p>'
        f"<p>{html.escape(declaration.declared(file).heading)}</p></div>"
        for label, file in sitemap.classes()
    )
    return (
        f'<h1 class="pv-first-home">{html.escape(lines.TITLE)}</h1>'
        f"<p>{sentence(lines.CLAIM)} {_WAIT}{_WITHOUT}</p>"
        f'<div class="pv-first-map">{still(replace(picture, caption=caption))}</div>'
        f'<h2>Concept classes</h2><div class="pv-first-doors">{rows}</div>'
    )
