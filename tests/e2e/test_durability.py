"""Promise 1: `250` only once the mail is durable, watched from outside with strace."""

import re
import shutil
import smtplib
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.e2e.player import SERVER, Player
from tests.e2e.running import PROGRAMS, RunningServer
from tests.e2e.sink import Sink
from tests.polling import until

SYNCED = re.compile(r"(?:fdatasync|fsync)\(\d+\) += 0|<\.\.\. (?:fdatasync|fsync) resumed>\) += 0")
KEPT = re.compile(r'(?:sendto|write)\(\d+, "250 2\.0\.0 kept')
_CALL = r"(?:(?:recvfrom|recv|read)\(\d+,|<\.\.\. (?:recvfrom|recv|read) resumed>)"
ENDED = re.compile(_CALL + r' ?"(?:.*\\r\\n)?\.\\r\\n"')
MAILS = 5
SERVE = (str(PROGRAMS / "pbm"), "serve")


def under_strace(
    server: RunningServer, *options: str, program: tuple[str, ...] = SERVE
) -> RunningServer:
    """The same server, on the same port and data, watched."""
    strace = shutil.which("strace")
    assert strace is not None, "strace is missing; run: make deps"
    trace = str(server.folder / "trace")
    calls = "trace=fdatasync,fsync,sendto,write,recvfrom,recv,read"
    watching = (
        strace,
        "-D",
        "-f",
        "--seccomp-bpf",
        "-s",
        "4096",
        "-o",
        trace,
        "-e",
        calls,
        *options,
    )
    return RunningServer(server.folder, server.settings, (*watching, *program), server.port)


@pytest.fixture
def stopped(server: RunningServer, alice: Player) -> RunningServer:  # noqa: ARG001
    """A server that has run, so that its database is there; it is stopped again."""
    server.stop()
    return server


def test_promise_01_a_sync_stands_between_the_dot_and_every_250(
    stopped: RunningServer, alice: Player
) -> None:
    with under_strace(stopped) as watched:
        for number in range(MAILS):
            # Automatic mail has no answer, so when it is done the database is quiet again.
            alice.sends(robot_mail(alice, number))
            until(lambda number=number: nothing_sent(watched, number + 1), "the end of the turn")
    events = [what_it_is(line) for line in trace_of(stopped)]
    assert events.count("kept") == MAILS
    for position, event in enumerate(events):
        if event == "kept":
            dot = max(index for index in range(position) if events[index] == "ended")
            assert "sync" in events[dot:position]


def robot_mail(player: Player, number: int) -> EmailMessage:
    mail = player.answer_to(player.welcome, f"robot {number}")
    mail["Auto-Submitted"] = "auto-replied"
    mail.replace_header(
        "From", f"robot{number}@example.org"
    )  # of one sender one at a time is obeyed
    mail.replace_header("To", SERVER)
    return mail


def nothing_sent(server: RunningServer, times: int) -> bool:
    return server.log.count("nothing: automatic mail") >= times


def trace_of(server: RunningServer) -> list[str]:
    return (server.folder / "trace").read_text(errors="replace").split("\n")


def what_it_is(line: str) -> str:
    found = {"sync": SYNCED, "kept": KEPT, "ended": ENDED}
    return next((name for name, pattern in found.items() if pattern.search(line)), "")


@pytest.mark.parametrize("error", ["EIO", pytest.param("ENOSPC", marks=pytest.mark.thorough)])
def test_promise_01_a_failing_sync_is_no_250(
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
    stopped.until_all_is_sent()


# -- how many syncs ------------------------------------------------------------------------------

MANY = 50
CONNECTIONS = 5  # at most, to the database
# For as many that wait for each other: they are kept at once, and their turns are taken in groups
# of 1, 2, 4, 8, 16, 16 and 3.
FEW = 1 + 7


def patient(many: int) -> tuple[str, ...]:
    """A server that lets so many mails wait for each other, and no later ones."""
    return sys.executable, str(Path(__file__).with_name("patient_server.py")), str(many)


def synced(server: RunningServer, path: str) -> int:
    """How often what ends in this path was synced, in a trace that names files."""
    begun = re.compile(rf"(?:fdatasync|fsync)\(\d+<[^>]*{path}>")
    return sum(bool(begun.search(line)) for line in trace_of(server))


def is_quiet(server: RunningServer) -> bool:
    """Whether every mail is obeyed, and that is committed."""
    connection = sqlite3.connect(server.folder / "var" / "pbm.sqlite3")
    (new,) = connection.execute("SELECT count(*) FROM inbox WHERE status = 'new'").fetchone()
    connection.close()
    return bool(new == 0)


def test_many_mails_at_once_share_their_syncs_and_one_alone_has_two(
    stopped: RunningServer, alice: Player
) -> None:
    """Alone each is synced once for its keeping and once for its turn."""

    def is_done(mails: int) -> bool:
        return nothing_sent(watched, mails) and is_quiet(stopped)

    with under_strace(stopped, "-y", program=patient(MANY)) as watched:
        alice.sends(robot_mail(alice, MANY))
        until(lambda: is_done(1), "the log to be there")
        before = synced(stopped, "-wal")
        with ThreadPoolExecutor(MANY) as pool:
            mails = [robot_mail(alice, number) for number in range(MANY)]
            assert list(pool.map(alice.sends, mails)) == [None] * MANY  # each has its 250
        until(lambda: is_done(1 + MANY), "the turns")
        together = synced(stopped, "-wal")
        assert 1 < together - before <= FEW
        for number in range(1, MAILS + 1):
            alice.sends(robot_mail(alice, MANY + number))
            until(lambda number=number: is_done(1 + MANY + number), "its turn and its commit")
        assert synced(stopped, "-wal") == together + 2 * MAILS
        # And once for each connection the folder that the log is in.
        assert 0 < synced(stopped, "/var") <= CONNECTIONS
