"""Several processes on one PostgreSQL share the work; two on one SQLite file do not."""

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from email import message_from_bytes
from itertools import permutations
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests import preloaded
from tests.e2e.player import SERVER, Player, position_in, text_of
from tests.e2e.ports import free_port
from tests.e2e.running import PROGRAMS, RunningServer
from tests.e2e.sink import Sink
from tests.polling import until

HANDLES = ("alice", "bob", "carol")
SERVE = str(PROGRAMS / "pbm"), "serve"


@pytest.fixture
def many(tmp_path: Path, sink: Sink, postgres_url: str) -> Iterator[list[RunningServer]]:
    """Two listeners, two that take turns and two that post, each a process of its own."""
    settings = {
        "PBM_ADDRESS": SERVER,
        "PBM_SMARTHOST": sink.url,
        "PBM_DATABASE_URL": postgres_url,
        "PBM_SECRET_KEY": "a-secret-that-all-processes-know-and-only-tests",
    }
    servers = []
    for number, role in enumerate(("listen", "listen", "turn", "turn", "post,ticks", "post,ticks")):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        servers.append(RunningServer(folder, settings, (*SERVE, f"--roles={role}")))
    assert servers[0].admin("migrate").returncode == 0
    for server in servers:
        server.start_process()
    for server in servers:
        until(lambda server=server: "event=ready" in server.log, "a process to be ready")
    yield servers
    for server in servers:
        server.stop()


def test_a_game_that_six_processes_share(many: list[RunningServer], sink: Sink) -> None:
    alice, bob = Player("alice", many[0], sink), Player("bob", many[1], sink)
    for player in (alice, bob):
        player.signs_up()
    alice.answers(alice.challenges(bob), "a1-c3,d4")
    bob.answers(bob.receives(), "i9-g7,f6")
    alice.receives()
    assert position_in(text_of(alice.receives())).turn == 1
    pages_are_shown(many[0])
    assert many[0].admin("verify").returncode == 0
    assert who_turns(many) == {process_of(many[2]), process_of(many[3])}
    many[2].stop()
    assert who_turns(many) == {process_of(many[3])}
    many[3].stop()
    found = many[0].admin("check").stdout
    assert "FAIL  role turn: No process runs it. Start one with: pbm serve --roles=turn\n" in found


def pages_are_shown(beside: RunningServer) -> None:
    """Check that a process which only shows pages knows the game, and ends beside open clients."""
    port, folder = free_port(), beside.folder / "web"
    folder.mkdir()
    settings = {**beside.settings, "PBM_WEB_LISTEN": f"127.0.0.1:{port}"}
    web = RunningServer(folder, settings, (*SERVE, "--roles=web"))
    with ExitStack() as stack:
        web.start_process()
        stack.callback(web.stop)
        until(lambda: "event=ready" in web.log, "pages")
        idle = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
        with urlopen(f"http://127.0.0.1:{port}/board/1", timeout=20) as page:
            assert b"It is alice's turn after 2 moves." in page.read()
        assert f"process {process_of(web)}" in beside.admin("status").stdout
        assert web.stop() == 0
        assert idle.recv(1) == b""
    assert "Traceback" not in web.log


def process_of(server: RunningServer) -> str:
    """Its number."""
    assert server.process is not None
    return str(server.process.pid)


def who_turns(many: list[RunningServer]) -> set[str]:
    """The processes that take turns, by `check`."""
    (line,) = re.findall(r"ok    role turn: run by (.*)", many[0].admin("check").stdout)
    return set(re.findall(r"process (\d+)", line))


def test_every_mail_is_sent_once(many: list[RunningServer], sink: Sink) -> None:
    players = [Player(handle, many[place % 2], sink) for place, handle in enumerate(HANDLES)]
    for player in players:
        player.signs_up()
    for one, other in [*permutations(players, 2)] * 2:
        one.challenges(other)
    sent = [(mail.recipient, message_from_bytes(mail.raw)["Message-ID"]) for mail in sink.mails]
    assert len(sent) == len(set(sent)) == 6 + 24


def test_a_second_server_on_one_sqlite_file_is_refused(tmp_path: Path, sink: Sink) -> None:
    web = f"127.0.0.1:{free_port()}"
    settings = {"PBM_ADDRESS": SERVER, "PBM_SMARTHOST": sink.url, "PBM_WEB_LISTEN": web}
    with RunningServer(tmp_path, settings) as first:
        with urlopen(f"http://{web}/", timeout=20) as page:
            assert SERVER.encode() in page.read()
        second = RunningServer(tmp_path, settings)
        done = preloaded.run(("pbm", "serve"), folder=tmp_path, environment=second.environment)
        assert done.returncode == 1
        assert f"Another pbm serve (process {first.process and first.process.pid})" in done.stderr
    with RunningServer(tmp_path, settings):
        pass  # the lock went with the process


def test_roles_that_there_are_not(tmp_path: Path) -> None:
    server = RunningServer(tmp_path)
    for roles, told in (
        ("turn", "leave out --roles"),
        ("talk", "listen, post, robots, ticks, turn"),
        (",", "name"),
    ):
        words = ("pbm", "serve", f"--roles={roles}")
        done = preloaded.run(words, folder=tmp_path, environment=server.environment)
        assert done.returncode == 1
        assert told in done.stderr
