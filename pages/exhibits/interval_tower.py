"""What the lower bound of tower packing is made of: tiny domains, a game with digits, towers of twos."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.frame import shell
from pages.shared.state import controls
from privsc_core.exhibits.interval.tower import (
    BASES,
    COPIES,
    LARGEST,
    PLACES,
    digit_game,
    forced,
    heights,
)

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.evaluate.scenario import Scenario

_OWN = Fields("logstar")

# --- Which domain forces failure ------------------------------------------------------------------

_TINY = _OWN.number(
    "tiny", "ε of tiny domains", 2.0, (0.1, 5.0), (0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
)


def _forced(scenario: Scenario, values: Values) -> None:
    controls.slider(
        _TINY, "**ε** ← more privacy | less →", help="ε: the privacy loss, in this figure alone."
    )
    found = exhibit.computed(forced, values[_TINY], scenario.beta, scenario.delta)
    exhibit.draw(found.picture, "forced", 380)
    shell.cards(*(
        shell.card(
            f"{n} point{'s' * (n > 1)}", f"T = {first}" if first else f"none up to {LARGEST[n]}",
            "first domain that forces failure",
        )
        for n, first in found.first.items()
    ))  # fmt: skip
    st.caption(
        "**Numerical optima**, not certified: a linear program over all (ε, δ)-private mechanisms, worst case over all "
        "databases. Larger programs take longer than a second."
    )


_FORCED = Exhibit(
    name="forced",
    title="Which domain forces failure",
    claim="**A larger domain makes the task harder for every mechanism.** Of $n$ points of $\\{1, \\dots, T\\}$ a "
    "private mechanism is to output a number between the least and the largest. The figure shows the best success of "
    "all mechanisms. Each further point helps up to a larger domain.",
    label="Compute the best mechanism",
    fields=(_TINY,),
    draw=_forced,
)

# --- The digit game -------------------------------------------------------------------------------

_BASE = _OWN.integer("basis", "base of the digits", 10, BASES, tuple(range(BASES[0], BASES[1] + 1)))
_PLACES = _OWN.integer(
    "digits", "digits of the secret number", 6, PLACES, tuple(range(PLACES[0], PLACES[1] + 1))
)
_COPIES = _OWN.integer(
    "copies", "copies of the secret number", 2, COPIES, tuple(range(COPIES[0], COPIES[1] + 1))
)
_ROUND = _OWN.draw("round", "round of the digit game")
_NONE = "none"
_GUESS = _OWN.choice("digit", "guessed digit", _NONE, (_NONE, *map(str, range(BASES[1]))))


def _digits(scenario: Scenario, values: Values) -> None:
    first, second, third, more = st.columns(4, vertical_alignment="bottom")
    with first:
        controls.slider(_BASE, "**b** ← | →", help="b: the base of the digits.")
    with second:
        controls.slider(_PLACES, "**k** ← | →", help="k: digits of the secret number y₀.")
    with third:
        controls.slider(_COPIES, "**g** ← | →", help="g: copies of the secret number y₀.")
    with more:
        exhibit.redraw(_ROUND, "Next round", "pv_digits_again", width="stretch")
    guess = values[_GUESS]
    found = exhibit.computed(
        digit_game, values[_BASE], values[_PLACES], values[_COPIES], values[_ROUND],
        -1 if guess == _NONE else int(guess), scenario.epsilon, scenario.delta,
    )  # fmt: skip
    exhibit.draw(found.picture, "digits", 330)
    controls.segmented(_GUESS, f"Your guess of digit {found.digit} of y₀", names={_NONE: "hidden"})
    verdict = {None: "not guessed yet", True: "your guess is right", False: "your guess is wrong"}
    shell.cards(
        shell.card("Points x of the small problem", found.points, "z must share as many digits"),
        shell.card("Digits that z shares with y₀", found.shared, found.says),
        shell.card(
            f"A private z knows digit {found.digit}", f"≤ {found.most}",
            f"1/b after g steps of privacy; {verdict[found.right]}", "accent",
        ),
    )  # fmt: skip
    exhibit.draw(
        exhibit.computed(heights, scenario.epsilon, scenario.beta, scenario.delta), "heights", 360
    )
    st.caption(
        "**Why so little for an exponential.** The secret number has $S-1$ digits, so its domain is exponentially "
        "larger than that of the $x$. All this buys are the copies: as many as leave the next digit unknown. **Ours**: "
        "the copies; **paper**: the recursion, with one copy (Bun, Nissim, Stemmer and Vadhan 2015)."
    )


_DIGITS = Exhibit(
    name="digits",
    title="The digit game",
    claim="**An exponentially larger domain costs only one more round.** A secret number $y_0$ has random digits. Each "
    "$y_i$ shows the first $x_i$ of them. An answer $z$ between all numbers shares at least the least $x$ digits with "
    "$y_0$. If it shares more than the largest $x$, it has guessed a digit.",
    label="Guess the next digit",
    fields=(_BASE, _PLACES, _COPIES, _ROUND, _GUESS),
    draw=_digits,
)

EXHIBITS = (_FORCED, _DIGITS)
