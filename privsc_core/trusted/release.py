"""A release: a learner on people's data, on trusted noise, with its receipt."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts import Cell
from privsc_core.errors import InputError
from privsc_core.trusted import budget as budgets
from privsc_core.trusted.noise import Noise, library, software

if TYPE_CHECKING:
    from privsc_core.concepts.contracts import Learner
    from privsc_core.concepts.shared.hypotheses import Hypothesis
    from privsc_core.concepts.shared.sample import Sample
    from privsc_core.trusted.noise import Drawn

FORMAT = "privsc receipt 1"
ADJACENCY = {
    "full": "one example replaced by another",
    "label": "the label of one example flipped; the points are public",
}
PUBLIC = {
    "full": "the number of examples m, d, alpha, beta, epsilon and delta",
    "label": "all points, and the number of examples m, d, alpha, beta, epsilon and delta",
}


@dataclass(frozen=True)
class Released:
    """What came out, and what there is to say about it without the data.

    Attributes
    ----------
    hypothesis : Hypothesis
    drawn : Drawn
        The noise.
    statement : dict
        Adjacency, epsilon, delta, what was assumed public, the noise and the software.
    left : dict or None
        What is left of the budget, where there is one.
    """

    hypothesis: Hypothesis
    drawn: Drawn
    statement: dict[str, object]
    left: dict[str, float] | None


def check(learner: Learner) -> None:
    """Refuse a learner whose output would not be a release, and a machine without the library.

    Raises
    ------
    InputError
        See above.
    """
    if learner.privacy == "none":
        wanted = "must be private for a release (--simulate runs any)"
    elif not learner.releases:
        wanted = "must be one whose noise can be drawn exactly (--simulate runs any)"
    else:
        library()
        return
    raise InputError("learner", wanted, learner.name)


def release(
    learner: Learner,
    sample: Sample,
    *,
    epsilon: float,
    alpha: float,
    beta: float,
    words: dict[str, object],
    budget: str | None = None,
) -> Released:
    """Run a learner of the catalog, at its delta, with noise that cannot be repeated.

    Parameters
    ----------
    learner, sample, epsilon, alpha, beta
        As for `Learner.run`.
    words : dict
        What the budget file says beside the amounts.
    budget : str, optional
        The budget file, which is charged before the first noise is drawn.

    Raises
    ------
    InputError
        For a learner without a release, a setting that it or the library refuses, and a budget that
        has not that much left: then nothing is drawn.
    """
    check(learner)
    delta, adjacency = learner.privacy_slack, learner.adjacency
    left: dict[str, float] | None = None

    def spend() -> None:
        nonlocal left
        if budget is not None:
            left = budgets.spend(
                budget, epsilon=epsilon, delta=delta, adjacency=adjacency, words=words
            )

    noise = Noise(epsilon, spend)
    hypothesis = learner.release(sample, Cell(sample.d, epsilon, alpha, beta), noise)
    if noise.drawn is None:
        msg = f"{learner.name} released something without noise"
        raise RuntimeError(msg)
    statement: dict[str, object] = {
        "format": FORMAT,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "adjacency": ADJACENCY[adjacency],
        "epsilon": epsilon,
        "delta": delta,
        "public": PUBLIC[adjacency],
        "noise": asdict(noise.drawn),
        "software": software(),
    }
    return Released(hypothesis, noise.drawn, statement, left)
