"""With PBM_BACKUP_DIR a server makes a backup a day, restores it on trial, and keeps some."""

import asyncio
import os
import stat
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
import structlog
from sqlalchemy import text

from pbm.app import backing_up
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.keys import load_keyring
from pbm.service.health.figures import backup_result, schedule_backups
from pbm.service.health.results import CheckResult
from pbm.service.operator.backup import backup
from pbm.service.operator.scheduled import back_up_if_due, kept
from pbm.service.operator.trial import try_backup
from pbm.store.db import Database
from pbm.store.processes import locks
from tests.admin.conftest import Room
from tests.table import START

BACKUPS = Path("backups")
RESTORED = "restored on trial, with 1 of 1 boards replayed"
FIRST, SECOND = "pbm-2026-11-21.tar.gz", "pbm-2026-11-22.tar.gz"
WRONG = "UPDATE boards SET ply = 5"


@pytest.fixture
def settings(room: Room, folder: Path) -> Settings:  # noqa: ARG001 - it is moved into
    """Settings of the room's server, with a folder for backups that is not there yet."""
    url = room.table.database.engine.url.render_as_string(hide_password=False)
    made = Settings(database_url=url, backup_dir=str(BACKUPS))
    load_keyring(made.key_file)
    return made


def row(room: Room) -> CheckResult:
    """What `check` says of backups."""
    with room.table.database.reading() as work:
        return backup_result(work, room.table.clock())


def makes(room: Room, settings: Settings) -> str:
    """A server looks whether a backup is due."""
    return back_up_if_due(settings, BACKUPS, room.table.clock)


def names() -> list[str]:
    return sorted(os.listdir(BACKUPS))


@pytest.mark.on_postgresql
def test_one_a_day_which_is_restored_on_trial(room: Room, settings: Settings) -> None:
    assert makes(room, settings) == f"backups/{FIRST}, {RESTORED}"
    assert row(room).good
    assert row(room).text.endswith(f"UTC, {RESTORED}")
    assert makes(room, settings) == ""
    room.table.clock.passes(hours=12)  # it is the next day
    assert SECOND in makes(room, settings)
    assert names() == [FIRST, SECOND]
    assert {stat.S_IMODE((BACKUPS / name).stat().st_mode) for name in names()} == {0o600}
    assert stat.S_IMODE(BACKUPS.stat().st_mode) == 0o700


def test_one_that_fails_on_trial_is_red_until_one_is_made(room: Room, settings: Settings) -> None:
    room.tampers(WRONG)
    with pytest.raises(OperatorError, match=r"The restored copy is wrong, board 1: it counts 5"):
        makes(room, settings)
    assert names() == [FIRST]  # it may yet be the best that there is
    assert not row(room).good
    assert "That of 2026-11-21 12:00 UTC failed: The restored copy is wrong" in row(room).text
    room.tampers("UPDATE boards SET ply = 1")
    assert makes(room, settings)
    assert row(room).good
    assert names() == [FIRST]


def test_what_was_left_unfinished_goes_and_nothing_else(room: Room, settings: Settings) -> None:
    old = [f"pbm-2026-10-{day:02}.tar.gz" for day in range(1, 32)]
    others = ["notes", "pbm-2020-02-31.tar.gz", "pbm-2020-1.tar.gz"]
    (BACKUPS / ".pbm-backup" / "half").mkdir(parents=True)
    for name in (*old, *others):
        (BACKUPS / name).touch()
    (BACKUPS / "pbm-2020-01-02.tar.gz").symlink_to("notes")
    assert makes(room, settings)
    assert names() == sorted([*old[-6:], old[24], old[17], *others, "pbm-2020-01-02.tar.gz", FIRST])


def test_seven_days_four_weeks_and_twelve_months_are_kept() -> None:
    held: set[date] = set()
    for number in range(800):
        today = date(2025, 1, 1) + timedelta(days=number)
        held = kept({*held, today})
    day = [today - timedelta(days=number) for number in range(7)]
    assert sorted(held) == [
        *(date(2026, month, 1) - timedelta(days=1) for month in range(5, 13)),
        *(date(2026, 12, 31), date(2027, 1, 31)),
        *(date(2027, 2, 21), date(2027, 2, 28)),
        *sorted(day),
    ], held


def test_a_folder_that_cannot_be_written(room: Room, settings: Settings) -> None:
    Path("file").touch()
    with pytest.raises(OperatorError, match="PBM_BACKUP_DIR=file/backups: Not a directory"):
        back_up_if_due(settings, Path("file/backups"), room.table.clock)
    assert (
        "failed: PBM_BACKUP_DIR=file/backups: Not a directory. It is tried each hour."
        in row(room).text
    )
    with pytest.raises(OperatorError, match="'file' is no folder"):
        _ = replace(settings, backup_dir="file").backup_folder


def test_none_for_two_days_is_red_while_they_are_wanted(room: Room) -> None:
    for wanted, passed, good in ((True, 48, True), (True, 1, False), (False, 0, True)):
        with room.table.database.transaction() as work:
            schedule_backups(work, wanted, room.table.clock())
        room.table.clock.passes(hours=passed)
        assert row(room).good == good
    assert row(room).warning  # there is a board, and no backup


def test_two_processes_make_one(postgres_url: str) -> None:
    wanted = Settings(database_url=postgres_url)
    with closing(Database(postgres_url)) as database:
        with locks.backing_up(database) as first, locks.backing_up(database) as second:
            assert (first, second) == (True, False)
            assert back_up_if_due(wanted, BACKUPS, lambda: START) == ""
        with locks.backing_up(database) as third:
            assert third


@pytest.mark.on_postgresql
def test_a_role_that_may_create_no_database(room: Room, settings: Settings) -> None:
    backup(settings, Path("b.tar.gz"))
    if settings.database_url.startswith("sqlite"):
        assert try_backup(settings, Path("b.tar.gz"), Path()) == RESTORED
        assert not list(Path().glob(".b.tar.gz*"))
        return
    with closing(Database(settings.database_url)) as database, database.engine.begin() as admin:
        admin.execute(
            text("CREATE ROLE humble LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO humble")
        )
    url = settings.database_url.replace("postgres@", "humble@")
    told = try_backup(replace(settings, database_url=url), Path("b.tar.gz"), Path())
    assert told == "read to its end, but not restored: the role must not create databases"
    assert told in row(room).text


def test_the_server_survives_what_goes_wrong(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    outcomes = [OperatorError("no room"), RuntimeError("a bug"), "made", ""]
    pauses: list[float] = []

    def back_up(*_: object) -> str:
        outcome = outcomes[len(pauses)]
        if isinstance(outcome, Exception):
            raise outcome
        return str(outcome)

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == len(outcomes):
            raise asyncio.CancelledError

    monkeypatch.setattr(backing_up, "back_up_if_due", back_up)
    monkeypatch.setattr(backing_up.asyncio, "sleep", sleep)
    with structlog.testing.capture_logs() as log, pytest.raises(asyncio.CancelledError):
        asyncio.run(backing_up.keep_backups(settings, BACKUPS))
    assert pauses == [3600, 3600, 600, 600]
    assert [(line["event"], line.get("error")) for line in log] == [
        ("backup failed", "no room"),
        ("backup failed", "a bug"),
        ("backup made", None),
    ]
