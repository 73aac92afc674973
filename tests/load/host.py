"""The dashboard as it is hosted: one process, or several behind the front server."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = 180.0  # seconds, for a machine that has other things to do
TROUBLE = ("Traceback", "Uncaught app exc")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def free_port() -> int:
    """Return a port of loopback that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Host:
    """One process of the dashboard on loopback; it can be killed and started again.

    Parameters
    ----------
    how : {"serve", "streamlit"}
        `privsc serve`, or `streamlit run app.py`.
    base_path : str
        The path under which it is served, if any.
    environment : dict, optional
        More environment variables.
    options : tuple of str
        More options of the command.
    root : Path
        The folder of app.py.
    rooms : str
        The server or the file of its rooms (default: a file of its own).
    """

    def __init__(
        self,
        how: str = "serve",
        *,
        base_path: str = "",
        environment: dict[str, str] | None = None,
        options: tuple[str, ...] = (),
        root: Path = ROOT,
        rooms: str = "",
    ) -> None:
        self.root = root
        self.how, self.base_path, self.options = how, base_path.strip("/"), options
        self._home = tempfile.TemporaryDirectory(prefix="privsc-load-")
        self.rooms = rooms or str(Path(self._home.name) / "rooms" / "rooms.db")
        self.environment = {"PRIVSC_ROOMS": self.rooms} | (environment or {})
        self.port = free_port()
        self.url = "/".join(filter(None, (f"http://127.0.0.1:{self.port}", self.base_path)))
        self.log_file = Path(self._home.name) / "server.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.started = 0.0  # seconds that the last start took

    def start(self) -> None:
        """Start, and wait until the health check answers."""
        begin = time.perf_counter()
        self.process = self._spawn()
        while not self.healthy():
            if time.perf_counter() - begin > START:
                raise RuntimeError(f"not healthy after {START:g} s:\n{self.log()}")
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self.process.wait(timeout=0.02)
                raise RuntimeError(f"ended with status {code}:\n{self.log()}")
        self.started = time.perf_counter() - begin

    def _spawn(self) -> subprocess.Popen[bytes]:
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("STREAMLIT_", "PRIVSC_"))}
        env = keep | {"HOME": self._home.name, "PYTHONUNBUFFERED": "1"} | self.environment
        if self.base_path:
            env["STREAMLIT_SERVER_BASE_URL_PATH"] = self.base_path
        command = [sys.executable, "-m"]
        if self.how == "serve":
            command += ["privsc_core", "serve", "--port", str(self.port), *self.options]
        else:
            command += ["streamlit", "run", "app.py", f"--server.port={self.port}", *self.options]
        with self.log_file.open("ab") as log:
            return subprocess.Popen(
                command, cwd=self.root, env=env, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def kill(self) -> None:
        """End it as a power cut does."""
        self.stop(signal.SIGKILL)

    def healthy(self) -> bool:
        """Tell whether the health check answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5) as answer:  # noqa: S310 - loopback
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> None:
        """End the process, for good if it does not listen."""
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, sign)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process = None

    def log(self) -> str:
        """Return what it has said."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def trouble(self) -> list[str]:
        """Return how often the log speaks of an exception, and the last one's last lines."""
        lines = COLOUR.sub("", self.log()).splitlines()
        found = [i for i, line in enumerate(lines) if any(word in line for word in TROUBLE)]
        return [f"{len(found)} exceptions, the last:", *lines[found[-1] :][-12:]] if found else []

    def pids(self) -> list[int]:
        """Return the identifiers of its processes, without their children."""
        return [] if self.process is None else [self.process.pid]

    def close(self) -> None:
        """End and clean up."""
        self.stop()
        self._home.cleanup()
