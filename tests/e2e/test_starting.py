"""A server that is started while something is missing: it says what, or waits."""

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.player import SERVER, Player
from tests.e2e.running import RunningServer
from tests.polling import PATIENCE, until
from tests.postgres_server import running_postgres

OTHER = "zz another-key-that-is-long-enough-0123456789"
REASON = ("--why", "the disk is gone")


def ends_by_itself(server: RunningServer, words: str) -> None:
    """Check that the server is started in vain, and says why."""
    server.start_process()
    assert server.process is not None
    assert server.process.wait(PATIENCE) == 1
    assert words in server.log.rstrip().rpartition("Error: ")[2]


def forget_what_is_known(server: RunningServer) -> None:
    """Bring the database to what a version before has left."""
    with closing(sqlite3.connect(server.folder / "var" / "pbm.sqlite3")) as database:
        database.execute("DELETE FROM facts WHERE name = 'keys'")
        database.commit()


def test_no_other_key_is_made_while_anybody_has_mails(server: RunningServer, alice: Player) -> None:
    file = server.folder / "var" / "secret.key"
    whoami = alice.answer_to(alice.welcome, "whoami")
    server.stop()
    ours, key_id = file.read_bytes(), server.admin("keys", "list").stdout.split()[0]

    def is_refused(words: str) -> None:
        told = f"Mails that players have were signed with {words} {file.absolute()}. "
        ends_by_itself(server, told)
        assert f"FAIL  keys: {told}" in server.admin("check").stdout

    file.unlink()
    is_refused(f"key {key_id}, gone with")
    for words in (("players", "list"), ("keys", "rotate"), ("backup", "kept.tar.gz")):
        refused = server.admin(*words)
        assert refused.returncode == 1
        assert f"key {key_id}, gone with" in refused.stderr
    file.touch(0o600)
    file.write_text(OTHER, encoding="ascii")
    is_refused(f"key {key_id}, not in")
    file.unlink()
    forget_what_is_known(server)
    is_refused("the key, gone with")
    assert not file.exists()

    file.touch(0o600)
    file.write_bytes(ours)
    server.start()
    alice.sends(whoami)
    alice.receives()
    server.stop()
    file.unlink()
    forgotten = server.admin("keys", "forget", "--yes", *REASON)
    assert f"forgotten ({key_id})" in forgotten.stdout
    server.start()
    assert f"keys forgotten (keys {key_id})" in server.admin("journal").stdout
    assert "ok    keys: 1 in" in server.admin("check").stdout


@pytest.mark.thorough
def test_a_database_that_is_started_later_is_waited_for(tmp_path: Path) -> None:
    with running_postgres() as postgres, postgres.new_database() as url:
        settings = {"PBM_ADDRESS": SERVER, "PBM_DATABASE_URL": url}
        server = RunningServer(tmp_path, settings)
        ends_by_itself(server, "Run: pbm-admin migrate")
        assert server.admin("migrate").returncode == 0
        postgres.end(signal.SIGINT)
        server.start_process()
        until(lambda: "database away, waiting for it" in server.log, "that it waits")
        postgres.start_again()
        until(server.greets_or_ended, "its greeting")
        assert server.stop() == 0
        server.settings = {**settings, "PBM_DATABASE_URL": url.replace("test_", "nix_")}
        ends_by_itself(server, "Make that database: createdb --owner=ROLE")
