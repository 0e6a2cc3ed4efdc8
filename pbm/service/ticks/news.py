"""Timer handlers for news.

They mail news that was kept for later, and tell opponents of a player's bounces and vacations.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from pbm.clock import local_time
from pbm.events.board import AccountNews, PlayerAway, PlayerBack, PlayerReachable, PlayerUnreachable
from pbm.play import broadcasts
from pbm.play.clocks.vacations import NOTICE_AFTER, beginning_of, today_in, today_of
from pbm.play.clocks.waits import wait_of
from pbm.play.digests import latest_digest, next_digest, next_hour
from pbm.play.limits import ACCOUNT_NEWS
from pbm.play.subjects import games_subject
from pbm.service.post.bounces import LASTED, REACHABLE
from pbm.service.telling.announce import shown_to
from pbm.service.telling.claims import DIGEST_EVERY, tell_unanswered
from pbm.service.telling.later import deferred_until, take_waiting, with_news
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.ticks.tick import Tick, announce_several
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.mails import Kind
from pbm.store.values.players import Player, Vacation
from pbm.store.values.queues import TimerKind

_Fact = Callable[[int], AccountNews]  # of a board
_AT_ONCE = 10  # boards in one transaction
_DROPPED = "the vacation was dropped"
_NEXT_BATCH_AFTER = timedelta(milliseconds=200)  # lets turns run between
_NEXT_MAIL_AFTER = timedelta(seconds=1)  # lets turns run between
_A_TURN_IS_OVER = timedelta(minutes=10)  # by then no turn uses the old settings
_MOST_DRAWN = 12  # boards with a drawing in a digest
_MOST_CHARACTERS, _OF_A_DRAWN_ONE, _OF_ANOTHER = 60_000, 3_000, 300  # in the text part


def tell_reachability(tick: Tick) -> str | datetime:
    """Tell opponents that mail to a player bounces or arrives again, unless this has changed."""
    what = tick.timer.about.split(".")[1]
    player = tick.player
    since = player.unreachable_since
    if not player.is_active or (since is None) != (what == REACHABLE):
        return f"it did not last with {player.handle}"
    if since is not None and tick.now < since + LASTED:  # mail has come back again
        return since + LASTED
    fact = PlayerUnreachable if since else PlayerReachable
    waiting = tick.work.boards.to_move(player.id)
    _tell_who_waits(tick, player, waiting, lambda number: fact(number, player.id))
    return f"told that {player.handle} is {what}"


def _tell_who_waits(tick: Tick, player: Player, boards: Collection[int], fact: _Fact) -> None:
    """Announce a fact about the player on some of these boards. A new timer handles the others."""
    stem, after = tick.timer.about.rsplit(".", 1)
    left = sorted(number for number in boards if number > int(after))
    some = left[:_AT_ONCE]
    told = [
        number
        for number in some
        if ACCOUNT_NEWS.take(tick.work, tick.now, number, player.id, wait=False)
    ]
    announce_several(tick, [fact(number) for number in told], but=player.id)
    if len(left) > len(some):
        kind, then = TimerKind(tick.timer.kind), tick.now + _NEXT_BATCH_AFTER
        tick.work.timers.set(kind, f"{stem}.{some[-1]}", tick.now, then, player_id=player.id)


def tell_vacation_begun(tick: Tick) -> str | datetime:
    vacation, player = _vacation_of(tick)
    if vacation is None or not player.is_active:
        return _DROPPED
    first, last = vacation.first_day, vacation.last_day
    today = today_in(vacation, player, tick.now)
    if today < first:  # the player has moved to another time zone
        return beginning_of(first, player) + NOTICE_AFTER
    if today >= last:
        return f"the vacation of {player.handle} is over, or nearly"
    told = player.id, str(first), str(last)
    # Boards with an automatic vacation right before it were told when this one ends.
    known = [
        item.board_id
        for item in tick.work.vacations.of_player(player.id, first - timedelta(days=1))
        if item.id > vacation.id and item.first_day < first
    ]
    return _tell_of(tick, vacation, player, lambda number: PlayerAway(number, *told), but=known)


def tell_vacation_ended_early(tick: Tick) -> str | datetime:
    vacation, player = _vacation_of(tick)
    if vacation is None or not player.is_active:
        return _DROPPED
    today = today_of(player, tick.now)
    vacations = tick.work.vacations.of_player(player.id, today)
    if any(item.first_day <= today < item.last_day for item in vacations):
        return f"{player.handle} is away again"
    return _tell_of(tick, vacation, player, lambda number: PlayerBack(number, player.id))


def _vacation_of(tick: Tick) -> tuple[Vacation | None, Player]:
    number, _, _ = tick.timer.about.partition(".")
    return tick.work.vacations.find(int(number)), tick.player


def _tell_of(
    tick: Tick, vacation: Vacation, player: Player, fact: _Fact, but: Collection[int | None] = ()
) -> str:
    boards = [
        number
        for number in tick.work.boards.to_move(player.id)
        if vacation.board_id in (None, number) and number not in but
    ]
    _tell_who_waits(tick, player, boards, fact)
    return f"told of the vacation of {player.handle}"


def send_digest(tick: Tick) -> str | datetime:
    """Write a player's digest of the news stored since the last one, and schedule the next."""
    player = tick.work.players.find(tick.timer.player_id or 0)
    if player is None or not player.addresses:
        _forget(tick.work, tick.timer.player_id or 0)
        return "nobody gets digests there any more"
    wanted, now = player.settings.wants_digests, tick.now
    until = latest_digest(player.settings, now) if wanted else now
    sizes = tick.work.readers.boards(player.id, until)
    waits = deferred_until(player, now)
    if waits is None and _write_digest(tick, player, sizes):
        return now + _NEXT_MAIL_AFTER
    if wanted:
        # For an unreachable player, news are collected until the next mail may go out.
        return next_digest(player.settings, max(waits or now, now))
    if not sizes and now - tick.timer.set_at >= _A_TURN_IS_OVER:
        return f"{player.handle} gets no digests any more"
    return max(waits or now, now + _A_TURN_IS_OVER)


