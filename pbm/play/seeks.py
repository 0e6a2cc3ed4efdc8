"""Seeks: open challenges. Any player may take a seat, and the last seat taken starts the board.

The seat order is drawn by lot. One lock guards all seeks, so that two players cannot both get the
last seat.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from pbm.errors import Refusal
from pbm.events import Event, SeekNews
from pbm.plain import to_plain
from pbm.play import ratings
from pbm.play.begin import begin_board, is_left_unanswered, may_meet
from pbm.play.boards import Setup, setup_of
from pbm.play.limits import JOINS, MOST_SEEKS
from pbm.play.ratings import RatingShown
from pbm.rules.contract import completed
from pbm.rules.registry import game_named
from pbm.store.db import UnitOfWork
from pbm.store.values.asking import Seek, SeekStatus, Wish
from pbm.store.values.players import Player, Pool, Rating
from pbm.store.values.queues import TimerKind

_LOOKED_AT = 100  # seeks compared at a time
_NOT_AGAIN_FOR = timedelta(days=1)
_NEAR = 100  # rating difference that does not matter
Lots = Callable[[Sequence[str]], list[str]]  # shuffles names unpredictably


def wish_for(setup: Setup, players: int) -> Wish:
    """Return the game a seek is for, open to all ratings. Raises Refusal."""
    pool = ratings.pool_for(setup.position(players))
    chosen = (setup.options, setup.rounds, setup.rated, to_plain(setup.clock))
    is_usual = setup == usual_setup(setup.game) and players == fewest_players(setup)
    return Wish(setup.game, pool, players, *chosen, usual=is_usual)


def usual_setup(game: str) -> Setup:
    return Setup(game, completed(game_named(game).info.options, {}))


def fewest_players(setup: Setup) -> int:
    numbers = sorted(game_named(setup.game).info.seats)
    return next(filter(setup.is_for, numbers), numbers[0])


def make_seek(
    work: UnitOfWork, wish: Wish, player: Player, now: datetime, lasts: timedelta, lots: Lots
) -> Seek | list[Event]:
    """Join another player's seek that fits, or open one. Raises Refusal.

    Returns the seek. If its last seat is now taken, the events of the board's start are returned.
    """
    work.seeks.lock()
    other = _best(work, wish, player, now) if wish.usual else None
    if other is not None:
        return _take_seat(work, other, player, now, lots)
    own = [seek for seek in work.seeks.of_player(player.id) if seek.maker.player_id == player.id]
    waits = [seek for seek in own if seek.wish.pairs and seek.wish.game == wish.game]
    if wish.pairs and waits:
        return waits[0]
    if len(own) >= MOST_SEEKS:
        raise Refusal("too-many-seeks", most=MOST_SEEKS, seeks=[seek.id for seek in own])
    seek = work.seeks.add(wish, player.id, now, now + lasts)
    kind, about = TimerKind.SEEK_LAPSE, str(seek.id)
    work.timers.set(kind, about, now, seek.expires_at, player_id=player.id)
    return seek


def join_seek(
    work: UnitOfWork, number: int, player: Player, now: datetime, lots: Lots
) -> Seek | list[Event]:
    """Take a seat. Return the seek, or the events if a board starts now. Raises Refusal."""
    work.seeks.lock()
    seek = find_seek(work, number)
    if seek.has(player.id):
        raise Refusal("in-seek", seek=seek.id, own=seek.maker.player_id == player.id)
    rating = _own_ratings(work, player, now)(seek.wish.game, seek.wish.pool)
    if not seek.wish.takes(rating):
        limits = {"least": seek.wish.least, "most": seek.wish.most}
        raise Refusal("rating-out-of-range", seek=seek.id, rating=rating, **limits)
    others = _players(work, seek)
    if len(may_meet(work, player, others)) < len(others):
        raise Refusal("cannot-meet", seek=seek.id)
    if not JOINS.take(work, now, player.id):
        raise Refusal("too-many-joins", most=JOINS.most)
    return _take_seat(work, seek, player, now, lots)


def find_seek(work: UnitOfWork, number: int) -> Seek:
    """Return an open seek. Raises Refusal, which says what became of the seek if it is closed."""
    seek = work.seeks.find(number)
    if seek is None:
        raise Refusal("no-such-seek", seek=number)
    if seek.board_id is not None:
        raise Refusal("seek-begun", seek=seek.id, board=seek.board_id)
    if not seek.is_open:
        raise Refusal("seek-gone", seek=seek.id)
    return seek


def leave_seek(work: UnitOfWork, seek: Seek, player: Player) -> list[SeekNews]:
    """Remove a player from an open seek. If the player has made the seek, it is closed."""
    if seek.maker.player_id == player.id:
        return close_seek(work, seek, SeekStatus.WITHDRAWN)
    work.seeks.drop_seekers(seek.id, [player.id])
    readers = (seek.maker.player_id,)
    # The leaver may be missing among those who wait.
    waiting = sum(one.player_id != player.id for one in seek.waiting)
    return [_news(seek, "left", player.handle, readers, waiting=waiting)]


def leave_all_seeks(work: UnitOfWork, player: Player) -> list[SeekNews]:
    work.seeks.lock()
    found = work.seeks.of_player(player.id)
    left = [event for seek in found for event in leave_seek(work, seek, player)]
    return [replace(news, what="gone") if news.what == "withdrawn" else news for news in left]


def leave_seeks_with(work: UnitOfWork, player: Player, other: Player) -> list[SeekNews]:
    """Remove `player` from all seeks in which `other` waits, too."""
    work.seeks.lock()
    found = [seek for seek in work.seeks.of_player(player.id) if seek.has(other.id)]
    return [event for seek in found for event in leave_seek(work, seek, player)]


def close_seek(work: UnitOfWork, seek: Seek, status: SeekStatus) -> list[SeekNews]:
    """Close a seek as withdrawn or lapsed. Return the news for the players who waited in it."""
    work.seeks.close(seek.id, status)
    others = seek.seekers if status == SeekStatus.LAPSED else seek.seekers[1:]
    readers, waiting = [one.player_id for one in others], len(seek.waiting)
    return [_news(seek, status, seek.maker.handle, readers, waiting=waiting)] if readers else []


def has_joined(seek: Seek, player: Player) -> SeekNews:
    """Return the event that tells a seek's maker that a player has joined."""
    readers = (seek.maker.player_id,)
    return _news(seek, "joined", player.handle, readers, waiting=len(seek.seekers))


