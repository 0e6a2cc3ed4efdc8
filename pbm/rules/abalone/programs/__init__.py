"""Programs on standard input and output: `pbm-rules` (`rules`) and `pbm-engine` (`engine`)."""

from collections.abc import Iterator
from typing import BinaryIO


def read_lines(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """Yield the lines of a stream; each line is cut after `longest` + 1 bytes.

    A line of that length tells the caller that the line was too long.
    """
    while line := stream.readline(longest + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(longest + 1)
        yield line
