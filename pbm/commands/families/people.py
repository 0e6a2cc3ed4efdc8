"""Commands about players: profiles, finished games, ratings."""

from collections.abc import Iterator

from pbm.commands.families.settings import names_of
from pbm.commands.language.context import Context, player_named
from pbm.commands.language.declare import Command, operand, option
from pbm.commands.language.words import (
    ME,
    BoardKind,
    BoardRef,
    GameName,
    Handle,
    Shown,
    Word,
    lowered,
)
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play import listings
from pbm.store.values.players import PlayerStatus

_LONGEST = 16  # characters of a handle


class ListHistory(Command, group="look"):
    """List the finished games of a player, or of two players with each other."""

    words = ("history",)
    examples = ("history", "history bob", "history me bob")
    reads_only = True

    who: tuple[BoardRef | str, ...] = operand(Shown("handle"), many=True, optional=True)
    before: BoardRef | None = option("before", BoardKind())

    def run(self, context: Context) -> Iterator[Event]:
        for item in self.who:
            if isinstance(item, BoardRef):
                raise Refusal("history-of-board", number=item.number)
        handles = list(dict.fromkeys(str(item) for item in self.who)) or [ME]
        players = [player_named(context, handle) for handle in handles]
        if len(players) > 2:
            raise Refusal("too-many-histories")
        below = self.before.number if self.before else None
        listed = listings.history(context.work, players, context.actor, below)
        go_on = listed["go_on"]
        line = f"history {' '.join(handles)} -before={go_on}" if go_on else None
        yield Answered("history", {**listed, "line": line})


class ShowInfo(Command, group="look"):
    """Tell about a player: day of joining, ratings, games, punctuality, languages."""

    words = ("info",)
    examples = ("info bob", "info")
    reads_only = True

    who: str | None = operand(Handle(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        player = player_named(context, self.who or ME)
        if player.status == PlayerStatus.REMOVED:
            raise Refusal("has-left", handle=player.handle)
        told = listings.player_info(context.work, player, context.now)
        languages = list(names_of(player.settings.languages))
        yield Answered("info", {**told, "languages": languages})


class ListPlayers(Command, group="look"):
    """List who plays here, in the order of the alphabet, with their ratings."""

    words = ("players", "list")
    examples = ("players", "players bo", "list")
    reads_only = True

    of: str | None = operand(GameName(explains=False), optional=True)
    start: str | None = operand(Word("handle"), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        game, first = self.of or self.game.info.name, lowered(self.start or "")[:_LONGEST]
        listed = listings.players_listed(context.work, game, first, context.now)
        line = f"players {listed['go_on']}" if listed["go_on"] else None
        yield Answered("players", {**listed, "line": line})


class Standings(Command, group="look"):
    """List the players with the highest ratings, and your own place."""

    words = ("standings", "ratings")
    reads_only = True

    of: str | None = operand(GameName(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        game = self.of or self.game.info.name
        yield Answered(
            "standings", listings.standings(context.work, game, context.actor, context.now)
        )
