"""Boards whose clocks are about to remind or to run out, many at once, without a mail for each."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, String, Table, cast, insert, literal, select, update
from sqlalchemy.sql.elements import ColumnElement

from pbm.play.clocks.terms import FOR_TWO, REMINDERS
from pbm.store.schema.columns import Moment
from pbm.store.schema.games import boards
from pbm.store.schema.mails import outbox
from pbm.store.schema.people import vacations
from pbm.store.schema.running import due
from pbm.store.values.mails import Kind
from pbm.store.values.queues import TimerKind

_A_LITTLE = timedelta(hours=1)
_DAY = timedelta(days=1)


def wind_up(connection: Connection, now: datetime) -> None:
    """Let every board that is played have waited since now, with a timer for its clock."""
    playing = boards.c.status == "playing"
    connection.execute(update(boards).where(playing).values(waits_since=now, reminded=0))
    about = {"kind": literal(TimerKind.CLOCK.value), "about": cast(boards.c.id, String)}
    moments = _moments(since=now, set_at=now, due_at=now + REMINDERS[0])
    _insert(connection, due, {**about, "board_id": boards.c.id, **moments}, playing)


def let_remind(connection: Connection, now: datetime, numbers: range) -> None:
    """Let the first reminder be due on some boards."""
    _let_wait(connection, now, numbers, REMINDERS[0])


def let_run_out(connection: Connection, now: datetime, numbers: range) -> None:
    """Let the time run out on some boards of two, where the player was reminded, and has had the
    vacation that is taken by itself."""
    _let_wait(connection, now, numbers, FOR_TWO)
    long_ago = now - FOR_TWO - 2 * _DAY
    day, told = literal(long_ago.date()), now - 2 * _DAY
    whose = {"player_id": boards.c.to_move_id, "board_id": boards.c.id}
    these = boards.c.id.between(numbers[0], numbers[-1])
    connection.execute(update(boards).where(these).values(started_at=long_ago))
    _insert(connection, vacations, {**whose, "first_day": day, "last_day": day}, these)
    reminder = {
        **whose,
        **dict.fromkeys(("recipient", "recipient_key", "template", "sender"), literal("")),
        "kind": literal(Kind.REMINDER, outbox.c.kind.type),
        "status": literal("sent"),
        "attempts": literal(1),
        "thread": boards.c.id,
        "message_id": literal("<reminder.") + cast(boards.c.id, String) + literal("@x>"),
        **_moments(written_at=told, due_at=told, finished_at=told),
    }
    _insert(connection, outbox, reminder, these)


def _let_wait(connection: Connection, now: datetime, numbers: range, waited: timedelta) -> None:
    first, last = numbers[0], numbers[-1]
    since = now - waited - _A_LITTLE
    waiting = update(boards).where(boards.c.id.between(first, last))
    connection.execute(waiting.values(waits_since=since, reminded=0))
    of_clocks = due.c.kind == TimerKind.CLOCK.value
    timers = update(due).where(of_clocks, due.c.board_id.between(first, last))
    connection.execute(timers.values(due_at=now - _A_LITTLE))


def _moments(**moments: datetime) -> dict[str, ColumnElement[Any]]:
    return {name: literal(moment, Moment()) for name, moment in moments.items()}


def _insert(
    connection: Connection,
    table: Table,
    row: Mapping[str, ColumnElement[Any]],
    these: ColumnElement[bool],
) -> None:
    """A row for each of some boards."""
    each = select(*row.values()).where(these).order_by(boards.c.id)
    connection.execute(insert(table).from_select(list(row), each))
