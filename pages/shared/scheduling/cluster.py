"""A Dask cluster as what computes for the scheduler."""

from __future__ import annotations

import math
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from pages.shared.scheduling.worker import AwayError, TimeUpError
from privsc_core.sweep.calls import Cluster, LateError, LostError

if TYPE_CHECKING:
    from pages.shared.scheduling.worker import Call


class Remote:
    """Takes one call after the other, see `Computer`; a cluster has room for several."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._key = cluster, ""

    def compute(self, call: Call, seconds: float = math.inf) -> Future[tuple[Any, float]]:
        """See `Computer`."""
        found: Future[tuple[Any, float]] = Future()
        try:
            self._key, remote = self._cluster.call(*call, seconds)
        except LostError as lost:
            raise AwayError(*lost.args) from None

        def end(ended: Future[Any]) -> None:
            error = ended.exception()
            if isinstance(error, LateError):
                error = TimeUpError()
            elif isinstance(error, LostError):
                error = AwayError(*error.args)
            if error is None:
                found.set_result(ended.result())
            else:
                found.set_exception(error)

        remote.add_done_callback(end)
        return found

    def told(self) -> float | None:
        """See `Computer`."""
        return self._cluster.told(self._key)

    def hurry(self) -> None:
        """Do nothing: what is long gives way to nothing."""

    def stop(self) -> None:
        """Leave the call under way, which then ends where one of its loops is heard."""
        self._cluster.cancel(self._key)
