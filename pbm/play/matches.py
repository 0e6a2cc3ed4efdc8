"""Matches: the next round, the seating, and the table (`docs/rules.md`, section 5)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from pbm.events import Event
from pbm.events.board import BoardStarted, MatchBrokenOff, MatchOver, MatchStanding, RoundOver
from pbm.play.boards import setup_of, start_board
from pbm.play.results import balance_of
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, BoardStatus


def go_on(work: UnitOfWork, board: Board, now: datetime) -> list[Event]:
    """After a board of a match is over, start the next round, or report the match's result."""
    if board.round is None:
        return []
    boards = work.boards.of_match(board.round.match_id)
    last = boards[-1]
    if board.id != last.id and not _is_played_out(last):
        return []  # a reopened game ended again; the match has gone on
    table = standings(boards)
    counts = any(item.status == BoardStatus.FINISHED for item in boards)
    so_far = (board.id, board.round.number, board.round.rounds, tuple(table) if counts else ())
    players = [work.players.get(player_id) for player_id in next_seating(board)]
    away = tuple(player.id for player in players if not player.is_active)
    if _is_played_out(last):
        return [MatchOver(*so_far)]
    if board.status == BoardStatus.CLOSED or away:
        return [MatchBrokenOff(*so_far, away)]
    place = replace(board.round, number=board.round.number + 1)
    following = start_board(work, setup_of(board), players, now, round_of=place)
    return [RoundOver(*so_far, following.id), BoardStarted(following.id, players[0].id)]


def last_of_match(work: UnitOfWork, board: Board) -> Board:
    """Return the latest board of the match. Boards closed without a result do not count.

    Returns `board` itself if all are closed, or if it belongs to no match.
    """
    if board.round is None:
        return board
    boards = work.boards.of_match(board.round.match_id)
    return next((item for item in reversed(boards) if item.status != BoardStatus.CLOSED), board)


def _is_played_out(last: Board) -> bool:
    place, is_finished = last.round, last.status == BoardStatus.FINISHED
    return is_finished and place is not None and place.number == place.rounds


def next_seating(board: Board) -> tuple[int, ...]:
    """Return the player ids in seat order for the next game. The second player now begins."""
    seated = [seat.player_id for seat in board.seats]
    return (*seated[1:], seated[0])


def standings(boards: Sequence[Board]) -> list[MatchStanding]:
    """Return the table of a match so far, the best first. Only finished boards count."""
    table = {seat.player_id: MatchStanding(seat.player_id, 0, 0) for seat in boards[0].seats}
    for board in boards:
        for seat in board.seats if board.status == BoardStatus.FINISHED else ():
            before = table.get(seat.player_id, MatchStanding(seat.player_id, 0, 0))
            table[seat.player_id] = replace(
                before,
                wins=before.wins + (seat.seat in (board.winners or ())),
                balance=before.balance + balance_of(board, seat.seat),
            )
    return sorted(table.values(), key=lambda item: (-item.wins, -item.balance))
