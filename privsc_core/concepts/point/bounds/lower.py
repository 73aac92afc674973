"""The lower bounds for POINT_d."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.generic.labels import FLIPS, LabelsBound
from privsc_core.concepts.generic.packing import (
    HALFWAY,
    OPTIMUM,
    WALK,
    MinimalClassBound,
    PackingBound,
    PackingSlackBound,
    PackingTwoBound,
)
from privsc_core.concepts.generic.rate import NonprivateBound, RateBound
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.point.learners.hashing import Hash, default_bits
from privsc_core.concepts.shared.boxes import Merged
from privsc_core.concepts.shared.inequalities import (
    SEARCH_LIMIT,
    least_at_rate,
    log_odds,
    mechanism_rate,
)
from privsc_core.concepts.shared.unseen import log_effective
from privsc_core.concepts.shared.votes import wrong
from privsc_core.numerics.binomial import binomial_expectation, of_count
from privsc_core.numerics.decimals import ceiling, complement, decimal
from privsc_core.numerics.logspace import each, log_domain, log_domain_scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Demand, Setting


class Nonprivate(NonprivateBound):
    """Two concepts cannot be told apart until the rare point is seen."""

    derivation = (
        "Take two points $i \\ne j$ outside the rest of the support and the concepts $c_i$ and $c_j$, with mass "
        "$\\alpha$ on $i$ and the rest on a third point. Both label the rest of the support 0, and they differ on "
        "$i$.\n\n"
        "While $i$ is unseen, which happens with probability $(1-\\alpha)^m$, the samples are equal, and an output "
        "is accurate for at most one of the two. So for some target the learner fails with probability at least "
        "$\\frac12 (1-\\alpha)^m$. Needs three points, $d \\ge 2$."
    )
    validity = "for d ≥ 2"
    least_d = 2


class NonprivateProper(RateBound):
    """A proper learner must see the target or guess it."""

    name = "nonprivate-proper"
    title = "Without privacy, proper learners"
    legend = "Impossible for every proper learner, even without privacy"
    on_demand = True
    dash = "longdashdot"
    source = Source(
        "ours",
        "a guess among the unseen points",
        "Ehrenfeucht, Haussler, Kearns and Valiant 1989, the lower bound by the VC dimension without privacy",
    )
    without = ("epsilon", "delta")
    kind = "lower"
    statement = r"(1-\alpha)^m \Bigl(1 - \frac{1}{T-1}\Bigr) \le \beta"
    derivation = (
        "On the hard distribution only $c_i$ itself is accurate. While $i$ is unseen, the sample is the same for all "
        "$T-1$ targets. So a proper learner answers with the target with probability at most $1/(T-1)$, on average "
        "over the targets."
    )
    applies_to = "every proper learner, private or not"
    whom = Whom(proper=True, unlabelled=False)
    proved_on = ("hard",)

    def log_failure(self, d: int, _alpha: float) -> float:
        """Return the log of the failure with the target unseen, on average over the targets."""
        return log_domain_scalar(d, 2) - log_domain_scalar(d, 1)

    def rate(self, _epsilon: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
        """Return -log of the chance to miss the target."""
        return np.asarray(-math.log1p(-alpha))


class Labels(LabelsBound):
    """Two concepts cannot be told apart but by the labels of a rare point."""

    without = ("d", "delta")
    derivation = (
        "Take the concepts $c_i$ and $c_j$, $i \\ne j$, and a distribution with mass just over $\\alpha$ on "
        "$i$ and the rest on a third point, which both label 0. They differ on $i$ only, so no answer "
        f"is accurate for both. Needs three points, $d \\ge 2$.\n\n{FLIPS}"
    )
    validity = Nonprivate.validity
    least_d = Nonprivate.least_d


class Packing(PackingBound):
    """E[1 / (1 + (T-2) e^{-eps K})] must reach 1 - beta."""

    name = "packing"
    legend = "Impossible for every proper ε-DP learner, by the simple packing bound"
    shaded = False
    thin = True
    source = Source("ours", "sharpens BBKN13, Lemma 3.9")
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}\Bigl[\frac{1}{1+(T-2)\,e^{-\varepsilon K}}\Bigr] \ge 1-\beta"
    derivation = (
        "Let target $i$ range over the $T-1$ points other than 1, with mass $\\alpha$ on $i$ and $1-\\alpha$ on "
        "point 1. Draw the positions of the $K$ rare examples first and share them: the samples $S_i$ and $S_j$ then "
        "differ in at most $K$ examples, so privacy gives $\\Pr[A(S_i)=c_j] \\ge e^{-\\varepsilon "
        "K}\\Pr[A(S_j)=c_j]$.\n\n"
        "Write $p_j = \\Pr[A(S_j)=c_j]$. For each $i$ the outputs $c_j$ are disjoint events, so $p_i + "
        "e^{-\\varepsilon K}\\sum_{j\\ne i} p_j \\le 1$. Summing over the $n=T-1$ targets, $\\bar "
        "p\\,(1+(n-1)e^{-\\varepsilon K}) \\le 1$; then average over $K$. $\\square$\n\n"
        "The exponential mechanism with privacy loss $\\varepsilon$ nearly reaches the limit for $\\varepsilon/2$. "
        "So on this distribution no proper $\\varepsilon$-DP learner that succeeds for all targets gains more than a "
        "factor of two in $\\varepsilon$."
    )
    validity = "for d ≥ 2"
    fewer = 2
    one, many = "point", "points"
    way_out = (
        "The argument does not apply to improper learners. An answer that labels many points 1 is good for many "
        "targets, so their boxes overlap."
    )

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha

    def merged(self, at: Cell) -> Merged | None:
        """Return the buckets of a public hash to t bits, of rank t: equally large.

        Targets in the bucket of point 1 have no good bucket. For the 2^t - 1 other buckets the
        proof stays as it is, a bucket for a point: with t = d it is the bound itself.
        """
        bits = default_bits(at.alpha, at.beta)
        if bits >= at.d:
            return None
        lost = math.exp(log_domain_scalar(at.d - bits, 1) - log_domain_scalar(at.d, 1))
        return Merged(
            log_rivals=log_domain_scalar(bits, 2), lost=lost, one="bucket", many="buckets",
            log_each=(at.d - bits) * math.log(2.0), learner=Hash.name,
        )  # fmt: skip


class PackingTwo(PackingTwoBound):
    """E[1 - max_t 1 / (e^{eps t} + e^{eps (K-t)} / (T-2))] must reach 1 - beta."""

    name = "packing-two"
    source = Source("ours", "sharpens the packing bound; we know of no reference")
    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}\Bigl[1-\max_{0 \le t \le K}\frac{1}{e^{\varepsilon t}+e^{\varepsilon (K-t)}/(T-2)}\Bigr] \ge 1-\beta"
    derivation = (
        "The setting of the packing bound: $n = T-1$ targets, and samples $S_i$ that share the positions of the $K$ "
        f"rare examples.\n\n{HALFWAY}\n\n{OPTIMUM} For points the margin learner comes close to this bound on every "
        "distribution, if $T > 1/(\\alpha\\beta)$."
    )
    validity = Packing.validity
    fewer = 2
    one, many = "point", "points"
    way_out = Packing.way_out

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha


class PackingSlack(PackingSlackBound):
    """E[pi_K], K ~ Bin(m, alpha), from pi_0 = 1/(T-1), must reach 1 - beta."""

    statement = r"\mathbb{E}_{K \sim \mathrm{Bin}(m,\alpha)}[\pi_K] \ge 1-\beta,\quad \pi_0 = \tfrac{1}{T-1},\ \pi_{k} = \min\bigl(e^{\varepsilon}\pi_{k-1}+\delta,\ 1-e^{-\varepsilon}(1-\pi_{k-1}-\delta),\ 1\bigr)"
    derivation = (
        "The setting of the packing bound: target $i$ is one of the $T-1$ points other than 1, and "
        "the samples share the positions of the $K$ rare examples. " + WALK
    )
    validity = "for d ≥ 2"
    fewer = 1

    def mass(self, alpha: float) -> float:
        """Return the mass of the target point."""
        return alpha


class Corollary38(MinimalClassBound):
    """(T-1) e^{-eps m} (1-beta) <= beta."""

    name = "corollary-3.8"
    title = "Corollary 3.8"
    source = Source("BBKN13", "Theorem 3.6, Proposition 3.7, Corollary 3.8")
    statement = r"(T-1)\,e^{-\varepsilon m}\,(1-\beta) \le \beta"
    derivation = (
        "POINT is $\\alpha$-minimal for itself: with all mass on $i$ only $c_i$ is accurate. "
        "Any two databases differ in at most $m$ examples. So on $D_i$ the learner outputs each "
        "of the $T-1$ other concepts with probability at least $e^{-\\varepsilon m}(1-\\beta)$. "
        "All of them together have probability at most $\\beta$ there."
    )
    fewer = 1
    proved_on = ("hard", "single")
    on_hard = Packing()


class Lemma39(Bound):
    """(2^d - 2) e^{-4 eps alpha m} (1-Gamma) <= Gamma, Gamma = beta + e^{-alpha m/3}."""

    name = "lemma-3.9"
    shaded = True
    title = "Lemma 3.9"
    source = Source("BBKN13", "Lemma 3.9, as in the proof")
    kind = "lower"
    statement = r"(2^d-2)\,e^{-4\varepsilon\alpha m}\,(1-\Gamma) \le \Gamma,\quad \Gamma=\beta+e^{-\alpha m/3}"
    derivation = (
        "With mass $\\alpha$ on the target, all but a fraction $e^{-\\alpha m/3}$ of the samples have at most "
        "$2\\alpha m$ rare examples (Chernoff). So two such samples differ in at most $4\\alpha m$ places, and group "
        "privacy gives the inequality.\n\n"
        "Where $\\Gamma \\ge 1$ it says nothing. An $m$ that violates it is impossible. So is every smaller $m$, "
        "because a learner may ignore examples. The bound is one more than the largest violating $m$.\n\n"
        "The paper takes mass exactly $\\alpha$, but needs an error above $\\alpha$: read the mass as just above "
        "$\\alpha$."
    )
    applies_to = "every proper, purely private learner"
    whom = Whom(privacy=("pure",), proper=True, unlabelled=False)
    validity = "for d ≥ 2, where Γ < 1"
    proved_on = ("hard",)

    def least(self, at: Cell) -> BoundValue:
        """Return one more than the largest m that violates the inequality."""
        rivals = log_domain_scalar(at.d, 2)
        if rivals == -math.inf:
            return BoundValue(1, note="says nothing at d = 1: there are no rivals")
        rate = 4.0 * at.epsilon * at.alpha
        # From above, m <- (log rivals + log((1-Gamma)/Gamma)) / rate falls to the largest
        # crossing, because (1-Gamma)/Gamma increases with m.
        m = (rivals - log_odds(at.beta)) / rate
        for _ in range(_ITERATIONS):
            odds = _log_odds(at.beta, at.alpha, max(m, 0.0))
            if odds == math.inf or m < 1.0:
                return BoundValue(1, note="no m violates the inequality")
            lower = (rivals - odds) / rate
            if m - lower <= 1e-12 * m:
                break
            m = lower
        if m > SEARCH_LIMIT:
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e}: not searched further")
        return BoundValue(_largest_violating(math.ceil(m) + 1, rivals, rate, at.alpha, at.beta) + 1)


# Reached only when the crossing is a tangent; the scan below then finishes the job.
_ITERATIONS = 10_000


def _largest_violating(start: int, rivals: float, rate: float, alpha: float, beta: float) -> int:
    for m in range(start, 0, -1):
        odds = _log_odds(beta, alpha, m)
        if odds == math.inf:
            return 0
        if rivals - rate * m > odds:
            return m
    return 0


def _log_odds(beta: float, alpha: float, m: float) -> float:
    """Return log(Gamma / (1 - Gamma)) for Gamma = beta + e^{-alpha m/3}; inf from Gamma = 1 on."""
    few = math.exp(-alpha * m / 3.0)
    rest = complement(beta) - few
    return math.log(beta + few) - math.log(rest) if rest > 0.0 else math.inf


BOUNDS = (
    Nonprivate(),
    NonprivateProper(),
    Labels(),
    Packing(),
    PackingTwo(),
    PackingSlack(),
    Corollary38(),
    Lemma39(),
)


# --- What the learner `seen` guarantees, for every distribution and target -----------------------


class SeenBound(Bound):
    """sup over a < alpha of min(1, (1-a) / ((alpha-a) T)) min(1, C r(a)^m) <= beta."""

    name = "seen"
    title = "Seen points, or a random one"
    legend = "Guaranteed: seen points, or a random one"
    source = Source(
        "ours",
        "every distribution, by the mass of the target",
        "BNS13b, the choosing mechanism, with rates",
    )
    without = ()
    kind = "upper"
    statement = (
        r"\max\Bigl(C\,r(\alpha)^m,\ \sup_{a<\alpha}\,\min\Bigl(1,\tfrac{1-a}{(\alpha-a)\,T}\Bigr)"
        r"\min\bigl(1,\,C\,r(a)^m\bigr)\Bigr) \le \beta,\quad r(a) = 1-a(1-e^{-\varepsilon/2}),\ "
        r"C = \max\Bigl(1, \tfrac{1}{1/T+\delta/(e^{\varepsilon/2}-1)}\Bigr)"
    )
    derivation = (
        "Let $a$ be the mass of the target and $K \\sim \\mathrm{Bin}(m, a)$ the number of positive examples, all of "
        "which are at the target. An answer other than the target has probability at most $C/(C+e^{\\varepsilon "
        "K/2}-1) \\le \\min(1, C e^{-\\varepsilon K/2})$, on average at most $\\min(1, C\\,r(a)^m)$. For $a \\ge "
        "\\alpha$ that is the first term.\n\n"
        "For $a < \\alpha$ an error above $\\alpha$ takes another point of mass above $\\alpha-a$. There are fewer "
        "than $(1-a)/(\\alpha-a)$ such points, and the random point is uniform. So they get at most this share of "
        "the probability. $\\square$\n\n"
        "For the supremum over $a$ two points suffice: the place $a^* = (\\alpha T-1)/(T-1)$ from which the share is "
        "1, and the $a_1$ where $C\\,r(a_1)^m = 1$. Between these two the logarithm falls and then rises, as its "
        "derivative has the sign of a concave quadratic function that is positive at $\\alpha$. The place $a^*$ also "
        "covers the first term, and the least $m$ follows by solving for both.\n\n"
        "If $\\alpha\\beta T \\le 1$ nothing is guaranteed, and the learner can indeed fail. It ignores negative "
        "examples, so with a target of mass 0 it answers with a random point, whose mass may be large. $\\delta = 0$ "
        "is $C = T$."
    )
    applies_to = "the learner of seen points, or a random one"
    whom = Whom("seen")
    validity = "for every δ; a finite number only where αβT > 1"

    def eases(self, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples.

        It may, since a rare target needs more where there are few points.
        """
        return wanted != "d"

    def least(self, at: Cell) -> BoundValue:
        """Return the least m with both points of the supremum at most beta."""
        inverse, alpha, beta = math.ldexp(1.0, -min(at.d, 1074)), at.alpha, at.beta
        if alpha * beta <= inverse:
            return BoundValue(
                None,
                f"says nothing: alpha beta T = {alpha * beta / inverse:.3g} must be above 1, as negative "
                "examples are ignored",
            )
        size = float(log_effective(log_domain_scalar(at.d), at.epsilon, at.delta))
        kink = (alpha - inverse) / (1.0 - inverse)
        # Where the share is beta: (1 - a) / ((alpha - a) T) = beta.
        rare = (alpha * beta - inverse) / (beta - inverse)
        return BoundValue(
            max(
                least_at_rate(
                    size - math.log(beta), float(mechanism_rate(np.array(at.epsilon), kink))
                ),
                least_at_rate(size, float(mechanism_rate(np.array(at.epsilon), rare))),
            )
        )

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is promised."""
        inverse, alpha = np.exp2(-setting.d.astype(np.float64)), setting.alpha
        size = log_effective(log_domain(setting.d), setting.epsilon, setting.delta)
        kink = np.maximum((alpha - inverse) / (1.0 - inverse), 0.0)
        at_kink = np.minimum(size - setting.m * mechanism_rate(setting.epsilon, kink), 0.0)
        # The mass below which C r^m is above 1.
        first = -np.expm1(-size / setting.m) / -np.expm1(-0.5 * setting.epsilon)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(first < kink, (1.0 - first) * inverse / (alpha - first), 1.0)
        return np.broadcast_to(
            1.0 - np.maximum(np.minimum(share, 1.0), np.exp(at_kink)), setting.shape
        )


# --- The margin learner's guarantee, for every distribution and target ---------------------------


# Parts of the shares of targets that may be heavy wrong answers: at first, and of a part; the least
# part, on the log scale; and what of a failure a curve may miss.
_PARTS, _SPLIT, _DEEPEST, _MISSED = 24, 8, 1e-9, 1e-4
# Shares below this part of beta are counted as if they always failed: a curve shows no less.
_LEAST = 2e-9
# Log odds that are hardly too little.
_JUST = 1e-9


class MarginBound(SearchBound):
    """max over a of min(1 - 1/T, (1-a) / ((alpha-a) T)) E[1 - F(u_K)] <= beta."""

    name = "margin"
    title = "Margin learner"
    legend = "Guaranteed: margin learner"
    source = Source(
        "ours",
        "every distribution, by the mass of the target",
        "BBKN13, Theorem 3.2, the exponential mechanism over a finite class",
    )
    kind = "upper"
    statement = (
        r"\max_{0\le a\le\alpha}\;\min\Bigl(1-\frac1T,\ \frac{1-a}{(\alpha-a)\,T}\Bigr)\;"
        r"\mathbb{E}_{K \sim \mathrm{Bin}(m,a)}\bigl[1-F(u_K)\bigr] \le \beta,\qquad T > "
        r"\frac{1}{\alpha\beta}"
    )
    derivation = (
        "Let $i$ be the target and $a = D(i)$. Only $i$ gets votes, $K \\sim \\mathrm{Bin}(m, a)$ of them, so after "
        "the subtraction $u_K = \\min(K, (K+p_0)/2)$ votes are left. With probability $1-F(u_K)$ the answer is a "
        "uniformly random point, and it is bad when it lies in $B = \\{j \\ne i : D(i)+D(j) > \\alpha\\}$:\n\n"
        "$$\\Pr[\\text{error} > \\alpha] = \\frac{|B|}{T}\\,\\mathbb{E}[1-F(u_K)].$$\n\n"
        "There are at most $T-1$ such points, and for $a < \\alpha$ fewer than $(1-a)/(\\alpha-a)$, as each has mass "
        "above $\\alpha-a$. More mass on the target only helps, so $a \\le \\alpha$ is enough. $\\square$\n\n"
        "The maximum is scanned, with the point $a^* = (\\alpha(T-1)-1)/(T-2)$ where the first term starts to bind; "
        "the number reported is checked on intervals of $a$ that leave none out. Where $T \\le 1/(\\alpha\\beta)$ it "
        "promises nothing: without any vote the random point may be a wrong one of large mass."
    )
    applies_to = "the margin learner"
    whom = Whom("margin")
    validity = "for T > 1/(αβ)"

    def guess(self, at: Cell) -> float:
        """Return where the closed form on the hard distribution suffices."""
        rate = -math.log1p(at.alpha * math.expm1(-0.5 * at.epsilon))
        wanted = 0.5 * (log_domain_scalar(at.d) - math.log(2.0)) - math.log(at.beta)
        return max(wanted, 1.0) / rate

    def silent(self, at: Cell) -> str:
        """Return why there is no guarantee where T <= 1 / (alpha beta)."""
        return _refused(at) if _small(at.d, at.alpha, at.beta) else ""

    def over(self, at: Cell, m: int) -> float | None:
        """Return the log odds, less than 0 where a mass between those scanned fails too often."""
        found = super().over(at, m)
        near = found is not None and 0.0 <= found <= 2.0 * _MISSED
        return -_JUST if near and not _covers(at, m) else found

    def leasts(self, cells: Sequence[Cell]) -> list[BoundValue]:
        """Search, and see that every a is good there."""
        return [_checked(at, found) for at, found in zip(cells, super().leasts(cells), strict=True)]

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest failure, over the masses of the target."""
        shape = setting.shape
        d, m = (np.broadcast_to(x, shape).ravel() for x in (setting.d, setting.m))
        epsilon = np.broadcast_to(setting.epsilon, shape).ravel()
        found = np.ones(d.shape)
        alpha, beta = setting.alpha, setting.beta
        small = each(lambda bits: _small(bits, alpha, beta), d) > 0.0
        log_t = each(log_domain_scalar, d)
        # Shares of at least (m + 3)/T cost the more the larger they are, see `_scanned`.
        floor = math.log(beta) + math.log(_LEAST)
        rising = np.log(m + 3.0) - log_t < floor
        for here, scan in ((~small & rising, False), (~small & ~rising, True)):
            if here.any():
                at = (m[here], log_t[here], epsilon[here], setting)
                found[here] = _at_star(*at)
                if scan:
                    found[here] = np.maximum(found[here], _scanned(*at, floor))
        found = np.where(small, 1.0, np.maximum(found, beta * _LEAST))
        return np.minimum(found, 1.0).reshape(shape)


