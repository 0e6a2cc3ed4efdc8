"""The command that shows who plays how strong."""

from collections.abc import Iterator
from typing import Any

from pbm.commands.context import Context
from pbm.commands.declare import Command
from pbm.events import Answered, Event
from pbm.plain import to_plain
from pbm.play.ratings import at, shown
from pbm.store.values import Pool, Rating

_MOST = 20  # players of each kind of game


class Standings(Command):
    """List the players with the highest ratings.

    There is one list for games of two players, one for three and more, and one for teams. A rating
    is a number: whoever has none yet counts as 1500, and a win against somebody stronger raises it
    more. Behind it stands by how much it may be off. A `?` says that few games are known so far.

    All finished games count in which everybody has moved, but for those that were begun with
    `-unrated`.
    """

    words = ("standings", "ratings")
    group = "look"
    examples = ("standings",)
    reads_only = True

    def run(self, context: Context) -> Iterator[Event]:
        """Answer with the lists of a game."""
        info = self.game.info
        lists = [found for pool in Pool if (found := _listed(context, info.name, pool))]
        told = {"title": f"the standings of {info.title}", "lists": lists, "game": info.title}
        yield Answered("standings", told)


def _listed(context: Context, game: str, pool: Pool) -> dict[str, Any] | None:
    best = context.work.ratings.best(game, pool, _MOST)
    if not best:
        return None
    handles = {player.id: player.handle for player in context.work.players.some(dict(best))}
    rows = [
        _row(context, place, handles[player_id], rating)
        for place, (player_id, rating) in enumerate(best, 1)
    ]
    own = context.actor.id if context.actor else None
    if context.actor and own not in handles:
        mine = context.work.ratings.current(game, pool, [context.actor.id])
        rows += [_row(context, None, context.actor.handle, rating) for rating in mine.values()]
    return {"pool": pool.value, "rows": rows}


def _row(context: Context, place: int | None, handle: str, rating: Rating) -> dict[str, Any]:
    now = at(rating, context.now)
    number = to_plain(shown(now.mu, now.sigma))
    return {"place": place, "handle": handle, "games": rating.games, **number}
