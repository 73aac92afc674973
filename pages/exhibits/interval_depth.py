"""What recursion costs: least m by depth against the bits of a point, live, and the page around it."""

from __future__ import annotations

import contextlib
import functools
import html
from typing import TYPE_CHECKING

import streamlit as st

from pages.exhibits.interval_slack import where
from pages.shared.chart.payload import Strip
from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Fields, Values
from pages.shared.frame import shell, tables, words
from pages.shared.frame.sitemap import HEADS
from pages.shared.hall import prediction
from pages.shared.page import class_page, live
from pages.shared.page.declaration import HEIGHT, Section
from pages.shared.page.parts import Parts, named
from pages.shared.state import controls, state
from pages.shared.state.fields import COMMON, EVERYWHERE, PRESENTING, explanation, label, slack
from pages.shared.take import takeaway
from privsc_core import draw
from privsc_core.catalog import concept as find_concept
from privsc_core.draw.style import number
from privsc_core.errors import InputError
from privsc_core.exhibits.interval.ladders import DEPTHS, ladders
from privsc_core.exhibits.interval.staircase import (
    AXES,
    LEAST,
    MOST,
    PANELS,
    QUANTITY,
    STOPS,
    Standing,
    answer,
    cards,
    paying,
    question,
    reading,
    staircase_picture,
    staircase_strip,
)
from privsc_core.exhibits.interval.tower import (
    BASES,
    COPIES,
    LARGEST,
    PLACES,
    digit_game,
    forced,
    heights,
)
from privsc_core.exhibits.interval.tree import CHANGES, LAWS
from privsc_core.literature.papers import papers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamlit.delta_generator import DeltaGenerator

    from privsc_core.draw.picture import Picture
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.exhibits.interval.staircase import Staircase

HEADING, CLAIM = HEADS["logstar"]
_CONCEPT = "interval"
_OWN = Fields("logstar")
_L = _OWN.number("L", "L, the log of the bits of a point", 24.0, (LEAST, MOST), STOPS)
SETTING: dict[str, state.Field] = {
    "delta": slack("logstar"), "epsilon": COMMON["epsilon"], "log2_d": _L, "alpha": COMMON["alpha"],
    "beta": COMMON["beta"],
}  # fmt: skip
_PANEL = _OWN.choice("panel", "axis of the bits", next(iter(PANELS)), tuple(PANELS))
_FIRST = (
    "delta",
    "epsilon",
    "log2_d",
)  # the sliders beside the figure; the others stand behind *More*
_MORE = "more"
_STAGED = ("present", "lecture", "scene", "predict", "guess", "room")
_BITS = 6  # of a point of the ladders
_HEIGHTS = {"1": 260, "2": 430, "3": 600}  # of their figure
_WHAT = (
    "A threshold $c_t$ gives label 1 to the points below $t$. The learner chooses among the $d+1$ levels of a tree of "
    "thresholds, one more than a point has bits. At depth 2 it puts a tree on these levels, at depth 3 another one on "
    "the levels of that tree: each time $\\log d$ becomes $\\log\\log d$ in one logarithm. The price is the largest "
    "score, about $3u$, $5u$ and $9u$. Here $u$ is the score at which the learner prefers a candidate to a random "
    "threshold; each depth has its own."
)
_PROVED = (
    "**Proved, ours:** the three depths are $(\\varepsilon, \\delta)$-private, and their numbers are enough for every "
    "distribution and target. **Open:** whether another learner that recurses twice needs fewer examples. "
    "**Not claimed:** that $\\log^*$ is the best depth, or that about $\\log^*$ examples are enough: the factor "
    "$\\log(1/\\delta)/(\\alpha\\varepsilon)$ is far larger. No lower bound grows without end at a fixed $\\delta$: a "
    "learner that publishes a few random examples needs a multiple of $1/\\delta$ of them, on any domain."
)

# --- The exhibits --------------------------------------------------------------------------------

