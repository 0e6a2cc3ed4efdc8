"""Four in a row by mail: a game that nothing in the server was made for."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.player import SERVER, Player, text_of
from tests.e2e.running import RunningServer
from tests.e2e.second_game import SERVE, admin, install
from tests.e2e.sink import Delivered, Sink


@pytest.fixture
def server(tmp_path: Path, sink: Sink) -> Iterator[RunningServer]:
    """A server that finds the second game."""
    (tmp_path / "site").mkdir()
    (tmp_path / "server").mkdir()
    settings = {
        "PYTHONPATH": str(install(tmp_path / "site")),
        "PBM_ADDRESS": SERVER,
        "PBM_SMARTHOST": sink.url,
    }
    with RunningServer(tmp_path / "server", settings, command=SERVE) as server:
        yield server


def plays(mails: list[Delivered], players: list[Player], columns: str) -> list[Delivered]:
    """Play moves in turn, each in answer to the last board's mail; the new mails of both."""
    for number, column in enumerate(columns):
        mover = number % 2
        players[mover].answers(mails[mover], column)
        mails = [player.receives() for player in players]
    return mails


@pytest.mark.thorough
def test_it_is_played_by_mail(server: RunningServer, alice: Player, bob: Player) -> None:
    both = [alice, bob]
    alice.answers(alice.welcome, "help connect4")
    assert "Two players drop pieces into columns, a to g." in text_of(alice.receives())

    alice.answers(alice.welcome, "connect4 challenge bob\n\nHave fun!")
    mails = [player.receives() for player in both]
    first = text_of(mails[1])
    assert "A new game: alice and bob. alice begins." in first
    assert "   a b c d e f g\n6  . . . . . . .\n" in first
    assert b"Subject: Four in a Row Board 1: alice v bob\r\n" in mails[1].raw

    alice.answers(mails[0], "h")
    assert "There is no column h: the columns are a to g." in text_of(alice.receives())
    bob.answers(mails[1], "move 1 d")
    assert "On board 1 it is alice's turn." in text_of(bob.receives())

    mails = plays(mails, both, "dcd")
    assert "alice dropped a piece into column d." in text_of(mails[1])
    bob.answers(mails[1], "show 1#1")
    assert "\n1  . . . x . . .\n" in text_of(bob.receives())
    bob.answers(mails[1], "move 1 c")
    mails = [player.receives() for player in both]
    alice.answers(mails[0], "export 1")
    record = json.loads(text_of(alice.receives()).partition("{")[2].join(("{", "")))
    assert [step["move"] for step in record["steps"]] == ["d", "c", "d", "c"]

    mails = plays(mails, both, "dcd")
    over = text_of(mails[1])
    assert over.startswith("Board 1 is over: you lost.\n")
    assert "alice has four in a row." in over

    bob.answers(mails[1], "rematch")
    mails = [player.receives() for player in both]
    bob.answers(mails[1], "draw")
    mails = [player.receives() for player in both]
    alice.answers(mails[0], "accept draw")
    mails = [player.receives() for player in both]
    assert text_of(mails[0]).startswith("Board 2 is over: a draw.\n")

    alice.answers(mails[0], "rematch")
    mails = [player.receives() for player in both]
    bob.answers(mails[1], "resign")
    mails = [player.receives() for player in both]
    assert "alice is the last one left." in text_of(mails[0])

    # Where no game is named, the one that comes with the server is meant.
    alice.answers(alice.welcome, "challenge bob")
    first_lines = [text_of(player.receives()).splitlines()[0] for player in both]
    assert first_lines[0].startswith("Your move on board 4, by ")
    assert first_lines[1] == "alice's move on board 4; nothing to do."
    verified = admin(server, "verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    shown = admin(server, "games", "show", "1")
    assert "Four in a Row Board 1: alice v bob" in shown.stdout, shown.stderr


@pytest.mark.thorough
def test_one_that_is_unfit_is_left_out_and_the_server_starts(tmp_path: Path, sink: Sink) -> None:
    for name in ("site", "server"):
        (tmp_path / name).mkdir()
    site = install(tmp_path / "site")
    kept = site / "fourinarow" / "playthrough.txt"
    kept.write_text(kept.read_text().replace("over four", "over five"))
    settings = {"PYTHONPATH": str(site), "PBM_ADDRESS": SERVER, "PBM_SMARTHOST": sink.url}
    settings["PBM_GAME"] = "connect4"
    with RunningServer(tmp_path / "server", settings, command=SERVE) as server:
        why = "The game connect4 is not let in: line "
        assert "game left out" in server.log
        assert why in server.log
        checked = admin(server, "check")
        assert checked.returncode == 1
        assert why in " ".join(checked.stdout.split())
        assert "Boards of that game wait until it is fit." in " ".join(checked.stdout.split())
        Player("kate", server, sink).signs_up()
