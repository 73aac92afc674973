"""Three exhibits of the Intervals page: noise and reconstruction, switching points, mistake tree.

The page gives `FIELDS` to the shell and draws `EXHIBITS`. Each exhibit is a fragment, drawn when
it is opened: the page's first figure does not wait for them. A link that carries a setting of an
exhibit opens it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.frame import shell
from pages.shared.state import state
from privsc_core.draw.style import integer, share
from privsc_core.exhibits.interval import (
    mistake_tree,
    noise_channel,
    noise_figures,
    switching_figures,
)
from privsc_core.exhibits.interval import switching as switches
from privsc_core.exhibits.interval.tree_figures import tree_figure
from privsc_core.parameters import parameter

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture

__all__ = ["EXHIBITS", "FIELDS"]

_NOISE_BITS = 16  # 65,536 labels, drawn as shares of at most 512 bins
_NOISE_J = (1 << 15) + 1
# A thousand runs at every noise rate: the law is the same to twelve digits, and this takes a
# fifth of a second.
_CURVE_BITS = 12
_CURVE_J = (1 << 11) + 1
_TRIALS = 1000
_SEED = 1
_SWITCH_BITS = 5  # 32 labels can be told apart on a phone
_DEEPEST = 10

_OWN: dict[str, Any] = {"scope": "interval"}  # no other page knows these
FIELDS: dict[str, state.Field] = {
    "mu": state.Field(
        key="mu", kind="number", default=0.05, name="noise rate", low=0.001, high=0.2,
        stops=(0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.09, 0.12, 0.15, 0.2), **_OWN,
    ),
    "draw": state.Field(
        key="draw", kind="integer", default=1, name="draw of the noise", low=1, high=999_999, **_OWN,
    ),
    "switches": state.Field(
        key="switches", kind="integer", default=6, name="switching points", low=2, high=33,
        stops=(2, 3, 4, 6, 8, 12, 16, 24, 33), **_OWN,
    ),
    "target": state.Field(
        key="target", kind="integer", default=17, name="target", low=1, high=33,
        stops=tuple(range(1, 34)), **_OWN,
    ),
    "hypothesis": state.Field(
        key="hyp", kind="integer", default=1, name="draw of the hypothesis", low=1, high=999_999, **_OWN,
    ),
    "depth": state.Field(
        key="depth", kind="integer", default=4, name="depth of the tree", low=1, high=_DEEPEST,
        stops=tuple(range(1, _DEEPEST + 1)), **_OWN,
    ),
    "tree": state.Field(
        key="tree", kind="text", default="", name="answers in the tree", pattern="[01]{0,10}", **_OWN,
    ),
}  # fmt: skip


# --- Noise hides nothing ------------------------------------------------------------------------


@st.fragment
def _noise() -> None:
    exhibit.intro(
        "Noise hides nothing",
        "noise",
        "**Flip every label of $c_j$ independently with probability $\\mu$: $j$ still comes back "
        "exactly, with probability $(1-2\\mu)^2$.** So the noise that lets points be learned "
        "privately from O(1) examples does not help here: taking it off again would leave a "
        "*proper* private learner, and those need more examples as $d$ grows.",
    )
    part = exhibit.part("Flip the labels, get the threshold back", "noise", _fields("mu", "draw"))
    if not part.open:
        return
    with part, shell.guard():
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        with left:
            state.slider(
                FIELDS["mu"], "**μ** ← fewer labels flipped | more →",
                show=lambda value: f"{value:g}",
                help="μ: the noise rate; every label is flipped with this probability.",
            )  # fmt: skip
        right.button(
            "Redraw the noise", key="pv_redraw_noise", on_click=exhibit.step, args=(FIELDS["draw"],),
            width="stretch",
        )  # fmt: skip
        mu = _now("mu")
        strip, walk, found, flips = _channel(mu, _now("draw"))
        shell.cards(
            shell.card("Flipped", integer(flips), f"of {1 << _NOISE_BITS:,} labels"),
            shell.card(
                "Recovered", "FAIL" if found is None else integer(found),
                f"j = {_NOISE_J:,} went in", "good" if found == _NOISE_J else "bad",
            ),
            shell.card(
                "Probability of recovering j", share(_exact(mu)), "exact, over the noise", "accent"
            ),
            shell.card("The paper promises", f"≥ {noise_channel.paper_bound(mu):.3g}", "1 − 8μ"),
        )  # fmt: skip
        exhibit.draw(strip, "noise-labels", 270)
        exhibit.draw(walk, "noise-mismatch", 330)
        exhibit.draw(_recovery(mu), "noise-recovery", 340)
        st.caption(
            "**Exact** (ours): on each side of j mismatch is a walk, up with probability 1-μ, that "
            "must stay above its start; a long one does with probability 1-2μ. **Simulated**: "
            "labels really flipped, minimum taken. **Paper**: it fails with probability at most "
            "8μ, shown for μ ≤ 0.09 (BBKN13, Theorem 5.8)."
        )


@st.cache_resource(max_entries=64, show_spinner=False)
def _channel(mu: float, draw: int) -> tuple[Picture, Picture, int | None, int]:
    sent = noise_channel.channel(_NOISE_J, _NOISE_BITS, mu, draw)
    strip, walk = noise_figures.strip_figure(sent), noise_figures.mismatch_figure(sent)
    return strip, walk, sent.found, sent.dirty.size


@st.cache_resource(max_entries=1, show_spinner=False)
def _curve() -> noise_channel.RecoveryCurve:
    return noise_channel.recovery_curve(_CURVE_J, _CURVE_BITS, _TRIALS, _SEED)


def _recovery(mu: float) -> Picture:
    return noise_figures.recovery_figure(_curve(), (mu, _exact(mu)))


def _exact(mu: float) -> float:
    return noise_channel.recovery_probability(_NOISE_J, _NOISE_BITS, mu)


# --- Switching points ---------------------------------------------------------------------------


@st.fragment
def _switching() -> None:
    exhibit.intro(
        "Switching points",
        "switching",
        "**Any hypothesis with few switches between 0 and 1 gives a proper concept away.** Among "
        "the concepts at its switching points one errs only where $h$ errs, and finding it "
        "privately costs samples in proportion to $\\log z$. So a private learner that beats "
        "$d$ must return hypotheses with $2^{\\Omega(d)}$ switching points.",
    )
    part = exhibit.part(
        "Move the target and watch the pick", "switching",
        _fields("switches", "target", "hypothesis"),
    )  # fmt: skip
    if not part.open:
        return
    with part, shell.guard():
        first, second, third = st.columns([2, 2, 1], vertical_alignment="bottom")
        with first:
            state.slider(
                FIELDS["switches"],
                "**z** ← fewer switching points | more →",
                help="z: switching points of h, both ends of the domain included.",
            )
        with second:
            state.slider(
                FIELDS["target"],
                "**target t** ← fewer ones | more →",
                help="t: the target concept c_t is 1 below t.",
            )
        third.button(
            "Redraw h", key="pv_redraw_hypothesis", on_click=exhibit.step, args=(FIELDS["hypothesis"],),
            width="stretch",
        )  # fmt: skip
        z = _now("switches")
        exhibit.draw(_shown(_now("target"), z, _now("hypothesis")), "switching", 290)
        epsilon, alpha, beta = (_setting(name) for name in ("epsilon", "alpha", "beta"))
        exhibit.draw(_selection(z, epsilon, alpha, beta), "selection", 330)
        st.caption(
            "**Exact**: the pick of the proof, whose errors are among those of $h$ on every "
            "distribution (BBKN13, Theorem 5.4). **Ours**: the least $s$ with "
            "$(z-1)\\,r^s \\le \\beta/2$ for $h$ of error at most $\\alpha/4$, "
            "$r = 1-\\alpha(1-e^{-\\varepsilon'/2})+\\frac{\\alpha}{4}(e^{\\varepsilon'/2}-1)$, "
            "$\\varepsilon' = \\min(\\varepsilon, \\ln 4)$. **Paper**: "
            "$8\\ln(12/\\beta)/\\alpha^2 + 8\\ln((6-\\beta)z/\\beta)/(\\alpha\\varepsilon)$, and "
            "a term whose constant it leaves open. Nothing is simulated."
        )


@st.cache_resource(max_entries=64, show_spinner=False)
def _shown(target: int, z: int, seed: int) -> Picture:
    return switching_figures.switching_figure(switches.switching(_SWITCH_BITS, target, z, seed))


@st.cache_resource(max_entries=64, show_spinner=False)
def _selection(z: int, epsilon: float, alpha: float, beta: float) -> Picture:
    return switching_figures.selection_figure(switches.selection_curve(epsilon, alpha, beta, z))


def _setting(name: str) -> float:
    """Return the page's value of a parameter, or its default on a page without it."""
    entry = parameter(name)
    return float(state.current().get(entry.key, entry.default))  # type: ignore[arg-type]


