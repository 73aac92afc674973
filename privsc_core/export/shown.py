"""Which figure is taken away."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core import draw
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Bound, Learner
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario

# It is written into Markdown, Python and BibTeX: nothing in it may end a line or a bracket there.
_LINK = re.compile(r"https?://[A-Za-z0-9._~:/?#\[\]@!$&()*+,;=%-]{1,8000}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure of a scenario: hashable, so what is made of it can be cached.

    Attributes
    ----------
    scenario : Scenario
        The setting, the learners and the constants of the bounds.
    view : str
        A name in `draw.VIEWS`.
    on_map : str
        The learner of a map; of no meaning elsewhere.
    link : str
        The address that shows it; empty if there is none.
    pinned : Scenario, optional
        The setting whose curves are drawn thin beside it.
    """

    scenario: Scenario
    view: str = "m"
    on_map: str = ""
    link: str = ""
    pinned: Scenario | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown view and what is no address; settle the learner of a map."""
        if self.view not in draw.VIEWS:
            raise InputError("view", f"must be one of {', '.join(draw.VIEWS)}", self.view)
        if self.link and not _LINK.fullmatch(self.link):
            raise InputError("link", "must be an address that begins with http", self.link)
        chosen = ""
        if self.is_map:
            concept = self.scenario.concept_class
            known = [e.name for e in concept.learners]
            chosen = self.on_map or concept.mapped(self.scenario.law.name)
            if chosen not in known:
                raise InputError("on_map", f"must be one of {', '.join(known)}", chosen)
        object.__setattr__(self, "on_map", chosen)

    @property
    def is_map(self) -> bool:
        """Whether it is a map of success."""
        return draw.VIEWS[self.view].quantity == "map"

    @property
    def learners(self) -> tuple[Learner, ...]:
        """The learners in the figure."""
        if self.is_map:
            return tuple(e for e in self.scenario.concept_class.learners if e.name == self.on_map)
        return self.scenario.drawn

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds that speak in the figure."""
        if not self.is_map:
            return tuple(e for e in self.scenario.bounds if self.scenario.speaks(e))
        if "m" not in draw.VIEWS[self.view].axes:
            return ()
        return tuple(
            e
            for e in self.scenario.bounds
            if self.scenario.holds(e) and any(e.binds(learner) for learner in self.learners)
        )

    def picture(self) -> Picture:
        """Draw it, with all of its simulated samples."""
        return draw.picture(self.scenario, self.view, on_map=self.on_map, pinned=self.pinned)
