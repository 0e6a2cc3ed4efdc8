"""What is stored of a move besides its text and the position after it."""

import json

from pbm.rules import abalone as rules

EDGE = "2..../....../......./......../......112/......../......./....../..... 1 4,3 quiet=1"


def test_whose_marble_fell_and_where() -> None:
    position = rules.parse_state(EDGE)
    effect = position.play(rules.parse_move("e7-e8,e8", position)).effect
    assert effect == {"ejected": 2, "from": "e9"}
    assert json.loads(json.dumps(effect)) == effect


def test_a_move_that_only_moves_has_none() -> None:
    position = rules.start()
    assert position.play(position.legal_moves()[0]).effect == {}
