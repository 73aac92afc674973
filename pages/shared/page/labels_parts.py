"""The parts of the page about labels below its plane: a run, labels against d, asking, relabelling."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.chart import chart
from pages.shared.chart.payload import of_picture
from pages.shared.frame import shell
from pages.shared.page.declaration import Section
from pages.shared.scheduling.waiting import wait_for
from pages.shared.state import controls, state
from privsc_core import export
from privsc_core.draw.budgets_figures import against_claim
from privsc_core.draw.style import number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from privsc_core.draw.budgets_figures import Told
    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.budgets import Against, Plane

__all__ = ["PARTS", "Budgets", "fields", "kind", "part", "sections", "sent"]

_LOW, _TALL = 400, 520
_AGAIN = state.Field(
    key="rerun",
    kind="integer",
    default=1,
    name="number of the run",
    low=1,
    high=10**6,
    scope="labels",
)
_INNER = state.Field(
    key="inner", kind="number", default=1.0, name="privacy loss of whoever is asked", low=0.01, high=4.0,
    stops=(0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0), scope="labels",
)  # fmt: skip
_SEEN = {"hidden": "Nobody", "published": "Everybody"}
_TRANSCRIPT = state.Field(
    key="seen", kind="choice", default="hidden", name="who sees whose label was asked",
    choices=tuple(_SEEN), scope="labels",
)  # fmt: skip
_OTHERS = state.Field(
    key="others", kind="integer", default=12, name="others who get labels", low=1, high=40,
    stops=tuple(range(1, 41)), scope="labels",
)  # fmt: skip
_FRESH = (
    "**LabelBoost may label the points that its labellings are made for, and no others.** It picks a labelling "
    "of some points by few labels, labels all of these by it and lets another private learner have them: few "
    "labels become many. Which concept stands for the labelling is arbitrary, and one person more or less changes "
    "it; who labels other people by it gives that away, with every one of them a little more."
)
_ASKED = (
    "**Ask a random few of many, and keep secret whom: then a weak promise to the few is a strong "
    "one to everybody.** Labels stay as few as at the inner loss, and only the number of people who might "
    "have been asked grows. Publish the list, and the strong promise is gone."
)


# By their names in a link, in the order in which they stand; labels against d are claimed with numbers.
_SECTIONS = {
    "run": Section("run", "Follow a run", "What GenericLearner makes of one sample, step by step."),
    "against": Section("against-d", "Labels against d", "Labels stay, people grow."),
    "asked": Section("asked", "Whose label was asked?", _ASKED),
    "fresh": Section("fresh", "Relabel fresh points", _FRESH),
}
PARTS = tuple(_SECTIONS)
_OF = {"run": "run", "against": "against", "asked": "asking", "fresh": "fresh"}  # in `Budgets`


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """What computes the pictures of a class.

    Attributes
    ----------
    label : str
        What the class is called.
    plane : callable
        (d, epsilon, alpha, beta) -> what was found, and the picture of the plane.
    against : callable
        (epsilon, alpha, beta) -> what was found, and the picture over d.
    told : Told
        What they say of it.
    asking : callable, optional
        (d, epsilon, alpha, beta, inner, hidden or published) -> the picture of asking few of many.
    fresh : callable, optional
        (epsilon, number of others) -> the picture of relabelling points that nobody asked for.
    run : callable, optional
        (d, epsilon, alpha, seed, step) -> the picture of one run up to a step.
    steps : mapping of str to str
        The steps of such a run, with their labels; the last one shows all.
    exact : bool
        Whether the plane is computed from laws, and follows the hand on a slider.
    """

    label: str
    plane: Callable[..., tuple[Plane, Picture]]
    against: Callable[..., tuple[Against, Picture]]
    told: Told
    asking: Callable[..., Picture] | None = None
    fresh: Callable[..., Picture] | None = None
    run: Callable[..., Picture] | None = None
    steps: Mapping[str, str] = field(default_factory=dict)
    exact: bool = False


def fields(families: Mapping[str, Budgets]) -> tuple[state.Field, ...]:
    """Return the parameters of the parts below the plane."""
    return _step(families), _AGAIN, _INNER, _TRANSCRIPT, _OTHERS


def sections(families: Mapping[str, Budgets]) -> tuple[Section, ...]:
    """Return the parts, each with the link of the first class that has it."""
    first, *_ = families
    found = []
    for name, section in _SECTIONS.items():
        where = next(one for one, budgets in families.items() if getattr(budgets, _OF[name]))
        found.append(section._replace(link={} if where == first else {"plane": where}))
    return tuple(found)


def _step(families: Mapping[str, Budgets]) -> state.Field:
    """Return the field of how much of a run is shown; all of it in the first view."""
    steps = tuple(step for one in families.values() for step in one.steps)
    return state.Field(
        key="upto",
        kind="choice",
        default=steps[-1],
        name="step of a run",
        scope="labels",
        choices=steps,
    )


def part(
    name: str, chosen: str, budgets: Budgets, families: Mapping[str, Budgets],
    setting: Sequence[Any], *, whole: bool,
) -> list[export.Drawn]:  # fmt: skip
    """Draw a part below the plane, where the class has it."""
    if name == "run" and budgets.run:
        return _run(budgets.run, _step(families), budgets.steps, setting, whole=whole)
    if name == "against":
        return _against(chosen, budgets, setting[1:], whole=whole)
    if name == "asked" and budgets.asking:
        return _asking(budgets.asking, chosen, setting, whole=whole)
    if name == "fresh" and budgets.fresh:
        return _fresh(budgets.fresh, setting[1], whole=whole)
    return []


# Two hundred visitors of one picture share what is sent.
@functools.lru_cache(maxsize=64)
def sent(picture: Picture, height: int) -> bytes:
    return of_picture(picture, height)


def kind(what: str, *values: float) -> tuple[Any, ...]:
    """Return what settings have in common that take about as long."""
    return (what, *(round(math.log10(value)) for value in values))


def _head(section: Section) -> None:
    st.subheader(section.title, anchor=section.anchor)
    st.markdown(section.claim)


def _against(
    chosen: str, budgets: Budgets, rest: Sequence[Any], *, whole: bool
) -> list[export.Drawn]:
    """Draw labels, and people, against d."""
    if whole:
        st.subheader(_SECTIONS["against"].title, anchor=_SECTIONS["against"].anchor)
    taken: list[export.Drawn] = []
    with shell.guard():
        found, picture = wait_for(budgets.against, *rest, kind=kind(f"labels-{chosen}-d", *rest))
        if whole:
            st.markdown(against_claim(found, budgets.told))
        chart.chart(sent(picture, _LOW), key="against")
        taken.append(export.Drawn(picture, budgets.against, (*rest,), found=True))
    return taken


def _asking(
    asking: Callable[..., Picture], chosen: str, setting: Sequence[Any], *, whole: bool
) -> list[export.Drawn]:
    """Draw what it costs to ask a random few, and what is left if it is seen whom."""
    found: list[export.Drawn] = []
    if whole:
        _head(_SECTIONS["asked"])
    left, right = st.columns([1.4, 1], gap="medium", vertical_alignment="bottom")
    with left:
        controls.slider(
            _INNER, "**ε inside** ← more labels | fewer labels →", show=number,
            help="The privacy loss of what is done with the labels that were asked.",
        )  # fmt: skip
    with right:
        seen = controls.segmented(_TRANSCRIPT, "Who sees whose label was asked?", names=_SEEN)
    inner: Any = state.current()[_INNER.key]
    with shell.guard():
        given = (*setting, inner, str(seen))
        picture = wait_for(asking, *given, kind=kind(f"labels-{chosen}-asked", *setting, inner))
        chart.chart(sent(picture, _LOW), key="asked")
        found.append(export.Drawn(picture, asking, given))
    return found


def _fresh(fresh: Callable[..., Picture], epsilon: float, *, whole: bool) -> list[export.Drawn]:
    """Draw what is lost where points get labels that no labelling was made for."""
    found: list[export.Drawn] = []
    if whole:
        _head(_SECTIONS["fresh"])
    controls.slider(
        _OTHERS, "**Others who get labels**", show=number,
        help="People beside the two of the database; they stay the same, only their labels are made.",
    )  # fmt: skip
    others: Any = state.current()[_OTHERS.key]
    with shell.guard():
        picture = wait_for(fresh, epsilon, others, kind=kind("labels-fresh", epsilon))
        chart.chart(sent(picture, _LOW), key="fresh")
        found.append(export.Drawn(picture, fresh, (epsilon, others)))
    return found


def _run(
    run: Callable[..., Picture], step: state.Field, names: Mapping[str, str], setting: Sequence[Any],
    *, whole: bool,
) -> list[export.Drawn]:  # fmt: skip
    """Draw one run of the learner, up to the step that is chosen."""
    d, epsilon, alpha, _ = setting
    found: list[export.Drawn] = []
    if whole:
        _head(_SECTIONS["run"])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        upto = controls.segmented(step, "Up to", names=names)
        st.button("Run again", key="pv_rerun", on_click=_rerun)
    with shell.guard():
        given = (d, epsilon, alpha, state.whole(_AGAIN.key), str(upto))
        picture = wait_for(run, *given, kind=kind("labels-run", d, epsilon))
        chart.chart(sent(picture, _TALL), key="run")
        found.append(export.Drawn(picture, run, given))
    return found


def _rerun() -> None:
    state.assign(**{_AGAIN.key: state.whole(_AGAIN.key) + 1})
