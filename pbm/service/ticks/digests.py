"""Digests at a player's hour, and kept news over the limit of hourly mails."""

from datetime import timedelta

from pbm.play.digests import latest_digest, next_digest, next_hour
from pbm.service.telling.digests import write_digest
from pbm.service.telling.kept_news import deferred_until
from pbm.service.ticks.tick import Again, Done, Tick

_NEXT_MAIL_AFTER = timedelta(seconds=1)  # so that turns wait briefly
_A_TURN_IS_OVER = timedelta(minutes=10)  # even of one with the old settings


def send_digest(tick: Tick) -> Done | Again:
    """Write a player's digest if there are kept news, and reschedule.

    The timer stays for some minutes after digests are switched off: a turn under way may still keep
    news for one.
    """
    player = tick.work.players.find(tick.timer.player_id or 0)
    if player is None or not player.addresses:
        tick.work.kept_news.forget(tick.timer.player_id or 0)
        return Done("nobody gets digests there any more")
    wanted, now = player.settings.wants_digests, tick.now
    until = latest_digest(player.settings, now) if wanted else now
    sizes = tick.work.kept_news.boards(player.id, until)
    waits = deferred_until(player, now)
    found = sizes or tick.work.kept_news.has_notices(player.id)
    if found and waits is None and write_digest(tick, player, sizes):
        return Again(now + _NEXT_MAIL_AFTER, f"one of the digests of {player.handle}")
    if wanted:
        # All news for an unreachable player become one mail.
        at = next_digest(player.settings, max(waits or now, now))
        return Again(at, f"looked what was kept for {player.handle}")
    if not sizes and now - tick.timer.set_at >= _A_TURN_IS_OVER:
        return Done(f"{player.handle} gets no digests any more")
    at = max(waits or now, now + _A_TURN_IS_OVER)
    return Again(at, f"the last digest of {player.handle}")


def tell_kept_news(tick: Tick) -> Done | Again:
    """Mail a player all news kept before now; of several boards' timers, the first does it.

    The board is locked (without one, the player), so that no news are kept meanwhile without a
    timer.
    """
    work, number = tick.work, tick.timer.player_id or 0
    if tick.timer.board_id is None:
        work.players.lock(number)
    player = work.players.find(number)
    if player is None or not player.addresses:
        work.kept_news.forget(number)
        return Done("nobody is told there any more")
    waits, later = deferred_until(player, tick.now), next_hour(tick.now)
    if waits is not None:
        return Again(waits, f"mail to {player.handle} waits")
    sizes = work.kept_news.boards(number, tick.timer.due_at)
    found = sizes or work.kept_news.has_notices(number)
    if found and write_digest(tick, player, sizes):
        return Again(later, f"told {player.handle} a part of what was kept")
    board = work.boards.find(tick.timer.board_id or 0, lock=True)
    if board and work.kept_news.sizes([number], board.id):
        return Again(later, f"more was kept for {player.handle}")
    return Done(f"told {player.handle} what was kept")
