"""Processes on one PostgreSQL wake each other, so that nobody has to look again and again."""

import asyncio
from collections.abc import Callable, Mapping

import psycopg
import structlog
from psycopg import sql
from sqlalchemy import text

from pbm.store.db import Database, UnitOfWork

PAUSE = 5.0  # seconds until the connection is tried again
_log = structlog.get_logger("pbm.waking")


def tell(work: UnitOfWork, channel: str) -> None:
    """Wake whoever waits on a channel, once this transaction is committed.

    An embedded database has one process, which wakes itself.
    """
    if work.is_shared:
        work.run(text("SELECT pg_notify(:channel, '')"), channel=channel)


async def listen(database: Database, wake: Mapping[str, Callable[[], None]]) -> None:
    """Call a channel's function whenever it is told; for ever. Does nothing if embedded."""
    if database.embedded:
        return
    while True:
        try:
            await _listen_once(database, wake)
        except psycopg.Error as error:
            _log.warning("nobody can wake us, looking again now and then", error=str(error))
        for call in wake.values():
            call()  # something may have been told meanwhile
        await asyncio.sleep(PAUSE)


async def _listen_once(database: Database, wake: Mapping[str, Callable[[], None]]) -> None:
    address = database.address
    async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
        for channel in wake:
            await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        async for notice in connection.notifies():
            wake[notice.channel]()
