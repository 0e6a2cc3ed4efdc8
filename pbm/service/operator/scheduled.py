"""The backup of each day in PBM_BACKUP_DIR: made, restored on trial, and old ones deleted."""

import re
import shutil
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import date, datetime
from pathlib import Path

from pbm.clock import Clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.files import sync_folder, trouble
from pbm.service.health.figures import is_backup_due, note_scheduled
from pbm.service.health.results import TROUBLES, sentence_of
from pbm.service.operator.backup import backup
from pbm.service.operator.trial import try_backup
from pbm.store.db import Database
from pbm.store.processes.locks import backing_up

_NAME = re.compile(r"pbm-(\d{4}-\d\d-\d\d)\.tar\.gz", re.ASCII)
_UNFINISHED = ".pbm-backup"  # a folder; a killed server leaves it behind
_DAYS, _WEEKS, _MONTHS = 7, 4, 12


def back_up_if_due(settings: Settings, folder: Path, clock: Clock) -> str:
    """Make today's backup, unless there is one or another process makes it; tell what was done.

    Raises an error if it cannot be made, or cannot be restored on trial.
    """
    with closing(Database(settings.database_url)) as database, backing_up(database) as alone:
        now, failed = clock(), ""
        with database.reading() as work:
            if not alone or not is_backup_due(work, now):
                return ""
        try:
            return _back_up(settings, folder, now)
        except Exception as error:
            failed = sentence_of(error) if isinstance(error, TROUBLES) else repr(error)
            raise
        finally:
            with database.transaction() as work:
                note_scheduled(work, now, failed)


def _back_up(settings: Settings, folder: Path, now: datetime) -> str:
    file, unfinished = folder / f"pbm-{now:%Y-%m-%d}.tar.gz", folder / _UNFINISHED
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        backup(settings, unfinished / file.name)
        (unfinished / file.name).replace(file)  # over one of today that failed on trial
        sync_folder(folder)
        done = try_backup(settings, file, unfinished)
        _delete_old(folder)
    except OSError as error:
        raise OperatorError(f"PBM_BACKUP_DIR={folder}: {trouble(folder, error)}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return f"{file}, {done}"


def kept(days: Iterable[date]) -> set[date]:
    """Return which backups to keep: of 7 days, and the newest of each of 4 weeks and 12 months."""
    newest, weeks, months = sorted(days, reverse=True), dict[object, date](), dict[object, date]()
    for day in newest:
        weeks.setdefault(day.isocalendar()[:2], day)
        months.setdefault((day.year, day.month), day)
    return {*newest[:_DAYS], *[*weeks.values()][:_WEEKS], *[*months.values()][:_MONTHS]}


def _delete_old(folder: Path) -> None:
    found = dict[date, Path]()
    for path in folder.iterdir():
        if (name := _NAME.fullmatch(path.name)) and path.is_file() and not path.is_symlink():
            with suppress(ValueError):  # there is no such day
                found[date.fromisoformat(name[1])] = path
    for day in found.keys() - kept(found):
        found[day].unlink()
