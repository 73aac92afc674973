"""Switching points, and the proper learner that few of them give (BBKN13, Section 5.1).

A hypothesis h is a row of T labels. Theorem 5.4: whatever h is, some concept of SWITCH(h) errs
only where h errs, so an improper private learner whose hypotheses have few switching points can
be turned into a proper one, and proper ones need a number of samples that grows with d.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.shared.inequalities import least_at_rate, shifted_rate
from privsc_core.draw.picture import Picture, columns, plot
from privsc_core.draw.style import integer
from privsc_core.draw.traces import (
    GREY,
    MUTE,
    QUIET,
    axis,
    bare_axis,
    beside,
    cells,
    fixed_axis,
    hover,
    key,
    line,
    marks,
    pins,
    upright,
)
from privsc_core.errors import InputError
from privsc_core.exhibits.interval.noise_channel import (
    FOUND,
    ONE,
    WRONG,
    WRONG_ZERO,
    ZERO,
    count,
    threshold,
    ticks,
    whole,
)
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MOST_SHOWN_BITS = 10


def switching_points(labels: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the switching points of h in order, and which of them are decreasing.

    BBKN13, Definition 5.3: j with h(j) != h(j - 1), decreasing when h(j - 1) = 1; and always 1
    (decreasing when h(1) = 0) and T + 1 (decreasing when h(T) = 1). They alternate.

    Parameters
    ----------
    labels : ndarray of uint8, shape (T,)
        The label of point x at position x - 1.

    Returns
    -------
    points : ndarray of int64
        In [1, T + 1], increasing.
    decreasing : ndarray of bool
    """
    inside = np.flatnonzero(labels[1:] != labels[:-1]) + 2
    points = np.concatenate([[1], inside, [labels.size + 1]])
    # At 1, as if h(0) were the other label; elsewhere the label just before decides.
    before = np.concatenate([[1 - labels[0]], labels])[points - 1]
    return points, before == 1


def switch(labels: NDArray[np.uint8]) -> tuple[int, ...]:
    """Return SWITCH(h): the j of the concepts at the switching points, in order."""
    return tuple(switching_points(labels)[0].tolist())


def closest_in_switch(labels: NDArray[np.uint8], t: int) -> int:
    """Return the concept of SWITCH(h) that the proof of Theorem 5.4 picks for the target c_t.

    Notes
    -----
    Let j <= t <= k be neighbours among the switching points. If j is decreasing, h is 0 from j
    to k - 1, and c_j errs on {j, ..., t - 1} only, where h errs too. If j is increasing, h is 1
    there, k is decreasing, and c_k errs on {t, ..., k - 1} only, where h errs too. So the errors
    of the pick are a subset of those of h, whatever the distribution.

    The pick is always a decreasing point: half of SWITCH(h), rounded up, would do.
    """
    t = whole("t", t, 1, labels.size + 1)
    points, decreasing = switching_points(labels)
    at = int(np.searchsorted(points, t, side="right")) - 1
    if not decreasing[at]:
        # The next one; after T + 1 there is none, and t = T + 1 also has a neighbour before.
        at += 1 if at + 1 < points.size else -1
    return int(points[at])


def selection_samples(switches: int, epsilon: float, alpha: float, beta: float) -> int:
    """Return how many fresh samples the choice from SWITCH(h) needs: ours.

    Parameters
    ----------
    switches : int
        z, at least the number of switching points of h.
    epsilon, alpha : float
        Privacy, and the accuracy of the concept that is chosen.
    beta : float
        The probability with which this step alone may fail. The proof of Theorem 5.4 leaves it
        half of its beta: 3 beta' = beta / 2.

    Returns
    -------
    int
        The least s with (z - 1) r^s <= beta.

    Notes
    -----
    h is fixed before the s samples are drawn and has error at most a' = alpha / 4; so some c* in
    SWITCH(h) has error at most a' too. A concept c of error above alpha is chosen with
    probability at most E[exp(-e (mistakes of c - mistakes of c*) / 2)], a product over samples
    of at most r = 1 - alpha (1 - exp(-e/2)) + a' (exp(e/2) - 1): common mistakes cancel, which
    only helps. Run at e = min(epsilon, log(alpha / a')) = min(epsilon, log 4), and sum over at
    most z - 1 such concepts. No empirical error of h, no VC dimension.
    """
    z, epsilon, alpha, beta = _selection(switches, epsilon, alpha, beta)
    rate = float(shifted_rate(np.array(epsilon), alpha, alpha / 4.0))
    return least_at_rate(math.log(z - 1) - math.log(beta), rate)


