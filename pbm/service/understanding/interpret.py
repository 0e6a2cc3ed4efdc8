"""Finds out what a mail's words mean beside its commands and its comment.

Each reader is a function from what is known and the words to a reading, or to None for words that
are not its business. No reader calls another: `interpret` tries them, in order. Here are those of
answers to offers, and of lines that begin with a board's number, each with a move.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from pbm.commands.families.agree import Accept, Reject
from pbm.commands.families.play import PlayMove
from pbm.commands.families.talk import Chat, Message
from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.commands.language.plan_lines import begins_plan, has_condition
from pbm.commands.language.words import BoardRef, lowered
from pbm.commands.registry import Problem, line_for_a_board, read_commands, whole_move
from pbm.commands.script import Script, is_bare_no, is_bare_yes, read_script, trimmed, without_lines
from pbm.commands.sentences import answers
from pbm.commands.sentences.agreeing import Asked, agrees, beside_yes
from pbm.commands.sentences.asked import Aim
from pbm.commands.sentences.clauses import clauses
from pbm.commands.sentences.intentions import one_line
from pbm.commands.sentences.moves_inside import is_in_sentence, is_spoken_of, moves_inside
from pbm.events import Answered
from pbm.mail.reading.quoting_own import holds_ours
from pbm.play.limits import MOST_COMMANDS, OFFER_UNCLEAR
from pbm.play.offers import DRAW, SUBSTITUTE, TAKEBACK, mark_of
from pbm.rules.contract import Game
from pbm.service.understanding.mail_turn import Known, Reading
from pbm.service.understanding.move_line import read_described_move, read_move_line
from pbm.service.understanding.wishes import (
    only_wishes,
    read_decline,
    read_question,
    read_topic,
    read_wish,
)
from pbm.store.values.boards import Board

_SURELY_NOTED = 12  # characters of a line that is not marked as quoted
_MOST_LINES = 24  # lines of a comment that are searched for wishes
_LINES_READ = 200  # of one mail
_OF_A_MOVE = ("bare-move", "unclear-move")
_NUMBERED = re.compile(r"(\d{1,9})[.):]?\s+(\S.*)", re.ASCII)  # not indented, unlike most lists
_Lines = Mapping[int, Command]  # by their indexes among the words


def interpret(context: Context, script: Script) -> Reading:
    if not script.comment and [type(command) for command in script.commands] == [PlayMove]:
        return Reading.of(script)  # a move and nothing else
    known = Known(**vars(context))
    if script.comment or any(item.below for item in script.all_commands):
        script = _without_note(known, script)
    meant = _interpreted(known, script)
    return _with_words_apart(known, meant, script.apart) if script.apart else meant


def _interpreted(known: Known, script: Script) -> Reading:
    readers = (
        _read_reply,
        _read_answer,
        read_topic,
        read_wish,
        _read_board_lines,
        read_move_line,
        read_described_move,
    )
    found = (read(known, script) for read in readers)
    meant = next(filter(None, found), None) or Reading.of(script)
    meant = _perhaps_plan(known, script, meant) or _without_plans(known, meant)
    if meant.answer:
        return meant
    meant = _which_of_several(known, meant) or _without_wish(known, meant)
    return read_question(known, meant) or meant


def _without_note(known: Known, script: Script) -> Script:
    """Return the script without lines of the sender's note that came back with a quotation."""
    numbers = filter(None, {known.number, *known.several})
    boards = filter(None, map(known.work.boards.find, numbers))
    notes = [known.work.notes.on_board(board).get(known.player_id, ()) for board in boards]
    kept = one_line([line for note in notes for line in note])

    def new(lines: Sequence[str]) -> tuple[str, ...]:
        left = [*filter(is_new, lines[:_LINES_READ]), *lines[_LINES_READ:]] if kept else lines
        return tuple(left)

    def is_new(line: str) -> bool:
        bare = one_line([line.lstrip("> |")])
        sure = line.lstrip("> ").startswith("|") or len(bare) >= _SURELY_NOTED
        return not (bare and sure and bare in kept)

    for command in script.all_commands:
        if not command.keeps_lines:
            command.below = new(command.below)
    comment = new(script.comment)
    if comment != script.comment:
        known.turn.notes.append(Answered("note-left-out", {}))
    return replace(script, said=new(script.said), comment=trimmed(comment))


