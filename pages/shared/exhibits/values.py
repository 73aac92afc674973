"""The parameters that an exhibit alone has: fields that know the type of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar, cast

from pages.shared.state.link import Field

if TYPE_CHECKING:
    from pages.shared.state.link import State

__all__ = ["Fields", "Own", "Values"]

T = TypeVar("T", int, float, str)


class Own(Field, Generic[T]):
    """A field whose values are of type T."""

    __slots__ = ()


class Fields:
    """Makes fields of one class page: what another page means by the same key is another matter.

    Parameters
    ----------
    scope : str
        The name of the concept class.
    """

    def __init__(self, scope: str) -> None:
        self.scope = scope

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
            scope=self.scope,
        )  # fmt: skip

    def integer(
        self, key: str, name: str, default: int, ends: tuple[int, int], stops: tuple[int, ...] = ()
    ) -> Own[int]:
        """Return a field for whole numbers from one end to the other."""
        low, high = ends
        return Own(
            key=key, kind="integer", default=default, name=name, low=low, high=high, stops=stops,
            scope=self.scope,
        )  # fmt: skip

    def draw(self, key: str, name: str, first: int = 1) -> Own[int]:
        """Return a field for the number of a draw: the next one is a button away."""
        return self.integer(key, name, first, (1, 999_999))

    def choice(self, key: str, name: str, default: str, choices: tuple[str, ...]) -> Own[str]:
        """Return a field for one of some words."""
        return Own(
            key=key, kind="choice", default=default, name=name, choices=choices, scope=self.scope
        )

    def text(self, key: str, name: str, pattern: str, form: str = "") -> Own[str]:
        """Return a field for a text that matches a pattern in full; empty at first."""
        return Own(
            key=key, kind="text", default="", name=name, pattern=pattern, form=form,
            scope=self.scope,
        )  # fmt: skip


class Values:
    """What the page's fields are now, each of the type that its field says."""

    def __init__(self, now: State) -> None:
        self._now = now

    def __getitem__(self, item: Own[T]) -> T:
        """Return the value of a field of this page."""
        return cast("T", self._now[item.key])
