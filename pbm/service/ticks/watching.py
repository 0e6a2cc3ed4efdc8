"""Timer handlers that tell watchers of boards, some at a time.

The transaction that writes a watcher's mail also notes up to which event the watcher was told.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from pbm.events import Commented
from pbm.play import watching
from pbm.play.happened import public_events
from pbm.play.limits import take_mails
from pbm.play.views import board_view
from pbm.service.telling.later import deferred_until, known_ply
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.telling.readers import handles_on, told_of
from pbm.service.ticks.tick import Tick
from pbm.store.values.boards import Board
from pbm.store.values.mails import Kind
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

_WATCHERS, _BOARDS = 20, 8  # in one transaction, and in one mail
_NEXT_BATCH_AFTER = timedelta(milliseconds=200)  # lets turns run between
_MOST_COMMENTS = 40
_NOBODY = 0
# Only the players learn the operator's reasons, and how they came to play.
_OF_PLAYERS = frozenset("why first_unsaid seek paired teaches lifted successor by_all".split())
_News = dict[str, Any]


def tell_watchers(tick: Tick) -> str:
    """Mail some of the watchers of a board who are told at once; a new timer does the others.

    Whoever has had too many mails, or cannot be reached, hears with the next daily mail.
    """
    number, _, after = tick.timer.about.partition(".")
    board = tick.locked_board
    if board is None or not board.is_installed:
        return "the board has gone"
    watchings = tick.work.watchings
    behind = watchings.behind(board_id=board.id, after=int(after), most=_WATCHERS)
    views = {seen: _news(tick, board, seen) for seen in {item.seen for item in behind}}
    told = {item.watcher_id: views[item.seen] for item in behind}
    people = {player.id: player for player in tick.work.players.some(told)}
    ready = [one for one, player in people.items() if told[one] and _is_reached(tick, player)]
    may_be = take_mails(tick.work, ready, tick.now) if ready else {}
    for one, player in people.items():
        if one in may_be:
            _mail(tick, player, [(board, told[one])])
        if one in may_be or not told[one]:
            watchings.tell(one, board.id, is_over=not board.playing)
    if len(behind) == _WATCHERS:
        others, then = f"{number}.{behind[-1].watcher_id}", tick.now + _NEXT_BATCH_AFTER
        tick.work.timers.set(TimerKind.WATCHERS, others, tick.now, then, board_id=board.id)
    return f"told {len(may_be)} who watch board {board.id}"


def tell_watcher(tick: Tick) -> str | datetime:
    """Mail a watcher the news of all boards, once a day."""
    work, number = tick.work, tick.timer.player_id or 0
    player, watched = work.players.find_locked(number), work.watchings.of_watcher(number)
    if player is None or not player.addresses or not watched:
        work.watchings.end(number, [])
        return "nobody watches there any more"
    later = watching.next_daily(player.settings, tick.now)
    if not _is_reached(tick, player):
        return later
    over = [item for item in watched if item.over]
    if over:
        work.watchings.end(number, [item.id for item in over])
    found = work.watchings.behind(watcher_id=number, most=_BOARDS)
    boards = {item.board_id: work.boards.get(item.board_id, lock=True) for item in found}
    # Read again, as others may have told of these boards until they were locked.
    behind = set(found) & {*work.watchings.behind(watcher_id=number, most=_BOARDS)}
    told = [(boards[item.board_id], item) for item in sorted(behind) if item.board_id in boards]
    news = [(board, _news(tick, board, item.seen)) for board, item in told if board.is_installed]
    shown = [(board, view) for board, view in news if view]
    if shown or over:
        _mail(tick, player, shown, [item.followed_id or 0 for item in over])
    for board, _ in told:
        work.watchings.tell(number, board.id, is_over=not board.playing)
    return tick.now + _NEXT_BATCH_AFTER if len(found) == _BOARDS else later


def _is_reached(tick: Tick, player: Player) -> bool:
    return bool(player.addresses) and player.is_active and not deferred_until(player, tick.now)


def _news(tick: Tick, board: Board, seen: int) -> _News:
    """Return a board from nobody's side, with what has happened; empty if nothing has."""
    events = public_events(tick.work, board.id, seen)
    if not events:
        return {}
    handle_of = handles_on(tick.work, board)
    told = told_of(events, _NOBODY, handle_of)
    authors = {handle_of(it.player): it.player for it in events if isinstance(it, Commented)}
    return {
        **board_view(tick.work, board, None, after=known_ply(board, events)),
        "offers": [],
        "turn_unreachable": False,
        "clock": None,
        "lead": [
            {name: "" if name in _OF_PLAYERS else it[name] for name in it} for it in told["lead"]
        ],
        "comments": [
            {**said, "author": authors[said["handle"]]}
            for said in told["comments"][:_MOST_COMMENTS]
        ],
    }


def _mail(
    tick: Tick, player: Player, shown: Sequence[tuple[Board, _News]], over: Sequence[int] = ()
) -> None:
    """Mail a watcher news of boards, and who, of the players `over`, is followed no more."""
    boards, work = list[_News](), tick.work
    for board, view in shown:
        people = {said["author"] for said in view["comments"]}
        hidden = work.blocks.around(player.id, people) if people else ()
        drawn = view["picture"] if player.settings.picture and len(shown) == 1 else None
        heard = [said for said in view["comments"] if said["author"] not in hidden]
        why = watching.told(work, watching.covering(work, player.id, board))
        boards.append({**view, "picture": drawn, "comments": heard, "watched": why})
    section = {
        "section": "watched",
        "boards": boards,
        "over": [*work.players.handles_of(over).values()],
    }
    only = shown[0][0] if len(shown) == 1 else None
    ends = watching.WATCHING if only is None else f"{watching.WATCHING}{only.id}"
    MailWriter(tick).to_many(
        *(player, [section], Kind.WATCHED, ends), name="watch", shown=boards, about=only
    )
