"""A yes or a no in answer to a board's mail: it answers the offer that waits for it alone."""

from dataclasses import replace

from pbm.commands.agree import Accept, Reject
from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.everyday import opts_out
from pbm.commands.registry import parse_line
from pbm.commands.script import Script, is_bare_yes, read_script
from pbm.commands.yes_and_no import Spoken, spoken
from pbm.events import Answered
from pbm.play.offers import TAKEBACK, mark_of, open_offers, waiting_for
from pbm.service.turns.game_meant import game_meant
from pbm.service.turns.scripts import own_hint
from pbm.store.values import Board, Offer


def read_bare_answer(context: Context, script: Script) -> Script | Answered | None:
    """The offer accepted or rejected that a yes or a no answers, with the rest as the comment.

    Whoever may mean something else is told what to write; so is a yes that answers nothing.
    """
    if script.commands or script.problem or not script.comment:
        return None
    number = own_hint(context)
    board = context.work.boards.get(number) if number else None
    asking = _asking(context, board) if board else []
    said = spoken(script.comment)
    if not (board and asking and said.begins) or opts_out(script.comment[said.lines - 1]):
        to_nothing = not asking and is_bare_yes(script)
        return _asked_for(number, []) if to_nothing else None
    answer = _answer(board, asking[0], said)
    rest = (*([said.rest] if said.rest else []), *script.comment[said.lines :])
    below = read_script("", rest, in_answer=True, game=game_meant(context.work, context.hints))
    is_told = _waits_for_this(context, board, asking)
    if answer and is_told and not (below.commands or below.problem):  # else, which comes first?
        return replace(script, commands=(answer,), comment=below.comment)
    return _asked_for(number, asking)


def _asking(context: Context, board: Board) -> list[Offer]:
    """What waits for the speaker's answer on a board."""
    player_id = context.player.id
    return [item for item in open_offers(board) if player_id in waiting_for(board, item)]


def _waits_for_this(context: Context, board: Board, asking: list[Offer]) -> bool:
    """Whether one offer waits, for the speaker alone, and the mail that is answered tells of it."""
    mail, (offer, *others) = context.answered, asking
    told = mail is not None and mail.number == board.id and mark_of(offer) in mail.asked
    return told and not others and waiting_for(board, offer) == (context.player.id,)


def _answer(board: Board, offer: Offer, said: Spoken) -> Command | None:
    if said.answer is None:
        return None
    word = (Accept if said.answer else Reject).words[0]
    ply = f"#{offer.moved}" if offer.kind == TAKEBACK else ""
    found = parse_line(f"{word} {offer.kind} {board.id}{ply}")
    return found if isinstance(found, Command) else None


def _asked_for(number: int | None, asking: list[Offer]) -> Answered:
    told = {"title": "yes to what?", "offers": [offer.kind for offer in asking]}
    return Answered("bare-yes", told, number)
