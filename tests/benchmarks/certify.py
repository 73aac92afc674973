"""Floating point against ball arithmetic, at random settings, the extreme ones included.

Every number that has a certified route: learners' success and bounds' limits at 200 settings each,
and the least m of bounds. A disagreement is a difference of more than 1e-12 from the enclosure, or
another least m. Prints a line each; how many have no certificate at a setting is told. Names of
classes after the number of settings choose among them; point:generic is one learner or bound.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction

from privsc_core.errors import InputError
from privsc_core.evaluate.certificate import AGREEMENT, certify
from tests.core.certify.test_certify import questions, routes


def certified(settings: int = 200, *classes: str) -> list[dict]:
    """Print the table, of all classes or of some, and return the disagreements.

    A name that nothing answers to is refused: nothing asked is not nothing found.
    """
    known = {concept for concept, *_ in routes()}
    known |= {f"{concept}:{learner or bound}" for concept, learner, _, bound in routes()}
    if unknown := set(classes) - known:
        sys.exit(f"certify: no number has a certified route of the name {', '.join(unknown)}")
    print(f"{'class':20}{'number':34}{'asked':>6}{'none':>6}{'worst':>10}{'beyond':>8}{'s':>8}")
    bad = []
    for who, asked in questions(settings, classes=classes):
        start, worst, beyond, none, count = time.perf_counter(), 0.0, 0, 0, 0
        for question in asked:
            try:
                found = certify(question)
            except InputError:  # the setting does not exist
                continue
            count += 1
            if found["claim"] is None:
                none += 1
                continue
            if found["claim"] == "success":
                value = Fraction(found["computed"])
                off = max(Fraction(found["low"]) - value, value - Fraction(found["high"]))
                worst = max(worst, float(off))
            if not found["agrees"]:
                beyond += 1
                bad.append(found)
        seconds = time.perf_counter() - start
        print(
            f"{who[0]:20}{who[1]:34}{count:6}{none:6}{worst:10.1e}{beyond:8}{seconds:8.1f}",
            flush=True,
        )
    print(f"{len(bad)} disagreements beyond {AGREEMENT:g}")
    for found in bad[:20]:
        print({key: value for key, value in found.items() if value is not None})
    return bad
