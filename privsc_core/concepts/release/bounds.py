"""The bounds for data release."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.generic.packing import HALFWAY
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.release.distributions import entries, entries_scalar, least_m
from privsc_core.concepts.release.laws import all_light, log_half_sum
from privsc_core.concepts.shared.boxes import Boxes
from privsc_core.concepts.shared.inequalities import (
    SEARCH_LIMIT,
    halfway_limit,
    least_allowed,
    least_at_rate,
    log_odds,
    packing_limit,
)
from privsc_core.numerics.decimals import decimal, floor
from privsc_core.numerics.logspace import each, log_domain_scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Demand, Setting


# --- The lower bounds for data release: families of databases that differ in few entries ---------


class FamilyBound(Bound):
    """(T-1) e^{-eps k} (1-beta) <= beta for k = ceil(factor alpha m) changed entries.

    Notes
    -----
    It says that some database of the family fails: a mechanism must serve every one. On a
    single database alone anything is possible, for a mechanism may just know it; `shown_on`
    names databases like those of the family, on which mechanisms that treat all points alike are
    compared with it.

    Attributes
    ----------
    factor : int
        See above.
    """

    kind = "lower"
    applies_to = (
        "every purely private mechanism that is useful on every database, whatever form its "
        "output has"
    )
    applies_briefly = "every purely private mechanism useful on all databases"
    whom = Whom(privacy=("pure",))
    shown_on = ("hard", "single")
    factor: int

    def outside(self, _at: Cell, /) -> BoundValue | None:
        """Return what is said where the family does not exist; None where it does."""
        return None

    def changed(self, at: Cell) -> int:
        """Return the least number of changed entries that satisfies the inequality."""
        return least_at_rate(log_domain_scalar(at.d, 1) - log_odds(at.beta), at.epsilon)

    def least(self, at: Cell) -> BoundValue:
        """Return the least m whose k satisfies the inequality."""
        if (said := self.outside(at)) is not None:
            return said
        m = least_m(self.factor, at.alpha, self.changed(at))
        if m > SEARCH_LIMIT:
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e}: not searched further")
        return BoundValue(m)


class Packing(FamilyBound):
    """1 / (1 + (T-1) e^{-eps ceil(2 alpha m)}) must reach 1 - beta.

    As every lower bound of data release it says that some database of the family fails.
    """

    name = "packing"
    title = "Packing bound"
    legend = "Impossible for every ε-DP mechanism, by the simple packing bound"
    shaded = True
    thin = True
    source = Source("ours", "sharpens BBKN13, Theorem 7.2")
    statement = r"\frac{1}{1+(T-1)\,e^{-\varepsilon\lceil 2\alpha m\rceil}} \ge 1-\beta"
    derivation = (
        "Let $k=\\lceil 2\\alpha m\\rceil \\le m$, that is $\\alpha \\le \\frac12$. The database $D_1$ has $m$ "
        "entries 1; for $i \\ne 1$, $D_i$ has $k$ entries $i$ and the rest 1. Any two of these $T$ databases differ "
        "in at most $k$ entries.\n\n"
        "A release that is useful for $D_i$, $i \\n"
        "e 1$, answers query $i$ with more than $k/m - \\alpha \\ge \\alpha$. A release that is useful for any other "
        "$D_j$ answers it with less than $\\alpha$, because $i$ does not occur there. So the sets $G_i$ of useful "
        "releases are disjoint, and privacy gives $\\Pr[A(D_i) \\in G_j] \\ge e^{-\\varepsilon k}\\,p_j$ with $p_j = "
        "\\Pr[A(D_j) \\in G_j]$.\n\n"
        "Hence $p_i + e^{-\\varepsilon k}\\sum_{j \\ne i} p_j \\le 1$ for every $i$; the average over the $T$ "
        "databases is $\\bar p\\,(1+(T-1)e^{-\\varepsilon k}) \\le 1$, and some database does no better than the "
        "average. $\\square$\n\n"
        "The proof in the paper has $3\\alpha m$ in place of $2\\alpha m$, which leaves an unnecessary gap between "
        "the sets. The release may have any form."
    )
    validity = "for α ≤ 1/2"
    factor = 2
    packs = True

    def boxes(self, at: Cell) -> Boxes | None:
        """Return the sets of useful releases; always k entries differ."""
        if self.outside(at) is not None:
            return None
        alpha = at.alpha
        return Boxes(
            log_rivals=log_domain_scalar(at.d, 1), share=2.0 * alpha,
            counts=lambda m: (entries_scalar(2, alpha, m), np.ones(1)),
            law=f"K = ⌈{2.0 * alpha:g} m⌉, always", one="database", many="databases",
            unit="entries",
            way_out="No boxes can be merged: a box contains every release that is useful for its database, whatever "
                    "form the release has. With δ > 0 the argument fails; for large d the bound is false then.",
        )  # fmt: skip

    def outside(self, at: Cell) -> BoundValue | None:
        """Return that nothing is said for alpha above 1/2."""
        if 2 * decimal(at.alpha) > 1:
            return BoundValue(1, note="says nothing: the databases would need more than m entries")
        return None

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability, averaged over the family."""
        if 2 * decimal(setting.alpha) > 1:
            return np.ones(setting.shape)
        rivals = each(lambda d: log_domain_scalar(d, 1), setting.d)
        changed = entries(2, setting.alpha, setting.m)
        return packing_limit(changed, rivals, 1.0, setting.epsilon)


