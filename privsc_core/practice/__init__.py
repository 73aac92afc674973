"""Questions that a reader answers, computed at the setting on the screen.

Nothing in a question is a fixed number: what is right, and what is wrong, is computed from the setting. `kinds`
names what can be asked at one, `ask` asks. Lectures, rooms and the pages of classes ask by these two.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from privsc_core.errors import InputError
from privsc_core.practice import bounds, learners, moves, privacy
from privsc_core.practice.asked import Shown

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import ConceptClass
    from privsc_core.concepts.contracts.practice import Exercise, ExerciseKind
    from privsc_core.evaluate.scenario import Scenario

__all__ = ["GENERAL", "Shown", "ask", "beginning", "following", "kinds", "known"]

GENERAL: tuple[ExerciseKind, ...] = (
    *learners.KINDS,
    *moves.KINDS,
    *bounds.KINDS,
    *privacy.KINDS,
)
"""The kinds that can be asked of every class, where it has what they speak of."""


def known(concept: ConceptClass) -> dict[str, ExerciseKind]:
    """Return all kinds of a class by their names: its own first, then the general ones."""
    return {kind.name: kind for kind in (*concept.kinds, *GENERAL)}


def kinds(scenario: Scenario) -> tuple[str, ...]:
    """Return the names of the kinds that make sense at a setting.

    At some settings a kind of these has no question after all: where a number is undefined, or every wrong
    answer coincides with the right one. Then `ask` returns None.
    """
    at = Shown(scenario)
    found = known(scenario.concept_class).values()
    return tuple(kind.name for kind in found if kind.fits is None or kind.fits(at))


def ask(name: str, scenario: Scenario, turn: int = 0) -> Exercise | None:
    """Return a question of one kind at a setting.

    Parameters
    ----------
    name : str
        Of the kind.
    scenario : Scenario
        The setting on the screen.
    turn : int
        Which learner, bound or size the question speaks of, where there are several: turn 0 takes the first
        one that is shown, turn 1 the next one.

    Returns
    -------
    Exercise or None
        None where no such question can be asked at the setting.

    Raises
    ------
    InputError
        For a name that is no kind of the class.
    """
    found = known(scenario.concept_class)
    if name not in found:
        raise InputError("ask", f"must be a kind of question: one of {', '.join(found)}", name)
    try:
        return found[name].ask(Shown(scenario, turn))
    except InputError:  # a learner or a distribution does not exist at a setting that it compares
        return None


def following(scenario: Scenario, number: int) -> tuple[int, Exercise] | None:
    """Return the first question from a number on that can be asked at a setting, and its number.

    Questions are numbered through all kinds, in an order in which neighbours are of different subjects, and
    then through them again at the next turn.

    Parameters
    ----------
    scenario : Scenario
    number : int
        At least 0.

    Returns
    -------
    (int, Exercise) or None
        None where no kind of the class can be asked at the setting.
    """
    names = sorted(kinds(scenario), key=_shuffled)
    known = None
    for place in range(number, number + 2 * len(names)):
        turn, which = divmod(place, len(names))
        asked = ask(names[which], scenario, turn)
        if asked is None:
            continue
        # Where there is one thing to ask about, every turn asks the same.
        if not turn or asked != ask(names[which], scenario):
            return place, asked
        known = known or (place, asked)
    return known


def beginning(seed: int) -> int:
    """Return the number of an easy question to begin with, by a seed."""
    return seed % len(_FIRST)


# Asked first, for a reader who has just seen the figure.
_FIRST = ("double-d", "least-m", "halve-epsilon", "fewest", "odds", "price-of-privacy")


def _shuffled(name: str) -> tuple[int, bytes]:
    """Return a key that sorts kinds: easy ones first, then others, of which neighbours have little in common."""
    place = _FIRST.index(name) if name in _FIRST else len(_FIRST)
    return place, hashlib.sha256(name.encode()).digest()
