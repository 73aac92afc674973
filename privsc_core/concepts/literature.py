"""What is said about papers beside their bounds: slips found in them, and results that came later.

A class lists those that are about it. Slips in parts of the papers that no class shows stand in
`privsc_core.concepts.slips`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from privsc_core.concepts.source import Source

__all__ = ["Later", "Slip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """A place in a paper that is to be read differently. The texts are Markdown with $LaTeX$.

    Attributes
    ----------
    key : str
        Stands in links and file names: fixed for ever.
    source : Source
        The paper and the place in it.
    title : str
        What is the matter, in half a line.
    says, correction : str
        What the paper says, and what to read instead.
    known_by : str
        How we know.
    check : bool
        Whether a program shows it: ``assets/checks/<key>.py``.
    """

    key: str
    source: Source
    title: str
    says: str
    correction: str
    known_by: str
    check: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """A result of the literature that is named and not computed.

    Attributes
    ----------
    name, title : str
        The name in links, fixed for ever, and what a person calls it.
    source : Source
        Where it comes from.
    kind : {"lower", "upper"}
        Which side it bounds.
    privacy : {"pure", "approximate"}
        Of the learners of which it speaks.
    statement : str
        In LaTeX; a rate.
    applies_to : str
        Which learners it binds, in words.
    remark : str
        What it says about what is computed here; Markdown.
    supersedes : tuple of str
        Names of earlier results of the class in this list that it improves on.
    """

    name: str
    title: str
    source: Source
    kind: Literal["lower", "upper"]
    privacy: Literal["pure", "approximate"]
    statement: str
    applies_to: str
    remark: str = ""
    supersedes: tuple[str, ...] = ()
