"""The operations that judge a position: `search` looks ahead, `evaluate` does not."""

from pbm.rules.abalone.engine.roots import DEEPEST, MOST_LINES
from pbm.rules.abalone.engine.searching import evaluate, search
from pbm.rules.abalone.position import AbalonePosition, parse_state
from pbm.rules.abalone.protocol.requests import Answer, Operation, Request, RequestError
from pbm.rules.contract import Budget, Line

MOST_NODES = 100_000_000
MOST_SECONDS = 60
MOST_SEED = 2**32 - 1


def _search(request: Request) -> Answer:
    position = parse_state(request.text("state"))
    earlier = [_of_same_game(parse_state(line), position) for line in request.texts("earlier")]
    _bounded(request, "threads", 1)
    best = _bounded(request, "best", MOST_LINES)
    seed = request.number("seed", 0)
    if not 0 <= seed <= MOST_SEED:
        raise RequestError("bad-request", f'"seed" must be 0 to {MOST_SEED}.')
    found = search([*earlier, position], _budget(request), best=best, seed=seed)
    return {
        "moves": [_written(line) for line in found.lines],
        "depth": found.depth,
        "nodes": found.nodes,
        "by": found.by,
        "cut": found.cut,
    }


def _written(line: Line) -> Answer:
    return {"move": line.moves[0], "score": line.score, "line": list(line.moves)}


def _of_same_game(earlier: AbalonePosition, position: AbalonePosition) -> AbalonePosition:
    for one in (earlier, position):
        if (one.players, one.teams, one.pillar) != (
            position.players,
            position.teams,
            position.pillar,
        ):
            raise RequestError("bad-request", '"earlier" must have positions of the same game.')
    return earlier


def _bounded(request: Request, name: str, most: int) -> int:
    value = request.number(name, 1)
    if not 1 <= value <= most:
        allowed = "1" if most == 1 else f"1 to {most}"
        raise RequestError("bad-request", f'"{name}" must be {allowed}.')
    return value


def _budget(request: Request) -> Budget:
    """How far to look: nodes, seconds and depth are all optional, but not all at once."""
    nodes, seconds = request.optional_number("nodes"), request.seconds("seconds")
    depth = request.optional_number("depth")
    if nodes is None and seconds is None and depth is None:
        raise RequestError("bad-request", 'A search needs "nodes", "seconds" or "depth".')
    if nodes is not None and nodes < 1:
        raise RequestError("bad-request", '"nodes" must be 1 or more.')
    if depth is not None and depth < 1:
        raise RequestError("bad-request", '"depth" must be 1 or more.')
    if (nodes or 0) > MOST_NODES:
        raise RequestError("too-much", f'"nodes" is at most {MOST_NODES}.')
    if (seconds or 0) > MOST_SECONDS:
        raise RequestError("too-much", f'"seconds" is at most {MOST_SECONDS}.')
    if (depth or 0) > DEEPEST:
        raise RequestError("too-deep", f'"depth" is at most {DEEPEST}.')
    return Budget(nodes or MOST_NODES, seconds or MOST_SECONDS, depth)


def _evaluate(request: Request) -> Answer:
    return {"scores": list(evaluate(parse_state(request.text("state"))))}


OPERATIONS: dict[str, Operation] = {
    "search": (
        _search,
        ("state", "nodes", "seconds", "depth", "best", "threads", "seed", "earlier"),
    ),
    "evaluate": (_evaluate, ("state",)),
}
