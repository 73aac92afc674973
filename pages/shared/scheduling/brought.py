"""The learners that `privsc serve --with FILE.py` brings: every process of the dashboard has them.

No link, lecture or upload adds one: what a visitor names is looked up in the catalog.
"""

from __future__ import annotations

import os
from functools import cache

from privsc_core import catalog

FILES = "PRIVSC_WITH"
"""The variable of the environment that holds the paths."""


@cache
def bring() -> None:
    """Add them to the catalog of this process, once."""
    for path in filter(None, os.environ.get(FILES, "").split(os.pathsep)):
        catalog.bring(path)
