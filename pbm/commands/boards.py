"""What can be done to a board, by a player's command or by the operator."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pbm.commands.game_words import why
from pbm.commands.replay import position_after
from pbm.commands.subjects import board_subject
from pbm.errors import Refusal
from pbm.rules.contract import Move, Options, Position, RulesError, SetupError
from pbm.rules.registry import game_named
from pbm.rules.sides import teams, turn
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Player, Round

_NO_CHANCE = 0  # the seed of games, none of which has chance in it so far


@dataclass(frozen=True)
class Setup:
    """What a challenge chooses: the game, its options, and the rounds of a match."""

    game: str
    options: Options
    rounds: int | None = None

    def position(self, players: int) -> Position:
        """Where the game starts. Raises Refusal for a choice that does not go together."""
        try:
            return game_named(self.game).start(players, self.options, _NO_CHANCE)
        except SetupError as error:
            wrong = error.reason == "wrong-players"
            told = why(game_named(self.game), error)
            raise Refusal("bad-setup", players=players, wrong_number=wrong, **told) from error

    def is_for(self, players: int) -> bool:
        """Whether so many can play it."""
        try:
            self.position(players)
        except Refusal:
            return False
        return True


def setup_of(board: Board) -> Setup:
    """How a board was begun."""
    return Setup(board.game, board.options, board.round.rounds if board.round else None)


def start_board(
    work: UnitOfWork,
    setup: Setup,
    seated: Sequence[Player],
    now: datetime,
    *,
    round_of: Round | None = None,
    rematch_of: int | None = None,
    begun_by: int | None = None,
) -> Board:
    """Put a new board on the server, seats in the order given. Raises Refusal.

    `round_of` is its place in a match that has begun; else `setup.rounds` begins one. `begun_by`
    is the player who wanted it, None where it follows from a game that was going on.
    """
    return work.boards.add(
        setup.game,
        setup.options,
        setup.position(len(seated)),
        [player.id for player in seated],
        board_subject(setup.game, [player.handle for player in seated]),
        now,
        round_of=round_of,
        rounds=setup.rounds,
        rematch_of=rematch_of,
        begun_by=begun_by,
    )


def check_move(board: Board, text: str) -> Move:
    """Read a move for the seat whose turn it is. Raises Refusal."""
    try:
        return board.position.parse(text, turn(board.position) or 1)
    except RulesError as error:
        raise Refusal("illegal-move", number=board.id, **why(board.rules, error)) from error


def play_move(work: UnitOfWork, board: Board, text: str, now: datetime) -> Board:
    """Play a move for the seat whose turn it is. Raises Refusal."""
    played = board.position.play(check_move(board, text))
    return work.boards.add_ply(board, played, now)


def leave_board(
    work: UnitOfWork, board: Board, seats: Sequence[int], how: str, now: datetime
) -> Board:
    """Take seats out of the game; what stands on the board stays."""
    for seat in seats:
        if board.playing and seat not in board.position.out:
            board = work.boards.add_departure(board, seat, how, now)
    return board


def go_back(work: UnitOfWork, board: Board, ply: int, now: datetime) -> Board:
    """Take back all plies after `ply`; whoever has left since stays out of the game."""
    since = [item for item in work.boards.departures(board.id) if item.after_ply > ply]
    board = work.boards.go_back(board, position_after(work, board, ply), ply, now)
    for item in since:
        board = leave_board(work, board, [item.seat], item.how, now)
    return board


def decline_board(work: UnitOfWork, board: Board, player: Player, now: datetime) -> Board | None:
    """Close a board that a player won't play; those still in start a new one, if they can.

    They cannot where the board is not for so few, or where it was a game in teams. In a match
    that goes on they don't: it is the match that ends, with what was reached in it.
    """
    work.boards.close(board, "closed", "declined", now)
    others = [work.players.get(player_id) for player_id in board.still_in if player_id != player.id]
    setup = setup_of(board)
    if board.round and board.round.number > 1:
        return None
    if teams(board.start) or not setup.is_for(len(others)):
        return None
    return start_board(work, setup, others, now)
