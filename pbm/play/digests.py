"""The times of a player's digests, in the player's time zone."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player, PlayerSettings
from pbm.store.values.queues import TimerKind

OFF, HOURLY, DAILY = "off", "hourly", "daily"
LEFT_AFTER = timedelta(days=1)  # least time on a clock after a digest that asks for a move
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


def latest_digest(settings: PlayerSettings, now: datetime) -> datetime:
    """Return when a player's latest digest was due. It has the news stored before this moment."""
    local = now.astimezone(ZoneInfo(settings.timezone))
    if settings.digest == HOURLY:
        # Subtract: a local time set to the full hour may be another hour when clocks go back.
        past = timedelta(minutes=local.minute, seconds=local.second)
        return now - past - timedelta(microseconds=local.microsecond)
    today = _at(settings, local.date())
    return today if today <= now else _at(settings, local.date() - _DAY)


def next_hour(now: datetime) -> datetime:
    return now.replace(minute=0, second=0, microsecond=0) + _HOUR


def next_digest(settings: PlayerSettings, now: datetime) -> datetime:
    """Return when a player's next digest is due.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    >>> next_digest(PlayerSettings(digest="daily"), noon).isoformat()
    '2026-11-22T07:00:00+00:00'
    """
    latest = latest_digest(settings, now)
    if settings.digest == HOURLY:
        return latest + _HOUR
    return _at(settings, latest.astimezone(ZoneInfo(settings.timezone)).date() + _DAY)


def arrange_digests(
    work: UnitOfWork, player: Player, settings: PlayerSettings, now: datetime
) -> None:
    """Set the digest timer for new `settings`. If they end the digests, a last one is due now."""
    if settings.wants_digests:
        due_at = next_digest(settings, now)
    elif player.settings.wants_digests:
        due_at = now
    else:
        return
    work.timers.move(TimerKind.DIGEST, str(player.id), now, due_at, player_id=player.id)


def _at(settings: PlayerSettings, day: date) -> datetime:
    wall = datetime.combine(day, time(settings.digest_at), ZoneInfo(settings.timezone))
    return wall.astimezone(UTC)