def seeks_to_join(
    work: UnitOfWork, player: Player | None, now: datetime, most: int
) -> tuple[list[Seek], list[Seek], int]:
    """Return seeks that a player can join, seeks for other ratings, and how many more there are.

    At most `most` seeks are looked at. Those for the player's rating come first. For None
    all are for the rating.
    """
    found = work.seeks.standing(player.id if player else None)
    standing = [one for one in found if one.wish.is_installed]
    own = _own_ratings(work, player, now) if player else None
    fit = {
        one.id for one in standing if not own or one.wish.takes(own(one.wish.game, one.wish.pool))
    }
    ranked, made = list[tuple[bool, int, int]](), Counter[tuple[bool, int]]()
    for one in standing:
        of_maker = (one.id in fit, one.maker_id)
        ranked.append((one.id not in fit, made[of_maker], -one.id))
        made[of_maker] += 1
    first = [-number for *_, number in sorted(ranked)[:most]]
    by_number = {seek.id: seek for seek in work.seeks.some(first)}
    listed = [by_number[number] for number in first]
    if player:
        free = may_meet(work, player, work.players.some(_waiting_in(listed)))
        listed = [seek for seek in listed if all(one.player_id in free for one in seek.waiting)]
    can = [seek for seek in listed if seek.id in fit]
    return can, listed[len(can) :], len(ranked) - len(first)


