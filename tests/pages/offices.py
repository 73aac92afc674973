"""What the tests of an office share: how patient they are, and waiting for a job."""

import time

__all__ = ["PATIENCE", "reach"]

PATIENCE = 30.0


def reach(job, state):
    """Wait until a job is in a state: its own process has to start first."""
    ends = time.monotonic() + PATIENCE
    while job.state != state:
        assert time.monotonic() < ends, job.state
        job.wait(0.01)
