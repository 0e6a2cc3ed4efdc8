"""The first game, which a newcomer asks for: by pairing, a seek, or against robots."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pbm.commands.families.lobby import Challenge
from pbm.commands.families.seeks import Join, Play
from pbm.commands.registry import parse_line
from pbm.commands.script import Script
from pbm.rules.registry import games

FIRST_GAMES = Challenge | Play | Join
"""Commands by which a newcomer may ask for a game; `SeekOthers` is a `Challenge`."""


@dataclass(frozen=True)
class FirstGame:
    """Command line to run after the yes, with its game; `robots` are its opponents."""

    game: str
    line: str
    robots: tuple[str, ...] = ()

    @property
    def pairs(self) -> bool:
        """Whether the newcomer asks to be paired."""
        return self.line == Play.words[0]

    @property
    def told(self) -> dict[str, Any]:
        """Template parameters for the welcome."""
        asks_for_seat = not self.robots and not self.pairs
        seat = self.line if asks_for_seat else None
        return {"pairs": self.pairs, "robots": list(self.robots), "seat": seat}

    @property
    def kept(self) -> dict[str, Any]:
        """Parameters stored with the question."""
        return {"pairs": self.game} if self.pairs else {"begins": vars(self)}

    @property
    def script(self) -> Script:
        """The command; empty if unreadable by now."""
        game = games().get(self.game)
        command = parse_line(self.line, game) if game else None
        return Script((command,)) if isinstance(command, FIRST_GAMES) else Script()


def first_game_kept(params: Mapping[str, Any]) -> FirstGame | None:
    """The first game stored with a question."""
    begins, pairs = params.get("begins"), params.get("pairs")
    if begins:
        return FirstGame(begins["game"], begins["line"], tuple(begins["robots"]))
    return FirstGame(pairs, Play.words[0]) if pairs else None