def ratings_for(
    work: UnitOfWork, wish: Wish, player_ids: Collection[int], now: datetime
) -> dict[int, RatingShown]:
    """Return the ratings that count for a seek, by player id; a newcomer's is 1500."""
    known = work.ratings.current(wish.game, wish.pool, player_ids)
    return {number: _shown(known.get(number), now) for number in player_ids}


def _take_seat(
    work: UnitOfWork, seek: Seek, player: Player, now: datetime, lots: Lots
) -> Seek | list[Event]:
    """Seat a player in a seek. Return the seek, or the events if a board starts now."""
    work.seeks.drop_seekers(seek.id, [one.player_id for one in seek.seekers if not one.here])
    seek = work.seeks.add_seeker(seek.id, player.id)
    if len(seek.seekers) < seek.wish.players:
        return seek
    players = {one.handle: one for one in _players(work, seek)}
    seated = [players[handle] for handle in lots([one.handle for one in seek.seekers])]
    agreed = {one.id for one in seated}
    begun = begin_board(work, setup_of(seek.wish), seated, player, now, agreed=agreed)
    work.seeks.close(seek.id, SeekStatus.BEGUN, begun.board_id)
    return [replace(begun, seek=seek.id, paired=seek.wish.pairs)]


def _best(work: UnitOfWork, wish: Wish, player: Player, now: datetime) -> Seek | None:
    """Return the open seek that suits a player best; None if none does."""
    own = _own_ratings(work, player, now)(wish.game, wish.pool)
    seeks = work.seeks.usual(player.id, wish.game, own, pairs=wish.pairs, most=_LOOKED_AT)
    found = (_best_of(work, some, wish, player, own, now) for some in seeks)
    return next(filter(None, found), None)


def _best_of(
    work: UnitOfWork, found: Sequence[Seek], wish: Wish, player: Player, own: int, now: datetime
) -> Seek | None:
    known = {one.id: one for one in work.players.some(_waiting_in(found))}
    rated = ratings_for(work, wish, known.keys(), now)
    met = work.seeks.met_since(player.id, known, now - _NOT_AGAIN_FOR)
    free = may_meet(work, player, known.values())
    ranked: list[tuple[bool, int, int, Seek]] = []
    for seek in found:
        others = [known[one.player_id] for one in seek.waiting]
        numbers = [rated[other.id].number for other in others]
        if not all(map(wish.takes, numbers)):
            continue
        if all(other.id in free for other in others):
            off = max(abs(own - number) for number in numbers)
            is_met = any(other.id in met for other in others)
            ranked.append((is_met, off // _NEAR, seek.id, seek))
    for *_, seek in sorted(ranked, key=lambda item: item[:-1]):
        others = [known[one.player_id] for one in seek.waiting]
        if not any(is_left_unanswered(work, player, other, now) for other in others):
            return seek
    return None


def _own_ratings(work: UnitOfWork, player: Player, now: datetime) -> Callable[[str, Pool], int]:
    known = work.ratings.of_player(player.id)
    return lambda game, pool: _shown(known.get((game, pool)), now).number


def _shown(rating: Rating | None, now: datetime) -> RatingShown:
    return ratings.shown_of(ratings.at(rating, now))


def _players(work: UnitOfWork, seek: Seek) -> tuple[Player, ...]:
    return work.players.some([one.player_id for one in seek.waiting])


def _waiting_in(seeks: Iterable[Seek]) -> set[int]:
    return {one.player_id for seek in seeks for one in seek.waiting}


def _news(
    seek: Seek, what: str, handle: str, readers: Collection[int], *, waiting: int
) -> SeekNews:
    players, pairs = seek.wish.players, seek.wish.pairs
    return SeekNews(seek.id, what, handle, tuple(readers), waiting, players, pairs)
