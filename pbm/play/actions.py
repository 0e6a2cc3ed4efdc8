"""Moves, departures, forfeits and acts of the operator on a board, with all consequences."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from pbm.events import Event, MovePlayed, PlayerLeft
from pbm.events.board import BoardDeclined, BoardStarted, FirstMoveMissed, ForfeitClaimed, Forfeited
from pbm.play import boards
from pbm.play.advance import Changed, advance
from pbm.play.clocks.waits import count_move, may_be_claimed, wait_of
from pbm.play.offers import after_a_move, after_leaving
from pbm.play.ratings import got_somewhere
from pbm.play.results import is_behind
from pbm.play.turn import GameTurn
from pbm.rules.contract import Budget, Searches, has
from pbm.rules.sides import partners, teams
from pbm.rules.sides import turn as seat_to_move
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Departure
from pbm.store.values.players import Player, PlayerStatus

FORFEITED = "forfeited"
BY_OPERATOR = "operator"
SPARED_EVERY = timedelta(days=180)
_VERDICT, _LOST = Budget(2_000), -100  # nodes, and hundredths of a piece for the side to move
_EVERY = 1_000_000  # boards of one player; more than any has


def play_move(
    work: UnitOfWork,
    board: Board,
    text: str,
    now: datetime,
    arrived: datetime | None = None,
    *,
    more_comes: bool = False,
) -> list[Event]:
    """Play a move. The mover's clock stops at `arrived`, by default at `now`. Raises Refusal.

    With `more_comes` planned moves wait for `play_on`.
    """
    after, move = boards.add_move(work, board, text, now)
    count_move(work, board, after, arrived or now)
    mover = board.to_move
    assert mover is not None  # the rules refuse other moves
    played = MovePlayed(board.id, after.ply, mover.player_id, move, "" if text == move else text)
    changed = after, [played, *after_a_move(work, after, mover.player_id)]
    return advance(work, board, changed, now, more_comes=more_comes)


def leave_board(
    work: UnitOfWork, board: Board, player: Player, how: str, now: datetime, *, spared: bool = False
) -> list[Event]:
    """Take a player out of a game, and settle open offers. `how` is a word such as `resigned`.

    `spared` means that it costs no rating.
    """
    if how != FORFEITED:
        work.boards.note_answered(board.id, player.id)
    seats = [seat.seat for seat in board.seats_of(player.id)]
    out = boards.take_out(work, board, seats, how, now, spared=spared)
    after, caused = after_leaving(work, out, now)
    return advance(work, board, (after, [PlayerLeft(board.id, player.id, how), *caused]), now)


def boards_played(work: UnitOfWork, player: Player, *, lock: bool = True) -> list[Board]:
    """Return the boards of installed games that a player still plays, sorted by number."""
    found: Sequence[Board] = work.boards.of_player(player.id, playing=True, most=_EVERY)[::-1]
    found = [work.boards.get(board.id, lock=True) for board in found] if lock else found
    played = (board for board in found if board.playing and board.is_installed)
    return [board for board in played if player.id in board.still_in]


def decline_board(
    work: UnitOfWork,
    board: Board,
    player: Player,
    now: datetime,
    fact: type[BoardDeclined | FirstMoveMissed] = BoardDeclined,
) -> list[Event]:
    """Close a board that a player declines. If possible, start a new one for the others."""
    if fact is BoardDeclined:
        work.boards.note_answered(board.id, player.id)
    successor = _successor(work, board, player, now)
    declined = fact(board.id, player.id, successor.id if successor else None)
    changed: Changed = boards.close_board(work, board, "declined", now), [declined]
    events = advance(work, board, changed, now, begins_anew=successor is not None)
    return [*events, BoardStarted(successor.id, player.id)] if successor else events


def _successor(work: UnitOfWork, board: Board, player: Player, now: datetime) -> Board | None:
    others = [work.players.get(player_id) for player_id in board.still_in if player_id != player.id]
    setup = boards.setup_of(board)
    is_later = board.round is not None and board.round.number > 1
    is_alone = all(other.robot for other in others)
    if is_later or is_alone or teams(board.start) or not setup.is_for(len(others)):
        return None
    return boards.start_board(work, setup, others, now)


def forfeit(turn: GameTurn, board: Board, player: Player) -> list[Event]:
    """Take a player whose time is over out of a game. Raises WorkNeeded."""
    spared = is_spared(turn, board, player.id)
    left = leave_board(turn.work, board, player, FORFEITED, turn.now, spared=spared)
    return [Forfeited(board.id, player.id), *left]


def claim_forfeit(turn: GameTurn, board: Board, player: Player) -> list[Event]:
    """If `player` may claim that the time is over, take the player to move out of the game.

    Raises WorkNeeded.
    """
    wait = wait_of(turn.work, board, turn.now)
    if wait is None or wait.player.id == player.id or not may_be_claimed(board, wait):
        return []
    _, *left = forfeit(turn, board, wait.player)
    return [ForfeitClaimed(board.id, wait.player.id, player.id), *left]


def claimable_from(
    work: UnitOfWork, board: Board, player: Player, now: datetime
) -> datetime | None:
    """Return the earliest time at which `player` may claim a forfeit of the player to move.

    Return None if no claim is to be expected: no clock runs, `player` is to move, or mail to the
    player to move does not bounce.
    """
    wait = wait_of(work, board, now)
    if wait is None or wait.player.id == player.id or wait.player.unreachable_since is None:
        return None
    return wait.ends_at


def forfeited_at(work: UnitOfWork, board: Board, player_id: int) -> datetime | None:
    seats = {seat.seat for seat in board.seats_of(player_id)}
    if not seats & set(board.position.out):
        return None
    left = work.plies.departures(board.id)
    return next(
        (item.left_at for item in left if item.seat in seats and item.how == FORFEITED), None
    )


def show_life(work: UnitOfWork, player: Player) -> None:
    """End a player's absence, which began with a reminder: the player has sent a mail."""
    if player.absent_since is not None:
        work.players.change(player.id, absent_since=None)


