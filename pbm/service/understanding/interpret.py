"""What a mail means, if its words are more than commands and a comment.

It may be a yes or no to an offer, a wish in plain words, lines for several boards, or a move on a
line of its own; the first that fits decides. The result is a clearer script, which may have to be
confirmed (`guess`), or an answer in its place (`answer`).
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

from pbm.commands.families.agree import Accept, Reject
from pbm.commands.families.play import PlayMove
from pbm.commands.language.context import Context
from pbm.commands.language.words import lowered
from pbm.commands.registry import Problem, read_commands
from pbm.commands.script import Script, is_bare_no, is_bare_yes, read_script, trimmed
from pbm.commands.sentences.everyday import only_thanks, opts_out, says_no
from pbm.commands.sentences.intentions import Intention, only_means
from pbm.commands.sentences.yes_and_no import Spoken, spoken
from pbm.commands.talk import is_in_sentence
from pbm.errors import Refusal
from pbm.events import Answered
from pbm.play.offers import DRAW, TAKEBACK, mark_of
from pbm.service.understanding.board_lines import read_board_lines
from pbm.service.understanding.move_line import read_move_line
from pbm.service.understanding.wishes import ask_to_decline, only_wishes, read_wish
from pbm.store.values.boards import Offer

_OFFERS: Final = {DRAW: Intention.DRAW, TAKEBACK: Intention.TAKE_BACK}
_MOST_LINES = 24  # of the words below a move that are searched
_Waiting = Mapping[Offer, Collection[int]]  # offers, each with the players who have to answer it


def interpret(context: Context, script: Script) -> Script:
    """Return the script as its sender means it."""
    meant = (
        _offer_reply(context, script)
        or read_wish(context, script)
        or read_board_lines(context, script)
        or read_move_line(context, script)
        or script
    )
    if meant.answer:
        return meant
    return _which_of_several(context, meant) or _without_wish(context, meant)


def _offer_reply(context: Context, script: Script) -> Script | None:
    """Accept or reject the offer that a yes or no is about; other words are the comment.

    An unclear reply, or a yes to nothing, is answered with what to write.
    """
    if script.problem and script.problem.code == "unclear-move":  # "Yes, K-R"
        script = replace(script, problem=None, comment=script.said)
    said = spoken(script.comment)
    if script.commands or script.problem or not said.begins:
        return None
    number = context.own_hint
    if number is None:
        to_what = is_bare_yes(script) and not only_thanks(script.comment)
        return _yes_to_what(None) if to_what else None
    board = context.work.boards.get(number)
    asked = {offer: who for offer, who in board.open_offers.items() if context.player_id in who}
    if not asked:
        if not board.open_offers and is_bare_no(script):
            return ask_to_decline(context, script, number)
        return _yes_to_what(number) if is_bare_yes(script) else None
    line = script.comment[said.lines - 1]
    if opts_out(line):
        return None
    # A move rejects the offer, too.
    moved = read_move_line(context, script) if not said.answer and says_no(line) else None
    return moved or _settled(context, script, number, said, asked) or _yes_to_what(number, asked)


def _settled(
    context: Context, script: Script, number: int, said: Spoken, asked: _Waiting
) -> Script | None:
    """The script that answers the one open offer; None if it is unclear."""
    offer = next(iter(asked))
    meant = _OFFERS.get(offer.kind)
    names_it = said.answer is True and meant is not None and only_means(said.rest, meant, number)
    rest = () if names_it or not said.rest else (said.rest,)
    line, below = script.comment[said.lines - 1], script.comment[said.lines :]
    others = read_script("", (*rest, *below), in_answer=True, game=context.game_meant)
    word = (Accept if said.answer else Reject).words[0]
    ply = f"#{offer.moved}" if offer.kind == TAKEBACK else ""
    answer = read_commands([f"{word} {offer.kind} {number}{ply}"])
    also = others.commands or others.problem or read_wish(context, others)
    mail = context.answered  # it must tell of the one offer, which waits for the speaker alone
    if said.answer is None or also or mail is None or mail.number != number:
        return None
    if list(asked.values()) != [(context.player_id,)] or mark_of(*asked) not in mail.asked:
        return None
    return replace(script, commands=answer, comment=(line, *below) if rest else others.comment)


def _yes_to_what(number: int | None, asked: Iterable[Offer] = ()) -> Script:
    told = {"title": "yes to what?", "offers": [offer.kind for offer in asked]}
    return Script(answer=Answered("bare-yes", told, number))


def _which_of_several(context: Context, script: Script) -> Script | None:
    """A script that asks which move is meant, if two different ones are for one board."""
    moves = [command for command in script.commands if isinstance(command, PlayMove)]
    if len(moves) <= 1:
        return None
    found: dict[int | None, dict[str, str]] = {}
    for move in moves:
        number = move.named_board
        with suppress(Refusal):  # running it gives the reason
            number = number or context.board(None).id
        lines = found.setdefault(number, {})
        lines.setdefault("".join(lowered(move.move).split()), move.line)
    for number, lines in found.items():
        if number and len(lines) > 1:
            told = {"lines": list(lines.values()), "number": number}
            return Script(comment=script.comment, problem=Problem("", "which-move", told))
    return None


def _without_wish(context: Context, script: Script) -> Script:
    """A script that moves, without a line below that asks us for something, as "draw?" does.

    The opponents do not get that line. The sender is asked about it afterwards.
    """
    moves = bool(script.commands) and all(isinstance(item, PlayMove) for item in script.commands)
    for index, line in enumerate(script.comment[:_MOST_LINES]):
        if not moves or script.guess:
            break
        if only_wishes(line) and not is_in_sentence(script.comment, index):
            wish = read_wish(context, Script(comment=(line,), said=(line,)))
            kept = (*script.comment[:index], *script.comment[index + 1 :])
            return replace(script, comment=trimmed(kept), wish=wish)
    return script
