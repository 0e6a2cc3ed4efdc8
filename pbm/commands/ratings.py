"""The command that shows who plays how strong."""

from collections.abc import Container, Iterator
from typing import Any

from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.fields import operand
from pbm.commands.words import GameName
from pbm.events import Answered, Event
from pbm.plain import to_plain
from pbm.play.ratings import STALE, at, measured, shown
from pbm.rules.registry import game_named
from pbm.store.values.ratings import Pool, Rating

_MOST = 20  # players of each list
_COUNTED = 1000  # players who have a place in a list


class Standings(Command):
    """List the players with the highest ratings, and your own place.

    There is one list for games of two players, one for three and more, and one for teams. Who has
    played ten rated games there, against two different people or more, stands in it; those of whom
    little is known stand apart.

    A rating is a number: whoever has none yet counts as 1500, and a win against somebody stronger
    raises it more. Behind it stands how sure it is: two of three ratings are off by no more than
    that. It grows in months without a game. A `?` says that it is large; it goes after some ten
    games, sooner against players who are well known.

    All finished games count that were not begun with `-unrated` and got somewhere: each side has
    moved ten times, or five times where somebody has scored. What ends before counts for nobody. Of
    your wins over one player within 30 days the third counts half, the next a quarter, and so on,
    and so do that player's losses. The strength of robots was measured: a game with them changes
    your rating, and never theirs.

    With more than two players your place in the game counts, not only who has won: who left the
    game comes after those who stayed, by the last moves, the latest first. Where several of your
    games run out of time and you have written nothing since we reminded you, the first alone costs
    you rating, once in 180 days; those in which you are behind all do.
    """

    words = ("standings", "ratings")
    group = "look"
    examples = ("standings",)
    reads_only = True

    of: str | None = operand(GameName(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Answer with the lists of a game."""
        info = (game_named(self.of) if self.of else self.game).info
        lists = [found for pool in Pool if (found := _listed(context, info.name, pool))]
        title, stale = f"the standings of {info.title}", context.work.facts.find(STALE) is not None
        told = {"title": title, "lists": lists, "game": info.title, "stale": stale}
        yield Answered("standings", told)


def _listed(context: Context, game: str, pool: Pool) -> dict[str, Any] | None:
    found = _standings(context, game, pool)
    known = [one for one, row in found.items() if not row["provisional"]]
    apart = [one for one, row in found.items() if row["provisional"]]
    named = {*known[:_MOST], *apart[:_MOST], *_own(context, found)}
    handles = context.work.players.handles_of(named)
    lists = [
        [{"handle": handles[one], **found[one]} for one in some if one in named]
        for some in (known, apart)
    ]
    return {"pool": pool.value, "rows": lists[0], "apart": lists[1]} if found else None


def _own(context: Context, found: Container[int]) -> set[int]:
    return {context.actor.id} if context.actor and context.actor.id in found else set()


def _standings(context: Context, game: str, pool: Pool) -> dict[int, dict[str, Any]]:
    """Those who stand in a list, the best first, by their numbers, with their places; of whom
    little is known has none."""
    found: dict[int, dict[str, Any]] = {}
    place = 0
    for player_id, rating in context.work.ratings.standings(game, pool, _COUNTED):
        told = told_rating(context, rating)
        place += not told["provisional"]
        found[player_id] = {"place": "" if told["provisional"] else str(place), **told}
    return found


def place_in(context: Context, game: str, pool: Pool, player_id: int) -> str:
    """A player's place in the standings, as it is told; nothing for one who has none."""
    row = _standings(context, game, pool).get(player_id)
    return row["place"] if row else ""


def told_rating(context: Context, rating: Rating) -> dict[str, Any]:
    """A rating as it is by now, for a template."""
    now = at(rating, context.now)
    return {"games": rating.games, **to_plain(shown(now.mu, now.sigma))}


def told_of_robot(robot: str) -> dict[str, Any]:
    """The rating of a robot, for a template."""
    known = measured(robot)
    return {"games": 0, "measured": True, **to_plain(shown(known.mu, known.sigma))}
