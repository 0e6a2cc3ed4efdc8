"""News of a player's account: those who wait for the player hear of it, once it has lasted."""

from collections.abc import Callable, Collection
from datetime import timedelta

from pbm.events.board import AccountNews, PlayerReachable, PlayerUnreachable
from pbm.play.limits import ACCOUNT_NEWS
from pbm.service.post.bounces import LASTED, REACHABLE, tell_later
from pbm.service.ticks.several import announce_several
from pbm.service.ticks.tick import Again, Done, Tick
from pbm.store.values.players import Player

_AT_ONCE = 10  # boards
NEXT_PIECE_AFTER = timedelta(milliseconds=200)  # so that nobody waits for long beside it


def tell(tick: Tick) -> Done | Again:
    """Tell that mail to a player comes back, or arrives again, if that is still so."""
    what, after = tick.timer.about.split(".")[1:]
    player = tick.work.players.get(tick.timer.player_id or 0)
    since = player.unreachable_since
    if player.status != "active" or (since is None) != (what == REACHABLE):
        return Done(f"it did not last with {player.handle}")
    if since is not None and tick.now < since + LASTED:
        return Again(since + LASTED, f"mail to {player.handle} came back again")
    fact = PlayerUnreachable if since else PlayerReachable
    waiting = tick.work.boards.to_move(player.id)
    last = tell_who_waits(
        tick,
        player,
        [number for number in waiting if number > int(after)],
        lambda number: fact(number, player.handle),
    )
    if last is not None:
        tell_later(tick.work, player, what, tick.now, tick.now + NEXT_PIECE_AFTER, after=last)
    return Done(f"told that {player.handle} is {what}")


def tell_who_waits(
    tick: Tick, player: Player, boards: Collection[int], fact: Callable[[int], AccountNews]
) -> int | None:
    """Tell something of a player's account on the first of some boards, of each once a day at most;
    the number of the last one where there are more."""
    some = sorted(boards)[:_AT_ONCE]
    told = [
        number
        for number in some
        if ACCOUNT_NEWS.take(tick.work, tick.now, number, player.id, wait=False)
    ]
    announce_several(tick, [fact(number) for number in told], but=player.id)
    return some[-1] if len(boards) > len(some) else None
