"""The same server on PostgreSQL: refused while the database is behind, then played on."""

import subprocess
from pathlib import Path

from tests.e2e.player import SERVER, Player, position_in, text_of
from tests.e2e.running import RunningServer
from tests.e2e.sink import Sink
from tests.polling import PATIENCE


def test_a_game_on_postgresql(tmp_path: Path, sink: Sink, bare_postgres_url: str) -> None:
    settings = {
        "PBM_ADDRESS": SERVER,
        "PBM_SMARTHOST": sink.url,
        "PBM_DATABASE_URL": bare_postgres_url,
    }
    server = RunningServer(tmp_path, settings)
    assert "Run: pbm-admin migrate" in refusal_of(server)
    migrated = server.admin("migrate")
    assert migrated.returncode == 0, migrated.stderr
    with server:
        alice, bob = Player("alice", server, sink), Player("bob", server, sink)
        for player in (alice, bob):
            player.signs_up()
        alice.answers(alice.challenges(bob), "a1-c3,d4")
        bob.answers(bob.receives(), "i9-g7,f6")
        alice.receives()
        assert position_in(text_of(alice.receives())).turn == 1
        verified = server.admin("verify")
        assert verified.returncode == 0, verified.stdout + verified.stderr


def refusal_of(server: RunningServer) -> str:
    done = subprocess.run(
        server.command,
        cwd=server.folder,
        env=server.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr
