"""`pbm-rules`: the rules for other programs, one JSON object a line in, one answer a line out.

`docs/rules-protocol.md` is its manual. Nothing that can be sent stops the program: whatever is
wrong with a line becomes its answer, and the next line is read.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, NoReturn, get_args

from pbm import __version__
from pbm.rules.abalone.abapro import format_abapro, parse_abapro
from pbm.rules.abalone.diagram import diagram
from pbm.rules.abalone.errors import RulesError
from pbm.rules.abalone.layouts import BOARDS, IN_TEAMS, start, takes_pillar
from pbm.rules.abalone.moves import Move, legal_moves
from pbm.rules.abalone.notation import parse_move
from pbm.rules.abalone.perft import perft
from pbm.rules.abalone.position import Outcome, Position
from pbm.rules.abalone.state import format_state, parse_state
from pbm.rules.abalone.turns import play

LONGEST_LINE = 65_536
"""Bytes that a request may have, its newline included."""

DEEPEST_PERFT = 5

Answer = dict[str, Any]

RequestReason = Literal["line-too-long", "bad-json", "bad-request", "unknown-op", "too-deep"]
REQUEST_REASONS: tuple[str, ...] = get_args(RequestReason)


class RequestError(ValueError):
    """A line that is no request, or asks for what this program does not do."""

    def __init__(self, reason: RequestReason, text: str) -> None:
        super().__init__(text)
        self.reason: RequestReason = reason


@dataclass(frozen=True, slots=True)
class Request:
    """The fields of one request, read by name and type."""

    fields: dict[str, Any]

    def text(self, name: str, default: str | None = None) -> str:
        """A field that is a string; raises RequestError if it isn't, or lacks without default."""
        value = self.fields.get(name, default)
        if not isinstance(value, str):
            raise RequestError("bad-request", f'"{name}" must be a string.')
        return value

    def number(self, name: str, default: int | None = None) -> int:
        """A field that is a whole number, as `text`."""
        value = self.fields.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise RequestError("bad-request", f'"{name}" must be a whole number.')
        return value

    def switch(self, name: str) -> bool:
        """A field that is true or false, which it is by default; raises as `text`."""
        value = self.fields.get(name, False)
        if not isinstance(value, bool):
            raise RequestError("bad-request", f'"{name}" must be true or false.')
        return value


def _start(request: Request) -> Answer:
    teams, pillar = request.switch("teams"), request.switch("pillar")
    board = request.text("board", "official" if teams else "standard")
    players = request.number("players", 4 if teams else 2)
    return {"state": format_state(start(board, players, teams=teams, pillar=pillar))}


def _boards(_: Request) -> Answer:
    return {
        "boards": [
            {
                "name": board,
                "players": list(players),
                "teams": IN_TEAMS in players,
                "pillar": [number for number in players if takes_pillar(board, number)],
            }
            for board, players in BOARDS.items()
        ]
    }


_NOTATIONS = ("pbm", "abapro")


def _is_abapro(request: Request) -> bool:
    notation = request.text("notation", _NOTATIONS[0])
    if notation not in _NOTATIONS:
        raise RequestError("bad-request", f'"notation" is one of {", ".join(_NOTATIONS)}.')
    return notation == "abapro"


def _moves(request: Request) -> Answer:
    abapro, position = _is_abapro(request), parse_state(request.text("state"))
    moves = legal_moves(position)
    return {"moves": [_written(move, position, abapro) for move in moves]}


def _written(move: Move, position: Position, abapro: bool) -> str:
    return format_abapro(move, position) if abapro else str(move)


def _play(request: Request) -> Answer:
    abapro, position = _is_abapro(request), parse_state(request.text("state"))
    parse = parse_abapro if abapro else parse_move
    played = play(position, parse(request.text("move"), position))
    return {
        "move": _written(played.move, position, abapro),
        "state": format_state(played.position),
        "ejected": list(played.ejected),
        "outcome": _outcome(played.position.outcome),
    }


def _outcome(outcome: Outcome | None) -> Answer | None:
    return {"winners": list(outcome.winners), "by": outcome.by} if outcome else None


def _perft(request: Request) -> Answer:
    position, depth = parse_state(request.text("state")), request.number("depth")
    if depth < 0:
        raise RequestError("bad-request", '"depth" must not be negative.')
    if depth > DEEPEST_PERFT:
        raise RequestError("too-deep", f'"depth" is at most {DEEPEST_PERFT}.')
    return {"nodes": perft(position, depth)}


def _diagram(request: Request) -> Answer:
    return {"text": diagram(parse_state(request.text("state")))}


_OPERATIONS: dict[str, tuple[Callable[[Request], Answer], tuple[str, ...]]] = {
    "boards": (_boards, ()),
    "start": (_start, ("board", "players", "teams", "pillar")),
    "moves": (_moves, ("state", "notation")),
    "play": (_play, ("state", "move", "notation")),
    "perft": (_perft, ("state", "depth")),
    "diagram": (_diagram, ("state",)),
}


def answer(line: bytes) -> Answer:
    """The answer to one line, whatever is in it."""
    try:
        return {"ok": True, **_perform(_read(line))}
    except (RulesError, RequestError) as error:
        return {
            "ok": False,
            "error": {"reason": error.reason, "text": f"{error}".rstrip(".") + "."},
        }


def _perform(fields: dict[str, Any]) -> Answer:
    request = Request(fields)
    operation = _OPERATIONS.get(request.text("op"))
    if operation is None:
        raise RequestError("unknown-op", f'"op" is one of {", ".join(_OPERATIONS)}.')
    perform, names = operation
    # A field that is not known may change what the sender expects: better refused than ignored.
    if not fields.keys() <= {"op", *names}:
        known = f"The fields for this op are {', '.join(names)}." if names else "It has no fields."
        raise RequestError("bad-request", known)
    return perform(request)


def _read(line: bytes) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise RequestError("line-too-long", f"A line has at most {LONGEST_LINE} bytes.")
    try:
        request = json.loads(line.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise RequestError("bad-json", "The line is not JSON text in UTF-8.") from None
    if not isinstance(request, dict):
        raise RequestError("bad-request", "A request is a JSON object.")
    return request


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no {name}")


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer line by line until the input ends."""
    for line in _lines(requests):
        answers.write(json.dumps(answer(line)).encode() + b"\n")
        answers.flush()


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream; of one that is too long only as much as shows that."""
    while line := stream.readline(LONGEST_LINE + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST_LINE + 1)
        yield line


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


if __name__ == "__main__":
    sys.exit(main())
