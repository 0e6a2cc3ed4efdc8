"""Interprets a script whose words may mean more than a comment.

Words can be a yes or no to an offer, a request in plain words, lines for several boards (each
begins with a board's number), or a move. These meanings are tried in this order. The first that
fits makes a clearer script. The player may have to confirm it (`Script.guess`), or it is just an
answer to send (`Script.answer`).
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

from pbm.commands.families.agree import Accept, Reject
from pbm.commands.families.play import PlayMove
from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.commands.language.words import BoardRef, lowered
from pbm.commands.registry import Problem, line_for_a_board, read_commands, whole_move
from pbm.commands.script import Script, is_bare_no, is_bare_yes, read_script, trimmed
from pbm.commands.sentences import answers
from pbm.commands.sentences.agreeing import Asked, agrees, beside_yes
from pbm.commands.sentences.around_lines import is_in_sentence, is_spoken_of
from pbm.commands.sentences.clauses import clauses
from pbm.errors import Refusal
from pbm.events import Answered
from pbm.mail.reading.quoting_own import holds_ours
from pbm.play.limits import MOST_COMMANDS, OFFER_UNCLEAR
from pbm.play.offers import DRAW, TAKEBACK, mark_of
from pbm.rules.contract import Game
from pbm.service.understanding.mail_turn import MailTurn
from pbm.service.understanding.move_line import read_described_move, read_move_line
from pbm.service.understanding.wishes import ask_to_decline, only_wishes, read_question, read_wish
from pbm.store.values.boards import Board, Offer

_LINES_READ = 200  # of one mail
_OF_A_MOVE = ("bare-move", "unclear-move")
_NUMBERED = re.compile(r"(\d{1,9})[.):]?\s+(\S.*)", re.ASCII)  # not indented, unlike most lists

Lines = Mapping[int, Command]  # by their indexes among the words
_MOST_LINES = 24  # lines of a comment that are searched for wishes
_Waiting = Mapping[Offer, Collection[int]]  # offers, each with the players who have to answer it


def interpret(context: Context, script: Script) -> Script:
    meant = (
        _offer_reply(context, script)
        or read_wish(context, script)
        or _board_lines(context, script)
        or read_move_line(context, script)
        or read_described_move(context, script)
        or script
    )
    if meant.answer:
        return meant
    meant = _which_of_several(context, meant) or _without_wish(context, meant)
    return read_question(context, meant) or meant


def _offer_reply(context: Context, script: Script) -> Script | None:
    """If the words begin with yes or no, return the script that answers the open offer."""
    if script.problem and script.problem.code == "unclear-move":  # "Yes, K-R"
        script = replace(script, problem=None, comment=script.said)
    if script.commands or script.problem:
        return None
    number = context.own_hint if script.comment or not script.said else None
    if number is None and not script.said:  # the subject is all that they wrote
        script = replace(script, comment=(script.heading,))
    if not script.comment:
        return None
    board = context.work.boards.get(number) if number else None
    offers = board.open_offers if board else {}
    asked = {offer: who for offer, who in offers.items() if context.player_id in who}
    if board and asked:
        return _answer_to(context, script, board, asked)
    if board and not offers and is_bare_no(script):
        return ask_to_decline(context, script, board)
    is_yes = is_bare_yes(script) and (board or not answers.only_thanks(script.comment))
    return Script(answer=_yes_to_what(number)) if is_yes else None


def _answer_to(context: Context, script: Script, board: Board, asked: _Waiting) -> Script | None:
    """Return a script for an answer to open offers; None for words that answer none of them."""
    kinds = tuple(offer.kind for offer in asked if offer.kind in (DRAW, TAKEBACK))
    handles, turn = [seat.handle for seat in board.seats], context.turn
    names = turn.names_beside(handles) if isinstance(turn, MailTurn) else handles
    about, said = Asked(kinds, names=names), answers.spoken(script.comment)
    yes, shown = agrees(script.comment, about), _is_shown(context, board.id, asked)
    line, below = script.comment[said.lines - 1], script.comment[said.lines :]
    if not yes and (not said.begins or answers.opts_out(line)):
        return None
    if yes and shown:
        words = beside_yes(script.comment, about)
        return replace(script, commands=_answering(Accept, board.id, asked), comment=words)
    # After a no, a move is played; it rejects the offer, too.
    moved = read_move_line(context, script) if not yes and answers.says_no(line) else None
    if moved:
        return moved
    others = read_script("", (said.rest, *below), in_answer=True, game=context.game_meant)
    asks_more = others.commands or others.problem or read_wish(context, others)
    if not yes and said.no and shown and not asks_more:
        words = (line, *below) if said.rest else others.comment
        return replace(script, commands=_answering(Reject, board.id, asked), comment=words)
    return _unclear(context, script, board.id, asked, is_talk=not asks_more)


def _is_shown(context: Context, number: int, asked: _Waiting) -> bool:
    """Return whether the answered mail shows the only offer, and only the sender is asked."""
    mail = context.answered
    if mail is None or mail.number != number or list(asked.values()) != [(context.player_id,)]:
        return False
    return mark_of(*asked) in mail.asked


def _answering(command: type[Accept | Reject], number: int, asked: _Waiting) -> tuple[Command, ...]:
    offer = next(iter(asked))
    ply = f"#{offer.moved}" if offer.kind == TAKEBACK else ""
    return read_commands([f"{command.words[0]} {offer.kind} {number}{ply}"])


def _unclear(
    context: Context, script: Script, number: int, asked: _Waiting, *, is_talk: bool
) -> Script:
    """Return a script for words that begin like an answer to an offer, and are none.

    Words for the others are sent to them, and the sender is asked once. If the words may ask for
    something else, nobody gets them.
    """
    is_talk = is_talk and not (is_bare_yes(script) or is_bare_no(script))
    if not is_talk or _board_lines(context, script) or read_move_line(context, script):
        return Script(answer=_yes_to_what(number, asked))
    now, whose = context.turn.now, (context.player_id, number, mark_of(*asked))
    if not OFFER_UNCLEAR.take(context.work, now, *whose):
        return script
    return replace(script, aside=_yes_to_what(number, asked, sent=True))


def _yes_to_what(number: int | None, asked: Iterable[Offer] = (), **more: bool) -> Answered:
    told = {"title": "yes to what?", "offers": [offer.kind for offer in asked], **more}
    return Answered("bare-yes", told, number)


def _which_of_several(context: Context, script: Script) -> Script | None:
    """If a script has different moves for one board, return a script that asks which is meant."""
    moves = [command for command in script.commands if isinstance(command, PlayMove)]
    if len(moves) <= 1:
        return None
    found: dict[int | None, dict[str, str]] = {}
    for move in moves:
        number = move.named_board
        with suppress(Refusal):  # running the move gives the reason
            number = number or context.board(None).id
        lines = found.setdefault(number, {})
        lines.setdefault("".join(lowered(move.move).split()), move.line)
    for number, lines in found.items():
        if number and len(lines) > 1:
            told = {"lines": list(lines.values()), "number": number}
            return Script(comment=script.comment, problem=Problem("", "which-move", told))
    return None


def _without_wish(context: Context, script: Script) -> Script:
    """Move a request such as "draw?" from the comment below a move to the script's `wish`."""
    moves = script.commands and all(isinstance(item, PlayMove) for item in script.commands)
    if not moves or script.guess:
        return script
    for index, line in enumerate(script.comment[:_MOST_LINES]):
        if only_wishes(line) and not is_in_sentence(script.comment, index):
            wish = read_wish(context, Script(comment=(line,), said=(line,)))
            kept = (*script.comment[:index], *script.comment[index + 1 :])
            return replace(script, comment=trimmed(kept), wish=wish)
    return script


def _board_lines(context: Context, script: Script) -> Script | None:
    commands, words = script.commands, script.comment
    if script.problem:
        if len(context.mailed) <= 1 or script.problem.code not in _OF_A_MOVE:
            return None
        words = script.said  # the answered mail is about several boards, so lines have numbers
    elif commands and commands[-1].takes_text:
        return None
    game = context.game_meant
    lines = _lines_in(context, words, game)
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


def _lines_in(context: Context, words: Sequence[str], game: Game) -> Lines:
    """Return the commands in lines that begin with a board's number, by the index of the line."""
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
    """Return the command or move in a line that begins with the number of one of `boards`."""
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


def _with_doubt(script: Script, words: Sequence[str], lines: Lines) -> Script:
    """Add a `guess` if a line may be no command. The guess asks the sender what is meant."""
    returned = holds_ours(words[: max(lines)])
    if not returned and not any(is_spoken_of(words, index) for index in lines):
        return script
    told = [command.line for command in script.commands]
    return replace(script, guess={"section": "doubtful-lines", "lines": told, "returned": returned})
