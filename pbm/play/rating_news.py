"""News for players after an upgrade that recounted all ratings."""

from collections.abc import Iterator

from pbm.events.board import RatingsRecounted, RecountedRating
from pbm.play.ratings import STALE, shown
from pbm.rules.registry import game_named, games
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player


def take_rating_news(work: UnitOfWork, board_id: int, player: Player) -> Iterator[RatingsRecounted]:
    """Take the news of recounted ratings for a player's next mail; empty until the recount is
    done, or if the ratings have not changed."""
    if not player.rating_news or work.facts.find(STALE) is not None:
        return
    work.players.set_rating_news(player.id, None)
    now = {key: shown(*item).number for key, item in _known(work, player).items()}
    changed = tuple(
        RecountedRating(_title(game), pool, number, now.get((game, pool)))
        for game, pool, number in player.rating_news
        if game in games() and number != now.get((game, pool))
    )
    if changed:
        yield RatingsRecounted(board_id, changed)


def _known(work: UnitOfWork, player: Player) -> dict[tuple[str, str], tuple[float, float]]:
    found = work.ratings.of_player(player.id)
    return {(game, pool.value): (item.mu, item.sigma) for (game, pool), item in found.items()}


def _title(game: str) -> str:
    """The game's title if several are installed, else empty."""
    return game_named(game).info.title if len(games()) > 1 else ""
