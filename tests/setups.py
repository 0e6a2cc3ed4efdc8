"""How a board of Abalone is begun, in a line of a test."""

from pbm.play.boards import Setup
from pbm.rules.abalone import GAME
from pbm.rules.contract import completed


def abalone(layout: str | None = None, *, teams: bool = False, pillar: bool = False) -> Setup:
    """A choice of what Abalone offers, with the defaults of the rest."""
    given = {"layout": layout or "", "teams": teams, "pillar": pillar}
    return Setup(GAME.info.name, completed(GAME.info.options, given))
