"""Moves for several boards in one mail, each on a line of its own behind its board's number.

The first lines of a mail are commands anyway. Further below, between other words, such lines are
moves, too. Each is played or answered for itself. What stands below the last of them goes to its
board; where all are about one board, all words do.
"""

from collections.abc import Sequence
from dataclasses import replace

from pbm.commands.context import Context
from pbm.commands.play import Move
from pbm.commands.registry import Problem, move_for_a_board, whole_move
from pbm.commands.script import MOST_COMMANDS, Script, trimmed
from pbm.mail.reading.quoting_own import holds_ours
from pbm.service.turns.game_meant import game_meant
from pbm.service.turns.lone_move import is_in_sentence

_LINES_READ = 200  # of one mail


def read_board_lines(context: Context, script: Script) -> Script | None:
    """A clearer script where lines of the mail are moves, each behind the number of its board."""
    commands = script.commands
    if script.problem or (commands and commands[-1].takes_text):
        return None
    lines = _lines_in(context, script)
    moves = (
        *(item for item in commands if isinstance(item, Move) and item.is_line),
        *lines.values(),
    )
    if not moves:
        return None
    words = Script(said=script.comment).words_around(lines)
    stray = next((line for line in words[:_LINES_READ] if whole_move(line, moves[0].game)), None)
    if stray is not None:
        told = {"move": " ".join(stray.split()), "number": None, "other": moves[0].number}
        return Script(comment=words, problem=Problem("", "which-board-line", told))
    if not lines:
        return None
    if len(commands) + len(lines) > MOST_COMMANDS:
        return Script(problem=Problem("", "too-many-commands", {"most": MOST_COMMANDS}))
    clearer = replace(script, commands=(*commands, *lines.values()))
    return _with_doubt(_with_words(clearer, lines, words), script.comment, lines)


def _lines_in(context: Context, script: Script) -> dict[int, Move]:
    """The lines among the words that are moves behind a number, by their indexes.

    In an answer to a board's mail a number may count anything: there only boards count on which it
    is the sender's turn.
    """
    game = game_meant(context.work, context.hints)
    found = {
        index: move
        for index, line in enumerate(script.comment[:_LINES_READ])
        if (move := move_for_a_board(line, game))
    }
    if not found or not context.hints:
        return found
    numbers = {*context.hints, *context.work.boards.to_move(context.player.id)}
    return {index: move for index, move in found.items() if move.number in numbers}


def _with_words(script: Script, lines: dict[int, Move], words: tuple[str, ...]) -> Script:
    """The script with the words for the board of its last line, and those for nobody."""
    numbers = {item.number if isinstance(item, Move) else None for item in script.commands}
    if len(numbers) == 1:
        return replace(script, comment=words)
    last = max(lines)
    above = [line for at, line in enumerate(script.comment[:last]) if at not in lines]
    return replace(script, comment=trimmed(script.comment[last + 1 :]), unplaced=trimmed(above))


def _with_doubt(script: Script, words: Sequence[str], lines: dict[int, Move]) -> Script:
    """The script that asks first, where one of the lines may be none of the sender's own."""
    returned = holds_ours(words[: max(lines)])
    if not returned and not any(is_in_sentence(words, index) for index in lines):
        return script
    told = [command.line for command in script.commands]
    return replace(script, guess={"section": "doubtful-lines", "lines": told, "returned": returned})
