"""A run of a fragment that has ended is told as such, even if another begins at once.

Where the next run starts before the browser was told of the last one's end, Streamlit says that the
last one was cut short. The browser then keeps what that run had not drawn again: a table would stand
below the words that it is still to come. But where the next run is of other fragments (a strip is
wanted while a slider's change is drawn), the last one was sent whole.

And where the thread of the last run has ended before the server's loop, which may be late in a full hall,
came to what that run has said, a new thread begins, and Streamlit hears no more of the old one: a
slider was moved, and nothing of it was drawn or said. So what it has said is heard first.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession

from pages.shared.host import thrift

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

__all__ = ["tell_ended"]


@functools.cache
def tell_ended() -> None:
    """Have every session keep to it that a fragment has ended, and what it said; once per process."""
    plain = AppSession._clear_queue  # noqa: SLF001 - no hook is public

    @functools.wraps(plain)
    def clear_queue(session: AppSession, begun: Sequence[str] | None = None) -> None:
        ended = [
            message
            for message in session._browser_queue._queue  # noqa: SLF001 - as above
            if message.script_finished == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
            and begun
            and set(message.metadata.run.fragment_ids).isdisjoint(begun)
        ]
        plain(session, begun)  # type: ignore[arg-type]
        for message in ended:
            message.script_finished = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY

    AppSession._clear_queue = clear_queue  # type: ignore[method-assign, assignment] # noqa: SLF001
    AppSession._create_scriptrunner = heard_first(AppSession._create_scriptrunner)  # type: ignore[method-assign, assignment] # noqa: SLF001


def heard_first(
    begin: Callable[[AppSession, RerunData], None],
) -> Callable[[AppSession, RerunData], None]:
    """Return what begins a thread of runs, after what the one before has said."""

    @functools.wraps(begin)
    def begun(session: AppSession, asked: RerunData) -> None:
        thrift.listen(session)
        begin(session, asked)

    return begun
