"""A turn with what mails need of it: it counts those that it causes to other people."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pbm.errors import Refusal
from pbm.events import (
    AddressWanted,
    Answered,
    BoardEvent,
    CalledOff,
    Event,
    Invited,
    Messaged,
    Proposed,
    SeekNews,
)
from pbm.mail.site import Site
from pbm.passwords import PasswordHash, hash_of
from pbm.play.limits import MOST_MAILS
from pbm.play.turn import GameTurn
from pbm.store.db import UnitOfWork


@dataclass
class Postage:
    """Counter of the mails to other people that one incoming mail causes."""

    # By address, "player 3", "seek 4" or board; None for a board whose players were not counted.
    _mails: dict[str | int, int | None] = field(default_factory=dict)
    asked_alone: int = 0  # commands that had a question of their own

    def count(self, work: UnitOfWork, player_id: int, events: Sequence[Event]) -> None:
        """Count the mails that a player's command causes. Raises Refusal if there are too many.

        The caller then undoes the command. The first command of a mail is never refused.
        """
        mails = self._mails.copy()
        for event in events:
            match event:
                case BoardEvent(counts_postage=True, board_id=number):
                    mails.setdefault(number, None)
                case SeekNews(readers=readers) if readers:
                    mails[f"seek {len(mails)}"] = len(readers)
                case Invited(addresses=addresses):
                    mails |= dict.fromkeys(addresses, 1)
                case AddressWanted(address=address):
                    mails[address] = 1
                case Proposed(players=ids) | CalledOff(readers=ids) | Messaged(readers=ids):
                    mails |= {f"player {number}": 1 for number in ids}
        if self._mails and mails != self._mails:  # mostly the only command, so no board is read
            for board_id in [key for key in mails if isinstance(key, int) and mails[key] is None]:
                seats = work.boards.get(board_id).seats
                mails[board_id] = len({seat.player_id for seat in seats} - {player_id})
            if sum(filter(None, mails.values())) > MOST_MAILS:
                raise Refusal("too-many-mails", most=MOST_MAILS)
        self._mails = mails


@dataclass
class Claim:
    """A mail that is its player's by its `From:` line alone; its answers have their own limits."""

    origin: str
    known: bool = False  # a yes of the player confirmed a mail of this origin lately
    asked: tuple[str, ...] = ()  # the names of its commands
    noted: bool = False  # among those that got no answer


@dataclass(frozen=True, kw_only=True)
class Turn(GameTurn):
    site: Site
    claim: Claim | None = None  # the sender is not proven
    new_password: PasswordHash | Refusal | None = None  # a confirmed one, or why there is none
    postage: Postage = field(default_factory=Postage)
    news: list[Event] = field(default_factory=list)  # that no command returned
    notes: list[Answered] = field(default_factory=list)  # for the sender
    back: list[int] = field(default_factory=list)  # players whose mail bounced, and who wrote now
    taken: list[str] = field(default_factory=list)  # whose mail it was taken for, and why
    refused: list[str] = field(default_factory=list)  # codes of refusals that the sender was told

    @property
    def arrived(self) -> datetime:
        """When the mail that caused the turn arrived; `now` if no mail caused it."""
        return self.cause.came_at or self.now

    def hash_of(self, password: str) -> PasswordHash:
        """Return the confirmed hash, or hash a new password. Raises WorkNeeded and Refusal."""
        if isinstance(self.new_password, Refusal):
            raise self.new_password
        return self.new_password or hash_of(self.slow, password)
