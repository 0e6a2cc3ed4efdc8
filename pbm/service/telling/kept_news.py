"""News of boards that are kept for a later mail: a digest, or one mail at the next full hour.

For readers without digests, the mails that others cause are limited. News over this limit are kept
for the next full hour. When it becomes a reader's turn, the first mail about it is exempt.

Mails can also be delayed, which means that they are in the outbox but are due later. Some are
delayed until a robot has answered. Others are delayed while their reader is unreachable. If a new
mail about a board is written, it replaces a mail that waits for a robot, and tells the news of
both.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from pbm.events import BoardEvent, MovePlayed
from pbm.events.board import BoardStarted
from pbm.play.clocks.waits import wait_of
from pbm.play.digests import LEFT_AFTER, next_digest, next_hour
from pbm.play.limits import PICTURED, SENT, WAS_TOO_MUCH, take_mails
from pbm.play.turn import Turn
from pbm.store.values.boards import Board
from pbm.store.values.mails import News, OutboxMail
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

MOST_KEPT = 20_000  # characters about one board
SOON = timedelta(minutes=5)  # delay of a mail that collects news of several boards
SHORTEST, LONGEST = timedelta(days=1), timedelta(days=7)  # delays for unreachable readers


def keep_for_digests(
    turn: Turn,
    board: Board,
    players: Sequence[Player],
    sender: int | None,
    events: Sequence[BoardEvent],
    told: Mapping[int, dict[str, Any]],
    together: Collection[int],
) -> tuple[list[Player], set[int], set[int]]:
    """Keep the news of a board for the players who are mailed it later.

    Returns the players to mail now, the ids of players who may have older kept news, and the ids of
    players whose mails have a small picture.
    """
    wanting = {item.id for item in players if item.settings.wants_digests}
    can_wait = {
        item.id
        for item in players
        if item.id in wanting and item.id != sender and _can_wait(turn, item, board)
    }
    later = _keep(turn, board, can_wait, events, told) if can_wait else set[int]()
    others = {item.id for item in players if item.id in together} - later
    if others:
        kept = _keep(turn, board, others, events, told)
        later |= _tell_soon(turn, board, kept, turn.now + SOON)
    counted = [
        player.id
        for player in players
        if player.id not in later
        and player.id != sender
        and not _is_exempt(turn, board, player, events)
    ]
    may_be = take_mails(turn.work, counted, turn.now) if counted else {}
    too_many = set(counted) - may_be.keys()
    if too_many:
        _keep(turn, board, too_many, events, told, shortened=True)
        later |= _tell_soon(turn, board, too_many, next_hour(turn.now))
    at_once = [player for player in players if player.id not in later]
    may_have_kept = {number for number, left in may_be.items() if left <= WAS_TOO_MUCH}
    small = {number for number, left in may_be.items() if left < PICTURED}
    if len(board.seats) > 2:  # saves a query on boards of two players
        others = {player.id for player in at_once} - {sender, *counted}
        small |= {it for it in others if SENT.left(turn.work, turn.now, it) < PICTURED}
    return at_once, wanting - later | may_have_kept, small


def _keep(
    turn: Turn,
    board: Board,
    numbers: Collection[int],
    events: Sequence[BoardEvent],
    told: Mapping[int, dict[str, Any]],
    *,
    shortened: bool = False,
) -> set[int]:
    """Keep news for the players `numbers`, and return the ids of those whose news was kept."""
    later = set[int]()
    plies = [event.ply for event in events if isinstance(event, MovePlayed)]
    kept, until = turn.work.kept_news, min(plies, default=board.ply + 1) - 1  # ply before the news
    sizes = kept.sizes(numbers, board.id)
    alike: dict[str, list[int]] = {}  # players by their news; these differ if somebody is blocked
    for number in sorted(numbers):
        alike.setdefault(json.dumps(told[number]), []).append(number)
    for plain, readers in alike.items():
        room = MOST_KEPT - len(plain)
        among = [number for number in readers if sizes.get(number, 0) <= room]
        kept.keep(among, board.id, News(until, told[readers[0]], len(plain), turn.now))
        later |= set(among)
        for number in set(readers) - later if shortened else ():
            writers = {"not_shown": [said["handle"] for said in told[number]["comments"]]}
            hidden = _not_shown([told[number], writers])
            short = {"lead": told[number]["lead"], "comments": [], **hidden}
            size = len(json.dumps(short))
            if sizes.get(number, 0) + size <= 2 * MOST_KEPT:
                kept.keep([number], board.id, News(until, short, size, turn.now))
            later.add(number)
    return later


def _tell_soon(turn: Turn, board: Board, numbers: set[int], at: datetime) -> set[int]:
    """Set timers for `at` that mail kept news to the players `numbers` (ids); return `numbers`."""
    for number in sorted(numbers):
        kept = TimerKind.KEPT_NEWS, f"{number}.{board.id}"
        turn.work.timers.set(*kept, turn.now, at, board_id=board.id, player_id=number)
    return numbers


def with_kept(turn: Turn, player: Player, board: Board, view: dict[str, Any]) -> dict[str, Any]:
    """Delete a player's kept news of a board, and return the board's view with these news."""
    return with_news(view, turn.work.kept_news.take([player.id], board.id)[player.id])


def with_news(view: dict[str, Any], news: Iterable[News]) -> dict[str, Any]:
    """Return a copy of a board's view that tells older news, too, before the view's own news."""
    before = [item.told for item in news]
    return {
        **view,
        "lead": [fact for told in before for fact in told["lead"]] + view["lead"],
        "comments": [said for told in before for said in told["comments"]] + view["comments"],
        **{key: told[key] for told in before for key in told.keys() & {"renamed"}},
        **_not_shown([*before, view]),
    }


def _not_shown(told: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return {"not_shown": authors of the comments that were left out}; {} if there are none."""
    handles = [handle for item in told for handle in item.get("not_shown", ())]
    return {"not_shown": list(dict.fromkeys(handles))} if handles else {}


