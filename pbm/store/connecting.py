"""Diagnosis of an unusable database: the message for the operator, and whether to retry."""

from contextlib import suppress
from functools import partial
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping
from sqlalchemy.exc import DBAPIError

from pbm.errors import OperatorError
from pbm.store.db import Database

_SECONDS = 10
_HELD_BY_ANOTHER = ("SQLITE_BUSY", "SQLITE_LOCKED")
_PASSING = ("08", "53", "57")  # SQLSTATE classes: connection, resources, operator
_TOO_MANY = ("too many", "connection slots")
_OWNER = (
    "All tables must belong to the role in PBM_DATABASE_URL. As a superuser, for each of them: "
    "ALTER TABLE ... OWNER TO that role."
)
_DAMAGED = "It is damaged. Move it away with its -wal and -shm, then: pbm-admin restore FILE"
_ADVICE = {
    "password authentication failed": "Is the password in PBM_DATABASE_URL that of this role? In "
    "it, percent-encode what is neither letter nor digit.",
    "no password supplied": "Put the role's password into PBM_DATABASE_URL.",
    "authentication failed for user": "By its socket PostgreSQL takes a role from the user of the "
    "same name only: run pbm as that user, or let PBM_DATABASE_URL name a host and a password.",
    "no pg_hba.conf entry": "Let PostgreSQL's pg_hba.conf take this role from here, and reload it.",
    'FATAL:  role "': "Make that role: createuser --pwprompt ROLE; or does PBM_DATABASE_URL name "
    "the wrong one?",
    'FATAL:  database "': "Make that database: createdb --owner=ROLE --template=template0 "
    "--encoding=UTF8 NAME, then pbm-admin migrate; or does PBM_DATABASE_URL name the wrong one?",
    "permission denied for": _OWNER,
    "must be owner of": _OWNER,
    "disk": "Is the disk full? df tells; make room, or mend it.",
    "failed: ": "Does PostgreSQL run, and is it where PBM_DATABASE_URL says?",
    "statement timeout": "Has another program locked a table? psql tells: SELECT pid, mode, "
    "relation::regclass FROM pg_locks;",
    "file is not a database": _DAMAGED,
    "is malformed": _DAMAGED,
}


def why_unusable(error: DBAPIError) -> str:
    """Return the database's error message on one line, and advice for the operator."""
    said = str(error.orig).strip().split("\n")[0]
    advice = next((told for words, told in _ADVICE.items() if words in said), "")
    return f"The database cannot be used: {said}{'.' * bool(advice)} {advice}".rstrip()


def comes_back(database: Database, error: DBAPIError) -> bool:
    """Return whether the database may soon be usable again without the operator."""
    if database.embedded:
        name = getattr(error.orig, "sqlite_errorname", None)
        return str(name).startswith(_HELD_BY_ANOTHER)
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_PASSING)
    # Without a connection the error has no SQLSTATE.
    if any(words in str(error.orig) for words in _TOO_MANY):
        return True
    address = make_conninfo(database.address, connect_timeout=_SECONDS)
    return PGconn.ping(address.encode()) in (Ping.REJECT, Ping.NO_RESPONSE)


_TRIES = 5  # since another client of the pooler may take the lent session first


def refuse_lent_sessions(database: Database) -> None:
    """Raise OperatorError if a pooler before PostgreSQL lends one session to two connections."""
    are_lent = False
    with suppress(psycopg.Error):
        are_lent = not database.embedded and _are_lent(database.address)
    if are_lent:
        raise OperatorError(
            "A pooler stands before PostgreSQL and lends its sessions for a transaction each "
            "(in pgbouncer: pool_mode = transaction, or statement). pbm needs sessions of its own. "
            "Let PBM_DATABASE_URL name PostgreSQL itself, often port 5432 instead of 6432, or set "
            "pool_mode = session for this database."
        )


def _are_lent(address: str) -> bool:
    connect = partial(psycopg.connect, address, autocommit=True, connect_timeout=_SECONDS)
    with connect() as first:
        if _session(first) == first.info.backend_pid:
            return False  # connected to PostgreSQL itself
        for _ in range(_TRIES):
            with connect() as other:
                if _session(first) == _session(other):
                    return True
    return False


def _session(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    return int(row[0])
