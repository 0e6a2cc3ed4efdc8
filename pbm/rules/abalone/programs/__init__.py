"""Programs on standard input and output: `pbm-rules` (`rules`) and `pbm-engine` (`engine`)."""

from collections.abc import Iterator
from typing import BinaryIO


def read_lines(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """Yield the lines of a stream; a line of over `longest` bytes is cut to `longest` + 1."""
    while line := stream.readline(longest + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(longest + 1)
        yield line
