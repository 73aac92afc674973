"""The door of a line over d: the address of its class's page in the state that the line shows."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from pages.shared.chart.payload import Door
from pages.shared.frame import sitemap
from pages.shared.page.declaration import declared
from pages.shared.state import state
from privsc_core.catalog import bound as find_bound
from privsc_core.catalog import learner as find_learner
from privsc_core.literature.papers import papers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pages.shared.page.declaration import ClassPage
    from privsc_core.evaluate.landscape import Course, Standpoint

__all__ = ["doors", "link", "pages", "says"]

_SETTING = ("epsilon", "alpha", "beta")


@functools.cache
def pages() -> dict[str, tuple[str, str, ClassPage]]:
    """Return label, file and declaration of the page of each class, by the name of the class."""
    found = ((name, file, declared(file)) for name, file in sitemap.classes())
    return {page.concept: (name, file, page) for name, file, page in found}


def link(course: Course, at: Standpoint) -> str:
    """Return the address of the page of a line in the state that the line shows."""
    _, file, page = pages()[course.concept]
    fields = page.settings
    values: dict[str, Any] = {name: item.default for name, item in fields.items()}
    # In the order of the page: else it would write the link anew, and Back would lead there.
    learners = tuple(name for name in fields["learners"].choices if name in course.line.shown)
    values |= {"view": "need-d", "learners": learners}
    values |= {name: getattr(at, name) for name in _SETTING if name in fields}
    shown = (find_learner(course.concept, name) for name in course.line.shown)
    if any(entry.privacy == "approximate" for entry in shown):
        values["delta"] = at.delta
    if course.line.kind == "bound":
        constants = find_bound(course.concept, course.line.name).constants
        values["constants"] = fields["constants"].valid(constants) or values["constants"]
    by_key = {item.key: values[name] for name, item in fields.items()}
    query = urlencode(state.write(by_key, tuple(fields.values())), safe=",")
    return f"./{sitemap.address(file)}?{query}"


def says(course: Course) -> str:
    """Return the theorem of a line, and where it is proved."""
    paper, place = papers()[course.line.source.paper], course.line.source.place
    cited = f"{paper.short}, {place}" if paper.bibtex else f"Ours: {place}"
    return f"{course.line.says} {cited}."


def doors(courses: Sequence[Course], at: Standpoint) -> tuple[Door, ...]:
    """Return the door of every line."""
    return tuple(
        Door(course.key, course.line.label, says(course), link(course, at)) for course in courses
    )
