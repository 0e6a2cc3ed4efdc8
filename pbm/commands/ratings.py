"""The command that shows who plays how strong."""

from collections.abc import Iterator
from typing import Any

from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.commands.fields import operand
from pbm.commands.words import GameName
from pbm.events import Answered, Event
from pbm.plain import to_plain
from pbm.play.ratings import at, shown
from pbm.rules.registry import game_named
from pbm.store.values.ratings import Pool, Rating

_MOST = 20  # players of each kind of game
_COUNTED = 1000  # players before one's own place; beyond that nobody counts


class Standings(Command):
    """List the players with the highest ratings, and your own place.

    There is one list for games of two players, one for three and more, and one for teams. A rating
    is a number: whoever has none yet counts as 1500, and a win against somebody stronger raises it
    more. Behind it stands by how much it may be off, which grows in months without a game. A `?`
    says that this is much, since few games are known.

    All finished games count in which everybody has moved, but for those that were begun with
    `-unrated`. With more than two players your place in the game counts, not only who has won: who
    left the game comes after those who stayed, the first who left last. Where several of your games
    run out of time without a move of yours between them, the first alone costs you rating.
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
        told = {"title": f"the standings of {info.title}", "lists": lists, "game": info.title}
        yield Answered("standings", told)


def _listed(context: Context, game: str, pool: Pool) -> dict[str, Any] | None:
    ratings, actor = context.work.ratings, context.actor
    best = ratings.best(game, pool, _MOST)
    if not best:
        return None
    handles = context.work.players.handles_of(dict(best))
    rows = [
        _row(context, str(place), handles[player_id], rating)
        for place, (player_id, rating) in enumerate(best, 1)
    ]
    if actor and actor.id not in handles:
        mine = ratings.current(game, pool, [actor.id])
        rows += [
            _row(context, place_in(context, game, pool, actor.id, rating), actor.handle, rating)
            for rating in mine.values()
        ]
    return {"pool": pool.value, "rows": rows}


def place_in(context: Context, game: str, pool: Pool, player_id: int, rating: Rating) -> str:
    """A player's place in the standings, as it is told."""
    ahead = context.work.ratings.ahead(game, pool, player_id, rating, _COUNTED)
    return f">{_COUNTED}" if ahead == _COUNTED else str(ahead + 1)


def _row(context: Context, place: str, handle: str, rating: Rating) -> dict[str, Any]:
    return {"place": place, "handle": handle, **told_rating(context, rating)}


def told_rating(context: Context, rating: Rating) -> dict[str, Any]:
    """A rating as it is by now, for a template."""
    now = at(rating, context.now)
    return {"games": rating.games, **to_plain(shown(now.mu, now.sigma))}
