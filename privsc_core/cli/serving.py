"""`serve`: start the dashboard with the project's own configuration."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import privsc_core as pv
from privsc_core import catalog
from privsc_core.cli.numbers import whole
from privsc_core.errors import InputError, missing

if TYPE_CHECKING:
    import argparse

_FILES = 16_384  # open files, each connection is one


def dashboard_folder(beside: Path | None = None) -> Path:
    """Return the folder of app.py: beside the package (checkout), or in privsc_dashboard (wheel).

    Parameters
    ----------
    beside : Path, optional
        Where to look; by default the folder that holds the package.

    Raises
    ------
    InputError
        When neither is there.
    """
    root = beside or Path(pv.__file__).resolve().parent.parent
    for folder in (root, root / "privsc_dashboard"):
        # In site-packages an app.py alone may belong to another package.
        if (folder / "app.py").is_file() and (folder / "pages").is_dir():
            return folder
    requirement = f"must be beside the package, with pages/, or in {root / 'privsc_dashboard'}"
    raise InputError("app.py", requirement, "no such file")


def serve(options: argparse.Namespace) -> int:
    """Start Streamlit in the folder of app.py, so that .streamlit/config.toml applies."""
    port = None if options.port is None else whole("port", options.port, 1, 65535)
    folder = dashboard_folder()
    if importlib.util.find_spec("streamlit") is None:
        raise missing("streamlit", "app")
    _check_free(options.address, port)
    for path in options.brought:
        catalog.bring(path)
    # Streamlit's own command, in a process that visits its pages before all visitors.
    command = [sys.executable, "-m", "pages.shared"]
    if port is not None:
        command.append(f"--server.port={port}")
    if options.address is not None:
        command.append(f"--server.address={options.address}")
    if options.scheduler is not None:
        command.append(f"--scheduler={options.scheduler}")
    environment = _environment(options)
    if environment.get("PRIVSC_LOG") == "json":
        # Tracebacks as lines, too, and no banner between them.
        command += ["--logger.messageFormat=%(message)s", "--logger.enableRich=false"]
        command.append("--logger.hideWelcomeMessage=true")
    _raise_open_files()
    if os.name == "posix":
        # Become the server: a signal to this process then reaches it.
        os.chdir(folder)
        os.execve(command[0], command, environment)  # noqa: S606 - our own interpreter, no shell
    return subprocess.call(command, cwd=folder, env=environment)  # noqa: S603 - our own interpreter, no shell


def _environment(options: argparse.Namespace) -> dict[str, str]:
    """Return the variables of the server's process."""
    environment = dict(os.environ)
    # Else what one thread gives back another does not get: memory grows for hours (glibc).
    environment.setdefault("MALLOC_ARENA_MAX", "2")
    # Visitors share the processors, and its workers are copies of it (pages/shared/scheduling).
    environment |= dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
    )
    if options.metrics is not None:
        environment["PRIVSC_METRICS"] = _metrics(options.metrics)
    if options.log is not None:
        environment["PRIVSC_LOG"] = options.log
    if options.rooms is not None:
        environment["PRIVSC_ROOMS"] = _rooms(options.rooms)
    if options.brought:
        files = [str(Path(path).resolve()) for path in options.brought]
        environment["PRIVSC_WITH"] = os.pathsep.join(files)
    return environment


def _rooms(given: str) -> str:
    """Return ``off``, the address of a server, or the whole path of a file."""
    if not given.strip():
        raise InputError("rooms", "must be a file, redis://host:6379 or off", given)
    return given if given == "off" or "://" in given else str(Path(given).resolve())


def _metrics(given: str) -> str:
    """Return address:port of a port, or of address:port."""
    address, _, text = given.rpartition(":")
    port = whole("metrics", text, 1, 65535)
    address = address.removeprefix("[").removesuffix("]")
    _check_free(address or None, port, names=("metrics", "metrics"))
    return f"{address or '127.0.0.1'}:{port}"


def _raise_open_files() -> None:
    """Allow as many connections as the system lets us: often 1024 files are the default."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # not on every system

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _check_free(
    address: str | None, port: int | None, *, names: tuple[str, str] = ("address", "port")
) -> None:
    """Refuse an address that is not ours or a port that is taken, before Streamlit starts.

    `names` are what the sentences call the two.
    """
    if address is None and port is None:
        return
    host = "127.0.0.1" if address is None else address
    ours = "must be an address of this machine, such as 127.0.0.1 or 0.0.0.0"
    try:
        if not host.strip():
            raise InputError(names[0], ours, host)
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, port or 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
    except (UnicodeError, socket.gaierror, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(names[0], ours, host) from None
    except OSError as error:
        if error.errno in {errno.EADDRINUSE, errno.EACCES}:
            state = "in use" if error.errno == errno.EADDRINUSE else "not allowed"
            raise InputError(names[1], f"must be free on {host}", f"{port}, {state}") from None
        raise InputError(names[0], ours, host) from None
