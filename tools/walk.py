#!/usr/bin/env python3
"""Counts what one move touches: functions, files and changes of room.

    .venv/bin/python tools/walk.py           # prints the three figures
    .venv/bin/python tools/walk.py --rooms   # prints the calls of each room, too

The move is mailed, obeyed and answered at the table of the tests, on SQLite, after nine other
moves of the same game. Only code of `pbm/` counts. Lambdas and comprehensions are part of the
function that holds them. A room is the first folder below `pbm/`, or a file there. A change of room
is a call that runs in another room than the call before it, in the order of execution.
"""

import argparse
import logging
import sys
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parents[1]
PBM = f"{ROOT}/pbm/"
MOVES = (
    *("a1-c3,b2", "i5-g5,h5", "a2-c4,b3", "i6-g6,h6", "a3-c5,b4", "h5-f5,g5"),
    *("b6,c6", "i7-g7,h7", "b1,c2", "h9,g8"),
)


def calls_of_a_move() -> list[CodeType]:
    """Code of each call in `pbm/` during the last move, in the order of execution."""
    import structlog

    from tests.table import Table

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    calls: list[CodeType] = []

    def record(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PBM):
            calls.append(frame.f_code)

    with tempfile.TemporaryDirectory() as folder:
        players = Table(f"sqlite:///{folder}/walk.sqlite3").start("alice", "bob")
        for number, move in enumerate(MOVES):
            if move == MOVES[-1]:
                sys.setprofile(record)
            players[number % 2].says(move)
            sys.setprofile(None)
        if f"bob played {MOVES[-1]}" not in players[0].newest.text:
            sys.exit("The move was not played.")
    return calls


def room(code: CodeType) -> str:
    """First folder below `pbm/`, or the file there."""
    return code.co_filename.removeprefix(PBM).split("/")[0]


def main() -> None:
    """Print the figures of one move."""
    options = argparse.ArgumentParser(description="Count what one move touches.")
    options.add_argument("--rooms", action="store_true", help="print the calls of each room, too")
    chosen = options.parse_args()
    sys.path.insert(0, str(ROOT))
    calls = calls_of_a_move()
    files = {code.co_filename for code in calls}
    # Equal code objects may stand in different files: place and name tell them apart.
    functions = {
        (code.co_filename, code.co_qualname, code.co_firstlineno)
        for code in calls
        if not code.co_name.startswith("<")
    }
    changes = sum(room(one) != room(next_one) for one, next_one in pairwise(calls))
    print(f"{len(functions)} functions in {len(files)} files, {changes} changes of room")
    if chosen.rooms:
        for name, count in Counter(map(room, calls)).most_common():
            print(f"{count:6} calls  {name}")


if __name__ == "__main__":
    main()
