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

    _boards: set[int] = field(default_factory=set)
    _asked: set[str] = field(default_factory=set)
    _of_seeks: int = 0
    _others: dict[int, int] = field(default_factory=dict)  # on the boards counted so far
    asked_alone: int = 0  # commands that had a question of their own

    def count(self, work: UnitOfWork, player_id: int, events: Sequence[Event]) -> None:
        """Count the mails that a player's command causes. Raises Refusal if there are too many.

        The caller then undoes the command. The first command of a mail is never refused.
        """
        before = (self._boards, self._asked, self._of_seeks)
        boards = [event for event in events if isinstance(event, BoardEvent)]
        seeks = [event for event in events if isinstance(event, SeekNews)]
        after = (
            self._boards | {event.board_id for event in boards if event.counts_postage},
            self._asked.union(*map(_asked, events)),
            self._of_seeks + sum(len(event.readers) for event in seeks),
        )
        if any(before) and after != before:  # mostly the only command, so its boards are not read
            numbers, asked, of_seeks = after
            new = numbers - self._others.keys()
            others_on = self._others | {item: _others_on(work, item, player_id) for item in new}
            if sum(others_on.values()) + len(asked) + of_seeks > MOST_MAILS:
                raise Refusal("too-many-mails", most=MOST_MAILS)
            self._others = others_on
        self._boards, self._asked, self._of_seeks = after


def _asked(event: Event) -> tuple[str, ...]:
    """Return who is sent a question or notice: addresses, or "player N" with a player's id."""
    match event:
        case Invited(addresses=addresses):
            return addresses
        case AddressWanted(address=address):
            return (address,)
        case Proposed(players=ids) | CalledOff(readers=ids):
            return tuple(f"player {number}" for number in ids)
    return ()


def _others_on(work: UnitOfWork, number: int, player_id: int) -> int:
    return len({seat.player_id for seat in work.boards.get(number).seats} - {player_id})


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

    @property
    def arrived(self) -> datetime:
        """When the mail that caused the turn arrived; `now` if no mail caused it."""
        return self.cause.came_at or self.now

    def hash_of(self, password: str) -> PasswordHash:
        """Return the confirmed hash, or hash a new password. Raises WorkNeeded and Refusal."""
        if isinstance(self.new_password, Refusal):
            raise self.new_password
        return self.new_password or hash_of(self.slow, password)
