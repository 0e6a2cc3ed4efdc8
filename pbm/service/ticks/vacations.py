"""A vacation has begun, or ended early: who waits for the player hears of it, a few at a time."""

from collections.abc import Callable, Collection
from datetime import timedelta

from pbm.events.board import PlayerAway, PlayerBack
from pbm.play.clocks.vacations import (
    TOLD_AFTER,
    beginning_of,
    still_to_come,
    tell_next,
    today_in,
    today_of,
)
from pbm.service.ticks.accounts import NEXT_PIECE_AFTER, tell_who_waits
from pbm.service.ticks.tick import Again, Done, Tick
from pbm.store.values.players import Player, Vacation
from pbm.store.values.timers import TimerKind

_OFF = Done("the vacation was dropped")


def begin(tick: Tick) -> Done | Again:
    """Tell that a player is away from now on."""
    vacation, player = _of(tick)
    if vacation is None or player.status != "active":
        return _OFF
    first, last = vacation.first_day, vacation.last_day
    today = today_in(vacation, player, tick.now)
    if today < first:  # the player has moved to another time zone
        at = beginning_of(first, player) + TOLD_AFTER
        return Again(at, f"{player.handle} is not away yet")
    if today >= last:
        return Done(f"the vacation of {player.handle} is over, or nearly")
    told = player.handle, str(first), str(last)
    # Days that were taken there by themselves, right before, were told with this one's end.
    known = [
        item.board_id
        for item in tick.work.vacations.of_player(player.id, first - timedelta(days=1))
        if item.id > vacation.id and item.first_day < first
    ]
    return _tell(tick, vacation, player, lambda number: PlayerAway(number, *told), but=known)


def end(tick: Tick) -> Done | Again:
    """Tell that a player is back."""
    vacation, player = _of(tick)
    if vacation is None or player.status != "active":
        return _OFF
    today = today_of(player, tick.now)
    away = (
        item.first_day <= today < item.last_day
        for item in still_to_come(tick.work, player, tick.now)
    )
    if any(away):
        return Done(f"{player.handle} is away again")
    return _tell(tick, vacation, player, lambda number: PlayerBack(number, player.handle))


def _of(tick: Tick) -> tuple[Vacation | None, Player]:
    number, _, _ = tick.timer.about.partition(".")
    return tick.work.vacations.find(int(number)), tick.work.players.get(tick.timer.player_id or 0)


def _tell(
    tick: Tick,
    vacation: Vacation,
    player: Player,
    fact: Callable[[int], PlayerAway | PlayerBack],
    but: Collection[int | None] = (),
) -> Done:
    """Tell it on the next boards that wait for the player, and let the rest follow."""
    _, _, after = tick.timer.about.partition(".")
    waiting = tick.work.boards.to_move(player.id)
    left = [
        number
        for number in waiting
        if number > int(after) and vacation.board_id in (None, number) and number not in but
    ]
    last = tell_who_waits(tick, player, left, fact)
    if last is not None:
        kind, then = TimerKind(tick.timer.kind), tick.now + NEXT_PIECE_AFTER
        tell_next(tick.work, kind, vacation.id, player.id, tick.now, then, after=last)
    return Done(f"told of the vacation of {player.handle}")
