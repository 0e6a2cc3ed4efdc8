"""What a mail means, where its words are more than commands and a comment.

Each reader looks at a script and at what the speaker was asked or shown. It returns a clearer
script, an answer where nothing may be done, or None where it has nothing to say. The first that
says something counts.
"""

from collections.abc import Callable

from pbm.commands.families.play import Move
from pbm.commands.language.context import Context
from pbm.commands.language.words import lowered
from pbm.commands.registry import Problem
from pbm.commands.script import Script
from pbm.errors import Refusal
from pbm.events import Answered
from pbm.service.understanding.board_lines import read_board_lines
from pbm.service.understanding.move_line import read_lone_move
from pbm.service.understanding.offer_reply import read_bare_answer
from pbm.service.understanding.wishes import apart_from_wish, read_intention

Reader = Callable[[Context, Script], Script | Answered | None]
_READERS: tuple[Reader, ...] = (
    read_bare_answer,
    read_intention,
    read_board_lines,
    read_lone_move,
)


def as_meant(context: Context, script: Script) -> Script | Answered:
    """The script as its sender means it, or what to answer instead of obeying it."""
    found = (reader(context, script) for reader in _READERS)
    clearer = next((meant for meant in found if meant is not None), script)
    if isinstance(clearer, Answered):
        return clearer
    return _which_of_several(context, clearer) or apart_from_wish(context, clearer)


def _which_of_several(context: Context, script: Script) -> Script | None:
    """A script that plays nothing and asks, where two different moves are for the same board."""
    moves = [command for command in script.commands if isinstance(command, Move)]
    if len(moves) <= 1:
        return None
    found: dict[int | None, dict[str, str]] = {}
    for move in moves:
        lines = found.setdefault(_board_of(context, move), {})
        lines.setdefault("".join(lowered(move.move).split()), move.line)
    for number, lines in found.items():
        if number and len(lines) > 1:
            told = {"lines": list(lines.values()), "number": number}
            return Script(comment=script.comment, problem=Problem("", "which-move", told))
    return None


def _board_of(context: Context, move: Move) -> int | None:
    try:
        return move.number or context.board(None).id
    except Refusal:
        return None  # which running it says
