"""What a referee reports: single comparisons, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """One claim of a bound beside what is true.

    Attributes
    ----------
    concept, bound : str
        Names.
    claim : {"limit", "samples"}
        A success probability at given m, or a number of samples at given beta.
    where : str
        The family or distribution, and for whom.
    setting : dict
        d, m, epsilon, alpha, and what else matters.
    claimed, found : float
        What the bound says, and the witness against which it is held.
    margin : float
        By how much the claim is kept.
    slack : float
        What the arithmetic may be off by: beyond it a negative margin refutes the bound.
    """

    concept: str
    bound: str
    claim: str
    where: str
    setting: dict
    claimed: float
    found: float
    margin: float
    slack: float = 0.0

    @property
    def false(self):
        """Whether the bound is refuted (where it is no number, too)."""
        return not self.margin >= -self.slack

    def __str__(self):
        said = " ".join(f"{k}={v:g}" for k, v in self.setting.items())
        return (
            f"{self.concept} {self.bound} [{self.where}] {said}: "
            f"{self.claim} {self.claimed:.10g}, found {self.found:.10g}"
        )


class Tally:
    """Comparisons counted per bound, and everything that is false."""

    def __init__(self):
        self.count = {}
        self.false = []

    def add(self, comparisons):
        """Take in comparisons and return the false ones among them."""
        found = []
        for one in comparisons:
            key = (one.concept, one.bound, one.claim)
            self.count[key] = self.count.get(key, 0) + 1
            if one.false:
                found.append(one)
        self.false += found
        return found
