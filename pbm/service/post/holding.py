"""How long mails wait for a player to whom they come back."""

from datetime import datetime, timedelta

from pbm.store.values.players import Player

SHORTEST, LONGEST = timedelta(days=1), timedelta(days=7)


def held_until(player: Player, now: datetime) -> datetime | None:
    """When the next mail of a board may go out to a player; None for at once.

    A day after the first mail came back, then after longer each time, up to a week: so nobody
    is given up for good, and a mailbox that is no more gets a try a week.
    """
    if player.unreachable_since is None or player.bounced_at is None:
        return None
    pause = player.bounced_at - player.unreachable_since
    until = player.bounced_at + min(max(pause, SHORTEST), LONGEST)
    return until if until > now else None
