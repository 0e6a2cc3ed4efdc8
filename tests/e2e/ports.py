"""Ports for servers of the tests."""

import socket
from collections import deque

# More than any test has at once; a server that was killed finds its port again, too.
_KEPT: deque[socket.socket] = deque(maxlen=100)


def free_port() -> int:
    """A loopback port that nobody else is given, and that a server of ours may listen on.

    It is bound here, without listening: the kernel hands it out neither to another test nor to a
    connection, and lets whoever names it and says SO_REUSEADDR, as asyncio and Postfix do, have it.
    Were it free until the server binds it, a test could talk to the server of another one.
    """
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", 0))
    _KEPT.append(keeper)
    port: int = keeper.getsockname()[1]
    return port
