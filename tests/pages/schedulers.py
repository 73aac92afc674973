"""What the tests of the scheduler share: threads in the place of processes, and waiting for a job."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

from pages.shared.scheduling import worker
from pages.shared.scheduling.scheduler import Priority

PATIENCE = 180.0
FRAMES = {"priority": Priority.FRAMES}


def reach(job, state):
    """Wait until a job is in a state: its own process may have to start first."""
    ends = time.monotonic() + PATIENCE
    while job.state != state:
        assert time.monotonic() < ends, job.state
        job.wait(0.01)


def took(_, seconds):
    """Say that a call took so many seconds; `Threads` believe it."""
    return seconds


def known(tasks, kind, *took_before):
    """Make a scheduler of threads learn how long the calls of a kind took."""
    for place, seconds in enumerate(took_before):
        tasks.start(took, (kind, place), seconds, kind=kind, run_in="long").result()


def thread(*_):
    """Return the thread that runs this."""
    return threading.get_ident()


class Threads:
    """What computes in a thread: it takes calls as a process does, and cannot be killed."""

    share = None

    def __init__(self):
        self._pool = ThreadPoolExecutor(1)

    def compute(self, call, *seconds):
        if call[0] is took:
            done = Future()
            done.set_result((None, call[1][1]))
            return done
        return self._pool.submit(worker.run, *call, *seconds)

    def told(self):
        return self.share

    def hurry(self):
        worker._Telling.hurried = True

    def stop(self):
        self._pool.shutdown(wait=False, cancel_futures=True)
