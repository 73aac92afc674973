"""A visitor who explores: everything that a page offers, at random; nothing of it is prepared."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import parse_qsl, urlencode

from privsc_core.catalog import CONCEPTS
from privsc_core.draw import VIEWS
from tests.load.controls import Choice, Control, Fold, Slider
from tests.load.visitor import MOVED, PATIENCE, Answer, TroubleError, Visitor

if TYPE_CHECKING:
    from collections.abc import Callable

# The mix of moves: how often of a hundred, as far as the page has something to move.
MOVES = {
    "slider": 38,  # d, epsilon, delta or m, to any stop
    "fold": 12,  # alpha, beta or the number of simulated samples, likewise
    "view": 14,  # another picture: success, least m or a map, against any axis
    "learner": 12,  # one learner on or off
    "choice": 6,  # distribution, constants, the map's learner, a member of the family
    "part": 10,  # open a part of the page or an exhibit in it, or close the one that is open
    "inside": 4,  # a slider or a choice of the part that is open
    "link": 4,  # the same page by another link: alpha and beta of three decimals
}
# What an answer shows, in the order of the report. "link" is a first picture of a new setting,
# "simulated" an exact picture to which a simulation adds, "strip" what a slider asks for at its
# first touch (where the page has live sliders); it comes in addition to the change.
KINDS = ("success", "simulated", "m", "map", "part", "link", "strip")

# What moves, and what moves it: the control as the page describes it then, it may have been drawn anew.
_Move: TypeAlias = "tuple[Control, Callable[[Control], None]]"

# What a picture is called depends on how its class calls its size.
_QUANTITY = {
    view.said(concept.size.symbol): view.quantity for concept in CONCEPTS for view in VIEWS.values()
}
MORE = "w_open_more"  # holds the other controls: open, as links of version 1 have it
_FOLDED = ("w_alpha", "w_beta", "w_trials")
_CHOICES = ("w_dist", "w_const", "w_map", "w_l")


@dataclass
class Explorer(Visitor):
    """One browser tab of a visitor who explores.

    Attributes
    ----------
    made : list of str
        The moves so far, for whoever asks why an answer took long.
    strip_seconds : list of float
        How long strips took that were asked for since somebody took these.
    """

    made: list[str] = field(default_factory=list)
    strip_seconds: list[float] = field(default_factory=list)

    async def explore(self, linger: float = PATIENCE) -> tuple[str, Answer]:
        """Make one move; return what it shows (of `KINDS`) and the answer.

        Who comes from the hall's common link goes on by one of their own.
        """
        try:
            return await self._explore(linger)
        except TroubleError as trouble:
            await self.close()  # the next move comes back
            raise TroubleError(f"{trouble} (after {', '.join(self.made[-2:])})") from trouble

    async def _explore(self, linger: float) -> tuple[str, Answer]:
        if self.socket is None or not self.made:
            return "link", await self._link(linger)
        if "w_view" not in self.controls:
            raise TroubleError(f"a page without its controls: {sorted(self.controls)}")
        name, move = self._choose()
        if name == "link":
            return "link", await self._link(linger)
        changed, apply = move()
        if isinstance(changed, Slider):  # every second one is dragged, the others are clicked
            there = replace(changed)
            apply(there)
            for place in dict.fromkeys((changed.place, there.place)):
                strip = await self.touch(_key(changed), place=place, drags=len(self.made) % 2 == 0)
                if strip:
                    self.strip_seconds.append(strip.picture)
                if not self.at_drags:
                    break
        changed = self.controls.get(_key(changed), changed)
        apply(changed)
        self.made.append(f"{name} {_key(changed)}")
        if name in {"part", "inside"}:
            return "part", await self.send(changed, wants="part", linger=linger)
        answer = await self.send(changed, wants="drawn", linger=linger)
        return self._shown(answer), answer

    def _choose(self) -> tuple[str, Callable[[], _Move]]:
        moves: dict[str, Callable[[], _Move] | None] = {
            "slider": self._moving(self._open_ones(MOVED)),
            "fold": self._moving(self._open_ones(_FOLDED)),
            "view": self._moving(self._open_ones(("w_view",))),
            "learner": self._moving(self._open_ones(("w_learners",))),
            "choice": self._moving(self._open_ones(_CHOICES)),
            "part": self._part if self._seven() else None,  # they come last
            "inside": self._moving(self._inside()),
            "link": self._unmoved,  # made otherwise
        }
        there = {name: move for name, move in moves.items() if move is not None}
        (name,) = self._random.choices(list(there), [MOVES[name] for name in there])
        return name, there[name]

    def _shown(self, answer: Answer) -> str:
        view = self.controls["w_view"]
        quantity = _QUANTITY[view.chosen[0]] if isinstance(view, Choice) else ""
        return "simulated" if quantity == "success" and answer.simulated else quantity

    # --- the moves -----------------------------------------------------------------------------

    def _open_ones(self, keys: tuple[str, ...]) -> list[Slider | Choice]:
        return [it for key in keys if (it := self._movable(key)) is not None]

    def _movable(self, key: str) -> Slider | Choice | None:
        it = self.controls.get(key)
        if it is None or isinstance(it, Fold) or it.disabled or self._hidden(it):
            return None
        return it if len(it.stops if isinstance(it, Slider) else it.words) > 1 else None

    def _hidden(self, it: Control) -> bool:
        return any(fold.hides(it) for fold in self._parts())

    def _inside(self) -> list[Slider | Choice]:
        """Return what can be moved outside the main figure's own controls."""
        main = self.controls["w_view"].fragment
        found = [self._movable(key) for key, it in self.controls.items() if it.fragment != main]
        return [it for it in found if it is not None]

    def _moving(self, those: list[Slider | Choice]) -> Callable[[], _Move] | None:
        if not those:
            return None

        def move() -> _Move:
            it = self._random.choice(those)
            if isinstance(it, Slider):
                place = self._random.choice([i for i in range(len(it.stops)) if i != it.place])
                return it, lambda slider: setattr(slider, "place", place)
            if it.how == "many":
                word = self._random.choice(it.words)
                chosen = [one for one in it.words if (one in it.chosen) != (one == word)]
            else:
                chosen = [self._random.choice([one for one in it.words if one not in it.chosen])]
            return it, lambda choice: setattr(choice, "chosen", chosen)

        return move

    def _unmoved(self) -> _Move:
        return self.controls["w_view"], lambda _: None

    def _parts(self) -> list[Fold]:
        return [it for it in self.controls.values() if isinstance(it, Fold)]

    def _seven(self) -> list[Fold]:
        return [it for it in self._parts() if _key(it) != MORE]

    def _part(self) -> _Move:
        parts = self._seven()
        it = next((part for part in parts if part.opened), None) or self._random.choice(parts)
        return it, lambda fold: setattr(fold, "opened", not it.opened)

    async def _link(self, linger: float) -> Answer:
        """Open the same page in a new tab, at the same setting but for alpha and beta."""
        query = dict(parse_qsl(self.query))
        query["alpha"] = f"{self._random.uniform(0.03, 0.3):.3f}"
        query["beta"] = f"{self._random.uniform(0.01, 0.3):.3f}"
        await self.close()
        self.query, self.session = urlencode(query, safe=","), ""
        self.forget()
        self.made.append(f"link {self.query}")
        await self.open()
        return await self.arrive(linger)


def _key(control: Control) -> str:
    """Return the page's own name of a control."""
    return control.identifier.split("-", 2)[-1]
