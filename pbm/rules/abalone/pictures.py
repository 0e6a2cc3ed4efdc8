"""The boards a game can start from, as pictures drawn as the board is mailed (rules, section 2).

A digit is the seat of a marble. On boards that are only for two, `b` moves first and is seat 1.
"""

from pbm.rules.abalone.board import CELLS

_PICTURES = {
    ("standard", 2): """
            1 1 1 1 1
           1 1 1 1 1 1
          . . 1 1 1 . .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . . 2 2 2 . .
           2 2 2 2 2 2
            2 2 2 2 2
    """,
    ("standard", 3): """
            1 1 1 1 1
           1 1 1 1 1 1
          . . . . . . .
         3 . . . . . . 2
        3 3 . . . . . 2 2
         3 3 . . . . 2 2
          3 3 . . . 2 2
           3 3 . . 2 2
            3 3 . 2 2
    """,
    ("standard", 4): """
            1 1 1 1 .
           1 1 1 1 . 2
          . . . . . 2 2
         4 . . . . . 2 2
        4 4 . . . . . 2 2
         4 4 . . . . . 2
          4 4 . . . . .
           4 . 3 3 3 3
            . 3 3 3 3
    """,
    ("standard", 5): """
            1 1 1 1 .
           1 1 1 1 . 2
          . . . . . 2 2
         4 . . 5 5 . 2 2
        4 4 . 5 5 5 . 2 2
         4 4 . 5 5 . . 2
          4 4 . . . . .
           4 . 3 3 3 3
            . 3 3 3 3
    """,
    ("standard", 6): """
            . 1 1 1 .
           6 . 1 1 . 2
          6 6 . 1 . 2 2
         6 6 6 . . 2 2 2
        . . . . . . . . .
         5 5 5 . . 3 3 3
          5 5 . 4 . 3 3
           5 . 4 4 . 3
            . 4 4 4 .
    """,
    ("bowl", 2): """
            1 1 . 2 2
           1 1 1 2 2 2
          . 1 1 . 2 2 .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . 2 2 . 1 1 .
           2 2 2 1 1 1
            2 2 . 1 1
    """,
    ("bowl", 3): """
            1 1 . 2 2
           1 1 . . 2 2
          . . 1 . 2 . .
         3 . . . . . . 3
        3 3 3 . . . 3 3 3
         3 . . . . . . 3
          . . 2 . 1 . .
           2 2 . . 1 1
            2 2 . 1 1
    """,
    ("bowl", 4): """
            1 1 . 2 2
           1 1 1 2 2 2
          . 1 1 . 2 2 .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . 3 3 . 4 4 .
           3 3 3 4 4 4
            3 3 . 4 4
    """,
    ("bowl", 5): """
            4 4 . 3 3
           4 4 4 3 3 3
          . 4 4 . 3 3 .
         . . . . . . 1 1
        . . . . . . 1 1 1
         . . . . . . 1 1
          . 5 5 . 2 2 .
           5 5 5 2 2 2
            5 5 . 2 2
    """,
    ("bowl", 6): """
            1 1 . 2 2
           1 1 1 2 2 2
          . 1 . . . 2 .
         6 6 . . . . 3 3
        6 6 . . . . . 3 3
         6 6 . . . . 3 3
          . 5 . . . 4 .
           5 5 5 4 4 4
            5 5 . 4 4
    """,
    ("official", 4): """
            1 1 1 1 .
           . 1 1 1 . 2
          . . 1 1 . 2 2
         . . . . . 2 2 2
        4 4 4 . . . 2 2 2
         4 4 4 . . . . .
          4 4 . 3 3 . .
           4 . 3 3 3 .
            . 3 3 3 3
    """,
    ("classic", 2): """
            w w w w w
           w w w w w w
          . . w w w . .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . . b b b . .
           b b b b b b
            b b b b b
    """,
    ("belgian", 2): """
            w w . b b
           w w w b b b
          . w w . b b .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . b b . w w .
           b b b w w w
            b b . w w
    """,
    ("snakes", 2): """
            b b b b b
           b . . . . .
          b . . . . . .
         b . . b b w w .
        . b . b . w . w .
         . b b w w . . w
          . . . . . . w
           . . . . . w
            w w w w w
    """,
    ("alien", 2): """
            b . b . b
           . b w w b .
          . b w b w b .
         . . . b b . . .
        . . . . . . . . .
         . . . w w . . .
          . w b w b w .
           . w b b w .
            w . w . w
    """,
    ("checkerboard", 2): """
            . . . . .
           b w b w b w
          . . . . . . .
         w b w b w b w b
        . . . . . . . . .
         b w b w b w b w
          . . . . . . .
           w b w b w b
            . . . . .
    """,
    ("duel", 2): """
            . w . b .
           w w w b b b
          . . w . b . .
         b . . . . . . w
        b b . . . . . w w
         b . . . . . . w
          . . w . b . .
           w w w b b b
            . w . b .
    """,
    ("dutch", 2): """
            w w . b b
           w b w b w b
          . w w . b b .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . b b . w w .
           b w b w b w
            b b . w w
    """,
    ("german", 2): """
            . . . . .
           w w . . b b
          w w w . b b b
         . w w . . b b .
        . . . . . . . . .
         . b b . . w w .
          b b b . w w w
           b b . . w w
            . . . . .
    """,
    ("swiss", 2): """
            . . . . .
           w w . . b b
          w b w . b w b
         . w w . . b b .
        . . . . . . . . .
         . b b . . w w .
          b w b . w b w
           b b . . w w
            . . . . .
    """,
    ("star", 2): """
            b . . . w
           . w . . b .
          w . b . w . b
         . . . w b . . .
        w b w b . w b w b
         . . . w b . . .
          w . b . w . b
           . w . . b .
            b . . . w
    """,
    ("the_wall", 2): """
            . . w . .
           . . . . . .
          . w w w w w .
         w w w w w w w w
        . . . . . . . . .
         b b b b b b b b
          . b b b b b .
           . . . . . .
            . . b . .
    """,
    ("the_clearing", 2): """
            b w b w b
           w . . . . w
          . b . . w . b
         b w . . . . . w
        w . . . . . . . b
         b . . . . . b w
          w . b . . w .
           b . . . . b
            w b w b w
    """,
    ("papillons", 2): """
            . b . w w
           b . w b . w
          . w . . . b b
         w b . . . . . w
        w . . . . . . . b
         b . . . . . w b
          w w . . . b .
           b . w b . w
            b b . w .
    """,
    ("fujiyama", 2): """
            w w w w w
           . w b b w .
          . . w b w . .
         . . . w w . . .
        . . . . . . . . .
         . . . b b . . .
          . . b w b . .
           . b w w b .
            b b b b b
    """,
    ("face_to_face", 2): """
            . . . . .
           . . . . . .
          w w . . . b b
         w w w . . b b b
        w w w w . b b b b
         w w w . . b b b
          w w . . . b b
           . . . . . .
            . . . . .
    """,
    ("alliances", 2): """
            . . . . .
           . w w b b .
          . w . w b b .
         . w . b w . b .
        . w . b . w . b .
         . w . b w . b .
          . w w b . b .
           . w w b b .
            . . . . .
    """,
    ("domination", 2): """
            . . . . .
           w . . . . b
          w w . . . b b
         w w w w . b b b
        . . . b . b . . .
         b b b . w w w w
          b b . . . w w
           b . . . . w
            . . . . .
    """,
    ("atomouche", 2): """
            b w . . .
           w . . b w b
          . . b . . . .
         b . w . . . . w
        w . . b . w . . b
         b . . . . b . w
          . . . . w . .
           w b w . . b
            . . . b w
    """,
    ("centrifugeuse", 2): """
            . w w w .
           b . . . . b
          b b . w . b b
         b b . . . . b b
        . . . . . . . . .
         w w . . . . w w
          w w . b . w w
           w . . . . w
            . b b b .
    """,
    ("snakes_variant", 2): """
            b b b b b
           b . . . . .
          b . . . . . .
         b . w w w w w .
        . b . . . . . w .
         . b b b b b . w
          . . . . . . w
           . . . . . w
            w w w w w
    """,
    ("korean_daisy", 2): """
            w w . b b
           w w w b b b
          . w b . w b .
         . . . . . . . .
        . . . . . . . . .
         . . . . . . . .
          . b w . b w .
           b b b w w w
            b b . w w
    """,
    ("infiltration", 2): """
            . b w b .
           . b b b b .
          . b w b w b .
         . b . . . . b .
        . . . . . . . . .
         . w . . . . w .
          . w b w b w .
           . w w w w .
            . w b w .
    """,
    ("pyramid", 2): """
            w . . . .
           w w . . . .
          w w w . . . .
         w w w w . . . .
        w w w w . b b b b
         . . . . b b b b
          . . . . b b b
           . . . . b b
            . . . . b
    """,
}
_PICTURES["official", 2] = _PICTURES["standard", 2]
_PICTURES["official", 3] = _PICTURES["standard", 3]


def _marbles(picture: str, players: int) -> tuple[int, ...]:
    signs = picture.replace("b", "1").replace("w", "2").split()
    placed = tuple(zip(CELLS, signs, strict=True))
    return tuple(
        sum(1 << cell for cell, sign in placed if sign == str(seat))
        for seat in range(1, players + 1)
    )


MARBLES = {key: _marbles(picture, key[1]) for key, picture in _PICTURES.items()}
"""The marbles of each seat by the name of a board and the number of players."""

MOST_MARBLES = max(count for row in MARBLES.values() for count in map(int.bit_count, row))
"""No board gives a seat more marbles than this."""