_DEPTH = _OWN.choice("levels", "depth of the ladders", DEPTHS[1], DEPTHS)
_ON = _OWN.choice("on", "distribution of the ladders", "cascade", tuple(LAWS))
_MANY = _OWN.integer(
    "many", "examples of the ladders", 700, (100, 20_000),
    (100, 300, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000, 7000, 10_000, 20_000),
)  # fmt: skip
_AGAIN = _OWN.draw("again", "draw of the ladders")
_CHANGE = _OWN.choice("change", "change of one example", "move", CHANGES)
_NTH = _OWN.integer("nth", "example that changes", 1, (1, 12), tuple(range(1, 13)))
_TO = _OWN.integer(
    "place", "where it moves to", 40, (1, 1 << _BITS), tuple(range(1, (1 << _BITS) + 1))
)


def _ladders(at: Standing, values: Values) -> None:
    first, second, third = st.columns([1.2, 1.2, 1], vertical_alignment="bottom")
    with first:
        controls.segmented(_DEPTH, "Depth")
    with second:
        controls.segmented(_ON, "Distribution")
    with third:
        exhibit.redraw(_AGAIN, "Next sample", "pv_ladders_again", width="stretch")
    many, change = st.columns([1, 1.2], vertical_alignment="bottom")
    with many:
        controls.slider(_MANY, "**m** ← few | many →", help="m: number of examples, here alone.")
    with change:
        controls.segmented(
            _CHANGE, "One example", names={"none": "No change", "flip": "Flip", "move": "Move"}
        )
    where(values[_CHANGE], _NTH, _TO)
    found = exhibit.computed(
        ladders, law=values[_ON], d=_BITS, m=values[_MANY], seed=values[_AGAIN], epsilon=at.epsilon,
        alpha=at.alpha, beta=at.beta, delta=at.delta, depth=values[_DEPTH], change=values[_CHANGE],
        example=values[_NTH], place=values[_TO],
    )  # fmt: skip
    shell.cards(
        shell.card("One example", found.changed or "no change", "point and label"),
        shell.card("A score moves by at most", f"{found.moved:g}", "never more than 1", "accent"),
        shell.card("Scores above 0", f"≤ {found.bars}", "k, at this depth and so many bits"),
    )  # fmt: skip
    left, right = st.columns([1.3, 1], gap="medium")
    with left:
        exhibit.draw(found.stages, "ladders-stages", _HEIGHTS[values[_DEPTH]])
    with right:
        exhibit.draw(found.scores, "ladders-scores", 390)
    st.caption(
        "**Exact**, given the simulated sample: mistakes, levels, scores. **Ours**: the scores; doubled levels are "
        "Bun, Nissim, Stemmer and Vadhan's (2015). With so few bits depth saves no candidates."
    )


_LADDERS = exhibit.Exhibit(
    name="ladders",
    title="A ladder of ladders",
    claim="**Each depth makes the levels of one tree the positions of the next.** A level $l$ is as good as the best "
    "threshold among the multiples of $2^l$. One example changes each number of mistakes by at most 1, so no "
    "score moves by more than 1, at any depth.",
    label="Follow one sample, and move an example",
    fields=(_DEPTH, _ON, _MANY, _AGAIN, _CHANGE, _NTH, _TO),
    draw=_ladders,
)

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