def _can_wait(turn: Turn, player: Player, board: Board) -> bool:
    """Return whether a board's news can wait for the player's next digest."""
    seat = board.to_move
    if seat is None or seat.player_id != player.id:
        # News of an open offer cannot wait, since the player to move can end it by moving.
        return not any(player.id in waiting for waiting in board.open_offers.values())
    wait = wait_of(turn.work, board, turn.now, player)
    if wait is None or wait.ends_at is None:
        return True
    return wait.ends_at - next_digest(player.settings, turn.now) >= LEFT_AFTER


def _is_exempt(turn: Turn, board: Board, player: Player, events: Sequence[BoardEvent]) -> bool:
    if any(event.exempt for event in events):
        return True
    waits = board.to_move is not None and board.to_move.player_id == player.id
    passed_on = any(event.passes_turn for event in events)
    if waits and passed_on and board.waits_since == turn.now:
        return True
    is_first_round = board.round is None or board.round.number == 1
    begun = (event for event in events if isinstance(event, BoardStarted))
    return is_first_round and any(event.seek is None for event in begun)


def waits_until(turn: Turn, board: Board, mail: OutboxMail | None) -> datetime | None:
    """Return until when a new mail about a board waits for a robot's answer, or None.

    If the new mail replaces the waiting `mail`, it waits only as long as that one.
    """
    robots = {seat.player_id for seat in board.seats if seat.robot}
    is_due = bool(board.to_move and board.to_move.robot)
    is_due = is_due or any(map(robots.intersection, board.open_offers.values()))
    if not is_due or not turn.site.robot_seconds:
        return None
    return mail.due_at if mail else turn.now + timedelta(seconds=turn.site.robot_seconds)


def replaced_mails(turn: Turn, board: Board, readers: Sequence[Player]) -> Mapping[int, OutboxMail]:
    """Delete mails to `readers` that wait for a robot on the board; return them by player id."""
    if not any(seat.robot for seat in board.seats):
        return {}
    people = [player for player in readers if player.addresses]
    return turn.work.awaiting.take(board.id, people, turn.now)


def news_of(mail: OutboxMail) -> News:
    moves = [item["ply"] for item in mail.params["happened"] if "ply" in item]
    after = min(moves) - 1 if moves else mail.params["ply"]
    return News(after, mail.params, 0, mail.written_at)


def deferred_until(player: Player, now: datetime) -> datetime | None:
    """Return when to send the next board mail to a player whose mail bounces; None means now."""
    if player.unreachable_since is None or player.bounced_at is None:
        return None
    pause = player.bounced_at - player.unreachable_since
    until = player.bounced_at + min(max(pause, SHORTEST), LONGEST)
    return until if until > now else None
