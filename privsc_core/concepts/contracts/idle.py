"""Parameters that cannot change an answer, and what is said beside them.

Learners and distributions declare them (`Learner.idle`), bounds as well (`Bound.idle`), each with the
reason as a clause; a contract of the tests varies every parameter and holds them to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ABSENT: dict[str, str] = {
    "epsilon": "nothing here is private",
    "delta": "no learner here has a δ",
    "u": "nothing here takes unlabelled examples",
    "beta": "no learner here is built for a confidence",
    "trials": "nothing here is simulated",
    "seed": "nothing here is simulated",
}
"""Why a parameter is idle where what it belongs to is not there."""

UNREAD = "the learner does not read it"
"""Why one is that an algorithm has no use for."""

ALONE = "a bound is a number of the setting alone"
"""Why what belongs to learners and laws is where it is about a bound."""

IN_BOUNDS = "the inequality contains no such term"
"""Why one is where it is about bounds alone."""


def of_need(idle: Mapping[str, str]) -> dict[str, str]:
    """Return what cannot change the least m, given what cannot change success: beta always does."""
    return {name: why for name, why in idle.items() if name != "beta"}


def said(idle: Mapping[str, str], what: str = "the answer") -> list[str]:
    """Return a sentence for each reason, without its full stop: which parameters do not change what."""
    by_reason: dict[str, list[str]] = {}
    for name, why in idle.items():
        by_reason.setdefault(why, []).append(name)
    return [
        f"{' and '.join(names)} {'do' if len(names) > 1 or names == ['trials'] else 'does'} not change "
        f"{what}: {why}"
        for why, names in by_reason.items()
    ]


def shared(each: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return what is idle in all of several, with all reasons; nothing where there are none.

    What is said of bounds is left out beside what is said of learners.
    """
    every = list(each)
    found: dict[str, str] = {}
    for name in every[0] if every else ():
        if all(name in one for one in every):
            reasons = dict.fromkeys(one[name] for one in every)
            own = [why for why in reasons if why not in {ALONE, IN_BOUNDS}]
            found[name] = "; ".join(own or reasons)
    return found
