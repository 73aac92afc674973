"""The search over all that has a place: its button, and where the browser finds the index.

What can be found is collected by index.py, which knows the pages and so stands above this room: it
is looked up by name, as the pages themselves are. The dialog is search.js.
"""

from __future__ import annotations

import functools
import importlib
import logging

from pages.shared.host import static_files

_INDEX = "pages.shared.page.index"
_LOG = logging.getLogger("privsc")


@functools.cache
def published() -> str:
    """Return the name of the index among the static files; empty if it cannot be written."""
    try:
        return static_files.offer("search", importlib.import_module(_INDEX).program())
    except RuntimeError:
        _LOG.exception("no search")
        return ""


def button() -> str:
    """Return the HTML of the button that opens the search; search.js finds it by its class."""
    return (
        '<button type="button" class="pv-search" aria-keyshortcuts="/" aria-haspopup="dialog">'
        "<span>Search</span><kbd>/</kbd></button>"
    )
