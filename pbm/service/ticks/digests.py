"""A player's digest: what others brought about since the last one, at its hour."""

from datetime import timedelta

from pbm.play.digests import latest_digest, next_digest
from pbm.service.post.holding import held_until
from pbm.service.ticks.tick import Again, Done, Tick
from pbm.service.turns.digests import write_digest

_NEXT_MAIL_AFTER = timedelta(seconds=1)  # so that nobody waits for long beside it
_A_TURN_IS_OVER = timedelta(minutes=10)  # that still had the settings of before in mind


def send(tick: Tick) -> Done | Again:
    """Write a player's digest where something was kept for it, and come again at the next.

    The timer stays while digests are wanted, and some minutes longer: so nothing is kept for one
    that never comes, and keeping it locks no timer.
    """
    player = tick.work.players.find(tick.timer.player_id or 0)
    if player is None or not player.addresses:
        tick.work.kept_news.forget(tick.timer.player_id or 0)
        return Done("nobody gets digests there any more")
    wanted, now = player.settings.wants_digests, tick.now
    until = latest_digest(player.settings, now) if wanted else now
    sizes = tick.work.kept_news.boards(player.id, until)
    waits = held_until(player, now)
    if sizes and waits is None and write_digest(tick, player, sizes):
        return Again(now + _NEXT_MAIL_AFTER, f"one of the digests of {player.handle}")
    if wanted:
        # Mails to somebody out of reach wait, and are one then.
        at = next_digest(player.settings, max(waits or now, now))
        return Again(at, f"looked what was kept for {player.handle}")
    if not sizes and now - tick.timer.set_at >= _A_TURN_IS_OVER:
        return Done(f"{player.handle} gets no digests any more")
    at = max(waits or now, now + _A_TURN_IS_OVER)
    return Again(at, f"the last digest of {player.handle}")
