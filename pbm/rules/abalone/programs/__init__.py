"""The programs `pbm-rules` and `pbm-engine`, which talk by standard input and output."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

from pbm.version import version


def run_program(
    name: str, about: str, arguments: Sequence[str] | None, serve: Callable[[], None]
) -> int:
    """Parse the arguments, of which there are none but options, and serve. Return the status."""
    parser = argparse.ArgumentParser(prog=name, description=about)
    parser.add_argument("--version", action="version", version=f"%(prog)s, version {version()}")
    parser.parse_args(arguments)
    try:
        serve()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has gone: the interpreter must not flush into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def read_lines(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """Yield the lines of a stream. Lines longer than `longest` are cut to `longest` + 1 bytes."""
    while line := stream.readline(longest + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(longest + 1)
        yield line
