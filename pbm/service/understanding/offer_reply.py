"""A yes or a no in answer to a board's mail: it answers the offer that waits for it alone."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from pbm.commands.families.accept import Accept, Reject
from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.commands.registry import parse_line
from pbm.commands.script import Script, is_bare_no, is_bare_yes, read_script
from pbm.commands.sentences.everyday import opts_out, says_no
from pbm.commands.sentences.intentions import Intention, only_means
from pbm.commands.sentences.yes_and_no import Spoken, spoken
from pbm.events import Answered
from pbm.play.offers import DRAW, TAKEBACK, mark_of, open_offers, waiting_for
from pbm.service.understanding.move_line import read_lone_move
from pbm.service.understanding.wishes import ask_to_decline, read_intention
from pbm.store.values.boards import Offer

_MEANT: Final = {DRAW: Intention.DRAW, TAKEBACK: Intention.TAKE_BACK}


def read_bare_answer(context: Context, script: Script) -> Script | Answered | None:
    """The offer accepted or rejected that a yes or a no answers, with the words as the comment
    where they say more than that.

    Whoever may mean something else is told what to write; so is a yes that answers nothing.
    """
    said = spoken(script.comment)
    if script.commands or script.problem or not said.begins:
        return None
    number = context.own_hint
    asking = _asking(context, number) if number else {}
    if not (number and asking):
        offers = list(open_offers(context.work.boards.get(number))) if number else []
        if number and not offers and is_bare_no(script):
            return ask_to_decline(context, script, number)
        return _asked_for(number, []) if is_bare_yes(script) else None
    line = script.comment[said.lines - 1]
    if opts_out(line):
        return None
    if not said.answer and says_no(line):
        moved = read_lone_move(context, script)
        if moved is not None:
            return moved  # which is a no, too
    offer, below = next(iter(asking)), script.comment[said.lines :]
    meant = _MEANT.get(offer.kind)
    names_it = said.answer is True and meant is not None and only_means(said.rest, meant, number)
    rest = said.rest if said.rest and not names_it else ""
    game = context.game_meant
    others = read_script("", (*([rest] if rest else []), *below), in_answer=True, game=game)
    answer = _answer(number, offer, said)
    # Else, which of them comes first?
    is_plain = not (others.commands or others.problem or read_intention(context, others))
    if answer and is_plain and _waits_for_this(context, number, asking):
        comment = (line, *below) if rest else others.comment
        return replace(script, commands=(answer,), comment=comment)
    return _asked_for(number, asking)


def _asking(context: Context, number: int) -> dict[Offer, tuple[int, ...]]:
    """What waits for the speaker's answer on a board, and for whom in all."""
    board = context.work.boards.get(number)
    offers = ((offer, waiting_for(board, offer)) for offer in open_offers(board))
    return {offer: waiting for offer, waiting in offers if context.player_id in waiting}


def _waits_for_this(context: Context, number: int, asking: dict[Offer, tuple[int, ...]]) -> bool:
    """Whether one offer waits, for the speaker alone, and the mail that is answered tells of it."""
    mail = context.answered
    if mail is None or mail.number != number:
        return False
    return list(asking.values()) == [(context.player_id,)] and mark_of(*asking) in mail.asked


def _answer(number: int, offer: Offer, said: Spoken) -> Command | None:
    if said.answer is None:
        return None
    word = (Accept if said.answer else Reject).words[0]
    ply = f"#{offer.moved}" if offer.kind == TAKEBACK else ""
    found = parse_line(f"{word} {offer.kind} {number}{ply}")
    return found if isinstance(found, Command) else None


def _asked_for(number: int | None, asking: Iterable[Offer]) -> Answered:
    told = {"title": "yes to what?", "offers": [offer.kind for offer in asking]}
    return Answered("bare-yes", told, number)
