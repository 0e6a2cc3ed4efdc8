"""How many mails to others one incoming mail may bring about.

Whatever commands a mail holds, and whichever way they came to run (in a mail, with a password,
after a yes), what others are sent for it is counted here and nowhere else. Moves do not count: each
can be played once, and the others wait for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pbm.errors import Refusal
from pbm.events import Event, on_boards
from pbm.store.db import UnitOfWork

MOST_MAILS = 20


@dataclass
class Postage:
    """The mails that one incoming mail brings others: for each board one to every other player,
    however much happened there, one to each address that is asked, and one to each player for
    whatever happened to a seek."""

    _others: dict[int, int | None] = field(default_factory=dict)  # by board, None: not looked at
    _asked: set[str] = field(default_factory=set)
    _of_seeks: int = 0

    def count(self, work: UnitOfWork, player_id: int, events: Sequence[Event]) -> None:
        """Count what a command did; raises Refusal where that is too much, and it must be undone.

        The first command may be one that tells many boards something, such as that its player has
        left: it is never refused.
        """
        boards = {event.board_id for event in on_boards(events) if event.counts_postage}
        boards -= self._others.keys()
        asked = {address for event in events for address in event.asked} - self._asked
        news = sum(event.mails for event in events)
        is_first = not (self._others or self._asked or self._of_seeks)
        if is_first:  # most often the only one, so that its boards need no look
            self._others = dict.fromkeys(boards)
            self._asked, self._of_seeks = asked, news
            return
        if not boards and not asked and not news:
            return
        for number, others in self._others.items():
            if others is None:
                self._others[number] = _others_on(work, number, player_id)
        added = {number: _others_on(work, number, player_id) for number in boards}
        told = sum(others or 0 for others in self._others.values()) + sum(added.values())
        if told + len(self._asked | asked) + self._of_seeks + news > MOST_MAILS:
            raise Refusal("too-many-mails", most=MOST_MAILS)
        self._others |= added
        self._asked |= asked
        self._of_seeks += news


def _others_on(work: UnitOfWork, number: int, player_id: int) -> int:
    return len({seat.player_id for seat in work.boards.get(number).seats} - {player_id})
