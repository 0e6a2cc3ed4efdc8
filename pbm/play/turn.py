"""The work in hand: what brings it about, and the one transaction in which it is done."""

from dataclasses import dataclass, field
from datetime import datetime

from pbm.apart import Apart
from pbm.events import Answered, Event
from pbm.mail.site import Site
from pbm.passwords import PasswordWork
from pbm.play.postage import Postage
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player


@dataclass(frozen=True)
class Cause:
    """What a turn is brought about by: a mail, or where it names none, the operator or time.

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
        """Whether it was written from one of these."""
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
        """What a deadline is compared with: when the mail came, whenever its turn is."""
        return self.cause.came_at or self.now

    def wrote(self, player: Player) -> bool:
        """Whether it is a mail of the player's, from whichever address."""
        return self.cause.is_from(*player.addresses)
