"""What the slowest ends of the controls cost: processor time of what a page asks there, one core.

`python -m tests.benchmarks ends [page ...]` moves every slider and every choice of the pages (by their
names in addresses, all of them if none is named) to its ends, the others as they are at first; and on class
pages d together with each distribution and each learner. There it asks for the cards and for every figure;
of exhibits and of other pages what they compute at the ends of their own controls. Prints the slowest. Every
setting has a process of its own, so that no table is filled yet; what takes a minute is stopped.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from pages.shared.chart import payload
from pages.shared.frame.sitemap import PAGES, address, file_of
from pages.shared.page.declaration import HEIGHT, declared, scenario_of
from pages.shared.scheduling import scheduler
from pages.shared.state.fields import EVERYWHERE, PRESENTING
from pages.shared.state.link import write
from privsc_core import draw
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from tests.pages import app
from tests.pages.addresses import PAGES as FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pages.shared.page.declaration import ClassPage
    from pages.shared.state.link import Field

SHOWN = 30
LIMIT = 60.0  # seconds of a processor
ASIDE = {
    "pin",
    "tab",
    "open",
    "on_map",
    "view",
    "seed",
}  # what no figure depends on, or all are asked for


def main(*names: str) -> None:
    """Print the slowest questions of pages."""
    files = [file for _, group in PAGES for _, file in group]
    found = []
    for file in files:
        name = address(file)
        if names and name not in names:
            continue
        begun, count = time.monotonic(), len(found)
        for asked in of_class(declared(file)) if file_of(name) else of_page(file):
            found += apart(*asked)
        took = time.monotonic() - begun
        print(f"{name or 'home':14}{len(found) - count:6} questions, {took:.0f} s", flush=True)
    for seconds, where, what in sorted(found, reverse=True)[:SHOWN]:
        print(f"{seconds:8.2f} s  {what:12}{where}")


def apart(
    where: str, asks: Callable[[], Iterator[tuple[str, float]]]
) -> list[tuple[float, str, str]]:
    """Return seconds, setting and name of questions that a process of their own asks one by one."""
    read, written = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            signal.setitimer(signal.ITIMER_PROF, LIMIT)  # ends the process
            with (
                os.fdopen(written, "w", buffering=1, encoding="utf-8") as out,
                contextlib.suppress(InputError),
            ):
                for what, seconds in asks():
                    out.write(f"{what}\t{seconds}\n")
                    signal.setitimer(signal.ITIMER_PROF, LIMIT)
        finally:
            os._exit(0)
    os.close(written)
    with os.fdopen(read, encoding="utf-8") as lines:
        told = [line.split("\t") for line in lines]
    found = [(float(seconds), where, what) for what, seconds in told]
    if os.waitpid(child, 0)[1] == signal.SIGPROF:
        found.append((LIMIT, where, "stopped"))
    return found


def spent(run: Callable[[], object]) -> float:
    """Return the processor time of a call in seconds; a refusal counts as well."""
    begun = time.process_time()
    with contextlib.suppress(InputError):
        run()
    return time.process_time() - begun


# --- Class pages: cards and figures ---------------------------------------------------------------


def of_class(page: ClassPage) -> Iterator[tuple[str, Callable[[], Iterator[tuple[str, float]]]]]:
    """Yield settings of a class page, and what is asked there."""
    known = {}
    for moved in (*moves(page), *with_d(page)):
        known[repr(sorted(moved.items()))] = moved
    for moved in known.values():
        where = f"{page.slug}: " + (", ".join(f"{k} = {v}" for k, v in moved.items()) or "at first")
        for view in draw.VIEWS:
            yield f"{where}, {view}", partial(asked, page, moved, view)
    yield from of_exhibits(page)


def asked(page: ClassPage, moved: dict[str, Any], view: str) -> Iterator[tuple[str, float]]:
    """Yield what the page asks at a setting, and what it takes."""
    first = {name: item.default for name, item in page.settings.items()}
    scenario = scenario_of(page, first | moved)
    alone = moved.get("learners", ())
    look = payload.Look(view, alone[0] if alone else page.on_map, HEIGHT)
    if view == "m":
        names = tuple(sorted({*page.told, *scenario.learners}))
        yield "cards", spent(partial(views.numbers, scenario, names))
    yield "figure", spent(partial(payload.main_figure, scenario, look, scenario.trials))


def moves(page: ClassPage) -> Iterator[dict[str, Any]]:
    """Yield the first view and every control of a page by itself at each of its ends."""
    yield {}
    for name, item in page.settings.items():
        if name in ASIDE:
            continue
        law = {"distribution": name.partition(".")[0]} if "." in name else {}
        for end in ends(item):
            yield law | {name: end}


def with_d(page: ClassPage) -> Iterator[dict[str, Any]]:
    """Yield each learner alone on each distribution at the first d and at the last one that it has."""
    first = {name: item.default for name, item in page.settings.items()}
    for law in page.settings["distribution"].choices:
        for learner in page.settings["learners"].choices:
            stops = []
            for stop in page.settings["d"].stops:
                moved = {"d": int(stop), "distribution": law, "learners": (learner,)}
                with contextlib.suppress(InputError):
                    scenario = scenario_of(page, first | moved)
                    if stop <= scenario.chosen[0].most_d(scenario.law):
                        stops.append(moved)
            yield from (stops[:1] + stops[-1:] if len(stops) > 1 else stops)


def ends(item: Field) -> list[Any]:
    """Return both ends of a number, every word of a choice, and each of several choices alone."""
    if item.kind in {"integer", "number"}:
        cast = int if item.kind == "integer" else float
        stops = item.stops or (item.low, item.high)
        return [cast(stops[0]), cast(stops[-1])]
    if item.kind == "choice":
        return list(item.choices)
    return [(word,) for word in item.choices] if item.kind == "choices" else []


# --- Exhibits and other pages: what they compute, as they run -------------------------------------


def of_exhibits(page: ClassPage) -> Iterator[tuple[str, Callable[[], Iterator[tuple[str, float]]]]]:
    """Yield settings of the exhibits of a class page."""
    d = page.settings["d"]
    file = f"pages/{page.slug}.py"
    for section in page.sections:
        opened = {"open": (section.name,), PRESENTING["present"].key: True}
        for item in (d, page.settings["epsilon"], *section.fields):
            for end in ends(item):
                where = f"{page.slug}: {section.name}, {item.key} = {end}"
                yield where, partial(run, file, opened | {item.key: end})


def of_page(file: str) -> Iterator[tuple[str, Callable[[], Iterator[tuple[str, float]]]]]:
    """Yield settings of a page that is about no one class."""
    name = address(file) or "home"
    yield f"{name}: at first", partial(run, file, {})
    for item in FIELDS.get(address(file), ()):
        for end in ends(item):
            yield f"{name}: {item.key} = {end}", partial(run, file, {item.key: end})


def run(file: str, moved: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """Run a page with a link; yield what it has computed, and what each of that took."""
    told: list[tuple[str, float]] = []

    def start(function: Callable[..., Any], *given: Any, **options: Any) -> Done:
        for name in ("kind", "run_in", "priority", "kept"):
            options.pop(name, None)
        done = Done(partial(function, *given, **options))
        told.append((function.__name__, done.seconds))
        return done

    scheduler.start = start  # type: ignore[assignment]
    app.run(file, **{key: str(value) for key, value in linked(file, moved).items()})
    yield from told


def linked(file: str, moved: dict[str, Any]) -> dict[str, str]:
    """Return the parameters of a link to a page."""
    known = {
        item.key: item
        for item in (*FIELDS.get(address(file), ()), *EVERYWHERE, *PRESENTING.values())
    }
    return dict(
        write({key: item.default for key, item in known.items()} | moved, tuple(known.values()))
    )


class Done:
    """A task of the scheduler that has been computed at once."""

    state, ahead, pool = "done", 0, None

    def __init__(self, call: Callable[[], Any]) -> None:
        begun = time.process_time()
        self.value: Any = None
        self.refused: InputError | None = None
        try:
            self.value = call()
        except InputError as refused:
            self.refused = refused
        self.seconds = time.process_time() - begun

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def wait(self, _: float) -> bool:
        return True

    def leave(self) -> None:
        pass

    linger = leave

    def result(self) -> Any:
        if self.refused is not None:
            raise self.refused
        return self.value
