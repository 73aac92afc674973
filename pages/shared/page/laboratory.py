"""The laboratory's page: a matrix and three numbers of it; below, its tree, a learner, all numbers."""

from __future__ import annotations

import functools
import html
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields, Values
from pages.shared.frame import shell, tables
from pages.shared.frame.sitemap import HEADS
from pages.shared.page import class_page
from pages.shared.page.declaration import Section
from pages.shared.page.own_class import OF, choose, complain, picked, there
from pages.shared.page.parts import Parts, named
from pages.shared.scheduling.waiting import wait_for
from pages.shared.state import controls, state
from pages.shared.state.fields import COMMON, EVERYWHERE, PRESENTING, explanation, label
from pages.shared.state.link import VERSION
from pages.shared.take import share
from privsc_core import export
from privsc_core.draw import laboratory_figures as drawn
from privsc_core.draw.laboratory_figures import coins_picture, families_picture, trial_picture
from privsc_core.draw.style import integer, number
from privsc_core.errors import InputError
from privsc_core.finite import ZOO, to_code
from privsc_core.finite.families import MOST_AXES
from privsc_core.finite.game import SIDES, move
from privsc_core.finite.ready import (
    AT_ONCE,
    CLICKED,
    class_of,
    code_of,
    dimensions_of,
    game_of,
    points_of,
    rows_to_edit,
)
from privsc_core.tables import decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from privsc_core.finite import Dimensions
    from privsc_core.finite.game import Game


# -------------------------------------------------------------------------------------------------
# The matrix that is clicked: a table of buttons, which answers at once and tells what it holds.
#
# Not Streamlit's editor of tables: that draws on a canvas, which no screen reader and no keyboard
# reaches cell by cell.


_GRID = st.components.v2.component(
    "privsc_matrix",
    js="""export default ({ data, parentElement, setTriggerValue }) => {
  let root = parentElement.querySelector(".pv-matrix-all");
  if (!root) {
    root = document.createElement("div");
    root.className = "pv-matrix-all";
    root.before = new Set();
    parentElement.append(root);
    root.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const rows = root.rows.map((row) => row.split(""));
      const { row, column, tool } = button.dataset;
      if (tool === "row") rows.push(rows[0].map(() => "0"));
      else if (tool === "unrow") rows.pop();
      else if (tool === "column") rows.forEach((one) => one.push("0"));
      else if (tool === "uncolumn") rows.forEach((one) => one.pop());
      else rows[row][column] = rows[row][column] === "1" ? "0" : "1";
      root.before.add(root.rows.join());
      root.clicked = performance.now();
      root.draw(rows.map((one) => one.join("")));
      clearTimeout(root.later);
      root.later = setTimeout(() => root.tell("drawn", root.rows.join("\\n")), 60);
    });
    root.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      const { row, column } = event.target.dataset;
      if (!step || row === undefined) return;
      event.preventDefault();
      root.cell(+row + step[0], +column + step[1])?.focus();
    });
    root.cell = (row, column) => root.querySelector(`[data-row="${row}"][data-column="${column}"]`);
    root.draw = (rows) => {
      const same = root.rows?.length === rows.length && root.rows[0].length === rows[0].length;
      root.rows = rows;
      if (!same) root.build();
      for (const button of root.querySelectorAll("[data-row]")) {
        const { row, column } = button.dataset;
        const label = rows[row][column];
        button.textContent = label;
        button.setAttribute("aria-pressed", label === "1");
      }
    };
    root.build = () => {
      const high = root.rows.length;
      const wide = root.rows[0].length;
      const many = (count) => [...Array(count).keys()];
      const head = many(wide).map((x) => `<th scope="col">${x + 1}</th>`).join("");
      const body = many(high).map((c) => `<tr><th scope="row">c<sub>${c + 1}</sub></th>${many(wide).map((x) =>
        `<td><button type="button" data-row="${c}" data-column="${x}" ` +
        `aria-label="concept ${c + 1}, point ${x + 1}"></button></td>`).join("")}</tr>`).join("");
      const tool = (name, text, off) =>
        `<button type="button" data-tool="${name}"${off ? " disabled" : ""}>${text}</button>`;
      const focused = document.activeElement?.dataset?.tool;
      root.innerHTML = `<div class="pv-matrix-tools" role="group" aria-label="Size of the matrix">` +
        tool("row", "+ concept", high >= root.most[0]) + tool("unrow", "− concept", high < 2) +
        tool("column", "+ point", wide >= root.most[1]) + tool("uncolumn", "− point", wide < 2) +
        `</div><div class="pv-matrix" tabindex="0" role="region" aria-label="Matrix of labels"><table>` +
        `<thead><tr><td></td>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
      if (focused) root.querySelector(`[data-tool="${focused}"]`)?.focus();
    };
  }
  root.tell = setTriggerValue;
  root.most = data.most;
  // An answer to an earlier click must not undo a later one.
  if (performance.now() - root.clicked < 1500 && root.before.has(data.rows.join())) return;
  clearTimeout(root.later);
  root.before.clear();
  root.draw(data.rows);
};
""",
    isolate_styles=False,
)


