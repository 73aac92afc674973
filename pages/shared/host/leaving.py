"""What a page still asks for after it was left is not heard; what it asks of a part, always.

From a click on a link until the server's first word of the new page the browser has the old one, and
asks in its name: a slider was let go, a strip may be wanted soon (live.js). Streamlit tells fragments
apart by function and place alone, so it finds that fragment on the new page, and runs it there in the
name of the old one. The browser then clears the new page away, finds no place for what the fragment
draws, and dies of it: the screen stays white.

While the page that is shown is drawn anew, a part of it that does not stand there again yet is unknown to
Streamlit, which ignores what is moved in it: the browser then shows a slider where the page is not. All of
the page is run instead.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ignore_left"]


@functools.cache
def ignore_left(heard: Callable[[str], None]) -> None:
    """Have every session ignore changes of a page that it has left; once per process.

    What it has heard of, `heard` is told: by whom, the identifier of a session.
    """
    plain = AppSession.request_rerun  # no hook is public

    @functools.wraps(plain)
    def request_rerun(session: AppSession, asked: ClientState | None) -> None:
        if asked is not None and asked.fragment_id:
            if not _shows(session, asked.page_script_hash):
                return
            asked = _known(session, asked)
        plain(session, asked)
        heard(session.id)

    AppSession.request_rerun = request_rerun  # type: ignore[assignment, method-assign]


def _known(session: AppSession, asked: ClientState) -> ClientState:
    """Return what is asked for, of all of the page where the part is not there."""
    if session.has_fragment(asked.fragment_id):
        return asked
    whole = ClientState()
    whole.CopyFrom(asked)
    whole.fragment_id = ""
    return whole


def _shows(session: AppSession, page: str) -> bool:
    """Tell whether a session shows a page, or is about to."""
    runner = session._scriptrunner  # noqa: SLF001 - there is no public way to ask that
    if runner is None:
        return page == session.page_script_hash
    last = runner._requests._rerun_data  # noqa: SLF001 - as above
    return last.page_script_hash in {"", page}  # empty: a page that was asked for by its name
