"""Lines for `pbm-rules`: whatever is sent, the answer is one JSON object."""

import json
from unittest.mock import patch

from pbm.rules.abalone.programs import rules
from pbm.rules.abalone.programs.rules import REQUEST_REASONS, answer
from tests.fuzz.targets import Target
from tests.rules.reasons import REASONS

_START = "11111/111111/..111../......../........./......../..222../222222/22222 1 0,0 -"
_REQUESTS: tuple[object, ...] = (
    {"op": "boards"},
    {"op": "start", "board": "bowl", "players": 3},
    {"op": "start", "teams": True, "pillar": True},
    {"op": "moves", "state": _START, "notation": "abapro"},
    {"op": "play", "state": _START, "move": "a1-c3,d4"},
    {"op": "play", "state": _START, "move": "i5h5", "notation": "abapro"},
    {"op": "perft", "state": _START, "depth": 1},
    {"op": "diagram", "state": _START},
    {"op": "search", "state": _START, "nodes": 9, "best": 2, "earlier": [_START]},
    {"op": "evaluate", "state": _START},
    [1, 2.5e3, None],
)
_WORDS = (
    *('"op"', '"board"', '"players"', '"teams"', '"pillar"', '"state"', '"move"', '"notation"'),
    *('"depth"', '"start"', '"boards"', '"moves"', '"play"', '"perft"', '"diagram"', '"abapro"'),
    *('"search"', '"evaluate"', '"nodes"', '"seconds"', '"best"', '"seed"', '"earlier"'),
    *("true", "false", "null", "NaN", "\\ud800", "\\u0000", "1e999", "{", "}", "[", "]", ":", ","),
)


def check(data: bytes) -> None:
    """Answer a line, and hold the answer to what the manual says of it."""
    # To look far ahead is slow by nature; how far it may be is tested elsewhere.
    with patch.object(rules, "DEEPEST_PERFT", 1), patch.object(rules, "MOST_NODES", 50):
        told = answer(data)
    assert json.loads(json.dumps(told)) == told
    if not told["ok"]:
        assert told["error"]["reason"] in (*REASONS, *REQUEST_REASONS)
        assert told["error"]["text"]


TARGET = Target(
    check,
    tuple(json.dumps(request).encode() for request in _REQUESTS),
    tuple(word.encode() for word in _WORDS),
    longest=250,
)
