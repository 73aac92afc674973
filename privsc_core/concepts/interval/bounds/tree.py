"""What the learner `tree` guarantees, for every distribution and target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Source
from privsc_core.concepts.generic.search import SearchBound
from privsc_core.concepts.interval.rungs import Scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Cell, Learner, Setting

__all__ = ["TreeBound"]

_WITHOUT = "says nothing for delta = 0: the learner needs a delta in (0, 0.5)"


class TreeBound(SearchBound):
    """C / (C + g) + 2 (d+1) E[(e^{eps (v - X) / 2} - 1)^+] / (C + g), X ~ Bin(m, alpha)."""

    name = "tree"
    title = "Tree of thresholds"
    legend = "Guaranteed: tree of thresholds"
    source = Source("ours", "every distribution and target")
    without = ()
    kind = "upper"
    constants = "sharp"
    statement = (
        r"\frac{C}{C+g}+\frac{2(d+1)}{C+g}\;\mathbb{E}_{X\sim\mathrm{Bin}(m,\alpha)}"
        r"\bigl(e^{\varepsilon(v-X)/2}-1\bigr)^{+}\le\beta,\quad "
        r"C=(d+1)\max\Bigl(1,\tfrac{e^{\varepsilon/2}-1}{\delta}\Bigr),\ g=e^{\varepsilon u/2}-1,\ v=3u-1"
    )
    derivation = (
        "$u$ is the least whole number with $C/(C+g) \\le \\beta/2$. On a sample that a threshold "
        "fits some candidate scores at least $u$: take the deepest node $t$ of the tree with "
        "$D(A), -D(B) \\ge 2u$, which exists as the root has $D(0) = \\infty$, $D(2T) = -\\infty$. "
        "Neither of its two halves qualifies, so $|D(t)| \\le 2u-1$, and where the sample is "
        "consistent $E(t) = |D(t)|$ (a leaf is the one consistent threshold, $E = 0$): "
        "$v - E(t) \\ge u$.\n\n"
        "So all weights sum to at least $C + g$, and the lump comes out with probability at most "
        "$C/(C+g)$. A bad threshold below the target errs on a set of mass above $\\alpha$, and all "
        "those below it err on more: each scores at most $v - E$ with $E$ at least a "
        "$X \\sim \\mathrm{Bin}(m, \\alpha)$ that the side shares. The same above. There are at most "
        "$d+1$ candidates. $\\square$\n\n"
        "About $\\alpha m \\approx \\frac{2}{\\varepsilon}\\bigl[2\\log\\frac{(d+1)\\varepsilon}"
        "{2\\delta\\beta}+\\log\\frac{d+1}{\\beta}\\bigr]$: the logarithm of the bits, beside that of "
        "$1/\\delta$."
    )
    applies_to = "the learner tree"
    validity = "for δ > 0"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner."""
        return learner.name == "tree"

    def silent(self, at: Cell) -> str:
        """Return that nothing is said without a slack."""
        return _WITHOUT if at.delta == 0.0 else ""

    def limit(self, setting: Setting) -> NDArray[np.float64] | None:
        """Return the success probability that is promised; none without a slack."""
        return None if setting.delta == 0.0 else self.success(setting)

    def success(self, setting: Setting) -> NDArray[np.float64]:
        """Return 1 minus the bound on failure, at least 0."""
        return np.asarray(np.maximum(1.0 - self.failure(setting), 0.0))

    def failure(self, setting: Setting) -> NDArray[np.float64]:
        """Return the bound on failure, at most 1."""
        d, epsilon = np.broadcast_arrays(setting.d, setting.epsilon)
        scales = [
            Scale.of(d=bits, epsilon=loss, beta=setting.beta, delta=setting.delta)
            for bits, loss in zip(d.ravel().tolist(), epsilon.ravel().tolist(), strict=True)
        ]
        lump, gain = (
            np.array(column).reshape(d.shape)
            for column in zip(
                *((scale.log_lump, float(scale.log_gain(scale.enough))) for scale in scales),
                strict=True,
            )
        )
        most = np.array([scale.most for scale in scales]).reshape(d.shape)
        total = np.logaddexp(lump, gain)
        wrong = np.log(2.0 * (d + 1.0)) + _log_mean_gain(
            setting.m, setting.alpha, 0.5 * epsilon, most
        )
        return np.asarray(
            np.minimum(np.exp(lump - total) + np.exp(np.minimum(wrong - total, 1.0)), 1.0)
        )

    def guess(self, at: Cell) -> float:
        """Return about v / alpha."""
        scale = Scale.of(d=at.d, epsilon=at.epsilon, beta=at.beta, delta=at.delta)
        return scale.most / at.alpha


def _log_mean_gain(
    m: NDArray[np.int64],
    alpha: float,
    rate: NDArray[np.float64],
    most: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return log E[(e^{rate (v - X)} - 1)^+] for X ~ Bin(m, alpha), v = most.

    The first term is e^{rate v} (1 - alpha + alpha e^-rate)^m times Pr[X' < v] for the X' whose
    success probability is tilted by e^-rate; the second Pr[X < v].
    """
    kept = -np.expm1(-rate)
    shrink = np.log1p(-alpha * kept)
    tilted = np.exp(np.log(alpha) - rate - shrink)
    count = m.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = rate * most + count * shrink + np.log(_below(most, count, tilted))
        second = np.log(_below(most, count, alpha))
        rest = -np.expm1(np.minimum(second - first, 0.0))
        return np.asarray(np.where(np.isfinite(first), first + np.log(rest), -np.inf))


def _below(
    most: NDArray[np.int64], count: NDArray[np.float64], chance: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return Pr[X < most] for X ~ Bin(count, chance), right relative to itself."""
    found = special.betainc(np.maximum(count - most + 1.0, 1.0), most, 1.0 - chance)
    return np.where(most > count, 1.0, found)
