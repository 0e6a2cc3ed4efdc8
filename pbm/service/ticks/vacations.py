"""A vacation begins, or ends early: those who wait for the player hear of it, a few at a time."""

from collections.abc import Callable
from datetime import timedelta

from pbm.events.board import PlayerAway, PlayerBack
from pbm.play.clocks.vacations import beginning_of, tell_next, today_of
from pbm.service.ticks.tick import Again, Done, Tick
from pbm.service.turns.announce import announce_boards
from pbm.store.values.players import Player, Vacation
from pbm.store.values.timers import TimerKind

_AT_ONCE = 10  # boards
_NEXT_PIECE_AFTER = timedelta(milliseconds=200)  # so that nobody waits for long beside it
_OFF = Done("the vacation was dropped")


def begin(tick: Tick) -> Done | Again:
    """Tell that a player is away from now on."""
    vacation, player = _of(tick)
    if vacation is None or player.status != "active":
        return _OFF
    today, first, last = today_of(player, tick.now), vacation.first_day, vacation.last_day
    if today < first:  # the player has moved to another time zone
        return Again(beginning_of(first, player), f"{player.handle} is not away yet")
    if today > last:
        return Done(f"the vacation of {player.handle} is over")
    told = player.handle, str(first), str(last)
    return _tell(tick, vacation, player, lambda number: PlayerAway(number, *told))


def end(tick: Tick) -> Done | Again:
    """Tell that a player is back."""
    vacation, player = _of(tick)
    if vacation is None or player.status != "active":
        return _OFF
    return _tell(tick, vacation, player, lambda number: PlayerBack(number, player.handle))


def _of(tick: Tick) -> tuple[Vacation | None, Player]:
    number, _, _ = tick.timer.about.partition(".")
    return tick.work.vacations.find(int(number)), tick.work.players.get(tick.timer.player_id or 0)


def _tell(
    tick: Tick,
    vacation: Vacation,
    player: Player,
    fact: Callable[[int], PlayerAway | PlayerBack],
) -> Done:
    """Tell it on the next boards that wait for the player, and let the rest follow."""
    _, _, after = tick.timer.about.partition(".")
    waiting = tick.work.boards.to_move(player.id)
    left = [
        number for number in waiting if number > int(after) and vacation.board_id in (None, number)
    ]
    some = left[:_AT_ONCE]
    announce_boards(tick, [fact(board) for board in some], but=player.id)
    if len(left) > len(some):
        kind, then = TimerKind(tick.timer.kind), tick.now + _NEXT_PIECE_AFTER
        tell_next(tick.work, kind, vacation.id, player.id, tick.now, then, after=some[-1])
    return Done(f"told on {len(some)} boards of the vacation of {player.handle}")
