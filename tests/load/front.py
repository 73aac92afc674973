"""The hosted setup on loopback: the front server with TLS, and two application processes.

The configuration is .hosting/nginx as it is; only the two files that say where the processes and
the front server are get written anew, and the certificate is made on the spot.
"""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.load.host import ROOT, START, Host, free_port

HOSTING = ROOT / ".hosting"


def nginx() -> str | None:
    """Return the path of nginx, which lives where only administrators look."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


class Front:
    """nginx and `processes` of the dashboard; the same methods as `Host`."""

    def __init__(
        self, *, base_path: str = "", processes: int = 2, level: int = 9, rooms: str = ""
    ) -> None:
        self.level = level  # of compression: 9 as in the image, 1 where only speed matters
        self._folder = tempfile.TemporaryDirectory(prefix="privsc-front-")
        self.prefix = Path(self._folder.name)
        self.rooms = rooms or str(self.prefix / "rooms" / "rooms.db")
        shared = {"PRIVSC_ROOMS": self.rooms}
        self.hosts = [
            Host("serve", base_path=base_path, environment=shared) for _ in range(processes)
        ]
        self.prefix.chmod(0o755)  # nginx's workers are somebody else when we are root
        self.port = free_port()
        self.url = "/".join(filter(None, (f"https://127.0.0.1:{self.port}", base_path.strip("/"))))
        self.process: subprocess.Popen[bytes] | None = None
        self.started = 0.0

    def _write(self) -> None:
        if (self.prefix / "nginx.conf").exists():
            return
        for file in (HOSTING / "nginx").iterdir():
            shutil.copy(file, self.prefix)
        spec = importlib.util.spec_from_file_location("bundle", HOSTING / "bundle.py")
        module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
        spec.loader.exec_module(module)  # type: ignore[union-attr]
        module.bundle(self.prefix / "bundle", self.level)
        subprocess.run(
            ["openssl", "req", "-x509", "-nodes", "-days", "2",  # noqa: S607 - wherever it is
             "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", "key.pem", "-out", "cert.pem"],
            cwd=self.prefix, check=True, capture_output=True,
        )  # fmt: skip
        servers = "".join(f"server 127.0.0.1:{host.port};" for host in self.hosts)
        (self.prefix / "upstream.conf").write_text(
            f"upstream dashboard {{ hash $visitor consistent; {servers} keepalive 32; }}\n"
            f"upstream rooms {{ {servers} keepalive 32; }}\n"
        )
        listen = (HOSTING / "nginx" / "listen.conf").read_text()
        listen = listen.replace("listen 8443 ", f"listen 127.0.0.1:{self.port} ")
        listen = listen.replace("/run/tls/", f"{self.prefix}/")
        (self.prefix / "listen.conf").write_text(listen)
        main = (self.prefix / "nginx.conf").read_text()
        (self.prefix / "nginx.conf").write_text(
            main.replace("/tmp/privsc-", f"{self.prefix}/tmp-").replace(  # noqa: S108 - the text of the configuration
                "/dev/stdout", f"{self.prefix}/access.log"
            )
        )

    def start(self) -> None:
        """Start the processes, then the front server; wait until all are healthy."""
        begin = time.perf_counter()
        self._write()
        for host in self.hosts:
            host.start()
        found = nginx()
        if found is None:
            raise RuntimeError("nginx is not installed")
        with (self.prefix / "error.log").open("ab") as log:
            self.process = subprocess.Popen(
                [found, "-p", str(self.prefix), "-c", str(self.prefix / "nginx.conf"),
                 "-g", "daemon off;"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        while not self.healthy():
            if self.process.poll() is not None or time.perf_counter() - begin > START:
                raise RuntimeError(f"nginx did not start:\n{self.log()}")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=0.02)
        self.started = time.perf_counter() - begin

    def healthy(self) -> bool:
        """Tell whether the health check answers through the front."""
        context = ssl.create_default_context(cafile=self.prefix / "cert.pem")
        try:
            with urllib.request.urlopen(  # noqa: S310 - loopback
                f"{self.url}/_stcore/health", timeout=5, context=context
            ) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> None:
        """End everything."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None
        for host in self.hosts:
            host.stop(sign)

    def kill(self) -> None:
        """End everything as a power cut does."""
        self.stop(signal.SIGKILL)

    def log(self) -> str:
        """Return what nginx has complained about."""
        return (self.prefix / "error.log").read_text(errors="replace")

    def trouble(self) -> list[str]:
        """Return what the logs of the processes say of exceptions."""
        return [line for host in self.hosts for line in host.trouble()]

    def pids(self) -> list[int]:
        """Return the identifiers of all processes, without their children."""
        own = [] if self.process is None else [self.process.pid]
        return own + [pid for host in self.hosts for pid in host.pids()]

    def close(self) -> None:
        """End and clean up."""
        self.stop()
        for host in self.hosts:
            host.close()
        self._folder.cleanup()
