"""The setting of a scene as its page reads it, and the core asked about it."""

import functools

import privsc_core as pv
from pages.shared.state.link import parse
from privsc_core import catalog
from privsc_core.evaluate.scenario import Scenario
from privsc_core.finite.ready import dimensions_of
from tests.pages import app as apps
from tests.pages.addresses import PAGES
from tests.pages.declared import DECLARED

CONCEPT = {page.slug: name for name, page in DECLARED.items()}
EVERY_D = [2, 3, 5, 8, 16, 100, 1024, 10**4, 10**6]


@functools.cache
def run(page, params):
    return apps.run(f"pages/{page}.py", **dict(params))


def opened(scene):
    """Return the page of a scene, as somebody sees it who follows its link.

    Of a page of no class an audience sees the parts that the scene names: these are drawn, and no
    others.
    """
    staged = {} if scene.page in CONCEPT else {"present": "1"}
    return run(scene.page, tuple((scene.params | staged).items()))


class Setting:
    """The setting of a scene, and short words to ask the core about it."""

    def __init__(self, scene):
        now, self.notes = parse(scene.params, PAGES[scene.page])
        self.now = now
        self.asked: dict[str, set[int]] = {}  # by private learner: what `need` has answered
        if scene.page not in CONCEPT:  # the laboratory, labels: no learners to choose
            self.scenario = None
            return
        member = f"({now['l']})" if now.get("l", "sqrt") != "sqrt" else ""
        self.scenario = Scenario(
            concept=CONCEPT[scene.page] + member,
            learners=now["learners"], distribution=now["dist"], constants=now["const"],
            m=now["m"], d=now["d"], epsilon=now["eps"], alpha=now["alpha"], beta=now["beta"],
            trials=now["trials"], seed=now["seed"], delta=now.get("delta", 0.0),
        )  # fmt: skip

    def need(self, learner, *, concept="", distribution="hard", **over):
        setting = {"concept": concept or self.scenario.concept, "distribution": distribution}
        found = pv.need(learner=learner, **setting, **(self.scenario.settings() | over)).m
        if catalog.learner(setting["concept"], learner).privacy != "none":
            self.asked.setdefault(learner, set()).update(int(m) for m in found.ravel())
        return int(found) if found.ndim == 0 else [int(m) for m in found]

    def bound(self, name, **over):
        found = pv.bound(
            concept=self.scenario.concept, bound=name, **(self.scenario.settings() | over)
        )
        return int(found.m)

    def __getattr__(self, name):
        return getattr(self.scenario, name)


def measured(word, name):
    """Return a dimension of a ready-made class, which must be known."""
    found = dimensions_of(word, epsilon=0.5, beta=0.1)[name]
    assert found.exact
    return int(found.low)


def same(values):
    """Return the one value that a list has."""
    assert len(set(values)) == 1
    return values[0]
