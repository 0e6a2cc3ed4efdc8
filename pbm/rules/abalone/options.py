"""What can be chosen for a game, and for its records, as the door declares it."""

from pbm.rules.abalone.layouts import BOARDS, IN_TEAMS
from pbm.rules.contract import Option

LAYOUT = Option(
    "layout",
    values=tuple(BOARDS),
    default="standard",
    default_with=(("teams", "official"),),
    flags=("bowl",),
    sets_up=True,
)
TEAMS = Option("teams", seats=(IN_TEAMS,), partners=True, sets_up=True)
PILLAR = Option("pillar")

TO_PLAY = (LAYOUT, TEAMS, PILLAR)
"""Those of a game."""

TO_WRITE = tuple(map(Option, ("apgn", "abapro", "json", "diagram")))
"""Those of a record that is written."""

TO_READ = (Option("layout", values=tuple(BOARDS), sets_up=True), PILLAR, Option("abapro"))
"""Those of a record that is read: what it does not say itself."""
