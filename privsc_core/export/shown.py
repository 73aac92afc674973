"""Which figure is taken away, and how to get it elsewhere: Python, command line, certificates."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from privsc_core import draw, progress
from privsc_core.errors import InputError
from privsc_core.evaluate.certificate import answer, lacking
from privsc_core.evaluate.pinned import moved
from privsc_core.evaluate.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privsc_core.concepts.contracts import Bound, Distribution, Learner, Source
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario


# It is written into Markdown, Python and BibTeX: nothing in it may end a line or a bracket there.
_LINK = re.compile(r"https?://[A-Za-z0-9._~:/?#\[\]@!$&()*+,;=%-]{1,8000}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Entries:
    """The learners, the distribution and the bounds of the catalog that are in figures."""

    learners: tuple[Learner, ...]
    law: Distribution
    bounds: tuple[Bound, ...]

    @property
    def behind(self) -> list[Source]:
        """Where they come from."""
        entries: tuple[Learner | Distribution | Bound, ...]
        entries = *self.learners, self.law, *self.bounds
        return [entry.source for entry in entries]


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure of a scenario: hashable, so what is made of it can be cached.

    Attributes
    ----------
    scenario : Scenario
        The setting, the learners and the constants of the bounds.
    view : str
        A name in `draw.VIEWS`.
    on_map : str
        The learner of a map; of no meaning elsewhere.
    link : str
        The address that shows it; empty if there is none.
    pinned : Scenario, optional
        The setting whose curves are drawn thin beside it.
    """

    scenario: Scenario
    view: str = "m"
    on_map: str = ""
    link: str = ""
    pinned: Scenario | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown view and what is no address; settle the learner of a map."""
        if self.view not in draw.VIEWS:
            raise InputError("view", f"must be one of {', '.join(draw.VIEWS)}", self.view)
        if self.link and not _LINK.fullmatch(self.link):
            raise InputError("link", "must be an address that begins with http", self.link)
        chosen = ""
        if self.is_map:
            concept = self.scenario.concept_class
            known = [e.name for e in concept.learners]
            chosen = self.on_map or concept.mapped(self.scenario.law.name)
            if chosen not in known:
                raise InputError("on_map", f"must be one of {', '.join(known)}", chosen)
        object.__setattr__(self, "on_map", chosen)

    @property
    def is_map(self) -> bool:
        """Whether it is a map of success."""
        return draw.VIEWS[self.view].quantity == "map"

    @property
    def learners(self) -> tuple[Learner, ...]:
        """The learners in the figure."""
        if self.is_map:
            return tuple(e for e in self.scenario.concept_class.learners if e.name == self.on_map)
        return self.scenario.drawn

    @property
    def _listed(self) -> tuple[Bound, ...]:
        return tuple(e for e in self.scenario.bounds if e != self.scenario.own)

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds of the catalog that speak in the figure."""
        if not self.is_map:
            return tuple(e for e in self._listed if self.scenario.applies(e))
        if "m" not in draw.VIEWS[self.view].axes:
            return ()
        return tuple(
            e
            for e in self._listed
            if self.scenario.holds(e) and any(e.binds(learner) for learner in self.learners)
        )

    @property
    def entries(self) -> Entries:
        """What of the catalog is in it."""
        return Entries(self.learners, self.scenario.law, self.bounds)

    @property
    def behind(self) -> list[Source]:
        """Where it comes from."""
        return self.entries.behind

    def picture(self) -> Picture:
        """Draw it, with all of its simulated samples."""
        return draw.picture(self.scenario, self.view, on_map=self.on_map, pinned=self.pinned)


# --- How to get it elsewhere: Python and the command line ------------------------------------------


_WIDTH = 88
_OPTIONS = {"m": "-m", "d": "-d", "epsilon": "--epsilon", "alpha": "--alpha", "beta": "--beta",
            "delta": "--delta", "u": "-u"}  # fmt: skip


def command_line(scenario: Scenario) -> str:
    """Return the command that prints the least number of samples of every learner of the class.

    Of all, as the table of the page: a name that has no answer here would be an error.
    """
    return _command("need", scenario, ["--learner", "all"], without="m")


def figure_command(shown: Shown) -> str:
    """Return the command that prints the numbers behind the figure: those of `data_csv`."""
    # The frame of a map depends on the learners that are shown beside it.
    who = ["--learner", ",".join(shown.scenario.learners) or "none"]
    who += ["--map", shown.on_map] if shown.is_map else []
    who += ["--view", shown.view, "--constants", shown.scenario.constants]
    who += ["--regions", ",".join(shown.scenario.regions)] if shown.scenario.regions else []
    who += ["--formula", f"'{shown.scenario.formula}'"] if shown.scenario.formula else []
    if shown.pinned:
        changed = {each.name: each.before for each in moved(shown.pinned, shown.scenario)}
        for name, value in (changed or {"d": shown.pinned.d}).items():
            who += ["--pin", f"'{name}={value}'"]
    return _command("figure", shown.scenario, who) + " --csv"


