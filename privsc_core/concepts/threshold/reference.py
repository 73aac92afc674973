"""What a learner knows of the crowd: the distribution by which it weighs thresholds."""

from __future__ import annotations

from dataclasses import dataclass

from privsc_core.errors import InputError

__all__ = ["UNIFORM", "Reference"]

_MOST = 10**6
_WORDS = ("half", "all")


@dataclass(frozen=True, slots=True)
class Reference:
    """R_r: the crowd's own shape, known to r of its b bits; r = 0 is U, r = b the crowd itself.

    Attributes
    ----------
    known : str
        r as it is typed: a number, ``half`` or ``all``.
    """

    known: str = "0"

    @classmethod
    def of(cls, text: str) -> Reference:
        """Return the reference of a text.

        Raises
        ------
        InputError
            For any other text.
        """
        number = text.isdecimal() and text == str(int(text)) and int(text) <= _MOST
        if text not in _WORDS and not number:
            raise InputError(
                "concept", f"must be threshold(r) with r from 0 to {_MOST}, half or all", text
            )
        return cls(text)

    def bits(self, b: int) -> int:
        """Return r at b: never more than there are."""
        if self.known in _WORDS:
            return b if self.known == "all" else b // 2
        return min(int(self.known), b)

    @property
    def told(self) -> bool:
        """Whether anything is known but that data lie in [0, 1]."""
        return self.known != "0"


UNIFORM = Reference()