def is_spared(turn: GameTurn, board: Board, player_id: int) -> bool:
    """Note a player's forfeit (a loss by time). Return True if it leaves the rating unchanged.

    An absence lasts from a reminder to the player's next mail. Its first forfeit costs rating.
    Later ones cost rating only if the game was lost already, by score or by a short search, or if
    the player was lately spared in another absence. Outside an absence, each forfeit costs rating.
    Raises WorkNeeded.
    """
    work = turn.work
    work.players.lock(player_id)
    player = work.players.get(player_id)
    since, lapsed, spared = player.absent_since, player.lapsed_at, player.spared_at
    seat = board.seats_of(player_id)[0]
    if since is None or seat.taken_over or not got_somewhere(work, board):
        return False
    if lapsed is None or lapsed < since:
        work.players.change(player_id, lapsed_at=turn.now, spared_at=spared)
        return False
    is_lost = _is_lost(turn, board, seat.seat)
    if is_lost or (spared and since - SPARED_EVERY < spared < since):
        return False
    work.players.change(player_id, lapsed_at=lapsed, spared_at=since)
    return True


def _is_lost(turn: GameTurn, board: Board, seat: int) -> bool:
    """Return whether a seat is behind in score, or a short search sees that it will be."""
    if is_behind(board, seat):
        return True
    game, own = board.rules, {seat, *partners(board.position, seat)}
    if seat_to_move(board.position) not in own or not has(game, Searches):
        return False
    of = ("verdict", board.id, board.ply, board.taken_back)
    found = turn.slow.outcome(of, lambda: game.search([board.position], _VERDICT))
    return any(line.score <= _LOST for line in found.lines)


def end_board(
    work: UnitOfWork, board: Board, winners: Sequence[int] | None, now: datetime
) -> list[Event]:
    """End a board. `winners` is () for a draw, and None to end it without a result."""
    after = boards.close_board(work, board, BY_OPERATOR, now, winners=winners)
    return advance(work, board, (after, []), now)


def forfeits_that_ended(work: UnitOfWork, board: Board) -> tuple[Departure, ...]:
    """Return the forfeits (losses by time) that ended a board, or () if something else ended it."""
    left = () if board.playing else work.plies.departures(board.id)
    last = left[-1] if left else None
    if last is None or last.how != FORFEITED or last.after_ply < board.ply:
        return ()
    robots = {seat.player_id for seat in board.seats if seat.robot}
    if board.position.outcome is None and not robots.issuperset(board.still_in):
        return ()
    return tuple(item for item in left if item.how == FORFEITED and item.left_at == last.left_at)


def reopen_board(work: UnitOfWork, board: Board, now: datetime) -> list[Event]:
    """Reopen a board whose last move did not end it. If forfeits ended the board, undo them."""
    undone = forfeits_that_ended(work, board)
    if undone:
        work.playing.drop_departures(board, undone[0].left_at)
        _end_absences(work, board, undone)
    position = boards.position_after(work, board, board.ply)
    progress = boards.progress_at(board, position, board.ply)
    after = work.playing.set_progress(board, progress, now)
    return advance(work, board, (_without_the_removed(work, after, now), []), now)


def undo_ply(work: UnitOfWork, board: Board, now: datetime) -> list[Event]:
    """Take back the last ply (a single move). Players who left after it are in the game again."""
    _end_absences(work, board, forfeits_after(work, board, board.ply))
    after = boards.go_back(work, board, board.ply - 1, now)
    return advance(work, board, (_without_the_removed(work, after, now), []), now)


def forfeits_after(work: UnitOfWork, board: Board, ply: int) -> tuple[Departure, ...]:
    left = work.plies.departures(board.id)
    return tuple(item for item in left if item.how == FORFEITED and item.after_ply >= ply)


def _end_absences(work: UnitOfWork, board: Board, forfeits: Iterable[Departure]) -> None:
    """End absences when forfeits have been undone, but only for forfeits that cost rating."""
    for item in forfeits:
        if not item.spared:
            work.players.change(board.seats[item.seat - 1].player_id, absent_since=None)


def _without_the_removed(work: UnitOfWork, board: Board, now: datetime) -> Board:
    """Return a resumed board without the players who are no longer on the server."""
    gone = [
        seat.seat
        for seat in board.seats
        if work.players.get(seat.player_id).status == PlayerStatus.REMOVED
    ]
    return boards.take_out(work, board, gone, "removed", now)
