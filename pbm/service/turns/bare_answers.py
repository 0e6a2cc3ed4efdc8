"""A mail that says yes or no and nothing else, though it answers no question."""

from pbm.commands.context import Context
from pbm.commands.script import Script, is_bare_no, is_bare_yes
from pbm.events import Answered
from pbm.play.offers import open_offers, waiting_for
from pbm.service.turns.scripts import own_hint


def read_bare_answer(context: Context, script: Script) -> Answered | None:
    """What to say to a yes that answers no question, or to a no where an offer was perhaps meant.

    Neither ever answers the offer: that takes its own words.
    """
    yes = is_bare_yes(script)
    if not yes and not is_bare_no(script):
        return None
    number = own_hint(context)
    asking = _asking(context, number) if number else []
    offer = asking[0] if len(asking) == 1 else None
    told = {"title": "yes to what?", "offer": offer}
    return Answered("bare-yes", told, number) if yes or offer else None


def _asking(context: Context, number: int) -> list[str]:
    """The kinds of what waits for the speaker's answer on a board."""
    board = context.work.boards.get(number)
    offers = open_offers(board)
    return [item.kind for item in offers if context.player.id in waiting_for(board, item)]
