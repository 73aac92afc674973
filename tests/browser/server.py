"""The dashboard as a real process: started from the checkout, watched, and stopped for good."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_TIMEOUT = 180.0  # seconds, generous for two busy cores; a healthy start takes about two
TRIES = 3  # between picking a free port and using it somebody else may take it

# What no log of ours may hold. Streamlit logs deprecations instead of warning about them.
TROUBLE = re.compile(r"traceback|uncaught app exc|deprecat", re.IGNORECASE)
PORT_TAKEN = re.compile(
    r"port \d+ is (not available|already in use)|address already in use", re.IGNORECASE
)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # Streamlit colours tracebacks even in a file


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass(frozen=True)
class Joined:
    """The address of a server that another process has started, and stops."""

    url: str


class Server:
    """One `streamlit run app.py` on a free loopback port, under the project's own configuration.

    `env` is added to its environment. With `served` it is what `privsc serve` runs.
    """

    def __init__(
        self,
        *options: str,
        script: str | Path = "app.py",
        served: bool = False,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._options, self._env = options, dict(env or {})
        self._module = ["pages.shared"] if served else ["streamlit", "run", str(script)]
        self._home = tempfile.TemporaryDirectory(prefix="privsc-home-")
        self._log = Path(self._home.name) / "server.log"
        for attempt in range(1, TRIES + 1):
            self.port = _free_port()
            self.url = f"http://127.0.0.1:{self.port}"
            self._process = self._start()
            try:
                self._wait_until_healthy()
            except RuntimeError:
                log = self.log()
                self._kill()
                if attempt < TRIES and PORT_TAKEN.search(log):
                    continue
                self._home.cleanup()
                raise
            return

    def _start(self) -> subprocess.Popen[bytes]:
        # Nothing of the developer's own Streamlit may leak in: no STREAMLIT_* variables and an
        # empty home (~/.streamlit). What is left is .streamlit/config.toml of the checkout.
        env = {key: value for key, value in os.environ.items() if not key.startswith("STREAMLIT_")}
        env |= {"HOME": self._home.name, "PYTHONUNBUFFERED": "1"} | self._env
        command = [sys.executable, "-m", *self._module]
        command += ["--server.headless=true", "--server.address=127.0.0.1"]
        command += [f"--server.port={self.port}", *self._options]
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=ROOT,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _wait_until_healthy(self) -> None:
        # Each round waits on the process, which returns at once should it die.
        pause = 0.05
        for _ in range(int(START_TIMEOUT / pause)):
            if self.is_healthy():
                return
            try:
                code = self._process.wait(timeout=pause)
            except subprocess.TimeoutExpired:
                continue
            message = f"the server ended with status {code} while starting:\n{self.log()}"
            raise RuntimeError(message)
        message = f"the server was not healthy after {START_TIMEOUT:g} s:\n{self.log()}"
        raise RuntimeError(message)

    def is_healthy(self) -> bool:
        """Tell whether the health end point answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5) as answer:  # noqa: S310
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def log(self) -> str:
        """Return everything the server has said so far."""
        return COLOUR.sub("", self._log.read_text(encoding="utf-8", errors="replace"))

    def trouble(self) -> str:
        """Return the log if it holds a traceback or a deprecation, otherwise nothing."""
        log = self.log()
        return log if TROUBLE.search(log) else ""

    def _kill(self) -> None:
        for sign, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 10)):
            try:
                os.killpg(self._process.pid, sign)
            except ProcessLookupError:
                break
            try:
                self._process.wait(timeout=patience)
            except subprocess.TimeoutExpired:
                continue
            break
        with contextlib.suppress(ProcessLookupError):  # whatever it left behind in its group
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def restart(self) -> None:
        """End the server without a good-bye and start it again at the same address."""
        self._kill()
        self._process = self._start()
        self._wait_until_healthy()

    def stop(self) -> str:
        """End the server and its children; return what `trouble` found."""
        self._kill()
        found = self.trouble()
        self._home.cleanup()
        return found
