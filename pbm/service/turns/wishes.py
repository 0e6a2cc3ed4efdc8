"""The game that somebody asks for who does not play here yet, and gets with the yes: with the next
player who wants one, or against robots."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pbm.commands.lobby import Challenge
from pbm.commands.registry import parse_line
from pbm.commands.script import Script
from pbm.commands.seeks import Play
from pbm.rules.registry import games


@dataclass(frozen=True)
class Wish:
    """What is done with the yes: `line`, a command of the game of that name. `robots` are those
    whom it challenges, none where it asks to be paired."""

    game: str
    line: str
    robots: tuple[str, ...] = ()

    @property
    def kept(self) -> dict[str, Any]:
        """What a question keeps of it."""
        return {"pairs": self.game} if not self.robots else {"begins": vars(self)}

    @property
    def script(self) -> Script:
        """The command, if it can still be read."""
        game = games().get(self.game)
        command = parse_line(self.line, game) if game else None
        return Script((command,)) if isinstance(command, Challenge | Play) else Script()


def wish_kept(params: Mapping[str, Any]) -> Wish | None:
    """The one that a question has kept."""
    begins, pairs = params.get("begins"), params.get("pairs")
    if begins:
        return Wish(begins["game"], begins["line"], tuple(begins["robots"]))
    return Wish(pairs, Play.words[0]) if pairs else None