# --- The mistake tree ---------------------------------------------------------------------------


@st.fragment
def _tree() -> None:
    exhibit.intro(
        "The mistake tree",
        "tree",
        "**Binary search makes any learner wrong $d$ times in a row:** Littlestone's dimension "
        "of $\\mathrm{INTERVAL}_d$ is $d$, and that alone forces every private learner, improper "
        "ones too, to take more examples as $d$ grows.",
    )
    part = exhibit.part("Answer the adversary", "tree", _fields("depth", "tree"))
    if not part.open:
        return
    with part, shell.guard():
        first, second = st.columns([1, 1], gap="medium", vertical_alignment="bottom")
        with first:
            state.slider(
                FIELDS["depth"],
                "**d** ← shallower | deeper →",
                help="d of this exhibit: bits of a point, and questions to a leaf.",
            )
        # A shorter tree forgets what lies below it; the link keeps it until the next answer.
        depth = _now("depth")
        answers = _now("tree")[:depth]
        with second:
            _buttons(answers, depth)
        exhibit.draw(_drawn(answers, depth), "tree", 380)
        st.markdown(
            "Alice holds $d$ bits: they lead to a leaf, and the leaf is her concept. Bob holds "
            "the bits before one of hers: they lead to a node, and the label of Alice's concept "
            "at the node's point *is* her next bit. A private learner with few samples would give "
            "them a short list of hypotheses with a good one for every concept, so that Alice "
            "could send the number of hers and tell Bob any of her bits in fewer than "
            "$(1-H)\\,d$ bits, which is impossible."
        )
        st.caption(
            "**Exact**: the tree, and d as the dimension (tested by brute force up to d = 4). "
            "**Paper**: the argument and (1-H)d bits, H the entropy of Bob's error probability "
            "(FX14, Lemma 4.2 and Corollary 4.3). Nothing is simulated."
        )


def _buttons(answers: str, depth: int) -> None:
    done = len(answers) >= depth
    asked = "" if done else f"{mistake_tree.query(answers, depth):,}"
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


@st.cache_resource(max_entries=128, show_spinner=False)
def _drawn(answers: str, depth: int) -> Picture:
    return tree_figure(answers, depth)


def _answer(answers: str) -> None:
    state.assign(**{FIELDS["tree"].key: answers})


# --- What they share ----------------------------------------------------------------------------


def _fields(*names: str) -> list[state.Field]:
    return [FIELDS[name] for name in names]


def _now(name: str) -> Any:
    """Return the value of one of our fields, of the type that the field says."""
    return state.current()[FIELDS[name].key]


# Names stand in links (open=): fixed for ever.
EXHIBITS = {"noise": _noise, "switching": _switching, "tree": _tree}
