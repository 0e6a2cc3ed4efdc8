"""The names of boards in records: our own, and those of the wider community.

Elsewhere the first player is called Black and sits at the bottom. In a record in Aba-Pro notation
"standard" therefore is our `classic`; our own `standard`, which has its first player at the top, is
written "pbm standard" there.
"""

from typing import Literal

from pbm.rules.abalone.layouts import BOARDS

Notation = Literal["pbm", "Aba-Pro"]

_OURS = "pbm "

_USUAL = "abalone default normal original standard standardposition traditional usual".split()

_ALIASES = {
    "belgiandaisy": "belgian",
    "daisybelgian": "belgian",
    "margueritebelge": "belgian",
    "germandaisy": "german",
    "daisygerman": "german",
    "margueriteallemande": "german",
    "swissdaisy": "swiss",
    "daisyswiss": "swiss",
    "margueritesuisse": "swiss",
    "dutchdaisy": "dutch",
    "daisydutch": "dutch",
    "margueritehollandaise": "dutch",
    "korean": "korean_daisy",
    "daisykorean": "korean_daisy",
    "classical": "classic",
    "classicposition": "classic",
    "damier": "checkerboard",
    "butterflies": "papillons",
    "centrifuge": "centrifugeuse",
    "pyramide": "pyramid",
    "aliens": "alien",
    "snake": "snakes",
    "facetoface": "face_to_face",
}


def _key(name: str) -> str:
    """A name without what people write differently: case, blanks, `-`, `_` and a leading "the"."""
    key = "".join(character for character in name.casefold() if character.isalnum())
    return key.removeprefix("the")


_BOARDS = {_key(board): board for board in BOARDS}
_EXACTLY = {_key(_OURS + board): board for board in BOARDS}


def board_named(name: str, notation: Notation = "pbm", players: int = 2) -> str | None:
    """The board that a record means by a name, None if there is none.

    >>> board_named("Belgian Daisy"), board_named("Standard", "Aba-Pro"), board_named("Standard")
    ('belgian', 'classic', 'standard')
    """
    key = _key(name)
    if key in _EXACTLY:
        return _EXACTLY[key]
    if key in _USUAL:
        return usual_board(notation, players)
    return _BOARDS.get(key) or _ALIASES.get(key)


def usual_board(notation: Notation, players: int = 2) -> str:
    """The board of a record that names none, or only says that it is the usual one."""
    return "classic" if notation == "Aba-Pro" and players == 2 else "standard"


def variant_of(board: str, notation: Notation, players: int) -> str:
    """The name under which a record has a board; `board_named` reads it back."""
    return board if board_named(board, notation, players) == board else _OURS + board
