"""What a class page declares of itself, and the setting that its controls stand for."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pages.shared.exhibits.boxes import boxes
from pages.shared.exhibits.microscope import microscope
from pages.shared.exhibits.neighbours import neighbours
from pages.shared.frame import sitemap
from pages.shared.page import theory
from pages.shared.page.parts import NAMES
from pages.shared.state.fields import PRESENTING, class_fields
from pages.shared.take import takeaway
from privsc_core.catalog import brought
from privsc_core.catalog import concept as find_concept
from privsc_core.catalog import distribution as find_distribution
from privsc_core.evaluate.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pages.shared.exhibits.exhibit import Exhibit
    from pages.shared.frame import shell
    from pages.shared.frame.tour import Step
    from pages.shared.state import state
    from pages.shared.state.fields import Family
    from privsc_core.evaluate.curves import Numbers

HEIGHT = 430  # pixels of the main figure
CARDS = 3  # above it; to an audience those of what the figure shows
MORE = "more"  # the name in links of the fold that holds the other controls


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPage:
    """What one class page declares: which class, what the first view shows, and its words.

    Attributes
    ----------
    concept : str
        A name in the catalog.
    slug, icon, heading, claim : str
        Address, emoji, title and the claim in one sentence (Markdown with $LaTeX$).
    summary : str
        What the home page says of it, likewise.
    learners : tuple of str
        Shown at first.
    regions : tuple of str
        The bounds that the figure draws at first: where one of them applies it draws no other.
    controls : tuple of str
        The controls beside the figure, by their keys in a link; the others stand behind *More*.
    on_map : str
        The learner of the phase diagrams at first.
    cards : callable
        (numbers, scenario) -> the cards of the headline.
    carded : tuple of str
        Private learners of which these may speak beside those that are shown at first.
    sketch : str
        A small picture of one concept, as SVG that uses currentColor.
    family : Family, optional
        The family of classes of which the page shows a member.
    exhibits : tuple of Exhibit
        What this class alone shows, below the numbers; what every class has comes after.
    watched : str
        The learner that these take at first; that of the map if empty.
    named : tuple of (str, tuple of str)
        Words of the claim, and the learners or bounds whose curves they light up.
    slack : float, optional
        The delta of the first view; where left out, what the learners that need one have at first.
    distribution : str
        That of the first view; the first one of the class if empty.
    before : mapping of str to value
        What version 1 showed at first, by the keys of a link, where that was something else: links
        of version 1 that leave it out mean it.
    tour : tuple of Step
        What a first visitor is shown on request; may be empty.
    """

    concept: str
    slug: str
    icon: str
    heading: str
    claim: str
    summary: str
    learners: tuple[str, ...]
    on_map: str
    cards: Callable[[Numbers, Scenario], tuple[shell.Card, ...]]
    sketch: str
    regions: tuple[str, ...] = ()
    controls: tuple[str, ...] = ("d", "eps", "view")
    family: Family | None = None
    carded: tuple[str, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()
    watched: str = ""
    named: tuple[tuple[str, tuple[str, ...]], ...] = ()
    slack: float | None = None
    distribution: str = ""
    before: Mapping[str, Any] = field(default_factory=dict)
    tour: tuple[Step, ...] = ()

    def member(self, value: Mapping[str, Any]) -> str:
        """Return the name of the class that some values of the settings pick."""
        listed = self.family.members[:1] if self.family else ()
        if self.family is None or value["member"] in {name for name, _ in listed}:
            return self.concept
        return f"{self.concept}({value['member']})"

    @property
    def told(self) -> tuple[str, ...]:
        """Private learners whose numbers follow a slider, beside those that are shown then."""
        return (*self.learners, *self.carded)

    @property
    def sections(self) -> tuple[Exhibit, ...]:
        """All that can be opened below the numbers, but for what is taken away."""
        first = self.watched or self.on_map
        every = (
            *boxes(self.concept), microscope(self.concept, first), neighbours(self.concept, first)
        )  # fmt: skip
        return tuple(
            replace(section, fields=tuple(map(self._dated, section.fields)))
            for section in (*self.exhibits, *every)
        )

    @property
    def own_fields(self) -> tuple[state.Field, ...]:
        """The parameters of the exhibits."""
        return tuple(item for section in self.sections for item in section.fields)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts that a link may unfold."""
        names = (section.name for section in self.sections)
        return (
            MORE,
            *NAMES,
            *names,
            *takeaway.PARTS,
            *theory.parts(find_concept(self.concept)),
        )

    def in_hues(self, cards: Iterable[shell.Card]) -> tuple[shell.Card, ...]:
        """Return cards in the colours of the curves that they are about."""
        concept = find_concept(self.concept)
        tones: dict[str, shell.Tone] = {entry.name: "bad" for entry in concept.bounds}
        for learner in concept.learners:
            upper = (e.name for e in concept.bounds if e.kind == "upper" and e.binds(learner))
            tones |= dict.fromkeys((*upper, learner.name), learner.role)
        return tuple(replace(card, tone=tones.get(card.about, card.tone)) for card in cards)

    @property
    def settings(self) -> dict[str, state.Field]:
        """The fields of the class, by name."""
        fields = class_fields(
            find_concept(self.concept), learners=(*self.learners, *brought(self.concept)),
            on_map=self.on_map, family=self.family, parts=self.parts, slack_at_first=self.slack,
            distribution=self.distribution,
        )  # fmt: skip
        return {name: self._dated(item) for name, item in fields.items()}

    def _dated(self, item: state.Field) -> state.Field:
        """Return a field that knows what version 1 showed at first."""
        was = self.before.get(item.key)
        if was is not None and item.key == "learners":
            was = (*was, *brought(self.concept))
        return item if was is None else replace(item, default_v1=was)

    @property
    def fields(self) -> tuple[state.Field, ...]:
        """All that a link to this page can say."""
        # Distributions that share a parameter share its field.
        own = dict.fromkeys(self.settings.values())
        return (*own, *self.own_fields, *PRESENTING.values())