def tell_claims(tick: Tick) -> str | datetime:
    """Tell a player of mails in the player's name that got no answer, once a day."""
    player = tick.work.players.find_locked(tick.timer.player_id or 0)
    if player is None or not tell_unanswered(tick, player):
        return "no mail of theirs was left unanswered"
    return tick.now + DIGEST_EVERY


def send_broadcast(tick: Tick) -> str | datetime:
    """Mail what the operator writes to some more players, and the others later."""
    section, readers, more = broadcasts.next_readers(tick.work, tick.now)
    ends = broadcasts.UNSUBSCRIBED
    for player in readers:
        MailWriter(tick).to_many(player, [section], Kind.BROADCAST, ends, name=broadcasts.LIST)
    return tick.now + broadcasts.EVERY if more else f"a broadcast to {len(readers)} players"


def tell_of_restore(tick: Tick) -> str | datetime:
    """Mail players with boards in progress how these stand since the restore.

    Each has a timer of their own, since what is damaged may keep one from being told.
    """
    work, timer = tick.work, tick.timer
    if timer.about:
        return _tell_of_restore(tick, tick.player)
    found = work.players.who_play(timer.player_id or 0, most=1)
    if not found:
        return "all players are told of the restore"
    (number,) = found
    own = TimerKind.RESTORED, str(number)
    work.timers.set(*own, tick.now, tick.now, player_id=number, since=timer.since)
    work.timers.change(timer.id, player_id=number)  # the last one who has a timer
    return tick.now + _NEXT_BATCH_AFTER


def _tell_of_restore(tick: Tick, player: Player) -> str:
    if not player.addresses:
        return f"{player.handle} has no address"
    boards, most = tick.work.boards, _MOST_DRAWN
    newest = (board.id for board in boards.of_player(player.id, playing=True, most=most + 1))
    numbers = [*dict.fromkeys([*boards.to_move(player.id), *newest])]
    locked = {it: boards.get(it, lock=True) for it in sorted(numbers[:most])}
    shown = [
        _view(tick, player, locked[it], drawn=True)
        for it in numbers[:most]
        if locked[it].is_readable
    ]
    section = {
        "section": "restored",
        "since": local_time(tick.timer.since, player.settings.timezone),
        "boards": shown,
        "more": len(numbers) > most,
        "damaged": [it for it, board in locked.items() if not board.is_readable],
    }
    MailWriter(tick).answer(player, [section], kind=Kind.BROADCAST, shown=shown)
    return f"told {player.handle} of the restore"


