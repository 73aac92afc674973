"""How to get a figure and its numbers elsewhere: Python and the command line."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import TYPE_CHECKING

from privsc_core import draw

if TYPE_CHECKING:
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.export.shown import Shown

__all__ = ["command_line", "drawing", "figure_command", "python_snippet", "setting"]

_WIDTH = 88
# The frames of the figures, with as many points as a person wants to read.
_RANGES = {"m": "10:10000:25:log", "d": "2:10000:25:log", "epsilon": "0.02:10:25:log"}
_OPTIONS = {"m": "-m", "d": "-d", "epsilon": "--epsilon", "alpha": "--alpha", "beta": "--beta",
            "delta": "--delta"}  # fmt: skip


def command_line(scenario: Scenario) -> str:
    """Return the command that prints the least number of samples of the shown learners."""
    return _command("need", scenario, scenario.learners, {})


def figure_command(shown: Shown) -> str:
    """Return the command that prints what is on the figure's vertical axis, or of a map its cells.

    The command line has a grid of its own; each number on it is the same function's.
    """
    chosen = draw.VIEWS[shown.view]
    axes = {name: _RANGES[name] for name in chosen.axes}
    if shown.is_map:
        axes = {name: text.replace(":25:", ":9:") for name, text in axes.items()}
    verb = "need" if chosen.quantity == "m" else "success"
    return _command(verb, shown.scenario, [e.name for e in shown.learners], axes)


def _command(verb: str, scenario: Scenario, learners: object, axes: dict[str, str]) -> str:
    names = ",".join(learners) or "all"  # type: ignore[arg-type]
    words = [
        "privsc", verb, "--concept", shlex.quote(scenario.concept), "--learner", names,
        # Quoted always: every shell has its own idea of parentheses.
        "--distribution", f"'{scenario.law.label}'",
    ]  # fmt: skip
    for name, option in _OPTIONS.items():
        if name == "m" and verb == "need":
            continue
        if name == "delta" and not scenario.delta:
            continue
        words += [option, axes.get(name, repr(getattr(scenario, name)))]
    words += ["--trials", str(scenario.trials), "--seed", str(scenario.seed)]
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
    return f"draw.picture(scenario, {shown.view!r}{learner})"


def python_snippet(shown: Shown) -> str:
    """Return a program that draws the figure again and prints its data as CSV."""
    return f"""import privsc_core as pv
from privsc_core import draw, export

scenario = {setting(shown.scenario)}
picture = {drawing(shown)}
draw.plotly_figure(picture).show()
print(export.data_csv(picture))
"""
