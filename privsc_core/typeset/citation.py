"""How this program is cited: its authors, version and date, as BibTeX and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privsc_core import __version__

if TYPE_CHECKING:
    from privsc_core.evaluate.ours import Result

TITLE = "privsc: results of our own"
AUTHOR = "The privsc developers"
# Of this version, as in CHANGELOG.md and CITATION.cff; empty before it is released.
RELEASED = ""
EDITION = f"Version {__version__}, {RELEASED or 'not released yet'}"

SOFTWARE = f"""@software{{privsc,
  author  = {{{{{AUTHOR}}}}},
  title   = {{privsc: the sample complexity of differentially private learning}},
  version = {{{__version__}}},
  license = {{MIT}}
}}"""


def line(one: Result) -> str:
    """Return how to cite a result, in a line."""
    what = f"{one.title} ({one.kind}, {one.concept.title.lower()})"
    return f"{AUTHOR}: {what}. In: privsc {__version__}."
