"""The boxes of the packing argument, as a scene shows them."""

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.evaluate.boxes import packed


def shares_of(s):
    """Return what the scene's exhibit shows, and its boxes."""
    merge = s.now["merge"] == "merged"
    cell = Cell(s.d, s.epsilon, s.alpha, s.beta)
    found = packed(catalog.bound("point", s.now["pack"]), cell, s.m, hand=s.now["hand"])
    assert (s.now["hand"], s.now["differ"]) == ("asked", -1)
    return found, found.merged if merge else found.apart
