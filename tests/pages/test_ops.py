"""What a host sees: lines without personal data, numbers, and a process that has visited itself."""

import contextlib
import json
import logging
import subprocess
import time
import urllib.error
import urllib.request

import pytest

from pages.shared.host import ops
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


@pytest.mark.parametrize("given", ["", "x", "0", "65536", "127.0.0.1:", "127.0.0.1"])
def test_a_bad_end_point_is_one_sentence(given):
    with pytest.raises(InputError, match="metrics must be"):
        endpoint(given)


def test_the_end_point_is_on_loopback_unless_told_otherwise():
    assert endpoint("9100") == ("127.0.0.1", 9100)
    assert endpoint("0.0.0.0:9100") == ("0.0.0.0", 9100)  # noqa: S104 - parsed, not bound


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
    # Streamlit's farewell is the one thing that it prints rather than logs.
    lines = [one for one in log.splitlines() if one.strip() and one.strip() != "Stopping..."]
    assert lines
    assert all(json.loads(one) for one in lines)
