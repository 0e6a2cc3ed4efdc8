"""Turns, units of work for a mail, a timer or the operator: their causes, their mails to others."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pbm.errors import Refusal
from pbm.events import Answered, BoardEvent, Event, on_boards
from pbm.mail.site import Site
from pbm.passwords import Apart, PasswordWork
from pbm.play.limits import MOST_MAILS
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player


@dataclass
class Postage:
    """Counter of mails that one incoming mail causes: for boards, asked addresses, and seeks."""

    _others: dict[int, int | None] = field(default_factory=dict)  # by board; None: not counted yet
    _asked: set[str] = field(default_factory=set)
    _of_seeks: int = 0

    def count(self, work: UnitOfWork, player_id: int, events: Sequence[Event]) -> None:
        """Count the mails of a command. Raises Refusal; the caller must then undo the command.

        The first command is never refused: it may concern many boards, as when its player leaves.
        """
        happened = on_boards(events)
        boards = {event.board_id for event in happened if event.counts_postage}
        boards -= self._others.keys()
        others = [event for event in events if not isinstance(event, BoardEvent)]
        asked = {address for event in others for address in event.asked} - self._asked
        news = sum(event.mails for event in others)
        is_first = not (self._others or self._asked or self._of_seeks)
        if is_first:  # mostly the only command, so its boards are not read
            self._others = dict.fromkeys(boards)
            self._asked, self._of_seeks = asked, news
            return
        if not boards and not asked and not news:
            return
        for number, count in self._others.items():
            if count is None:
                self._others[number] = _others_on(work, number, player_id)
        added = {number: _others_on(work, number, player_id) for number in boards}
        mails = sum(count or 0 for count in self._others.values()) + sum(added.values())
        if mails + len(self._asked | asked) + self._of_seeks + news > MOST_MAILS:
            raise Refusal("too-many-mails", most=MOST_MAILS)
        self._others |= added
        self._asked |= asked
        self._of_seeks += news


def _others_on(work: UnitOfWork, number: int, player_id: int) -> int:
    return len({seat.player_id for seat in work.boards.get(number).seats} - {player_id})


@dataclass(frozen=True)
class Cause:
    """The cause of a turn: a mail, or without an `inbox_id` the operator or a timer.

    `came_at` is when the mail was stored, `board_id` the board of its thread. `answer_counted`: a
    stranger sent the mail, and the answer was counted on receipt.
    """

    inbox_id: int | None = None
    author: str = ""
    message_id: str | None = None
    board_id: int | None = None
    answer_counted: bool = False
    came_at: datetime | None = None

    def is_from(self, *addresses: str) -> bool:
        """Whether the mail came from one of the given addresses, in any case of letters."""
        return self.author.lower() in {address.lower() for address in addresses}


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One unit of work: all of its effects are committed together, or none.

    `unproven`: the sender is not proven, so answers have a limit of their own. `passwords` are the
    turn's password hashes, `apart` other slow work done outside the transaction. `news` are events
    besides those of commands, `notes` sections for the sender. `back` are the ids of players whose
    mail bounced until this mail of theirs.
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
        """When the mail arrived, to compare with deadlines; without a mail, `now`."""
        return self.cause.came_at or self.now

    def wrote(self, player: Player) -> bool:
        """Whether the mail that this turn handles came from one of the player's addresses."""
        return self.cause.is_from(*player.addresses)
