"""Vacations: thirty days a year on which a player's clocks stop, announced or automatic.

A vacation has whole days of the player's calendar, from today at the earliest. A day that has begun
is charged whole, so a player gains nothing by announcing a vacation late.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from pbm.errors import Refusal
from pbm.events.board import VacationTaken
from pbm.play.clocks.waits import look_again
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player, Vacation
from pbm.store.values.queues import TimerKind

DAYS_A_YEAR = 30
BY_ITSELF = 7  # days at most taken automatically, once per board
FURTHEST = timedelta(days=366)  # ahead
NOTICE_AFTER = timedelta(hours=6)  # the begin or end of a vacation
_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)


def today_of(player: Player, now: datetime) -> date:
    return now.astimezone(ZoneInfo(player.settings.timezone)).date()


def today_in(vacation: Vacation, player: Player, now: datetime) -> date:
    return now.astimezone(ZoneInfo(vacation.zone or player.settings.timezone)).date()


def beginning_of(day: date, player: Player) -> datetime:
    midnight = datetime.combine(day, time(), ZoneInfo(player.settings.timezone))
    return midnight.astimezone(UTC)


def keep_zone(work: UnitOfWork, player_id: int, now: datetime) -> None:
    """Store a player's time zone in the begun vacations. Call this before the zone changes."""
    player = work.players.get(player_id)
    work.vacations.keep_zone(player.id, player.settings.timezone, today_of(player, now))


def take_vacation(
    work: UnitOfWork, player: Player, first: date, last: date, now: datetime
) -> tuple[date, date]:
    """Add a vacation, from today at the earliest; return its first and last day. Raises Refusal."""
    today = today_of(player, now)
    if last < first or last < today or last - today > FURTHEST:
        raise Refusal("bad-vacation", first=str(first), last=str(last), today=str(today))
    work.players.lock(player.id)
    wanted = set(_days(max(first, today), last))
    taken = _taken(work, player, today)
    for year in sorted({day.year for day in wanted}):
        if _left(taken | wanted, year) < 0:
            left = max(0, _left(taken, year))
            raise Refusal("vacation-used-up", year=year, left=left, most=DAYS_A_YEAR)
    known = [item for item in work.vacations.of_player(player.id, today) if not item.board_id]
    to_come = [item for item in known if item.first_day > today_in(item, player, now)]
    new = wanted | _days_of(to_come)
    new -= _days_of(item for item in known if item not in to_come)
    for item in to_come:  # replaced by merged ones, so that each is told once
        work.vacations.end_on(item, today)
    for begin, end in _stretches(new):
        going_on = next((item for item in known if item.last_day + _DAY == begin), None)
        if going_on and is_notice_due(work, going_on):
            work.vacations.end_on(going_on, end)  # not told yet
            continue
        number = work.vacations.add(player.id, begin, end)
        notice_at = max(beginning_of(begin, player), now) + NOTICE_AFTER
        whose = _notice_key(number)
        work.timers.move(TimerKind.VACATION, whose, now, notice_at, player_id=player.id)
    return max(first, today), last


def come_back(work: UnitOfWork, player: Player, now: datetime) -> bool:
    """End all present and future vacations. Return whether one had begun. Raises Refusal."""
    today = today_of(player, now)
    work.players.lock(player.id)
    found = work.vacations.of_player(player.id, today)
    days = {item: today_in(item, player, now) for item in found}
    begun = [item for item, day in days.items() if item.first_day <= day <= item.last_day]
    ahead = [item for item, day in days.items() if item.last_day > day]
    if not ahead:
        raise Refusal("not-away", ends_today=bool(begun))
    for item in ahead:
        work.vacations.end_on(item, days[item])
        if item in begun and not is_notice_due(work, item):
            kind, then = TimerKind.VACATION_OVER, now + NOTICE_AFTER
            work.timers.move(kind, _notice_key(item.id), now, then, player_id=player.id)
    look_again(work, player.id, now)
    return any(item in begun for item in ahead)


def is_notice_due(work: UnitOfWork, vacation: Vacation) -> bool:
    """Return whether the opponents must still be told about a vacation."""
    return bool(work.timers.about(TimerKind.VACATION, [_notice_key(vacation.id)]))


def _notice_key(vacation_id: int) -> str:
    return f"{vacation_id}.0"  # boards are told in batches; a key ends with the last board told


def take_by_itself(
    work: UnitOfWork, board: Board, player: Player, ran_out_at: datetime
) -> VacationTaken | None:
    """Add vacation days for a player who ran out of time. Return None if none may be added."""
    first = today_of(player, ran_out_at - _INSTANT)  # at midnight that is the day before
    work.players.lock(player.id)
    ever = work.vacations.of_player(player.id, board.started_at.date() - _DAY)
    if any(item.board_id == board.id for item in ever):
        return None
    last = None
    taken = _taken(work, player, first)
    for day in _days(first, first + (BY_ITSELF - 1) * _DAY):
        taken |= {day}
        if _left(taken, day.year) < 0:
            break
        last = day
    if last is None:
        return None
    work.vacations.add(player.id, first, last, board.id)
    return VacationTaken(board.id, player.id, str(last), (last - first).days + 1)


def days_left(work: UnitOfWork, player: Player, now: datetime) -> list[dict[str, int]]:
    today = today_of(player, now)
    taken = _taken(work, player, today)
    years = (today.year, today.year + 1)
    return [{"year": year, "left": max(0, _left(taken, year))} for year in years]


def _taken(work: UnitOfWork, player: Player, since: date) -> set[date]:
    """Return the days of a player's vacations, except those that ended before `since`'s year."""
    return _days_of(work.vacations.of_player(player.id, date(since.year, 1, 1)))


def _days_of(vacations: Iterable[Vacation]) -> set[date]:
    return {day for item in vacations for day in _days(item.first_day, item.last_day)}


def _left(taken: Iterable[date], year: int) -> int:
    return DAYS_A_YEAR - sum(day.year == year for day in taken)


def _days(first: date, last: date) -> Iterator[date]:
    return (first + count * _DAY for count in range((last - first).days + 1))


def _stretches(days: Iterable[date]) -> list[tuple[date, date]]:
    """Return the first and the last day of each stretch of consecutive days."""
    found: list[tuple[date, date]] = []
    for day in sorted(days):
        if found and found[-1][1] + _DAY == day:
            found[-1] = found[-1][0], day
        else:
            found.append((day, day))
    return found
