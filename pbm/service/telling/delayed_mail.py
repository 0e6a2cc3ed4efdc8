"""Delayed mails: for a robot's answer in the same mail, or for an unreachable reader.

A mail delayed for a robot is an outbox row, due when the robot's time is over. A mail written about
the board before then replaces it, and includes its news.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from pbm.play.turn import Turn
from pbm.store.queues.kept_news import AwaitingMail
from pbm.store.values.boards import Board
from pbm.store.values.mails import News
from pbm.store.values.players import Player

SHORTEST, LONGEST = timedelta(days=1), timedelta(days=7)


def waits_until(turn: Turn, board: Board, mail: AwaitingMail | None) -> datetime | None:
    """Due time of a mail about a board on which a robot is to act; None without one.

    A mail that replaces another is not due later than that one.
    """
    if not _robot_is_due(board) or not turn.site.robot_seconds:
        return None
    return mail.due_at if mail else turn.now + timedelta(seconds=turn.site.robot_seconds)


def replaced_mails(
    turn: Turn, board: Board, readers: Sequence[Player]
) -> Mapping[int, AwaitingMail]:
    """Take this board's mails that are delayed for a robot out of the outbox.

    Returns those to the `readers`, by the players' numbers.
    """
    if not any(seat.robot for seat in board.seats):
        return {}
    people = [player for player in readers if player.addresses]
    return turn.work.awaiting.take(board.id, people, turn.now)


def news_of(mail: AwaitingMail) -> News:
    """The news of a delayed mail, for the one that replaces it."""
    moves = [item["ply"] for item in mail.params["happened"] if "ply" in item]
    after = min(moves) - 1 if moves else mail.params["ply"]
    return News(after, mail.params, 0, mail.written_at)


def _robot_is_due(board: Board) -> bool:
    """Whether a robot is to move or to answer."""
    if board.to_move and board.to_move.robot:
        return True
    robots = {seat.player_id for seat in board.seats if seat.robot}
    return any(map(robots.intersection, board.open_offers.values()))


def deferred_until(player: Player, now: datetime) -> datetime | None:
    """When the next board mail may go to a player whose mail bounces; None for at once.

    The backoff is a day after the first bounce and grows to a week, without an end.
    """
    if player.unreachable_since is None or player.bounced_at is None:
        return None
    pause = player.bounced_at - player.unreachable_since
    until = player.bounced_at + min(max(pause, SHORTEST), LONGEST)
    return until if until > now else None
