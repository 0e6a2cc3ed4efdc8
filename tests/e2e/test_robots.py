"""Killed in mid-thought, be it who thinks, the server or the database: each move comes once."""

import os
import signal
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path

import pytest

from tests.e2e.player import SERVER, Player, text_of
from tests.e2e.running import RunningServer
from tests.e2e.sink import Sink
from tests.e2e.slow_robot import FOLDER
from tests.polling import until
from tests.postgres_server import PostgresServer, running_postgres

ROOT = Path(__file__).parents[2]
ROLES = ("listen,turn,post,ticks", "robots", "robots")


class Thinking:
    """The robots of a slow server, from outside."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._seen: set[int] = set()

    @property
    def settings(self) -> dict[str, str]:
        """What a slow server has to know."""
        return {FOLDER: str(self.folder), "PYTHONPATH": str(ROOT), "PBM_ROBOT_PROCESSES": "1"}

    def next_one(self) -> int:
        """The process that thinks next, whoever was seen before."""

        def found() -> list[int]:
            pids = {int(file.name.partition("-")[2]) for file in self.folder.glob("thinks-*")}
            return sorted(pids - self._seen)

        pid = until(found, "a robot to think")[0]
        self._seen.add(pid)
        return pid

    def may_go_on(self) -> None:
        """Let all thoughts come to an end."""
        (self.folder / "go-on").touch()


@pytest.fixture
def thinking(tmp_path: Path) -> Thinking:
    return Thinking(tmp_path / "thinking")


def assert_one_answer(player: Player) -> None:
    """Check that a robot has moved once, and that its player got one mail of it."""
    answered = until(lambda: board_mails(player, 2), "the robot's move")
    player.server.until_all_is_sent()  # type: ignore[union-attr]
    answered = board_mails(player, 2)
    assert len({message_from_bytes(mail.raw)["Message-ID"] for mail in answered}) == 1
    assert "moved: your turn on board 1" in text_of(answered[0])
    verified = player.server.admin("verify")  # type: ignore[union-attr]
    assert verified.returncode == 0, verified.stdout + verified.stderr


def board_mails(player: Player, ply: int) -> list:  # type: ignore[type-arg]
    mark = f"X-PBM-Ply: {ply}\r\n".encode()
    return [mail for mail in player.mails if mark in mail.raw]


def is_over(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


def test_who_thinks_and_then_the_server_are_killed(
    tmp_path: Path, sink: Sink, thinking: Thinking
) -> None:
    settings = {"PBM_ADDRESS": SERVER, "PBM_SMARTHOST": sink.url, **thinking.settings}
    (tmp_path / "server").mkdir()
    server = RunningServer(tmp_path / "server", settings, ("slow-robot",))
    with server:
        alice = moves_against_pebble(server, sink)
        first = thinking.next_one()
        os.kill(first, signal.SIGKILL)
        second = thinking.next_one()
        assert "the process of the search has died" in server.log
        assert server.process is not None
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(240)
        until(lambda: is_over(second), "who thinks to end with the server")
        server.start()
        third = thinking.next_one()
        assert not board_mails(alice, 2)
        server.stop()  # in order, in the middle of a thought
        until(lambda: is_over(third), "who thinks to end with the server")
        server.start()
        thinking.next_one()
        thinking.may_go_on()
        assert_one_answer(alice)


def moves_against_pebble(server: RunningServer, sink: Sink) -> Player:
    """A newcomer who challenges pebble and moves."""
    alice = Player("alice", server, sink)
    alice.signs_up()
    alice.answers(alice.welcome, "challenge pebble")
    board = until(lambda: board_mails(alice, 0), "the board")[0]
    alice.answers(board, "a1-c3,d4")
    return alice


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL of this test's own, which it may stop."""
    with running_postgres({"synchronous_commit": "on"}) as server:
        yield server


@pytest.mark.thorough
def test_the_database_is_killed_and_one_of_two_processes(
    tmp_path: Path, sink: Sink, thinking: Thinking, postgres: PostgresServer
) -> None:
    with postgres.new_database() as url:
        settings = {
            "PBM_ADDRESS": SERVER,
            "PBM_SMARTHOST": sink.url,
            "PBM_DATABASE_URL": url,
            "PBM_SECRET_KEY": "a-secret-that-all-processes-know-and-only-tests",
            **thinking.settings,
        }
        servers = []
        for number, roles in enumerate(ROLES):
            (tmp_path / f"{number}").mkdir()
            words = {"SLOW_ROBOT_WORDS": f"--roles={roles}"}
            servers.append(
                RunningServer(tmp_path / f"{number}", {**settings, **words}, ("slow-robot",))
            )
        assert servers[0].admin("migrate").returncode == 0
        for server in servers:
            server.start_process()
        for server in servers:
            until(lambda server=server: "event=ready" in server.log, "a process to be ready")
        alice = moves_against_pebble(servers[0], sink)
        first = thinking.next_one()
        postgres.end(signal.SIGQUIT)
        postgres.start_again()
        (doomed,) = (server for server in servers[1:] if parent_of(first) == pid_of(server))
        assert doomed.process is not None
        doomed.process.send_signal(signal.SIGKILL)
        doomed.process.wait(240)
        thinking.next_one()  # of the other process, once the lease has run out
        thinking.may_go_on()
        assert_one_answer(alice)
        for server in servers:
            server.stop()


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[1])


def pid_of(server: RunningServer) -> int | None:
    return server.process.pid if server.process else None
