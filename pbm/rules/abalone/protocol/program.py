"""`pbm-rules`: the rules for other programs, one JSON object a line in, one answer a line out.

`docs/rules-protocol.md` is its manual. Nothing that can be sent stops the program: whatever is
wrong with a line becomes its answer, and the next line is read.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import BinaryIO

from pbm import __version__
from pbm.rules.abalone.pipes import read_lines
from pbm.rules.abalone.protocol import positions, searches
from pbm.rules.abalone.protocol.requests import (
    LONGEST_LINE,
    Answer,
    Request,
    RequestError,
    read_request,
)
from pbm.rules.contract import RulesError

_OPERATIONS = positions.OPERATIONS | searches.OPERATIONS


def answer(line: bytes) -> Answer:
    """The answer to one line, whatever is in it."""
    try:
        return {"ok": True, **_perform(read_request(line))}
    except (RulesError, RequestError) as error:
        return {
            "ok": False,
            "error": {"reason": error.reason, "text": f"{error}".rstrip(".") + "."},
        }


def _perform(request: Request) -> Answer:
    operation = _OPERATIONS.get(request.text("op"))
    if operation is None:
        raise RequestError("unknown-op", f'"op" is one of {", ".join(_OPERATIONS)}.')
    perform, names = operation
    # A field that is not known may change what the sender expects: better refused than ignored.
    if not request.fields.keys() <= {"op", *names}:
        known = f"The fields for this op are {', '.join(names)}." if names else "It has no fields."
        raise RequestError("bad-request", known)
    return perform(request)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer line by line until the input ends."""
    for line in read_lines(requests, LONGEST_LINE):
        answers.write(json.dumps(answer(line)).encode() + b"\n")
        answers.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `pbm-rules` on standard input and output; the result is the exit status."""
    parser = argparse.ArgumentParser(
        prog="pbm-rules",
        description="The rules of Abalone for other programs: reads one JSON object a line,"
        ' such as {"op": "start", "board": "bowl", "players": 3}, and answers each with one line.',
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s, version {__version__}")
    parser.parse_args(arguments)
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has gone: leave nothing for the interpreter to flush into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0
