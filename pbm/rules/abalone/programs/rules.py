"""`pbm-rules`: the rules for other programs, as JSON. Its manual is `docs/rules-protocol.md`."""

import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, Literal, TypeVar, get_args

from pbm.rules.abalone.board import LineMove
from pbm.rules.abalone.engine.roots import DEEPEST, MOST_LINES
from pbm.rules.abalone.engine.searching import evaluate, perft, search
from pbm.rules.abalone.layouts import BOARDS, IN_TEAMS, start, takes_pillar
from pbm.rules.abalone.notation import format_abapro, parse_abapro, parse_move
from pbm.rules.abalone.position import AbalonePosition, parse_state
from pbm.rules.abalone.programs import read_lines, run_program
from pbm.rules.contract import Budget, RulesError

DEEPEST_PERFT = 5
MOST_NODES = 100_000_000
MOST_SECONDS = 60
MOST_SEED = 2**32 - 1
LONGEST_LINE = 65_536  # bytes of a request with its newline

Answer = dict[str, Any]
_Value = TypeVar("_Value")
_KINDS: dict[type, str] = {str: "a string", int: "a whole number", bool: "true or false"}

RequestReason = Literal[
    "line-too-long", "bad-json", "bad-request", "unknown-op", "too-deep", "too-much"
]
REQUEST_REASONS: tuple[str, ...] = get_args(RequestReason)


class RequestError(ValueError):
    def __init__(self, reason: RequestReason, text: str) -> None:
        super().__init__(text)
        self.reason: RequestReason = reason


