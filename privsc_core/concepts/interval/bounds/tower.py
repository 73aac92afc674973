"""The lower bound that grows with the domain for every proper learner, with a slack too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Bound, BoundValue, Source, Whom
from privsc_core.concepts.interval.towers import Domain, learner, learners, most_success
from privsc_core.concepts.shared.inequalities import SEARCH_LIMIT, over_allowed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from privsc_core.concepts.contracts import Cell, Setting


class Tower(Bound):
    """E min(1, pi_K(1/s) + pi_K'(1/b)) >= 1 - beta for all b, s with 2 b^(s-1) + 1 <= T; more steps too."""

    name = "tower"
    title = "Tower packing"
    legend = "Impossible for every proper (ε, δ)-DP learner, on some distribution"
    source = Source("ours", "sharpens a recursion of BNSV15 by copies; we know of no reference")
    kind = "lower"
    dash = "12px,3px"
    shaded = True
    without = ()
    statement = (
        r"\mathbb{E}\bigl[\min\bigl(1,\ \pi_{K}(\tfrac1s)+\pi_{K'}(\tfrac1b)\bigr)\bigr] \ge 1-\beta"
        r"\ \text{ for all } b, s \text{ with } 2\,b^{s-1}+1 \le T,\quad "
        r"(K, K', \cdot) \sim \mathrm{Mult}(m;\,\alpha, \alpha, 1-2\alpha)"
    )
    derivation = (
        "**A walk.** $\\pi_0(p) = p$ and $\\pi_k = \\min(e^{\\varepsilon}\\pi_{k-1}+\\delta,\\ "
        "1-e^{-\\varepsilon}(1-\\pi_{k-1}-\\delta),\\ 1)$: an event of probability $p$ has at most the probability "
        "$\\pi_k(p)$ after $k$ examples were replaced. This is concave in $p$, so it holds on average too.\n\n"
        "**One step.** Draw $x$ uniformly from $0, \\dots, s-1$, and a secret number $y_0$ of $s-1$ random digits "
        "to the base $b$. Let $y$ be the first $x$ digits of $y_0$, then zeros. Put a mass slightly above $\\alpha$ on "
        "the point $2y+2$, which has label 1, and on the point $2y_0+3$, which has label 0. The rest is on "
        "point 1, which has label 1.\n\n"
        "A threshold $c_t$ with error at most $\\alpha$ has both points right, so $y \\le z \\le y_0$ for $z = "
        "\\lfloor (t-3)/2 \\rfloor$. Then $z$ shares at least the first $x$ digits with $y_0$. Call the number of "
        "shared digits $\\ell$.\n\n"
        "Either $\\ell = x$. Without its $K$ examples on $2y+2$ the learner would know nothing of $x$, so the "
        "probability is at most $\\pi_K(1/s)$. Or $\\ell > x$: then $z$ has guessed digit $x+1$ of $y_0$. Only the "
        "$K'$ examples on $2y_0+3$ depend on it, so the probability is at most $\\pi_{K'}(1/b)$. Average over $K$ "
        "and $K'$. $\\square$\n\n"
        "**More steps.** The shared digits $\\ell$ solve the same problem on the small domain $0, \\dots, s-1$. So "
        "$x$ may itself come from such a construction. Each step takes one logarithm of the domain and adds one "
        "point and one term $\\pi$. The lowest points have label 1, the others label 0, and each label has mass "
        "slightly above $\\alpha$ in all. The number is the largest over one to seven steps.\n\n"
        "**Copies.** Bun, Nissim, Stemmer and Vadhan (2015) use one example of $y_0$ for each step. With as "
        "many as the walk allows, a step adds about $\\frac1\\varepsilon \\log\\frac1\\delta$ of them.\n\n"
        "**What this does not show.** It binds learners that succeed on every distribution. On one fixed "
        "distribution a learner may need less. On the hard distribution the learner by repeated points needs 668 "
        "examples at every $d \\ge 64$. On a domain with room for seven steps the bound is above 800. Nothing beyond about $1/\\delta$ can be "
        "excluded: to publish a random example is $(0, \\frac1m)$-private.\n\n"
        "One step is exact, over all bases $b$ of a whole number of bits. More steps are bounded from above, so "
        "the number is never too large. They matter only beyond $d = 10^6$."
    )
    applies_to = "every proper (ε, δ)-private learner that succeeds on every distribution"
    applies_briefly = "every proper (ε, δ)-private learner, worst distribution"
    whom = Whom(privacy=("approximate",), proper=True, unlabelled=False)
    validity = "for α < 1/2"

    def least(self, at: Cell) -> BoundValue:
        """Return the least m that no number of steps excludes."""
        found = learner(
            Domain.of_bits(at.d), epsilon=at.epsilon, delta=at.delta, alpha=at.alpha, beta=at.beta
        )
        if not found.m:
            return BoundValue(None, f"more than {SEARCH_LIMIT:.0e}: not searched further")
        return BoundValue(found.m, note="" if found.steps else f"says nothing at d = {at.d}")

    def over(self, at: Cell, m: int) -> float | None:
        """Return the log odds of the limit less those of 1 - beta: below 0 where m is excluded."""
        if at.alpha >= 0.5:
            return super().over(at, m)
        reached, lost = (
            np.array(one)
            for one in most_success(
                Domain.of_bits(at.d), m, epsilon=at.epsilon, delta=at.delta, alpha=at.alpha, beta=at.beta
            )
        )  # fmt: skip
        return float(over_allowed(at.beta, lambda: reached, lambda: lost))

    def leasts_over(self, log2_d: ArrayLike, at: Cell) -> NDArray[np.int64]:
        """Return the least m at every L, where a point has 2^L - 1 bits; `at.d` is not read.

        Parameters
        ----------
        log2_d : array_like of float
            L, in [1, 2^32].
        at : Cell

        Returns
        -------
        ndarray of int64
            0 where it is more than 10^12.

        Raises
        ------
        InputError
            For an L outside.
        """
        places, back = np.unique(np.asarray(log2_d, dtype=np.float64), return_inverse=True)
        found = learners(
            [Domain.of_log2_bits(place) for place in places.tolist()],
            epsilon=at.epsilon, delta=at.delta, alpha=at.alpha, beta=at.beta,
        )  # fmt: skip
        return np.array([one.m for one in found], dtype=np.int64)[back].reshape(np.shape(log2_d))

    def limit(self, setting: Setting) -> NDArray[np.float64]:
        """Return the largest success probability, on average over the targets of one construction."""
        found = [
            most_success(
                Domain.of_bits(d), m, epsilon=epsilon, delta=setting.delta, alpha=setting.alpha,
                beta=setting.beta,
            )[0]
            for m, d, epsilon in setting.cells()
        ]  # fmt: skip
        return np.array(found).reshape(setting.shape)
