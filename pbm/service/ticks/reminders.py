"""One reminder for all boards that wait for a player.

It includes reminders that would be due within a day.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbm.clock import local_time
from pbm.events.board import BoardFact, FirstMoveDue, MoveDue
from pbm.play.clocks.pauses import note_reminded
from pbm.play.clocks.terms import DECLINED_AFTER, REMINDED_AFTER
from pbm.play.clocks.waits import calendar_of, wait_of, warned_from
from pbm.play.subjects import games_subject
from pbm.service.telling.announce import shown_to
from pbm.service.telling.kept_news import with_kept
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.ticks.tick import Tick
from pbm.store.queues.timers import ALL_KEPT
from pbm.store.values.boards import Board
from pbm.store.values.mails import Kind
from pbm.store.values.players import Player
from pbm.store.values.queues import Timer, TimerKind

WARNED_BEFORE = timedelta(hours=24)  # a reminder must be delivered so long before a forfeit
SOON = timedelta(days=1)  # reminders due by then are included
_MOST_NAMED = 100  # boards, so that turns wait briefly
_MOST_SHOWN = 8  # of them, with diagrams
_NO_BOARD = 0
_REMINDER, _DECLINE = TimerKind.FIRST_MOVE_REMINDER, TimerKind.FIRST_MOVE_DECLINE


@dataclass(frozen=True)
class Awaited:
    """A move that a board waits for, and since when and by when.

    `is_first`: it is the player's first move on this board. `counts`: a reminder that names this
    move also counts as the board's own next reminder.
    """

    board: Board
    since: datetime
    by: datetime
    is_first: bool = False
    counts: bool = True


def remind(tick: Tick, player: Player, due: Awaited) -> None:
    """Remind a player of all awaited moves, the most urgent first, or of one in its thread."""
    if not player.addresses:
        return
    tick.work.players.begin_absence(player.id, tick.now)
    numbers = tick.work.boards.to_move(player.id)
    others = [*_others(tick, player, due)] if len(numbers) > 1 else []
    zone, writer = player.settings.timezone, MailWriter(tick)
    if not others:
        when = (due.board.id, local_time(due.since, zone), local_time(due.by, zone))
        fact: BoardFact = FirstMoveDue(*when) if due.is_first else MoveDue(*when)
        view = shown_to(tick, player, due.board, fact)
        writer.board(player, due.board, view, Kind.BOARD if due.is_first else Kind.REMINDER)
        return
    awaited = sorted([due, *others], key=lambda item: (item.by, item.board.id))
    shown = [item.board for item in awaited[:_MOST_SHOWN]]
    section = {
        "awaited": [
            {
                "number": item.board.id,
                "players": [one.handle for one in item.board.seats if one.player_id != player.id],
                "since": local_time(item.since, zone),
                "by": local_time(item.by, zone),
                "is_first": item.is_first,
            }
            for item in awaited
        ],
        "boards": [with_kept(tick, player, each, shown_to(tick, player, each)) for each in shown],
        "more": len(numbers) - len(awaited),
        "hidden": len(awaited) - len(shown),
    }
    subject = games_subject([None], f"{len(numbers)} wait for your move")
    counted = [item.board.id for item in awaited if item.counts]
    message_id = writer.several(Kind.REMINDERS, player, subject, "reminders", section)
    if counted:  # delivery is checked, as of a reminder of one board
        tick.work.reminders.name_boards(message_id, counted)


def tell_dates(tick: Tick) -> str:
    """Tell a player the new deadlines after a long outage, except those of first moves."""
    player = tick.player
    if not player.is_active or player.robot or player.unreachable_since:
        return f"{player.handle} gets no mail"
    found = tick.work.boards.longest_waiting(player.id, _NO_BOARD, _MOST_NAMED)
    awaited = (_move(tick, player, board) for board in found if board.is_installed)
    due = next(filter(None, awaited), None)
    if due is not None:
        remind(tick, player, due)
    return f"told {player.handle} by when moves are due"


def _others(tick: Tick, player: Player, due: Awaited) -> Iterator[Awaited]:
    """The other awaited moves of a player, except on locked boards."""
    found = tick.work.boards.longest_waiting(player.id, due.board.id, _MOST_NAMED - 1)
    boards = [board for board in found if board.is_installed]
    abouts = [board.awaited_first_move for board in boards if board.awaited_first_move]
    timers = {kind: tick.work.timers.about(kind, abouts) for kind in (_REMINDER, _DECLINE)}
    for board in boards:
        about = board.awaited_first_move
        if about is None:
            awaited = _move(tick, player, board)
        elif about in timers[_DECLINE]:
            awaited = _late_first_move(tick, player, board, timers[_DECLINE][about])
        elif about in timers[_REMINDER]:
            awaited = _first_move(tick, player, board, timers[_REMINDER][about])
        else:
            awaited = None
        if awaited is not None:
            yield awaited


def _move(tick: Tick, player: Player, board: Board) -> Awaited | None:
    """The move that a clock waits for; its reminders of the next day are marked as done."""
    wait = wait_of(tick.work, board, tick.now, player)
    if wait is None:
        return None
    times = wait.passed_by(tick.now + SOON)
    counts = times > board.reminded or (
        wait.is_over
        and not tick.work.reminders.is_under_way(player.id, board.id, warned_from(board, wait))
    )
    by = note_reminded(tick.work, board, times, tick.now) if counts else wait.ends_at
    board = tick.work.boards.get(board.id)
    return Awaited(board, wait.since, by or tick.now + WARNED_BEFORE, counts=counts)


def _first_move(tick: Tick, player: Player, board: Board, timer: Timer) -> Awaited:
    """The awaited first move; this reminder replaces one that is due within a day."""
    since, now = timer.since, tick.now
    calendar = calendar_of(tick.work, board, player, now)
    at = max(now, calendar.after(since, REMINDED_AFTER) or now + REMINDED_AFTER)
    by = calendar.after(at, DECLINED_AFTER) or at + DECLINED_AFTER
    counts = at <= now + SOON
    if counts:
        whose = {"board_id": timer.board_id, "player_id": timer.player_id}
        tick.work.timers.set(_DECLINE, timer.about, now, by + ALL_KEPT, since=at, **whose)
    return Awaited(board, since, by, is_first=True, counts=counts)


def _late_first_move(tick: Tick, player: Player, board: Board, timer: Timer) -> Awaited:
    """The first move that a board waits for, after its reminder."""
    calendar = calendar_of(tick.work, board, player, tick.now)
    by = calendar.after(timer.since, DECLINED_AFTER) or timer.since + DECLINED_AFTER
    since = board.waits_since or timer.since - REMINDED_AFTER
    return Awaited(board, since, by, is_first=True, counts=False)
