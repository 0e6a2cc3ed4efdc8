"""The books: each fault that a server could have is seen."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pbm.mail.keys import load_keyring
from pbm.store.db import Database
from pbm.store.migrate import migrate
from tests.torture.games import SECRET, Game, begin_games
from tests.torture.ledger import Arrival, Ledger, read_arrival

PLIES = 3


@pytest.fixture
def game(sqlite_url: str) -> Game:
    """A board of two."""
    database = Database(sqlite_url)
    migrate(database)
    (game,) = begin_games(database, 1, 2)
    database.close()
    return game


def arrival(game: Game, ply: int, side: int) -> Arrival:
    raw = f"Message-ID:\r\n <{ply}.{side}@x>\r\nX-PBM-Board: 1\r\nX-PBM-Ply: {ply}\r\n\r\n{ply}\r\n"
    return read_arrival(game.readers[side], raw.encode())


def good(game: Game) -> Ledger:
    ledger = Ledger()
    for ply in range(1, PLIES + 1):
        ledger.acknowledge(game.number, ply)
        for side in (0, 1):
            ledger.arrive(arrival(game, ply, side))
    return ledger


def found(game: Game, ledger: Ledger, played: int = PLIES) -> str:
    return "\n".join(ledger.findings([game], {game.number: played}))


def test_all_is_well_and_copies_are(game: Game) -> None:
    ledger = good(game)
    ledger.arrive(arrival(game, 1, 0))
    assert found(game, ledger) == ""
    assert ledger.copies() == 1
    assert ledger.events == PLIES * 3 + 1


def test_what_was_acknowledged_is_played(game: Game) -> None:
    assert "ply 3 was acknowledged, and not played" in found(game, good(game), PLIES - 1)
    assert "ply 4 was played, and never acknowledged" in found(game, good(game), PLIES + 1)
    ledger = good(game)
    ledger.acknowledge(game.number, 2)
    assert found(game, ledger) == "Board 1: ply 2 was acknowledged 2 times."


def changed(ledger: Ledger, index: int, **values: object) -> None:
    ledger.arrivals[index] = replace(ledger.arrivals[index], **values)


FAULTS: dict[str, Callable[[Ledger], object]] = {
    "Board 1: the mail of ply 2 never reached player1": lambda ledger: ledger.arrivals.pop(3),
    "should not have one": lambda ledger: changed(ledger, 0, ply=9),
    "2 different mails of ply 1 for player0": lambda ledger: ledger.arrive(
        replace(ledger.arrivals[0], message_id="<again@x>")
    ),
    "Message-ID '<1.0@x>': 2 different mails": lambda ledger: ledger.arrive(
        replace(ledger.arrivals[0], digest=b"other")
    ),
    "Message-ID '<1.1@x>': 2 different mails": lambda ledger: changed(
        ledger, 5, message_id="<1.1@x>"
    ),
    "Message-ID '': 1 different mails": lambda ledger: changed(ledger, 5, message_id=""),
    "Board 1: ply 1 reached player0@players.example after 2": lambda ledger: ledger.arrivals.insert(
        0, ledger.arrivals.pop(2)
    ),
}


@pytest.mark.parametrize("told", FAULTS)
def test_a_fault_is_told(told: str, game: Game) -> None:
    ledger = good(game)
    FAULTS[told](ledger)
    assert told in found(game, ledger)


def test_a_letter_is_the_same_at_every_try(game: Game, tmp_path: Path) -> None:
    keyring = load_keyring(tmp_path / "none", SECRET)
    assert game.letter(1, keyring) == game.letter(1, keyring)
    assert game.letter(1, keyring).raw != game.letter(5, keyring).raw
    assert game.letter(1, keyring).sender != game.letter(2, keyring).sender
