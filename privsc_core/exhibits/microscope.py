"""One run of a learner, taken apart: what its steps say, what they show, how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privsc_core.draw.microscope_figures import step_figure, step_height
from privsc_core.evaluate.microscope import examine

if TYPE_CHECKING:
    from privsc_core.draw.picture import Picture


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """One step.

    Attributes
    ----------
    title, words : str
    picture : Picture or None
        Some steps need none.
    height : int
        Of the picture, in pixels.
    """

    title: str
    words: str
    picture: Picture | None
    height: int


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """A run as a page shows it: small enough to be kept, see `Examination` for all of it.

    Attributes
    ----------
    steps : tuple of Told
    labelled : bool
        Whether the learner looks at labels.
    answered : bool
        Whether the output is not ⊥.
    error : float or None
        None where it is unknown.
    succeeded : bool or None
    barely : bool
        Whether it failed by an error that is alpha when rounded.
    chance : float or None
        The probability that such a run succeeds.
    m, d, epsilon, alpha, seed
        The setting.
    """

    steps: tuple[Told, ...]
    labelled: bool
    answered: bool
    error: float | None
    succeeded: bool | None
    barely: bool
    chance: float | None
    m: int
    d: int
    epsilon: float
    alpha: float
    seed: int


def watched(
    *,
    concept: str,
    learner: str,
    distribution: str,
    m: int,
    d: int,
    epsilon: float,
    alpha: float,
    beta: float,
    delta: float,
    seed: int,
) -> Watched:
    """Run a learner once and draw its steps, see `examine`.

    Raises
    ------
    InputError
        As `examine` does.
    """
    run = examine(
        concept=concept, learner=learner, distribution=distribution, m=m, d=d, epsilon=epsilon,
        alpha=alpha, beta=beta, delta=delta, seed=seed,
    )  # fmt: skip
    steps = tuple(
        Told(step.title, step.words, step_figure(run, step), step_height(step))
        for step in run.steps
    )
    return Watched(
        steps=steps, labelled=run.learner.labelled, answered=not run.failed_to_answer,
        error=run.error, succeeded=run.succeeded, barely=run.barely, chance=run.chance,
        m=run.m, d=run.d, epsilon=run.epsilon, alpha=run.alpha, seed=run.seed,
    )  # fmt: skip
