"""Kills a release at every step that it takes, and looks at its budget: run by test_trusted_budget.

It forks a child for each of many events (a line, a call, a return, of Python or of the system) of our
own code between the start and the end of a release, and the child kills itself there, by SIGKILL.
Prints as JSON how many events there are, how often noise had been drawn, and what was wrong.
"""

import json
import os
import signal
import sys
import types
from pathlib import Path

from privsc_core.trusted import budget
from privsc_core.trusted.noise import Noise, library

EPSILON = 0.25


def child(file, place, pipe, *, late):
    """Release once, and die at the given event."""
    seen = 0

    def die(frame, event, arg):
        nonlocal seen
        code = frame.f_code if isinstance(frame, types.FrameType) else None
        if code is None or "trusted" not in code.co_filename:
            return None
        seen += 1
        if seen == place:
            os.kill(os.getpid(), signal.SIGKILL)
        return die

    def spend():
        budget.spend(str(file), epsilon=EPSILON, delta=0.0, adjacency="full", words={})

    def measurement(values):
        os.write(pipe, b"drawn")
        return values

    # In place of what the library would draw: it tells that it was asked.
    coins = Noise(EPSILON, (lambda: None) if late else spend)
    coins._private = lambda *_: (measurement, 8.0, EPSILON, 0.0)
    signal.alarm(60)
    sys.settrace(die)
    sys.setprofile(die)
    coins.geometric([5], sensitivity=2)
    if late:
        spend()
    sys.setprofile(None)
    sys.settrace(None)
    os.write(pipe, f"ended{seen}".encode())
    os._exit(0)


def run(file, place, *, late):
    """Return what a child told before it ended, and how it ended."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            child(file, place, write, late=late)
        finally:
            os._exit(1)
    os.close(write)
    _, status = os.waitpid(pid, 0)
    told = os.read(read, 100).decode()
    os.close(read)
    return told, status


def main(folder, places, *, late):
    library()  # once, and not in every child
    file = Path(folder) / "budget.json"
    # The same before every child, so that all take the same steps.
    before = {"epsilon": EPSILON, "delta": 0.0}
    text = json.dumps({"epsilon": 10, "spent": [before]})
    file.write_text(text, encoding="utf-8")
    told, _ = run(file, -1, late=late)
    events, paid, drawn, wrong = int(told.partition("ended")[2]), 0, 0, []
    # Evenly, and wherever the account is written and the noise drawn, which is at the end.
    evenly = {1 + i * (events - 1) // (places - 1) for i in range(places)}
    for place in sorted(evenly | set(range(max(events - 2 * places, 1), events + 1))):
        file.write_text(text, encoding="utf-8")
        told, status = run(file, place, late=late)
        try:
            spent = json.loads(file.read_text(encoding="utf-8"))["spent"]
        except ValueError:
            wrong.append([place, "the file is torn"])
            continue
        known = told.startswith("drawn")
        if spent[0] != before or len(spent) > 2 or (known and len(spent) != 2):
            wrong.append([place, f"{len(spent)} records; drawn: {known}"])
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
            wrong.append([place, f"ended by {status}"])
        paid, drawn = paid + len(spent) - 1, drawn + known
    found = {"events": events, "paid": paid, "drawn": drawn, "wrong": wrong}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), late=sys.argv[3] == "late")
