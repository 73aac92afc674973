"""`dimensions`: the dimensions of a concept class that a file or a word gives, or of one of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core.cli.examples import read_text
from privsc_core.cli.numbers import number
from privsc_core.finite import dimensions, from_code, from_text, ready
from privsc_core.finite.families import priced_at

if TYPE_CHECKING:
    import argparse

    from privsc_core.cli.formats import Record
    from privsc_core.finite import FiniteClass


def records(options: argparse.Namespace) -> list[Record]:
    """Return a record a dimension, then one a bound on samples."""
    epsilon, alpha, beta = (
        float(number(name, getattr(options, name))) for name in ("epsilon", "alpha", "beta")
    )
    if options.family:
        return priced_at(options.file, epsilon=epsilon, alpha=alpha, beta=beta)
    return dimensions(_class(options), epsilon=epsilon, alpha=alpha, beta=beta).records()


def _class(options: argparse.Namespace) -> FiniteClass:
    """Return the class of a file, of a word (``--ready``) or of a link's text (``--code``)."""
    if options.ready:
        return ready(options.file)
    if options.code:
        return from_code(options.file)
    return from_text(read_text(options.file, "must have a row of 0 and 1 for each concept"))