class PackingTwo(Packing):
    """max_t 1 / (e^{eps t} + e^{eps (k-t)} / (T-1)) must be at most beta, k = ceil(2 alpha m).

    As every lower bound of data release it says that some database of the family fails.
    """

    name = "packing-two"
    title = "Packing bound, halfway"
    legend = "Impossible for every ε-DP mechanism, on some database"
    thin = False
    source = Source("ours", "sharpens the packing bound; we know of no reference")
    statement = (
        r"\max_{0 \le t \le k}\frac{1}{e^{\varepsilon t}+e^{\varepsilon (k-t)}/(T-1)} \le \beta,"
        r"\quad k = \lceil 2\alpha m\rceil"
    )
    derivation = (
        "The databases of the packing bound: there are $n = T$ of them, $S_i = D_i$, and $K = k = \\lceil 2\\alpha "
        "m\\rceil$ always, because they all differ in the same $k$ entries.\n\n" + HALFWAY
    )

    def boxes(self, at: Cell) -> Boxes | None:
        """Return the sets of useful releases, to be held against halfway databases."""
        found = super().boxes(at)
        return found and replace(found, halfway=True)

    def changed(self, at: Cell) -> int:
        """Return the least number of changed entries that satisfies the inequality."""
        rivals, epsilon = np.array([log_domain_scalar(at.d, 1)]), np.array([at.epsilon])
        guess = (rivals - 2.0 * math.log(min(at.beta, 0.5))) / epsilon
        found = least_allowed(
            at.beta,
            lambda which, k: halfway_limit(k, rivals[which], 1.0, epsilon[which]),
            lambda which, k: halfway_limit(k, rivals[which], 1.0, epsilon[which], lost=True),
            guess=guess,
        )
        return int(found[0]) or SEARCH_LIMIT + 1

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability, averaged over the family."""
        if 2 * decimal(setting.alpha) > 1:
            return np.ones(setting.shape)
        rivals = each(lambda d: log_domain_scalar(d, 1), setting.d)
        changed = entries(2, setting.alpha, setting.m)
        return halfway_limit(changed, rivals, 1.0, setting.epsilon)


class Theorem72(FamilyBound):
    """(T-1) e^{-eps ceil(3 alpha m)} (1-beta) <= beta.

    As every lower bound of data release it says that some database of the family fails.
    """

    name = "theorem-7.2"
    title = "Theorem 7.2"
    shaded = True
    source = Source("BBKN13", "Theorem 7.2, as in the proof")
    statement = r"(T-1)\,e^{-\varepsilon\lceil 3\alpha m\rceil}\,(1-\beta) \le \beta"
    derivation = (
        "$D_i$ has $3\\alpha m$ entries $i$ and the rest 1; $D_1$ has only 1. No release is "
        "useful for two of them. So on $D_1$ the mechanism outputs a release that is useful for "
        "$D_i$, $i \\n"
        "e 1$, with probability at least $e^{-3\\varepsilon\\alpha m}(1-\\beta)$. All of these "
        "together have probability at most $\\beta$ there.\n\n"
        "Valid for $3\\alpha \\le 1$. The number of changed entries is rounded up, "
        "$\\lceil 3\\alpha m\\rceil$: the proof takes $3\\alpha m$ for a whole number. The paper "
        "states it as $m = \\Omega((d+\\log(1/\\beta))/(\\varepsilon\\alpha))$."
    )
    validity = "for α ≤ 1/3"
    factor = 3

    def outside(self, at: Cell) -> BoundValue | None:
        """Refuse alpha above 1/3."""
        if 3 * decimal(at.alpha) > 1:
            return BoundValue(None, "the proof needs 3 alpha <= 1")
        return None


_LOWER = (Packing(), PackingTwo(), Theorem72())


# --- The upper bounds for data release: the Laplace histogram, and what the paper cites ----------


@dataclass(frozen=True)
class LaplaceBound(SearchBound):
    """(1-u)^{T-b} (1-2u)^b >= 1-beta, u = e^{-eps alpha m/2}/2, b = floor(1/(2 alpha)).

    Parameters
    ----------
    lost : float
        As of the mechanism: the probability with which a count of exactly alpha m is lost
        below the threshold.

    Notes
    -----
    With the threshold at alpha m (lost = 1/2) no number of entries is enough for every
    database: one that has a count of exactly alpha m fails half of the time, always. So the
    bound then covers `single`, `hard` and all databases without a count in
    [alpha m, 2 alpha m); with a lower threshold (lost < 1/2) it covers every database.
    """

    lost: float = 0.5

    name = "laplace"
    title = "Laplace histogram"
    legend = "Guaranteed: Laplace histogram"
    shaded = True
    source = Source(
        "ours",
        "exact law of the histogram, worst case",
        "DMNS06, the Laplace mechanism; BBKN13, Section 7, for such databases",
    )
    kind = "upper"
    statement = (
        r"(1-u)^{T-b}\,(1-2u)^{b} \ge 1-\beta,\quad u=\tfrac12 e^{-\varepsilon\alpha m/2},"
        r"\; b=\lfloor 1/(2\alpha)\rfloor"
    )
    derivation = (
        "Let $n_j$ be the counts and $u=\\Pr[L\\ge\\alpha m]=\\frac12e^{-\\varepsilon\\alpha m/2}$ for the noise "
        "$L$. A point with $n_j<\\alpha m$ fails only if $L\\ge\\alpha m$: if $L\\le-\\alpha m$, the noisy count is "
        "negative and released as 0, which is right. A point with $n_j\\ge 2\\alpha m$ fails if $|L|\\ge\\alpha m$, "
        "with probability $2u$, which includes that its noisy count is below the threshold $\\alpha m$. There are at "
        "most $b=\\lfloor 1/(2\\alpha)\\rfloor$ such points, and the noises are independent. $\\square$\n\n"
        "This covers every database without a count from $\\alpha m$ to $2\\alpha m$. On `hard` the rest $m-\\lceil "
        "3\\alpha m\\rceil$ may lie there when $\\frac15\\le\\alpha\\le\\frac14$: then it is lost with probability "
        "at most $\\frac12 e^{-\\varepsilon((1-4\\alpha)m-1)/2}$, which is taken into account. The same is true on "
        "single if $\\alpha>\\frac12$.\n\n"
        "**It does not cover all databases**: a count of exactly $\\alpha m$ is lost with probability $\\frac12$ "
        "however large $m$ is. The public threshold $\\alpha m-\\frac{2}{\\varepsilon}\\ln\\frac1{2p}$ loses it with "
        "probability $p$ only. With it *every* database succeeds with probability at least "
        "$(1-u)^{T-b}(1-u-\\max(u,p))^{b}$, $b=\\lfloor 1/\\alpha\\rfloor$, at the price of $1/(2p)$ times as many "
        "empty points in the release."
    )
    applies_to = (
        "the Laplace histogram, on `single`, on `hard` and on every database without a count from αm "
        "up to 2αm"
    )
    only_on = "databases without a count from αm up to 2αm"
    whom = Whom("laplace")

    def eases(self, wanted: Demand) -> bool:
        """Return whether demanding less never takes more examples; it may, since the threshold grows with alpha."""
        return wanted != "alpha"

    def guess(self, at: Cell) -> float:
        """Return where T noises are rarely that large."""
        return 2.0 * (log_domain_scalar(at.d) - math.log(at.beta)) / (at.epsilon * at.alpha)

    def beyond(self, at: Cell) -> str:
        """Return how much is promised at last."""
        most = float(self.success(at.at(SEARCH_LIMIT)))
        return f"promises no more than {most:.6g}: a count is at the threshold"

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return the success probability that is promised on every covered database."""
        return np.broadcast_to(np.exp(self._log_promise(setting)), setting.shape)

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the most that may fail."""
        return np.broadcast_to(-np.expm1(self._log_promise(setting)), setting.shape)

    def _log_promise(self, setting: Setting) -> NDArray[np.float64]:
        """Return the log of the least success probability of the covered databases.

        It grows with m.
        """
        m, d, exact = setting.m, setting.d, decimal(setting.alpha)
        rate = 0.5 * setting.epsilon
        x = rate * setting.alpha * m

        def product(number: int, *margins: NDArray[np.float64]) -> NDArray[np.float64]:
            """Return log success with heavy counts that far (times the rate) above the threshold."""
            points = np.where(d < 62, np.minimum(number, 1 << np.minimum(d, 62)), number)
            total = all_light(d, points, -x - math.log(2.0))
            each = [log_half_sum(x, np.minimum(x, y)) for y in margins]
            return total + (points * each[0] if len(each) == 1 else sum(each))

        with np.errstate(divide="ignore"):
            if self.lost < 0.5:
                spare = np.asarray(-math.log(2.0 * self.lost))
                return np.asarray(product(floor(1 / exact), spare))
            worst = np.minimum(
                product(floor(1 / (2 * exact)), x), product(1, rate * float(1 - exact) * m)
            )
            if 3 * exact <= 1 and 4 * exact <= 1:
                rest = np.maximum(float(1 - 4 * exact) * m - 1.0, 0.0)
                worst = np.minimum(worst, product(2, x, rate * rest))
            return np.asarray(worst)


class Theorem71(Bound):
    """O(d VCDIM log(1/alpha) / (alpha^3 eps) + log(1/beta) / (eps alpha)), VCDIM = 1."""

    name = "theorem-7.1"
    title = "Theorem 7.1"
    source = Source("BBKN13", "Theorem 7.1 (Blum, Ligett, Roth 2008)")
    kind = "upper"
    constants = "rate"
    statement = (
        r"m = O\Bigl(\frac{d\cdot\mathrm{VCDIM}(C)\,\log(1/\alpha)}{\alpha^3\varepsilon}"
        r"+\frac{\log(1/\beta)}{\varepsilon\alpha}\Bigr)"
    )
    derivation = (
        "The mechanism is the exponential mechanism over synthetic databases. For any class, a random sample of "
        "$O(\\mathrm{VCDIM}(C)\\log(1/\\alpha)/\\alpha^2)$ entries of the database keeps all queries within "
        "$\\alpha/2$. So there are $T^{O(\\mathrm{VCDIM}(C) \\log(1/\\alpha)/\\alpha^2)}$ candidates, of which one "
        "is good. The mechanism finds one that is nearly as good once $\\varepsilon\\alpha m$ exceeds their "
        "logarithm.\n\n"
        "$\\mathrm{VCDIM}(\\mathrm{POINT}_d)=1$. The theorem has no constants, so it gives no number. For points a "
        "histogram needs far fewer entries, $O((d+\\log(1/\\beta))/(\\varepsilon\\alpha))$, because one entry "
        "changes only two of the counts."
    )
    applies_to = "the exponential mechanism over synthetic databases"
    whom = Whom("blr")

    def least(self, _at: Cell) -> BoundValue:
        """Refuse a number: the paper gives only a rate."""
        return BoundValue(
            None, "a rate without a constant: d log(1/alpha) / (alpha^3 epsilon) + ..."
        )


_UPPER = (LaplaceBound(), Theorem71())


BOUNDS = (*_LOWER, *_UPPER)
