"""Senders as mail servers are: what has no `250` is tried again, the same bytes; else never."""

import asyncio
from collections.abc import Sequence

from tests.torture.games import Letter

AGAIN_AFTER = 0.05  # seconds; a real mail server takes its time
_HUNG = 60.0  # seconds
_END = b".\r\n"


class RefusedForGoodError(AssertionError):
    """A server said 5xx to a mail that it should take."""


async def hand_over(doors: Sequence[int], letter: Letter) -> int:
    """Send a mail, at one door after another, until it is acknowledged; return how many tries that
    took.

    Raises RefusedForGoodError.
    """
    tries = 1
    while not await _try(doors[(letter.board + tries) % len(doors)], letter):
        tries += 1
        await asyncio.sleep(AGAIN_AFTER)
    return tries


async def _try(port: int, letter: Letter) -> bool:
    """Send a mail once, in a connection of its own; say whether it was acknowledged."""
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(_HUNG):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            return await _converse(reader, writer, letter)
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        return False
    finally:
        if writer is not None:
            writer.close()


async def _converse(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, letter: Letter
) -> bool:
    script = (
        (b"", b"220"),
        (b"EHLO mx.players.example\r\n", b"250"),
        (f"MAIL FROM:<{letter.sender}>\r\n".encode(), b"250"),
        (f"RCPT TO:<{letter.recipient}>\r\n".encode(), b"250"),
        (b"DATA\r\n", b"354"),
        (letter.raw + _END, b"250"),
    )
    for said, wanted in script:
        writer.write(said)
        answer = await _answer(reader)
        if answer.startswith(b"5"):
            raise RefusedForGoodError(f"board {letter.board}, ply {letter.ply}: {answer!r}")
        if not answer.startswith(wanted):
            return False
    writer.write(b"QUIT\r\n")  # what is answered to that is nothing to us
    return True


async def _answer(reader: asyncio.StreamReader) -> bytes:
    """The last line of an answer, whole."""
    while True:
        line = await reader.readuntil(b"\n")
        if line[3:4] != b"-":
            return line
