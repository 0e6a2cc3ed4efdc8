"""Finds out what a mail's words mean beside its commands and its comment.

Each reader is a function from what is known and the words to a reading, or to None for words that
are not its business. No reader calls another: this module alone tries them, in order.
"""

from dataclasses import replace

from pbm.commands.families.agree import Accept, Reject
from pbm.commands.families.play import PlayMove
from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.commands.language.words import lowered
from pbm.commands.registry import Problem, read_commands
from pbm.commands.script import Script, is_bare_no, is_bare_yes, read_script, trimmed
from pbm.commands.sentences import answers
from pbm.commands.sentences.agreeing import Asked, agrees, beside_yes
from pbm.commands.sentences.moves_inside import is_in_sentence
from pbm.events import Answered
from pbm.play.limits import OFFER_UNCLEAR
from pbm.play.offers import DRAW, TAKEBACK, mark_of
from pbm.service.understanding.board_lines import read_board_lines
from pbm.service.understanding.mail_turn import Known, Reading
from pbm.service.understanding.move_line import read_described_move, read_move_line
from pbm.service.understanding.wishes import only_wishes, read_decline, read_question, read_wish
from pbm.store.values.boards import Board

_READERS = (read_wish, read_board_lines, read_move_line, read_described_move)
_MOST_LINES = 24  # lines of a comment that are searched for wishes


def interpret(context: Context, script: Script) -> Reading:
    if not script.comment and [type(command) for command in script.commands] == [PlayMove]:
        return Reading.of(script)  # a move and nothing else
    known = Known(**vars(context))
    found = (read(known, script) for read in (_read_answer, *_READERS))
    meant = next(filter(None, found), None) or Reading.of(script)
    if meant.answer:
        return meant
    meant = _which_of_several(known, meant) or _without_wish(known, meant)
    return read_question(known, meant) or meant


def _read_answer(known: Known, script: Script) -> Reading | None:
    """Return the reading of words that answer an offer, or would if there were one, or None."""
    if script.problem and script.problem.code == "unclear-move":  # "Yes, K-R"
        script = replace(script, problem=None, comment=script.said)
    if script.commands or script.problem:
        return None
    if known.number is None and not script.said:  # the subject is all that they wrote
        script = replace(script, comment=(script.heading,))
    board = known.mine
    answer = _answer_to_offers(known, board, script) if board and known.asked else None
    answer = answer or read_decline(known, script)
    if answer or not is_bare_yes(script):
        return answer
    is_thanks = board is None and answers.only_thanks(script.comment)
    return None if is_thanks else _yes_to_what(known)


def _answer_to_offers(known: Known, board: Board, words: Script) -> Reading | None:
    """Return the answer to the offers that wait for the sender; None for other words."""
    kinds = tuple(offer.kind for offer in known.asked if offer.kind in (DRAW, TAKEBACK))
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
    if is_bare or read_board_lines(known, words) or read_move_line(known, words):
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
