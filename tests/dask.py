"""A Dask scheduler with workers of this machine, as another one would run it."""

import contextlib

from distributed import LocalCluster


@contextlib.contextmanager
def scheduler(workers):
    """Yield the address of a scheduler."""
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", memory_limit=0,
        dashboard_address="127.0.0.1:0", silence_logs="CRITICAL",
    ) as host:  # fmt: skip
        yield host.scheduler_address
