"""Ratings of playing strength, from the results of finished boards.

A rating is a mean and an uncertainty, by the Plackett-Luce model of openskill (Weng and Lin, 2011).
A finished board that changes ratings is called counted, and gets a number. All ratings can be
recomputed from the counted boards, in the order of these numbers.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import chain
from math import sqrt
from statistics import fmean
from typing import Any

from openskill.models import PlackettLuce

from pbm.events.board import RatingsRecounted, RecountedRating
from pbm.play.results import places_of, scores_of
from pbm.rules.contract import Position
from pbm.rules.registry import game_named, games
from pbm.rules.robots import ROBOTS
from pbm.rules.sides import teams
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, BoardStatus, Handover, Seat
from pbm.store.values.players import CountedBoard, Player, Pool, Rating, RatingResult
from pbm.store.values.queues import TimerKind

PROVISIONAL = 5.2  # a greater uncertainty is provisional; that takes some ten games
STALE = "ratings-stale"  # name of the fact that has the first board to recount
MOVES, MOVES_WITH_SCORE = 10, 5  # fewest moves of each side in a game that counts
REPEATED_WITHIN = timedelta(days=30)
_FULL_GAMES = 2  # with the same opponent in that time; each further one counts half the one before
_PLACED = 10  # games against people, from which on it matters who these are
_MET = 12  # latest opponents, who are kept with a rating
_AT_MOST = 3.0  # games with one of them
_MANY, _SOME = 7, 5  # opponents of somebody known to many, and of somebody known to others
_CIRCLE = 10  # fewest people in a circle that is not small: a player, those met, whom they met
_PER_MONTH = 0.6  # growth of the uncertainty without a game, in quadrature
_MONTH = timedelta(days=30)
_MIDDLE, _STEP = 1500, 40  # the number shown at the mean of all, and for one step of the model


@dataclass(frozen=True)
class RatingShown:
    number: int
    off: int  # how uncertain the number is
    provisional: bool  # whether it is still too uncertain, or made in too small a circle


def shown(mu: float, sigma: float, *, wide: bool = True) -> RatingShown:
    """Return a rating as readers see it.

    >>> shown(25.0, 25 / 3)
    RatingShown(number=1500, off=333, provisional=True)
    >>> shown(30.0, 3.0)
    RatingShown(number=1700, off=120, provisional=False)
    """
    number = round(_MIDDLE + _STEP * (mu - _model().mu))
    return RatingShown(number, round(_STEP * sigma), sigma > PROVISIONAL or not wide)


def shown_of(rating: Rating) -> RatingShown:
    return shown(rating.mu, rating.sigma, wide=rating.wide)


def rating_changes(work: UnitOfWork, board: Board) -> list[dict[str, Any]]:
    """Return the rating changes that a finished board caused, in seat order."""
    over = board.status == BoardStatus.FINISHED and _may_count(work, board)
    counted = work.ratings.counted(board.id) if over else None
    if counted is None:
        return []  # boards finished before there were ratings may not be counted yet
    found = {item.player_id: item for item in work.ratings.results(counted)}
    board, _ = as_rated(work, board)
    now = work.ratings.current(counted.game, counted.pool, list(found))
    narrow = {player_id for player_id, rating in now.items() if not rating.wide}
    told = [(seat, seat.player_id) for seat in board.seats if seat.player_id in found]
    return [_change(seat, found[each], wide=each not in narrow) for seat, each in told]


def _change(seat: Seat, item: RatingResult, *, wide: bool) -> dict[str, Any]:
    is_robot, stays = seat.robot is not None, seat.robot is not None or not item.weight
    before = shown(item.mu_before, item.sigma_before, wide=wide)
    after = shown(item.mu, item.sigma, wide=wide)
    return {
        "handle": seat.handle,
        "before": asdict(before) if stays or item.games > 1 else None,  # None: a first game
        "after": asdict(after),
        "spared": stays and not is_robot,  # another forfeit in the absence has cost rating
        "measured": is_robot,  # the rating is fixed
        "counted": 100 if stays else round(100 * item.weight),  # percent
    }


def at(rating: Rating | None, now: datetime) -> Rating:
    """Return a player's rating at the moment `now`. Its uncertainty grows with time.

    If `rating` is None, the result is the rating of a newcomer.
    """
    first = _model()
    if rating is None:
        return Rating(first.mu, first.sigma, 0, None)
    months = max(0.0, (now - rating.at) / _MONTH) if rating.at else 0.0
    grown = sqrt(rating.sigma**2 + _PER_MONTH**2 * months)
    return replace(rating, sigma=min(grown, first.sigma))


def measured(robot: str) -> Rating:
    """Return a robot's rating. It never changes. For an unknown robot it is the mean rating."""
    number = ROBOTS[robot].rating if robot in ROBOTS else _MIDDLE
    return Rating(_model().mu + (number - _MIDDLE) / _STEP, 0.0, 0, None)


