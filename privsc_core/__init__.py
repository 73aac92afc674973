"""The sample complexity of differentially private PAC learning.

>>> import privsc_core as pv
>>> pv.need(concept="point", learner="hash", d=64, epsilon=0.5, alpha=0.1, beta=0.1).m.item()
366.0
"""

from privsc_core.api import audit, bound, learn, need, reach, run_many, success
from privsc_core.catalog import CONCEPTS
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from privsc_core.finite import dimensions

__all__ = [
    "CONCEPTS",
    "InputError",
    "Scenario",
    "__version__",
    "audit",
    "bound",
    "dimensions",
    "learn",
    "need",
    "reach",
    "run_many",
    "success",
]

__version__ = "0.1.0"
