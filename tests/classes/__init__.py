"""What the tests know of a concept class, written a second time: one module a class.

It is called as the class, with underscores for dashes, and holds `KNOWN`, a `Known`. Nothing lists
these modules: suites ask `known(concept)` for the class that they are about, and ask nobody by the
bare name of a learner or a bound, which is unique inside its class only. A class without a module
gets the suites that need none, and tests/core/concepts/contracts/test_classes.py
says what is missing.
"""

import functools
import importlib
import importlib.util

from privsc_core.catalog import CONCEPTS
from privsc_core.evaluate import certificate
from tests.classes.known import Known


def module_of(concept):
    """Return the name of the module about a class."""
    return f"{__name__}.{concept.name.partition('(')[0].replace('-', '_')}"


@functools.cache
def _known(module):
    return importlib.import_module(module).KNOWN if importlib.util.find_spec(module) else Known()


def known(concept):
    """Return what the tests know of a class; all defaults where it has no module."""
    return _known(module_of(concept))


def target_of(distribution):
    """Return how targets of a distribution are, or None where no class of the tests says so.

    Of a type the nearest ancestor counts. A class that uses another one's distribution has its
    targets too.
    """
    targets = {kind: t for concept in CONCEPTS for kind, t in known(concept).targets.items()}
    return next((targets[kind] for kind in type(distribution).__mro__ if kind in targets), None)


def inequality(concept, bound):
    """Return the second writing of a bound: what `holds` has, else its certified route.

    A function that tells of (m, d, epsilon, alpha, beta), and delta where the bound has one,
    whether m satisfies it.
    """
    own = known(concept).holds.get(bound)
    return own or functools.partial(_by_balls, concept, bound)


def _by_balls(concept, bound, m, d, epsilon, alpha, beta, delta=None):  # noqa: PLR0917 - as typed
    asked = certificate.Question(
        concept.name, bound=bound, d=d, epsilon=epsilon, alpha=alpha, beta=beta,
        delta=known(concept).slack.get(bound, 0.0) if delta is None else delta,
    )  # fmt: skip
    return certificate._satisfies(asked, certificate._route(asked), int(m), 400)
