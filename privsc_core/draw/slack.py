"""What figures and controls say of the privacy slack: which learners have one, and what it may cost.

A learner that publishes one example with probability delta is (0, delta)-private: of m examples up
to m delta are then published, so that a delta of 1/m or more promises nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.contracts.style import PALE
from privsc_core.draw.style import integer, number
from privsc_core.draw.traces import UNLISTED, hover

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from privsc_core.draw.traces import Trace
    from privsc_core.evaluate.curves import Curve
    from privsc_core.evaluate.scenario import Scenario

_WORDS = "mδ ≥ 1: that many examples may be published"


def slack_of(curve: Curve, scenario: Scenario) -> float:
    """Return the slack with which the learner of a curve is private; 0 for none."""
    entry = next(e for e in scenario.concept_class.learners if e.name == curve.name)
    return entry.at(scenario.delta).privacy_slack


def named(curve: Curve, scenario: Scenario) -> str:
    """Return the name of a learner in a legend: one that is not purely private says its slack."""
    slack = slack_of(curve, scenario)
    return f"{curve.title} (δ = {number(slack)})" if slack else curve.title


def spent(samples: float, slack: float) -> bool:
    """Return whether so many examples are too many for a slack."""
    return samples * slack >= 1.0


def parted(trace: Trace, samples: ArrayLike, slack: float) -> list[Trace]:
    """Return a learner's line, grey where it has too many examples for its slack.

    Parameters
    ----------
    trace : dict
        A line.
    samples : array_like
        The number of examples at each of its points, or at all of them.
    slack : float
        0 for a learner without one.
    """
    y = np.asarray(trace["y"], dtype=np.float64)
    beyond = np.broadcast_to(
        np.nan_to_num(np.asarray(samples, dtype=np.float64)) * slack >= 1.0, y.shape
    )
    if not beyond.any():
        return [trace]
    # One point more on either side, so that the parts meet.
    reach = beyond.copy()
    reach[1:] |= beyond[:-1]
    reach[:-1] |= beyond[1:]
    grey: dict[str, Any] = {
        "y": np.where(reach, y, np.nan), "uid": f"{trace['uid']}-published",
        "line": trace["line"] | {"color": PALE},
    }  # fmt: skip
    return [
        trace | {"y": np.where(beyond, np.nan, y)},
        trace | UNLISTED | grey | hover(_WORDS, f"{trace['name']}, {_WORDS}"),
    ]


def below_slider(delta: float, samples: int | None) -> str:
    """Return what stands below the control of delta; `samples` is None where m is on an axis."""
    if delta == 0.0:
        return "δ = 0: every private learner here is purely private, but for those whose names have a δ."
    if samples is None:
        return f"Up to mδ examples may be published: one from m = {integer(1.0 / delta)} on (grey)."
    often = samples * delta
    said = f"mδ = {number(float(f'{often:.3g}'))}: up to so many examples may be published."
    return f"{said} That is no privacy: such curves are grey." if often >= 1.0 else said
