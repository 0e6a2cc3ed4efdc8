"""Ratings: what finished boards say of how strong somebody plays (rules, section 6).

Each game has ratings of its own for two players, for three and more, and for teams. A rating is a
mean and an uncertainty, as the Plackett-Luce model of openskill has them (Weng and Lin, 2011). The
table of them is a view of the finished boards in the order in which they were counted: what is
written down can be computed again from the boards alone.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from math import sqrt

from openskill.models import PlackettLuce

from pbm.play.shown import RatingChange, RatingShown
from pbm.rules.contract import BreaksTies, has
from pbm.rules.sides import partners, teams
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Seat
from pbm.store.values.plies import Departure
from pbm.store.values.ratings import CountedBoard, Pool, Rating, Result
from pbm.store.values.timers import TimerKind

PROVISIONAL = 5.2
"""The uncertainty above which a rating says little: some ten games with others who are known."""
STALE = "ratings-stale"
"""The fact that names the first board to be counted anew."""
_PER_MONTH = 0.6  # that the uncertainty grows without a game, in quadrature
_MONTH = timedelta(days=30)
_MIDDLE, _STEP = 1500, 40  # the number shown at the mean of all, and for one step of the model
_TWO = 2


def shown(mu: float, sigma: float) -> RatingShown:
    """A rating as people see it.

    >>> shown(25.0, 25 / 3)
    RatingShown(number=1500, off=333, provisional=True)
    >>> shown(30.0, 3.0)
    RatingShown(number=1700, off=120, provisional=False)
    """
    number = round(_MIDDLE + _STEP * (mu - _model().mu))
    return RatingShown(number, round(_STEP * sigma), sigma > PROVISIONAL)


def rating_changes(work: UnitOfWork, board: Board) -> tuple[RatingChange, ...]:
    """What a finished board did to the ratings of its players, in the order of their seats."""
    over = board.status == "finished" and may_count(board)
    counted = work.ratings.counted(board.id) if over else None
    found = {item.player_id: item for item in work.ratings.results(counted)} if counted else {}
    if counted is None or not found:  # what was finished before there were ratings is yet to come
        return ()
    rest = [seat.player_id for seat in board.seats if seat.player_id not in found]
    known = work.ratings.before(counted, rest) if rest else {}
    return tuple(
        _change(seat.handle, found[seat.player_id])
        if seat.player_id in found
        else _no_change(seat.handle, at(known.get(seat.player_id), counted.at))
        for seat in board.seats
    )


def _change(handle: str, item: Result) -> RatingChange:
    before = shown(item.mu_before, item.sigma_before) if item.games > 1 else None
    return RatingChange(handle, before, shown(item.mu, item.sigma))


def _no_change(handle: str, known: Rating) -> RatingChange:
    same = shown(known.mu, known.sigma)
    return RatingChange(handle, same, same, spared=True)


def at(rating: Rating | None, now: datetime) -> Rating:
    """What is known of a player by now: the uncertainty grows in time without play."""
    first = _model()
    if rating is None:
        return Rating(first.mu, first.sigma, 0, None)
    months = max(0.0, (now - rating.at) / _MONTH) if rating.at else 0.0
    grown = sqrt(rating.sigma**2 + _PER_MONTH**2 * months)
    return Rating(rating.mu, min(grown, first.sigma), rating.games, rating.at)


def may_count(board: Board) -> bool:
    """Whether a board, once it is finished, counts for ratings: each player has one seat there, and
    every seat has been moved for."""
    players = {seat.player_id for seat in board.seats}
    played = len(players) == len(board.seats) and all(seat.last_ply for seat in board.seats)
    return board.rated and not board.from_record and played


def pool_of(work: UnitOfWork, board: Board) -> Pool | None:
    """With which games a finished board counts; None if it counts for no rating.

    Rated are finished games in which everybody has moved; a partner's move is not one's own.
    """
    if board.status != "finished" or not may_count(board):
        return None
    if teams(board.start):
        return Pool.TEAMS if _all_moved_themselves(work, board) else None
    return Pool.TWO if len(board.seats) == _TWO else Pool.MANY


def _all_moved_themselves(work: UnitOfWork, board: Board) -> bool:
    """Whether nobody has left before a first move, so that a partner made it."""
    left = work.plies.departures(board.id) if board.position.out else ()
    moves = work.plies.by_seat(board.id, since=0) if left else {}
    later = (work.plies.by_seat(board.id, since=item.after_ply) for item in left)
    return all(
        moves[item.seat] > after.get(item.seat, 0) for item, after in zip(left, later, strict=True)
    )


def is_spared(work: UnitOfWork, board: Board, player_id: int, now: datetime) -> bool:
    """Whether a player who lets a board run out loses no rating by it.

    Of all boards that run out in one absence, which is a time without any move of the player's,
    only the first costs rating.
    """
    return may_count(board) and not work.players.begin_absence(player_id, now)


def end_absence(work: UnitOfWork, mover: Seat) -> None:
    """Note that a player has moved: what runs out from now on is another absence."""
    if mover.absent:
        work.players.end_absence(mover.player_id)


def count_board(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Count a board that has just been finished, if it is rated."""
    pool = pool_of(work, board)
    if pool is None:
        return
    counted = work.ratings.add(board.id, board.game, pool, now)
    work.ratings.set_results(counted, results_of(work, board, counted))


