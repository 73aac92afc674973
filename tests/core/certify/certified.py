"""Random settings, extreme ones among them, of every number that has a certified route."""

from __future__ import annotations

import random

from privsc_core import catalog
from privsc_core.errors import InputError
from privsc_core.evaluate.certificate import Question, lacking

__all__ = ["answered", "questions", "routes"]

_DOMAINS = (1, 2, 3, 4, 5, 8, 12, 16, 24, 64, 200, 1024, 10**6)


def routes():
    """Return (class, learner, distribution, "") and (class, "", "", bound) of all routes."""
    found = []
    for concept in catalog.CONCEPTS:
        own = concept.certified
        found += [(concept.name, learner, law, "") for learner, law in own.success]
        found += [(concept.name, "", "", bound) for bound in (*own.limits, *own.excess)]
    return found


def answered(rng, concept, learner, law, bound, *, least, large):
    """Return a random question: a few decimals each, at the edges now and then."""
    edge = rng.random() < 0.2
    epsilon = 10 ** (rng.uniform(-4, 2) if edge else rng.uniform(-1.5, 0.7))
    beta = rng.choice([1e-12, 1e-30, 1e-5, 0.9999, 0.75]) if edge else rng.uniform(0.001, 0.45)
    asked = {
        "m": None if least else int(10 ** rng.uniform(0, (5.5 if edge else 3.7) - (not large))),
        "d": rng.choice(_DOMAINS if large else _DOMAINS[:-2]),
        "epsilon": float(f"{epsilon:.3g}"),
        "alpha": float(f"{rng.uniform(0.004, 0.65 if edge else 0.33):.2g}"),
        "beta": float(f"{beta:.3g}"),
        "delta": rng.choice([0.0, 0.0, 1e-6, 1e-15, 0.01]),
    }
    if learner and catalog.learner(concept, learner).unlabelled:
        asked["u"] = int(10 ** rng.uniform(0, 5 if large else 3))
    return Question(concept, learner, bound, law, **asked)


def questions(count, seed=1, *, large=True, classes=()):
    """Yield ((class, number), its questions); what does not exist is drawn again.

    `classes` chooses among them, by name or, as in point:generic, a learner or bound too.
    """
    for concept, learner, law, bound in routes():
        if classes and not {concept, f"{concept}:{learner or bound}"} & set(classes):
            continue
        rng = random.Random(f"{seed} {concept} {learner} {law} {bound}")  # noqa: S311 - settings
        limit = bool(bound) and bound in catalog.concept(concept).certified.limits
        for least in [False, True] if limit or (learner and large) else [not learner]:
            asked = []
            for _ in range(50 * count):
                if len(asked) == count:
                    break
                try:
                    question = answered(rng, concept, learner, law, bound, least=least, large=large)
                except InputError:
                    continue
                if not lacking(question):
                    asked.append(question)
            words = (f"{learner} on {law}" if learner else bound) + (", least m" if least else "")
            yield (concept, words), asked
