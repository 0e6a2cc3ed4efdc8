"""Seeks and pending challenges, as lists show them."""

from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from pbm.commands.language.context import Context
from pbm.play.ratings import RatingShown
from pbm.play.seeks import ratings_for, seeks_to_join
from pbm.rules.registry import game_named
from pbm.store.values.asking import PendingChallenge, Seek
from pbm.store.values.players import Pool

_MOST_OFFERED = 5  # to a newcomer


def pending_challenges(context: Context) -> list[dict[str, Any]]:
    """The pending challenges that the speaker has sent or was asked about."""
    found = context.work.challenges.of_player(context.player.id, context.turn.arrived)
    return [_listed(challenge, context.player.id) for challenge in found]


def _listed(challenge: PendingChallenge, player_id: int) -> dict[str, Any]:
    own = challenge.by_id == player_id
    return {
        "title": game_named(challenge.setup["game"]).info.title,
        "inviter": None if own else challenge.handle_of(challenge.by_id),
        "to_you": player_id in challenge.waiting,
        "waiting": [challenge.handle_of(other) for other in challenge.waiting],
        "until": f"{challenge.expires_at:%Y-%m-%d}",
    }


def own_seeks(context: Context) -> list[dict[str, Any]]:
    """The speaker's open seeks."""
    own = context.work.seeks.of_player(context.player.id)
    return seeks_data(context, [seek for seek in own if seek.wish.is_installed])


def offered(context: Context) -> list[dict[str, Any]]:
    """A few seeks that the speaker, a newcomer, can join."""
    can, *_ = seeks_to_join(context.work, context.player, context.now, _MOST_OFFERED)
    return seeks_data(context, can)


def seeks_data(context: Context, seeks: Sequence[Seek]) -> list[dict[str, Any]]:
    """Seeks as a list shows them, with dates in the speaker's time zone."""
    alike: dict[tuple[str, Pool], list[Seek]] = {}
    for seek in seeks:
        alike.setdefault((seek.wish.game, seek.wish.pool), []).append(seek)
    ratings: dict[int, RatingShown] = {}
    for same in alike.values():
        makers = {seek.maker.player_id for seek in same}
        rated = ratings_for(context.work, same[0].wish, makers, context.now)
        ratings |= {seek.id: rated[seek.maker.player_id] for seek in same}
    return [_told(context, seek, ratings[seek.id]) for seek in seeks]


def _told(context: Context, seek: Seek, rating: RatingShown) -> dict[str, Any]:
    zone = ZoneInfo(context.player.settings.timezone)
    return {
        "number": seek.id,
        "by": seek.maker.handle,
        "own": seek.maker.player_id == context.player.id,
        "rating": rating.number,
        "provisional": rating.provisional,
        "game": game_named(seek.wish.game).info.title,
        "players": seek.wish.players,
        "waiting": [one.handle for one in seek.waiting],
        "wishes": list(seek.wish.wishes),
        "least": seek.wish.least,
        "most": seek.wish.most,
        "pairs": seek.wish.pairs,
        "until": f"{seek.expires_at.astimezone(zone):%Y-%m-%d}",
    }
