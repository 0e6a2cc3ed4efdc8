"""Real servers, real sockets."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.player import SERVER, Player
from tests.e2e.running import RunningServer
from tests.e2e.sink import Sink, running_sink
from tests.sqlite_tables import make_tables


@pytest.fixture
def sink() -> Iterator[Sink]:
    """The world that the server's mail goes out to."""
    with running_sink() as sink:
        yield sink


@pytest.fixture
def server(tmp_path: Path, sink: Sink) -> Iterator[RunningServer]:
    """A running server with the sink as its smarthost."""
    settings = {
        "PBM_ADDRESS": SERVER,
        "PBM_SMARTHOST": sink.url,
        "PBM_OPERATOR": "operator@games.example",
    }
    make_tables(f"sqlite:///{tmp_path / 'var' / 'pbm.sqlite3'}")
    with RunningServer(tmp_path, settings) as server:
        yield server


@pytest.fixture
def alice(server: RunningServer, sink: Sink) -> Player:
    """A player."""
    player = Player("alice", server, sink)
    player.signs_up()
    return player


@pytest.fixture
def bob(server: RunningServer, sink: Sink) -> Player:
    """Another player."""
    player = Player("bob", server, sink)
    player.signs_up()
    return player