def declared(file: str) -> ClassPage:
    """Return what the page in a file of the sitemap declares."""
    page: ClassPage = importlib.import_module(f"pages.{sitemap.address(file)}").PAGE
    return page


def fields_of(file: str) -> tuple[state.Field, ...]:
    """Return all that a link to a page can say, to a class page or to another one with a stage."""
    module = importlib.import_module(f"pages.{sitemap.address(file)}")
    fields: tuple[state.Field, ...] = (
        module.PAGE.fields if hasattr(module, "PAGE") else module.FIELDS
    )
    return fields


class Section(NamedTuple):
    """A part of a page that is about no one class: where it stands, its title, what it says.

    `link` has what a link needs beside its place: keys and words.
    """

    anchor: str
    title: str
    claim: str
    link: Mapping[str, str] = MappingProxyType({})


def sections_of(file: str) -> tuple[Section, ...]:
    """Return the parts that a page with a stage declares, which is no class page."""
    module = importlib.import_module(f"pages.{sitemap.address(file)}")
    found: tuple[Section, ...] = getattr(module, "PAGE", module).sections
    return found


def scenario_of(page: ClassPage, value: Mapping[str, Any]) -> Scenario:
    """Return the scenario of some values of a page's settings, by the names of the settings.

    Raises
    ------
    InputError
        When there is no such setting.
    """
    concept = page.member(value)
    law = find_distribution(concept, value["distribution"])
    law = law.resized(*(knob.read(value[f"{law.name}.{knob.key}"]) for knob in law.knobs))
    return Scenario(
        concept=concept, learners=value["learners"], distribution=law.label,
        constants=value["constants"], m=value["m"], d=value["d"], epsilon=value["epsilon"],
        alpha=value["alpha"], beta=value["beta"], trials=value["trials"], seed=value["seed"],
        delta=value.get("delta", 0.0),
        u=value.get("u", 0), regions=page.regions if value["bounds"] == "main" else (),
        formula=value.get("formula", ""),
    )  # fmt: skip
