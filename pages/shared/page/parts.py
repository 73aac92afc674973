"""The parts of a page below its first screen: the same names in the same order on every page.

A part is folded at first. What is inside is computed and sent while it is open.
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.frame import shell
from pages.shared.scheduling import gate
from pages.shared.state import controls, state

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from pages.shared.exhibits.exhibit import Exhibit


class Part(NamedTuple):
    """A part of a page.

    Attributes
    ----------
    name : str
        Stands in links (`open=`), also behind the #: fixed for ever.
    title, says : str
        What is written on it; a page may say something else of what it has there.
    """

    name: str
    title: str
    says: str


PARTS = (
    Part("see", "See it", "how to read the figure, and further figures"),
    Part("why", "Why: try it yourself", "what the theorems rest on, by hand"),
    Part("run", "One run", "from the sample to the error, step by step"),
    Part("private", "Is it private?", "change one example, compare the outputs"),
    Part("numbers", "All numbers", "of the learners and the bounds, here"),
    Part("theory", "Theory", "statements, derivations, words, references"),
    Part("take-away", "Take it away", "files, notebook, code, link"),
    Part("practise", "Test yourself", "questions about this setting, with answers"),
)
NAMES = tuple(part.name for part in PARTS)
TIMELESS = "theory"  # the part that is the same at any setting


def _key(part: Part) -> str:
    """Return the key of the container and of the fragment of a part."""
    return f"pv_part_{part.name}"


def named(shown: Collection[str]) -> tuple[str, ...]:
    """Return what the link says that an audience should see, of what an audience can be shown.

    Links of version 1 that leave it out mean all parts of some pages: then nothing is named.
    """
    words = state.words("open")
    if words == state.field_of("open").default_in(1):
        return ()
    return tuple(word for word in words if word in shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of one page.

    Attributes
    ----------
    exhibits : tuple of Exhibit
        Each says in which part it stands.
    setting : callable
        Returns what the exhibits are drawn from.
    fills : mapping of str to callable
        What parts show before their exhibits, by the names of the parts.
    inner : mapping of str to iterable of str
        The names in links of what `fills` draw, likewise.
    says : mapping of str to str
        What the page writes on a part instead of what most pages write, likewise.
    apart : bool
        Whether a control in a part draws that part alone, and a control of an exhibit the exhibit; else
        it draws all that the page draws these in.
    """

    exhibits: tuple[Exhibit, ...]
    setting: Callable[[], Any]
    fills: Mapping[str, Callable[[], None]] = field(default_factory=dict)
    inner: Mapping[str, Iterable[str]] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)
    apart: bool = False

    def inside(self, part: Part) -> tuple[Exhibit, ...]:
        """Return the exhibits of a part."""
        return tuple(one for one in self.exhibits if one.part == part.name)

    def there(self) -> tuple[Part, ...]:
        """Return the parts in which the page has something to show."""
        return tuple(part for part in PARTS if part.name in self.fills or self.inside(part))

    def place(self) -> None:
        """Tell the browser in which part a link behind the # is to be found, and what keys are about parts: see arrive.js."""
        found = {part.name: part.name for part in self.there()}
        found |= {
            name: one.part for one in self.exhibits for name in (one.name, one.anchor or one.name)
        }
        keys = {"v", "open", "tab"} | {item.key for one in self.exhibits for item in one.fields}
        st.html(
            f'<span id="pv-parts" data-of="{html.escape(json.dumps(found))}" '
            f'data-keys="{" ".join(sorted(keys))}" hidden></span>'
        )

    def asks(self, part: Part) -> bool:
        """Return whether the link asks for something in a part."""
        within = self.inside(part)
        names = {*self.inner.get(part.name, ()), *(one.name for one in within)}
        now = state.current()
        tab = part.name == TIMELESS and "tab" in now and now["tab"] != state.field_of("tab").default
        inner = not names.isdisjoint(state.words("open"))
        return inner or tab or any(one.asked for one in within)

    def unfolded(self) -> list[str]:
        """Return the parts that are open and other ones at another setting, as `waiting.afterwards` takes them."""
        item = state.field_of("open")
        return [
            _key(part) for part in self.there()
            if part.name != TIMELESS and controls.unfolded(item, part.name, asked=self.asks(part))
        ]  # fmt: skip

    def draw(self, part: Part) -> None:
        """Draw a part: its title, and what is inside while it is open."""
        (st.fragment(self._draw, key=_key(part)) if self.apart else self._draw)(part)

    def _draw(self, part: Part) -> None:
        with st.container(key=_key(part)), shell.guard(), gate.turn():
            label = f"**{part.title}** · {self.says.get(part.name, part.says)}"
            inside = exhibit.part(label, part.name, asked=self.asks(part))
            if inside.open:
                with inside, shell.guard():
                    self._fill(part)

    def _fill(self, part: Part) -> None:
        fill, within = self.fills.get(part.name), self.inside(part)
        if fill:
            fill()
        draw = st.fragment(self._draw_exhibit) if self.apart else self._draw_exhibit
        for one in within:
            draw(one, alone=len(within) == 1 and fill is None)

    def _draw_exhibit(self, one: Exhibit, *, alone: bool) -> None:
        with shell.guard(), gate.turn():
            one.show_inside(self.setting, alone=alone)
