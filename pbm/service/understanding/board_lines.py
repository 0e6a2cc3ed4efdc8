"""Reads lines that begin with a board's number, each with a move."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from pbm.commands.families.play import PlayMove
from pbm.commands.language.declare import Command
from pbm.commands.language.words import BoardRef
from pbm.commands.registry import Problem, line_for_a_board, whole_move
from pbm.commands.script import Script, trimmed, without_lines
from pbm.commands.sentences import answers
from pbm.commands.sentences.clauses import clauses
from pbm.commands.sentences.moves_inside import is_spoken_of
from pbm.mail.reading.quoting_own import holds_ours
from pbm.play.limits import MOST_COMMANDS
from pbm.rules.contract import Game
from pbm.service.understanding.mail_turn import Known, Reading

_LINES_READ = 200  # of one mail
_OF_A_MOVE = ("bare-move", "unclear-move")
_NUMBERED = re.compile(r"(\d{1,9})[.):]?\s+(\S.*)", re.ASCII)  # not indented, unlike most lists

_Lines = Mapping[int, Command]  # by their indexes among the words


def read_board_lines(known: Known, script: Script) -> Reading | None:
    """Return a reading with the commands in lines for boards; None if there are no such lines."""
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
    others = without_lines(words, lines)
    stray = next((line for line in others[:_LINES_READ] if whole_move(line, game)), None)
    if stray is not None:
        told = {"move": " ".join(stray.split()), "other": numbered[0].named_board}
        return Reading(comment=others, problem=Problem("", "which-board-line", told))
    if not lines:
        return None
    if len(commands) + len(lines) > MOST_COMMANDS:
        return Reading(problem=Problem("", "too-many-commands", {"most": MOST_COMMANDS}))
    commands = (*commands, *lines.values())
    meant = Reading(commands, others, guess=_guess(commands, words, lines))
    one_board = len({command.named_board for command in commands}) == 1
    return meant if one_board else _with_words_between(meant, words, lines)


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


def _with_words_between(meant: Reading, words: Sequence[str], lines: _Lines) -> Reading:
    """Return the reading, in which each command's board gets the lines below the command."""
    above = len(meant.commands) - len(lines)  # commands above the words
    starts = [-1, *sorted(lines), len(words)]
    first, *below = (trimmed(words[start + 1 : end]) for start, end in pairwise(starts))
    between = dict(enumerate(below[:-1], above)) | ({above - 1: first} if above else {})
    greets = all(answers.is_greeting(clause) for line in first for clause in clauses(line))
    unplaced = () if above or greets else first
    return replace(meant, comment=below[-1], between=between, unplaced=unplaced)


def _guess(
    commands: Sequence[Command], words: Sequence[str], lines: _Lines
) -> dict[str, object] | None:
    """Return the section that asks what is meant, if a line may be no command."""
    returned = holds_ours(words[: max(lines)])
    if not returned and not any(is_spoken_of(words, index) for index in lines):
        return None
    told = [command.line for command in commands]
    return {"section": "doubtful-lines", "lines": told, "returned": returned}