def got_somewhere(work: UnitOfWork, board: Board) -> bool:
    """Return whether the game got far enough to count for ratings if it ends now.

    A game that its own rules have ended always did, if nobody left it early.
    """
    if not _may_count(work, board):
        return False
    if board.position.outcome and not board.position.out:
        return True
    moves = work.plies.by_seat(board.id, since=0)
    sides = teams(board.start) or [[seat.seat] for seat in board.seats]
    fewest = min(sum(moves.get(seat, 0) for seat in side) for side in sides)
    return fewest >= MOVES or (fewest >= MOVES_WITH_SCORE and any(scores_of(board)))


def _may_count(work: UnitOfWork, board: Board) -> bool:
    players = rated_players(work, board)
    return board.rated and not board.from_record and len(players) == len(board.seats)


def as_rated(work: UnitOfWork, board: Board) -> tuple[Board, Mapping[int, Handover]]:
    """Return a board with the players for whom its seats count, who had them first.

    The second result has the first handover of each seat that changed hands.
    """
    first: dict[int, Handover] = {}
    for item in work.boards.handovers(board):
        first.setdefault(item.seat, item)
    had = {seat: work.players.get(item.player_id) for seat, item in first.items()}
    seats = tuple(
        replace(seat, player_id=who.id, handle=who.handle, robot=who.robot)
        if (who := had.get(seat.seat))
        else seat
        for seat in board.seats
    )
    return (replace(board, seats=seats) if had else board), first


def rated_players(work: UnitOfWork, board: Board) -> set[int]:
    return {seat.player_id for seat in as_rated(work, board)[0].seats}


def _sides_rated(board: Board, handed: Mapping[int, Handover]) -> Sequence[Sequence[int]]:
    """Return the seats of each side that is compared with others.

    A seat that changed hands counts, as lost, if its first player was behind then.
    """
    sides = teams(board.start)
    counting = [it.seat for it in board.seats if it.seat not in handed or handed[it.seat].behind]
    return sides or [[seat] for seat in counting]


def _seats_rated(board: Board, handed: Mapping[int, Handover]) -> frozenset[int]:
    """Return the seats whose ratings change. In teams the others have had a new partner."""
    lost = {seat for seat, item in handed.items() if item.behind}
    if handed and teams(board.start):
        return frozenset(lost)
    sides = _sides_rated(board, handed)
    return frozenset(chain(*sides)) if len(sides) > 1 else frozenset()


def pool_of(work: UnitOfWork, board: Board) -> Pool | None:
    """Return the ratings that a finished board counts for; None if it counts for none."""
    if board.status != BoardStatus.FINISHED or not got_somewhere(work, board):
        return None
    if not _seats_rated(*as_rated(work, board)):
        return None
    pool = pool_for(board.start)
    return pool if pool != Pool.TEAMS or _all_moved_themselves(work, board) else None


def pool_for(position: Position) -> Pool:
    if teams(position):
        return Pool.TEAMS
    return Pool.TWO if len(position.sides) == 2 else Pool.MANY


def ratings_now(work: UnitOfWork, board: Board, now: datetime) -> list[dict[str, Any]]:
    """Return the present ratings of a board's players, in seat order, as data for a template."""
    ids = {seat.player_id for seat in board.seats}
    known = work.ratings.current(board.game, pool_for(board.start), ids)
    told = []
    for seat in board.seats:
        own = measured(seat.robot) if seat.robot else at(known.get(seat.player_id), now)
        is_measured = seat.robot is not None
        told.append({"handle": seat.handle, "measured": is_measured, **asdict(shown_of(own))})
    return told


