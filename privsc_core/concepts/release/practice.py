"""Kinds of questions about data release alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privsc_core.concepts.contracts.practice import exercise, number, written

if TYPE_CHECKING:
    from privsc_core.concepts.contracts.practice import Asked, Exercise


@exercise("scale-of-histogram", "run")
def _scale(at: Asked) -> Exercise | None:
    e, d = at.cell.epsilon, at.cell.d
    return number(
        f"A histogram counts how many entries of a database are in each of 2 to the power {d} cells. One entry is replaced. Which "
        f"scale must Laplace noise have on each count, for ε = {written(e)}?",
        (2 / e, "Right: one count falls by 1 and another one grows by 1, a change of 2 in sum."),
        (
            1 / e,
            "That is enough where an entry is added or removed. Replacing it changes two counts.",
        ),
        (2.0 ** min(d, 900) / e, "Only two counts change, however many cells there are."),
        (4 / e, "Each of two counts changes by 1, not by 2."),
        (e / 2, "That is one over the scale."),
    )


@exercise("empty-cells", "run")
def _empty(at: Asked) -> Exercise | None:
    e, d, reach = at.cell.epsilon, at.cell.d, at.cell.alpha * at.m
    log_found = d * math.log(2.0) - math.log(2.0) - 0.5 * e * reach
    if not math.log(1e-4) < log_found < math.log(1e9):
        return None
    found = math.exp(log_found)
    return number(
        f"A Laplace histogram with noise of scale 2/ε has 2 to the power {d} cells, nearly all of them empty. In about how many empty "
        f"cells is the noise at least αm = {written(reach)}?",
        (found, "Right: half of e to the power −εαm/2, for each cell."),
        (found * 2.0**-d, "That is the chance for a single cell."),
        (math.exp(max(log_found - 0.5 * e * reach, -700.0)), "That takes noise of scale 1/ε."),
        (0.0, "That would be so if no noise were ever so large."),
        (2.0 ** (d - 1), "In half of the cells the noise is positive, but not always so large."),
        form="in {}",
    )  # fmt: skip


@exercise("stable-threshold", "run", lambda at: 0.0 < at.cell.delta < 0.5)
def _threshold(at: Asked) -> Exercise | None:
    e, slack = at.cell.epsilon, at.cell.delta
    return number(
        f"A stability histogram adds noise of scale 2/ε to the counts of the entries that it has seen, and hides noisy counts below a "
        f"threshold. An entry that is seen once may pass with probability δ = {written(slack)} only. What is the threshold?",
        (1 + 2 / e * math.log(1 / (2 * slack)), "Right: 1 + (2/ε) ln(1/(2δ)). It does not depend on the number of cells."),
        (2 / e * math.log(2.0) * at.cell.d, "A threshold for all empty cells would grow with d. Cells that were not seen are never shown."),
        (1 + 2 / (e * slack), "That has 1/δ in place of its logarithm."),
        (1 + 2 / e, "Noise exceeds its scale far too often."),
        (1.0, "The noisy count of a single entry passes 1 with probability one half."),
    )  # fmt: skip


KINDS = (_scale, _empty, _threshold)
