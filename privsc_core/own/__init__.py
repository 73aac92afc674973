"""What a reader brings: a learner of one's own, as a function, and how it is run.

`adapter.py` makes a learner of the catalog's kind from it, `calls.py` calls what somebody else wrote,
`loading.py` finds it in a file or in an installed package.
"""

from privsc_core.own.adapter import Own, own
from privsc_core.own.calls import learner

__all__ = ["Own", "learner", "own"]
