"""An exhibit is a value: what it is called and claims, its own parameters, and how it is drawn.

The page draws it, as a fragment, when it is opened: the first figure does not wait for it. A link
that carries one of its parameters opens it. What it computes is a function of the core, and goes
through the queue (`computed`), so that the exhibit of one visitor is not in the way of others.
"""

from __future__ import annotations

import functools
import math
from dataclasses import astuple, dataclass, is_dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, TypeVar, cast

import streamlit as st

from pages.shared.chart import chart
from pages.shared.chart.payload import of_picture
from pages.shared.frame import shell
from pages.shared.hall import presenter
from pages.shared.scheduling import scheduler
from pages.shared.scheduling.waiting import wait_for
from pages.shared.state import controls, state
from pages.shared.state.link import Field

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from streamlit.delta_generator import DeltaGenerator
    from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from pages.shared.chart.payload import Door
    from pages.shared.state.link import State
    from privsc_core.draw.picture import Picture


# --- The parameters that an exhibit alone has: fields that know the type of their values ---------


V = TypeVar("V", int, float, str)


class Own(Field, Generic[V]):
    """A field whose values are of type V."""

    __slots__ = ()


class Fields:
    """Makes fields of one class page: what another page means by the same key is another matter.

    Parameters
    ----------
    scope : str
        The name of the concept class.
    about : str, optional
        See `Field`.
    """

    def __init__(self, scope: str, about: str = "") -> None:
        self.scope, self.about = scope, about

    def number(
        self,
        key: str,
        name: str,
        default: float,
        ends: tuple[float, float],
        stops: tuple[float, ...],
    ) -> Own[float]:
        """Return a field for numbers from one end to the other."""
        low, high = ends
        return Own(
            key=key, kind="number", default=default, name=name, low=low, high=high, stops=stops,
            scope=self.scope, about=self.about,
        )  # fmt: skip

    def integer(
        self, key: str, name: str, default: int, ends: tuple[int, int], stops: tuple[int, ...] = ()
    ) -> Own[int]:
        """Return a field for whole numbers from one end to the other."""
        low, high = ends
        return Own(
            key=key, kind="integer", default=default, name=name, low=low, high=high, stops=stops,
            scope=self.scope, about=self.about,
        )  # fmt: skip

    def draw(self, key: str, name: str, first: int = 1) -> Own[int]:
        """Return a field for the number of a draw: the next one is a button away."""
        return self.integer(key, name, first, (1, 999_999))

    def choice(self, key: str, name: str, default: str, choices: tuple[str, ...]) -> Own[str]:
        """Return a field for one of some words."""
        return Own(
            key=key, kind="choice", default=default, name=name, choices=choices, scope=self.scope,
            about=self.about,
        )  # fmt: skip

    def text(self, key: str, name: str, pattern: str, form: str = "") -> Own[str]:
        """Return a field for a text that matches a pattern in full; empty at first."""
        return Own(
            key=key, kind="text", default="", name=name, pattern=pattern, form=form,
            scope=self.scope, about=self.about,
        )  # fmt: skip


class Values:
    """What the page's fields are now, each of the type that its field says."""

    def __init__(self, now: State) -> None:
        self._now = now

    def __getitem__(self, item: Own[V]) -> V:
        """Return the value of a field of this page."""
        return cast("V", self._now[item.key])


