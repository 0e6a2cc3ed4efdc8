"""The listener: SMTP and LMTP on ports and local sockets."""

import asyncio
import contextlib
import socket
import stat
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from pbm.config import Doorway
from pbm.errors import OperatorError
from pbm.files import why_no_port
from pbm.mail.smtp_in.connection_limits import LOOPBACK, ConnectionLimits, Network
from pbm.mail.smtp_in.conversation import GOING_DOWN, Conversation
from pbm.mail.smtp_in.handler import Handler

# As open as a port on loopback; the mode of the folder restricts access on every system.
MODE = 0o666
_PROBE_SECONDS = 5
_BACKLOG = 511
_LAST_WORDS_SECONDS = 1.0


class LocalSocket:
    """A bound socket in the file system; its file is removed when the server stops."""

    def __init__(self, path: str) -> None:
        """Bind to `path`; replace the socket of a killed server. Raises OperatorError, OSError."""
        self._path = Path(path)
        if not self._path.parent.is_dir():
            raise OperatorError(f"Can't listen on {path}: there is no folder {self._path.parent}.")
        self._clear_way()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.socket.bind(path)
            self._path.chmod(MODE)
            self._made = self._path.stat()
        except BaseException:
            self.socket.close()
            raise

    def remove(self) -> None:
        """Remove the socket's file, unless another one has replaced it."""
        with contextlib.suppress(OSError):
            there = self._path.stat()
            if (there.st_dev, there.st_ino) == (self._made.st_dev, self._made.st_ino):
                self._path.unlink()

    def _clear_way(self) -> None:
        try:
            kind = self._path.lstat().st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(kind):
            raise OperatorError(f"Can't listen on {self._path}: something else has that name.")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(_PROBE_SECONDS)
            try:
                probe.connect(str(self._path))
            except ConnectionRefusedError:
                self._path.unlink()  # the server of this socket was killed
                return
            except OSError:
                pass
        raise OperatorError(f"Can't listen on {self._path}: another server does.")


class Listener:
    """The SMTP server; start it last, and stop it before the store is closed."""

    def __init__(self, handler: Handler, trusted_peers: Iterable[Network] = LOOPBACK) -> None:
        self.handler = handler
        self._connections = ConnectionLimits(handler.limits, trusted_peers)
        self._servers: list[asyncio.Server] = []
        self._local_sockets: list[LocalSocket] = []
        self._conversations: set[Conversation] = set()

    async def start(self, doorways: Iterable[Doorway]) -> None:
        """Listen on each port and local socket; port 0 is any free one. Raises OperatorError."""
        for doorway in doorways:
            try:
                self._servers.append(await self._server_at(doorway))
            except (OSError, OperatorError) as error:
                await self.stop(0)
                if isinstance(error, OperatorError):
                    raise
                told = f"Can't listen on {doorway}: {why_no_port(error)}."
                raise OperatorError(f"{told} Name another address in PBM_LISTEN.") from None

    async def _server_at(self, doorway: Doorway) -> asyncio.Server:
        loop = asyncio.get_running_loop()
        conversation = partial(
            Conversation,
            *(self.handler, self._connections, self._conversations),
            is_lmtp=doorway.is_lmtp,
        )
        if not doorway.path:
            return await loop.create_server(
                conversation, doorway.host, doorway.port, backlog=_BACKLOG
            )
        local = LocalSocket(doorway.path)
        self._local_sockets.append(local)
        return await loop.create_unix_server(conversation, sock=local.socket, backlog=_BACKLOG)

    @property
    def bound(self) -> tuple[tuple[str, int], ...]:
        names = (socket.getsockname() for server in self._servers for socket in server.sockets)
        return tuple(name[:2] for name in names if isinstance(name, tuple))

    async def stop(self, seconds: float = 10) -> None:
        """Stop listening; wait up to `seconds` until mails received before are answered."""
        self.handler.is_closing = True
        for server in self._servers:
            server.close()
        for local in self._local_sockets:
            local.remove()
        self._local_sockets.clear()
        for conversation in set(self._conversations):
            if not conversation.is_committing:
                conversation.hang_up(GOING_DOWN)
        await self.handler.drain(seconds)
        answering = {each.answering for each in self._conversations}
        if answering:
            await asyncio.wait(answering, timeout=_LAST_WORDS_SECONDS)
        for conversation in set(self._conversations):
            conversation.hang_up()
        for server in self._servers:
            await server.wait_closed()
        self._servers.clear()
