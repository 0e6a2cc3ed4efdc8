"""What events of a board say, as data for the templates of mails."""

from collections.abc import Callable, Sequence
from typing import Any

from pbm.events import Commented
from pbm.mail.writing.blocks import said_lines
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board

HandleOf = Callable[[int], str]
_ABOVE_THE_BOARD = 5  # lines of a comment, folded as in the text part
_BELOW_THE_BOARD = 3  # a shorter rest of the comment stays above


def handles_on(work: UnitOfWork, board: Board) -> HandleOf:
    """Return a function that gives the handle of a player: on the board, or elsewhere."""
    seated = {seat.player_id: seat.handle for seat in board.seats if not seat.from_record}
    return lambda player_id: seated.get(player_id) or work.players.get(player_id).handle


def comment_data(said: Commented, handle_of: HandleOf) -> dict[str, Any]:
    head, rest = divide_comment(said.lines)
    return {"handle": handle_of(said.player), "head": head, "rest": rest}


def divide_comment(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split a comment into lines above and below the board; put all above if few would be below."""
    head: list[str] = []
    rest: list[str] = []
    room = _ABOVE_THE_BOARD
    for index, line in enumerate(lines):
        folded = said_lines(line)
        if len(folded) > room:
            rest = list(lines[index:])
            if not head:
                head, rest[:1] = [" ".join(folded[:room])], [" ".join(folded[room:])]
            break
        head.append(line)
        room -= len(folded)
    few = len(rest) < _BELOW_THE_BOARD
    if few and sum(len(said_lines(line)) for line in rest) < _BELOW_THE_BOARD:
        return list(lines), []
    return head, rest
