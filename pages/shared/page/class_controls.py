"""The controls of a class page: all of them beside the figure, or the few of a presenter."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.frame import shell, words
from pages.shared.page import pinned
from pages.shared.page.declaration import MORE
from pages.shared.state import controls, state
from pages.shared.state.fields import MEMBER, explanation, label
from privsc_core import draw
from privsc_core.catalog import distribution as find_distribution
from privsc_core.concepts.contracts.idle import said
from privsc_core.draw.still import swatch
from privsc_core.draw.style import number
from privsc_core.draw.traces import below_slider
from privsc_core.evaluate.own_bound import names_of
from privsc_core.formula import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pages.shared.state.fields import Family
    from privsc_core.concepts.contracts import ConceptClass
    from privsc_core.errors import InputError

__all__ = ["SLIDERS", "Controls", "replaced"]

_ACROSS = 4  # controls of a presenter side by side
_WIDER = {"learners"}
_ORDER = (
    "view", "map", MEMBER, "of", "d", "eps", "bound", "delta", "m", "u", "learners", "bounds", "dist",
    "const", "alpha", "beta", "trials", "seed", "pin",
)  # fmt: skip


SLIDERS = ("d", "epsilon", "delta", "m", "u", "alpha", "beta", "trials")


def replaced(name: str, view: draw.View) -> bool:
    """Return whether the axis of a picture replaces the slider of a parameter."""
    return name in view.axes or (name == "m" and view.quantity == "m")


class Controls:
    """The controls of one class; each can be drawn by its key in a link.

    Parameters
    ----------
    concept : ConceptClass
    fields : mapping of str to Field
        By name, see `fields.class_fields`.
    family : Family or None
        The family of classes of which a member is picked.
    refused : InputError, optional
        Why there is no such setting: said at the slider of its parameter, else below all.
    idle : mapping of str to str
        What cannot change the picture, and why: said beside the control.
    sizeless : bool
        Whether the size of the class is among it on this distribution: then it has no slider.
    """

    def __init__(
        self,
        concept: ConceptClass,
        fields: Mapping[str, state.Field],
        family: Family | None,
        refused: InputError | None = None,
        *,
        idle: Mapping[str, str] = MappingProxyType({}),
        sizeless: bool = False,
    ) -> None:
        self.concept, self.fields = concept, fields
        self.family, self.refused = family, refused
        self.idle, self.sizeless = idle, sizeless

    @property
    def _view(self) -> draw.View:
        return draw.VIEWS[str(state.current()["view"])]

    @property
    def _learner(self) -> str:
        return self.concept.words.learner.capitalize()

    def beside(self, first: Sequence[str]) -> None:
        """Draw the first controls in the column beside the figure, and the others behind *More*.

        *More* is open where one of the others is not as it is at first, until a visitor closes it: then a
        line says what they are.
        """
        self._draw(*first)
        others = [key for key in _ORDER if key not in first and key in self._drawers()]
        changed = self._changed(others)
        more = controls.fold(self.fields["open"], MORE, "More controls", asked=bool(changed))
        drawn = [*first, *(others if more.open else ())]
        if more.open:
            with more:
                self._draw(*others)
        elif changed:
            st.caption(f"Set under *More controls*: {'; '.join(changed)}.")
        sliders = {n for n in SLIDERS if n in self.fields and self.fields[n].key in drawn}
        if self.refused and self.refused.parameter not in {*sliders, "distribution"}:
            self._say_again(self.refused)

    def _say_again(self, refused: InputError) -> None:
        """Write why there is no such setting; a wide screen, which shows it above the figure, hides it (shell.css)."""
        with st.container(key="pv_again"):
            shell.message(self.concept.refusal(refused))

    def _changed(self, keys: Sequence[str]) -> list[str]:
        """Return of which controls the values are not those of the first view, with the values."""
        now, law = (
            state.current(),
            find_distribution(self.concept.name, str(state.current()["dist"])),
        )
        knobs = [self.fields[f"{law.name}.{knob.key}"] for knob in law.knobs if "dist" in keys]
        items = {item.key: item for item in self.fields.values()}
        return [
            f"{item.name} {self._words(item.key, now[item.key])}"
            for item in (*(items[key] for key in keys), *knobs)
            if now[item.key] != item.default
        ]

    def _words(self, key: str, value: state.Value) -> str:
        """Return a value of a control as a visitor reads it."""
        if isinstance(value, tuple):
            titles = {entry.name: entry.title for entry in self.concept.learners}
            return ", ".join(titles[name] for name in value) or "none"
        if key == "view":
            return f"“{self._view.said(self.concept.size.symbol)}”"
        if key == "pin":
            return ""
        if key == "bound":
            return f"`{value}`"
        return number(value) if isinstance(value, int | float) else str(value)

    def note(self) -> None:
        """Note that the controls are drawn as they are now."""
        controls.note(self._shown())

    def as_shown(self) -> bool:
        """Return whether a browser shows the controls as they are now: they need not be drawn again.

        A control that has been moved shows itself where it is. But others may come, go, or say something else.
        """
        return controls.noted() == self._shown()

    def _shown(self) -> dict[str, object]:
        """Return what the controls show now: their values by their keys, and what depends on other values."""
        now, view = state.current(), self._view
        law = find_distribution(self.concept.name, str(now["dist"]))
        knobs = [self.fields[f"{law.name}.{knob.key}"].key for knob in law.knobs]
        keys = [*self._drawers(), *knobs]
        slack = self._below_slack() if "delta" in self.fields else ""
        return {key: now[key] for key in keys} | {
            "also": (
                keys, slack, pinned.offered(self.fields), self.sizeless, str(self.refused), dict(self.idle),
                [name for name in SLIDERS if replaced(name, view)], state.refusals(),
                now["controls"], "open" in now and controls.unfolded(self.fields["open"], MORE),
            )
        }  # fmt: skip

    def below(self, kept: Sequence[str]) -> None:
        """Draw the chosen controls in rows below the figure."""
        known = [key for key in self._drawers() if key in kept]
        for start in range(0, len(known), _ACROSS):
            row = known[start : start + _ACROSS]
            shares = [2 if key in _WIDER else 1 for key in row]
            for column, key in zip(st.columns(shares, gap="medium"), row, strict=True):
                with column:
                    self._draw(key)

    def _draw(self, *keys: str) -> None:
        drawers = self._drawers()
        for key in keys:
            if key in drawers:
                drawers[key]()

    def _drawers(self) -> dict[str, Callable[[], None]]:
        drawers: dict[str, Callable[[], None]] = {
            "view": self._picture,
            "map": self._on_map,
            **({self.fields["member"].key: self._member} if self.family else {}),
            **{
                self.fields[name].key: self._slider(name) for name in SLIDERS if name in self.fields
            },
            "pin": partial(pinned.button, self.fields),
            "learners": self._learners,
            "bounds": self._bounds,
            "dist": self._distribution,
            "const": self._constants,
            "seed": self._seed,
            "bound": self._formula,
        }
        on_map = self._view.quantity == "map"
        if not on_map:
            del drawers["map"]
        # Some of the learners shown may take unlabelled examples, or none.
        now = state.current()
        shown = {*now["learners"], *([now["map"]] if on_map else [])}  # type: ignore[misc]
        if "u" in drawers and not any(
            e.unlabelled for e in self.concept.learners if e.name in shown
        ):
            del drawers["u"]
        return drawers

    def _slider(self, name: str) -> Callable[[], None]:
        entry = self.concept.parameter(name)
        refused = self.refused if self.refused and self.refused.parameter == name else None
        complaint = self.concept.refusal(refused) if refused else ""

        def draw_it() -> None:
            if self.sizeless and name == self.concept.size.name:
                self._say_idle(name, entry.symbol)
                return
            controls.slider(
                self.fields[name], label(entry), help=explanation(entry),
                show=number, disabled=replaced(name, self._view), complaint=complaint,
            )  # fmt: skip
            if name == "delta":
                st.caption(self._below_slack())
            if not replaced(name, self._view):
                self._say_idle(name, entry.symbol)

        return draw_it

    def _below_slack(self) -> str:
        """Return what is written below the slider of delta."""
        samples = None if replaced("m", self._view) else state.whole("m")
        return below_slider(float(state.current()["delta"]), samples)  # type: ignore[arg-type]

    def _say_idle(self, name: str, symbol: str) -> None:
        """Write beside a control that it cannot change the picture, if so."""
        if name in self.idle:
            st.caption(f"{said({symbol: self.idle[name]}, 'this picture')[0]}.")

    def _picture(self) -> None:
        size = self.concept.size.symbol
        views = draw.views_of(self.concept)
        names = {name: entry.said(size) for name, entry in views.items()}
        controls.select(self.fields["view"], "Picture", names=names)
        for name in self._view.axes if not self.sizeless else ():
            self._say_idle(name, self.concept.parameter(name).symbol)

    def _on_map(self) -> None:
        names = {e.name: e.title for e in self.concept.learners}
        controls.select(self.fields["on_map"], f"{self._learner} on the map", names=names)

    def _member(self) -> None:
        if self.family and self.family.draw:
            self.family.draw()
        elif self.family:
            names = dict(self.family.members)
            controls.select(self.fields["member"], self.family.label, names=names)

    def _learners(self) -> None:
        names = {e.name: e.title for e in self.concept.learners}
        controls.pills(self.fields["learners"], f"{self._learner}s", names=names)
        st.html(self._swatches())

    def _swatches(self) -> str:
        """Return a style sheet that draws beside the name of each learner the line of its curve."""
        looks = (self.concept.style_of(str(name)) for name in self.fields["learners"].choices)
        rules = (
            f".st-key-w_learners button:nth-of-type({place})::before"
            f'{{content:url("{words.image(swatch(look.colour, look.dash))}");'
            "margin-right:0.4rem;line-height:1}"
            for place, look in enumerate(looks, 1)
        )
        return f"<style>{''.join(rules)}</style>"

    def _bounds(self) -> None:
        names = {"main": "the main one", "all": "all"}
        controls.segmented(self.fields["bounds"], "Bounds in the figure", names=names)

    def _distribution(self) -> None:
        laws = self.concept.distributions
        controls.select(
            self.fields["distribution"], "Distribution",
            names={e.name: e.title for e in laws},
            help="\n".join(f"- **{e.title}**: {e.meaning}" for e in laws),
        )  # fmt: skip
        law = find_distribution(self.concept.name, str(state.current()["dist"]))
        for knob in law.knobs:
            item = self.fields[f"{law.name}.{knob.key}"]
            words = f"{knob.symbol}: {knob.meaning}"
            if knob.words:
                names = {word: f"{word}: {what}" for word, what in knob.words.items()}
                controls.select(item, words, names=names)
            elif item.kind == "text":
                controls.text_input(
                    item, words, placeholder="all alike",
                    from_widget=lambda text: ",".join(re.split(r"[\s,]+", text.strip())),
                )  # fmt: skip
            else:
                controls.number_input(replace(item, high=min(item.high, knob.high)), words)
            self._say_idle(knob.key, knob.symbol)
        if self.refused and self.refused.parameter == "distribution":
            self._say_again(self.refused)

    def _constants(self) -> None:
        controls.segmented(
            self.fields["constants"], "Constants of the bounds",
            names={"sharp": "sharp (ours)", "paper": "as in the paper"},
            help=(
                "Sharp: constants derived here, with the proof under Theory. Paper: the constants of the proofs in "
                "the papers."
            ),
        )  # fmt: skip

    def _formula(self) -> None:
        size = self.concept.size.symbol
        controls.text_input(
            self.fields["formula"], "Your bound, a number of examples",
            placeholder=f"({size} + log(1/beta))/(alpha*epsilon)",
            help=f"A formula, drawn beside our bounds. It may contain {', '.join(names_of(self.concept))}, numbers, "
            f"+ - * / ^ and {', '.join(FUNCTIONS)}.",
        )  # fmt: skip

    def _seed(self) -> None:
        controls.number_input(
            self.fields["seed"], "Seed", help=("The seed fixes every random choice.")
        )
        self._say_idle("seed", "seed")
