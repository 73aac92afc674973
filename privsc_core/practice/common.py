"""What several kinds of questions share: whom they speak of, and numbers in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import Choice, choose
from privsc_core.numerics.text import small

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privsc_core.concepts.contracts import Bound, Learner
    from privsc_core.concepts.contracts.practice import Asked, Exercise

_WORDS = {"epsilon": "ε", "alpha": "α", "beta": "β", "delta": "δ"}


def private(at: Asked) -> list[Learner]:
    """Return the private learners with an exact law."""
    return [one for one in at.learners if one.privacy != "none"]


def growing(at: Asked) -> list[Learner]:
    """Return private learners whose numbers depend on the size of the class."""
    return [one for one in private(at) if "d" not in one.idle(at.law)][:3]


def free(at: Asked) -> Learner | None:
    """Return the first learner without privacy."""
    return next((one for one in at.learners if one.privacy == "none"), None)


def numbers(at: Asked, among: Sequence[Learner]) -> list[tuple[Learner, int]]:
    """Return the learners that have a least m, with it."""
    found = ((one, at.least(one)) for one in among)
    return [(one, m) for one, m in found if m is not None]


def symbol(at: Asked, name: str) -> str:
    """Return the symbol of a parameter of the setting."""
    return at.concept.size.symbol if name == "d" else _WORDS[name]


def value(of: float) -> str:
    """Return the value of a parameter in words."""
    return small(of) if of < 1.0 else f"{of:,.4g}" if of % 1 else f"{of:,.0f}"


def times(ratio: float) -> str:
    """Return a factor in words."""
    if ratio < 9.95:
        return f"{ratio:,.2g} times"
    return f"{ratio if ratio < 1e4 else float(f'{ratio:.3g}'):,.0f} times"


def factor(ratio: float, said: str) -> Choice:
    """Return the answer that something is so many times as much."""
    return Choice(f"A factor of about {times(ratio).removesuffix(' times')}", said, ratio)


def strongest(at: Asked, learner: Learner, *, proved: bool = False) -> tuple[Bound, int] | None:
    """Return the lower bound that excludes most of what a learner is bound by, with its number.

    Where it must be `proved` on the distribution: a bound may be proved for another one, the worst case.
    """
    found = [
        (one, at.number(one)) for one in at.bounds
        if one.kind == "lower" and one.binds(learner)
        and (not proved or at.law.name in one.proved_on)
    ]  # fmt: skip
    known = [(one, m) for one, m in found if m is not None]
    return max(known, key=lambda one: one[1]) if known else None


def ratio_of(
    sentence: str,
    ratio: float,
    said: str,
    *wrong: tuple[float | None, str],
    **about: object,
) -> Exercise | None:
    """Return a question for a factor, with the facts beside each; wrong ones near the right one are left out."""
    kept = [
        factor(other, f"{why} {said}") for other, why in wrong
        if other is not None and max(other, ratio) >= 1.25 * min(other, ratio) > 0
    ]  # fmt: skip
    return choose(sentence, factor(ratio, f"Right. {said}"), *kept, about=about)
