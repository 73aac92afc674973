"""The controls that a visitor knows, as the page last described them, and what is sent of them.

A browser sends the states of all controls of the page with each change, so a visitor does too. Where
a control stands on the page, its `path` tells, so that nobody moves what is in a closed fold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from streamlit.proto.WidgetStates_pb2 import WidgetState


@dataclass
class Slider:
    """A slider; `place` is the stop where it stands."""

    identifier: str
    stops: tuple[str, ...]
    place: int
    disabled: bool
    fragment: str
    path: tuple[int, ...] = ()

    def tell(self, state: WidgetState) -> None:
        """Write where it stands."""
        state.string_array_value.data.append(self.stops[self.place])


@dataclass
class Choice:
    """One of some words, or any number of them, from a list or from a row of buttons."""

    identifier: str
    words: tuple[str, ...]
    chosen: list[str]
    how: Literal["list", "one", "many"]
    disabled: bool
    fragment: str
    path: tuple[int, ...] = ()

    def tell(self, state: WidgetState) -> None:
        """Write what is chosen."""
        if self.how == "list":
            state.string_value = self.chosen[0]
        else:
            state.string_array_value.data.extend(self.chosen)


@dataclass
class Fold:
    """A part of the page that can be opened."""

    identifier: str
    opened: bool
    fragment: str
    path: tuple[int, ...] = ()

    def tell(self, state: WidgetState) -> None:
        """Write whether it is open."""
        state.bool_value = self.opened

    def hides(self, other: Control) -> bool:
        """Tell whether a control is in it and cannot be seen."""
        return not self.opened and other is not self and other.path[: len(self.path)] == self.path


Control: TypeAlias = Slider | Choice | Fold


def described(message: ForwardMsg, known: dict[str, Control]) -> tuple[str, Control] | None:
    """Return key and state of the control that a message describes; None if it is another thing.

    A control keeps the state in which the visitor left it, unless the page sets it.
    """
    delta, path = message.delta, tuple(message.metadata.delta_path)
    if delta.WhichOneof("type") == "add_block":
        fold = delta.add_block.expandable
        key = _key(fold.id)
        if not key:
            return None
        before = known.get(key)
        opened = before.opened if isinstance(before, Fold) else fold.expanded
        return key, Fold(fold.id, opened, delta.fragment_id, path)
    element = delta.new_element
    kind = element.WhichOneof("type")
    if kind not in _READ:
        return None
    it = getattr(element, kind)
    key = _key(it.id)
    return (key, _READ[kind](it, known.get(key), delta.fragment_id, path)) if key else None


def _key(identifier: str) -> str:
    """Return the page's own name of a control; what has none is nothing that a link knows."""
    key = identifier.split("-", 2)[-1]
    return key if key.startswith("w_") else ""


def _slider(it: Any, before: Control | None, *where: Any) -> Slider:
    stops = tuple(it.options)
    if it.set_value:
        place = stops.index(it.raw_value[0])
    else:
        place = before.place if isinstance(before, Slider) else int(it.default[0])
    return Slider(it.id, stops, place, it.disabled, *where)


def _select(it: Any, before: Control | None, *where: Any) -> Choice:
    words = tuple(it.options)
    if it.set_value:
        chosen = [it.raw_value]
    else:
        chosen = before.chosen if isinstance(before, Choice) else [words[it.default]]
    return Choice(it.id, words, chosen, "list", it.disabled, *where)


def _buttons(it: Any, before: Control | None, *where: Any) -> Choice:
    words = tuple(option.content for option in it.options)
    if it.set_value:
        chosen = list(it.raw_values)
    elif isinstance(before, Choice):
        chosen = before.chosen
    else:
        chosen = [words[place] for place in it.default]
    many = it.click_mode == it.MULTI_SELECT
    return Choice(it.id, words, chosen, "many" if many else "one", it.disabled, *where)


_READ: dict[str, Any] = {"slider": _slider, "selectbox": _select, "button_group": _buttons}
