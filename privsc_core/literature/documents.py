"""What is written about the papers and the classes: errata, later results, lines of the map.

The texts stand in TOML: `literature.toml` in the folder of a class, and `errata.toml` here for parts of
the papers that no class shows. They are read when first asked for. Line breaks in them count as spaces.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeVar

from privsc_core.literature.papers import Source

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
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
        Of the learners that it binds.
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


Where = Literal["map", "slack"]
Role = Literal["free", "improper", "proper", "delta", "efficient"]

# What a learner may do, in words, from the most to the least: the columns of the table.
ROLES: dict[Role, str] = {
    "free": "No privacy",
    "improper": "Private, any answer",
    "proper": "Private and proper",
    "delta": "Private with δ",
    "efficient": "Private and fast, any point",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the map: least m of a learner, or a bound, over d.

    Attributes
    ----------
    kind, name : str
        A learner or a bound of the class, by its name.
    role : str
        A key of `ROLES`: what the learners of the line may do.
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
    maps : tuple of {"map", "slack"}
        Where it is drawn: the map of all classes, and the page about δ, where lines with the role
        "delta" have the slack of the page, all others none.
    first : tuple of {"map", "slack"}
        Which of them show it before a visitor asks for all lines.
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
    maps: tuple[Where, ...] = ("map",)
    first: tuple[Where, ...] = ()

    @property
    def key(self) -> str:
        """What tells it apart in its class."""
        return f"{self.kind}-{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Two learners of a class: one pays for its slack as the other pays for the domain.

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
    """Learners of a class, each of them best on some distribution: what is hard depends on them.

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
    first : bool
        Whether the map shows it before a visitor asks for all lines.
    """

    low: str
    high: str
    name: str
    says: str
    first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """All that is written about a class.

    Attributes
    ----------
    errata : tuple of Erratum
        What was found to correct in what the papers say about the class.
    later : tuple of Later
        Results about the class that are named and not computed, the oldest first.
    lines, gaps : tuple
        What it puts on the map of all classes and on the page about δ; a class may have none.
    exchanges : tuple of Exchange
        What its learners trade, on the page about δ.
    contest : Contest, optional
        Its learners against its distributions, on the same page.
    """

    errata: tuple[Erratum, ...] = ()
    later: tuple[Later, ...] = ()
    lines: tuple[Line, ...] = ()
    gaps: tuple[Gap, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    contest: Contest | None = None

    def on(self, where: Where) -> tuple[Line, ...]:
        """Return the lines of the map of all classes, or of the page about δ."""
        return tuple(line for line in self.lines if where in line.maps)


_KINDS = {
    "errata": Erratum, "later": Later, "lines": Line, "gaps": Gap, "exchanges": Exchange, "contest": Contest,
}  # fmt: skip


@cache
def documents(package: str, file: str = "literature.toml") -> Documents:
    """Return what a file in a package says; without the file nothing is said.

    Raises
    ------
    ValueError
        For a table or a key that is unknown or missing.
    """
    tables = read(package, file) if (resources.files(package) / file).is_file() else {}
    if unknown := tables.keys() - _KINDS.keys():
        raise ValueError(f"{package}/{file}: unknown tables {sorted(unknown)}")
    return Documents(
        **{
            kind: filled(_KINDS[kind], given, f"{package}/{file}, {kind}")
            for kind, given in tables.items()
        }
    )


def read(package: str, file: str) -> dict[str, Any]:
    """Return the tables of a TOML file in a package, with line breaks as spaces and lists as tuples."""
    return {
        name: _plain(value)
        for name, value in tomllib.loads(
            (resources.files(package) / file).read_text("utf-8")
        ).items()
    }


def filled(kind: type[T], given: Any, where: str) -> Any:
    """Return the value, or the tuple of values, of a dataclass that tables describe."""
    if isinstance(given, tuple):
        return tuple(filled(kind, one, f"{where} {n}") for n, one in enumerate(given, 1))
    try:
        if "source" in given:
            given = given | {"source": Source(**given["source"])}
        return kind(**given)
    except TypeError as error:
        raise ValueError(f"{where}: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return tuple(map(_plain, value))
    return {key: _plain(one) for key, one in value.items()} if isinstance(value, dict) else value