def _small(d: int, alpha: float, beta: float) -> bool:
    """Return whether T <= 1 / (alpha beta), for the decimals that were typed."""
    return (1 << d) * decimal(alpha) * decimal(beta) <= 1


def _refused(at: Cell) -> str:
    # Points of mass just above alpha, beside a target of mass 0: so many are always possible.
    heavy = ceiling(1 / decimal(at.alpha)) - 1
    fails = heavy > (1 << at.d) * decimal(at.beta)
    what = "no PAC learner here" if fails else "no guarantee here"
    return f"{what}: T ≤ 1/(αβ), and its random point may be a wrong one of large mass"


def _mass(
    log_share: NDArray[np.float64], log_t: NDArray[np.float64], alpha: float
) -> NDArray[np.float64]:
    """Return the a with (1 - a) / ((alpha - a) T) = share: alpha - (1 - alpha) / (share T - 1)."""
    most = log_share + log_t
    return np.asarray(alpha + (1.0 - alpha) * np.exp(-most) / np.expm1(-most))


def _lost(
    m: NDArray[np.int64],
    mass: NDArray[np.float64],
    log_t: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    log_tail: float,
) -> NDArray[np.float64]:
    """Return E[1 - F(u_K)]; without a vote no candidate is named."""
    safe = np.clip(mass, 1e-300, 1.0 - 1e-16)
    found = binomial_expectation(
        m, safe, (log_t, epsilon), of_count(wrong), rate=1.0, log_tail=log_tail
    )
    return np.where(mass > 0.0, found, 1.0)


