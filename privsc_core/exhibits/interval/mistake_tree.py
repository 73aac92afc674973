"""The mistake tree of INTERVAL_d: binary search, and why Littlestone's dimension is d.

Feldman and Xiao 2014, Sections 2.5 and 4. Each node asks for the label of one point; a leaf is a
concept that agrees with every answer on its path. The T concepts c_2, ..., c_{T+1} are the leaves
of a complete tree of depth d (c_1 is not needed, and point 1, where they agree, is never asked).
"""

from __future__ import annotations

from privsc_core.errors import InputError
from privsc_core.parameters import scalar

__all__ = ["consistent", "query"]


def consistent(answers: str, d: int) -> tuple[int, int]:
    """Return the first and the last j of the concepts c_j that agree with the answers.

    Parameters
    ----------
    answers : str
        The answers so far as bits, at most d of them: "1" says that the point asked has label 1.
    d : int
        Bits of a point.

    Returns
    -------
    first, last : int
        2^(d - len(answers)) concepts, so one concept after d answers.
    """
    bits = int(scalar("d", d))
    if set(answers) - {"0", "1"} or len(answers) > bits:
        raise InputError("answers", f"must be at most {bits} bits", answers)
    # c_j has label 1 below j: answer 1 keeps the upper half, which reads j - 2 bit by bit.
    prefix = int(answers, 2) if answers else 0
    width = 1 << (bits - len(answers))
    return 2 + prefix * width, 1 + (prefix + 1) * width


def query(answers: str, d: int) -> int:
    """Return the point that the node after these answers asks for (FX14, Section 2.5).

    Half of the concepts that are left give it label 1, so whatever a learner predicts, the
    other label is still possible: d mistakes in a row.

    Raises
    ------
    InputError
        Also when d answers were given: that is a leaf, there is nothing left to ask.
    """
    first, last = consistent(answers, d)
    if first == last:
        raise InputError("answers", f"must be fewer than {d} bits to leave a question", answers)
    return (first + last) // 2
