"""News of boards that wait for a later mail: a digest, or one mail at the next full hour.

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

from pbm.events import BoardEvent, Commented, MovePlayed
from pbm.events.board import BoardFact, BoardStarted, TakebackDone
from pbm.play.clocks.waits import wait_of
from pbm.play.digests import LEFT_AFTER, next_digest, next_hour
from pbm.play.happened import waiting_events
from pbm.play.limits import PICTURED, SENT, take_mails
from pbm.play.turn import Turn
from pbm.service.telling.as_data import comment_data, handles_on
from pbm.store.values.boards import Board
from pbm.store.values.happened import Waiting
from pbm.store.values.mails import News, OutboxMail
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

MOST_KEPT = 20_000  # characters about one board
SOON = timedelta(minutes=5)  # delay of a mail that collects news of several boards
SHORTEST, LONGEST = timedelta(days=1), timedelta(days=7)  # delays for unreachable readers


def when_told(
    turn: Turn,
    board: Board,
    players: Sequence[Player],
    sender: int | None,
    events: Sequence[BoardEvent],
    told: Mapping[int, dict[str, Any]],
    together: Collection[int],
    waiting: Mapping[int, Waiting],
) -> tuple[list[Player], set[int]]:
    """Return the players who are mailed a board's news now, and those with a small picture (ids).

    For the others, timers are set that tell the news later, if it does not wait for a digest.
    """

    def has_room(player: Player) -> bool:
        held = waiting.get(player.id)
        return size_of(told[player.id]) + (held.waiting if held else 0) <= MOST_KEPT

    later = {
        player.id
        for player in players
        if player.settings.wants_digests
        and player.id != sender
        and _can_wait(turn, player, board)
        and has_room(player)
    }
    soon = {
        item.id
        for item in players
        if item.id in together and item.id not in later and has_room(item)
    }
    _tell_at(turn, board, soon, turn.now + SOON)
    later |= soon
    counted = [
        player.id
        for player in players
        if player.id not in later
        and player.id != sender
        and not _is_exempt(turn, board, player, events)
    ]
    may_be = take_mails(turn.work, counted, turn.now) if counted else {}
    too_many = set(counted) - may_be.keys()
    _tell_at(turn, board, too_many, next_hour(turn.now))
    at_once = [player for player in players if player.id not in later | too_many]
    small = {number for number, left in may_be.items() if left < PICTURED}
    if len(board.seats) > 2:  # saves a query on boards of two players
        others = {player.id for player in at_once} - {sender, *counted}
        small |= {it for it in others if SENT.left(turn.work, turn.now, it) < PICTURED}
    return at_once, small


def size_of(told: dict[str, Any]) -> int:
    """Return the size of news in characters."""
    return len(json.dumps(told))


def _tell_at(turn: Turn, board: Board, player_ids: Collection[int], at: datetime) -> None:
    """Set timers for `at` that mail players the news that waits."""
    for player_id in sorted(player_ids):
        kept = TimerKind.KEPT_NEWS, f"{player_id}.{board.id}"
        turn.work.timers.set(*kept, turn.now, at, board_id=board.id, player_id=player_id)


def waiting_news(turn: Turn, board: Board, reader: Waiting) -> News:
    """Return the news of a board of which a reader is still to be told.

    Of long news only the facts are told, and who wrote comments. Of very long ones the rest is left
    out.
    """
    handle_of, size = handles_on(turn.work, board), 0
    lead, comments, not_shown = list[dict[str, Any]](), list[dict[str, Any]](), list[str]()
    events = waiting_events(turn.work, board.id, reader)
    for event in events:
        if isinstance(event, BoardFact):
            fact = event.lead(handle_of)
            size += size_of(fact)
            lead += [fact] if size <= 2 * MOST_KEPT else []
        elif isinstance(event, Commented):
            said = comment_data(event, handle_of)
            size += size_of(said)
            if event.lines and size <= MOST_KEPT:
                comments.append(said)
            else:
                not_shown.append(said["handle"])
    told: dict[str, Any] = {"lead": lead, "comments": comments, **_not_shown([], not_shown)}
    return News(_known_ply(board, events), told)


def _known_ply(board: Board, events: Sequence[BoardEvent]) -> int:
    """Return the last ply before events that was not taken back."""
    plies = [event.ply for event in events if isinstance(event, MovePlayed | TakebackDone)]
    return min(plies, default=board.ply + 1) - 1


def with_waiting(turn: Turn, player: Player, board: Board, view: dict[str, Any]) -> dict[str, Any]:
    """Return a board's view with the news that waits for a player, who counts as told of it."""
    reader = turn.work.readers.waiting(board.id).get(player.id)
    if reader is None:
        return view
    turn.work.readers.tell(board.id, [player.id])
    return with_news(view, [waiting_news(turn, board, reader)])


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


def _not_shown(told: Iterable[dict[str, Any]], others: Iterable[str] = ()) -> dict[str, Any]:
    """Return {"not_shown": authors of the comments that were left out}; {} if there are none."""
    handles = [*others, *(handle for item in told for handle in item.get("not_shown", ()))]
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
    return News(after, mail.params)


def deferred_until(player: Player, now: datetime) -> datetime | None:
    """Return when to send the next board mail to a player whose mail bounces; None means now."""
    if player.unreachable_since is None or player.bounced_at is None:
        return None
    pause = player.bounced_at - player.unreachable_since
    until = player.bounced_at + min(max(pause, SHORTEST), LONGEST)
    return until if until > now else None