_FORCED = exhibit.Exhibit(
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


_DIGITS = exhibit.Exhibit(
    name="digits",
    title="The digit game",
    claim="**An exponentially larger domain costs only one more round.** A secret number $y_0$ has random digits. Each "
    "$y_i$ shows the first $x_i$ of them. An answer $z$ between all numbers shares at least the least $x$ digits with "
    "$y_0$. If it shares more than the largest $x$, it has guessed a digit.",
    label="Guess the next digit",
    fields=(_BASE, _PLACES, _COPIES, _ROUND, _GUESS),
    draw=_digits,
)

EXHIBITS = (_LADDERS, _FORCED, _DIGITS)
_SAYS = {
    "see": "how to read the figure",
    "why": "one sample on three depths, and the lower bound as a game",
    "numbers": "where each depth begins to pay, by δ",
    "theory": "what is proved, what is open, rates of the literature",
    "take-away": "the data of the figure",
}
SECTIONS = tuple(Section(one.anchor or one.name, one.title, one.claim) for one in EXHIBITS)
FIELDS: tuple[state.Field, ...] = (
    *EVERYWHERE,
    *(PRESENTING[name] for name in _STAGED),
    SETTING["delta"],
    _L,
    _PANEL,
    state.Field(
        key="open", kind="choices", default=(), name="parts", scope="logstar",
        choices=("staircase", _MORE, *_SAYS, *(one.name for one in EXHIBITS)),
    ),
    *(item for one in EXHIBITS for item in one.fields),
)  # fmt: skip


# --- The page ------------------------------------------------------------------------------------


def show() -> None:
    """Draw the whole page, or to an audience or inside another page some of its parts."""

    def head() -> None:
        own = [_PANEL, *(item for one in EXHIBITS for item in one.fields)]
        class_page.tools(HEADING, SETTING, own, ", with the controls that you choose under Share.")

    with class_page.framed(HEADING, "logstar", "🪜", FIELDS, head) as (mode, lift):
        staged = ("staircase", *(one.name for one in EXHIBITS))
        _body(("staircase",) if mode == "full" else named(staged) or ("staircase",))
        lift()


def _setting() -> Standing:
    return Standing(**state.named(SETTING))


@st.fragment
def _body(shown: Sequence[str]) -> None:
    """Draw everything that depends on the controls."""
    whole = shell.mode() == "full"
    if whole:
        st.container(key="pv_claim").markdown(CLAIM)
    above = st.container(key="pv_above")
    if whole:
        figure, beside = shell.stage()
        with beside:
            _controls()
    else:
        figure = st.container()
    rest = st.container()
    if not whole:  # as on the pages of the classes, the controls stand below
        with st.container(key="pv_kept"):
            _kept(state.words("controls"))
    picture = None
    if "staircase" in shown:
        with figure, shell.guard():
            picture = _staircase(above)
        live.answer(_followed, SETTING, _said)
    with rest:
        if whole:
            st.markdown(_WHAT)
            _below(picture)
        elif not (prediction.asks() and "staircase" in shown):
            for one in EXHIBITS:
                if one.name in shown:
                    with shell.guard():
                        one.draw(_setting(), Values(state.current()))


def _controls() -> None:
    """Draw the controls beside the figure; the rarer ones are folded."""
    for name in _FIRST:
        _slider(name)
    controls.segmented(_PANEL, "Bits of a point on the axis", names=PANELS)
    inside = exhibit.part("More controls: α, β", _MORE)
    if inside.open:
        with inside:
            for name in SETTING:
                if name not in _FIRST:
                    _slider(name)


def _kept(keys: Sequence[str]) -> None:
    """Draw the controls that an audience sees, in a row."""
    kept = [name for name, item in SETTING.items() if item.key in keys]
    panel = [_PANEL] * (_PANEL.key in keys)
    places = st.columns(max(1, len(kept) + len(panel)), gap="medium")
    for place, name in zip(places, kept, strict=False):
        with place:
            _slider(name)
    for item in panel:
        with places[-1]:
            controls.segmented(item, "Bits of a point on the axis", names=PANELS)


def _slider(name: str) -> None:
    if name == "log2_d":
        controls.slider(
            _L, "**L**: a point has 2ᴸ bits", show=number,
            help="L = log₂(d + 1): a point has d = 2ᴸ − 1 bits, written 2ᴸ here. The dotted line stands at L.",
        )  # fmt: skip
        return
    controls.slider(SETTING[name], label(name), help=explanation(name), show=number)


# --- The staircase -------------------------------------------------------------------------------


def _sheet(at: Standing, panel: str, guess: int) -> live.Sheet:
    packed = functools.partial(_packed, guess)
    return live.Sheet(
        f"stairs/{panel}/{guess}", at, tuple(SETTING), (staircase_strip, panel), packed
    )


def _followed() -> live.Sheet | None:
    """Return the figure as it follows its sliders; None while its numbers are to be predicted."""
    if prediction.asks():
        return None
    with contextlib.suppress(InputError):
        return _sheet(_setting(), Values(state.current())[_PANEL], prediction.guess())
    return None


@functools.lru_cache(maxsize=8)
def _packed(guess: int, found: tuple[tuple[Staircase, Picture], ...]) -> Strip:
    frames = (
        exhibit.sent(_dressed(picture, one.at.log2_d, guess), HEIGHT) for one, picture in found
    )
    return Strip.of(frames, [one for one, _ in found])


# Cached as in `exhibit.sent`: frames and figure are then the same picture.
@functools.lru_cache(maxsize=64)
def _dressed(
    picture: Picture, log2_d: float, guess: int, crowd: tuple[tuple[float, int], ...] = ()
) -> Picture:
    """Return the picture with what was guessed, if anything was."""
    return draw.mark(picture, guess, AXES, QUANTITY, log2_d, crowd=crowd) if guess else picture


def _staircase(above: DeltaGenerator) -> Picture:
    """Draw the figure with its numbers; return its picture as it is to be taken away."""
    at, panel = _setting(), Values(state.current())[_PANEL]
    found, picture = exhibit.computed(staircase_picture, at, panel)
    if prediction.asks():
        asked = prediction.question(question(at))
        with above:
            prediction.commit(asked, truth=answer(found), setting=picture.caption)
        hidden = prediction.hidden(picture, AXES, QUANTITY, asked, at=at.log2_d)
        exhibit.draw(hidden, "main", HEIGHT, on_guess=prediction.dragged)
        return hidden
    now = _followed()
    dressed = _dressed(picture, at.log2_d, prediction.guess(), prediction.crowd())
    setting = live.setting(now, SETTING) if now else None
    exhibit.draw(dressed, "main", HEIGHT, setting=setting)
    with above:
        _told(found).draw()
    return dressed


def _told(found: Staircase) -> class_page.Told:
    said = tuple(shell.card(one.label, one.value, one.note, one.tone) for one in cards(found))
    return class_page.Told(said, "", answer(found) if prediction.guess() else None)


def _said(found: Staircase, _: object) -> dict[str, str]:
    return _told(found).html()


# --- The parts below -----------------------------------------------------------------------------


def _below(picture: Picture | None) -> None:
    """Draw the parts below the figure; while it is to be predicted, those that do not tell it."""
    fills: dict[str, Callable[[], None]] = {"theory": _theory}
    if picture is not None and not prediction.asks():
        fills |= {
            "see": lambda: words.explain(reading()),
            "numbers": _pays,
            "take-away": lambda: takeaway.tables([picture]),
        }
    below = Parts(exhibits=EXHIBITS, setting=_setting, fills=fills, says=_SAYS)
    below.place()
    for part in below.there():
        below.draw(part)


def _pays() -> None:
    """Draw from how many bits on each depth pays, by the slack."""
    deltas = tuple(SETTING["delta"].stops)
    rows = exhibit.computed(paying, _setting(), deltas)
    heads = ("δ", "depth 2 pays from", "depth 3 pays from", "examples at the first of them")
    st.html(tables.table(heads, rows, label="Where each depth begins to pay", numeric=(1, 2, 3)))
    st.caption(
        "Bits of a point, to three digits, for the three upper bounds. In brackets: mδ is 1 or more there, which is no privacy."
    )


def _theory() -> None:
    """Draw what is proved and open, and the rates of other people, without numbers of ours beside them."""
    st.markdown(_PROVED)
    st.markdown(
        "**Rates of the literature**, up to factors that depend on $\\alpha$, $\\beta$, $\\varepsilon$ and $\\delta$. "
        "We have checked no constant of these papers."
    )
    later = find_concept(_CONCEPT).documents.later
    for one in later:
        if one.privacy == "approximate":
            st.markdown(
                f"- {papers()[one.source.paper].short}: ${one.statement}$, {html.escape(one.applies_to)}."
            )
