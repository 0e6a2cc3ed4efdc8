"""Kept news: events on a board, kept for a digest instead of being mailed at once.

A reader with digests gets at once only the effects of an own mail, offers that somebody else may
end meanwhile, and moves whose clock would run out soon after the digest. Mails that others cause to
a reader are limited by `SENT`, except the first of each turn of the reader. The rest is kept, too,
and comes as one mail on the next full hour.

A mail may also be delayed, as an outbox row due later: for a robot's answer, or for an unreachable
reader. A mail written about the board before the robot's time is over replaces it, with its news.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from pbm.events import BoardEvent
from pbm.play.clocks.waits import wait_of
from pbm.play.digests import LEFT_AFTER, next_digest, next_hour
from pbm.play.limits import PICTURED, WAS_TOO_MUCH, is_pictured, take_mails
from pbm.play.turn import Turn
from pbm.store.values.boards import Board
from pbm.store.values.mails import News, OutboxMail
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

MOST_KEPT = 20_000  # characters about one board
SOON = timedelta(minutes=5)  # delay, so that one mail tells of several boards
SHORTEST, LONGEST = timedelta(days=1), timedelta(days=7)  # delays for the unreachable
_TWO = 2  # seats


def keep_for_digests(
    turn: Turn,
    board: Board,
    players: Sequence[Player],
    sender: int | None,
    events: Sequence[BoardEvent],
    told: Mapping[int, dict[str, Any]],
    together: Collection[int],
) -> tuple[list[Player], set[int], set[int]]:
    """Keep news of a board for those who get it with a digest.

    Returns the other readers, and the numbers of those who may have kept news, and of those who get
    no picture. `sender` is the number of the player whose mail it is. Readers of several boards,
    `together`, get one mail a little later. `told` has facts and comments by the player's number.
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
        and not _comes_in_any_case(turn, board, player, events)
    ]
    may_be = take_mails(turn.work, counted, turn.now) if counted else {}
    too_many = set(counted) - may_be.keys()
    if too_many:
        _keep(turn, board, too_many, events, told, shortened=True)
        later |= _tell_soon(turn, board, too_many, next_hour(turn.now))
    at_once = [player for player in players if player.id not in later]
    may_have_kept = {number for number, left in may_be.items() if left <= WAS_TOO_MUCH}
    plain = {number for number, left in may_be.items() if left < PICTURED}
    if len(board.seats) > _TWO:  # a turn of two players costs no query
        others = {player.id for player in at_once} - {sender, *counted}
        plain |= {it for it in others if not is_pictured(turn.work, it, turn.now)}
    return at_once, wanting - later | may_have_kept, plain


def _keep(
    turn: Turn,
    board: Board,
    numbers: Collection[int],
    events: Sequence[BoardEvent],
    told: Mapping[int, dict[str, Any]],
    *,
    shortened: bool = False,
) -> set[int]:
    """Keep news for some players; return those with room for it.

    If `shortened`, all have room: words that are too long are left out, but for the author.
    """
    later = set[int]()
    plies = [event.played_ply for event in events if event.played_ply]
    kept, until = turn.work.kept_news, min(plies, default=board.ply + 1) - 1  # the last known ply
    sizes = kept.sizes(numbers, board.id)
    alike: dict[str, list[int]] = {}  # players by their news, which blocks make differ
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
    """Set timers to mail the kept news to some players."""
    for number in sorted(numbers):
        kept = TimerKind.KEPT_NEWS, f"{number}.{board.id}"
        turn.work.timers.set(*kept, turn.now, at, board_id=board.id, player_id=number)
    return numbers


def with_kept(turn: Turn, player: Player, board: Board, view: dict[str, Any]) -> dict[str, Any]:
    """Add the kept news of a board to its view; they are taken, so no digest has them."""
    return with_news(view, turn.work.kept_news.take([player.id], board.id)[player.id])


def with_news(view: dict[str, Any], news: Iterable[News]) -> dict[str, Any]:
    """Add older news before a view's own."""
    before = [item.told for item in news]
    return {
        **view,
        "lead": [fact for told in before for fact in told["lead"]] + view["lead"],
        "comments": [said for told in before for said in told["comments"]] + view["comments"],
        **_not_shown([*before, view]),
    }


def _not_shown(told: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Authors whose words are hidden, as blocked by the reader or too long."""
    handles = [handle for item in told for handle in item.get("not_shown", ())]
    return {"not_shown": list(dict.fromkeys(handles))} if handles else {}


def _can_wait(turn: Turn, player: Player, board: Board) -> bool:
    """Whether the news of a board can wait for the next digest of a player who wants it."""
    seat = board.to_move
    if seat is None or seat.player_id != player.id:
        # The player to move may end an offer by moving.
        return not any(player.id in waiting for waiting in board.open_offers.values())
    wait = wait_of(turn.work, board, turn.now, player)
    if wait is None or wait.ends_at is None:
        return True
    return wait.ends_at - next_digest(player.settings, turn.now) >= LEFT_AFTER


def _comes_in_any_case(
    turn: Turn, board: Board, player: Player, events: Sequence[BoardEvent]
) -> bool:
    """Whether a mail is exempt from the limit, as one that begins the reader's turn."""
    if any(event.exempt for event in events):
        return True
    waits = board.to_move is not None and board.to_move.player_id == player.id
    passed_on = any(event.passes_turn for event in events)
    if waits and passed_on and board.waits_since == turn.now:
        return True
    is_first_round = board.round is None or board.round.number == 1
    return is_first_round and any(event.is_challenge for event in events)


def waits_until(turn: Turn, board: Board, mail: OutboxMail | None) -> datetime | None:
    """Due time of a mail about a board on which a robot is to act; None without one."""
    robots = {seat.player_id for seat in board.seats if seat.robot}
    is_due = bool(board.to_move and board.to_move.robot)
    is_due = is_due or any(map(robots.intersection, board.open_offers.values()))
    if not is_due or not turn.site.robot_seconds:
        return None
    return mail.due_at if mail else turn.now + timedelta(seconds=turn.site.robot_seconds)


def replaced_mails(turn: Turn, board: Board, readers: Sequence[Player]) -> Mapping[int, OutboxMail]:
    """Delete this board's mails delayed for a robot; return those to `readers` by number."""
    if not any(seat.robot for seat in board.seats):
        return {}
    people = [player for player in readers if player.addresses]
    return turn.work.awaiting.take(board.id, people, turn.now)


def news_of(mail: OutboxMail) -> News:
    """The news of a delayed mail, for the one that replaces it."""
    moves = [item["ply"] for item in mail.params["happened"] if "ply" in item]
    after = min(moves) - 1 if moves else mail.params["ply"]
    return News(after, mail.params, 0, mail.written_at)


def deferred_until(player: Player, now: datetime) -> datetime | None:
    """When the next board mail may go to a player whose mail bounces; None for at once.

    The backoff is a day after the first bounce and grows to a week, without an end.
    """
    if player.unreachable_since is None or player.bounced_at is None:
        return None
    pause = player.bounced_at - player.unreachable_since
    until = player.bounced_at + min(max(pause, SHORTEST), LONGEST)
    return until if until > now else None
