"""Processes on one PostgreSQL wake each other, so that nobody has to ask it again and again.

To tell takes a lock over all commits. So it is done after the commit, at most once in some
milliseconds, and only where somebody waits to be told: of those who have nothing to do one has the
place of a channel, an advisory lock. The others look now and then, and so does that one.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

import psycopg
import structlog
from psycopg.rows import dict_row

from pbm.store.db import Database
from pbm.store.processes.channels import Channel

LOOK_EVERY = 0.25  # seconds, by who has nothing to do
TELL_EVERY = 0.03  # seconds, at most
PAUSE = 1.0  # seconds until a connection that could not be opened is tried again
PLACES = 0x70626E  # a class of advisory locks; the second half of each is the channel's number
_TELL = """
SELECT pg_notify(name, '') FROM unnest(%(names)s::text[], %(numbers)s::int[]) AS told(name, number)
WHERE NOT pg_try_advisory_xact_lock_shared(%(class)s, number)
"""
_LEAVE = "SELECT pg_advisory_unlock(%s, %s)"
_LAST_WORDS_SECONDS = 2.0
_log = structlog.get_logger("pbm.waking")
Connection = psycopg.AsyncConnection[dict[str, object]]


class Bell(asyncio.Event):
    """An event that knows whether somebody waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting = 0
        self._was_awaited = False

    async def wait(self) -> bool:  # type: ignore[override]
        """Wait until it rings."""
        if self.is_set():
            return True
        self._waiting += 1
        self._was_awaited = True
        try:
            return await super().wait()
        finally:
            self._waiting -= 1

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits now."""
        return self._waiting > 0

    def was_awaited(self) -> bool:
        """Whether somebody waits now, or has waited since this was asked last."""
        before, self._was_awaited = self._was_awaited, self.is_awaited
        return before


class Waking:
    """Rings the bells of this process, and has those of others rung."""

    def __init__(self, database: Database, bells: Mapping[Channel, Bell]) -> None:
        """`bells` are those of the roles of this process; others hear of the other channels."""
        self._database = database
        self._bells = bells
        self._signs = {each: str(each.sign.compile(database.engine)) for each in bells}
        self._places: set[Channel] = set()
        self._seen: dict[Channel, object] = {}
        self._to_tell: set[Channel] = set()
        self._telling: asyncio.Task[None] | None = None
        self._mouth: Connection | None = None

    def tell(self, channels: Iterable[Channel]) -> None:
        """Wake whoever waits for what has been committed. To be called on the event loop."""
        for channel in channels:
            if channel in self._bells:
                self._bells[channel].set()
            if not self._database.embedded and channel not in self._places:
                self._to_tell.add(channel)
        if self._to_tell and self._telling is None:
            self._telling = asyncio.create_task(self._tell_others())

    async def listen(self) -> None:
        """Ring for ever when others tell, or a look finds something. Does nothing if embedded, or
        where there is no bell to ring."""
        while self._bells and not self._database.embedded:
            pause = PAUSE
            try:
                async with await self._connect() as connection:
                    pause = LOOK_EVERY
                    await self._listen(connection)
            except psycopg.Error as error:
                _log.warning("nobody can wake us, connecting again", error=str(error).strip())
            self._places.clear()  # they have ended with the connection
            for bell in self._bells.values():
                bell.set()  # something may have been told meanwhile
            await asyncio.sleep(pause)

    async def close(self) -> None:
        """Tell what is to be told yet, and hang up."""
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.wait([self._telling])
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_SECONDS):
                await self._tell_now(self._to_tell)
        await self._hang_up()

    async def _tell_others(self) -> None:
        """Tell at once, and once more after a while what has come meanwhile."""
        try:
            while self._to_tell:
                told, self._to_tell = self._to_tell, set()
                await self._tell_now(told)
                await asyncio.sleep(TELL_EVERY)
        finally:
            self._telling = None

    async def _tell_now(self, channels: Collection[Channel]) -> None:
        if not channels:
            return
        try:
            if self._mouth is None:
                self._mouth = await self._connect()
            names, numbers = [each.name for each in channels], [each.number for each in channels]
            told = {"class": PLACES, "names": names, "numbers": numbers}
            await self._mouth.execute(_TELL, told)
        except psycopg.Error as error:
            _log.warning("nobody can be told, others look by themselves", error=str(error).strip())
            await self._hang_up()

    async def _hang_up(self) -> None:
        mouth, self._mouth = self._mouth, None
        if mouth is not None:
            await mouth.close()

    async def _connect(self) -> Connection:
        return await psycopg.AsyncConnection.connect(
            self._database.address, autocommit=True, row_factory=dict_row
        )

    async def _listen(self, connection: Connection) -> None:
        by_name = {channel.name: channel for channel in self._bells}
        while True:
            if self._places:
                async for notice in connection.notifies(timeout=LOOK_EVERY):
                    self._bells[by_name[notice.channel]].set()
            else:
                await asyncio.sleep(LOOK_EVERY)
            await self._look(connection)

    async def _look(self, connection: Connection) -> None:
        """Ask whether anything waits for a role that has nothing to do; take its place if nobody
        has it, and give up that of a role that had no rest since the last look."""
        for channel in [each for each in self._bells if not self._bells[each].was_awaited()]:
            await self._give_up(connection, channel)
        idle = [channel for channel, bell in self._bells.items() if bell.is_awaited]
        if not idle:
            return
        wanted = [channel for channel in idle if channel not in self._places]
        cursor = await connection.execute(self._question(idle, wanted))
        found = await cursor.fetchone() or {}
        for channel in wanted:
            if found[_place(channel)]:
                await connection.execute(_listening("LISTEN", channel))
                self._places.add(channel)
        for channel in idle:
            sign, before = found[channel.name], self._seen.get(channel)
            self._seen[channel] = sign
            if sign is True or (sign and sign != before):
                self._bells[channel].set()

    async def _give_up(self, connection: Connection, channel: Channel) -> None:
        if channel in self._places:
            self._places.discard(channel)
            await connection.execute(_listening("UNLISTEN", channel))
            await connection.execute(_LEAVE, (PLACES, channel.number))

    def _question(self, idle: Iterable[Channel], wanted: Iterable[Channel]) -> bytes:
        """One statement that asks for the signs of some channels, and for the places of others."""
        signs = (f"({self._signs[channel]}) AS {channel.name}" for channel in idle)
        places = (
            f"pg_try_advisory_lock({PLACES}, {channel.number}) AS {_place(channel)}"
            for channel in wanted
        )
        return f"SELECT {', '.join((*signs, *places))}".encode()


def _place(channel: Channel) -> str:
    return f"{channel.name}_place"


def _listening(verb: str, channel: Channel) -> bytes:
    return f"{verb} {channel.name}".encode()
