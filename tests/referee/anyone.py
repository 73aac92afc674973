"""Stand-ins for learners that nobody has written: what `Bound.binds` is asked about."""

from __future__ import annotations

from types import MappingProxyType

from privsc_core.concepts.contracts import Cell, Learner, Source

# Whoever keeps one of these promises also keeps the one before the colon.
_KEPT_TOO = {
    "none": ("pure", "approximate", "label"),
    "approximate": ("pure",),
    "label": ("pure",),
}


class _Anyone(Learner):
    source = Source("ours", "a stand-in")
    title = summary = "a stand-in"
    laws = MappingProxyType({})
    tiny = Cell(d=1, m=2, epsilon=1.0, alpha=0.3, beta=0.3)
    answers = "functions"

    def _never(self, *_, **__):
        raise AssertionError("a stand-in is asked what it promises, and nothing else")

    run = output_distribution = success = _never


def anyone(answers, privacy, *, proper=False, efficient=False, labelled=True):
    """Return a stand-in for any learner with these properties.

    Parameters
    ----------
    answers : str
        What it may answer with, in words that the class's object in `classes` knows.
    privacy : {"none", "pure", "approximate", "label"}
        What it promises.
    """
    words = {
        "name": f"any-{privacy}-{answers}", "answers": answers, "privacy": privacy,
        "proper": proper, "efficient": efficient, "labelled": labelled,
    }  # fmt: skip
    return type("Anyone", (_Anyone,), words)()


def stronger(one, two):
    """Tell whether the first may do all that the second may, and is another."""
    freer = one.privacy == two.privacy or two.privacy in _KEPT_TOO.get(one.privacy, ())
    richer = one.answers == two.answers or (one.answers, two.answers) == ("functions", "concepts")
    return one is not two and freer and richer
