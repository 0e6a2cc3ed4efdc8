"""What people read of an error: the sentence that the templates of the game make of it."""

from pbm.mail.writing.render import sentence
from pbm.play.game_words import why
from pbm.rules.abalone import GAME
from pbm.rules.contract import RulesError


def told(error: RulesError) -> str:
    """The sentence."""
    return sentence(why(GAME, error))
