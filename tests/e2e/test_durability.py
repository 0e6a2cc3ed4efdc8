"""Promise 1: `250` only once the mail is durable, watched from outside with strace."""

import re
import shutil
import smtplib
from pathlib import Path

import pytest

from tests.e2e.player import Player
from tests.e2e.running import PROGRAMS, RunningServer
from tests.e2e.sink import Sink

SYNCED = re.compile(r"(?:fdatasync|fsync)\(\d+\) += 0|<\.\.\. (?:fdatasync|fsync) resumed>\) += 0")
KEPT = re.compile(r'(?:sendto|write)\(\d+, "250 2\.0\.0 kept')


def under_strace(server: RunningServer, *options: str) -> RunningServer:
    """The same server, on the same port and data, watched."""
    strace = shutil.which("strace")
    assert strace is not None, "strace is missing; run: make deps"
    trace = str(server.folder / "trace")
    calls = "trace=fdatasync,fsync,sendto,write"
    command = (
        strace,
        "-D",
        "-f",
        "-o",
        trace,
        "-e",
        calls,
        *options,
        str(PROGRAMS / "pbm"),
        "serve",
    )
    return RunningServer(server.folder, server.settings, command, server.port)


@pytest.fixture
def stopped(server: RunningServer, alice: Player) -> RunningServer:  # noqa: ARG001
    """A server that has run, so that its database is there; it is stopped again."""
    server.stop()
    return server


def test_promise_1_a_sync_precedes_every_250(stopped: RunningServer, sink: Sink) -> None:
    with under_strace(stopped) as watched:
        player = Player("alice", watched, sink)
        for number in range(5):
            player.writes("whoami", f"mail {number}")
    events = [
        "sync" if SYNCED.search(line) else "kept"
        for line in (stopped.folder / "trace").read_text(errors="replace").split("\n")
        if SYNCED.search(line) or KEPT.search(line)
    ]
    assert events.count("kept") == 5
    before: list[str] = []
    for event in events:
        if event == "kept":
            assert "sync" in before
            before = []
        else:
            before.append(event)


@pytest.mark.parametrize("error", ["EIO", "ENOSPC"])
def test_promise_1_a_failing_sync_is_no_250(
    error: str, stopped: RunningServer, sink: Sink, tmp_path: Path
) -> None:
    assert tmp_path == stopped.folder
    player = Player("alice", stopped, sink)
    inject = f"inject=fdatasync,fsync:error={error}"
    with under_strace(stopped, "-e", inject) as failing, pytest.raises(smtplib.SMTPDataError) as no:
        Player("alice", failing, sink).writes("whoami")
    assert no.value.smtp_code == 451
    assert error.encode() not in no.value.smtp_error
    # With the disk back, nothing of the refused mail is there, and the next one is taken.
    stopped.start()
    already = len(player.mails)
    player.read = already
    player.writes("whoami")
    player.receives()
    assert len(player.mails) == already + 1
    assert stopped.admin("queue", "list").stdout.strip() == "The queue is empty."
