"""Memory of the server and of all its processes, at two commits.

`python -m tests.benchmarks memory COMMIT [visitors [changes]]` starts the dashboard of a commit, then that of
the working tree. It prints the proportional set size of every process in MB, in which memory that several
share counts once: a minute after the start, once nothing is computed any more; after a page was opened; after free
changes of many visitors, and the most that was seen meanwhile; and when all have left for a while. Beside them
stand the processor seconds of all processes until then. Linux only.
"""

import asyncio
import subprocess
import sys
import tarfile
import tempfile
import time
from io import BytesIO
from pathlib import Path

from tests.load import scenarios
from tests.load.host import ROOT, Host
from tests.load.measure import family, idle, usage
from tests.load.scenarios import Hall
from tests.load.visitor import Visitor

PAGES = ("points", "intervals", "thresholds", "release")
REST = 60.0  # seconds after the start
LATER = 90.0  # seconds after the last visitor has left
LOOKS = 2.0  # seconds between two looks


def main(commit="HEAD", visitors="50", changes="2000"):
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["git", "-C", ROOT, "archive", commit],  # noqa: S607 - wherever it is
            check=True,
            capture_output=True,
        ).stdout
        with tarfile.open(fileobj=BytesIO(packed)) as files:
            files.extractall(folder, filter="data")
        before = asyncio.run(measured(Path(folder), int(visitors), int(changes)))
    after = asyncio.run(measured(ROOT, int(visitors), int(changes)))
    print(f"\n{'':<24}{commit[:12]:>12}{'here':>12}{'ratio':>9}")
    for name, mine in after.items():
        print(f"{name:<24}{before[name]:>12.1f}{mine:>12.1f}{mine / before[name]:>9.2f}")


async def measured(root, visitors, changes):
    """Return megabytes and processor seconds of the dashboard in a folder, by what it did before."""
    host, found = Host(root=root), {}
    host.start()
    begin, spent = time.monotonic(), 0.0

    async def note(what):
        nonlocal spent
        each, used = pss(host.pids()), usage(host.pids()).cpu
        found[f"{what}, MB"], found[f"{what}, s"] = sum(each), used - spent
        spent = used
        print(f"{root}: {what}:", " + ".join(f"{size:.1f}" for size in each), flush=True)

    try:
        await asyncio.sleep(REST)
        await idle(host.pids, longest=120.0)
        await note("at rest")
        visitor = Visitor(host.url, PAGES[0])
        await visitor.open()
        await visitor.arrive()
        await note("a page opened")
        await visitor.close()
        hall = Hall(host.url, host.pids, visitors, PAGES, free=True)
        peak = []
        looking = asyncio.create_task(look(host.pids, peak))
        record = await scenarios.soak(hall, total=changes)
        looking.cancel()
        found["while they change, MB"] = max(peak)
        await note("after free changes")
        await hall.empty()
        await asyncio.sleep(LATER)
        await note("at rest again")
        print(f"{record['errors']} errors {record['what']} in {time.monotonic() - begin:.0f} s")
    finally:
        host.close()
    return found


async def look(pids, peak):
    while True:
        await asyncio.sleep(LOOKS)
        peak.append(sum(pss(pids())))


def pss(roots):
    """Return the proportional set sizes of processes and their descendants, in MB, the oldest first."""
    found = []
    for pid in sorted(family(roots)):
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        except OSError:  # it ended meanwhile
            continue
        found += [int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")]
    return found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
