"""What a host sees: lines without personal data, numbers, and a process that has visited itself."""

import contextlib
import json
import logging
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import warnings

import pytest
from streamlit import cli_util
from streamlit.runtime.scriptrunner.script_runner import ScriptRunnerEvent

from pages.shared.host import ops, streamlit_patches
from pages.shared.host.ops import Line, Metrics, endpoint
from privsc_core.errors import InputError
from tests.load.host import ROOT, Host, free_port


def line(message, *arguments, error=None):
    information = (type(error), error, None) if error else None
    return Line("privsc", logging.ERROR, "file", 1, message, arguments, information)


def test_a_line_is_json_and_names_nobody():
    record = line("from %s to /points?d=64&seed=7, also [2001:db8:0:1:1:1:1:1]", "192.0.2.7:5151")
    said = json.loads(record.getMessage())
    assert said["message"] == "from [address] to /points?… also [[address]]"
    assert (said["level"], said["logger"]) == ("error", "privsc")


def test_a_traceback_is_in_the_line_and_nowhere_else():
    record = line("error %s", "abcd1234", error=ValueError("x\ny"))
    text = logging.Formatter("%(message)s").format(record)
    assert "\n" not in text
    assert json.loads(text)["trace"].endswith("ValueError: x\ny")


def test_a_stranger_cannot_flood_the_log():
    record = line("x" * 10**6, error=ValueError("y" * 10**6))
    assert len(record.getMessage()) < ops.MESSAGE + ops.TRACE + 500


def test_the_histogram_counts_each_run_once():
    metrics = Metrics()
    for seconds in (0.01, 0.02, 3.0, 99.0):
        metrics.note("page", seconds)
    lines = list(metrics.lines())
    assert 'privsc_run_seconds_bucket{what="page",le="0.01"} 1' in lines
    assert 'privsc_run_seconds_bucket{what="page",le="10.0"} 3' in lines
    assert 'privsc_run_seconds_count{what="page"} 4' in lines


def test_a_run_is_counted_from_its_begin_to_its_end(monkeypatch):
    monkeypatch.setattr(streamlit_patches, "LISTENERS", [])
    plain, metrics, runner = logging.getLogRecordFactory(), Metrics(), object()
    try:
        metrics.watch()
        (heard,) = streamlit_patches.LISTENERS
        for fragments in (None, ["body"], ["body"]):
            heard(runner, ScriptRunnerEvent.SCRIPT_STARTED, fragments)
            heard(runner, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, None)
            heard(runner, ScriptRunnerEvent.FRAGMENT_STOPPED_WITH_SUCCESS, None)
        heard(runner, ScriptRunnerEvent.SHUTDOWN, None)
    finally:
        logging.setLogRecordFactory(plain)
    counts = [line for line in metrics.lines() if "_count" in line]
    assert counts == [
        'privsc_run_seconds_count{what="change"} 2', 'privsc_run_seconds_count{what="page"} 1',
    ]  # fmt: skip


@pytest.mark.parametrize("given", ["", "x", "0", "65536", "127.0.0.1:", "127.0.0.1"])
def test_a_bad_end_point_is_one_sentence(given):
    with pytest.raises(InputError, match="metrics must be"):
        endpoint(given)


def test_the_end_point_is_on_loopback_unless_told_otherwise():
    assert endpoint("9100") == ("127.0.0.1", 9100)
    assert endpoint("0.0.0.0:9100") == ("0.0.0.0", 9100)  # noqa: S104 - parsed, not bound


def test_an_end_point_of_either_kind_answers_and_one_that_fails_is_said(caplog):
    assert endpoint("[::1]:9100") == endpoint("::1:9100") == ("::1", 9100)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for where in (f"127.0.0.1:{port}", f"203.0.113.7:{port}", "nowhere.invalid:9100", "here"):
            caplog.clear()
            assert ops.open_numbers(where) is None
            assert f"no metrics at {where}: " in caplog.text
    for address in ("127.0.0.1", "[::1]")[: 1 + has_ipv6()]:
        where = f"{address}:{free_port()}"
        server = ops.open_numbers(where)
        try:
            assert "privsc_sessions 0" in read(f"http://{where}/metrics")
        finally:
            server.shutdown()
            server.server_close()


def has_ipv6():
    with contextlib.suppress(OSError), socket.create_server(("::1", 0), family=socket.AF_INET6):
        return True
    return False


def test_all_that_is_printed_or_raised_is_a_line_of_json(monkeypatch, caplog):
    for where, name in ((cli_util, "print_to_cli"), (warnings, "showwarning"), (sys, "excepthook"),
                        (threading, "excepthook")):  # fmt: skip
        monkeypatch.setattr(where, name, getattr(where, name))
    monkeypatch.setattr(ops, "get_logger", logging.getLogger)  # Streamlit's go to the screen alone
    caplog.set_level(logging.INFO)
    plain = logging.getLogRecordFactory()
    try:
        ops._only_lines()
        cli_util.print_to_cli("  Stopping...", fg="blue")
        cli_util.print_to_cli("")
        warnings.showwarning("seen", UserWarning, "file.py", 1)
        error = ValueError("x\ny")
        sys.excepthook(ValueError, error, None)
        threading.excepthook(threading.ExceptHookArgs((ValueError, error, None, None)))
    finally:
        logging.setLogRecordFactory(plain)
    lines = [json.loads(record.getMessage()) for record in caplog.records]
    levels = [line["level"] for line in lines]
    assert levels == ["info", "warning", "critical", "error"]
    assert lines[0]["message"] == "Stopping..."
    assert "UserWarning: seen" in lines[1]["message"]


def read(url):
    with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 - loopback
        return answer.read().decode()


@pytest.mark.whole
def test_serve_visits_itself_and_tells_its_numbers():
    port = free_port()
    pages = 1 + len([*(ROOT / "pages").glob("[a-z]*.py")])
    wanted = f'privsc_run_seconds_count{{what="page"}} {pages}'
    host = Host("serve", options=("--metrics", str(port), "--log", "json"))
    host.start()
    try:
        numbers, ends = "", time.monotonic() + 180
        while wanted not in numbers and time.monotonic() < ends:
            with contextlib.suppress(subprocess.TimeoutExpired):  # returns at once should it die
                host.process.wait(timeout=0.05)
            numbers = read(f"http://127.0.0.1:{port}/metrics")
        assert wanted in numbers
        assert "privsc_errors_total 0" in numbers
        with pytest.raises(urllib.error.HTTPError):
            read(f"http://127.0.0.1:{port}/other")
    finally:
        host.stop()
        log = host.log()
        host.close()
    assert log
    assert all(json.loads(one)["level"] for one in log.splitlines())
    assert json.loads(log.splitlines()[-1])["message"] == "Stopping..."  # Streamlit prints that