def editor(rows: Sequence[str], key: str, drawn: Callable[[object], None]) -> None:
    """Draw the matrix; `drawn` hears the text of all rows when one cell or the size has changed."""

    def changed() -> None:
        drawn(st.session_state[key].get("drawn"))

    # Tuples: of a list Streamlit would ask pandas whether it is a table.
    data = {"rows": tuple(rows), "most": CLICKED}
    _GRID(key=key, data=data, on_drawn_change=changed)


# -------------------------------------------------------------------------------------------------
# What is done with a class of the laboratory: coins on its tree, the game, a learner, and its
# likes.


_OWN = Fields("laboratory")
_SIDE = _OWN.choice("side", "side in the game", SIDES[0], SIDES)
_OF_CLASS = Fields("laboratory", about=OF.key)
_MOVES = _OF_CLASS.text("moves", "moves of the game", r"[0-9yn]{0,160}")
_ONES = _OF_CLASS.text("h", "points that the hypothesis labels 1", r"[0-9.]{0,160}")
_ROW = _OF_CLASS.integer("row", "target row", 1, (1, 4096))
_WEIGHTS = _OF_CLASS.text("weights", "weights of the points", r"[0-9.]{0,190}", "whole numbers")
_AXES = _OWN.integer("axes", "number of axes", 3, (1, MOST_AXES), (1, 2, 3, 5, 10, 20, 50, 100))
_OWN_FIELDS: tuple[state.Field, ...] = (_SIDE, _MOVES, _ONES, _ROW, _WEIGHTS, _AXES)
_TREE_POINTS = 64  # that a row of buttons holds


# --- The tree and the coins ---------------------------------------------------------------------


_TREE = (
    "An adversary asks for the label of the point in the circle, and says that the prediction is wrong. Left is "
    "label 0, right is label 1. For each path there is a concept that agrees with it, so **every** learner can be "
    "forced to make as many mistakes as the tree is deep. Now fix *any* hypothesis h. The pattern of its mistakes "
    "along a path determines the path. So over all paths the mistakes are distributed like **coin tosses**. Change "
    "h: each leaf shows the number of its mistakes, and the histogram stays. The Littlestone lower bound follows "
    "from this."
)


def _tree(found: Dimensions) -> None:
    """Draw an optimal mistake tree, a hypothesis to choose, and its mistakes on all paths."""
    if found.tree is None:
        st.markdown("No tree is shown: the Littlestone dimension of the class is 0, or not known.")
        return
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