def _with_words_apart(known: Known, meant: Reading, apart: Sequence[Command]) -> Reading:
    """Add commands with words of their own to a reading; what else was written stays apart."""
    if meant.problem or meant.answer:
        return meant
    last, words = (meant.commands or (None,))[-1], meant.comment
    meant = replace(meant, commands=(*meant.commands, *apart), comment=())
    if last and last.takes_text:
        last.below += words
    elif words and last and not (last.reads_only or last.takes_lines):
        return replace(
            meant, between={**meant.between, len(meant.commands) - len(apart) - 1: words}
        )
    elif words and meant.aim is Aim.OTHERS and known.number:
        chat = read_commands([f"{Chat.words[0]} {known.number}"])
        chat[0].below = words
        return replace(meant, commands=(*meant.commands, *chat))
    elif words:
        return replace(meant, unplaced=words)
    return meant


def _perhaps_plan(known: Known, script: Script, meant: Reading) -> Reading | None:
    """Return the reading of a sentence with "if" and a move, which nobody gets unasked; or None.

    Sentences that are sent on as they are tell of what has been, or could have been.
    """
    board, moves = known.mine, [item for item in meant.commands if isinstance(item, PlayMove)]
    if board is None or script.commands or known.turn.claim or not (moves or meant.problem):
        return None
    lines = script.said[:_MOST_LINES]
    if meant.problem and meant.problem.params.get("reason") == "board":
        return None
    if not any(has_condition(line) and moves_inside(line, board.rules) for line in lines):
        return None
    known.work.questions.hold_words(known.player_id, board.id, script.said, known.now)
    told = {"number": board.id, "comment": list(script.said)}
    return Reading(answer=Answered("perhaps-plan", told, board.id))


def _without_plans(known: Known, meant: Reading) -> Reading:
    """Give words beside commands back if a line of them may be one of a plan."""
    board, lines = known.mine, meant.comment[:_LINES_READ]
    if board is None or not meant.commands or meant.commands[-1].takes_text:
        return meant
    if not any(_may_be_planned(line, board.rules) for line in lines):
        return meant
    return replace(meant, comment=(), unplaced=(*meant.unplaced, *meant.comment))


def _may_be_planned(line: str, game: Game) -> bool:
    """Return whether a line has a condition and a move, or several moves and nothing else."""
    found = moves_inside(line, game)
    if found and (has_condition(line) or begins_plan(line)):
        return True
    rest = line
    for item in found:
        rest = rest.replace(item.text, " ")
    return len(found) > 1 and not any(map(str.isalpha, rest))


def _read_reply(known: Known, script: Script) -> Reading | None:
    """Return the reading of words in answer to a player's message; None for other mails."""
    words, author = script.comment or (script.heading,), known.wrote
    if author is None or known.hints or script.commands or script.problem or not any(words):
        return None
    return Reading(read_commands([f"{Message.words[0]} {author.handle}"]), words)


def _read_answer(known: Known, script: Script) -> Reading | None:
    """Return the reading of words that answer an offer, or would if there were one, or None."""
    if script.problem and script.problem.code == "unclear-move":  # "Yes, K-R"
        script = replace(script, problem=None, comment=script.said)
    if script.commands or script.problem:
        return None
    if known.number is None and not script.said:  # the subject is all that they wrote
        script = replace(script, comment=(script.heading,))
    board = known.mine if script.comment else None
    answer = _answer_to_offers(known, board, script) if board and known.asked else None
    answer = answer or read_decline(known, script)
    if answer or not is_bare_yes(script):
        return answer
    is_thanks = board is None and answers.only_thanks(script.comment)
    return None if is_thanks else _yes_to_what(known)


