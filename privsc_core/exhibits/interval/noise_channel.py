"""Independent noise on a threshold, and its reconstruction (BBKN13, Section 5.2).

A concept of INTERVAL_d written out as its T labels, every label flipped with probability mu < 1/2:
the minimum of a walk gives the concept back. All of it really runs, so d is at most 20 here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import bdtrc

from privsc_core import progress
from privsc_core.concepts.contracts.style import PALER, RED, TEAL, faint
from privsc_core.draw.picture import Picture, plot
from privsc_core.draw.style import integer, share
from privsc_core.draw.traces import (
    GREY,
    QUIET,
    STEEL,
    UNLISTED,
    Trace,
    axis,
    bare_axis,
    beside,
    cells,
    fixed_axis,
    hover,
    joined,
    key,
    line,
    marks,
    pins,
    stroke,
    upright,
    whisker,
)
from privsc_core.errors import InputError
from privsc_core.numerics.intervals import counted
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray


# The colours of labels, right and wrong, and of what is found.
ONE, ZERO = STEEL, PALER  # labels
WRONG, WRONG_ZERO = RED, faint(RED, 0.38)
FOUND = TEAL

MOST_BITS = 20  # a million labels: larger domains are not written out

_STRIP = 512
_CURVE_BINS = 490  # two points of each are kept
_BLOCK = 1 << 16  # labels flipped at a time in a simulation
_GRID = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.09, 0.11, 0.125, 0.15, 0.175, 0.2)


def threshold(j: int, d: int) -> NDArray[np.uint8]:
    """Return the T = 2^d labels of c_j: 1 at the points below j, then 0."""
    size, j = _domain(j, d)
    return (np.arange(1, size + 1) < j).astype(np.uint8)


def flipped(j: int, d: int, mu: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the labels of c_j with every one flipped independently.

    This is the outer learner of an independent noise learner (BBKN13, Definition 5.6), where
    c_j is what the inner learner found.

    Parameters
    ----------
    j : int
        The threshold, in [1, T + 1].
    d : int
        Bits of a point, at most 20.
    mu : float
        The noise rate, in [0, 1/2).
    rng : numpy.random.Generator
        Where the coins come from.

    Returns
    -------
    ndarray of uint8, shape (T,)
        The label of point x at position x - 1.
    """
    labels = threshold(j, d)
    return labels ^ (rng.random(labels.size) < _rate(mu))


