"""What can be done to a board, by a player's command or by the operator."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbm.commands.replay import position_after
from pbm.commands.subjects import board_subject
from pbm.errors import Refusal
from pbm.rules import abalone as rules
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Player, Round, TimerKind

REMINDED_AFTER = timedelta(days=2)  # of a first move that is not made


@dataclass(frozen=True)
class Setup:
    """What a challenge chooses: the board, how it is played, and the rounds of a match."""

    layout: str
    teams: bool = False
    pillar: bool = False
    rounds: int | None = None

    def position(self, players: int) -> rules.Position:
        """Where the game starts. Raises Refusal for a choice that does not go together."""
        try:
            return rules.start(self.layout, players, teams=self.teams, pillar=self.pillar)
        except rules.SetupError as error:
            wrong = error.reason == "wrong-players"
            raise Refusal(
                "bad-setup", text=str(error), players=players, wrong_number=wrong
            ) from error


def setup_of(board: Board) -> Setup:
    """How a board was begun."""
    start = rules.parse_state(board.start_state)
    rounds = board.round.rounds if board.round else None
    return Setup(board.layout, start.teams, start.pillar, rounds)


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
    board = work.boards.add(
        setup.layout,
        setup.position(len(seated)),
        [player.id for player in seated],
        board_subject([player.handle for player in seated]),
        now,
        round_of=round_of,
        rounds=setup.rounds,
        rematch_of=rematch_of,
        begun_by=begun_by,
    )
    await_first_move(work, board, now)
    return board


def await_first_move(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Let a player be reminded whose turn it is for the first time; where it is not, do nothing.

    To be called wherever it may have become another player's turn.
    """
    awaited, mover = board.awaited_first_move, board.to_move
    if awaited and mover:
        kind, remind_at = TimerKind.FIRST_MOVE_REMINDER, now + REMINDED_AFTER
        whose = {"board_id": board.id, "player_id": mover.player_id}
        work.timers.set(kind, awaited, now, remind_at, **whose)


def check_move(board: Board, text: str) -> rules.Move:
    """Read a move for the seat whose turn it is. Raises Refusal."""
    try:
        return rules.parse_move(text, board.position)
    except rules.RulesError as error:
        raise Refusal("illegal-move", text=str(error), number=board.id) from error


def play_move(work: UnitOfWork, board: Board, text: str, now: datetime) -> Board:
    """Play a move for the seat whose turn it is. Raises Refusal."""
    played = rules.play(board.position, check_move(board, text))
    board = work.boards.add_ply(board, played, now)
    await_first_move(work, board, now)
    return board


def leave_board(
    work: UnitOfWork, board: Board, seats: Sequence[int], how: str, now: datetime
) -> Board:
    """Take seats out of the game; what stands on the board stays."""
    for seat in seats:
        if board.playing and seat not in board.position.out:
            board = work.boards.add_departure(board, seat, how, now)
    await_first_move(work, board, now)
    return board


def go_back(work: UnitOfWork, board: Board, ply: int, now: datetime) -> Board:
    """Take back all plies after `ply`; whoever has left since stays out of the game."""
    since = [item for item in work.boards.departures(board.id) if item.after_ply > ply]
    board = work.boards.go_back(board, position_after(work, board, ply), ply, now)
    for item in since:
        board = leave_board(work, board, [item.seat], item.how, now)
    await_first_move(work, board, now)
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
    if setup.teams or len(others) not in rules.BOARDS[board.layout]:
        return None
    return start_board(work, setup, others, now)
