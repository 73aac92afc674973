"""Calls for a worker, in a module that it imports quickly."""

import os
import time

from pages.shared.scheduling import worker
from privsc_core import progress


def process_after(seconds):
    """Use a processor for so long, heard all the while; return which process it was."""
    begin = time.process_time()
    for _ in progress.steps(range(10**5)):
        sum(range(30_000))
        if time.process_time() - begin > seconds:
            break
    return os.getpid()


def without_slices():
    """Let the calls of this process give way at once where they are hurried; return which it is."""
    worker.SLICE = 0.0
    return os.getpid()
