"""Learners with a number of their own: a privacy slack, or a budget of unlabelled examples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Learner


@dataclass(frozen=True)
class WithSlack:
    """A learner whose privacy slack is its own parameter; comes before `Learner` among the bases.

    Parameters
    ----------
    delta : float
        The privacy slack, in [0, 1/2); a learner that cannot do without says so by its default.
    """

    delta: float = 0.0

    def at(self, delta: float) -> Self:
        """Return the learner for a privacy slack."""
        return replace(self, delta=delta)

    @property
    def privacy_slack(self) -> float:
        """The privacy slack that it claims."""
        return self.delta


@dataclass(frozen=True)
class WithUnlabelled:
    """A learner that takes u unlabelled examples; comes before `Learner` among the bases.

    Parameters
    ----------
    u : int
        How many, at least 0; its default is the learner's own number.

    Attributes
    ----------
    tiny_u : int
        How many of the examples of `tiny` are unlabelled where its privacy is audited.
    """

    u: int = 1000
    tiny_u: ClassVar[int] = 1

    @property
    def unlabelled(self) -> int:
        """How many unlabelled examples it takes."""
        return self.u

    def beside(self, u: int) -> Self:
        """Return the learner with u unlabelled examples; itself for 0."""
        return replace(self, u=u) if u else self

    def audited(self) -> Self:
        """Return the variant for the tiny instance."""
        return replace(self, u=self.tiny_u)


def beside(learner: Learner) -> str:
    """Return a remark on the unlabelled examples of a learner; empty where it takes none."""
    return f"takes u = {learner.unlabelled:,} unlabelled examples too" if learner.unlabelled else ""


def own_slack(learner: Learner, delta: float) -> str:
    """Return a remark on the slack that replaces delta = 0 where a learner needs one; else nothing."""
    own = learner.at(0.0).privacy_slack
    if delta > 0.0 or not own:
        return ""
    return f"with delta = 0 {learner.name} uses its own delta, {own:g}"


def remarks(learner: Learner, delta: float) -> str:
    """Return remarks on the slack that replaces delta = 0, and on unlabelled examples; mostly nothing."""
    return joined(own_slack(learner, delta), beside(learner))


def joined(*texts: str | None) -> str:
    """Return the remarks that are not empty as one."""
    return "; ".join(filter(None, texts))
