"""How to get a figure and its numbers elsewhere: Python and the command line."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import TYPE_CHECKING

from privsc_core.evaluate.pinned import moved

if TYPE_CHECKING:
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.export.shown import Shown

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
    if shown.pinned:
        changed = {each.name: each.before for each in moved(shown.pinned, shown.scenario)}
        for name, value in (changed or {"d": shown.pinned.d}).items():
            who += ["--pin", f"'{name}={value}'"]
    return _command("figure", shown.scenario, who) + " --csv"


def _command(verb: str, scenario: Scenario, who: list[str], without: str = "") -> str:
    simulated = ["--trials", str(scenario.trials), "--seed", str(scenario.seed)]
    return " ".join([named_setting(verb, scenario, who, without), *simulated])


def named_setting(verb: str, scenario: Scenario, who: list[str], without: str = "") -> str:
    """Return a command with the setting by name, without what only simulations have."""
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
