"""Which learners, bounds and distributions a suite can test by their second writing."""

from tests.classes import known, target_of
from tests.core.support import BOUNDS, CLASS_LAWS, DISTRIBUTIONS, LEARNERS

# A given database has no target concept, no labels and no error of a hypothesis.
LABELLED = [p for p in LEARNERS if p.values[1].labelled and known(p.values[0]).is_concept]
TARGETED = [p for p in DISTRIBUTIONS if target_of(p.values[1])]
NUMBERED = [
    p
    for p in BOUNDS
    if p.values[1].name in known(p.values[0]).holds
    or p.values[0].certified.certifies(p.values[1].name)
]
ENUMERATED = [
    p
    for p in CLASS_LAWS
    if target_of(p.values[2]) or p.values[1].name in known(p.values[0]).enumerators
]
