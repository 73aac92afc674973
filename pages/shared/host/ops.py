"""Logs without personal data, and metrics on loopback, for hosts.

Both are off unless asked for: `privsc serve --log json --metrics 9100`, or the environment
variables PRIVSC_LOG and PRIVSC_METRICS. What is here leans on Streamlit's insides, which is why
it is in one file, and why a test starts a server and looks.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import http.server
import json
import logging
import os
import re
import socket
import sys
import threading
import time
import warnings
from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamlit import cli_util, net_util, runtime
from streamlit.logger import get_logger
from streamlit.runtime.scriptrunner.script_runner import ScriptRunnerEvent

from pages.shared.host import streamlit_patches
from pages.shared.scheduling import scheduler
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

MESSAGE, TRACE = 2000, 8000  # characters of a line: strangers choose what is in some of them
_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_ADDRESS = re.compile(
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b(?::\d+)?|\b[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){4,7}\b"
)
_LOG = logging.getLogger("privsc")
_QUERY = re.compile(r"\?[^\s'\"]+")


@functools.cache
def start() -> None:
    """Set up logs and metrics as the host asked, once per process."""
    # Streamlit asks a service on the internet for this machine's address whenever a page of
    # another site tries to connect, and everybody waits. It has asked, as far as it knows.
    net_util._external_ip = "127.0.0.1"  # noqa: SLF001 - there is no option for it
    if os.environ.get("PRIVSC_LOG") == "json":
        _only_lines()
    where = os.environ.get("PRIVSC_METRICS", "")
    if where:
        METRICS.watch()
        open_numbers(where)


def _only_lines() -> None:
    """Write everything that is logged, printed or raised as lines of JSON."""
    logging.setLogRecordFactory(Line)

    def said(message: str, **_: Any) -> None:
        if message.strip():
            get_logger("streamlit").info(message.strip())

    def warned(message: Warning | str, category: type[Warning], *where: Any) -> None:
        _LOG.warning(warnings.formatwarning(message, category, *where[:2]).strip())

    def ended(kind: Any, error: Any, trace: Any) -> None:
        _LOG.critical("an error ended the server", exc_info=(kind, error, trace))

    def thread_ended(it: threading.ExceptHookArgs) -> None:
        told = (it.exc_type, it.exc_value or it.exc_type(), it.exc_traceback)
        _LOG.error("an error ended a thread", exc_info=told)

    cli_util.print_to_cli = said  # its farewell, for one
    warnings.showwarning = warned  # type: ignore[assignment] # it takes the rest unnamed
    sys.excepthook, threading.excepthook = ended, thread_ended


def open_numbers(where: str) -> _Server | None:
    """Answer with the numbers at address:port; where that fails, say so and go on without."""
    try:
        server = _Server(*endpoint(where))
    except (OSError, InputError) as error:
        why = getattr(error, "strerror", None) or str(error)
        _LOG.error("no metrics at %s: %s", where, why)
        return None
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return server


def endpoint(text: str) -> tuple[str, int]:
    """Return address and port of ``9100`` or ``127.0.0.1:9100``.

    Raises
    ------
    InputError
        For anything else.
    """
    address, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 2**16):
        raise InputError("metrics", "must be a port or address:port, such as 9100", text)
    return address.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


class Line(logging.LogRecord):
    """A log record that formats itself as one line of JSON in any handler."""

    def getMessage(self) -> str:  # noqa: N802 - the name is the library's
        """Return the line; addresses and query strings are left out."""
        line: dict[str, str] = {
            "time": dt.datetime.fromtimestamp(self.created, dt.UTC).isoformat(
                timespec="milliseconds"
            ),
            "level": self.levelname.lower(),
            "logger": self.name,
            "message": _clean(super().getMessage())[:MESSAGE],
        }
        if self.exc_info:
            trace = logging.Formatter().formatException(self.exc_info)
            line["trace"] = _clean(trace)[-TRACE:]
            self.exc_info = self.exc_text = None  # said; a formatter would add it again
        return json.dumps(line, ensure_ascii=False)


def _clean(text: str) -> str:
    return _QUERY.sub("?…", _ADDRESS.sub("[address]", text))


class Metrics:
    """Runs, how long they took, and errors."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.buckets: dict[str, list[int]] = {}
        self.seconds: dict[str, float] = {}
        self.errors = 0

    def watch(self) -> None:
        """Count every run of a page from now on, and every error that is logged."""
        began: dict[int, tuple[str, float]] = {}  # by the runner of a page

        def heard(runner: object, event: ScriptRunnerEvent, fragments: object) -> None:
            if event == ScriptRunnerEvent.SCRIPT_STARTED:
                began[id(runner)] = "change" if fragments else "page", time.perf_counter()
            elif event != ScriptRunnerEvent.ENQUEUE_FORWARD_MSG and id(runner) in began:
                what, begin = began.pop(id(runner))
                self.note(what, time.perf_counter() - begin)

        streamlit_patches.apply()
        streamlit_patches.LISTENERS.append(heard)
        before = logging.getLogRecordFactory()

        def counted(*arguments: Any, **keywords: Any) -> logging.LogRecord:
            record = before(*arguments, **keywords)
            self.errors += record.levelno >= logging.ERROR
            return record

        logging.setLogRecordFactory(counted)

    def note(self, what: str, seconds: float) -> None:
        """Add one run."""
        with self._lock:
            row = self.buckets.setdefault(what, [0] * (len(_BUCKETS) + 1))
            row[bisect_left(_BUCKETS, seconds)] += 1
            self.seconds[what] = self.seconds.get(what, 0.0) + seconds

    def lines(self) -> Iterator[str]:
        """Yield the histogram of the runs and the number of errors."""
        yield "# TYPE privsc_run_seconds histogram"
        with self._lock:
            rows = {what: list(row) for what, row in self.buckets.items()}
        for what, row in sorted(rows.items()):
            total = 0
            for limit, count in zip((*_BUCKETS, "+Inf"), row, strict=True):
                total += count
                yield f'privsc_run_seconds_bucket{{what="{what}",le="{limit}"}} {total}'
            yield f'privsc_run_seconds_sum{{what="{what}"}} {self.seconds[what]:.3f}'
            yield f'privsc_run_seconds_count{{what="{what}"}} {total}'
        yield "# TYPE privsc_errors_total counter"
        yield f"privsc_errors_total {self.errors}"


