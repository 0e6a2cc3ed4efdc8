"""Notification of workers about new rows, in this process and in others on the same PostgreSQL.

If transactions send a NOTIFY, PostgreSQL commits only one of them at a time. So a NOTIFY is sent
after the commit of the row, by a separate connection, at most once every `NOTIFY_EVERY` seconds. A
worker that misses a NOTIFY finds the row when it looks again (`pbm.service.running.rounds`).
"""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress

import psycopg
import structlog

from pbm.store.channels import Channel
from pbm.store.db import Database

TRY_OUT_EVERY = 5.0  # seconds; a connection may be lost silently
NOTIFY_EVERY = 0.03  # seconds between two NOTIFYs, at least
PAUSE = 1.0  # seconds until opening a connection is retried
_NOTIFY = "SELECT pg_notify(name, '') FROM unnest(%s::text[]) AS channel(name)"
_LAST_SECONDS = 2.0
_log = structlog.get_logger("pbm.notify")
Connection = psycopg.AsyncConnection[tuple[object, ...]]


class Notifier:
    """A notifier that wakes workers: in this process by events, in other processes by NOTIFY."""

    def __init__(self, database: Database, events: Mapping[Channel, asyncio.Event]) -> None:
        """`events` maps each channel to the event that a worker of this process waits for."""
        self._database = database
        self._events = events
        self._pending: set[Channel] = set()
        self._sending: asyncio.Task[None] | None = None
        self._sender: Connection | None = None

    def notify(self, channels: Iterable[Channel]) -> None:
        """Wake the workers of these channels. Call this after the commit, in the event loop."""
        for channel in channels:
            if channel in self._events:
                self._events[channel].set()
            if not self._database.embedded:
                self._pending.add(channel)
        if self._pending and self._sending is None:
            self._sending = asyncio.create_task(self._send_pending())

    async def listen(self) -> None:
        """Wake this process's workers when other processes add rows. Returns at once for SQLite."""
        while self._events and not self._database.embedded:
            try:
                async with await self._connect() as connection:
                    await self._listen(connection)
            except psycopg.Error as error:
                _log.warning("notifications lost, connecting again", error=str(error).strip())
            await asyncio.sleep(PAUSE)

    async def close(self) -> None:
        """Send pending notifications, and close the connection."""
        if self._sending is not None:
            self._sending.cancel()
            await asyncio.wait([self._sending])
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                await self._send()
        await self._hang_up()

    async def _send_pending(self) -> None:
        try:
            while self._pending:
                await self._send()
                await asyncio.sleep(NOTIFY_EVERY)
        finally:
            self._sending = None

    async def _send(self) -> None:
        names, self._pending = self._pending, set()
        if not names:
            return
        try:
            if self._sender is None:
                self._sender = await self._connect()
            await self._sender.execute(_NOTIFY, [sorted(names)])
        except psycopg.Error as error:
            _log.warning("no notification sent, others poll", error=str(error).strip())
            await self._hang_up()

    async def _hang_up(self) -> None:
        sender, self._sender = self._sender, None
        if sender is not None:
            await sender.close()

    async def _connect(self) -> Connection:
        return await psycopg.AsyncConnection.connect(self._database.address, autocommit=True)

    async def _listen(self, connection: Connection) -> None:
        for channel in self._events:
            await connection.execute(f"LISTEN {channel}".encode())
        for event in self._events.values():
            event.set()  # a notification before may have been lost
        while True:
            async for notice in connection.notifies(timeout=TRY_OUT_EVERY):
                if self._sender is None or notice.pid != self._sender.info.backend_pid:
                    self._events[Channel(notice.channel)].set()
            await connection.execute("")