def _command(verb: str, scenario: Scenario, who: list[str], without: str = "") -> str:
    simulated = ["--trials", str(scenario.trials), "--seed", str(scenario.seed)]
    return " ".join([named_setting(verb, scenario, who, without), *simulated])


def named_setting(verb: str, scenario: Scenario, who: list[str], without: str = "") -> str:
    """Return a command with the setting by name, without trials and seed."""
    words = [
        "privsc", verb, "--concept", shlex.quote(scenario.concept), *who,
        # Quoted always: every shell has its own idea of parentheses.
        "--distribution", f"'{scenario.law.label}'",
    ]  # fmt: skip
    for name, option in _OPTIONS.items():
        if name != without and (name not in {"delta", "u"} or getattr(scenario, name)):
            words += [option, repr(getattr(scenario, name))]
    return " ".join(words)


def setting(scenario: Scenario) -> str:
    """Return the Python expression that makes the scenario again."""
    lines: list[str] = []
    line = ""
    for item in fields(scenario):
        if item.name in {"regions", "formula"} and not getattr(scenario, item.name):
            continue
        part = f"{item.name}={getattr(scenario, item.name)!r},"
        if line and len(line) + len(part) + 5 > _WIDTH:
            lines.append(line)
            line = ""
        line = f"{line} {part}".strip()
    body = "".join(f"    {text}\n" for text in [*lines, line])
    return f"pv.Scenario(\n{body})"


def drawing(shown: Shown) -> str:
    """Return the Python expression that draws the figure of the name `scenario`."""
    learner = f", on_map={shown.on_map!r}" if shown.is_map else ""
    pinned = ", pinned=pinned" if shown.pinned else ""
    return f"draw.picture(scenario, {shown.view!r}{learner}{pinned})"


def settings(shown: Shown) -> str:
    """Return the Python lines that make the scenario again, and what is pinned beside it."""
    pinned = f"pinned = {setting(shown.pinned)}" if shown.pinned else ""
    return "\n".join(filter(None, [f"scenario = {setting(shown.scenario)}", pinned]))


def python_snippet(shown: Shown) -> str:
    """Return a program that draws the figure again and prints its data as CSV."""
    return f"""import privsc_core as pv
from privsc_core import draw, export

{settings(shown)}
picture = {drawing(shown)}
draw.plotly_figure(picture).show()
print(export.data_csv(picture))
"""


# --- Its numbers at its setting, each with a proof of its digits -----------------------------------


def certifiable() -> bool:
    """Return whether python-flint, which is optional, is there."""
    return find_spec("flint") is not None


def uncertified(shown: Shown) -> list[str]:
    """Return the titles of the shown learners and bounds that have no certificate."""
    return [title for who, title in _titles(shown) if _without(shown, None, who)]


def certificate(shown: Shown) -> str:
    """Return the certificates as JSON, as the command line prints them; takes seconds.

    Of each learner and bound of the figure the least m, and success (or what the bound allows or
    promises) at the m of the setting.
    """
    asked = [(m, who) for who, _ in _titles(shown) for m in (None, shown.scenario.m)]
    records = [
        answer(_asked(shown, m, who))
        for m, who in progress.steps(asked)
        if m is None or not _without(shown, m, who)
    ]
    lines = [json.dumps(record, allow_nan=False) for record in records]
    return "[" + ",\n ".join(lines) + "]\n"


def certificate_command(shown: Shown) -> str:
    """Return the command that prints the certificates of the least numbers of samples."""
    learners = ",".join(entry.name for entry in shown.learners)
    bounds = ",".join(entry.name for entry in shown.bounds)
    who = ["--learner", learners] if learners else []
    who += ["--bound", bounds] if bounds else []
    return named_setting("certify", shown.scenario, who, without="m")


def _titles(shown: Shown) -> Iterator[tuple[dict[str, Any], str]]:
    for entry in shown.learners:
        yield {"learner": entry.name, "distribution": shown.scenario.law.label}, entry.title
    for bound in shown.bounds:
        words = bound.title if "bound" in bound.title.lower() else f"{bound.title} (bound)"
        yield {"bound": bound.name}, words


def _asked(shown: Shown, m: int | None, who: dict[str, Any]) -> Question:
    at = shown.scenario
    return Question(at.concept, m=m, **who, **at.settings(), u=at.u)


def _without(shown: Shown, m: int | None, who: dict[str, Any]) -> bool:
    """Return whether a number has no certificate whatever the setting, though it exists at this one."""
    try:
        return bool(lacking(_asked(shown, m, who)))
    except InputError:  # it does not exist at this setting, and is not in the figure
        return False