def _all_moved_themselves(work: UnitOfWork, board: Board) -> bool:
    """Return whether all players who left the game had made a move before they left."""
    left = work.plies.departures(board.id) if board.position.out else ()
    moves = work.plies.by_seat(board.id, since=0) if left else {}
    later = (work.plies.by_seat(board.id, since=item.after_ply) for item in left)
    return all(
        moves.get(item.seat, 0) > after.get(item.seat, 0)
        for item, after in zip(left, later, strict=True)
    )


def is_too_short(work: UnitOfWork, board: Board, changes: Sequence[Any]) -> bool:
    """Return whether a finished board changed no ratings since the game was too short."""
    over = board.status == BoardStatus.FINISHED and _may_count(work, board)
    over = over and not any(seat.taken_over for seat in board.seats)
    return over and not changes and pool_of(work, board) is None


def count_board(work: UnitOfWork, board: Board, now: datetime) -> None:
    pool = pool_of(work, board)
    if pool is None:
        return
    counted = work.ratings.add(board.id, board.game, pool, now)
    work.ratings.set_results(counted, results_of(work, board, counted))
    look_around(work, counted.game, counted.pool, rated_players(work, board))


def look_around(work: UnitOfWork, game: str, pool: Pool, player_ids: set[int]) -> None:
    """Note whether these players and those whom they have met have a wide circle."""

    def met(known: Mapping[int, Rating]) -> set[int]:
        return {other for rating in known.values() for other, _ in rating.met}

    near = work.ratings.last(game, pool, player_ids)
    near |= work.ratings.last(game, pool, met(near) - player_ids)
    known = near | work.ratings.last(game, pool, met(near) - near.keys())
    work.ratings.set_wide(game, pool, near, [each for each in near if is_wide(each, known)])


def is_wide(player_id: int, known: Mapping[int, Rating]) -> bool:
    """Return whether at least half of a player's games were with people who have met others.

    These are known to many, or have met somebody whom the player has not met. All together must not
    be too few. `known` has the ratings of the player and of those met.
    """
    rating = known[player_id]
    own = {player_id, *(other for other, _ in rating.met)}
    others = {each: {one for one, _ in known[each].met} for each in own & known.keys()}

    def has_met_others(other: int) -> bool:
        theirs = others.get(other, set())
        return len(theirs) >= (_MANY if theirs <= own else _SOME)

    with_others = sum(games for other, games in rating.met if has_met_others(other))
    is_half = 2 * with_others >= sum(games for _, games in rating.met)
    is_large = len(own.union(*others.values())) >= _CIRCLE
    return rating.people_games < _PLACED or (is_half and is_large)


