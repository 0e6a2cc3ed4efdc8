"""What timer handlers share: argument, result, and the writing of mails about several boards."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbm.commands.turn import Turn
from pbm.events import Event, on_boards
from pbm.play.clocks.calendar import is_down
from pbm.service.health.results import CheckResult
from pbm.service.telling.announce import announce_boards
from pbm.service.telling.later import SOON
from pbm.store.values.boards import Board
from pbm.store.values.players import Player
from pbm.store.values.queues import Timer

_RETRY_AFTER = timedelta(minutes=10)  # while earlier mails are not handled yet


@dataclass(frozen=True, kw_only=True)
class Tick(Turn):
    timer: Timer
    look_at_machine: Callable[[], list[CheckResult]] = list  # may block

    @property
    def player(self) -> Player:
        return self.work.players.get(self.timer.player_id or 0)

    @property
    def locked_board(self) -> Board | None:
        """The timer's board, locked; None if it was deleted."""
        return self.work.boards.find(self.timer.board_id or 0, lock=True)

    def waits_for_mail(self, until: datetime) -> datetime | None:
        """Return when to try again if mail that came by `until` may be unhandled, else None.

        Call this before a player is penalised for having sent no mail.
        """
        oldest = self.work.inbox.longest_waiting()
        is_behind = oldest is not None and oldest[1] <= until
        return self.now + _RETRY_AFTER if is_behind or is_down(self.work, self.now) else None


def announce_several(tick: Tick, events: Sequence[Event], *, but: int | None = None) -> None:
    """Announce events to all readers except the player `but` (an id).

    Readers of several of the boards get one mail later, instead of a mail for each board.
    """
    happened = on_boards(events)
    begun = {event.board_id for event in happened if event.begins_board}
    numbers = sorted({event.board_id for event in happened} - begun)
    boards = [tick.work.boards.get(number, lock=True) for number in numbers]
    often = Counter(number for board in boards for number in {s.player_id for s in board.seats})
    together = {number for number, count in often.items() if count > 1}
    others = sorted(set(often) - together)
    until = tick.now + SOON
    together |= tick.work.timers.readers_of(others, until, but=numbers)
    together |= tick.work.readers.told_soon(others, until)
    announce_boards(tick, events, but=but, together=together)
