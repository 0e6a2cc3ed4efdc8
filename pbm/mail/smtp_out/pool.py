"""The open connections to one server: a few at most, kept for the next mail."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeVar

from pbm.mail.smtp_out.connection import Connection

_Result = TypeVar("_Result")


class DeadConnectionError(Exception):
    """A connection that was kept open proved closed before it took anything of a mail."""


class Pool:
    """Lends connections; who finds none free waits, first come first served."""

    def __init__(
        self, connect: Callable[[], Awaitable[Connection]], size: int, idle_seconds: float
    ) -> None:
        """`size` is how many there may be at once, `idle_seconds` how long one that nobody uses
        is trusted."""
        self._connect = connect
        self._free = asyncio.Semaphore(size)
        self._idle_seconds = idle_seconds
        self._idle: deque[tuple[Connection, float]] = deque()

    async def use(self, work: Callable[[Connection], Awaitable[_Result]]) -> _Result:
        """Do something with the connection that was used last, or else with a new one.

        Where a kept one proves dead, the work begins anew with a new one. Afterwards the connection
        is kept if it is still open; after an exception it is broken off. Raises what `connect` and
        the work raise.
        """
        async with self._free:
            kept = self._take_idle()
            if kept is not None:
                try:
                    return await self._use(kept, work)
                except DeadConnectionError:
                    pass
            return await self._use(await self._connect(), work)

    async def close(self) -> None:
        """Say goodbye on the connections that nobody uses; the others end their mail."""
        while self._idle:
            connection, _ = self._idle.popleft()
            await connection.quit()

    async def _use(
        self, connection: Connection, work: Callable[[Connection], Awaitable[_Result]]
    ) -> _Result:
        try:
            result = await work(connection)
        except BaseException:
            connection.hang_up()
            raise
        if connection.is_open:
            self._idle.append((connection, asyncio.get_running_loop().time()))
        return result

    def _take_idle(self) -> Connection | None:
        now = asyncio.get_running_loop().time()
        while self._idle:
            connection, since = self._idle.pop()
            if connection.is_open and now - since < self._idle_seconds:
                return connection
            connection.hang_up()
        return None