def mismatch(labels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return at how many points c_t and h differ, for every t at once.

    mismatch(t, h) = |{x < t : h(x) = 0}| + |{x >= t : h(x) = 1}| (BBKN13, proof of Theorem 5.8).
    From t to t + 1 only point t changes sides: +1 where h(t) = 0, -1 where h(t) = 1, so one
    cumulative sum gives all T + 1 values.

    Parameters
    ----------
    labels : ndarray of uint8, shape (..., T)
        The labels of h; leading axes are separate hypotheses.

    Returns
    -------
    ndarray of int64, shape (..., T + 1)
        mismatch(t, h) at position t - 1.
    """
    walk = np.empty((*labels.shape[:-1], labels.shape[-1] + 1), dtype=np.int64)
    walk[..., 0] = labels.sum(axis=-1)
    np.subtract(1, 2 * labels.view(np.int8), out=walk[..., 1:])
    return np.cumsum(walk, axis=-1, out=walk)


def reconstruct(labels: NDArray[np.uint8]) -> int | None:
    """Return the t of the concept nearest to h, or None (the paper's FAIL) when several are.

    BBKN13, the reconstruction algorithm in the proof of Theorem 5.8.
    """
    found = int(_reconstruct_all(labels[None, :])[0])
    return found or None


def survival(steps: int, mu: float) -> float:
    """Return the probability that a walk stays above zero at each of its steps.

    The walk starts at 0 and moves by +1 with probability 1 - mu, by -1 with probability mu.

    Notes
    -----
    The ballot theorem: a walk that ends at k > 0 after n steps was above zero all along with
    probability k / n. So the answer is E[max(S_n, 0)] / n, and with S_n = n - 2 B,
    B ~ Bin(n, mu), and E[S_n] / n = 1 - 2 mu,

        survival = 1 - 2 mu + E[(2 B / n - 1)^+]
                 = 1 - 2 mu + 2 mu Pr[Bin(n-1, mu) >= floor(n/2)] - Pr[Bin(n, mu) > floor(n/2)],

    because b C(n, b) = n C(n-1, b-1). It exceeds its limit 1 - 2 mu by less than
    (4 mu (1 - mu))^(n/2).

    The paper bounds the complement by mu plus a sum over all Dyck words, at most 4 mu. Summed
    over the Dyck words that return to zero once only, each of them then a different way to
    fail, the same sum is exact: mu + sum_n C_{n-1} (mu (1 - mu))^n = 2 mu.
    """
    mu = _rate(mu)
    if steps == 0:
        return 1.0
    half = steps // 2
    fewer = bdtrc(half - 1, steps - 1, mu) if half else 1.0
    return float(1.0 - 2.0 * mu + 2.0 * mu * fewer - bdtrc(half, steps, mu))


def recovery_probability(j: int, d: int, mu: float) -> float:
    """Return the exact probability that `reconstruct` finds j in the flipped labels of c_j.

    Seen from j, mismatch goes up by 1 at a label that was left alone and down by 1 at a flipped
    one, on both sides. So j is the only minimum if and only if two independent walks, of j - 1
    and of T + 1 - j steps, stay above zero: the product of two `survival` probabilities.
    """
    size, j = _domain(j, d)
    return survival(j - 1, mu) * survival(size + 1 - j, mu)


def limit_probability(mu: float) -> float:
    """Return (1 - 2 mu)^2: `recovery_probability` where both sides are long."""
    return (1.0 - 2.0 * _rate(mu)) ** 2


def paper_bound(mu: float) -> float:
    """Return max(0, 1 - 8 mu): the paper's failure is at most 8 mu (BBKN13, Theorem 5.8).

    Its proof needs mu <= 0.09; `limit_probability` is at least 1 - 4 mu, so it holds beyond.
    """
    return max(0.0, 1.0 - 8.0 * _rate(mu))


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """One threshold, one draw of the noise, and what comes back.

    Attributes
    ----------
    d, j, seed : int
        Bits of a point, the threshold that went in, and what fixed the coins.
    mu : float
        The noise rate.
    labels : ndarray of uint8, shape (T,)
        What went out: the label of point x at position x - 1.
    dirty : ndarray of int64
        The points whose label was flipped.
    mismatch : ndarray of int64, shape (T + 1,)
        mismatch(t, h) at position t - 1.
    minima : ndarray of int64
        Every t where mismatch is least.
    found : int or None
        What reconstruction says; None is the paper's FAIL.
    strip : ndarray of float64
        The labels in at most 512 equal parts, as the share of ones in each.
    curve_t, curve_mismatch : ndarray of int64
        The mismatch curve with at most about a thousand points: least and greatest value of each
        stretch, both ends, and the minimum.
    """

    d: int
    j: int
    mu: float
    seed: int
    labels: NDArray[np.uint8]
    dirty: NDArray[np.int64]
    mismatch: NDArray[np.int64]
    minima: NDArray[np.int64]
    found: int | None
    strip: NDArray[np.float64]
    curve_t: NDArray[np.int64]
    curve_mismatch: NDArray[np.int64]


def channel(j: int, d: int, mu: float, seed: int) -> Channel:
    """Send c_j through the noise once."""
    rng = np.random.default_rng(scalar("seed", seed))
    labels = flipped(j, d, mu, rng)
    walk = mismatch(labels)
    minima = np.flatnonzero(walk == walk.min()) + 1
    kept = _kept(walk)
    parts = min(_STRIP, labels.size)
    return Channel(
        d=d,
        j=j,
        mu=mu,
        seed=seed,
        labels=labels,
        dirty=np.flatnonzero(labels != threshold(j, d)) + 1,
        mismatch=walk,
        minima=minima,
        found=reconstruct(labels),
        strip=labels.reshape(parts, -1).mean(axis=1),
        curve_t=kept + 1,
        curve_mismatch=walk[kept],
    )


def recovery_curve(j: int, d: int, trials: int, seed: int) -> dict[str, NDArray[np.float64]]:
    """Return the probability of reconstruction over noise rates mu from 0.005 to 0.2.

    The share of simulated runs with the ends of its 95% interval, low and high; each simulated point
    has coins of its own. Then exact, limit and paper: `recovery_probability`, `limit_probability`
    and `paper_bound`.
    """
    children = np.random.SeedSequence(scalar("seed", seed)).spawn(len(_GRID))
    hits = [
        _hits(j, d, mu, trials, np.random.default_rng(child))
        for mu, child in progress.steps(zip(_GRID, children, strict=True))
    ]
    recovered = np.array(hits, dtype=np.float64)
    low, high = counted(recovered, trials)
    return {
        "mu": np.array(_GRID),
        "simulated": recovered / trials,
        "low": low,
        "high": high,
        "exact": np.array([recovery_probability(j, d, mu) for mu in _GRID]),
        "limit": np.array([limit_probability(mu) for mu in _GRID]),
        "paper": np.array([paper_bound(mu) for mu in _GRID]),
    }


def whole(name: str, value: Any, low: int, high: float = math.inf) -> int:
    """Return a whole number between `low` and `high`, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(name, f"must be a whole number, at least {low}", value)
    if not low <= value <= high:
        ends = f"at least {low}" if math.isinf(high) else f"in [{low}, {high}]"
        raise InputError(name, f"must be {ends}", int(value))
    return int(value)


def _domain(j: int, d: int) -> tuple[int, int]:
    """Return (T, j), both checked."""
    bits = scalar("d", d)
    if bits > MOST_BITS:
        raise InputError("d", f"must be at most {MOST_BITS} to write out 2^d labels", d)
    size = 1 << bits
    return size, whole("j", j, 1, size + 1)


def _rate(mu: float) -> float:
    value = float(mu)
    if not (math.isfinite(value) and 0.0 <= value < 0.5):
        raise InputError("mu", "must be in [0, 1/2)", mu)
    return value


def _reconstruct_all(labels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return for every row the t of the unique minimum, or 0 where it is not unique."""
    walk = mismatch(labels)
    least = walk.min(axis=1, keepdims=True)
    unique = np.count_nonzero(walk == least, axis=1) == 1
    return np.where(unique, walk.argmin(axis=1) + 1, 0)


def _hits(j: int, d: int, mu: float, trials: int, rng: np.random.Generator) -> int:
    """Return how often j came back, a block of rows at a time."""
    trials, mu = scalar("trials", trials), _rate(mu)
    clean = threshold(j, d)
    rows = max(1, _BLOCK // clean.size)
    hits = 0
    for done in range(0, trials, rows):
        flips = rng.random((min(rows, trials - done), clean.size)) < mu
        hits += int(np.count_nonzero(_reconstruct_all(clean ^ flips) == j))
    return hits


def _kept(walk: NDArray[Any]) -> NDArray[np.int64]:
    """Return the positions of a long curve that are worth drawing."""
    if walk.size <= 2 * _CURVE_BINS:
        return np.arange(walk.size)
    width = -(-walk.size // _CURVE_BINS)
    # The last stretch is filled up with its last value; the first of equals is a real position.
    parts = np.pad(walk, (0, -walk.size % width), mode="edge").reshape(-1, width)
    start = np.arange(0, walk.size, width)
    ends = np.array([0, walk.size - 1])
    return np.unique(
        np.concatenate([start + parts.argmin(axis=1), start + parts.argmax(axis=1), ends])
    )


def count(number: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def ticks(low: int, high: int) -> list[int]:
    """Return the ends and the middle of a row of points."""
    return [low, (low + high + 1) // 2, high]


# -------------------------------------------------------------------------------------------------
# Noise and reconstruction: the labels that go out, the walk that gives them back, how often.


_NEAR = 32  # labels shown one by one on each side of the threshold
_CLOSE = 16
_LOWER: Trace = {"xaxis": "x2", "yaxis": "y2"}  # the second picture of a figure


def strip_figure(channel: Channel) -> Picture:
    """Draw the noisy labels: all of them as a strip, and those near the threshold one by one."""
    size = channel.labels.size
    step = size / channel.strip.size
    low, high = _window(channel.j, _NEAR, size)
    near = channel.labels[low - 1 : high]
    flips = channel.dirty[(channel.dirty >= low) & (channel.dirty <= high)]
    data = [
        _row(channel.strip, 0.5 + step / 2, step, "all labels", "share of ones %{z:.2f}"),
        _row(near, low, 1.0, "near j", "h(%{x}) = %{z}") | _LOWER | {"xgap": 1},
        key("label 1", ONE),
        key("label 0", ZERO),
        pins(flips, -0.85, "flipped by the noise", WRONG, "triangle-up") | _LOWER,
    ]
    if channel.found is not None and low <= channel.found <= high + 1:
        at = np.array([channel.found - 0.5])
        data.append(pins(at, 0.85, "recovered", FOUND, "triangle-down") | _LOWER)
    # Where the small row lies in the large one: paper coordinates, so this figure does not zoom.
    ends = ((low - 1) / size, high / size)
    shapes = [
        stroke((top, bottom), (0.68, 0.4), GREY, dash="dot", width=1, xref="paper", yref="paper")
        for top, bottom in zip(ends, (0.0, 1.0), strict=True)
    ]
    shapes.append(upright(channel.j - 0.5, "x2", "y2", (-0.6, 0.6)))
    places = ticks(low, high)
    dirty = set(flips.tolist())
    x = list(range(low, high + 1))
    return plot(
        data,
        fixed_axis((0.5, size + 0.5), at=[1, size], texts=["1", integer(size)], anchor="y", ticks=""),
        bare_axis((-0.5, 0.5), domain=[0.68, 1]),
        xaxis2=fixed_axis(
            (low - 0.5, high + 0.5), "domain point x", at=places,
            texts=[integer(v) for v in places], anchor="y2", ticks="",
        ),
        yaxis2=bare_axis((-1.2, 1.2), domain=[0, 0.4]),
        shapes=shapes,
        legend=0.42,
        title=f"What goes out: {count(channel.dirty.size, 'label')} of {integer(size)} flipped",
        caption=f"{_setting(channel)}. Top: all labels. Bottom: the labels around the threshold "
                f"j = {integer(channel.j)} (dashed).",
        summary=f"The {integer(size)} labels of c_{channel.j} with {channel.dirty.size} flipped: "
        f"mostly 1 below {channel.j}, mostly 0 from there on.",
        filename=_filename(channel, "labels"),
        table={"x": x, "label": near.tolist(), "flipped": [int(one in dirty) for one in x]},
    )  # fmt: skip


def mismatch_figure(channel: Channel) -> Picture:
    """Draw mismatch(t, h) over all t, and step by step near its minimum."""
    size = channel.labels.size
    low, high = _window(channel.j, _CLOSE, size + 1)
    walk = channel.mismatch[low - 1 : high]
    least = int(channel.mismatch.min())
    tied = channel.minima
    seen = tied[(tied >= low) & (tied <= high)]
    unique = channel.found is not None
    name = "recovered" if unique else "tied: FAIL"
    colour, symbol = (FOUND, "circle") if unique else (WRONG, "x")
    says = hover("t = %{x:,}: mismatch %{y:,}")
    apart = _LOWER | UNLISTED

    def minima(t: NDArray[Any], uid: str) -> Trace:
        return marks(t, np.full(t.size, least), name, colour, symbol, 12, uid=uid) | says

    curve = line(channel.curve_t, channel.curve_mismatch, "mismatch(t, h)", ONE, uid="all")
    steps = joined(np.arange(low, high + 1), walk, "near j", ONE, size=5, uid="near")
    data = [
        curve | says,
        minima(tied, "least"),
        steps | says | apart,
        minima(seen, "least near") | apart,
    ]
    near = [v for v in (channel.j - 12, channel.j + 12) if low <= v <= high]
    outcome = _outcome(channel)
    return plot(
        data,
        axis(
            "all thresholds t", (1 - 0.02 * size, 1 + 1.02 * size), at=[1, channel.j],
            texts=["1", integer(channel.j)], zoom="all", domain=[0, 0.52],
        ),
        axis("mismatch(t, h)", zoom="all", rangemode="tozero"),
        xaxis2=axis(
            "t near j", (low - 0.7, high + 0.7), at=near, texts=[integer(v) for v in near],
            zoom="near", domain=[0.64, 1], anchor="y2", tickangle=0,
        ),
        yaxis2=axis(
            span=(least - 1.5, max(int(walk.max()), least + 8) + 1.5), zoom="near", anchor="x2",
            nticks=5,
        ),
        shapes=[
            upright(channel.j, "x", "y domain", (0, 1)),
            upright(channel.j, "x2", "y2 domain", (0, 1)),
        ],
        legend=0.3,
        title=f"What comes back: {outcome}",
        caption=f"{_setting(channel)}. On both sides of j (dashed), moving away from j, the curve goes up at a label "
                "that was not flipped and down at a flipped one. The answer is the lowest t; if several are lowest, "
                "it fails (FAIL).",
        summary=f"Number of points where c_t and the noisy labels differ, against t: two straight "
        f"slopes down to {least} at t = {', '.join(map(str, tied[:5].tolist()))}; {outcome}.",
        filename=_filename(channel, "mismatch"),
        table={"t": channel.curve_t.tolist(), "mismatch": channel.curve_mismatch.tolist()},
    )  # fmt: skip


def recovery(mu: float) -> Picture:
    """Draw the probability that the threshold comes back, with a mark at `mu`."""
    curve = _curve()
    x = curve["mu"]
    value = recovery_probability(_J, _BITS, mu)
    simulated = marks(x, curve["simulated"], "simulated, 95%", FOUND, "square-open", 9, edge=2)
    interval = whisker(curve["simulated"], curve["low"], curve["high"], FOUND, width=4)
    now = beside([f"<b>{value:.2f}</b>"], "top right" if mu < 0.17 else "bottom left", ONE)
    data = [
        line(x, curve["exact"], "exact: (1−2μ)²", ONE, uid="exact")
        | hover("μ = %{x:.3g}: %{y:.3f}", "exact"),
        simulated
        | {"uid": "simulated", "error_y": interval}
        | hover("μ = %{x:.3g}: %{y:.3f}", "simulated"),
        line(x, curve["paper"], "paper: at least 1−8μ", WRONG, dash="dash", uid="paper")
        | hover("μ = %{x:.3g}: at least %{y:.3f}", "paper"),
        marks([mu], [value], "now", ONE, size=13) | now | QUIET,
    ]
    excess = float(np.abs(curve["exact"] - curve["limit"]).max())
    within = "10⁻¹²" if excess < 1e-12 else f"{excess:.1g}"
    first, last = (
        f"{share(curve['exact'][0])} falling to {share(curve['exact'][-1])}",
        share(curve["paper"][-1]),
    )
    return plot(
        data,
        axis("noise rate μ", (0, 0.205), at=[0, 0.05, 0.1, 0.15, 0.2]),
        axis("probability of recovering j", (0, 1.03), at=[0, 0.25, 0.5, 0.75, 1]),
        shapes=[upright(mu, "x", "y", (0, value))],
        title="Probability that the noisy labels give j back",
        caption=f"d = {_CURVE_BITS}, j = {integer(_CURVE_J)}; {_TRIALS:,} runs a point, seed {_SEED}. The exact "
        f"probability here is within {within} of (1−2μ)².",
        summary=f"Probability of recovering j against the noise rate μ from {x[0]:g} to {x[-1]:g}: "
        f"exactly {first}, where the paper's bound falls to {last}.",
        filename=f"privsc-interval-recovery-d{_CURVE_BITS}",
        table={name: values.tolist() for name, values in curve.items()},
    )


def _row(values: NDArray[Any], start: float, step: float, name: str, says: str) -> Trace:
    scale = [[0, ZERO], [1, ONE]]
    where = {"x0": start, "dx": step, "y": [0], "showscale": False}
    return cells(values[None, :], name, scale, 0, 1) | where | hover(says)


def _window(j: int, reach: int, size: int) -> tuple[int, int]:
    """Return the first and last of 2 * reach points around j, inside [1, size]."""
    width = min(2 * reach, size)
    low = min(max(j - reach, 1), size + 1 - width)
    return low, low + width - 1


def _outcome(channel: Channel) -> str:
    if channel.found is None:
        return f"FAIL, {channel.minima.size} thresholds are tied"
    if channel.found == channel.j:
        return f"j = {integer(channel.j)}, exactly what went in"
    return f"{integer(channel.found)}, off by {abs(channel.found - channel.j)}"


def _setting(channel: Channel) -> str:
    return f"d = {channel.d}, μ = {channel.mu:g}, draw {channel.seed}"


def _filename(channel: Channel, what: str) -> str:
    return f"privsc-interval-{what}-d{channel.d}-mu{channel.mu:g}-draw{channel.seed}"


# --- What the exhibit shows -----------------------------------------------------------------------


_BITS = 16  # 65,536 labels, drawn as shares of at most 512 bins
_J = (1 << 15) + 1
# A thousand runs at every noise rate: the law is the same to twelve digits, and this takes a
# fifth of a second.
_CURVE_BITS = 12
_CURVE_J = (1 << 11) + 1
_TRIALS = 1000
_SEED = 1


@dataclass(frozen=True, slots=True, eq=False)
class Flipped:
    """One draw of the noise.

    Attributes
    ----------
    labels, mismatch : Picture
        What goes out, and what comes back.
    size, j : int
        The number of labels, and the threshold that went in.
    flips : int
        How many labels were flipped.
    found : int or None
        What came back; None for a tie.
    chance, promised : float
        The probability that j comes back, exactly and as the paper bounds it from below.
    """

    labels: Picture
    mismatch: Picture
    size: int
    j: int
    flips: int
    found: int | None
    chance: float
    promised: float


def noise(mu: float, draw: int) -> Flipped:
    """Flip every label with probability `mu` and take the noise off again.

    Parameters
    ----------
    mu : float
        In [0, 1/2).
    draw : int
        The seed of the coins.
    """
    sent = channel(_J, _BITS, mu, draw)
    return Flipped(
        labels=strip_figure(sent),
        mismatch=mismatch_figure(sent),
        size=sent.labels.size,
        j=_J,
        flips=sent.dirty.size,
        found=sent.found,
        chance=recovery_probability(_J, _BITS, mu),
        promised=paper_bound(mu),
    )


@lru_cache(maxsize=1)
def _curve() -> dict[str, NDArray[np.float64]]:
    return recovery_curve(_CURVE_J, _CURVE_BITS, _TRIALS, _SEED)
