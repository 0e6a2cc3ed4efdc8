"""What a move did besides moving, as plain values that can be stored and told."""

from typing import Any

from pbm.rules.abalone.turns import Played


def effect(played: Played) -> dict[str, Any]:
    """What came of a move, as a JSON object; an empty one if it only moved.

    `ejected` names the seat whose marble left the board, `from` the cell that it stood on.

    >>> from pbm.rules.abalone import parse_move, parse_state, play, start
    >>> position = start("standard", 2)
    >>> effect(play(position, parse_move("a1-c3,d4", position)))
    {}
    """
    if not played.ejected:
        return {}
    return {"ejected": played.ejected[0], "from": played.ejected_from}
