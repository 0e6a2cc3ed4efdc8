"""The labelled board, drawn in text as every player gets it (rules, section 1)."""

from pbm.rules.abalone.position import Position


def diagram(position: Position) -> str:
    """The board with its row and column labels, eleven lines without a newline at the end.

    >>> from pbm.rules.abalone.layouts import start
    >>> print(diagram(start("standard", 2)))
            1 2 3 4 5
            / / / / / 6
        A- o o o o o / 7
       B- o o o o o o / 8
      C- . . o o o . . / 9
     D- . . . . . . . . /
    E- . . . . . . . . .
     F- . . . . . . . .
      G- . . x x x . .
       H- x x x x x x
        I- x x x x x
    """
    return position.drawn()
