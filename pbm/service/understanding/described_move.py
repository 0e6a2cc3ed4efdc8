"""Keeps moves that are described in plain words, and plans, from the other players.

If one legal move is meant, the sender is asked about it. Otherwise the move is refused, with the
legal moves nearest to it. Out of turn the sender is told whose turn it is.
"""

from typing import Final

from pbm.commands.families.play import PlayMove
from pbm.commands.language.context import Context
from pbm.commands.registry import whole_move
from pbm.commands.script import Script
from pbm.commands.sentences.described import described_places, wants_suggested
from pbm.errors import Refusal
from pbm.play.game_words import moves_meant
from pbm.rules.contract import Suggests, has
from pbm.service.understanding.move_line import ask_about
from pbm.store.values.boards import Board

_MOST_LINES: Final = 24  # of one mail


def read_described_move(context: Context, script: Script) -> Script | None:
    """Return the script for a mail whose words describe a move, or None."""
    if script.commands or script.problem or not context.hints:
        return None
    try:
        board = context.board(None)
    except Refusal:
        return None
    if not board.playing or context.player_id not in board.still_in:
        return None
    yours = board.to_move is not None and board.to_move.player_id == context.player_id
    for index, line in enumerate(script.said[:_MOST_LINES]):
        text = _move_in(board, line, yours=yours)
        if text is None:
            continue
        meant = moves_meant(text, board.rules, board.position) if yours and text else ()
        if len(meant) == 1:
            return ask_about(context, board, index, " ".join(line.split()), meant[0], script)
        line = " ".join(line.split())
        move = PlayMove.bare(text or line, line, board.rules)
        return Script((move,), script.words_around({index}))
    return None


def _move_in(board: Board, line: str, *, yours: bool) -> str | None:
    """Return the places that a line names for a move, or None if it is no plan of a move."""
    if wants_suggested(line):
        game = board.rules
        return (yours and has(game, Suggests) and game.example_move(board.position)) or ""
    if not yours and whole_move(line, board.rules):
        return line
    return described_places(line)