def tell_kept_news(tick: Tick) -> str | datetime:
    work, number = tick.work, tick.timer.player_id or 0
    # The player's or board's lock keeps others from adding news for this timer while it ends.
    if tick.timer.board_id is None:
        work.players.lock(number)
    player = work.players.find(number)
    if player is None or not player.addresses:
        _forget(work, number)
        return "nobody is told there any more"
    waits, later = deferred_until(player, tick.now), next_hour(tick.now)
    if waits is not None:
        return waits
    if _write_digest(tick, player, work.readers.boards(number, tick.timer.due_at)):
        return later
    board = work.boards.find(tick.timer.board_id or 0, lock=True)
    if board and number in work.readers.waiting(board.id):
        return later
    return f"told {player.handle} what was kept"


def _forget(work: UnitOfWork, player_id: int) -> None:
    work.readers.forget(player_id)
    work.kept_notices.take(player_id)


def _write_digest(tick: Tick, player: Player, sizes: Mapping[int, int]) -> bool:
    """Mail the kept news of boards; return True if some boards are left for another mail."""
    found = [board for board in tick.work.boards.get_many(sorted(sizes)) if board.is_installed]
    boards = sorted(found, key=lambda board: _urgency(tick, player, board))
    numbers = _boards_that_fit(boards, sizes)
    locked = {number: tick.work.boards.get(number, lock=True) for number in sorted(numbers)}
    notices = tick.work.kept_notices.take(player.id)
    shown = [
        _view(tick, player, locked[number], drawn=place < _MOST_DRAWN)
        for place, number in enumerate(numbers)
    ]
    if len(shown) == 1 and not notices:
        MailWriter(tick).board(player, locked[numbers[0]], shown[0])
    elif shown or notices:
        waiting = tick.work.boards.to_move(player.id)
        section = {
            "section": "digest",
            "boards": shown,
            "also": len(set(waiting).difference(view["number"] for view in shown)),
            "notices": notices,
            "more": len(boards) - len(shown),
            "wanted": player.settings.wants_digests,
        }
        own = sum(view["yours"] for view in shown) or "none"
        of_boards = f"news of {len(shown)}, your move on {own}"
        subject = games_subject([None], of_boards if shown else "news")
        MailWriter(tick).answer(player, [section], subject=subject, kind=Kind.DIGEST, shown=shown)
    return len(shown) < len(boards)


def _boards_that_fit(boards: list[Board], sizes: Mapping[int, int]) -> list[int]:
    """Return the numbers of the first boards that fit into one mail, at least one."""
    some: list[int] = []
    room = _MOST_CHARACTERS
    for board in boards:
        room -= sizes[board.id] + (_OF_A_DRAWN_ONE if len(some) < _MOST_DRAWN else _OF_ANOTHER)
        if some and room < 0:
            break
        some.append(board.id)
    return some


def _view(tick: Tick, player: Player, board: Board, *, drawn: bool) -> dict[str, Any]:
    """Return a board's view for a digest, with the news that waits; the player is told of it."""
    news = take_waiting(tick, player, board)
    view = shown_to(tick, player, board, after=news[0].after_ply if news else None)
    pictured = {} if view["yours"] else {"picture": None}
    return {**with_news(view, news), **pictured, "drawn": drawn}


def _urgency(tick: Tick, player: Player, board: Board) -> tuple[bool, bool, float, int]:
    """Return a sort key: the player's turns by deadline, then finished boards, then others."""
    seat = board.to_move
    if seat is None or seat.player_id != player.id:
        return True, board.playing, 0.0, board.id
    wait = wait_of(tick.work, board, tick.now)
    ends_at = wait.ends_at.timestamp() if wait and wait.ends_at else float("inf")
    return False, False, ends_at, board.id