def uncount_board(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Take back what a board did to the ratings: it goes on, or has ended in another way.

    What was counted later is counted anew, in a while.
    """
    counted = work.ratings.counted(board.id)
    if counted is not None:
        work.ratings.hold()
        work.ratings.forget(counted)
        recount_from(work, counted.number, now)


def recount_from(work: UnitOfWork, number: int, now: datetime) -> None:
    """Let all boards be counted anew that were counted as this number or later."""
    stale = work.facts.find(STALE, lock=True)
    work.facts.note(STALE, min(number, stale.value) if stale else number, now)
    work.timers.set(TimerKind.RATINGS, "", now, now)


def recount(work: UnitOfWork, board: Board, counted: CountedBoard) -> tuple[Result, ...] | None:
    """What a counted board does to the ratings by what it is now; None if it counts no more.

    Raises StateError where its game is not installed.
    """
    if pool_of(work, board) != counted.pool:
        return None
    return results_of(work, board, counted)


def results_of(work: UnitOfWork, board: Board, counted: CountedBoard) -> tuple[Result, ...]:
    """What a board does to the ratings of its players, in the order of their seats.

    Who is spared is rated with the others, as they played, and has no result.
    """
    left = work.plies.departures(board.id) if board.position.out else ()
    places = places_of(board, left)
    before = work.ratings.before(counted, [seat.player_id for seat in board.seats])
    known = [at(before.get(seat.player_id), counted.at) for seat in board.seats]
    after = after_game(known, teams(board.start) or [[seat.seat] for seat in board.seats], places)
    spared = {item.seat for item in left if item.spared}
    return tuple(
        Result(seat.player_id, place, was.mu, was.sigma, mu=mu, sigma=sigma, games=was.games + 1)
        for seat, place, was, (mu, sigma) in zip(board.seats, places, known, after, strict=True)
        if seat.seat not in spared
    )


def after_game(
    known: Sequence[Rating], sides: Sequence[Sequence[int]], places: Sequence[int]
) -> list[tuple[float, float]]:
    """The mean and the uncertainty of each seat after a game; partners have one place."""
    model = _model()
    rated = model.rate(
        [
            [model.rating(known[seat - 1].mu, known[seat - 1].sigma) for seat in side]
            for side in sides
        ],
        ranks=[float(places[side[0] - 1]) for side in sides],
    )
    after = {
        seat: (value.mu, value.sigma)
        for side, values in zip(sides, rated, strict=True)
        for seat, value in zip(side, values, strict=True)
    }
    return [after[seat] for seat in sorted(after)]


def places_of(board: Board, left: Sequence[Departure]) -> tuple[int, ...]:
    """The place of each seat on a finished board, 1 the best; partners share theirs.

    First are the winners, then those still in by what the game counts, then those who have left,
    the latest first. In a draw all who are still in are first. `left` are the departures there.
    """
    out = board.position.out
    departed = {item.seat: order for order, item in enumerate(left) if item.seat in out}
    keys = [_key(board, seat.seat, departed) for seat in board.seats]
    order = sorted(set(keys))
    return tuple(sum(keys.count(better) for better in order if better < key) + 1 for key in keys)


_Key = tuple[int, int, int]


def _key(board: Board, seat: int, departed: Mapping[int, int]) -> _Key:
    """What a seat is placed by, the smallest first."""
    side = (seat, *partners(board.position, seat))
    if seat in (board.winners or ()):
        return 0, 0, 0
    left = [departed[other] for other in side if other in departed]
    if len(left) == len(side):
        return 2, -max(left), 0
    if not board.winners:
        return 0, 0, 0
    outcome = board.position.outcome
    score = outcome.scores[seat - 1] if outcome and outcome.scores else 0
    return 1, -score, -_balance(board, seat)


def _balance(board: Board, seat: int) -> int:
    game = board.rules
    return game.balance(board.start, board.position, seat) if has(game, BreaksTies) else 0


@cache
def _model() -> PlackettLuce:
    return PlackettLuce()