P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A part of a page that can be opened, with controls of its own.

    Attributes
    ----------
    name : str
        Stands in links (`open=`): fixed for ever.
    title, claim : str
        Above it; the claim in Markdown. In a lecture the scene has said both.
    draw : callable
        (setting, values) -> None: draws what is inside, from the page's setting, on the page of a class
        a `Scenario`, and the values of its own fields.
    label : str
        Of the fold in which it stands; empty where it is open when its part of the page is.
    fields : tuple of Field
        Its parameters in a link.
    anchor : str
        Of the title, where it is not the name.
    sketch : (str, str), optional
        A small picture beside the claim, as SVG, and what it shows in words.
    part : str
        The name of the part of its page in which it stands: see parts.py.
    """

    name: str
    title: str
    draw: Callable[[Any, Values], None]
    claim: str = ""
    label: str = ""
    fields: tuple[state.Field, ...] = ()
    anchor: str = ""
    sketch: tuple[str, str] | None = None
    part: str = "why"

    @property
    def asked(self) -> bool:
        """Whether the link asks for something in it: more than the first view of any version."""
        now = state.current()
        return any(now[item.key] not in (item.default, item.default_in(1)) for item in self.fields)

    def show(self, setting: Callable[[], Any]) -> None:
        """Draw it; the inside, and the setting, only while it is open."""
        if presenter.place() is None:
            st.header(self.title, anchor=self.anchor or self.name)
            self._say()
        inside = self._place(self.label)
        if inside is not None:
            with inside, shell.guard():
                self.draw(setting(), Values(state.current()))

    def show_inside(self, setting: Callable[[], Any], *, alone: bool) -> None:
        """Draw it in a part of a page: what it claims and shows, folded unless it stands alone."""
        inside = self._place("" if alone or not self.label else f"**{self.title}** · {self.label}")
        if inside is not None:
            with inside, shell.guard():
                if not alone and not self.label:
                    st.subheader(self.title, anchor=self.anchor or self.name)
                elif alone or self.anchor:
                    st.html(f'<span id="{self.anchor or self.name}"></span>')
                self._say()
                self.draw(setting(), Values(state.current()))

    def _place(self, label: str) -> DeltaGenerator | None:
        """Return where its inside is drawn: without a label in no fold, and nowhere if that is closed."""
        if not label:
            return st.container()
        fold = part(label, self.name, asked=self.asked)
        return fold if fold.open else None

    def _say(self) -> None:
        """Draw the claim, and the sketch beside it."""
        said, beside = st.columns([3.4, 1], gap="medium") if self.sketch else (st, st)
        if self.claim:
            said.markdown(self.claim)
        if self.sketch:
            beside.image(self.sketch[0], width=230, alt=self.sketch[1])


def computed(function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
    """Return what a function of the core computes, through the queue; see `wait_for`.

    The arguments are hashable.
    """
    more: dict[str, Any] = dict(keywords)
    found: T = wait_for(function, *arguments, kind=kind_of(function, *arguments, **more), **more)
    return found


def prepared(function: Callable[..., Any], *arguments: Hashable) -> Callable[[], None]:
    """Return a function that computes the value before it is asked for."""

    def prepare() -> None:
        kind = kind_of(function, *arguments)
        with scheduler.start(
            function, *arguments, kind=kind, priority=scheduler.Priority.PREPARED
        ) as job:
            job.result()

    return prepare


def kind_of(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> tuple[Hashable, ...]:
    """Return the cost key of a call, from words and orders of magnitude: equal keys take about as long."""
    sizes = (_size(value) for value in (*arguments, *keywords.values()))
    return (function.__module__, function.__name__, *sizes)


def quickly(function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
    """Return what a function of the core computes that never takes long, kept for all visitors."""
    kind = (function.__module__, function.__name__)
    more: dict[str, Any] = dict(keywords)
    found: T = wait_for(function, *arguments, kind=kind, run_in="here", **more)
    return found


def read(function: Callable[[bytes, str], T], given: UploadedFile) -> T:
    """Return what a function of the core reads in a visitor's file, which no cache keeps.

    In the worker, whatever its size: no other visitor waits for a file, and time and memory are bounded.
    """
    kind = (function.__module__, function.__name__, len(str(given.size)))
    found: T = wait_for(
        function, given.getvalue(), given.name, kind=kind, run_in="worker", kept=False
    )
    return found


def _size(value: Any) -> Hashable:
    if is_dataclass(value):
        return tuple(_size(part) for part in astuple(value))  # type: ignore[arg-type]
    if callable(value):
        return str(value.__module__)
    if isinstance(value, int | float) and value > 0 and math.isfinite(value):
        return round(math.log10(value))
    return value if isinstance(value, str) or value is None else 0


def part(label: str, name: str, *, asked: bool = False) -> ExpanderContainer:
    """Return a folded part, to be filled only while it is open.

    A link that names it unfolds it, and `asked`: one that asks for something inside.
    """
    return controls.fold(state.field_of("open"), name, label, asked=asked)


def draw(
    picture: Picture,
    key: str,
    height: int,
    *,
    credit: str = "",
    doors: tuple[Door, ...] = (),
    setting: dict[str, Any] | None = None,
    on_guess: Callable[[str], None] | None = None,
    on_turn: Callable[[str], None] | None = None,
) -> None:
    """Draw a picture of the core as a chart.

    `credit` names the sources below the figure that people save; `doors` stand at the ends of its
    lines. For the others see `chart.chart`.
    """
    data = sent(picture, height, credit, doors)
    chart.chart(data, key=key, on_guess=on_guess, on_turn=on_turn, setting=setting)


# Two hundred visitors of one picture share what is sent.
sent = functools.lru_cache(maxsize=256)(of_picture)


def redraw(
    item: Own[int],
    label: str,
    key: str,
    *,
    width: Literal["content", "stretch"] = "content",
    help: str | None = None,  # noqa: A002 - as Streamlit calls it
) -> None:
    """Draw the button that goes on to the next draw, whose number is in the link."""
    st.button(label, key=key, on_click=_step, args=(item,), width=width, help=help)


def _step(item: Own[int]) -> None:
    state.assign(**{item.key: Values(state.current())[item] % int(item.high) + 1})


def everywhere() -> None:
    """Draw the whole page: what an exhibit's control has set is shown outside of it as well."""
    st.rerun()
