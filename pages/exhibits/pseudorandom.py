"""Two exhibits of the page of pseudorandom points: time against samples, the distinguisher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.exhibits import exhibit
from pages.shared.frame import shell
from pages.shared.state import state
from pages.shared.work import waiting
from privsc_core.exhibits.pseudorandom.efficiency import distinguisher, measured_seconds, tradeoff
from privsc_core.exhibits.pseudorandom.figures import distinguisher_figure, tradeoff_figure

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture

__all__ = ["EXHIBITS", "FIELDS"]

_SHORTEST, _LONGEST = 4, 17  # the last takes about a third of a second
_LAST_DRAWN = 64
_SEED_BITS, _POINT_BITS = 8, 40
_RUNS = 300

_OWN: dict[str, Any] = {"scope": "pseudorandom-point"}  # no other page knows these
FIELDS: dict[str, state.Field] = {
    "m": state.Field(
        key="dm", kind="integer", default=40, name="examples for the distinguisher", low=1, high=200,
        stops=(1, 5, 10, 15, 20, 25, 30, 40, 60, 80, 100, 120, 150, 200), **_OWN,
    ),
    "seed": state.Field(
        key="dseed", kind="integer", default=1, name="seed of the distinguisher", low=1,
        high=999_999, **_OWN,
    ),
}  # fmt: skip


@st.fragment
def _time() -> None:
    exhibit.intro(
        "Pay in time or pay in samples",
        "time",
        "**A private learner of these points pays for efficiency in samples.** The one that "
        "enumerates all $2^l$ seeds needs few examples and time $2^l$; the one that does not look "
        "at the generator is instant, and needs as many examples as for all $2^d$ points. Without "
        "privacy one learner has both.",
    )
    part = exhibit.part("Measure the running time here", "time")
    if not part.open:
        return
    with part, shell.guard():
        known, efficient = _times()
        following = min(max(known, default=_SHORTEST - 1) + 1, _LONGEST + 1)
        stopped = bool(st.session_state.get("pv_time_stopped"))
        if known:
            picture = _tradeoff(tuple(sorted(known.items())), efficient, _setting())
            exhibit.draw(picture, "time", 400)
        if following > _LONGEST:
            return
        left, right = st.columns([4, 1], vertical_alignment="center")
        share = (following - _SHORTEST) / (_LONGEST + 1 - _SHORTEST)
        words = "stopped" if stopped else f"measuring l = {following}"
        left.progress(share, text=f"Seeds up to {_LONGEST} bits: {words}")
        right.button(
            "Continue" if stopped else "Stop", key="pv_time_stop", on_click=_toggle, width="stretch"
        )
        if not stopped:
            known[following] = _measured(following)
            exhibit.again()


def _times() -> tuple[dict[int, float], float]:
    """Return what this session has seen measured, and the efficient learner's time."""
    known: dict[int, float] = st.session_state.setdefault("pv_times", {})
    return known, _measured(None)


def _measured(length: int | None) -> float:
    """Measure once per server: visitors share what one of them has waited for."""
    found: float = waiting.wait_for(measured_seconds, length, 64, kind=("measured", length))
    return found


def _setting() -> tuple[int, float, float, float]:
    now = state.current()
    return now["d"], now["eps"], now["alpha"], now["beta"]  # type: ignore[return-value]


@st.cache_resource(max_entries=128, show_spinner=False)
def _tradeoff(
    known: tuple[tuple[int, float], ...],
    efficient: float,
    setting: tuple[int, float, float, float],
) -> Picture:
    d, epsilon, alpha, beta = setting
    fit = {length: seconds for length, seconds in known if length < d}
    return tradeoff_figure(
        tradeoff(fit, efficient, d=d, epsilon=epsilon, alpha=alpha, beta=beta, longest=_LAST_DRAWN)
    )


def _toggle() -> None:
    st.session_state["pv_time_stopped"] = not st.session_state.get("pv_time_stopped", False)


@st.fragment
def _distinguisher() -> None:
    exhibit.intro(
        "The distinguisher",
        "distinguisher",
        "**A learner that tells images from random points breaks the generator.** Feed it "
        "$(j, 1)$, $m$ times over, and ask whether it answers $j$: for an image it must; an "
        "efficient learner that needs fewer examples than all $2^d$ points demand would say no to "
        "random points, and so tell the generator's output from randomness. The learner that "
        "enumerates the seeds does exactly that, in exponential time.",
    )
    part = exhibit.part("Feed images and random points", "distinguisher", FIELDS.values())
    if not part.open:
        return
    with part, shell.guard():
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        with left:
            state.slider(
                FIELDS["m"], "**m** ← fewer examples | more →",
                help="m: how often (j, 1) is repeated in the sample.",
            )  # fmt: skip
        right.button(
            "Run again",
            key="pv_redistinguish",
            on_click=exhibit.step,
            args=(FIELDS["seed"],),
            width="stretch",
        )
        now = state.current()
        picture = _distinguished(now["dm"], now["eps"], now["dseed"])  # type: ignore[arg-type]
        exhibit.draw(picture, "distinguisher", 260)
        st.caption(
            f"Seeds of l = {_SEED_BITS} bits, points of d = {_POINT_BITS} bits, {_RUNS} real runs "
            "each at the page's ε, a fresh j in every run. **Simulated**: every share is of real "
            "runs. The conclusion is **conditional**: nobody has proved SHAKE-256 secure."
        )


@st.cache_resource(max_entries=64, show_spinner=False)
def _distinguished(m: int, epsilon: float, seed: int) -> Picture:
    return distinguisher_figure(
        distinguisher(_SEED_BITS, _POINT_BITS, m, epsilon, trials=_RUNS, seed=seed)
    )


# Names stand in links (open=): fixed for ever.
EXHIBITS = {"time": _time, "distinguisher": _distinguisher}
