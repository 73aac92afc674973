"""The numbers of a figure at its setting, each with a proof of its digits."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from privsc_core import progress
from privsc_core.errors import InputError
from privsc_core.evaluate.certificate import answer, lacking
from privsc_core.evaluate.question import Question
from privsc_core.export.recipe import named_setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privsc_core.export.shown import Shown


def certifiable() -> bool:
    """Return whether python-flint, which is optional, is there."""
    return find_spec("flint") is not None


def uncertified(shown: Shown) -> list[str]:
    """Return the titles of what the figure shows and has no certificate."""
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
