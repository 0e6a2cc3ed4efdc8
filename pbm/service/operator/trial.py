"""Restores a backup on trial, into a scratch database, and replays boards there."""

import random
import sys
import tempfile
import time
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.service.health.figures import note_backup
from pbm.service.operator import copies
from pbm.service.operator.backup import DATABASE, KEYS, Manifest, keys_to_write, unpack
from pbm.service.operator.progress import counted
from pbm.service.operator.verify import verdict_on
from pbm.store.db import Database
from pbm.store.migrate import is_current, migrate
from pbm.store.sql.driver import parse_url

_LATELY = timedelta(days=1)
_MOST_OTHERS = 100  # boards that have not changed lately
_BREATH = 0.005  # seconds between two boards, for the other threads of a server


def try_backup(settings: Settings, file: Path, within: Path) -> str:
    """Restore a backup in the folder `within`, note that, and return what was done.

    Raises OperatorError if it cannot be restored, or holds what `verify` finds wrong.
    """
    with tempfile.TemporaryDirectory(prefix=f".{file.name}.", dir=within) as folder:
        manifest = unpack(file, Path(folder), most=sys.maxsize)
        keys_to_write(settings, manifest, Path(folder) / KEYS, force=True)  # they can be read
        done = _restore(settings, manifest, Path(folder))
    with closing(Database(settings.database_url)) as database:
        if is_current(database):
            with database.transaction() as work:
                note_backup(work, str(file.absolute()), datetime.fromisoformat(manifest.made), done)
    return done


def _restore(settings: Settings, manifest: Manifest, folder: Path) -> str:
    url, copy = parse_url(settings.database_url), folder / DATABASE
    with copies.scratch_database(url, folder) as scratch:
        if scratch is None:
            copies.check_copy(url, copy)
            return "read to its end, but not restored: the role must not create databases"
        copies.copy_in(scratch, copy)
        with closing(Database(scratch.render_as_string(hide_password=False))) as database:
            migrate(database)
            return _replay(database, datetime.fromisoformat(manifest.made))


def _replay(database: Database, made: datetime) -> str:
    with database.reading() as work:
        lately, every = work.boards.numbers(since=made - _LATELY), work.boards.numbers()
    others = sorted(set(every) - set(lately))
    chosen = [*lately, *random.sample(others, min(len(others), _MOST_OTHERS))]
    wrong: list[str] = []
    for number in counted(chosen, "replaying boards"):
        wrong += (f"board {number}: {it}" for it in verdict_on(database, number).problems)
        time.sleep(_BREATH)
    if wrong:
        more = f", and {len(wrong) - 1} more faults" if wrong[1:] else ""
        raise OperatorError(f"The restored copy is wrong, {wrong[0]}{more}. See: pbm-admin verify")
    return f"restored on trial, with {len(chosen)} of {len(every)} boards replayed"
