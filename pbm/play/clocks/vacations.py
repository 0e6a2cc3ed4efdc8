"""Vacations: thirty days a year on which no clock of a player runs, said before or taken late."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from pbm.errors import Refusal
from pbm.events.board import PlayerAway, PlayerBack, VacationTaken
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Player, Vacation

DAYS_A_YEAR = 30
BY_ITSELF = 7  # days at most that are taken by themselves, once on a board
FURTHEST = timedelta(days=366)  # ahead
_DAY = timedelta(days=1)


def today_of(player: Player, now: datetime) -> date:
    """The day in a player's time zone."""
    return now.astimezone(ZoneInfo(player.settings.timezone)).date()


def take_vacation(
    work: UnitOfWork, player: Player, first: date, last: date, now: datetime
) -> list[PlayerAway]:
    """Let a player be away; the others of boards that wait for the player are told.

    Raises Refusal for days that cannot be, or that are too many.
    """
    today = today_of(player, now)
    if last < first or last < today or last - today > FURTHEST:
        raise Refusal("bad-vacation", first=str(first), last=str(last), today=str(today))
    first = max(first, today)
    for year in range(first.year, last.year + 1):
        taken = _taken(work, player, year)
        wanted = taken | {day for day in _days(first, last) if day.year == year}
        if len(wanted) > DAYS_A_YEAR:
            left = max(0, DAYS_A_YEAR - len(taken))
            raise Refusal("vacation-used-up", year=year, left=left, most=DAYS_A_YEAR)
    work.vacations.add(player.id, first, last)
    told = (player.handle, str(first), str(last))
    return [PlayerAway(number, *told) for number in work.boards.to_move(player.id)]


def come_back(work: UnitOfWork, player: Player, now: datetime) -> list[PlayerBack]:
    """End a player's vacation, and drop those to come. Raises Refusal where there is none."""
    today = today_of(player, now)
    ahead = [item for item in work.vacations.of_player(player.id, today) if not item.board_id]
    if not ahead:
        raise Refusal("not-away")
    for item in ahead:
        work.vacations.cut_short(item, today - _DAY)
    return [PlayerBack(number, player.handle) for number in work.boards.to_move(player.id)]


def take_by_itself(
    work: UnitOfWork, board: Board, player: Player, now: datetime
) -> VacationTaken | None:
    """Give a player days whose time runs out on a board: the rest of the year's, seven at most.

    None where they were taken there before, or none are left.
    """
    today = today_of(player, now)
    ever = work.vacations.of_player(player.id, board.started_at.date() - _DAY)
    left = DAYS_A_YEAR - len(_taken(work, player, today.year))
    if any(item.board_id == board.id for item in ever) or left <= 0:
        return None
    last = today + (min(left, BY_ITSELF) - 1) * _DAY
    work.vacations.add(player.id, today, last, board.id)
    return VacationTaken(board.id, player.handle, str(last))


def away_until(vacations: Iterable[Vacation], board_id: int, today: date) -> date | None:
    """Until when a player is away as a board sees it, None for one who is not."""
    ends = [
        item.last_day
        for item in vacations
        if item.first_day <= today <= item.last_day and item.board_id in (None, board_id)
    ]
    return max(ends, default=None)


def _taken(work: UnitOfWork, player: Player, year: int) -> set[date]:
    """The days of a year on which a player was away or means to be."""
    found = work.vacations.of_player(player.id, date(year, 1, 1))
    days = (day for item in found for day in _days(item.first_day, item.last_day))
    return {day for day in days if day.year == year}


def _days(first: date, last: date) -> Iterator[date]:
    return (first + count * _DAY for count in range((last - first).days + 1))
