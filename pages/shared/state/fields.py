"""The parameters of a link, equal on all pages. Keys are fixed for ever once shared."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pages.shared.state.state import Field
from privsc_core.draw import VIEWS, views_of
from privsc_core.evaluate.own_bound import own_bound
from privsc_core.numerics.text import NUMBER
from privsc_core.parameters import PARAMETERS, parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from privsc_core.concepts.contracts import ConceptClass, Knob
    from privsc_core.parameters import Parameter

# What picks the member of a family of classes, whatever the family.
MEMBER = "l"
# The controls that a presenter may keep, by their keys in a link.
CONTROLS: tuple[str, ...] = (
    "view", "map", MEMBER, "d", "eps", "delta", "m", "u", "pin", "learners", "alpha", "beta", "dist", "const",
    "trials", "seed", "bound", "L", "panel",
)  # fmt: skip
# The tabs of the theory section.
TABS = ("bounds", "learners", "notation", "references")
# In which of them the parts stand that a link names.
LEADS = (("bound-", "tab", "bounds"), ("learner-", "tab", "learners"))
# How a page is shown, not what. A link to another page takes the first two along.
_HERE: dict[str, Any] = {"scope": "presenting"}
PRESENTING: dict[str, Field] = {
    "present": Field(key="present", kind="flag", default=False, name="presenter view"),
    "controls": Field(
        key="controls", kind="choices", default=(), name="controls kept in the presenter view",
        choices=CONTROLS,
    ),
    "lecture": Field(
        key="lecture", kind="text", default="", name="lecture", pattern="[a-z0-9-]{0,40}",
        form="the short name of a lecture", **_HERE,
    ),
    "scene": Field(key="scene", kind="integer", default=1, name="scene", low=1, high=60, **_HERE),
    "predict": Field(
        key="predict", kind="flag", default=False, name="predict before reveal", **_HERE
    ),
    "guess": Field(
        key="guess", kind="integer", default=0, name="guess of m", low=0, high=10**7,
        stops=(*(s * 10**p for p in range(1, 6) for s in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)), 10**6),
        **_HERE,
    ),
    # The right of the lecturer who opened a room for phones: in the address, and in no link; see `state.link`.
    "room": Field(key="room", kind="text", default="", name="room", pattern="[0-9a-f]{0,32}",
                  form="the secret of a room", **_HERE),
    "tour": Field(key="tour", kind="flag", default=False, name="tour", **_HERE),
}  # fmt: skip
_STOPS: dict[str, tuple[float, ...]] = {
    "m": (*(s * 10**p for p in range(1, 7) for s in (1, 2, 3, 5, 7)), 10**7),
    "d": (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 4096, 10**4, 10**5,
          10**6),
    "epsilon": (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0,
                3.0, 5.0, 7.0, 10.0),
    "alpha": (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45),
    "beta": (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3),
    "trials": (250, 500, 1000, 2000, 5000),
    "u": (100, 200, 300, 400, 500, 600, 700, 800, 1000, 1500, 2000, 3000, 4000, 5000, 7000, 10**4,
          2 * 10**4, 5 * 10**4, 10**5, 10**6),
    "delta": (1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01),
}  # fmt: skip
PIN = "[A-Za-z0-9._-]{0,200}"  # key-value_key-value…, see page/pinned.py
_MOST_OF_ANY = 10.0**4
# Of the first view where several classes, or learners that cannot do without a slack, are shown.
_SLACK = 1e-6


def of_parameter(name: str | Parameter, default: float, scope: str = "") -> Field:
    """Return the field of a parameter as it is declared, within what a page takes."""
    entry = _declared(name)
    low, high = entry.page
    stops = (stop for stop in _STOPS.get(entry.name, ()) if low <= stop <= high)
    return Field(
        key=entry.key, kind="integer" if entry.integer else "number", name=entry.name,
        default=int(default) if entry.integer else float(default), low=low, high=high,
        stops=tuple(stops), scope=scope,
    )  # fmt: skip


def _declared(name: str | Parameter) -> Parameter:
    return parameter(name) if isinstance(name, str) else name


def slack(scope: str, default: float = _SLACK) -> Field:
    """Return the field of the privacy slack, for classes with a learner that has one.

    Where none is the default, none is also the first stop of the slider.
    """
    field = of_parameter("delta", default or _SLACK, scope)
    return field if default else replace(field, default=0.0, low=0.0, stops=(0.0, *field.stops))


@dataclass(frozen=True, slots=True)
class Family:
    """Classes that differ in one choice, which is made on their page.

    Attributes
    ----------
    name, label : str
        What is chosen: in a note about a link, and as the label of its control.
    members : tuple of (str, str)
        Text in parentheses behind the name of the class, and the words of the control; the first
        is the plain name.
    text : Field, optional
        Where the members are too many to be listed: the field of this text.
    draw : callable, optional
        Draws the control of the text.
    """

    name: str
    label: str
    members: tuple[tuple[str, str], ...] = ()
    text: Field | None = None
    draw: Callable[[], None] | None = None


def _common() -> dict[str, Field]:
    # Slack and unlabelled examples are a matter of those classes that have learners with them.
    fields = {
        e.name: of_parameter(e.name, e.default) for e in PARAMETERS if e.name not in {"delta", "u"}
    }
    fields["view"] = Field(
        key="view", kind="choice", default="m", name="view", choices=tuple(VIEWS)
    )
    fields["constants"] = Field(
        key="const", kind="choice", default="sharp", name="constants", choices=("sharp", "paper")
    )
    return fields


# By name, the same on every page.
COMMON: dict[str, Field] = _common()
# What the sidebar's links take along, so every page has to understand it.
EVERYWHERE: tuple[Field, ...] = (*COMMON.values(), PRESENTING["controls"])


def class_fields(
    concept: ConceptClass,
    *,
    learners: tuple[str, ...],
    on_map: str,
    family: Family | None = None,
    parts: Sequence[str] = (),
    slack_at_first: float | None = None,
    distribution: str = "",
) -> dict[str, Field]:
    """Return the fields of a class page by name: its defaults are the first view."""
    fields = dict(COMMON)
    # What another class means by a key is another matter: each class keeps its own.
    own: dict[str, Any] = {"scope": concept.name}
    if any(entry.privacy == "approximate" for entry in concept.learners):
        needed = max(entry.at(0.0).privacy_slack for entry in concept.learners)
        first = needed if slack_at_first is None else slack_at_first
        fields["delta"] = slack(concept.name, first)
    if any(entry.unlabelled for entry in concept.learners):
        own_u = max(entry.unlabelled for entry in concept.learners)
        fields["u"] = of_parameter("u", own_u, concept.name)
    if concept.only_size is not None:
        fields["view"] = replace(fields["view"], choices=tuple(views_of(concept)), **own)
    if concept.size != parameter("d"):
        size = of_parameter(concept.size, concept.size.default, concept.name)
        fields["d"] = replace(size, name=concept.size.symbol)  # as its slider calls it
    names = tuple(entry.name for entry in concept.learners)
    chosen = tuple(name for name in names if name in learners)
    words = tuple(entry.name for entry in concept.distributions)
    fields["learners"] = Field(
        key="learners", kind="choices", default=chosen, name="learners", choices=names, **own
    )
    fields["distribution"] = Field(
        key="dist", kind="choice", name="distribution", choices=words,
        default=distribution or words[0], **own,
    )  # fmt: skip
    fields["bounds"] = Field(
        key="bounds", kind="choice", default="main", default_v1="all", name="bounds in the figure",
        choices=("main", "all"), **own,
    )  # fmt: skip
    if family:
        choices = tuple(member for member, _ in family.members)
        fields["member"] = family.text or Field(
            key=MEMBER, kind="choice", default=choices[0], name=family.name, choices=choices, **own
        )  # fmt: skip
    for law in concept.distributions:
        for knob in law.knobs:
            item = _of_knob(law.name, knob, own)
            if family and family.text:
                # Another member has other ends, and says so; its distributions share the target.
                item = replace(
                    item, name=knob.meaning, high=max(item.high, _MOST_OF_ANY), about=family.text.key
                )  # fmt: skip
            fields[f"{law.name}.{knob.key}"] = item
    fields["pin"] = Field(
        key="pin", kind="text", default="", name="pinned setting", pattern=PIN,
        form="a setting as a shared link writes it", **own,
    )  # fmt: skip
    fields["formula"] = Field(
        key="bound", kind="text", default="", name="your bound", pattern=r"[ -~α-ωϵ₂·×⋅−–÷]*",
        form="a formula", reads=partial(own_bound, concept.name), **own,
    )  # fmt: skip
    if parts:
        fields["tab"] = Field(
            key="tab", kind="choice", default=TABS[0], name="tab of the theory", choices=TABS, **own
        )
        fields["open"] = Field(
            key="open", kind="choices", default=(), name="unfolded parts", choices=tuple(parts),
            leads=LEADS, **own,
        )  # fmt: skip
    fields["on_map"] = Field(
        key="map", kind="choice", default=on_map, name="learner on the map", choices=names, **own
    )
    return fields


def _of_knob(law: str, knob: Knob, own: Mapping[str, Any]) -> Field:
    """Return the field of a distribution's parameter; one that is a word means the same to all."""
    if knob.words:
        return Field(
            key=knob.key, kind="choice", default=str(knob.default), name=knob.symbol,
            choices=tuple(knob.words), **own,
        )  # fmt: skip
    if isinstance(knob.default, tuple):
        # Empty stands for the default, whatever class of a family the page shows.
        return Field(
            key=knob.key, kind="text", default="", name=f"{law} {knob.symbol}",
            pattern=rf"({NUMBER}(,{NUMBER}){{0,255}})?",
            form="numbers separated by commas, one for each point", longest=2000, **own,
        )  # fmt: skip
    return Field(
        key=knob.key, kind="integer" if knob.integer else "number",
        default=int(knob.default) if knob.integer else float(knob.default),
        name=f"{law} {knob.symbol}", low=knob.low, high=knob.high, **own,
    )  # fmt: skip


def label(name: str | Parameter) -> str:
    """Return the label of a parameter's control; its ends stand below it."""
    entry = _declared(name)
    return entry.short if len(entry.symbol) > 1 else f"{entry.symbol}: {entry.short}"


def explanation(name: str | Parameter) -> str:
    """Return the help of a parameter's control, the meaning of its ends included."""
    entry = _declared(name)
    low, high = entry.ends
    ends = f" Left: {low}; right: {high}." if low else ""
    return f"{entry.symbol}: {entry.meaning}.{ends}"


def ends() -> str:
    """Return a style sheet that writes what the ends of each slider mean below it."""
    rules = []
    for entry in PARAMETERS:
        if any(entry.ends):
            rules.append(f".st-key-w_{entry.key} [data-testid=stSliderTickBar] p{{display:none}}")
        for text, side in zip(entry.ends, ("first", "last"), strict=True):
            if text:
                arrow = f"← {text}" if side == "first" else f"{text} →"
                # The same words are in the control's help, which is read out.
                rules.append(
                    f".st-key-w_{entry.key} [data-testid=stSliderTickBar] > :{side}-child::after"
                    f"{{content:{json.dumps(arrow, ensure_ascii=False)} / '';}}"
                )
    return "\n".join(rules)
