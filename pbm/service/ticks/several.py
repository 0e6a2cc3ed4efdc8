"""What time brings about on several boards at once: each reader gets one mail of all of them."""

from collections import Counter
from collections.abc import Sequence

from pbm.events import Event, on_boards
from pbm.service.telling.announce import announce_boards
from pbm.service.telling.kept_news import SOON
from pbm.service.ticks.tick import Tick
from pbm.store.values.timers import TimerKind

_RUN_OUT = (TimerKind.CLOCK, TimerKind.FIRST_MOVE_DECLINE)


def announce_several(tick: Tick, events: Sequence[Event], *, but: int | None = None) -> None:
    """Announce as usual; but for who reads of several of these boards, or for whom another board is
    to be looked at soon, it is kept for a mail some minutes later, and so is what follows then.

    A board that begins in the place of another is none of several.
    """
    happened = on_boards(events)
    begun = {event.board_id for event in happened if event.begins_board}
    numbers = sorted({event.board_id for event in happened} - begun)
    boards = [tick.work.boards.get(number, lock=True) for number in numbers]
    often = Counter(number for board in boards for number in {s.player_id for s in board.seats})
    together = {number for number, count in often.items() if count > 1}
    others = sorted(set(often) - together)
    until = tick.now + SOON
    together |= tick.work.timers.readers_of(_RUN_OUT, others, until, but=numbers)
    together |= tick.work.kept_news.told_soon(others, until)
    announce_boards(tick, events, but=but, together=together)
