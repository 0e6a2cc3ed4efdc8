"""News of a player's account: bounces and vacations, told to opponents who wait.

A timer tells some boards and sets the next one for the rest.
"""

from collections.abc import Callable, Collection
from datetime import timedelta

from pbm.events.board import AccountNews, PlayerAway, PlayerBack, PlayerReachable, PlayerUnreachable
from pbm.play.clocks.vacations import (
    NOTICE_AFTER,
    beginning_of,
    set_notice,
    still_to_come,
    today_in,
    today_of,
)
from pbm.play.limits import ACCOUNT_NEWS
from pbm.service.post.bounces import LASTED, REACHABLE, tell_later
from pbm.service.ticks.tick import Again, Done, Tick, announce_several
from pbm.store.values.players import Player, Vacation
from pbm.store.values.queues import TimerKind

_AT_ONCE = 10  # boards
_DROPPED = Done("the vacation was dropped")
_NEXT_PIECE_AFTER = timedelta(milliseconds=200)  # so that turns wait briefly


def tell_reachability(tick: Tick) -> Done | Again:
    """Tell that mail to a player bounces, or arrives again, if that is still so."""
    what, after = tick.timer.about.split(".")[1:]
    player = tick.work.players.get(tick.timer.player_id or 0)
    since = player.unreachable_since
    if not player.is_active or (since is None) != (what == REACHABLE):
        return Done(f"it did not last with {player.handle}")
    if since is not None and tick.now < since + LASTED:
        return Again(since + LASTED, f"mail to {player.handle} came back again")
    fact = PlayerUnreachable if since else PlayerReachable
    waiting = tick.work.boards.to_move(player.id)
    last = _tell_who_waits(
        tick,
        player,
        [number for number in waiting if number > int(after)],
        lambda number: fact(number, player.handle),
    )
    if last is not None:
        tell_later(tick.work, player, what, tick.now, tick.now + _NEXT_PIECE_AFTER, after=last)
    return Done(f"told that {player.handle} is {what}")


def _tell_who_waits(
    tick: Tick, player: Player, boards: Collection[int], fact: Callable[[int], AccountNews]
) -> int | None:
    """Tell the next boards, each once a day at most; return the last one if more follow."""
    some = sorted(boards)[:_AT_ONCE]
    told = [
        number
        for number in some
        if ACCOUNT_NEWS.take(tick.work, tick.now, number, player.id, wait=False)
    ]
    announce_several(tick, [fact(number) for number in told], but=player.id)
    return some[-1] if len(boards) > len(some) else None


def tell_beginning(tick: Tick) -> Done | Again:
    """Tell that a vacation has begun."""
    vacation, player = _vacation_of(tick)
    if vacation is None or not player.is_active:
        return _DROPPED
    first, last = vacation.first_day, vacation.last_day
    today = today_in(vacation, player, tick.now)
    if today < first:  # the player has moved to another time zone
        at = beginning_of(first, player) + NOTICE_AFTER
        return Again(at, f"{player.handle} is not away yet")
    if today >= last:
        return Done(f"the vacation of {player.handle} is over, or nearly")
    told = player.handle, str(first), str(last)
    # Boards with automatic vacation right before were told of this one's end.
    known = [
        item.board_id
        for item in tick.work.vacations.of_player(player.id, first - timedelta(days=1))
        if item.id > vacation.id and item.first_day < first
    ]
    return _tell_of(tick, vacation, player, lambda number: PlayerAway(number, *told), but=known)


def tell_end(tick: Tick) -> Done | Again:
    """Tell that a vacation has ended early."""
    vacation, player = _vacation_of(tick)
    if vacation is None or not player.is_active:
        return _DROPPED
    today = today_of(player, tick.now)
    away = (
        item.first_day <= today < item.last_day
        for item in still_to_come(tick.work, player, tick.now)
    )
    if any(away):
        return Done(f"{player.handle} is away again")
    return _tell_of(tick, vacation, player, lambda number: PlayerBack(number, player.handle))


def _vacation_of(tick: Tick) -> tuple[Vacation | None, Player]:
    number, _, _ = tick.timer.about.partition(".")
    return tick.work.vacations.find(int(number)), tick.work.players.get(tick.timer.player_id or 0)


def _tell_of(
    tick: Tick,
    vacation: Vacation,
    player: Player,
    fact: Callable[[int], PlayerAway | PlayerBack],
    but: Collection[int | None] = (),
) -> Done:
    """Tell the next boards that wait for the player, and set a timer for the rest."""
    _, _, after = tick.timer.about.partition(".")
    waiting = tick.work.boards.to_move(player.id)
    left = [
        number
        for number in waiting
        if number > int(after) and vacation.board_id in (None, number) and number not in but
    ]
    last = _tell_who_waits(tick, player, left, fact)
    if last is not None:
        kind, then = TimerKind(tick.timer.kind), tick.now + _NEXT_PIECE_AFTER
        set_notice(tick.work, kind, vacation.id, player.id, tick.now, then, after=last)
    return Done(f"told of the vacation of {player.handle}")