def _game(asked: str, values: Values) -> None:
    """Draw the game, in which the visitor plays one side and the best player the other."""
    names = {"learner": "You predict", "nature": "You are the adversary"}
    side = str(controls.segmented(_SIDE, "Which side are you on?", names=names))
    now = exhibit.computed(game_of, asked, side, values[_MOVES])
    if side == "learner":
        st.markdown(
            "An adversary asks for a point of an optimal tree, you predict its label, and the adversary answers with "
            "the other label. Whatever you predict, the adversary can do so as often as the Littlestone dimension "
            "says."
        )
        _predicting(now)
    else:
        st.markdown(
            "Name a point and its true label, as long as some concept agrees. The *standard optimal "
            "algorithm* predicts the label whose concepts have the larger Littlestone dimension: however "
            "you play, it is wrong at most as often as the Littlestone dimension says."
        )
        _naming(now)
    _told(now, side)


def _play(moves: str) -> None:
    state.assign(**{_MOVES.key: moves})


def _predicting(now: Game) -> None:
    played = "".join(str(one.predicted) for one in now.rounds)
    with st.container(horizontal=True, vertical_alignment="center", key="pv_game"):
        if now.asked is None:
            st.markdown("**No more mistakes can be forced.**")
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
            st.markdown("**One concept is left, so all labels are known.**")
        else:
            if st.session_state.get("pv_point_of") != now.splits:
                # A browser keeps the words of a choice, and these have changed.
                st.session_state["pv_point"], st.session_state["pv_point_of"] = open_[0], now.splits
            x = st.selectbox(
                "Point", open_, key="pv_point", width=150,
                format_func=lambda x: f"{x + 1} ({now.splits[x][0]} : {now.splits[x][1]})",
                help="In brackets: how many remaining concepts give it label 0, and label 1.",
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
    """Write the state of the game, for screen readers too."""
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


_LEARNER = (
    "The exponential mechanism over the rows draws a row with weight $e^{-\\varepsilon\\cdot\\text{mistakes}/2}$: it "
    "learns **every** finite class (the survey's Theorem 8.3). Choose any row as the target, and any whole numbers "
    "as the weights of the points."
)


def _learner(asked: str) -> None:
    """Draw how often the exponential mechanism finds the target, on any distribution."""
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
        trial_picture, asked, values[_ROW] - 1, weights, epsilon=epsilon,
        alpha=alpha, beta=beta, seed=state.whole("seed"),
    )  # fmt: skip
    exhibit.draw(picture, "trial", 380)


# --- Classes of any size ------------------------------------------------------------------------


_FAMILIES = (
    "On a grid with $2^b$ places on each axis the VC dimension does not grow with b, but the cost of pure privacy "
    "does. The **Littlestone dimension** grows too, but gives only a lower bound. Lines modulo p have VC and Littlestone "
    "dimension 2, and their cost grows like $\\log p$."
)


