"""One piece of work: its cause, its transaction, and the mails that it may bring others."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pbm.apart import Apart
from pbm.errors import Refusal
from pbm.events import Answered, Event, on_boards
from pbm.mail.site import Site
from pbm.passwords import PasswordWork
from pbm.play.limits import MOST_MAILS
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player


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


@dataclass(frozen=True)
class Cause:
    """The cause of a turn: a mail, or if it names none, the operator or a timer.

    `inbox_id` is the mail's row, `board_id` the board in whose thread it stands, None for a mail
    in another thread or in one of its own, `came_at` the moment at which it was kept.
    `answer_counted`: an answer to it, as it is a stranger's, was counted then.
    """

    inbox_id: int | None = None
    author: str = ""
    message_id: str | None = None
    board_id: int | None = None
    answer_counted: bool = False
    came_at: datetime | None = None

    def is_from(self, *addresses: str) -> bool:
        """Whether the mail was written from one of these addresses."""
        return self.author.lower() in {address.lower() for address in addresses}


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One piece of work: all that comes of it becomes true with its commit, or nothing does.

    `unproven`: nobody has proven whose mail it is, so that answers to it count apart. `passwords`
    is what was hashed for it, `apart` what else was worked out, `postage` the mails to others that
    it brought about so far. `news` happened apart from what is asked for, and is told with the
    rest; so are `notes`, to the sender. `back` are the numbers of players to whom mail came back
    until this mail of theirs.
    """

    work: UnitOfWork
    site: Site
    now: datetime
    cause: Cause = Cause()
    unproven: bool = False
    passwords: PasswordWork = field(default_factory=PasswordWork)
    apart: Apart = field(default_factory=Apart)
    postage: Postage = field(default_factory=Postage)
    news: list[Event] = field(default_factory=list)
    notes: list[Answered] = field(default_factory=list)
    back: list[int] = field(default_factory=list)

    @property
    def arrived(self) -> datetime:
        """The moment to compare deadlines with: when the mail came."""
        return self.cause.came_at or self.now

    def wrote(self, player: Player) -> bool:
        """Whether the turn is for a mail from one of the player's addresses."""
        return self.cause.is_from(*player.addresses)
