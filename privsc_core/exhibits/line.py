"""The votes of one sample: what the blocks say, the noise, the threshold, and what is released."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.contracts.style import RED, SLATE
from privsc_core.concepts.line.bounds.blind import log_guess
from privsc_core.concepts.line.distributions import LineDistribution, Profile
from privsc_core.concepts.line.learners import Vote
from privsc_core.concepts.line.plane import Empty, Line
from privsc_core.concepts.line.votes import block_size
from privsc_core.draw.picture import Picture, plot
from privsc_core.draw.traces import GREY, PINK, TEAL, axis, bar, hover, line, marks, rows_axis
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.evaluate.scenario import Scenario

_EXAMPLES_MOST = 200_000
_HALF = 0.5  # of the examples are of the target's line, where a guess is judged
_DASHES = ("solid", "dash", "dot")
_KINDS = ("the target", "its heaviest point", "another point", "nothing seen")
_COLOURS = (TEAL, RED, RED, GREY)


@dataclass(frozen=True)
class Heavy(LineDistribution):
    """Mass just over alpha even on the target, some more on one of its points, the rest on (0, 1).

    Attributes
    ----------
    percent : int
        How much of the mass 1 - alpha the one point has: 0 is `spread`.
    """

    percent: int = 0

    name = "heavy"
    title = "One heavy point"

    def profile(self, p: int, alpha: float) -> Profile:
        """Return what it is at (p, alpha)."""
        even = decimal(alpha) * p / (p - 1)
        heavy = (1 - even) * self.percent / 100
        return Profile(even=(even, 1), atoms={1: (heavy, 0)}, dummy=(1 - even - heavy, -1))


def shares_of(profile: Profile, p: int, t: int) -> tuple[float, float, float, float]:
    """Return how likely a block votes for the target, its heavy point, another point, nothing.

    A block of t examples votes for what all of its positive ones are at: for the target from two
    places on.
    """
    even, (heavy, _) = float(profile.even[0]), profile.atoms[1]
    rest = max(1.0 - profile.mass, 0.0)
    nothing = rest**t
    first = (rest + float(heavy) + even / p) ** t - nothing
    # Without the difference: of a large p one point's share is lost beside what nothing has.
    gain = math.expm1(t * math.log1p(even / p / rest)) if rest else 0.0
    others = (p - 1.0) * (nothing * gain if rest else (even / p) ** t)
    return max(1.0 - nothing - first - others, 0.0), first, others, nothing


def _vote(scenario: Scenario) -> Vote:
    learner = catalog.learner(scenario.concept, "vote").at(scenario.delta)
    assert isinstance(learner, Vote)  # noqa: S101 - the type is the catalog's to know
    return learner


def the_votes(scenario: Scenario, percent: int, blocks: int, draw: int) -> Picture:
    """Draw the votes of one sample, with the noise and the threshold.

    Parameters
    ----------
    scenario : Scenario
    percent : int
        Of the heavy point, see `Heavy`.
    blocks : int
        How many vote.
    draw : int
        Which sample.

    Raises
    ------
    InputError
        For an alpha with more examples than are drawn one by one, and a p that is not looked for.
    """
    learner = _vote(scenario)
    m = blocks * block_size(scenario.alpha)
    if m > _EXAMPLES_MOST:
        least = 2.0 * blocks / _EXAMPLES_MOST
        raise InputError("alpha", f"must be at least {least:.2g} to draw the votes", scenario.alpha)
    learner.check_shown(Cell(scenario.d, 1.0, scenario.alpha, scenario.beta))
    source = Heavy(learner.modulus, percent)
    rng = np.random.default_rng([scenario.seed, draw])
    sample = source.draw(m=m, d=scenario.d, alpha=scenario.alpha, rng=rng)
    votes = learner.votes(sample, scenario.alpha)
    noisy = learner.noisy(votes, scenario.epsilon, rng)
    least = learner.least(scenario.epsilon)
    t = block_size(scenario.alpha)
    p = source.modulus.prime(scenario.d)
    shares = shares_of(source.profile(p, scenario.alpha), p, t)
    # Of other points that with the largest noisy count stands for all.
    best: dict[int, Hypothesis] = {}
    others = 0
    for candidate in votes:
        kind = _kind(candidate, source, scenario)
        others += kind == 2
        if kind not in best or noisy[candidate] > noisy[best[kind]]:
            best[kind] = candidate
    names = [
        f"{name} (the most of {others:,})" if kind == 2 and others > 1 else name
        for kind, name in enumerate(_KINDS)
    ]
    counts = [votes[best[kind]] if kind in best else 0 for kind in range(len(_KINDS))]
    with_noise = [noisy[best[kind]] if kind in best else None for kind in range(len(_KINDS))]
    expected = [blocks * share for share in shares]
    expected[2] /= max(p - 1.0, 1.0)
    rows = list(range(len(_KINDS)))
    released = max(noisy, key=noisy.__getitem__, default=None)
    passes = released is not None and noisy[released] > least
    kind = _kind(released, source, scenario) if passes and released is not None else 3
    right = max(1.0, least, *counts, *(x for x in with_noise if x is not None)) * 1.08
    left = min(0.0, *(x for x in with_noise if x is not None)) if noisy else 0.0
    data = [
        bar(counts, rows, "votes", list(_COLOURS), orientation="h", width=0.5)
        | hover("%{x:,} votes"),
        marks(with_noise, rows, "with noise", SLATE, "diamond", 11) | hover("%{x:.1f} with noise"),
        marks(expected, rows, "expected votes", PINK, "line-ns-open", 22)
        | hover("%{x:.1f} expected"),
        line([least] * 2, [-0.5, 3.5], "threshold", GREY, dash="dash", width=2, uid="least"),
    ]
    said = ("the target line", "its heaviest point alone", "a single point", "the empty set")[kind]
    alone = "" if passes else ": nothing passes the threshold"
    return plot(
        data,
        axis("votes", (1.1 * left, right)),
        rows_axis(names),
        title=f"Released: {said}{alone}",
        caption=f"{blocks:,} blocks of {t} examples each; noise Lap(2/ε) on every count that is not 0; "
        f"threshold {least:.4g} = 1 + (2/ε) ln(1/(2δ)). Only the target is accurate. p = {p:,}, m = "
        f"{blocks * t:,}, ε = {scenario.epsilon:g}, α = {scenario.alpha:g}. One sample, drawn and run as "
        f"the learner does.",
        summary=f"Votes of {blocks:,} blocks: "
        + ", ".join(f"{count:,} for {name}" for count, name in zip(counts, names, strict=True))
        + f". The threshold is {least:.4g}. Released: {said}.",
        filename=f"privsc-line-votes-{blocks}",
        table={
            "candidate": names,
            "votes": counts,
            "with noise": with_noise,
            "expected": expected,
        },
    )


def _kind(candidate: Hypothesis, source: Heavy, scenario: Scenario) -> int:
    if isinstance(candidate, Line):
        return 0
    if isinstance(candidate, Empty):
        return 3
    heavy = source.percent and candidate.predict(1 + source.modulus.prime(scenario.d))
    return 1 if heavy else 2


def the_guess(scenario: Scenario) -> Picture:
    """Draw the most that privacy leaves to a blind guess, against the examples that the line gives.

    Raises
    ------
    InputError
        For an alpha of 1/2 or more, where every guess may be good.
    """
    if scenario.alpha >= _HALF:
        raise InputError("alpha", "must be less than 1/2 for a blind guess", scenario.alpha)
    modulus = _vote(scenario).modulus
    log_goal, half = math.log1p(-scenario.beta), np.array(_HALF)
    data, enough, guesses = [], [], []
    for d, dash in zip((scenario.d, 2 * scenario.d, 4 * scenario.d), _DASHES, strict=True):
        log_rho = float(log_guess(half, scenario.alpha, modulus.log(d)))
        enough.append(max((log_goal - log_rho) / scenario.epsilon, 0.0))
        guesses.append(log_rho / math.log(2.0))
        full = -log_rho / scenario.epsilon
        bits = modulus.bits(d)
        data.append(
            line(
                [0.0, full, 4.0 * full],
                [guesses[-1], 0.0, 0.0],
                f"p of {bits:,} bits",
                GREY,
                dash=dash,
            )
            | hover(f"p of {bits:,} bits: K = %{{x:,.0f}}, log₂ of the chance at most %{{y:.1f}}")
        )
        if modulus.given:
            break
    caption = (
        f"Exact, on mixture(0.5). A hypothesis fixed before any data is accurate for at most 2^{guesses[0]:.1f} of "
        f"the lines. Each example of the line multiplies this by e^ε at most, ε = {scenario.epsilon:g}. At a large p "
        f"the other examples tell hardly anything about the line. So success {1 - scenario.beta:g} takes K ≥ "
        f"{math.ceil(enough[0]):,}, of about twice as many examples in all."
    )
    return plot(
        data,
        axis("examples of the target's line K", (0.0, 1.15 * max(*enough, 1.0))),
        axis(
            "log₂ of the chance to be accurate",
            (1.08 * min(*guesses, -1.0), 0.04 * max(*map(abs, guesses), 1.0)),
        ),
        title="What privacy leaves to a blind guess",
        caption=caption,
        summary=f"Lines that rise from the chance of a blind guess to 1. {caption}",
        filename=f"privsc-line-guess-d{scenario.d}-eps{scenario.epsilon:g}",
        table={"log2 of the guess": guesses, "examples of the line for 1-β": enough},
    )
