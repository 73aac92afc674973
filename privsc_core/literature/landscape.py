"""What a class puts on the map of all classes, and on the page about δ: lines and gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from privsc_core.literature.statements import Source

__all__ = ["ROLES", "Contest", "Exchange", "Gap", "Line", "Role"]

Role = Literal["free", "improper", "proper", "delta", "efficient"]

# What a learner may do, in words, from the most to the least: the columns of the table.
ROLES: dict[Role, str] = {
    "free": "No privacy",
    "improper": "Private, any answer",
    "proper": "Private and proper",
    "delta": "Private with δ",
    "efficient": "Private, a point, fast",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the map: least m of a learner, or a bound, over d.

    Attributes
    ----------
    kind, name : str
        A learner or a bound of the class, by its name.
    role : str
        A key of `ROLES`: what the learners may do of whom the line speaks.
    label : str
        At the end of the line, in a few words.
    rate : str
        How it grows with d by the theorem, such as Θ(d).
    exponent : float
        Of d in this rate.
    says : str
        The theorem in a sentence.
    source : Source
        Where it is proved.
    shown : tuple of str
        The learners that the page of the class shows when it is entered by this line.
    """

    kind: Literal["learner", "bound"]
    name: str
    role: Role
    label: str
    rate: str
    exponent: float
    says: str
    source: Source
    shown: tuple[str, ...]

    @property
    def key(self) -> str:
        """What tells it apart in its class."""
        return f"{self.kind}-{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Two learners of a class of which the one with a slack pays for it as the other for the domain.

    The slack is then worth a domain of log2((e^{epsilon / 2} - 1) / delta) bits.

    Attributes
    ----------
    pure, slack : str
        A purely private learner, and one with a slack, by their names.
    label : str
        Of what they learn, in a word or two.
    """

    pure: str
    slack: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Learners of a class of which each is best on some distribution: what is hard depends on them.

    Attributes
    ----------
    learners : tuple of str
        By their names.
    laws : tuple of (str, str)
        A word for links, fixed for ever, and the distribution as it is typed.
    bits : tuple of int
        Sizes at which they are compared.
    says : str
        What is seen, in Markdown; true at every setting.
    """

    learners: tuple[str, ...]
    laws: tuple[tuple[str, str], ...]
    bits: tuple[int, ...]
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What separates two lines of a class, each by its `key`.

    Attributes
    ----------
    low, high : str
        The lines below and above it.
    name : str
        What costs this much, in a few words.
    says : str
        The separation in a sentence.
    """

    low: str
    high: str
    name: str
    says: str