METRICS = Metrics()


def text() -> str:
    """Return all numbers in the format of Prometheus."""
    now = scheduler.SCHEDULER
    lines = [
        "# TYPE privsc_sessions gauge",
        f"privsc_sessions {_sessions()}",
        *METRICS.lines(),
        "# TYPE privsc_work_total counter",
        *(f'privsc_work_total{{how="{how}"}} {n}' for how, n in sorted(now.counts.items())),
        "# TYPE privsc_work_waiting gauge",
        f"privsc_work_waiting {now.waiting()}",
        "# TYPE process_cpu_seconds_total counter",
        f"process_cpu_seconds_total {time.process_time():.2f}",
    ]
    with contextlib.suppress(OSError, IndexError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        lines += ["# TYPE process_resident_memory_bytes gauge",
                  f"process_resident_memory_bytes {pages * os.sysconf('SC_PAGE_SIZE')}"]  # fmt: skip
    return "\n".join(lines) + "\n"


def _sessions() -> int:
    if not runtime.exists():
        return 0
    return runtime.get_instance()._session_mgr.num_active_sessions()  # noqa: SLF001 - as above


class _Server(http.server.ThreadingHTTPServer):
    """At an address of either kind, or at the name of one."""

    def __init__(self, address: str, port: int) -> None:
        found = socket.getaddrinfo(
            address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )  # fmt: skip
        self.address_family, *_, where = found[0]
        super().__init__((str(where[0]), int(where[1])), _Answers)


class _Answers(http.server.BaseHTTPRequestHandler):
    """GET /metrics, and nothing else."""

    def do_GET(self) -> None:
        """Answer."""
        known = self.path == "/metrics"
        body = text().encode() if known else b"GET /metrics\n"
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Log nothing: the message would be the address."""
