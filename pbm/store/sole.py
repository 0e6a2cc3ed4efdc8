"""One server at a time on an embedded database: two would send every mail twice."""

import fcntl
import os
from pathlib import Path
from typing import IO

from pbm.errors import OperatorError
from pbm.files import trouble
from pbm.store.db import Database


def hold_alone(database: Database) -> IO[str] | None:
    """Take the lock beside an embedded database, for as long as the returned file is open.

    It ends with the process, however that ends. None for a shared database, which many
    servers may use. Raises OperatorError where another server holds it.
    """
    name = database.engine.url.database if database.embedded else None
    if not name:
        return None
    path = Path(f"{name}-server.lock")
    try:
        file = path.open("a+", encoding="ascii")
    except OSError as error:
        raise OperatorError(f"The file {path} cannot be made: {trouble(path, error)}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        other = file.read().strip() or "unknown"
        file.close()
        raise OperatorError(
            f"Another pbm serve (process {other}) uses the database {name} already. "
            "For several servers on one database use PostgreSQL."
        ) from None
    try:
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
    except OSError as error:
        raise OperatorError(f"The file {path} cannot be written: {trouble(path, error)}") from error
    return file
