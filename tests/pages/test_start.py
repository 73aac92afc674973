"""What a fresh server does before anybody comes: it visits itself."""

import threading

import pytest
from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.sync.server import serve

from pages.shared import start


@pytest.mark.parametrize("more", [0, 200])
def test_a_page_that_goes_on_does_not_hold_up_the_first_visit(monkeypatch, more):
    """What a page sends after its first run, a simulation's pictures, keeps no line open."""
    ended = ForwardMsg()
    ended.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    late = ForwardMsg()
    late.delta.new_element.empty.SetInParent()
    lines = []

    def connected(*words, **options):
        lines.append(connect(*words, **options))
        return lines[-1]

    def page(socket):
        socket.recv()
        for message in (ended, *[late] * more):
            socket.send(message.SerializeToString())
        for _ in socket:
            pass

    monkeypatch.setattr(start, "connect", connected)
    with serve(page, "127.0.0.1", 0) as server:
        port = server.socket.getsockname()[1]
        options = {"server.address": "127.0.0.1", "server.port": port, "server.baseUrlPath": ""}
        monkeypatch.setattr(config, "get_option", options.__getitem__)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        start._visit("points")
        server.shutdown()
    assert [line.close_code for line in lines] == [1000]  # 1006: nobody answered the good-bye
