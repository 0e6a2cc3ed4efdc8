"""The challenges of a player that wait for somebody's yes, as lists show them."""

from typing import Any

from pbm.commands.context import Context
from pbm.rules.registry import game_named
from pbm.store.values.challenges import PendingChallenge


def pending_challenges(context: Context) -> list[dict[str, Any]]:
    """Those that the speaker has sent, and those that the speaker was asked about."""
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
