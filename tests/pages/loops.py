"""Loops for a worker, in a module that it imports quickly."""

import os
import time

from privsc_core import progress


def process_after(seconds):
    """Use a processor for so long, heard all the while; return which process it was."""
    begin = time.process_time()
    for _ in progress.steps(range(10**7)):
        sum(range(1000))
        if time.process_time() - begin > seconds:
            break
    return os.getpid()
