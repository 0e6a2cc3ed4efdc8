"""A game whose code fails harms nobody's mails about another game."""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from structlog.testing import capture_logs

from pbm.mail.writing.render import Renderer
from pbm.play import game_words
from pbm.rules import registry
from tests.conversations.playing import plays_silently
from tests.table import Table

MOVE, ANSWER = "a1-c3,b2", "i9-g7,h8"
READS = ("is_move_text", "mentions_place", "check_place", "load")
Fails = Callable[..., Any]


def clear() -> None:
    games = (registry.games, registry._found, registry.game_named, registry.default_game)
    for cache in (*games, registry.own_game, registry._read_state, game_words._log_once):
        cache.cache_clear()


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The game that is made for the tests, beside the usual one."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "games"))
    points = [*entry_points(group=registry.GROUP)]
    points.append(EntryPoint("connect4", "fourinarow:GAME", registry.GROUP))
    monkeypatch.setattr(registry, "entry_points", lambda group: points)  # noqa: ARG005
    clear()
    yield import_module("fourinarow")
    registry.prefer("")
    sys.modules.pop("fourinarow")
    clear()


def on_other_letters(_: object, text: str, *__: object) -> bool:
    text.encode("ascii")
    return False


def always(*_: object) -> bool:
    raise ZeroDivisionError


@pytest.mark.parametrize("fails", [on_other_letters, always])
@pytest.mark.parametrize("usual", ["", "connect4"])
def test_whatever_it_raises_mails_about_other_games_go_their_way(
    fails: Fails, usual: str, second: ModuleType, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.prefer(usual)
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("abalone challenge bob").forgets(), bob.forgets()
    with monkeypatch.context() as patched, capture_logs() as logged:
        for name in READS:
            patched.setattr(second.FourInARow, name, fails)
        carol = table.person("carol@example.org")
        carol.writes("signup carol", "Me voilà").says("Yes, s'il vous plaît\n\nÀ bientôt")
        carol.hears("You play as carol")
        alice.says(f"Bonjour !\n\n{MOVE}\n\nBel été", answering=alice.mail("Abalone")).gets(1)
        bob.gets(1).hears("Your move on board 1", "| Bel été")
        bob.says(f"> A move: été\n> State: {'x' * 30} 1 été\n\n{ANSWER}").gets(1)
        alice.forgets().says("été").gets(1).hears("Sent to bob.")
    assert table.moves(1) == [MOVE, ANSWER]
    told = [item for item in logged if item["event"] == "the code of a game failed"]
    assert told
    assert not any(item["log_level"] == "error" for item in logged if item not in told)
    assert len(told) == len({item["where"] for item in told})


@pytest.mark.usefixtures("second")
@pytest.mark.parametrize(
    ("moves", "left", "counts"), [("abababa", "", True), ("ab", "alice", False)]
)
def test_what_its_rules_end_counts_however_short(
    moves: str, left: str, counts: bool, table: Table
) -> None:
    table.renderer = Renderer()
    alice, _ = table.start("alice", "bob")
    alice.says("connect4 challenge bob")
    plays_silently(table, 2, moves)
    if left:
        alice.says("resign 2")
    assert table.board(2).status == "finished"
    assert bool(table.rows("rated_boards")) is counts
    table.mailboxes.clear()  # what is checked of mails in the end knows one game


@pytest.mark.parametrize("member", ["parse", "play"])
def test_its_own_lines_are_refused_and_the_others_are_done(
    member: str, second: ModuleType, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.renderer = Renderer()
    alice, bob = table.start("alice", "bob")
    alice.says("connect4 challenge bob").forgets(), bob.forgets()
    with monkeypatch.context() as patched:
        patched.setattr(second.Position, member, always)
        alice.says(f"2 d\n1 {MOVE}", answering=alice.mail("pbm: welcome")).gets(2)
    alice.hears("This server's rules of Four in a Row have failed on that move", "on board 1")
    bob.gets(1).hears("Your move on board 1")
    assert (table.moves(1), table.moves(2)) == ([MOVE], [])
    table.mailboxes.clear()  # what is checked of mails in the end knows one game
