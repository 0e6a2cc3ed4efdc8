"""The end of a game is one event, whichever way it came; so is its being taken back."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pbm.events import BoardEnded, BoardReopened, Event, MovePlayed
from pbm.events.board import BoardDeclined, BoardStarted, MatchBrokenOff
from pbm.play import advance, plans
from pbm.play.actions import (
    decline_board,
    end_board,
    leave_board,
    play_move,
    reopen_board,
    undo_ply,
)
from pbm.play.boards import Setup, progress_at, start_board
from pbm.play.offers import DRAW, TAKEBACK, agree, claim_draw, make_offer
from pbm.rules.abalone import GAME
from pbm.store.db import Database, UnitOfWork
from pbm.store.migrate import migrate
from pbm.store.values.boards import Board
from pbm.store.values.plans import Line, Step
from pbm.store.values.players import Player
from tests.setups import abalone

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
NEARLY_WON = "..112/....../......./......../........./......../......./....../...22 1 5,0 -"
WINS = "a3-a4,a5"
TO_AND_FRO = ("c3,d3", "g7,f7", "d3,c3", "f7,g7")


class Undo(Exception):  # noqa: N818 - it only undoes
    """Nothing is wrong."""


STANDARD = abalone("standard")
MATCH = replace(STANDARD, rounds=2)


class Game:
    """A board in progress, and what happens to it; all of it is undone in the end."""

    def __init__(self, work: UnitOfWork, handles: str, setup: Setup = STANDARD) -> None:
        self.work = work
        self.players = [
            work.players.add(handle, f"{handle}@example.org", NOW) for handle in handles.split()
        ]
        self.number = start_board(work, setup, self.players, NOW).id

    @property
    def board(self) -> Board:
        """It, as it is now."""
        return self.work.boards.get(self.number, lock=True)

    def stands(self, state: str) -> None:
        """Let the board stand so."""
        progress = progress_at(self.board, GAME.load(state), self.board.ply)
        self.work.playing.set_progress(self.board, progress, NOW)

    def plays(self, *moves: str) -> list[Event]:
        """Let moves be made; return what came of the last one."""
        return [play_move(self.work, self.board, move, NOW) for move in moves][-1]

    def leaves(self, player: Player, how: str = "resigned") -> list[Event]:
        """Let somebody leave."""
        return leave_board(self.work, self.board, player, how, NOW)

    def agrees(self, kind: str) -> list[Event]:
        """Let the first player ask for something, and all others agree."""
        make_offer(self.work, self.board, kind, self.players[0].id)
        (offer,) = self.board.offers
        events: list[Event] = []
        for player_id in self.board.waiting_for(offer):
            (offer,) = self.board.offers
            events = agree(self.work, self.board, offer, player_id, NOW)
        return events


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """One database for all, in which nothing stays."""
    database = Database(f"sqlite:///{tmp_path_factory.mktemp('play') / 'pbm.sqlite3'}")
    migrate(database)
    yield database
    database.close()


@pytest.fixture
def work(database: Database) -> Iterator[UnitOfWork]:
    """A transaction that is undone."""
    with suppress(Undo), database.transaction() as work:
        yield work
        raise Undo


def ends(events: list[Event]) -> list[Event]:
    """What is told of ends, and of their being taken back."""
    return [event for event in events if isinstance(event, BoardEnded | BoardReopened)]


def won_by_a_move(game: Game) -> list[Event]:
    game.stands(NEARLY_WON)
    return game.plays(WINS)


def won_as_the_last(game: Game) -> list[Event]:
    return game.leaves(game.players[1])


def drawn_by_claim(game: Game) -> list[Event]:
    game.plays(*TO_AND_FRO, *TO_AND_FRO)
    return claim_draw(game.work, game.board, game.players[0], NOW)


def drawn_by_agreement(game: Game) -> list[Event]:
    return game.agrees(DRAW)


def drawn_as_the_one_who_had_to_agree_left(game: Game) -> list[Event]:
    first, second, third = game.players
    make_offer(game.work, game.board, DRAW, first.id)
    (offer,) = game.board.offers
    agree(game.work, game.board, offer, second.id, NOW)
    return game.leaves(third)


def decided_by_the_operator(game: Game) -> list[Event]:
    return end_board(game.work, game.board, [2], NOW)


def closed_by_the_operator(game: Game) -> list[Event]:
    return end_board(game.work, game.board, None, NOW)


def declined(game: Game) -> list[Event]:
    return decline_board(game.work, game.board, game.players[1], NOW)


@pytest.mark.parametrize(
    ("handles", "happens", "by", "ranks"),
    [
        ("alice bob", won_by_a_move, "ejections", (1, 2)),
        ("alice bob", won_as_the_last, "last", (1, 2)),
        ("alice bob", drawn_by_claim, "claimed", (1, 1)),
        ("alice bob carol", drawn_by_agreement, "agreed", (1, 1, 1)),
        ("alice bob carol", drawn_as_the_one_who_had_to_agree_left, "agreed", (1, 1, 3)),
        ("alice bob carol", decided_by_the_operator, "operator", (2, 1, 2)),
        ("alice bob", closed_by_the_operator, "operator", None),
        ("alice bob", declined, "declined", None),
        ("alice bob carol", declined, "declined", None),
    ],
)
def test_each_way_a_game_ends(
    handles: str,
    happens: Callable[[Game], list[Event]],
    by: str,
    ranks: tuple[int, ...] | None,
    work: UnitOfWork,
) -> None:
    game = Game(work, handles)
    assert ends(happens(game)) == [BoardEnded(game.number, by, ranks)]
    assert not game.board.playing


def test_the_end_of_a_game_in_teams(work: UnitOfWork) -> None:
    game = Game(work, "alice bob carol dave", abalone("official", teams=True))
    assert ends(game.leaves(game.players[1])) == []  # dave plays on for bob
    assert ends(game.agrees(DRAW)) == [BoardEnded(game.number, "agreed", (1, 1, 1, 1))]


def test_a_match_that_begins_anew_with_fewer_is_not_broken_off(work: UnitOfWork) -> None:
    both, three = Game(work, "alice bob", MATCH), Game(work, "carol dave erin", MATCH)
    assert [type(event) for event in declined(both)] == [BoardDeclined, BoardEnded, MatchBrokenOff]
    assert [type(event) for event in declined(three)] == [BoardDeclined, BoardEnded, BoardStarted]


def test_what_ends_nothing(work: UnitOfWork) -> None:
    game = Game(work, "alice bob carol")
    move = game.board.position.legal_moves()[0]
    assert ends(game.plays(str(move))) == []
    assert ends(game.leaves(game.players[2])) == []
    assert ends(game.agrees(TAKEBACK)) == []
    assert game.board.playing


def test_an_end_is_taken_back_with_its_ply(work: UnitOfWork) -> None:
    game = Game(work, "alice bob")
    game.plays(*TO_AND_FRO)
    end_board(work, game.board, [1], NOW)
    assert ends(reopen_board(work, game.board, NOW)) == [BoardReopened(game.number)]
    game.leaves(game.players[0])
    assert ends(undo_ply(work, game.board, NOW)) == [BoardReopened(game.number)]
    assert game.board.ply == len(TO_AND_FRO) - 1


def test_an_end_that_stays_is_not_told_again(work: UnitOfWork) -> None:
    game = Game(work, "alice bob")
    game.plays(*TO_AND_FRO)
    work.players.change(game.players[1].id, status="removed")
    game.leaves(game.players[1], "removed")
    assert ends(undo_ply(work, game.board, NOW)) == []
    assert (game.board.ply, game.board.ended_by) == (len(TO_AND_FRO) - 1, "last")


def test_an_end_that_becomes_another_one(work: UnitOfWork) -> None:
    game = Game(work, "alice bob")
    end_board(work, game.board, (), NOW)
    work.players.change(game.players[0].id, status="removed")
    reopened, ended = ends(reopen_board(work, game.board, NOW))
    assert reopened == BoardReopened(game.number)
    assert ended == BoardEnded(game.number, "last", (2, 1))


def test_planned_moves_are_played_before_a_robot_is_asked_once(
    work: UnitOfWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, asked = Game(work, "alice bob"), list[int]()
    work.plans.set(game.board, 1, [Line((Step("a1-c3,b2", 1, own=True),))], NOW)

    def planned(_: UnitOfWork, board: Board) -> tuple[Step, list[Event]]:
        return Step(str(board.position.legal_moves()[0]), board.to_move.seat, own=True), []

    monkeypatch.setattr(plans, "planned_move", planned)
    monkeypatch.setattr(advance, "request_move", lambda _, board, __: asked.append(board.ply))
    plies = [event.ply for event in game.plays("a1-c3,b2") if isinstance(event, MovePlayed)]
    assert plies == list(range(1, 2 + advance.MOST_PLANNED))  # then it is somebody's turn to wait
    assert asked == [game.board.ply] == [plies[-1]]
