"""Processor time of figures that nobody prepared: random settings with 3 decimals, one core.

`python -m tests.benchmarks figures [settings]` prints milliseconds, medians over random settings of
d, epsilon, alpha and beta on every class page with the learners that it shows at first ("shown")
and with all of them ("all"), on the distribution that it shows at first.
"""

import contextlib
import statistics
import time
import zlib
from functools import partial

import numpy as np

from pages.shared.chart import payload
from pages.shared.frame.sitemap import classes
from pages.shared.page.class_page import declared
from privsc_core.catalog import concept as find_concept
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.scenario import Scenario

VIEWS = ("m", "d", "eps", "need-d", "need-eps", "map-m-d", "map-m-eps", "map-d-eps")
HEIGHT = 430


def scenarios(page, learners, what, count):
    """Return random scenarios of a page: stops of d, other parameters with 3 decimals."""
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
    print(f"{'page':14}{'learners':9}" + "".join(f"{v:>10}" for v in (*VIEWS, "cards")))
    for _, file in classes():
        page = declared(file)
        every = tuple(e.name for e in find_concept(page.concept).learners)
        for words, learners in (("shown", page.learners), ("all", every)):
            cells = []
            for view in VIEWS:
                asked = scenarios(page, learners, f"{view} {words}", count + 1)
                cells.append(
                    [
                        spent(partial(payload.main_figure, scenario, payload.Look(view, page.on_map, HEIGHT), 0))
                        for scenario in asked
                    ][1:]
                )
            asked = scenarios(page, learners, f"cards {words}", count)
            cells.append([spent(partial(views.numbers, scenario)) for scenario in asked])
            times = "".join(f"{statistics.median(cell):10.1f}" for cell in cells)
            print(f"{page.slug:14}{words:9}{times}", flush=True)
