"""What the paper's own learner with a slack asks for."""

from __future__ import annotations

import math

from privsc_core.concepts.contracts import Bound, BoundValue, Cell, Learner, Source

__all__ = ["Theorem61", "asked"]

_FAILS = 0.25  # how often a run may fail, and what its share of delta is
_VALUES = 6.0  # times 1 / _FAILS: of how many sizes of a block one is drawn
_MOST = 2**62


def asked(at: Cell, values: float = _VALUES) -> int:
    """Return the examples that the proof asks for: runs, blocks, the largest block; and a selection.

    Parameters
    ----------
    at : Cell
        With a delta in (0, 1).
    values : float
        6 as the paper has it, 16 once its Claim 6.3 is corrected; the sizes are 4 times as many.
    """
    runs = math.ceil(math.log(2.0 / at.beta) / math.log(4.0 / 3.0))
    noise = 12.0 / at.epsilon * math.log(2.0 / (at.delta * _FAILS)) + 13.0
    blocks = math.ceil(max(noise, 72.0 * math.log(16.0)))
    size = math.floor(math.log2(math.log(1.5) / (at.alpha / 4.0)) + values / _FAILS)
    chosen = math.ceil(16.0 / (at.alpha * at.epsilon) * math.log(4.0 * runs / at.beta))
    return (runs * blocks << size) + chosen


class Theorem61(Bound):
    """k runs of l blocks of up to 2^i examples, and a private choice among what they say."""

    name = "theorem-6.1"
    title = "Theorem 6.1"
    source = Source("FX14", "Theorem 6.1, the numbers of its proof as printed")
    without = ("d",)
    kind = "upper"
    constants = "paper"
    statement = (
        r"m = k\,\ell\,2^{\lfloor u+24 \rfloor} + \tfrac{16}{\alpha\varepsilon}\ln\tfrac{4k}{\beta},\quad "
        r"k=\Bigl\lceil\tfrac{\ln(2/\beta)}{\ln(4/3)}\Bigr\rceil,\ \ell=\Bigl\lceil\max\bigl(\tfrac{12}"
        r"{\varepsilon}\ln\tfrac{8}{\delta}+13,\ 72\ln 16\bigr)\Bigr\rceil,\ u=\log_2\tfrac{4\ln(3/2)}{\alpha}"
    )
    derivation = (
        "The paper's learner draws the size of its blocks at random from powers of two, $2^i$ for $i$ from "
        "$u$ to $u+24$, which makes one answer the likeliest; then it proposes, tests and releases, $k$ "
        "times over, and chooses. It must have examples for the largest size.\n\n"
        "**As printed.** Claim 6.3 counts 3 bad sizes; there may be 8, so that the proof needs 64 sizes in "
        "place of 24, and $2^{40}$ times as many examples: $1.3\\cdot10^{24}$ in place of $1.2\\cdot10^{12}$ at "
        "$\\alpha=\\beta=0.1$, $\\varepsilon=0.5$, $\\delta=10^{-6}$. The number printed here is a true one "
        "all the same, for another learner: the vote of blocks of one size is guaranteed at far fewer. "
        "Nobody needs a unique likeliest answer when a good share of the votes and a small one of every bad "
        "answer will do. $\\square$"
    )
    applies_to = (
        "some (ε, δ)-private learner, on every distribution and at every p: the vote; for the paper's own "
        "learner the proof gives 2⁴⁰ times the number"
    )
    validity = "for δ > 0 and α < 1/2"

    def binds(self, learner: Learner) -> bool:
        """Tell whether the bound speaks about this learner: the vote, which needs far less."""
        return learner.name == "vote"

    def least(self, at: Cell) -> BoundValue:
        """Return the number of examples."""
        if at.delta == 0.0:
            return BoundValue(None, "says nothing for delta = 0: it needs a delta above 0")
        if at.alpha >= 0.5:
            return BoundValue(None, "needs alpha < 1/2")
        found, right = asked(at), asked(at, 16.0)
        if found > _MOST:
            return BoundValue(None, f"asks for {found:.1e} samples: more than are reckoned with")
        return BoundValue(found, note=f"as printed; {right:.1e} once Claim 6.3 is corrected")
