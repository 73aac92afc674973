"""Processor time of figures that nobody prepared: random settings with 3 decimals, one core.

`python -m tests.benchmarks figures [settings]` prints milliseconds, medians over random settings of
d, epsilon, alpha and beta on every class page with the learners that it shows at first ("shown")
and with all of them ("all", with a slack for those who need one), on the distribution that it shows at
first. The last two columns are strips, what sliders of d and epsilon show at all of their stops, in
units of the figure "m". Then what random settings seldom meet: learners that take long at an end of
the sliders; and `need` over 60 places of d in units of a single one.
"""

import contextlib
import itertools
import statistics
import time
import zlib
from functools import partial

import numpy as np

from pages.shared.chart import payload
from pages.shared.frame.sitemap import classes
from pages.shared.page.declaration import declared
from privsc_core.catalog import CONCEPTS
from privsc_core.catalog import concept as find_concept
from privsc_core.errors import InputError
from privsc_core.evaluate import bounds, views
from privsc_core.evaluate.need import need
from privsc_core.evaluate.scenario import Scenario

VIEWS = ("m", "d", "eps", "need-d", "need-eps", "map-m-d", "map-m-eps", "map-d-eps")
HEIGHT = 430
SLACK = 1e-6
LONG = 50.0  # ms


def slack_of(page, learners):
    """Return the slack that a page has at first; for other learners one that is not 0."""
    if "delta" not in page.settings:
        return 0.0
    return page.settings["delta"].default or (0.0 if learners == page.learners else SLACK)


def scenarios(page, learners, what, count):
    """Return random scenarios of a page: stops of d, its own slack, others with 3 decimals."""
    slack = slack_of(page, learners)
    stops = [int(stop) for stop in page.settings["d"].stops]
    rng = np.random.default_rng(zlib.crc32(f"{page.slug} {what}".encode()))

    def drawn(low, high):
        return round(float(rng.uniform(low, high)), 3)

    found = []
    while len(found) < count:
        with contextlib.suppress(InputError):
            setting = {
                "d": int(rng.choice(stops)), "m": int(rng.integers(10, 5000)),
                "epsilon": drawn(0.05, 2.0), "alpha": drawn(0.02, 0.4), "beta": drawn(0.01, 0.4),
                "delta": slack,
            }  # fmt: skip
            found.append(Scenario(page.concept, learners, **setting))
    return found


def spent(run):
    """Return the processor time of a call, in milliseconds; a refusal counts as well."""
    begun = time.process_time()
    with contextlib.suppress(InputError):
        run()
    return 1e3 * (time.process_time() - begun)


def main(count=9):
    """Print the table."""
    print(
        f"{'page':14}{'learners':9}"
        + "".join(f"{v:>10}" for v in (*VIEWS, "cards", "strip d", "strip ε"))
    )
    for _, file in classes():
        page = declared(file)
        every = tuple(e.name for e in find_concept(page.concept).learners)
        for words, learners in (("shown", page.learners), ("all", every)):
            cells = []
            for view in VIEWS:
                asked = scenarios(page, learners, f"{view} {words}", count + 1)
                cells.append(
                    [
                        spent(
                            partial(
                                payload.main_figure,
                                scenario,
                                payload.Look(view, page.on_map, HEIGHT),
                                0,
                            )
                        )
                        for scenario in asked
                    ][1:]
                )
            asked = scenarios(page, learners, f"cards {words}", count)
            cells.append([spent(partial(views.numbers, scenario)) for scenario in asked])
            look = payload.Look("m", page.on_map, HEIGHT)
            ratios = []
            for name, kind in (("d", int), ("epsilon", float)):
                stops = tuple(kind(stop) for stop in page.settings[name].stops)
                strips = [
                    spent(partial(payload.main_strip, scenario, look, name, stops, page.told))
                    for scenario in scenarios(page, learners, f"strip {name} {words}", 3)
                ]
                ratios.append(statistics.median(strips) / statistics.median(cells[0]))
            times = "".join(f"{statistics.median(cell):10.1f}" for cell in cells)
            print(
                f"{page.slug:14}{words:9}{times}" + "".join(f"{r:9.1f}x" for r in ratios),
                flush=True,
            )
    _at_the_ends()
    _over_places()


def _at_the_ends():
    """Print which learners take long at an end of the sliders of d and epsilon, and how long."""
    for _, file in classes():
        page = declared(file)
        stops = [
            [kind(page.settings[name].stops[at]) for at in (0, -1)]
            for name, kind in (("d", int), ("epsilon", float))
        ]
        for learner in find_concept(page.concept).learners:
            times = {}
            for view, d, epsilon in itertools.product(("m", "need-d", "need-eps"), *stops):
                if {"need-d": stops[0][0] != d, "need-eps": stops[1][0] != epsilon}.get(view):
                    continue  # the picture before, once more
                with contextlib.suppress(InputError):
                    scenario = Scenario(
                        page.concept, (learner.name,), d=d, m=1000, epsilon=epsilon, alpha=0.123,
                        beta=0.087, delta=slack_of(page, (learner.name,)),
                    )  # fmt: skip
                    bounds.forget()
                    look = payload.Look(view, page.on_map, HEIGHT)
                    times[view, d, epsilon] = spent(partial(payload.main_figure, scenario, look, 0))
            for (view, d, epsilon), time_ in times.items():
                if time_ > LONG:
                    print(
                        f"{page.slug} {learner.name} {view}, d = {d}, ε = {epsilon:g}: {time_:.0f} ms"
                    )


def _over_places():
    """Print what a least m over 60 places of d costs beside a single one."""
    for concept in CONCEPTS:
        law = concept.distributions[0]
        for learner in concept.learners:
            most = min(3000, learner.most_d(law))
            places = np.unique(np.geomspace(max(3, law.least_d), most, 75).astype(int))[:60]
            if learner.laws.get(law.name) == "exact" and "d" not in learner.idle(law):
                at = {"epsilon": 0.517, "alpha": 0.123, "beta": 0.087}
                if learner.privacy == "approximate":
                    at["delta"] = SLACK
                times = []
                for d in (places, 64):
                    runs = []
                    for _ in range(5):
                        bounds.forget()
                        runs.append(spent(partial(need, learner, law, d=d, **at)))
                    times.append(statistics.median(runs))
                print(
                    f"need, {len(places)} places of d: {concept.name} {learner.name} "
                    f"{times[0]:.1f} ms, one {times[1]:.1f} ms, {times[0] / times[1]:.1f}x"
                )
