"""Lines that begin with a board's number, between other words of a mail.

Each such line is a command, run or refused by itself. Words below a line go to its board; if all
lines are about one board, all words do.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from pbm.commands.families.play import PlayMove
from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.commands.language.words import BoardRef
from pbm.commands.registry import Problem, line_for_a_board, whole_move
from pbm.commands.script import Script, trimmed
from pbm.commands.sentences.clauses import clauses
from pbm.commands.sentences.everyday import is_greeting
from pbm.commands.talk import is_in_sentence
from pbm.mail.reading.quoting_own import holds_ours
from pbm.play.limits import MOST_COMMANDS
from pbm.rules.contract import Game

_LINES_READ = 200  # of one mail
_OF_A_MOVE = ("bare-move", "unclear-move")
_NUMBERED = re.compile(r"(\d{1,9})[.):]?\s+(\S.*)", re.ASCII)  # at the margin, as lists are not

Lines = Mapping[int, Command]  # by their indexes among the words


def read_board_lines(context: Context, script: Script) -> Script | None:
    """The script with such lines as commands; None if there are none."""
    commands, words = script.commands, script.comment
    if script.problem:
        if len(context.mailed) <= 1 or script.problem.code not in _OF_A_MOVE:
            return None
        words = script.said  # below a mail about several boards, the number decides
    elif commands and commands[-1].takes_text:
        return None
    game = context.game_meant
    lines = _lines_in(context, words, game)
    numbered = [
        *(item for item in commands if isinstance(item, PlayMove) and item.is_line),
        *lines.values(),
    ]
    if not numbered:
        return None
    others = Script(said=words).words_around(lines)
    stray = next((line for line in others[:_LINES_READ] if whole_move(line, game)), None)
    if stray is not None:
        told = {"move": " ".join(stray.split()), "other": numbered[0].named_board}
        return Script(comment=others, problem=Problem("", "which-board-line", told))
    if not lines:
        return None
    if len(commands) + len(lines) > MOST_COMMANDS:
        return Script(problem=Problem("", "too-many-commands", {"most": MOST_COMMANDS}))
    clearer = replace(script, commands=(*commands, *lines.values()), problem=None)
    return _with_doubt(_with_words(clearer, words, lines, others), words, lines)


def _lines_in(context: Context, words: Sequence[str], game: Game) -> Lines:
    """Such lines among the words, by their indexes.

    In an answer to one board's mail a number may count anything: there only boards count on which
    it is the sender's turn. After a mail about several boards, their numbers always count.
    """
    several = {item.number for item in context.mailed} if len(context.mailed) > 1 else set[int]()
    found = {
        index: command
        for index, line in enumerate(words[:_LINES_READ])
        if (command := line_for_a_board(line, game) or _for_one_of(several, line, game))
    }
    if not found or not context.hints:
        return found
    numbers = {*context.hints, *context.work.boards.to_move(context.player_id)}
    return {index: command for index, command in found.items() if command.named_board in numbers}


def _for_one_of(boards: set[int], line: str, game: Game) -> Command | None:
    """Parse a line for one of some boards; an unreadable one becomes a move to be refused."""
    found = _NUMBERED.fullmatch(line.rstrip())
    if not found or int(found[1]) not in boards or not any(map(str.isalpha, found[2])):
        return None
    plain = f"{found[1]} {found[2]}"
    return line_for_a_board(plain, game) or PlayMove.on_board(
        BoardRef(int(found[1])), found[2], plain, game
    )


def _with_words(
    script: Script, words: Sequence[str], lines: Lines, others: tuple[str, ...]
) -> Script:
    """The script with the words below each line for its board; those above all are unplaced."""
    if len({command.named_board for command in script.commands}) == 1:
        return replace(script, comment=others)
    above = len(script.commands) - len(lines)  # commands above the words
    starts = [-1, *sorted(lines), len(words)]
    first, *below = (trimmed(words[start + 1 : end]) for start, end in pairwise(starts))
    between = dict(enumerate(below[:-1], above)) | ({above - 1: first} if above else {})
    greets = all(is_greeting(clause) for line in first for clause in clauses(line))
    unplaced = () if above or greets else first
    return replace(script, comment=below[-1], between=between, unplaced=unplaced)


def _with_doubt(script: Script, words: Sequence[str], lines: Lines) -> Script:
    """The script to be confirmed first, if one of the lines may not be the sender's own."""
    returned = holds_ours(words[: max(lines)])
    if not returned and not any(is_in_sentence(words, index) for index in lines):
        return script
    told = [command.line for command in script.commands]
    return replace(script, guess={"section": "doubtful-lines", "lines": told, "returned": returned})
