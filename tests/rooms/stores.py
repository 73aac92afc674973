"""Stores for tests, with a clock that tests set."""

import contextlib
import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path

from pages.shared.room.store import File


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def pass_(self, seconds):
        self.now += seconds


def file(folder, clock):
    """Return a store in a file."""
    return File(folder / "rooms" / "rooms.db", clock)


def program():
    """Return the path of Redis or Valkey, or None."""
    found = filter(None, map(shutil.which, ("valkey-server", "redis-server")))
    return next(found, None)


def missing():
    """Return why there is no such server here, or an empty text."""
    if importlib.util.find_spec("redis") is None:
        return "the package redis is not installed (extra: rooms)"
    return "" if program() else "neither redis-server nor valkey-server is installed"


class Redis:
    """A server of the system's package, in a folder of its own; `save` says when it saves what it has, as it reads it."""

    def __init__(self, save=""):
        self._save = save
        self._folder = tempfile.TemporaryDirectory(prefix="privsc-redis-")
        self.path = Path(self._folder.name) / "redis.sock"
        self.url = f"unix://{self.path}"
        self.process = None

    def start(self):
        """Start, and wait until it answers."""
        self.process = subprocess.Popen(
            [program(), "--port", "0", "--unixsocket", self.path, "--save", self._save, "--dir", self._folder.name],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        client = self.client()
        while True:
            with contextlib.suppress(Exception):
                return client.info("server")["redis_version"]
            if self.process.poll() is not None:
                raise RuntimeError("the server did not start")

    def client(self):
        """Return a client of it."""
        import redis

        return redis.Redis.from_url(self.url, decode_responses=True)

    def kill(self):
        """End it as a power cut does."""
        self.process.kill()
        self.process.wait()

    def close(self):
        """End and clean up."""
        self.kill()
        self._folder.cleanup()
