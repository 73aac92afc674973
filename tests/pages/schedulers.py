"""What the tests of the scheduler share: how patient they are, and waiting for a job."""

import time
from concurrent.futures import ThreadPoolExecutor

from pages.shared.scheduling.worker import run

PATIENCE = 30.0


def reach(job, state):
    """Wait until a job is in a state: its own process has to start first."""
    ends = time.monotonic() + PATIENCE
    while job.state != state:
        assert time.monotonic() < ends, job.state
        job.wait(0.01)


class Threads:
    """What computes in a thread: it takes calls as a process does, and cannot be killed."""

    share = None

    def __init__(self):
        self._pool = ThreadPoolExecutor(1)

    def compute(self, call, *seconds):
        return self._pool.submit(run, *call, *seconds)

    def told(self):
        return self.share

    def hurry(self):
        pass

    def stop(self):
        self._pool.shutdown(wait=False, cancel_futures=True)
