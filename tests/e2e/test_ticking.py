"""What is due is done once, whatever dies meanwhile and however many processes do it."""

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select, update

from pbm.play.boards import start_board
from pbm.store.db import Database
from pbm.store.schema.games import seats
from pbm.store.schema.running import due
from pbm.store.values.queues import TimerKind
from tests.e2e.dying_server import TICK_STEPS
from tests.e2e.player import SERVER, Player, text_of
from tests.e2e.running import PROGRAMS, RunningServer
from tests.e2e.sink import Sink
from tests.polling import PATIENCE, until
from tests.run_out import let_run_out
from tests.setups import abalone

SHOWN = "before-the-commit-of-the-tick"
MANY = 12


def let_first_moves_be_missed(url: str) -> None:
    """Make it long ago that players were reminded of their first moves."""
    now = datetime.now(UTC)
    missed = {"since": now - timedelta(days=6), "due_at": now - timedelta(hours=1)}
    database = Database(url)
    with database.engine.begin() as connection:
        reminders = due.c.kind == "first-move-reminder"
        connection.execute(update(due).where(reminders).values(kind="first-move-decline", **missed))
    database.close()


def let_a_clock_run_out(url: str) -> None:
    """Let both have moved on board 1, and its clock have run out a month later."""
    now = datetime.now(UTC)
    database = Database(url)
    with database.engine.begin() as connection:
        connection.execute(update(seats).values(last_ply=1))
        connection.execute(delete(due).where(due.c.kind != "clock"))
        let_run_out(connection, now, range(1, 2))
    database.close()


@pytest.mark.thorough
@pytest.mark.parametrize("step", sorted(TICK_STEPS))
def test_a_forfeit_that_is_killed_at(
    step: str, server: RunningServer, alice: Player, bob: Player
) -> None:
    alice.challenges(bob)
    server.stop()
    let_a_clock_run_out(f"sqlite:///{server.folder}/var/pbm.sqlite3")
    dies_and_lives_again(step, server)
    for player, how in ((alice, "you lost"), (bob, "you win")):
        assert text_of(player.receives()).startswith(f"Board 1 is over: {how}.")
        assert_once(player, f"Board 1 is over: {how}.")


@pytest.mark.parametrize(
    "step",
    [
        step if step == SHOWN else pytest.param(step, marks=pytest.mark.thorough)
        for step in sorted(TICK_STEPS)
    ],
)
def test_killed_at(step: str, server: RunningServer, alice: Player, bob: Player) -> None:
    alice.challenges(bob)
    server.stop()
    let_first_moves_be_missed(f"sqlite:///{server.folder}/var/pbm.sqlite3")
    dies_and_lives_again(step, server)
    for player in (alice, bob):
        assert text_of(player.receives()).startswith("Board 1 is closed.")
    for player in (alice, bob):
        assert_once(player, "Board 1 is closed.")
    verified = server.admin("verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr


def dies_and_lives_again(step: str, server: RunningServer) -> None:
    """Let a server be killed at a step, and another begin in its place."""
    doomed = RunningServer(server.folder, server.settings, ("dying-server", step), server.port)
    doomed.start_process()
    assert doomed.process is not None
    assert doomed.process.wait(PATIENCE) == -9
    server.start()


def assert_once(player: Player, told: str) -> None:
    """Check that one mail began so, however often it came."""
    found = [mail for mail in player.mails if text_of(mail).startswith(told)]
    assert len({message_from_bytes(mail.raw)["Message-ID"] for mail in found}) == 1


@pytest.mark.thorough
def test_two_processes_share_what_is_due(tmp_path: Path, sink: Sink, postgres_url: str) -> None:
    settings = {
        "PBM_ADDRESS": SERVER,
        "PBM_SMARTHOST": sink.url,
        "PBM_DATABASE_URL": postgres_url,
        "PBM_SECRET_KEY": "a-secret-that-all-processes-know-and-only-tests",
    }
    servers = []
    for number, roles in enumerate(("listen,turn,post", "ticks", "ticks")):
        folder = tmp_path / f"process-{number}"
        folder.mkdir()
        command = str(PROGRAMS / "pbm"), "serve", f"--roles={roles}"
        servers.append(RunningServer(folder, settings, command))
    first = servers[0]
    assert first.admin("migrate").returncode == 0
    first.start()
    players = [Player(handle, first, sink) for handle in ("alice", "bob")]
    for player in players:
        player.signs_up()
    begin_boards(postgres_url)
    let_first_moves_be_missed(postgres_url)
    for server in servers[1:]:
        server.start_process()
    until(lambda: missed_left(postgres_url) == 0, "all to be done")
    let_news_be_told(postgres_url)
    for player in players:
        told = Counter(re.findall(r"^Board [0-9]+ is closed", text_of(player.receives()), re.M))
        assert told == {f"Board {number} is closed": 1 for number in range(1, MANY + 1)}
    assert "role ticks: run by" in first.admin("check").stdout
    for server in servers:
        assert "level=error" not in server.log
        server.stop()


def begin_boards(url: str) -> None:
    database = Database(url)
    with database.transaction() as work:
        players = work.players.all()
        for _ in range(MANY):
            start_board(work, abalone("standard"), players, datetime.now(UTC))
    database.close()


def let_news_be_told(url: str) -> None:
    """What ends on several boards at once is told in one mail some minutes later: let them pass."""
    database = Database(url)
    with database.engine.begin() as connection:
        told = update(due).where(due.c.kind == TimerKind.KEPT_NEWS)
        connection.execute(told.values(due_at=datetime.now(UTC)))
    database.close()


def missed_left(url: str) -> int:
    database = Database(url)
    with database.engine.connect() as connection:
        query = select(func.count()).where(due.c.kind == "first-move-decline")
        count = int(connection.scalar(query) or 0)
    database.close()
    return count
