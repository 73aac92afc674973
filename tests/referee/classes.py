"""The tiny games of every concept class: all that the referee is told.

One object per class, from its module in `tests.classes`. It says which tasks a distribution of the
catalog stands for, with every target (`picture`); which families of tasks the class is hard on
(`worst`); what learners of a kind may answer with (`stand_ins`, `answers`); and what their public
coins may be (`drawn`).
"""

from privsc_core.catalog import CONCEPTS
from tests.classes import known

CLASSES = {c.name: known(c).referee for c in CONCEPTS if known(c).referee}