def paper_samples(switches: int, epsilon: float, alpha: float, beta: float) -> int:
    """Return the paper's number of fresh samples, *without* its term for the VC dimension.

    8 ln(12 / beta) / alpha^2 + 8 ln((6 - beta) z / beta) / (alpha epsilon), rounded up: the proof
    of Theorem 5.4 adds K (log(1/beta) + log(1/alpha)) / alpha with a constant K that it leaves
    open, so the paper's own number is larger than this. Here beta is that of the whole learner;
    with so many samples the choice alone fails with probability at most beta / 2.
    """
    z, epsilon, alpha, beta = _selection(switches, epsilon, alpha, beta)
    first = 8.0 * math.log(12.0 / beta) / alpha**2
    return math.ceil(
        first + 8.0 * (math.log((6.0 - beta) * z) - math.log(beta)) / (alpha * epsilon)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Switching:
    """A hypothesis, its switching points, and what the proof of Theorem 5.4 picks.

    Attributes
    ----------
    d, target, seed : int
        Bits of a point, the target concept, and what fixed the hypothesis.
    labels : ndarray of uint8, shape (T,)
        The hypothesis h.
    points, decreasing : ndarray
        Its switching points, and which of them are decreasing.
    chosen : int
        The concept of SWITCH(h) that the proof picks.
    errors, chosen_errors : ndarray of int64
        The points at which h, and c_chosen, differ from the target.
    """

    d: int
    target: int
    seed: int
    labels: NDArray[np.uint8]
    points: NDArray[np.int64]
    decreasing: NDArray[np.bool_]
    chosen: int
    errors: NDArray[np.int64]
    chosen_errors: NDArray[np.int64]


def hypothesis_with(switches: int, d: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the labels of a random hypothesis with exactly so many switching points.

    1 and T + 1 always count, so between 2 and T + 1; the others are uniform among 2, ..., T.
    """
    size = 1 << int(scalar("d", d))
    count = whole("switches", switches, 2, size + 1) - 2
    inside = rng.choice(size - 1, size=count, replace=False) + 1
    turns = np.zeros(size, dtype=np.uint8)
    turns[inside] = 1
    turns[0] = rng.integers(2)
    return np.bitwise_xor.accumulate(turns)


def switching(d: int, target: int, switches: int, seed: int) -> Switching:
    """Draw a hypothesis with so many switching points and pick a concept for the target."""
    if scalar("d", d) > _MOST_SHOWN_BITS:
        raise InputError("d", f"must be at most {_MOST_SHOWN_BITS} to show every label", d)
    labels = hypothesis_with(switches, d, np.random.default_rng(scalar("seed", seed)))
    truth = threshold(target, d)
    points, decreasing = switching_points(labels)
    chosen = closest_in_switch(labels, target)
    return Switching(
        d=d,
        target=target,
        seed=seed,
        labels=labels,
        points=points,
        decreasing=decreasing,
        chosen=chosen,
        errors=np.flatnonzero(labels != truth) + 1,
        chosen_errors=np.flatnonzero(threshold(chosen, d) != truth) + 1,
    )


def _selection(
    switches: int, epsilon: float, alpha: float, beta: float
) -> tuple[int, float, float, float]:
    z = whole("switches", switches, 2)
    return z, scalar("epsilon", epsilon), scalar("alpha", alpha), scalar("beta", beta)


# --- Switching points: a hypothesis beside what is picked from it, and what the choice costs -----


_SHOWN_BITS = 5  # 32 labels can be told apart on a phone
_ROWS = (0.0, 1.5, 2.5)  # of the pick, the hypothesis and the target


def switching_figure(shown: Switching) -> Picture:
    """Draw target, hypothesis and the picked concept label by label, with their differences."""
    size = shown.labels.size
    x = np.arange(1, size + 1)
    truth = (x < shown.target).astype(np.int64)
    pick = (x < shown.chosen).astype(np.int64)
    colours = (ZERO, ONE, WRONG_ZERO, WRONG)
    scale = [[(i + k) / 4, colour] for i, colour in enumerate(colours) for k in (0, 1)]
    data = []
    for place, labels, name, uid in (
        (_ROWS[0], pick, f"c_{shown.chosen}", "pick"),
        (_ROWS[1], shown.labels.astype(np.int64), "h", "h"),
        (_ROWS[2], truth, f"c_{shown.target}", "target"),
    ):
        z = (labels + 2 * (labels != truth))[None, :]
        edges = [place - 0.4, place + 0.4]  # one row, given by its edges
        row = cells(z, name, scale, -0.5, 3.5, uid=uid, x=x, y=edges, showscale=False, xgap=1)
        data.append(row | hover(f"{name}(%{{x}})"))
    down, up = shown.points[shown.decreasing], shown.points[~shown.decreasing]
    picked = np.array([shown.chosen - 0.5])
    data += [
        pins(down - 0.5, 0.75, "decreasing", FOUND, "triangle-down"),
        pins(up - 0.5, 0.75, "increasing", GREY, "triangle-up-open"),
        key("1", ONE),
        key("0", ZERO),
        key("1, wrong", WRONG),
        key("0, wrong", WRONG_ZERO),
        pins(picked, 0.75, "picked", FOUND, "circle-open", 20) | MUTE,
    ]
    names = [f"pick c<sub>{shown.chosen}</sub>", "h", f"target c<sub>{shown.target}</sub>"]
    height = (-0.6, 3.1)
    errors, ours = shown.errors.size, shown.chosen_errors.size
    return plot(
        data,
        fixed_axis((-0.2, size + 1.2), "domain point x", at=ticks(1, size), ticks=""),
        bare_axis(height) | axis(at=list(_ROWS), texts=names, ticks=""),
        shapes=[upright(shown.target - 0.5, "x", "y", height)],
        legend=0.24,
        title=f"h errs at {count(errors, 'point')}, the pick at {ours} of these",
        caption=f"T = {size} points; {shown.points.size} switching points, both ends included. The picked concept is "
        "one of SWITCH(h), the concepts at switching points of h, and errs only where h errs.",
        summary=f"Labels of the target c_{shown.target}, of a hypothesis with "
        f"{shown.points.size} switching points and of the concept c_{shown.chosen} picked from "
        f"them: {errors} errors of h, {ours} of the pick, all of them errors of h too.",
        filename=f"privsc-interval-switching-z{shown.points.size}-t{shown.target}",
        table={
            name: labels.tolist()
            for name, labels in (("x", x), ("target", truth), ("h", shown.labels), ("pick", pick))
        },
    )


def picked(target: int, switches: int, draw: int) -> Picture:
    """Draw a random hypothesis with so many switching points and what is picked from it."""
    return switching_figure(switching(_SHOWN_BITS, target, switches, draw))


def selection(at: int, epsilon: float, alpha: float, beta: float) -> Picture:
    """Draw the samples of the choice against the number z of switching points, marked at one.

    The choice may fail with half of beta, which is that of the whole learner.
    """
    z = [1 << k for k in range(1, 31)]
    ours = [selection_samples(one, epsilon, alpha, beta / 2.0) for one in z]
    paper = [paper_samples(one, epsilon, alpha, beta) for one in z]
    here = selection_samples(at, epsilon, alpha, beta / 2.0)
    says = hover("z = %{x:,}: s = %{y:,}")
    data = [
        line(z, ours, "ours", FOUND, dash="solid") | says,
        line(z, paper, "paper, without its open term", WRONG, dash="dash", uid="paper") | says,
    ]
    now = marks([at], [here], "now", FOUND, size=13) | QUIET
    powers = (1, 10, 20, 30)
    return plot(
        [*data, now | beside([f"<b>{integer(here)}</b>"], "top center", FOUND)],
        axis(
            "number of switching points z", (np.log10(2) * 0.5, np.log10(float(z[-1])) + 0.15),
            at=[2**k for k in powers], texts=["2", *(f"2<sup>{k}</sup>" for k in powers[1:])],
            type="log",
        ),
        axis("examples for the choice", rangemode="tozero"),
        title=f"Doubling z takes {integer(ours[-1] - ours[-2])} more examples",
        caption=f"ε = {epsilon:g}, α = {alpha:g}, β = {beta:g}, and the choice uses β/2 of β. The number of the "
                "paper is shown without one term, whose constant the paper leaves open.",
        summary="Examples for the choice among z switching points, z on a logarithmic axis: two straight lines, ours "
                f"from {integer(ours[0])} to {integer(ours[-1])}, the paper's from {integer(paper[0])} to "
                f"{integer(paper[-1])}.",
        filename=f"privsc-interval-selection-eps{epsilon:g}",
        table=columns(data, "z"),
    )  # fmt: skip
