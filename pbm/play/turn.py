"""Turns: units of work for a mail, a timer or the operator, with a cause, and mails to others."""

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
    """Counter of the mails to others that one incoming mail causes."""

    _boards: set[int] = field(default_factory=set)
    _asked: set[str] = field(default_factory=set)
    _of_seeks: int = 0
    _others: dict[int, int] = field(default_factory=dict)  # on the boards counted so far

    def count(self, work: UnitOfWork, player_id: int, events: Sequence[Event]) -> None:
        """Count the mails that a player's command causes. Raises Refusal if there are too many.

        After a Refusal, the caller must undo the command. The first command of a mail is never
        refused: it may concern all boards of a player who leaves the server, for example.
        """
        before = (self._boards, self._asked, self._of_seeks)
        others = [event for event in events if not isinstance(event, BoardEvent)]
        after = (
            self._boards | {event.board_id for event in on_boards(events) if event.counts_postage},
            self._asked | {address for event in others for address in event.asked},
            self._of_seeks + sum(event.mails for event in others),
        )
        if any(before) and after != before:  # mostly the only command, so its boards are not read
            boards, asked, of_seeks = after
            new = boards - self._others.keys()
            others_on = self._others | {item: _others_on(work, item, player_id) for item in new}
            if sum(others_on.values()) + len(asked) + of_seeks > MOST_MAILS:
                raise Refusal("too-many-mails", most=MOST_MAILS)
            self._others = others_on
        self._boards, self._asked, self._of_seeks = after


def _others_on(work: UnitOfWork, number: int, player_id: int) -> int:
    return len({seat.player_id for seat in work.boards.get(number).seats} - {player_id})


@dataclass(frozen=True)
class Cause:
    """The cause of a turn: a mail, or the operator or a timer if `inbox_id` is None.

    `came_at` is when the mail was stored, `board_id` the board of the mail's thread.
    `answer_counted`: a stranger sent the mail, and limits already count its answer.
    """

    inbox_id: int | None = None
    author: str = ""
    message_id: str | None = None
    board_id: int | None = None
    answer_counted: bool = False
    came_at: datetime | None = None

    def is_from(self, *addresses: str) -> bool:
        """Return whether the mail came from one of the given addresses, in any case of letters."""
        return self.author.lower() in {address.lower() for address in addresses}


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One unit of work: all of its effects are committed together, or none.

    `unproven`: the sender is not proven, so answers have a limit of their own. `passwords` caches
    password hashes, and `apart` the results of other slow work, for restarts of the transaction.
    `news` has events that no command returned. `notes` has sections of the answer to the sender.
    `back` has the ids of players to whom mail had bounced, and who have written now.
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
        """When the mail arrived, to compare with deadlines; `now` if no mail caused the turn."""
        return self.cause.came_at or self.now

    def wrote(self, player: Player) -> bool:
        """Return whether the turn's mail came from one of the player's addresses."""
        return self.cause.is_from(*player.addresses)
