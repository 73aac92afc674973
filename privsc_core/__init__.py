"""The sample complexity of differentially private PAC learning.

>>> import privsc_core as pv
>>> pv.need(concept="point", learner="hash", d=64, epsilon=0.5, alpha=0.1, beta=0.1).m.item()
366.0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privsc_core.api import (
        audit,
        bound,
        learn,
        list_concepts,
        need,
        reach,
        run_many,
        success,
    )
    from privsc_core.catalog import CONCEPTS
    from privsc_core.errors import InputError
    from privsc_core.evaluate.scenario import Scenario
    from privsc_core.finite import FiniteClass, dimensions
    from privsc_core.own import learner

__all__ = [
    "CONCEPTS",
    "FiniteClass",
    "InputError",
    "Scenario",
    "__version__",
    "audit",
    "bound",
    "dimensions",
    "figure",
    "learn",
    "learner",
    "list_concepts",
    "need",
    "reach",
    "run_many",
    "success",
]

__version__ = "0.1.0"

_ELSEWHERE = {"CONCEPTS": "catalog", "InputError": "errors", "Scenario": "evaluate.scenario",
              "FiniteClass": "finite", "dimensions": "finite", "figure": "draw.paper", "learner": "own"}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import what is asked for.

    Not before: it takes a second, in which the command line, a module of this package, must be heard by Ctrl-C.
    """
    if name in __all__:
        home = importlib.import_module(f"{__name__}.{_ELSEWHERE.get(name, 'api')}")
        return globals().setdefault(name, getattr(home, name))
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return [*globals(), *__all__]
