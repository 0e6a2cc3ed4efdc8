"""Count the sequences of moves from a position: a yardstick for the rules and for their speed."""

from pbm.rules.abalone.moves import count_moves, legal_moves
from pbm.rules.abalone.position import Position
from pbm.rules.abalone.turns import play_legal


def perft(position: Position, depth: int) -> int:
    """How many sequences of exactly `depth` legal moves there are; one of none.

    >>> from pbm.rules.abalone.layouts import start
    >>> [perft(start("bowl", 6), depth) for depth in (1, 2)]
    [16, 263]
    """
    if depth == 0:
        return 1
    if depth == 1:
        return count_moves(position)
    moves = legal_moves(position)
    return sum(perft(play_legal(position, move).position, depth - 1) for move in moves)
