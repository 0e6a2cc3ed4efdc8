"""News of boards that wait for a later mail: a digest, or one mail at the next full hour.

For readers without digests, the mails that others cause are limited. News over this limit are kept
for the next full hour. When it becomes a reader's turn, the first mail about it is exempt.

Mails can also be delayed, which means that they are in the outbox but are due later. Some are
delayed until a robot has answered. Others are delayed while their reader is unreachable. If a new
mail about a board is written, it replaces a mail that waits for a robot, and tells the news of
both.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from pbm.commands.turn import Turn
from pbm.events import BoardEvent, MovePlayed
from pbm.events.board import BoardStarted, TakebackDone
from pbm.play.clocks.waits import wait_of
from pbm.play.digests import LEFT_AFTER, next_digest, next_hour
from pbm.play.happened import waiting_events
from pbm.play.limits import PICTURED, SENT, take_mails
from pbm.service.telling.readers import Reader, handles_on, size_of, told_of
from pbm.store.values.boards import Board
from pbm.store.values.happened import Waiting
from pbm.store.values.mails import News, OutboxMail
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

MOST_KEPT = 20_000  # characters about one board
SOON = timedelta(minutes=5)  # delay of a mail that collects news of several boards
SHORTEST, LONGEST = timedelta(days=1), timedelta(days=7)  # delays for unreachable readers


def decide(
    turn: Turn, board: Board, readers: Sequence[Reader], events: Sequence[BoardEvent]
) -> None:
    """Decide which readers are told later, and whose mails have a small picture.

    Timers are set for what does not wait for a digest. What replaces a delayed mail goes out now.
    """
    may_wait = [reader for reader in readers if not reader.delayed]
    for reader in may_wait:
        player = reader.player
        if player.settings.wants_digests and not reader.is_sender:
            reader.is_later = _can_wait(turn, player, board) and _has_room(reader)
        if reader.is_joint and not reader.is_later and _has_room(reader):
            _tell_later(turn, board, reader, turn.now + SOON)
    counted = [
        reader.player.id
        for reader in may_wait
        if not (reader.is_later or reader.is_sender)
        and not _is_exempt(turn, board, reader.player, events)
    ]
    may_be = take_mails(turn.work, counted, turn.now) if counted else {}
    for reader in may_wait:
        number = reader.player.id
        if number in may_be:
            reader.is_small = may_be[number] < PICTURED
        elif number in counted:
            _tell_later(turn, board, reader, next_hour(turn.now))
        elif len(board.seats) > 2 and not (reader.is_later or reader.is_sender):
            # Two players are spared the query.
            reader.is_small = SENT.left(turn.work, turn.now, number) < PICTURED


def _has_room(reader: Reader) -> bool:
    waiting = reader.waiting.waiting if reader.waiting else 0
    return waiting + size_of(reader.told) <= MOST_KEPT


def _tell_later(turn: Turn, board: Board, reader: Reader, at: datetime) -> None:
    """Set a timer for `at` that mails a reader what waits."""
    reader.is_later, number = True, reader.player.id
    kept = TimerKind.KEPT_NEWS, f"{number}.{board.id}"
    turn.work.timers.set(*kept, turn.now, at, board_id=board.id, player_id=number)


def waiting_news(turn: Turn, board: Board, reader: Waiting) -> News:
    """Return the news of a board of which a reader is still to be told; long news is shortened."""
    events = waiting_events(turn.work, board.id, reader)
    told = told_of(events, reader.player_id, handles_on(turn.work, board), MOST_KEPT)
    return News(known_ply(board, events), told)


def known_ply(board: Board, events: Sequence[BoardEvent]) -> int:
    """Return the last ply before events that was not taken back."""
    plies = [event.ply for event in events if isinstance(event, MovePlayed | TakebackDone)]
    return min(plies, default=board.ply + 1) - 1


def take_waiting(turn: Turn, player: Player, board: Board) -> list[News]:
    """Return the news of a board that waits for a player, who counts as told of it."""
    reader = turn.work.readers.waiting(board.id).get(player.id)
    if reader is None:
        return []
    turn.work.readers.tell(board.id, [player.id])
    return [waiting_news(turn, board, reader)]


def with_news(view: dict[str, Any], news: Iterable[News]) -> dict[str, Any]:
    """Return a copy of a board's view that tells older news, too, before the view's own news."""
    before = [item.told for item in news]
    not_shown = {author: 1 for told in (*before, view) for author in told.get("not_shown", ())}
    return {
        **view,
        "lead": [fact for told in before for fact in told["lead"]] + view["lead"],
        "comments": [said for told in before for said in told["comments"]] + view["comments"],
        **{key: told[key] for told in before for key in told.keys() & {"renamed"}},
        "saved": sum(told.get("saved", 0) for told in (*before, view)),
        **({"not_shown": [*not_shown]} if not_shown else {}),
    }


def _can_wait(turn: Turn, player: Player, board: Board) -> bool:
    """Return whether a board's news can wait for the player's next digest."""
    seat = board.to_move
    if seat is None or seat.player_id != player.id:
        # News of an open offer cannot wait, since the player to move can end it by moving.
        return not any(player.id in waiting for waiting in board.open_offers.values())
    wait = wait_of(turn.work, board, turn.now)
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
    return turn.work.outbox.take_awaiting(board.id, people, turn.now)


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
