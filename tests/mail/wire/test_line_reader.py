"""Memory and work for what a client sends are bounded, whatever it sends."""

import asyncio
import tracemalloc

import pytest

from pbm.mail.reading.mime import has_longer_line
from pbm.mail.smtp_in.client_input import (
    BLOCK,
    ClientLeftError,
    FloodError,
    LineReader,
)
from pbm.mail.smtp_in.connection_limits import ListenerLimits
from tests.rows import each_row

LIMITS = ListenerLimits(mail_bytes=100_000, surplus_bytes=40_000_000)


def reader_of(octets: bytes, limits: ListenerLimits = LIMITS) -> LineReader:
    reader = asyncio.StreamReader(limit=BLOCK)
    reader.feed_data(octets)
    reader.feed_eof()
    return LineReader(reader, limits)


class Hose(asyncio.StreamReader):
    """The same block again and again; counts how often it was asked."""

    def __init__(self, block: bytes, times: int, end: bytes) -> None:
        super().__init__()
        self.block, self.times, self.end = block, times, end
        self.asked = 0

    async def read(self, n: int = -1) -> bytes:
        self.asked += 1
        if self.asked <= self.times:
            return self.block[:n]
        return self.end


@pytest.mark.parametrize(
    "block",
    [b"x" * BLOCK, b"\r\n" * (BLOCK // 2), b"..\r\n" * (BLOCK // 4), b"\r\n.\r" * (BLOCK // 4)],
    ids=["no line end", "line ends", "dots", "nearly the end"],
)
def test_promise_15_memory_for_32_megabytes(block: bytes) -> None:
    async def scene() -> int:
        hose = Hose(block, 512, b"z\r\n.\r\nNOOP\r\n")
        reader = LineReader(hose, LIMITS)
        tracemalloc.start()
        try:
            assert await reader.mail() is None
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert asyncio.run(scene()) < 10 * (LIMITS.mail_bytes + BLOCK)


def test_a_flood_is_not_read_to_its_end() -> None:
    async def scene() -> int:
        hose = Hose(b"x" * BLOCK, 10_000, b"")
        with pytest.raises(FloodError):
            await LineReader(hose, LIMITS).mail()
        return hose.asked

    assert asyncio.run(scene()) < 2 * LIMITS.surplus_bytes // BLOCK


def test_a_line_without_an_end() -> None:
    async def scene() -> None:
        with pytest.raises(FloodError):
            await reader_of(b"x" * (BLOCK + 2)).line()
        with pytest.raises(ClientLeftError):
            await reader_of(b"x" * 10).line()

    asyncio.run(scene())


def test_many_commands_behind_a_mail_are_not_copied_for_each() -> None:
    async def scene() -> int:
        reader = reader_of(b".\r\n" + b"NOOP\r\n" * 30_000)
        assert await reader.mail() == b""
        lines = 0
        try:
            while await reader.line() == b"NOOP\r\n":
                lines += 1
        except ClientLeftError:
            return lines
        raise AssertionError

    assert asyncio.run(scene()) == 30_000


def test_a_mail_that_does_not_end() -> None:
    async def scene() -> None:
        with pytest.raises(ClientLeftError):
            await reader_of(b"half a mail\r\n.\r").mail()

    asyncio.run(scene())


@each_row(
    ("mail", "longer"),
    [
        (b"", False),
        (b"x" * 10, False),
        (b"x" * 10 + b"\r\n", False),
        (b"x" * 11 + b"\r\n", True),
        (b"x" * 11, True),
        (b"a\r\n" * 9 + b"x" * 10 + b"\r\n" + b"b\r\n", False),
        (b"a\r\n" * 9 + b"x" * 11 + b"\r\n" + b"b\r\n", True),
        (b"\r\n" * 100, False),
    ],
)
def test_lines_longer_than_ten(mail: bytes, longer: bool) -> None:
    assert has_longer_line(mail, 10) is longer
