"""Results that are kept: so many, the least recently used out first."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

K = TypeVar("K")
V = TypeVar("V")


class Kept(OrderedDict[K, V]):
    """A bounded cache that drops the least recently used entry; callers lock it.

    That of cachetools takes as long for sixty answers as a quick learner for finding them.

    Parameters
    ----------
    most : int
        How many entries it has at most.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def seen(self, key: K) -> V | None:
        """Return what is kept, None for nothing, and keep it longer."""
        if (value := self.get(key)) is not None:
            self.move_to_end(key)
        return value

    def keep(self, pairs: Mapping[K, V]) -> None:
        """Keep more."""
        self.update(pairs)
        while len(self) > self.most:
            self.popitem(last=False)
