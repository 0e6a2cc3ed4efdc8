"""The operations on positions: boards, starts, moves, playing, counting and drawing."""

from pbm.rules.abalone.abapro import format_abapro, parse_abapro
from pbm.rules.abalone.layouts import BOARDS, IN_TEAMS, start, takes_pillar
from pbm.rules.abalone.moves import LineMove
from pbm.rules.abalone.notation import parse_move
from pbm.rules.abalone.position import AbalonePosition, parse_state, perft
from pbm.rules.abalone.protocol.requests import Answer, Operation, Request, RequestError
from pbm.rules.contract import Outcome

DEEPEST_PERFT = 5


def _start(request: Request) -> Answer:
    teams, pillar = request.switch("teams"), request.switch("pillar")
    board = request.text("board", "official" if teams else "standard")
    players = request.number("players", 4 if teams else 2)
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


_NOTATIONS = ("pbm", "abapro")


def _is_abapro(request: Request) -> bool:
    notation = request.text("notation", _NOTATIONS[0])
    if notation not in _NOTATIONS:
        raise RequestError("bad-request", f'"notation" is one of {", ".join(_NOTATIONS)}.')
    return notation == "abapro"


def _moves(request: Request) -> Answer:
    abapro, position = _is_abapro(request), parse_state(request.text("state"))
    moves = position.legal_moves()
    return {"moves": [_written(move, position, abapro) for move in moves]}


def _written(move: LineMove, position: AbalonePosition, abapro: bool) -> str:
    return format_abapro(move, position) if abapro else str(move)


def _play(request: Request) -> Answer:
    abapro, position = _is_abapro(request), parse_state(request.text("state"))
    parse = parse_abapro if abapro else parse_move
    played = position.play(parse(request.text("move"), position))
    return {
        "move": _written(played.move, position, abapro),
        "state": played.position.state(),
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
    return {"text": parse_state(request.text("state")).drawn()}


OPERATIONS: dict[str, Operation] = {
    "boards": (_boards, ()),
    "start": (_start, ("board", "players", "teams", "pillar")),
    "moves": (_moves, ("state", "notation")),
    "play": (_play, ("state", "move", "notation")),
    "perft": (_perft, ("state", "depth")),
    "diagram": (_diagram, ("state",)),
}
