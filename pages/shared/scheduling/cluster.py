"""An executor whose calls are computed by a Dask cluster, for a lane of scheduler.py."""

from __future__ import annotations

import math
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

from pages.shared.scheduling.worker import AwayError, TimeUpError, run
from privsc_core.sweep.calls import Cluster, LateError, LostError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Far"]


class Far(Executor):
    """Takes one call after the other, as a worker does; a cluster has room for several."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._key = cluster, ""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a call computed; function, arguments and value must pickle."""
        seconds, timed = math.inf, function is run
        if timed:
            function, args, kwargs, *rest = args
            seconds = rest[0] if rest else math.inf
        found: Future[Any] = Future()
        try:
            self._key, remote = self._cluster.call(function, tuple(args), kwargs, seconds)
        except LostError as lost:
            raise AwayError(*lost.args) from None

        def end(ended: Future[Any]) -> None:
            error = ended.exception()
            if isinstance(error, LateError):
                found.set_exception(TimeUpError())
            elif isinstance(error, LostError):
                found.set_exception(AwayError(*error.args))
            elif error is not None:
                found.set_exception(error)
            else:
                found.set_result(ended.result() if timed else ended.result()[0])

        remote.add_done_callback(end)
        return found

    def told(self) -> float | None:
        """Return how much of its call is done, from 0 to 1, as it told last; None if it did not."""
        return self._cluster.told(self._key)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as inherited
        """Leave the call under way, which then ends where one of its loops is heard."""
        if cancel_futures:
            self._cluster.cancel(self._key)
