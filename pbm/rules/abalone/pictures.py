"""The start positions, drawn as in mails (rules, section 2).

Above each picture are its name and the number of players. A digit is the seat of a marble. On
boards only for two, `b` is seat 1 and `w` seat 2.
"""

from collections.abc import Iterator

from pbm.rules.abalone.board import CELLS

_WIDTH = 19
_PICTURES = """
standard 2         standard 3         standard 4         standard 5         standard 6
    1 1 1 1 1          1 1 1 1 1          1 1 1 1 .          1 1 1 1 .          . 1 1 1 .
   1 1 1 1 1 1        1 1 1 1 1 1        1 1 1 1 . 2        1 1 1 1 . 2        6 . 1 1 . 2
  . . 1 1 1 . .      . . . . . . .      . . . . . 2 2      . . . . . 2 2      6 6 . 1 . 2 2
 . . . . . . . .    3 . . . . . . 2    4 . . . . . 2 2    4 . . 5 5 . 2 2    6 6 6 . . 2 2 2
. . . . . . . . .  3 3 . . . . . 2 2  4 4 . . . . . 2 2  4 4 . 5 5 5 . 2 2  . . . . . . . . .
 . . . . . . . .    3 3 . . . . 2 2    4 4 . . . . . 2    4 4 . 5 5 . . 2    5 5 5 . . 3 3 3
  . . 2 2 2 . .      3 3 . . . 2 2      4 4 . . . . .      4 4 . . . . .      5 5 . 4 . 3 3
   2 2 2 2 2 2        3 3 . . 2 2        4 . 3 3 3 3        4 . 3 3 3 3        5 . 4 4 . 3
    2 2 2 2 2          3 3 . 2 2          . 3 3 3 3          . 3 3 3 3          . 4 4 4 .

bowl 2             bowl 3             bowl 4             bowl 5             bowl 6
    1 1 . 2 2          1 1 . 2 2          1 1 . 2 2          4 4 . 3 3          1 1 . 2 2
   1 1 1 2 2 2        1 1 . . 2 2        1 1 1 2 2 2        4 4 4 3 3 3        1 1 1 2 2 2
  . 1 1 . 2 2 .      . . 1 . 2 . .      . 1 1 . 2 2 .      . 4 4 . 3 3 .      . 1 . . . 2 .
 . . . . . . . .    3 . . . . . . 3    . . . . . . . .    . . . . . . 1 1    6 6 . . . . 3 3
. . . . . . . . .  3 3 3 . . . 3 3 3  . . . . . . . . .  . . . . . . 1 1 1  6 6 . . . . . 3 3
 . . . . . . . .    3 . . . . . . 3    . . . . . . . .    . . . . . . 1 1    6 6 . . . . 3 3
  . 2 2 . 1 1 .      . . 2 . 1 . .      . 3 3 . 4 4 .      . 5 5 . 2 2 .      . 5 . . . 4 .
   2 2 2 1 1 1        2 2 . . 1 1        3 3 3 4 4 4        5 5 5 2 2 2        5 5 5 4 4 4
    2 2 . 1 1          2 2 . 1 1          3 3 . 4 4          5 5 . 2 2          5 5 . 4 4

official 4         classic 2          belgian 2          snakes 2           alien 2
    1 1 1 1 .          w w w w w          w w . b b          b b b b b          b . b . b
   . 1 1 1 . 2        w w w w w w        w w w b b b        b . . . . .        . b w w b .
  . . 1 1 . 2 2      . . w w w . .      . w w . b b .      b . . . . . .      . b w b w b .
 . . . . . 2 2 2    . . . . . . . .    . . . . . . . .    b . . b b w w .    . . . b b . . .
4 4 4 . . . 2 2 2  . . . . . . . . .  . . . . . . . . .  . b . b . w . w .  . . . . . . . . .
 4 4 4 . . . . .    . . . . . . . .    . . . . . . . .    . b b w w . . w    . . . w w . . .
  4 4 . 3 3 . .      . . b b b . .      . b b . w w .      . . . . . . w      . w b w b w .
   4 . 3 3 3 .        b b b b b b        b b b w w w        . . . . . w        . w b b w .
    . 3 3 3 3          b b b b b          b b . w w          w w w w w          w . w . w

checkerboard 2     duel 2             dutch 2            german 2           swiss 2
    . . . . .          . w . b .          w w . b b          . . . . .          . . . . .
   b w b w b w        w w w b b b        w b w b w b        w w . . b b        w w . . b b
  . . . . . . .      . . w . b . .      . w w . b b .      w w w . b b b      w b w . b w b
 w b w b w b w b    b . . . . . . w    . . . . . . . .    . w w . . b b .    . w w . . b b .
. . . . . . . . .  b b . . . . . w w  . . . . . . . . .  . . . . . . . . .  . . . . . . . . .
 b w b w b w b w    b . . . . . . w    . . . . . . . .    . b b . . w w .    . b b . . w w .
  . . . . . . .      . . w . b . .      . b b . w w .      b b b . w w w      b w b . w b w
   w b w b w b        w w w b b b        b w b w b w        b b . . w w        b b . . w w
    . . . . .          . w . b .          b b . w w          . . . . .          . . . . .

star 2             the_wall 2         the_clearing 2     papillons 2        fujiyama 2
    b . . . w          . . w . .          b w b w b          . b . w w          w w w w w
   . w . . b .        . . . . . .        w . . . . w        b . w b . w        . w b b w .
  w . b . w . b      . w w w w w .      . b . . w . b      . w . . . b b      . . w b w . .
 . . . w b . . .    w w w w w w w w    b w . . . . . w    w b . . . . . w    . . . w w . . .
w b w b . w b w b  . . . . . . . . .  w . . . . . . . b  w . . . . . . . b  . . . . . . . . .
 . . . w b . . .    b b b b b b b b    b . . . . . b w    b . . . . . w b    . . . b b . . .
  w . b . w . b      . b b b b b .      w . b . . w .      w w . . . b .      . . b w b . .
   . w . . b .        . . . . . .        b . . . . b        b . w b . w        . b w w b .
    b . . . w          . . b . .          w b w b w          b b . w .          b b b b b

face_to_face 2     alliances 2        domination 2       atomouche 2        centrifugeuse 2
    . . . . .          . . . . .          . . . . .          b w . . .          . w w w .
   . . . . . .        . w w b b .        w . . . . b        w . . b w b        b . . . . b
  w w . . . b b      . w . w b b .      w w . . . b b      . . b . . . .      b b . w . b b
 w w w . . b b b    . w . b w . b .    w w w w . b b b    b . w . . . . w    b b . . . . b b
w w w w . b b b b  . w . b . w . b .  . . . b . b . . .  w . . b . w . . b  . . . . . . . . .
 w w w . . b b b    . w . b w . b .    b b b . w w w w    b . . . . b . w    w w . . . . w w
  w w . . . b b      . w w b . b .      b b . . . w w      . . . . w . .      w w . b . w w
   . . . . . .        . w w b b .        b . . . . w        w b w . . b        w . . . . w
    . . . . .          . . . . .          . . . . .          . . . b w          . b b b .

snakes_variant 2   korean_daisy 2     infiltration 2     pyramid 2
    b b b b b          w w . b b          . b w b .          w . . . .
   b . . . . .        w w w b b b        . b b b b .        w w . . . .
  b . . . . . .      . w b . w b .      . b w b w b .      w w w . . . .
 b . w w w w w .    . . . . . . . .    . b . . . . b .    w w w w . . . .
. b . . . . . w .  . . . . . . . . .  . . . . . . . . .  w w w w . b b b b
 . b b b b b . w    . . . . . . . .    . w . . . . w .    . . . . b b b b
  . . . . . . w      . b w . b w .      . w b w b w .      . . . . b b b
   . . . . . w        b b b w w w        . w w w w .        . . . . b b
    w w w w w          b b . w w          . w b w .          . . . . b
"""


def _read() -> Iterator[tuple[tuple[str, int], tuple[int, ...]]]:
    """The name, the number of players, and the marbles of each seat of each picture."""
    for block in _PICTURES.strip("\n").split("\n\n"):
        titles, *rows = block.split("\n")
        for left in range(0, len(titles), _WIDTH):
            name, players = titles[left : left + _WIDTH].split()
            signs = " ".join(row[left : left + _WIDTH] for row in rows)
            cells = zip(CELLS, signs.replace("b", "1").replace("w", "2").split(), strict=True)
            marbles = [0] * (int(players) + 1)
            for cell, sign in cells:
                marbles[int(sign.replace(".", "0"))] |= 1 << cell
            yield (name, int(players)), tuple(marbles[1:])


MARBLES = dict(_read())
"""The marbles of each seat by the name of a board and the number of players."""

MARBLES["official", 2] = MARBLES["standard", 2]
MARBLES["official", 3] = MARBLES["standard", 3]

MOST_MARBLES = max(count for row in MARBLES.values() for count in map(int.bit_count, row))
