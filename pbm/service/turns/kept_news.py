"""What waits for a player's digest, instead of coming as a mail of its own, and how it is told.

What cannot wait comes at once: whatever the reader's own mail brings about, an offer to the reader
that somebody else may end meanwhile, a move whose clock would run out soon after the digest.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pbm.events import Event, MovePlayed
from pbm.play.clocks.waits import wait_of
from pbm.play.digests import LEFT_AFTER, next_digest
from pbm.play.offers import open_offers, waiting_for
from pbm.play.turn import Turn
from pbm.store.values.boards import Board
from pbm.store.values.mails import News
from pbm.store.values.players import Player

MOST_KEPT = 20_000  # characters about one board: what is longer is told at once


def keep_for_digests(
    turn: Turn,
    board: Board,
    players: Sequence[Player],
    events: Iterable[Event],
    told: Mapping[int, dict[str, Any]],
) -> list[Player]:
    """Keep what happened on a board for those whom a digest tells it; return the others.

    `told` is what each player is told, by their numbers.
    """
    waiting = [player.id for player in players if _can_wait(turn, player, board)]
    if not waiting:
        return list(players)
    kept, until = turn.work.kept_news, _told_until(board, events)
    sizes = kept.sizes(waiting, board.id)
    later = set[int]()
    for plain, readers in _alike(waiting, told).items():
        room = MOST_KEPT - len(plain)
        among = [number for number in readers if sizes.get(number, 0) <= room]
        kept.keep(among, board.id, News(until, told[readers[0]], len(plain), turn.now))
        later |= set(among)
    return [player for player in players if player.id not in later]


def _alike(numbers: Iterable[int], told: Mapping[int, dict[str, Any]]) -> dict[str, list[int]]:
    """Those who are told the same, by that in JSON: what somebody has blocked is left out there."""
    found: dict[str, list[int]] = {}
    for number in sorted(numbers):
        found.setdefault(json.dumps(told[number]), []).append(number)
    return found


def with_kept(turn: Turn, player: Player, board: Board, view: dict[str, Any]) -> dict[str, Any]:
    """What a mail shows of a board, with all that was kept for a digest, which then tells it no
    more."""
    return with_news(view, turn.work.kept_news.take(player.id, board.id))


def with_news(view: dict[str, Any], news: Iterable[News]) -> dict[str, Any]:
    """What a mail shows of a board, with news above what it tells already."""
    before = [item.told for item in news]
    return {
        **view,
        "lead": [fact for told in before for fact in told["lead"]] + view["lead"],
        "comments": [said for told in before for said in told["comments"]] + view["comments"],
        **_not_shown([*before, view]),
    }


def _not_shown(told: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Of whom there are words that the reader has blocked, where there are any."""
    handles = [handle for item in told for handle in item.get("not_shown", ())]
    return {"not_shown": list(dict.fromkeys(handles))} if handles else {}


def _can_wait(turn: Turn, player: Player, board: Board) -> bool:
    """Whether a player need not read of a board before the next digest."""
    if not player.settings.wants_digests or turn.wrote(player):
        return False
    seat = board.to_move
    if seat is None or seat.player_id != player.id:
        # Whoever is to move may end an offer by that.
        return not any(player.id in waiting_for(board, offer) for offer in open_offers(board))
    wait = wait_of(turn.work, board, turn.now, player)
    if wait is None or wait.ends_at is None:
        return True
    return wait.ends_at - next_digest(player.settings, turn.now) >= LEFT_AFTER


def _told_until(board: Board, events: Iterable[Event]) -> int:
    """The ply before the first of the moves that are told."""
    plies = [
        event.ply
        for event in events
        if isinstance(event, MovePlayed) and event.board_id == board.id
    ]
    return min(plies, default=board.ply + 1) - 1
