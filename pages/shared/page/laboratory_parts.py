"""What is done with a class of the laboratory: coins on its tree, the game, a learner, and its likes."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.values import Fields, Values
from pages.shared.frame import tables
from pages.shared.hall import presenter
from pages.shared.state import controls, state
from pages.shared.state.fields import COMMON, explanation, label
from privsc_core.draw import dimensions as drawn
from privsc_core.draw.laboratory_figures import coins_picture, families_picture, trial_picture
from privsc_core.draw.style import integer, number
from privsc_core.finite.asked import class_of, game_of, points_of
from privsc_core.finite.families import MOST_AXES
from privsc_core.finite.game import SIDES, move

if TYPE_CHECKING:
    from privsc_core.finite import Dimensions
    from privsc_core.finite.game import Game

__all__ = ["FIELDS", "families", "forgotten", "game", "learner", "tree"]

_OWN = Fields("laboratory")
_SIDE = _OWN.choice("side", "side in the game", SIDES[0], SIDES)
_MOVES = _OWN.text("moves", "moves of the game", r"[0-9yn]{0,160}")
_ONES = _OWN.text("h", "points that the hypothesis labels 1", r"[0-9.]{0,160}")
_ROW = _OWN.integer("row", "target row", 1, (1, 4096))
_WEIGHTS = _OWN.text("weights", "weights of the points", r"[0-9.]{0,190}", "whole numbers")
_AXES = _OWN.integer("axes", "number of axes", 3, (1, MOST_AXES), (1, 2, 3, 5, 10, 20, 50, 100))
FIELDS: tuple[state.Field, ...] = (_SIDE, _MOVES, _ONES, _ROW, _WEIGHTS, _AXES)
_TREE_POINTS = 64  # that a row of buttons holds


def forgotten() -> dict[str, object]:
    """Return what another class makes meaningless, to be assigned with it."""
    return {_MOVES.key: "", _ONES.key: "", _WEIGHTS.key: "", _ROW.key: 1}


def _claim(text: str) -> None:
    """Draw what a part says; in a lecture the scene has said it."""
    if presenter.place() is None:
        st.markdown(text)


# --- The tree and the coins ---------------------------------------------------------------------


@st.fragment
def tree(found: Dimensions) -> None:
    """Draw an optimal mistake tree, a hypothesis to choose, and its mistakes on all paths."""
    st.subheader("A mistake tree, and why nobody beats a coin", anchor="tree")
    if found.tree is None:
        st.markdown(
            "There is none to be shown: the class has Littlestone dimension 0, or it is open."
        )
        return
    _claim(
        "Nature asks the point in the circle and calls whatever is predicted wrong; left is label 0, "
        "right is label 1. Each path is consistent with a concept, so **every** learner makes that many "
        "mistakes. Now fix *any* hypothesis h: the pattern of its mistakes along a path names the path, so "
        "over all paths they are **coin tosses**. Change h: the leaves count its mistakes, and the "
        "histogram never moves. That is the whole lower bound."
    )
    ones = _chosen(found)
    # A screen reader has the words below it: the picture says nothing else.
    picture = _branch(drawn.branches(found.tree, ones))
    left, right = st.columns([1.2, 1], gap="large", vertical_alignment="center")
    left.html(f'<div class="pv-tree" aria-hidden="true"><ul>{picture}</ul></div>')
    with right:
        exhibit.draw(exhibit.quickly(coins_picture, found.tree, ones), "coins", 300)
    depth = found["littlestone"]
    with st.expander(f"The tree in words (depth {drawn.between(depth.low, depth.high)})"):
        st.markdown("\n".join(f"- {line}" for line in drawn.tree_lines(found.tree)))


def _chosen(found: Dimensions) -> int:
    """Draw the hypothesis, a button a point; return it, bit x the label of point x."""
    points = found.of.points
    if points > _TREE_POINTS:
        return 0
    controls.bound(
        _ONES, st.pills, "h labels these points 1", [str(x + 1) for x in range(points)],
        selection_mode="multi", wrap=True,
        to_widget=lambda text: [str(x + 1) for x in points_of(str(text), points)],
        from_widget=".".join,
    )  # fmt: skip
    return sum(1 << x for x in points_of(Values(state.current())[_ONES], points))


def _branch(one: drawn.Branch) -> str:
    wrong = ' class="pv-wrong"' if one.wrong else ""
    answer = f"<i{wrong}>{one.answer}</i>" if one.answer else ""
    below = f"<ul>{''.join(map(_branch, one.below))}</ul>" if one.below else ""
    return f'<li class="{"" if one.below else "pv-leaf"}">{answer}<b>{one.text}</b>{below}</li>'


# --- The game -----------------------------------------------------------------------------------


@st.fragment
def game(asked: str) -> None:
    """Draw the game, in which the visitor plays one side and the best player the other."""
    st.subheader("Play it", anchor="game")
    names = {"learner": "You predict", "nature": "You are nature"}
    values = Values(state.current())
    side = str(controls.segmented(_SIDE, "Which side are you on?", names=names))
    moves = values[_MOVES]
    now = exhibit.computed(game_of, asked, side, moves)
    if side == "learner":
        st.markdown(
            "Nature asks a point of an optimal tree, you predict its label, and it says the other one. It "
            "can do so LDim times whatever you do, and more often if you predict badly."
        )
        _predicting(now)
    else:
        st.markdown(
            "Name a point and its true label, as long as some concept agrees. The *standard optimal "
            "algorithm* predicts the label whose concepts have the larger Littlestone dimension: however "
            "you play, it is wrong at most LDim times."
        )
        _naming(now)
    _told(now, side)


def _play(moves: str) -> None:
    state.assign(**{_MOVES.key: moves})


def _predicting(now: Game) -> None:
    played = "".join(str(one.predicted) for one in now.rounds)
    with st.container(horizontal=True, vertical_alignment="center", key="pv_game"):
        if now.asked is None:
            st.markdown("**Nothing more can be forced.**")
        else:
            st.markdown(f"**Point {now.asked + 1}?**")
            for guess in (0, 1):
                st.button(
                    f"I predict {guess}", key=f"pv_predict_{guess}", on_click=_play,
                    args=(f"{played}{guess}",),
                )  # fmt: skip
        _again(played[:-1], bool(now.rounds))


def _naming(now: Game) -> None:
    played = "".join(move(one.x, one.label) for one in now.rounds)
    before = "".join(move(one.x, one.label) for one in now.rounds[:-1])
    open_ = [x for x, (zero, one) in enumerate(now.splits) if zero and one]
    with st.container(horizontal=True, vertical_alignment="bottom", key="pv_game"):
        if not open_:
            st.markdown("**One concept is left: no label is open.**")
        else:
            if st.session_state.get("pv_point_of") != now.splits:
                # A browser keeps the words of a choice, and these have changed.
                st.session_state["pv_point"], st.session_state["pv_point_of"] = open_[0], now.splits
            x = st.selectbox(
                "Point", open_, key="pv_point", width=150,
                format_func=lambda x: f"{x + 1} ({now.splits[x][0]} : {now.splits[x][1]})",
                help="In brackets how many of the concepts left label it 0, and 1.",
            )  # fmt: skip
            st.markdown(f"**I predict {now.predictions[x]}.**")
            for said in (0, 1):
                st.button(
                    f"Its label is {said}", key=f"pv_label_{said}", on_click=_play,
                    args=(played + move(x, said),),
                )  # fmt: skip
        _again(before, bool(now.rounds))


def _again(before: str, begun: bool) -> None:  # noqa: FBT001 - a fact, not a mode
    st.button("Take back", key="pv_undo", on_click=_play, args=(before,), disabled=not begun)
    st.button("Start over", key="pv_over", on_click=_play, args=("",), disabled=not begun)


def _told(now: Game, side: str) -> None:
    """Say how the game stands, to a screen reader too."""
    rounds = "".join(
        f"<li>point {one.x + 1}: predicted {one.predicted}, it is {one.label}"
        f"{' <strong>✗ mistake</strong>' if one.predicted != one.label else ''}</li>"
        for one in now.rounds
    )
    left = f"{len(now.concepts)} concept{'s' * (len(now.concepts) != 1)} left"
    most = "at least" if side == "learner" else "at most"
    more = f"{most} {now.left} more mistake{'s' * (now.left != 1)} to come"
    st.html(
        f'<div class="pv-game" role="status"><p><strong>{now.mistakes} '
        f"mistake{'s' * (now.mistakes != 1)}</strong> in {len(now.rounds)} "
        f"round{'s' * (len(now.rounds) != 1)}; {left}; {more}.</p><ol>{rounds}</ol></div>"
    )


# --- A learner on this class --------------------------------------------------------------------


def _weights(text: object) -> str | None:
    """Return what was typed as it stands in a link; None for parts of a number, which dots would join."""
    return None if "." in str(text) else ".".join(str(text).replace(",", " ").split())


def learner(asked: str) -> None:
    """Draw how often the exponential mechanism finds the target, on any distribution."""
    st.subheader("A private learner on this class", anchor="learner")
    _claim(
        "The exponential mechanism over the rows draws a row with weight $e^{-\\varepsilon\\cdot"
        "\\text{mistakes}/2}$: it learns **every** finite class (the survey's Theorem 8.3). Any row is the "
        "target, any whole numbers are the weights of the points."
    )
    of = class_of(asked)
    first, second, third = st.columns(3, gap="medium")
    with first:
        controls.number_input(replace(_ROW, high=len(of)), "Target row")
    with second:
        controls.bound(
            _WEIGHTS, st.text_input, "Weights of the points", max_chars=190,
            placeholder=f"{of.points} whole numbers; empty: all alike",
            to_widget=lambda text: str(text).replace(".", " "),
            from_widget=_weights,
        )  # fmt: skip
    with third:
        controls.slider(COMMON["alpha"], label("alpha"), help=explanation("alpha"), show=number)
    now, values = state.current(), Values(state.current())
    weights = tuple(int(word) for word in values[_WEIGHTS].split(".") if word)
    epsilon, alpha, beta = (float(now[COMMON[n].key]) for n in ("epsilon", "alpha", "beta"))  # type: ignore[arg-type] # numbers all
    picture = exhibit.computed(
        trial_picture, asked, min(values[_ROW], len(of)) - 1, weights, epsilon=epsilon,
        alpha=alpha, beta=beta, seed=state.whole("seed"),
    )  # fmt: skip
    exhibit.draw(picture, "trial", 380)


# --- Classes of any size ------------------------------------------------------------------------


def families() -> None:
    """Draw the classes of the paper at any size: their dimensions, and what privacy costs."""
    st.subheader("Which dimension? Classes of any size", anchor="families")
    _claim(
        "On a grid of $2^b$ places an axis the VC dimension stands still as b grows, and pure privacy pays "
        "for every bit: the **Littlestone dimension** sees it. But it is a lower bound only: *all* "
        "dimensions of lines are 2, and pure privacy still pays $\\log p$ for them."
    )
    controls.slider(
        _AXES, "**k** ← fewer axes | more →", help="k: dimension of boxes, balls, half-spaces."
    )
    now = state.current()
    epsilon, alpha, beta = (float(now[COMMON[n].key]) for n in ("epsilon", "alpha", "beta"))  # type: ignore[arg-type] # numbers all
    found, picture = exhibit.computed(
        families_picture, Values(now)[_AXES], epsilon=epsilon, alpha=alpha, beta=beta
    )
    exhibit.draw(picture, "families", 420)
    rows = [
        [
            one.family.title, integer(float(one.vc[-1])), one.family.paper, one.family.ours,
            f"{one.depth[-1]:,}", integer(float(one.lower[-1])), integer(float(one.upper[-1])),
        ]
        for one in found
    ]  # fmt: skip
    heads = ("class", "VC", "LDim, paper", "LDim, known here", "levels used", "≥ m", "≤ m")
    with st.expander(f"The table (numbers at b = {found[0].b[-1]})"):
        st.html(
            tables.table(
                heads, rows, label="Classes of any size", numeric=(1, 4, 5, 6),
                cell=lambda inside, _: html.escape(inside),
            )
        )  # fmt: skip
        st.caption(
            "Levels used: of a mistake tree whose concepts agree on one point, the dummy, which costs a "
            "level, or nothing for thresholds. Boxes beside their centre, half-spaces by the paper's "
            "Theorem B.2 begun with both orientations, are ours; balls hold half-spaces. Enough: |C| "
            "counted, or by Sauer's lemma. Feldman and Xiao 2014, Sections 2.5 and 4, Appendix B."
        )
