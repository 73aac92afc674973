"""python -m tests.benchmarks commands: one number of every learner with an exact law, from the command line.

In processor time of whole processes, beside the time in which Python loads numpy and `scipy.special`. They
take turns, and their files are compiled, as pip leaves them.
"""

import os
import resource
import statistics
import subprocess
import sys

from privsc_core.catalog import BESIDE, CONCEPTS
from tests.benchmarks.timing import head, row

FLOOR = "import numpy, scipy.special"
NEED = "from privsc_core.cli import main; main()"  # what `privsc` runs
FIRST = ("--concept", "point", "--learner", "exponential", "-d", "64")


def main(rounds=7):
    """Print the ratios; return whether all are as wanted."""
    head()
    found = [
        compared("import privsc_core", "import privsc_core", (), rounds, 1.15),
        compared("from privsc_core import need", "from privsc_core import need", (), rounds, 1.15),
        compared("need " + " ".join(FIRST[1::2]), NEED, ("need", *FIRST), rounds, 1.4),
    ]
    for concept in (*CONCEPTS, *BESIDE):
        for entry in concept.learners:
            law = next((law for law, how in entry.laws.items() if how == "exact"), None)
            if law is None:
                continue
            words = ("--concept", concept.name, "--learner", entry.name, "--distribution", law,
                     "-d", f"{concept.size.default:g}")  # fmt: skip
            what = f"need {concept.name} {entry.name}"
            found.append(compared(what, NEED, ("need", *words), rounds, 1.8))
    return all(found)


def compared(what, code, words, rounds, wanted):
    """Print how many times the floor a process takes; return whether that is at most what is wanted."""
    times = [(spent(FLOOR), spent(code, *words)) for _ in range(rounds + 1)][
        1:
    ]  # after one to compile
    floor, ours = map(statistics.median, zip(*times, strict=True))
    ratio = statistics.median(mine / theirs for theirs, mine in times)
    row("", what, FLOOR, (ours, floor, ratio), wanted=wanted, least=False)
    return ratio <= wanted


def spent(code, *words):
    """Return the processor seconds of a process that runs the code."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code, *words], env=env, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
