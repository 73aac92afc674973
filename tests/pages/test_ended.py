"""What browsers are told of a run that has ended when another begins before they were told."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from pages.shared.host import streamlit_patches

DONE, EARLY = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, ForwardMsg.FINISHED_EARLY_FOR_RERUN


class Session:
    """As much of a session as has a queue."""

    def __init__(self, fragments, status=DONE):
        self._browser_queue = ForwardMsgQueue()
        message = ForwardMsg()
        message.script_finished = status
        message.metadata.run.fragment_ids.extend(fragments)
        self._browser_queue.enqueue(message)

    def told(self, begun):
        """Return what is told of the run once that of `begun` has started."""
        AppSession._clear_queue(self, begun)
        return [message.script_finished for message in self._browser_queue.flush()]


@pytest.fixture(autouse=True)
def told():
    streamlit_patches.tell_ended()
    streamlit_patches.tell_ended()  # every page does


def test_a_run_that_has_ended_is_not_said_to_be_cut_short_by_other_fragments():
    assert Session(["page", "table"]).told(["strip"]) == [DONE]


@pytest.mark.parametrize("begun", [["page"], ["strip", "page"], [], None])
def test_a_run_is_cut_short_by_its_own_fragment_and_by_the_whole_page(begun):
    assert Session(["page"]).told(begun) == [EARLY]


def test_what_was_cut_short_stays_so():
    assert Session(["page"], EARLY).told(["strip"]) == [EARLY]


def test_every_session_hears_what_a_thread_has_said_before_another_begins():
    session, heard = Session(["page"]), []
    session._message_enqueued_callback = None
    streamlit_patches.told_together(lambda *_: None)(session, lambda: heard.append("said"))
    with pytest.raises(
        AttributeError, match="_script_event_loop"
    ):  # it is not whole enough to begin
        AppSession._create_scriptrunner(session, None)
    assert heard == ["said"]
