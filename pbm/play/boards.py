"""A board as the rules make it: begun, moved on, left, taken back, closed; each step written down.

These are single steps. What follows from them is done where they are put together: `move`, `leave`,
`offers`, `decline`, `by_operator`; and `ending`, whichever of them ended the game.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pbm.errors import Refusal
from pbm.play.first_moves import await_first_move
from pbm.play.replay import position_after
from pbm.play.subjects import board_subject
from pbm.rules import abalone as rules
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Played, Player, Progress, Round


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


def check_move(board: Board, text: str) -> rules.Move:
    """Read a move for the seat whose turn it is. Raises Refusal."""
    try:
        return rules.parse_move(text, board.position)
    except rules.RulesError as error:
        raise Refusal("illegal-move", text=str(error), number=board.id) from error


def add_move(work: UnitOfWork, board: Board, text: str, now: datetime) -> Board:
    """Play a move for the seat whose turn it is. Raises Refusal."""
    played = rules.play(board.position, check_move(board, text))
    ply = Played(
        board.ply + 1,
        board.position.turn or 0,  # nobody's turn: the rules have refused it
        rules.format_move(played.move),
        rules.effect(played),
    )
    progress = progress_at(board, played.position, ply.ply)
    return work.boards.add_ply(board, ply, progress, now)


def take_out(
    work: UnitOfWork, board: Board, seats: Sequence[int], how: str, now: datetime
) -> Board:
    """Take seats out of the game; what stands on the board stays."""
    for seat in seats:
        if board.playing and seat not in board.position.out:
            progress = progress_at(board, rules.leave(board.position, seat), board.ply)
            board = work.boards.add_departure(board, seat, how, progress, now)
    return board


def go_back(work: UnitOfWork, board: Board, ply: int, now: datetime) -> Board:
    """Take back all plies after `ply`, and what was done to the board since."""
    position = position_after(work, board, ply)
    return work.boards.go_back(board, progress_at(board, position, ply), now)


def close_board(
    work: UnitOfWork,
    board: Board,
    ended_by: str,
    now: datetime,
    *,
    winners: Sequence[int] | None = None,
) -> Board:
    """End a board otherwise than by play; `winners` are seats, none of them for a draw.

    Without `winners` it is closed and counts for nothing.
    """
    status = "closed" if winners is None else "finished"
    seats = None if winners is None else tuple(winners)
    progress = Progress(board.state, board.ply, None, status, ended_by, seats)
    return work.boards.set_progress(board, progress, now)


def progress_at(board: Board, position: rules.Position, ply: int) -> Progress:
    """What is written down of a board where a position was reached: whose turn, or how it ended."""
    mover = board.seats[position.mover - 1].player_id if position.mover else None
    state, outcome = rules.format_state(position), position.outcome
    if outcome is None:
        return Progress(state, ply, mover)
    return Progress(state, ply, mover, "finished", outcome.by, outcome.winners)
