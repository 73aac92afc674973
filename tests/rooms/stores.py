"""Stores for tests, with a clock that tests set."""

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
    return File(folder / "rooms" / "rooms.db", clock)
