"""Reads lines that begin with a board's number, each with a move."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from pbm.commands.families.play import PlayMove
from pbm.commands.language.declare import Command
from pbm.commands.language.words import BoardRef
from pbm.commands.registry import Problem, line_for_a_board, whole_move
from pbm.commands.script import Script, trimmed
from pbm.commands.sentences import answers
from pbm.commands.sentences.around_lines import is_spoken_of
from pbm.commands.sentences.clauses import clauses
from pbm.mail.reading.quoting_own import holds_ours
from pbm.play.limits import MOST_COMMANDS
from pbm.rules.contract import Game
from pbm.service.understanding.known import Known

_LINES_READ = 200  # of one mail
_OF_A_MOVE = ("bare-move", "unclear-move")
_NUMBERED = re.compile(r"(\d{1,9})[.):]?\s+(\S.*)", re.ASCII)  # not indented, unlike most lists

_Lines = Mapping[int, Command]  # by their indexes among the words


def read_board_lines(known: Known, script: Script) -> Script | None:
    """Return a script with the commands in lines for boards; None if there are no such lines."""
    commands, words = script.commands, script.comment
    if script.problem:
        if not known.several or script.problem.code not in _OF_A_MOVE:
            return None
        words = script.said  # the answered mail is about several boards, so lines have numbers
    elif commands and commands[-1].takes_text:
        return None
    game = known.game_meant
    lines = _lines_in(known, words)
    above = [item for item in commands if isinstance(item, PlayMove) and item.is_line]
    numbered = [*above, *lines.values()]
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


def _lines_in(known: Known, words: Sequence[str]) -> _Lines:
    """Return the commands in lines that begin with a board's number, by the index of the line."""
    game, several = known.game_meant, known.several
    found = {
        index: command
        for index, line in enumerate(words[:_LINES_READ])
        if (command := line_for_a_board(line, game) or _for_one_of(several, line, game))
    }
    if not found or not known.hints:
        return found
    about = {*known.hints, *known.work.boards.to_move(known.player_id)}
    return {index: command for index, command in found.items() if command.named_board in about}


def _for_one_of(boards: frozenset[int], line: str, game: Game) -> Command | None:
    """Return the command or move in a line that begins with the number of one of `boards`."""
    found = _NUMBERED.fullmatch(line.rstrip())
    if not found or int(found[1]) not in boards or not any(map(str.isalpha, found[2])):
        return None
    plain = f"{found[1]} {found[2]}"
    return line_for_a_board(plain, game) or PlayMove.on_board(
        BoardRef(int(found[1])), found[2], plain, game
    )


def _with_words(
    script: Script, words: Sequence[str], lines: _Lines, others: tuple[str, ...]
) -> Script:
    """Return the script, in which words that are no commands are stored as comments.

    `others` are the lines that are no commands. If all commands are for one board, `others` are the
    comment for that board. Otherwise each command's board gets the lines below the command.
    """
    if len({command.named_board for command in script.commands}) == 1:
        return replace(script, comment=others)
    above = len(script.commands) - len(lines)  # commands above the words
    starts = [-1, *sorted(lines), len(words)]
    first, *below = (trimmed(words[start + 1 : end]) for start, end in pairwise(starts))
    between = dict(enumerate(below[:-1], above)) | ({above - 1: first} if above else {})
    greets = all(answers.is_greeting(clause) for line in first for clause in clauses(line))
    unplaced = () if above or greets else first
    return replace(script, comment=below[-1], between=between, unplaced=unplaced)


def _with_doubt(script: Script, words: Sequence[str], lines: _Lines) -> Script:
    """Add a `guess` if a line may be no command. The guess asks the sender what is meant."""
    returned = holds_ours(words[: max(lines)])
    if not returned and not any(is_spoken_of(words, index) for index in lines):
        return script
    told = [command.line for command in script.commands]
    return replace(script, guess={"section": "doubtful-lines", "lines": told, "returned": returned})
