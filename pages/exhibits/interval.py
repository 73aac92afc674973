"""Three exhibits of intervals: noise and reconstruction, switching points, the mistake tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.exhibits.exhibit import Exhibit, Fields
from pages.shared.frame import shell
from pages.shared.state import controls, state
from privsc_core.draw.style import integer, share
from privsc_core.exhibits.interval.mistake_tree import query, tree_figure
from privsc_core.exhibits.interval.noise_channel import noise, recovery
from privsc_core.exhibits.interval.switching import picked, selection

if TYPE_CHECKING:
    from pages.shared.exhibits.exhibit import Values
    from privsc_core.evaluate.scenario import Scenario

_OWN = Fields("interval")


# --- Noise hides nothing ------------------------------------------------------------------------

_MU = _OWN.number(
    "mu", "noise rate", 0.05, (0.001, 0.2),
    (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.09, 0.12, 0.15, 0.2),
)  # fmt: skip
# The first draw shows what usually happens: j comes back. Draw 1 is one of the others.
_DRAW = _OWN.draw("draw", "draw of the noise", 2)


def _noise(scenario: Scenario, values: Values) -> None:  # noqa: ARG001 - the noise is all it has
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        controls.slider(
            _MU, "**μ** ← fewer labels flipped | more →",
            show=lambda value: f"{value:g}",
            help="μ: the noise rate; every label is flipped with this probability.",
        )  # fmt: skip
    with right:
        exhibit.redraw(_DRAW, "Redraw the noise", "pv_redraw_noise", width="stretch")
    mu = values[_MU]
    sent = exhibit.computed(noise, mu, values[_DRAW])
    came_back = "FAIL" if sent.found is None else integer(sent.found)
    tone: shell.Tone = "good" if sent.found == sent.j else "bad"
    chance = share(sent.chance)
    shell.cards(
        shell.card("Flipped", integer(sent.flips), f"of {sent.size:,} labels"),
        shell.card("Recovered", came_back, f"j = {sent.j:,} went in", tone),
        shell.card("Probability of recovering j", chance, "exact, over the noise", "accent"),
        shell.card("The paper promises", f"≥ {sent.promised:.3g}", "1 − 8μ"),
    )
    exhibit.draw(sent.labels, "noise-labels", 270)
    exhibit.draw(sent.mismatch, "noise-mismatch", 330)
    exhibit.draw(exhibit.computed(recovery, mu), "noise-recovery", 340)
    st.caption(
        "**Exact** (ours): on each side of j the number of mismatches is a random walk. It goes up with probability "
        "1-μ, and must stay above its start. A long walk does so with probability 1-2μ. **Simulated**: labels are "
        "flipped at random, and the minimum is taken. **Paper**: the reconstruction fails with probability at most "
        "8μ, proved for μ ≤ 0.09 (BBKN13, Theorem 5.8)."
    )


_NOISE = Exhibit(
    name="noise",
    title="Noise hides nothing",
    claim="**Adding label noise works for points; for thresholds it can be undone.** Flip every label of the "
    "threshold $c_j$ independently with probability $\\mu$: $j$ can still be computed exactly, with probability "
    "$(1-2\\mu)^2$. Noise lets points be learned privately from O(1) examples. But if a learner of thresholds adds "
    "such noise, undoing the noise makes it a *proper* ε-DP learner. Every proper ε-DP learner needs more examples "
    "as $d$ grows.",
    label="Flip the labels, get the threshold back",
    fields=(_MU, _DRAW),
    draw=_noise,
)


# --- Switching points ---------------------------------------------------------------------------

_SWITCHES = _OWN.integer(
    "switches", "switching points", 6, (2, 33), (2, 3, 4, 6, 8, 12, 16, 24, 33)
)
_TARGET = _OWN.integer("target", "target", 17, (1, 33), tuple(range(1, 34)))
_HYPOTHESIS = _OWN.draw("hyp", "draw of the hypothesis")


def _switching(scenario: Scenario, values: Values) -> None:
    first, second, third = st.columns([2, 2, 1], vertical_alignment="bottom")
    with first:
        controls.slider(
            _SWITCHES,
            "**z** ← fewer switching points | more →",
            help=(
                "z: the number of switching points of the hypothesis h, where its label changes; both ends of the "
                "domain count."
            ),
        )
    with second:
        controls.slider(
            _TARGET,
            "**target t** ← fewer ones | more →",
            help="t: the target concept c_t is 1 below t.",
        )
    with third:
        exhibit.redraw(_HYPOTHESIS, "Redraw h", "pv_redraw_hypothesis", width="stretch")
    z = values[_SWITCHES]
    pick = exhibit.quickly(picked, values[_TARGET], z, values[_HYPOTHESIS])
    exhibit.draw(pick, "switching", 290)
    setting = (scenario.epsilon, scenario.alpha, scenario.beta)
    exhibit.draw(exhibit.quickly(selection, z, *setting), "selection", 330)
    st.caption(
        "**Exact**: the concept that the proof picks; it errs only where $h$ errs (BBKN13, Theorem 5.4). **Ours**: "
        "the least number $s$ of examples with $(z-1)\\,r^s \\le \\beta/2$ for $h$ of error at most $\\alpha/4$, $r "
        "= 1-\\alpha(1-e^{-\\varepsilon'/2})+\\frac{\\alpha}{4}(e^{\\varepsilon'/2}-1)$, $\\varepsilon' = "
        "\\min(\\varepsilon, \\ln 4)$. **Paper**: $8\\ln(12/\\beta)/\\alpha^2 + "
        "8\\ln((6-\\beta)z/\\beta)/(\\alpha\\varepsilon)$, and a term whose constant it leaves open. Nothing is "
        "simulated."
    )


_SWITCHING = Exhibit(
    name="switching",
    title="Switching points",
    claim="**From any hypothesis with few switches between 0 and 1 one can recover a proper concept.** One of the "
    "concepts at the $z$ switching points of $h$ errs only where the hypothesis $h$ errs. To find it privately takes "
    "a number of examples that grows like $\\log z$. So a purely private learner that needs fewer than about $d$ "
    "examples must return hypotheses with $2^{\\Omega(d)}$ switching points.",
    label="Move the target and watch the pick",
    fields=(_SWITCHES, _TARGET, _HYPOTHESIS),
    draw=_switching,
)


# --- The mistake tree ---------------------------------------------------------------------------

_DEEPEST = 10
_DEPTH = _OWN.integer("depth", "depth of the tree", 4, (1, _DEEPEST), tuple(range(1, _DEEPEST + 1)))
_ANSWERS = _OWN.text("tree", "answers in the tree", f"[01]{{0,{_DEEPEST}}}")


def _tree(scenario: Scenario, values: Values) -> None:  # noqa: ARG001 - its d is its own
    first, second = st.columns([1, 1], gap="medium", vertical_alignment="bottom")
    with first:
        controls.slider(
            _DEPTH,
            "**d** ← shallower | deeper →",
            help=(
                "d: the number of bits of a point, and of questions on the way to a leaf. It belongs to this figure "
                "alone."
            ),
        )
    # A shorter tree forgets what lies below it; the link keeps it until the next answer.
    depth = values[_DEPTH]
    answers = values[_ANSWERS][:depth]
    with second:
        _buttons(answers, depth)
    exhibit.draw(exhibit.quickly(tree_figure, answers, depth), "tree", 380)
    st.markdown(
        "Alice holds $d$ bits, which lead to a leaf; the leaf is her concept. Bob holds the first bits of Alice, "
        "which lead to a node. The label of Alice's concept at the point of this node *is* her next bit. A purely "
        "private learner with few examples would give them a short list of hypotheses with a good one for every "
        "concept. Alice could send the place of a good one in this list. Then Bob would learn any of her bits from a "
        "message of fewer than $(1-H)\\,d$ bits, which is impossible. The bound in the figure needs no messages: on "
        "the path to a random leaf *any* hypothesis errs at each node with probability ½ ([see "
        "it](./laboratory?v=2&of=thresholds-8#tree))."
    )
    st.caption(
        "**Exact**: the tree, and that the dimension is d (tested by brute force up to d = 4). **Paper**: the "
        "argument, and (1-H)d bits, where H is the entropy of the probability that Bob errs (FX14, Lemma 4.2 and "
        "Corollary 4.3). Nothing is simulated."
    )


def _buttons(answers: str, depth: int) -> None:
    done = len(answers) >= depth
    asked = "" if done else f"{query(answers, depth):,}"
    st.markdown("A leaf: no question is left." if done else f"Label of point **{asked}**?")
    with st.container(horizontal=True, gap="small"):
        for bit in ("0", "1"):
            st.button(
                f"Answer {bit}", key=f"pv_answer_{bit}", disabled=done, on_click=_answer,
                args=(answers + bit,),
            )  # fmt: skip
        st.button(
            "Start again", key="pv_answer_none", disabled=not answers, on_click=_answer, args=("",)
        )


def _answer(answers: str) -> None:
    state.assign(**{_ANSWERS.key: answers})


_TREE = Exhibit(
    name="tree",
    title="The mistake tree",
    claim="**By binary search an adversary can make any learner wrong $d$ times in a row: the Littlestone dimension "
    "of $\\mathrm{INTERVAL}_d$ is $d$.** So every purely private learner, proper or improper, needs more examples as "
    "$d$ grows.",
    label="Answer the adversary",
    fields=(_DEPTH, _ANSWERS),
    draw=_tree,
)

EXHIBITS = (_NOISE, _SWITCHING, _TREE)