def _at_star(
    m: NDArray[np.int64], log_t: NDArray[np.float64], epsilon: NDArray[np.float64], setting: Setting
) -> NDArray[np.float64]:
    """Return the failure at a*, where all other targets are bad answers."""
    last = np.log(-np.expm1(-log_t))
    mass = np.minimum(_mass(last, log_t, setting.alpha), setting.alpha)
    return _lost(m, mass, log_t, epsilon, setting.log_tail) * -np.expm1(-log_t)


def _between(
    m: NDArray[np.int64],
    edges: NDArray[np.float64],
    log_t: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    setting: Setting,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log failures at shares, a row each, and what none between neighbours exceeds.

    Between two shares the failure is at most the larger share times the larger expectation, that
    of the smaller mass. It is also at most the larger of the two failures plus f w^2 B / 8, where w
    is what lies between the masses: the second derivative of the expectation E in the mass is never
    below -B = -m^2 eps^2 e^(2 eps) E (1 - F falls the faster by eps^2 (1 - F) a vote at most, and
    at its kink the slower), so that E is at most its chord plus w^2 B / 8, and the share times the
    chord is convex in the share.
    """
    mass = _mass(edges, log_t, setting.alpha)
    with np.errstate(divide="ignore"):
        lost = np.log(_lost(m, mass, log_t, epsilon, setting.log_tail))
        width = np.log(np.maximum(np.diff(mass), 0.0))
    failure = edges + lost
    plain = edges[:, 1:] + lost[:, :-1]
    bend = 2.0 * (np.log(m) + np.log(epsilon) + epsilon + width) - math.log(8.0) + plain
    chord = np.logaddexp(np.maximum(failure[:, 1:], failure[:, :-1]), bend)
    return failure, np.minimum(plain, chord)


def _split(low: NDArray[np.float64], high: NDArray[np.float64], parts: int) -> NDArray[np.float64]:
    return np.asarray(low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, parts + 1))


def _scanned(
    m: NDArray[np.int64],
    log_t: NDArray[np.float64],
    epsilon: NDArray[np.float64],
    setting: Setting,
    floor: float,
) -> NDArray[np.float64]:
    """Return the largest failure, less than it by a part of _MISSED at most.

    With f the share of bad answers and a = alpha - (1 - alpha)/(fT - 1), the expectation falls in a
    at a rate of at most m/(1 - alpha), as one vote lowers 1 - F by a factor e^-eps at most. So f
    times it rises from f = (m + 3)/T on: the shares end there, and begin where a = 0.
    """
    last = np.minimum(np.log(-np.expm1(-log_t)), np.log(m + 3.0) - log_t)
    first = np.minimum(np.maximum(-math.log(setting.alpha) - log_t, floor), last)
    best = np.full(m.shape, floor)
    cell, edges = np.arange(m.size), _split(first, last, _PARTS)
    while cell.size:
        failure, most = _between(
            m[cell][:, None], edges, log_t[cell][:, None], epsilon[cell][:, None], setting
        )
        np.maximum.at(best, cell, failure.max(axis=1))
        row, column = np.nonzero(
            (most > best[cell][:, None] + _MISSED) & (np.diff(edges) > _DEEPEST)
        )
        edges = _split(edges[row, column], edges[row, column + 1], _SPLIT)
        cell = cell[row]
    return np.asarray(np.exp(best))


def _checked(at: Cell, found: BoundValue) -> BoundValue:
    """Return the number, or a larger one that is good for all masses between those scanned."""
    if found.m is None or _covers(at, found.m):
        return found
    low, step = found.m, 1
    while not _covers(at, low + step):
        low, step = low + step, 2 * step
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _covers(at, middle) else (middle, high)
    return BoundValue(high, found.reason, found.note)


def _covers(at: Cell, m: int) -> bool:
    """Return whether no mass of the target fails more often than beta, also between those seen."""
    setting = at.at(m)
    log_t = np.array([[log_domain_scalar(at.d)]])
    sizes, epsilon = np.array([[m]]), np.array([[at.epsilon]])
    last = math.log(-math.expm1(-log_t.item()))
    goal = math.log(at.beta) + 1e-12
    edges = _split(np.array([min(math.log(at.beta), last)]), np.array([last]), _PARTS)
    while edges.size:
        failure, most = _between(sizes, edges, log_t, epsilon, setting)
        open_ = most > goal
        if (failure > goal).any() or (np.diff(edges)[open_] < _DEEPEST).any():
            return False
        edges = _split(edges[:, :-1][open_], edges[:, 1:][open_], _SPLIT)
    return True
