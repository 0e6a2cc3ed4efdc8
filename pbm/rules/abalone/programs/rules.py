"""`pbm-rules`: the rules for other programs, one JSON object a line in, one answer a line out.

`docs/rules-protocol.md` is its manual. An error is the answer to its line; no input stops the
program.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import BinaryIO

from pbm import __version__
from pbm.rules.abalone.abapro import format_abapro, parse_abapro
from pbm.rules.abalone.engine.roots import DEEPEST, MOST_LINES
from pbm.rules.abalone.engine.searching import evaluate, search
from pbm.rules.abalone.layouts import BOARDS, IN_TEAMS, start, takes_pillar
from pbm.rules.abalone.moves import LineMove
from pbm.rules.abalone.notation import parse_move
from pbm.rules.abalone.position import AbalonePosition, parse_state, perft
from pbm.rules.abalone.programs import read_lines
from pbm.rules.abalone.programs.requests import (
    LONGEST_LINE,
    Answer,
    Operation,
    Request,
    RequestError,
    RequestReason,
    read_request,
)
from pbm.rules.contract import Budget, Outcome, RulesError

DEEPEST_PERFT = 5
MOST_NODES = 100_000_000
MOST_SECONDS = 60
MOST_SEED = 2**32 - 1


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
    abapro, position = _is_abapro(request), parse_state(request.get("state", str))
    return {"moves": [_written(move, position, abapro) for move in position.legal_moves()]}


def _written(move: LineMove, position: AbalonePosition, abapro: bool) -> str:
    return format_abapro(move, position) if abapro else str(move)


def _play(request: Request) -> Answer:
    abapro, position = _is_abapro(request), parse_state(request.get("state", str))
    parse = parse_abapro if abapro else parse_move
    played = position.play(parse(request.get("move", str), position))
    return {
        "move": _written(played.move, position, abapro),
        "state": played.position.state(),
        "ejected": list(played.ejected),
        "outcome": _outcome(played.position.outcome),
    }


def _outcome(outcome: Outcome | None) -> Answer | None:
    return {"winners": list(outcome.winners), "by": outcome.by} if outcome else None


def _perft(request: Request) -> Answer:
    position, depth = parse_state(request.get("state", str)), request.get("depth", int)
    if depth < 0:
        raise RequestError("bad-request", '"depth" must not be negative.')
    if depth > DEEPEST_PERFT:
        raise RequestError("too-deep", f'"depth" is at most {DEEPEST_PERFT}.')
    return {"nodes": perft(position, depth)}


def _diagram(request: Request) -> Answer:
    return {"text": parse_state(request.get("state", str)).drawn()}


def _search(request: Request) -> Answer:
    position = parse_state(request.get("state", str))
    positions = [*map(parse_state, request.texts("earlier")), position]
    if len({(one.players, one.teams, one.pillar) for one in positions}) > 1:
        raise RequestError("bad-request", '"earlier" must have positions of the same game.')
    _bounded(request, "threads", 1)
    best = _bounded(request, "best", MOST_LINES)
    seed = request.get("seed", int, 0)
    if not 0 <= seed <= MOST_SEED:
        raise RequestError("bad-request", f'"seed" must be 0 to {MOST_SEED}.')
    found = search(positions, _budget(request), best=best, seed=seed)
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


def _bounded(request: Request, name: str, most: int) -> int:
    value = request.get(name, int, 1)
    if not 1 <= value <= most:
        allowed = "1" if most == 1 else f"1 to {most}"
        raise RequestError("bad-request", f'"{name}" must be {allowed}.')
    return value


def _budget(request: Request) -> Budget:
    """The limits of a search: nodes, seconds and depth, at least one of them."""
    nodes, seconds = request.optional_number("nodes"), request.seconds("seconds")
    depth = request.optional_number("depth")
    if nodes is seconds is depth is None:
        raise RequestError("bad-request", 'A search needs "nodes", "seconds" or "depth".')
    for name, number in (("nodes", nodes), ("depth", depth)):
        if number is not None and number < 1:
            raise RequestError("bad-request", f'"{name}" must be 1 or more.')
    most = (
        ("nodes", nodes, MOST_NODES),
        ("seconds", seconds, MOST_SECONDS),
        ("depth", depth, DEEPEST),
    )
    for name, asked, limit in most:
        if (asked or 0) > limit:
            reason: RequestReason = "too-deep" if name == "depth" else "too-much"
            raise RequestError(reason, f'"{name}" is at most {limit}.')
    return Budget(nodes or MOST_NODES, seconds or MOST_SECONDS, depth)


def _evaluate(request: Request) -> Answer:
    return {"scores": list(evaluate(parse_state(request.get("state", str))))}


OPERATIONS: dict[str, Operation] = {
    "boards": (_boards, ()),
    "start": (_start, ("board", "players", "teams", "pillar")),
    "moves": (_moves, ("state", "notation")),
    "play": (_play, ("state", "move", "notation")),
    "perft": (_perft, ("state", "depth")),
    "diagram": (_diagram, ("state",)),
    "search": (
        _search,
        ("state", "nodes", "seconds", "depth", "best", "threads", "seed", "earlier"),
    ),
    "evaluate": (_evaluate, ("state",)),
}


def answer(line: bytes) -> Answer:
    """The answer to one line."""
    try:
        return {"ok": True, **_perform(read_request(line))}
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
        # The reader has gone: the interpreter must not flush into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