@dataclass(frozen=True, slots=True)
class Request:
    fields: dict[str, Any]

    def get(self, name: str, kind: type[_Value], default: _Value | None = None) -> _Value:
        """Return a field, or `default` if it is missing. Raises RequestError."""
        value = self.fields.get(name, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise RequestError("bad-request", f'"{name}" must be {_KINDS[kind]}.')
        return value

    def position(self) -> AbalonePosition:
        """Return the position of the field `state`. Raises RequestError, StateError."""
        return parse_state(self.get("state", str))


def _read_request(line: bytes) -> Request:
    if len(line) > LONGEST_LINE:
        raise RequestError("line-too-long", f"A line has at most {LONGEST_LINE} bytes.")
    try:
        request = json.loads(line.decode(), parse_constant=int)  # no NaN
    except (ValueError, RecursionError):
        raise RequestError("bad-json", "The line is not JSON text in UTF-8.") from None
    if not isinstance(request, dict):
        raise RequestError("bad-request", "A request is a JSON object.")
    return Request(request)


def _start(request: Request) -> Answer:
    teams, pillar = request.get("teams", bool, False), request.get("pillar", bool, False)
    board = request.get("board", str, "official" if teams else "standard")
    players = request.get("players", int, 4 if teams else 2)
    return {"state": start(board, players, teams=teams, pillar=pillar).state()}


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


def _is_abapro(request: Request) -> bool:
    notation = request.get("notation", str, "pbm")
    if notation not in ("pbm", "abapro"):
        raise RequestError("bad-request", '"notation" is one of pbm, abapro.')
    return notation == "abapro"


def _moves(request: Request) -> Answer:
    abapro, position = _is_abapro(request), request.position()
    return {"moves": [_written(move, position, abapro) for move in position.legal_moves()]}


def _written(move: LineMove, position: AbalonePosition, abapro: bool) -> str:
    return format_abapro(move, position) if abapro else str(move)


def _play(request: Request) -> Answer:
    abapro, position = _is_abapro(request), request.position()
    parse = parse_abapro if abapro else parse_move
    played = position.play(parse(request.get("move", str), position))
    outcome = played.position.outcome
    return {
        "move": _written(played.move, position, abapro),
        "state": played.position.state(),
        "ejected": list(played.ejected),
        "outcome": outcome and {"winners": list(outcome.winners), "by": outcome.by},
    }


def _perft(request: Request) -> Answer:
    position, depth = request.position(), request.get("depth", int)
    if depth < 0:
        raise RequestError("bad-request", '"depth" must not be negative.')
    if depth > DEEPEST_PERFT:
        raise RequestError("too-deep", f'"depth" is at most {DEEPEST_PERFT}.')
    return {"nodes": perft(position, depth)}


def _search(request: Request) -> Answer:
    position = request.position()
    earlier = request.fields.get("earlier", [])
    if not isinstance(earlier, list) or not all(isinstance(one, str) for one in earlier):
        raise RequestError("bad-request", '"earlier" must be a list of strings.')
    positions = [*map(parse_state, earlier), position]
    if len({(one.players, one.teams, one.pillar) for one in positions}) > 1:
        raise RequestError("bad-request", '"earlier" must have positions of the same game.')
    for name, most in (("threads", 1), ("best", MOST_LINES)):
        if not 1 <= request.get(name, int, 1) <= most:
            allowed = "1" if most == 1 else f"1 to {most}"
            raise RequestError("bad-request", f'"{name}" must be {allowed}.')
    seed = request.get("seed", int, 0)
    if not 0 <= seed <= MOST_SEED:
        raise RequestError("bad-request", f'"seed" must be 0 to {MOST_SEED}.')
    found = search(positions, _budget(request), best=request.get("best", int, 1), seed=seed)
    return {
        "moves": [
            {"move": line.moves[0], "score": line.score, "line": list(line.moves)}
            for line in found.lines
        ],
        "depth": found.depth,
        "nodes": found.nodes,
        "by": found.by,
        "cut": found.cut,
    }


def _budget(request: Request) -> Budget:
    limits = {"nodes": MOST_NODES, "seconds": MOST_SECONDS, "depth": DEEPEST}
    asked = {name: request.fields[name] for name in limits if name in request.fields}
    if not asked:
        raise RequestError("bad-request", 'A search needs "nodes", "seconds" or "depth".')
    for name, number in asked.items():
        if name != "seconds" and request.get(name, int) < 1:
            raise RequestError("bad-request", f'"{name}" must be 1 or more.')
        if not isinstance(number, int | float) or isinstance(number, bool):
            raise RequestError("bad-request", f'"{name}" must be a number.')
        if not 0 < number < math.inf:
            raise RequestError("bad-request", f'"{name}" must be above zero.')
    for name, number in asked.items():
        if number > limits[name]:
            reason: RequestReason = "too-deep" if name == "depth" else "too-much"
            raise RequestError(reason, f'"{name}" is at most {limits[name]}.')
    return Budget(
        asked.get("nodes", MOST_NODES), asked.get("seconds", MOST_SECONDS), asked.get("depth")
    )


OPERATIONS: dict[str, tuple[Callable[[Request], Answer], tuple[str, ...]]] = {
    "boards": (_boards, ()),
    "start": (_start, ("board", "players", "teams", "pillar")),
    "moves": (_moves, ("state", "notation")),
    "play": (_play, ("state", "move", "notation")),
    "perft": (_perft, ("state", "depth")),
    "diagram": (lambda request: {"text": request.position().drawn()}, ("state",)),
    "search": (
        _search,
        ("state", "nodes", "seconds", "depth", "best", "threads", "seed", "earlier"),
    ),
    "evaluate": (lambda request: {"scores": [*evaluate(request.position())]}, ("state",)),
}
"""For each `op`, the function that returns the answer, and the fields that the function reads."""


def answer(line: bytes) -> Answer:
    try:
        return {"ok": True, **_perform(_read_request(line))}
    except (RulesError, RequestError) as error:
        told = {"reason": error.reason, "text": f"{error}".rstrip(".") + "."}
        return {"ok": False, "error": told}


def _perform(request: Request) -> Answer:
    operation = OPERATIONS.get(request.get("op", str))
    if operation is None:
        raise RequestError("unknown-op", f'"op" is one of {", ".join(OPERATIONS)}.')
    perform, names = operation
    # An unknown field may change the meaning, so it is not ignored.
    if not request.fields.keys() <= {"op", *names}:
        known = f"The fields for this op are {', '.join(names)}." if names else "It has no fields."
        raise RequestError("bad-request", known)
    return perform(request)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    for line in read_lines(requests, LONGEST_LINE):
        answers.write(json.dumps(answer(line)).encode() + b"\n")
        answers.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    about = (
        "The rules of Abalone for other programs: reads one JSON object a line,"
        ' such as {"op": "start", "board": "bowl", "players": 3}, and answers each with one line.'
    )
    serving = partial(serve, sys.stdin.buffer, sys.stdout.buffer)
    return run_program("pbm-rules", about, arguments, serving)


if __name__ == "__main__":
    sys.exit(main())