def uncount_board(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Undo a board's effect on the ratings. A timer recounts the boards counted after it."""
    counted = work.ratings.counted(board.id)
    if counted is not None:
        work.ratings.hold()
        work.ratings.forget(counted)
        look_around(work, counted.game, counted.pool, rated_players(work, board))
        recount_from(work, counted.number, now)


def recount_from(work: UnitOfWork, number: int, now: datetime) -> None:
    """Schedule a recount of all counted boards whose `CountedBoard.number` is at least `number`."""
    stale = work.facts.find(STALE, lock=True)
    work.facts.note(STALE, min(number, stale.value) if stale else number, now)
    work.timers.set(TimerKind.RATINGS, "", now, now)


def recount(
    work: UnitOfWork, board: Board, counted: CountedBoard
) -> tuple[RatingResult, ...] | None:
    """Compute a board's rating results anew; None if its `Pool` has changed. Raises StateError."""
    if pool_of(work, board) != counted.pool:
        return None
    return results_of(work, board, counted)


def results_of(work: UnitOfWork, board: Board, counted: CountedBoard) -> tuple[RatingResult, ...]:
    """Return what a board does to the rating of each seat's player, in seat order.

    The rating does not change for robots, nor for a player whose forfeit was spared.
    """
    board, handed = as_rated(work, board)
    sides, counting = _sides_rated(board, handed), _seats_rated(board, handed)
    left = work.plies.departures(board.id) if board.position.out else ()
    spared = {item.seat for item in left if item.spared and item.seat not in handed}
    players = [seat.player_id for seat in board.seats]
    before = work.ratings.last(counted.game, counted.pool, players, before=counted.number)
    known = [
        measured(seat.robot) if seat.robot else at(before.get(seat.player_id), counted.at)
        for seat in board.seats
    ]
    lost = {seat: item.after_ply for seat, item in handed.items() if item.behind}
    places, compared = places_of(board, lost), sorted(chain(*sides))
    after = dict(zip(compared, after_game(known, sides, places), strict=True))
    weights = _weights(work, board, counted, compared)
    results: list[RatingResult] = []
    for seat, place, was in zip(board.seats, places, known, strict=True):
        if seat.seat not in counting:
            continue
        new, weight = after[seat.seat], weights[seat.seat]
        stays = seat.robot or seat.seat in spared
        against = () if seat.robot else _against(board, seat.seat, compared)
        people = [other.player_id for other in against if not other.robot]
        met = _met(was, people, weight)
        now = was if stays else _changed(replace(was, met=met), new, weight, bool(people))
        result = RatingResult(
            *(seat.player_id, place, was.mu, was.sigma, now.mu, now.sigma),
            games=now.games,
            people_games=now.people_games,
            rival_id=now.rival_id,
            met=met,
            weight=0.0 if stays else weight,
        )
        results.append(result)
    return tuple(results)


def _met(was: Rating, people: Sequence[int], weight: float) -> tuple[tuple[int, float], ...]:
    met = dict(was.met)
    for player_id in people:
        met[player_id] = min(_AT_MOST, met.pop(player_id, 0.0) + weight)
    return tuple(met.items())[-_MET:]


def _changed(was: Rating, rated: tuple[float, float], weight: float, with_people: bool) -> Rating:
    """Return a rating after a game. It is `was` if `weight` is 0, and `rated` if `weight` is 1."""
    mu, sigma = (
        old * (1 - weight) + new * weight
        for old, new in zip((was.mu, was.sigma), rated, strict=True)
    )
    return replace(
        was,
        mu=mu,
        sigma=sigma,
        games=was.games + 1,
        people_games=was.people_games + with_people,
        rival_id=was.met[0][0] if len(was.met) == 1 else None,
    )


def _against(board: Board, seat: int, rated: Collection[int]) -> list[Seat]:
    sides, others = board.start.sides, (other for other in board.seats if other.seat in rated)
    return [other for other in others if sides[other.seat - 1] != sides[seat - 1]]


def _weights(
    work: UnitOfWork, board: Board, counted: CountedBoard, rated: Collection[int]
) -> dict[int, float]:
    """Return for each seat how much the game counts, from 0 to 1. Repeated games count less."""
    players = [seat.player_id for seat in board.seats]
    meetings = work.ratings.meetings(counted, players, counted.at - REPEATED_WITHIN)

    def of_pair(one: Seat, other: Seat) -> float:
        first, second = sorted((one.player_id, other.player_id))
        return 0.5 ** max(0, meetings.get((first, second), 0) + 1 - _FULL_GAMES)

    return {
        seat.seat: fmean(of_pair(seat, other) for other in _against(board, seat.seat, rated))
        for seat in board.seats
        if seat.seat in rated
    }


def after_game(
    known: Sequence[Rating], sides: Sequence[Sequence[int]], places: Sequence[int]
) -> list[tuple[float, float]]:
    """Return each seat's mean and uncertainty after a game. `known` are the ratings before it."""
    model = _model()
    before = [model.rating(item.mu, item.sigma) for item in known]
    rated = model.rate(
        [[before[seat - 1] for seat in side] for side in sides],
        ranks=[float(places[side[0] - 1]) for side in sides],  # partners share a place
    )
    after = dict(zip(chain(*sides), chain(*rated), strict=True))
    return [(after[seat].mu, after[seat].sigma) for seat in sorted(after)]


@cache
def _model() -> PlackettLuce:
    return PlackettLuce()


def take_rating_news(work: UnitOfWork, board_id: int, player: Player) -> Iterator[RatingsRecounted]:
    """Yield one event if a recount of old boards has changed a player's ratings."""
    if work.facts.find(STALE) is not None:
        return
    work.players.change(player.id, rating_news=None)
    found = work.ratings.of_player(player.id)
    now = {(game, pool.value): shown(it.mu, it.sigma).number for (game, pool), it in found.items()}
    changed = tuple(
        RecountedRating(
            # The title of an only game is left out.
            game_named(game).info.title if len(games()) > 1 else "",
            pool,
            number,
            now.get((game, pool)),
        )
        for game, pool, number in player.rating_news or ()
        if game in games() and number != now.get((game, pool))
    )
    if changed:
        yield RatingsRecounted(board_id, changed)
