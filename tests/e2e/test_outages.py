"""Real processes while something around them breaks and comes back; see `docs/faults.md`."""

import resource
import signal
import smtplib
import socket
import sqlite3
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.e2e.player import SERVER, Player
from tests.e2e.ports import free_port
from tests.e2e.running import PROGRAMS, RunningServer
from tests.e2e.sink import Sink
from tests.polling import PATIENCE, until
from tests.postgres_server import PostgresServer, running_postgres

ENOUGH = 20  # mails before a server is told to end
DRAINED = 45  # seconds: the twenty that work under way is given, and ten for the last mails
BEFORE_IT_GIVES_UP = 25  # seconds; a connection is waited for thirty, and then put off
HASTY = "import pbm.app.cli; pbm.app.server.DRAIN_SECONDS = 1.0; pbm.app.cli.main(['serve'])"


# -- PostgreSQL ----------------------------------------------------------------------------------


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL of this test's own, which it may stop."""
    with running_postgres({"synchronous_commit": "on"}) as server:
        yield server


@pytest.fixture
def roles(tmp_path: Path, sink: Sink, postgres: PostgresServer) -> Iterator[list[RunningServer]]:
    """A process for each role."""
    with postgres.new_database() as url:
        settings = {
            "PBM_ADDRESS": SERVER,
            "PBM_SMARTHOST": sink.url,
            "PBM_DATABASE_URL": url,
            "PBM_SECRET_KEY": "a-secret-that-all-processes-know-and-only-tests",
        }
        servers = []
        for role in ("listen", "turn", "post", "ticks"):
            (tmp_path / role).mkdir()
            command = (str(PROGRAMS / "pbm"), "serve", f"--roles={role}")
            servers.append(RunningServer(tmp_path / role, settings, command))
        assert servers[0].admin("migrate").returncode == 0
        for server in servers:
            server.start_process()
        for server in servers:
            until(lambda server=server: "event=ready" in server.log, "a process to be ready")
        yield servers
        for server in servers:
            assert server.stop() == 0


@pytest.mark.thorough
def test_fault_postgresql_gone_and_back_nobody_has_to_do_anything(
    roles: list[RunningServer], sink: Sink, postgres: PostgresServer
) -> None:
    alice, bob = Player("alice", roles[0], sink), Player("bob", roles[0], sink)
    for player in (alice, bob):
        player.signs_up()
    board = alice.challenges(bob)
    for number, (player, answer) in enumerate(((alice, board), (bob, bob.mails[-1]))):
        player.answers(answer, f"Hello! {number}")  # taken, and perhaps not obeyed yet
        postgres.end(signal.SIGQUIT)
        for refused in (player.answer_to(answer, "whoami"), player._mail("whoami", "", SERVER)):
            assert code_of(player, refused) == 451
        postgres.start_again()
        for reader in (alice, bob):
            words = f"Hello! {number}".encode()
            until(
                lambda reader=reader, words=words: any(words in it.raw for it in reader.mails),
                "what was said before PostgreSQL went",
            )
        player.answers(answer, f"And now? {number}")
        again = f"And now? {number}".encode()
        until(lambda again=again: any(again in it.raw for it in bob.mails), "what was said after")
    assert all(server.process and server.process.poll() is None for server in roles)
    roles[0].until_all_is_sent()


def code_of(player: Player, mail: EmailMessage) -> int:
    """The code with which a mail is refused, at its recipient or at its end."""
    try:
        player.sends(mail)
    except smtplib.SMTPRecipientsRefused as refused:
        ((code, _),) = refused.recipients.values()
        return int(code)
    except smtplib.SMTPDataError as refused:
        return refused.smtp_code
    return 250


# -- the disk ------------------------------------------------------------------------------------


def test_fault_disk_full_is_451_until_there_is_room(
    server: RunningServer, alice: Player, bob: Player
) -> None:
    board = alice.challenges(bob)
    assert server.process is not None
    log = server.folder / "var" / "pbm.sqlite3-wal"
    soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    # No file of the server may grow any more: the same error as that of a full disk, nearly.
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (log.stat().st_size, hard))
    for _ in range(3):
        assert code_of(alice, alice.answer_to(board, "a1-c3,d4")) == 451
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (soft, hard))
    alice.answers(board, "a1-c3,d4")
    alice.receives()
    bob.receives()
    assert server.process.poll() is None
    assert server.admin("verify").returncode == 0
    server.until_all_is_sent()


# -- the end -------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_fault_sigterm_under_load_ends_in_order_and_loses_nothing(
    server: RunningServer, alice: Player
) -> None:
    taken: list[int] = []
    enough, over = threading.Event(), threading.Event()

    def sends(first: int) -> None:
        for number in range(first, first + 10_000):
            if over.is_set():
                return
            mail = alice.answer_to(alice.welcome, f"robot {number}")
            mail["Auto-Submitted"] = "auto-replied"
            with suppress(OSError, smtplib.SMTPException):
                alice.sends(mail)
                taken.append(number)
            if len(taken) >= ENOUGH:
                enough.set()

    with ThreadPoolExecutor(8) as pool:
        senders = [pool.submit(sends, 10_000 * thread) for thread in range(8)]
        assert enough.wait(PATIENCE)
        assert server.process is not None
        server.process.send_signal(signal.SIGTERM)
        status = server.process.wait(DRAINED)
        over.set()
        for sender in senders:
            sender.result()
    assert status == 0
    server.start()
    until(lambda: kept(server, "new") == 0, "the mails that waited")
    assert kept(server, "stuck") == 0
    assert kept(server, "done") - _BEFORE >= len(taken) >= ENOUGH


_BEFORE = 2  # mails with which alice signed up


def kept(server: RunningServer, status: str) -> int:
    with closing(sqlite3.connect(server.folder / "var" / "pbm.sqlite3")) as connection:
        query = "SELECT count(*) FROM inbox WHERE status = ?"
        return int(connection.execute(query, [status]).fetchone()[0])


def test_fault_sigterm_while_the_smarthost_hangs_ends_in_time(
    server: RunningServer, alice: Player
) -> None:
    server.stop()
    with socket.create_server(("127.0.0.1", free_port())) as silent:
        port = silent.getsockname()[1]
        settings = {**server.settings, "PBM_SMARTHOST": f"smtp://127.0.0.1:{port}"}
        command = (sys.executable, "-c", HASTY)
        hanging = RunningServer(server.folder, settings, command, server.port)
        hanging.start()
        alice.writes("", "whoami", to=reply_address(alice))
        with closing(silent.accept()[0]):  # it is about to send, and nobody greets
            assert hanging.process is not None
            hanging.process.send_signal(signal.SIGTERM)
            assert hanging.process.wait(BEFORE_IT_GIVES_UP) == 0
    hanging.check_log()
    server.start()
    alice.receives()  # it was not lost


def reply_address(player: Player) -> str:
    return str(player.answer_to(player.welcome, "")["To"])