def _families() -> None:
    """Draw the classes of the paper at any size: their dimensions, and what privacy costs."""
    controls.slider(
        _AXES,
        "**k** ← fewer axes | more →",
        help="k: dimension of the boxes, balls or half-spaces.",
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
    heads = (
        "class", "VC dimension", "Littlestone dimension, paper", "known here", "levels used",
        "examples needed", "examples enough",
    )  # fmt: skip
    with st.expander(f"The table (numbers at b = {found[0].b[-1]})"):
        st.html(
            tables.table(
                heads, rows, label="Classes of any size", numeric=(1, 4, 5, 6),
                cell=lambda inside, _: html.escape(inside),
            )
        )  # fmt: skip
        st.caption(
            "The bound uses the levels of a mistake tree whose concepts agree on one point, the dummy. The dummy "
            "costs one level, or none for thresholds. The levels for boxes (with the centre as dummy) and for "
            "half-spaces (Theorem B.2 of the paper, begun with both orientations) are ours. Balls contain "
            "half-spaces. The number that is enough uses |C|, which is counted or bounded by Sauer's lemma. Feldman "
            "and Xiao 2014, Sections 2.5 and 4, Appendix B."
        )


# -------------------------------------------------------------------------------------------------
# The page: the matrix and three numbers; below them the parts.


class Given(NamedTuple):
    """A class as a link names it, and what is known of it."""

    asked: str
    found: Dimensions


# What stands in a part shows at once when the part is opened.
EXHIBITS = (
    Exhibit(
        name="families", title="Classes of any size", claim=_FAMILIES, part="see", fields=(_AXES,),
        draw=lambda *_: _families(),
    ),
    Exhibit(
        name="zoo", title="Small classes worth a look", part="see",
        draw=lambda *_: _zoo(),
    ),
    Exhibit(
        name="tree", title="A mistake tree, and why no learner beats a coin", claim=_TREE,
        fields=(_ONES,), draw=lambda given, _: _tree(given.found),
    ),
    Exhibit(
        name="game", title="Play it", fields=(_SIDE, _MOVES),
        draw=lambda given, values: _game(given.asked, values),
    ),
    Exhibit(
        name="learner", title="A private learner on this class", claim=_LEARNER, part="run",
        fields=(_ROW, _WEIGHTS), draw=lambda given, _: _learner(given.asked),
    ),
    Exhibit(
        name="dimensions", title="Its dimensions", part="numbers",
        draw=lambda given, _: _bars(given.found),
    ),
    Exhibit(
        name="samples", title="What it means for numbers of examples", part="numbers",
        draw=lambda given, _: _samples(given.found),
    ),
    Exhibit(
        name="chain", title="The chain of inequalities", part="theory",
        draw=lambda given, _: _chain(given.found),
    ),
)  # fmt: skip
SECTIONS = tuple(Section(one.name, one.title, one.claim) for one in EXHIBITS)
_SAYS = {
    "see": "classes of any size, and small ones worth a look",
    "why": "the tree that forces mistakes, and a game against it",
    "run": "a private learner on this class, for any target and distribution",
    "numbers": "all dimensions, and the examples that they ask for",
    "theory": "which dimension decides, and how the dimensions bound one another",
    "take-away": "the numbers, the matrix, code",
}
_ALL = tuple(_SAYS)
_FIRST = ("class", "dimensions")  # what an audience sees where the link names nothing

_HEADING, _CLAIM = HEADS["laboratory"]
_OPEN = state.Field(
    key="open", kind="choices", default=(), default_v1=_ALL, name="parts", scope="laboratory",
    choices=(
        *_ALL, *_FIRST, "chain", "tree", "game", "samples", "learner", "families", "zoo",
    ),
)  # fmt: skip
FIELDS: tuple[state.Field, ...] = (
    *EVERYWHERE, *(PRESENTING[name] for name in ("present", "lecture", "scene", "room")), _OPEN,
    *_OWN_FIELDS, OF,
)  # fmt: skip
_STYLE = f"<style>{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}</style>"
_BYTES = 2**18


def show() -> None:
    """Draw the whole page, or to an audience some of its parts."""

    def head() -> None:
        with shell.head(_HEADING):
            share.button(_HEADING, {}, purposes=("link", "qr"))
        st.markdown(_CLAIM)

    with class_page.framed(_HEADING, "laboratory", "🔬", FIELDS, head) as (_, lift):
        st.html(_STYLE)
        _body()
        lift()


@st.fragment
def _body() -> None:
    """Draw everything that depends on the matrix."""
    asked = str(state.current()[OF.key])
    if shell.mode() == "present":
        _shown(asked, named((*_FIRST, *(one.name for one in EXHIBITS))) or _FIRST)
        return
    above = st.container()
    matrix, beside = st.columns([1.3, 1], gap="large")
    with matrix, shell.guard():
        _edited(asked)
    with beside:
        picked()
        _pasted()
    given = None
    with above, shell.guard():
        place = st.empty()
        for found in _found(asked):
            given = Given(asked, found)
            with place.container():
                shell.cards(*(shell.card(*words) for words in drawn.cards(found)))
                there("pages/yours.py", "Success curves of this class")
                _heard(found)
    if given is None:  # there is no such class
        below = Parts(
            exhibits=tuple(one for one in EXHIBITS if one.part == "see"),
            setting=lambda: None,
            says=_SAYS,
        )
    else:
        fills = {"take-away": functools.partial(_take, *given)}
        below = Parts(exhibits=EXHIBITS, setting=lambda: given, says=_SAYS, fills=fills)
    below.place()
    for part in below.there():
        below.draw(part)


def _shown(asked: str, words: Sequence[str]) -> None:
    """Draw what an audience sees, by the names in the link: the matrix beside its dimensions, other parts."""
    right = st.container()
    if "class" in words:
        left, right = st.columns([1, 1.25], gap="large")
        with left, shell.guard():
            picked()
            _edited(asked)
            _pasted()
    given = None
    with right, shell.guard():
        place = st.empty()
        for found in _found(asked):
            given = Given(asked, found)
            if "dimensions" in words:
                with place.container():
                    _bars(found)
                    _heard(found)
    for one in EXHIBITS:
        there = given is not None or one.part == "see"  # these are about other classes
        if there and one.name in words and one.name != "dimensions":
            with shell.guard():
                one.show(lambda: given)


def _found(asked: str) -> Iterator[Dimensions]:
    """Yield what is known at once, and then all, if that took longer."""
    of = class_of(asked)
    size = len(of).bit_length(), of.points
    epsilon, beta = (float(state.current()[COMMON[n].key]) for n in ("epsilon", "beta"))  # type: ignore[arg-type] # numbers both
    first: Dimensions = wait_for(
        dimensions_of, asked, kind=("dimensions at once", *size), where="_at_once",
        run_in="here" if of.points <= CLICKED[1] else "any", epsilon=epsilon, beta=beta, steps=AT_ONCE,
    )  # fmt: skip
    yield first
    if first.cut:
        yield wait_for(
            dimensions_of, asked, kind=("dimensions", *size), run_in="here" if len(of) * of.points <= 400 else "any",
            epsilon=epsilon, beta=beta,
        )  # fmt: skip


def _edited(asked: str) -> None:
    """Draw the matrix to click, where it is small enough."""
    if rows := rows_to_edit(asked):
        editor(rows, "pv_matrix", _typed)
    else:
        of = class_of(asked)
        shell.message(
            f"{len(of)} concepts on {of.points} points: too many to be set by clicks here.", "plain"
        )
    complain(OF.key)


def _typed(text: object) -> None:
    """Take a matrix as a text, or keep the sentence why it cannot be taken."""
    if not isinstance(text, str):
        return  # a client can send anything
    try:
        choose(code_of(text))
    except InputError as error:
        state.refuse(OF.key, str(error))


def _pasted() -> None:
    """Draw the ways in for a matrix from elsewhere."""
    with st.popover("Paste or upload"):
        st.text_area(
            "Rows of 0 and 1, a line a concept", key="pv_pasted", height=140, max_chars=8000,
            placeholder="0,1,1\n1,0,0",
        )  # fmt: skip
        st.button(
            "Take these rows", key="pv_take_rows",
            on_click=lambda: _typed(st.session_state["pv_pasted"]),
        )  # fmt: skip
        st.file_uploader(
            "Or a CSV file", type=["csv", "tsv", "txt"], key="pv_uploaded", on_change=_uploaded
        )


def _uploaded() -> None:
    file = st.session_state["pv_uploaded"]
    if file is None:
        return
    try:
        _typed(
            decoded(file.getvalue(), "file", _BYTES, "must have a row of 0 and 1 for each concept")
        )
    except InputError as error:
        state.refuse(OF.key, str(error))


def _heard(found: Dimensions) -> None:
    """Say all numbers to a screen reader when the class has changed."""
    st.html(f'<p class="pv-heard" role="status">{html.escape(drawn.aloud(found))}</p>')


def _bars(found: Dimensions) -> None:
    rows = [
        f'<tr><th scope="row">{html.escape(bar.title)}</th><td>{bar.text}</td>'
        f'<td><span class="pv-bar" aria-hidden="true"><i class="pv-open" style="width:{bar.high:.1%}"></i>'
        f'<i style="width:{bar.low:.1%}"></i></span><small>{html.escape(bar.words)}</small></td></tr>'
        for bar in drawn.bars(found)
    ]
    size = f"{len(found.of)} concepts on {found.of.points} points"
    st.html(
        f'<table class="pv-dims" aria-label="Dimensions of {size}"><tbody>{"".join(rows)}</tbody></table>'
    )
    st.caption(
        "The length of a bar is the logarithm of its number. Hatched: the number lies between the two ends, because "
        "the search was cut short or no method is known."
    )


def _chain(found: Dimensions) -> None:
    st.markdown(drawn.answer(found))
    items = []
    for entry in found.inequalities:
        low, sign, high = drawn.sides(entry)
        plain = "<" if entry.strict else "≤"
        items.append(
            f"<li>{html.escape(entry.left)} {plain} {html.escape(entry.right)}: "
            f"<strong>{low} {html.escape(sign)} {high}</strong><small>{html.escape(entry.source)}</small></li>"
        )
    st.html(f'<ul class="pv-chain">{"".join(items)}</ul>')


def _samples(found: Dimensions) -> None:
    for place, name in zip(st.columns(2, gap="medium"), ("epsilon", "beta"), strict=True):
        with place:
            controls.slider(COMMON[name], label(name), help=explanation(name), show=number)
    rows = "".join(
        f'<tr><th scope="row">{html.escape(s.title)}</th>'
        f"<td>{'–' if s.m is None else ('≤ ' if s.kind == 'upper' else '≥ ') + format(s.m, ',')}</td>"
        f"<td>{html.escape(s.how)}</td></tr>"
        for s in found.samples
    )
    st.html(
        f'<table class="pv-dims pv-samples" aria-label="Numbers of samples"><tbody>{rows}</tbody></table>'
    )
    st.caption(
        f"At α = {number(found.alpha)}, for the worst target and distribution: “≤” marks a number of examples that "
        "is enough for some ε-DP learner, “≥” a number that every ε-DP learner needs, proper or not. Constants ours. "
        "The finite class is BBKN13, Theorem 3.2. A **dummy** is a point that all concepts label alike. A **blind guess** is "
        "a hypothesis drawn before any data, and ρ is the best probability that it is good. The representation "
        "dimension is log₂ 1/ρ up to a constant, so ρ decides the cost (Beimel, Nissim and Stemmer 2013a)."
    )


def _zoo() -> None:
    items = []
    for entry in ZOO:
        query = urlencode({"v": VERSION, "of": entry.word or to_code(entry.of)})
        items.append(
            f'<li><a href="./laboratory?{html.escape(query)}" target="_self">{html.escape(entry.title)}</a>'
            f"<small>{html.escape(entry.claim)}</small></li>"
        )
    st.html(f'<ul class="pv-zoo">{"".join(items)}</ul>')
    st.markdown(
        "**Is there a class whose Littlestone dimension exceeds its threshold dimension?** There is none on up to 4 "
        "points, and our search on 5 to 7 points found none. If you find such a class, tell us."
    )


def _take(asked: str, found: Dimensions) -> None:
    left, right = st.columns(2)
    # Made at the click: an address made now is gone where the next click on the matrix comes at once.
    left.download_button(
        "These numbers (CSV)", data=lambda: export.dimensions_csv(found), mime="text/csv",
        file_name="privsc-dimensions.csv", key="pv_take_csv", on_click="ignore",
    )  # fmt: skip
    right.download_button(
        "The matrix (CSV)", data=lambda: found.of.text(","), mime="text/csv",
        file_name="privsc-class.csv", key="pv_take_matrix", on_click="ignore",
    )  # fmt: skip
    st.caption("Command line: the same numbers")
    st.code(export.dimensions_command(found, asked), language="bash", wrap_lines=True)
    st.caption("Python")
    st.code(export.dimensions_snippet(found, asked), language="python")