def _answer_to_offers(known: Known, board: Board, words: Script) -> Reading | None:
    """Return the answer to the offers that wait for the sender; None for other words."""
    kinds = tuple(it.kind for it in known.asked if it.kind in (DRAW, TAKEBACK, SUBSTITUTE))
    about, said = Asked(kinds, names=known.names_beside(board)), answers.spoken(words.comment)
    line, below = words.comment[said.lines - 1], words.comment[said.lines :]
    yes = agrees(words.comment, about)
    if not yes and (not said.begins or answers.opts_out(line)):
        return None
    if yes and known.is_shown:
        return Reading(_answering(known, Accept), beside_yes(words.comment, about))
    # After a no, a move is played; it rejects the offer, too.
    moved = None if yes or not answers.says_no(line) else read_move_line(known, words)
    if moved:
        return moved
    others = read_script("", (said.rest, *below), in_answer=True, game=known.game_meant)
    if others.commands or others.problem or read_wish(known, others):
        return _yes_to_what(known)
    if not yes and said.no and known.is_shown:
        left = (line, *below) if said.rest else others.comment
        return Reading(_answering(known, Reject), left)
    return _unclear(known, words)


def _answering(known: Known, command: type[Accept | Reject]) -> tuple[Command, ...]:
    offer = next(iter(known.asked))
    ply = f"#{offer.moved}" if offer.kind == TAKEBACK else ""
    return read_commands([f"{command.words[0]} {offer.kind} {known.number}{ply}"])


def _unclear(known: Known, words: Script) -> Reading:
    """Return the reading of words that begin like an answer to an offer, and are none.

    Words for the others are sent to them, and the sender is asked once. If the words may ask for
    something else, nobody gets them.
    """
    is_bare = is_bare_yes(words) or is_bare_no(words)
    if is_bare or _read_board_lines(known, words) or read_move_line(known, words):
        return _yes_to_what(known)
    offers = ",".join(map(mark_of, known.asked))
    asks = OFFER_UNCLEAR.take(known.work, known.now, known.player_id, known.number, offers)
    aside = _yes_to_what(known, sent=True).answer if asks else None
    return Reading(comment=words.comment, aside=aside)


def _yes_to_what(known: Known, **more: bool) -> Reading:
    told = {"offers": [offer.kind for offer in known.asked], **more}
    return Reading(answer=Answered("bare-yes", told, known.number))


def _which_of_several(known: Known, meant: Reading) -> Reading | None:
    """If there are different moves for one board, return a reading that asks which is meant."""
    moves = [command for command in meant.commands if isinstance(command, PlayMove)]
    if len(moves) <= 1:
        return None
    found: dict[int | None, dict[str, str]] = {}
    for move in moves:
        board = None if move.named_board else known.meant()
        number = board.id if board else move.named_board  # None: running the move says why
        lines = found.setdefault(number, {})
        lines.setdefault("".join(lowered(move.move).split()), move.line)
    for number, lines in found.items():
        if number and len(lines) > 1:
            told = {"lines": list(lines.values()), "number": number}
            return Reading(comment=meant.comment, problem=Problem("", "which-move", told))
    return None


def _without_wish(known: Known, meant: Reading) -> Reading:
    """Move a request such as "draw?" from the comment below a move to the reading's `wish`."""
    moves = meant.commands and all(isinstance(item, PlayMove) for item in meant.commands)
    if not moves or meant.guess:
        return meant
    for index, line in enumerate(meant.comment[:_MOST_LINES]):
        if only_wishes(line) and not is_in_sentence(meant.comment, index):
            wish = read_wish(known, Script(comment=(line,), said=(line,)))
            kept = (*meant.comment[:index], *meant.comment[index + 1 :])
            return replace(meant, comment=trimmed(kept), wish=wish)
    return meant


def _read_board_lines(known: Known, script: Script) -> Reading | None:
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
