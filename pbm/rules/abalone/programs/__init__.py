"""The programs `pbm-rules` and `pbm-engine`, which talk by standard input and output."""

from collections.abc import Iterator
from typing import BinaryIO


def read_lines(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """Yield the lines of a stream. Lines longer than `longest` are cut to `longest` + 1 bytes."""
    while line := stream.readline(longest + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(longest + 1)
        yield line
