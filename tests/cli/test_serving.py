"""`privsc serve`: what it starts, and what it refuses before it starts anything."""

import os
import sys
from pathlib import Path

import pytest

from privsc_core.cli import main


@pytest.fixture
def started(monkeypatch):
    """Catch what would replace this process."""
    calls = []

    def caught(path, command, environment):
        calls.append((path, command, environment))
        raise SystemExit(0)

    monkeypatch.setattr(os, "execve", caught)
    monkeypatch.setattr(os, "name", "posix")
    monkeypatch.setattr(os, "chdir", lambda _: None)
    for name in ("PRIVSC_LOG", "PRIVSC_METRICS", "PRIVSC_ROOMS"):
        monkeypatch.delenv(name, raising=False)
    return calls


def serve(started, *words):
    with pytest.raises(SystemExit):
        main(["serve", *words])
    [(path, command, environment)] = started
    assert path == sys.executable
    assert command[1:3] == ["-m", "pages.shared"]
    return command[3:], environment


def test_nothing_is_open_unless_asked_for(started):
    options, environment = serve(started)
    assert options == []
    assert not {"PRIVSC_LOG", "PRIVSC_METRICS", "PRIVSC_ROOMS"} & set(environment)
    assert environment["MALLOC_ARENA_MAX"] == "2"


def test_options_reach_the_server(started):
    options, environment = serve(started, "--metrics", "9100", "--log", "json")
    assert environment["PRIVSC_METRICS"] == "127.0.0.1:9100"
    assert environment["PRIVSC_LOG"] == "json"
    assert "--logger.enableRich=false" in options


@pytest.mark.parametrize("where", ["off", "redis://127.0.0.1:6379/1", "rediss://host"])
def test_rooms_are_kept_where_the_command_says(started, where):
    assert serve(started, "--rooms", where)[1]["PRIVSC_ROOMS"] == where


def test_a_file_of_rooms_is_named_as_seen_from_here(started):
    assert serve(started, "--rooms", "rooms.db")[1]["PRIVSC_ROOMS"] == str(
        Path("rooms.db").resolve()
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--log", "xml"), "log must be one of plain, json; got xml."),
        (("--log", ""), "log must be one of plain, json; got "),
        (("--rooms", " "), "rooms must be a file, redis://host:6379 or off; got an empty text."),
        (("--metrics", "1.2.3.4.5:9"), "metrics must be an address of this machine"),
        (("--metrics", "203.0.113.7:9100"), "metrics must be an address of this machine"),
        (("--metrics", "<b>:9100"), "metrics must be an address of this machine"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(started, capsys, words, said):
    assert main(["serve", *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"privsc: error: {said}")
    assert error.count("\n") == 1
    assert not started


def test_who_knows_better_how_memory_is_shared_among_threads_is_left_alone(started, monkeypatch):
    monkeypatch.setenv("MALLOC_ARENA_MAX", "8")
    _, environment = serve(started)
    assert environment["MALLOC_ARENA_MAX"] == "8"


def test_the_form_of_the_log_may_come_from_the_environment(started, monkeypatch):
    monkeypatch.setenv("PRIVSC_LOG", "json")
    assert "--logger.messageFormat=%(message)s" in serve(started)[0]


@pytest.mark.parametrize("given", ["0", "65536", "here", "127.0.0.1:", "127.0.0.1"])
def test_a_bad_port_of_the_metrics_is_one_sentence(started, capsys, given):
    assert main(["serve", "--metrics", given]) == 2
    assert "privsc: error: metrics must be" in capsys.readouterr().err
    assert not started
