"""What a mail needs before it can be obeyed, and is worked out apart from the turns.

To read a long mail, to hash a password or to replay a whole game takes longer than others may have
to wait. It happens in a thread, while no transaction is open; the mail is put aside meanwhile, and
other turns go on.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from pbm.apart import Apart, WorkNeeded
from pbm.mail.reading.inbound import Envelope
from pbm.passwords import HashingNeeded, PasswordWork
from pbm.store.values.mails import InboxMail

MOST_UNDER_WAY = 16  # at once; then further long mails wait, and short ones go on


@dataclass(eq=False)
class Preparation:
    """A mail whose turn is not over: what was worked out for it, and what it needs next."""

    mail: InboxMail
    passwords: PasswordWork = field(default_factory=PasswordWork)
    apart: Apart = field(default_factory=Apart)
    is_under_way: bool = False
    is_hashing: bool = False
    needs: Callable[[], None] | None = None
    _envelope: Envelope | None = None
    _failed: Exception | None = None

    def is_of(self, mail: InboxMail) -> bool:
        """Whether this is the preparation of a mail.

        The number is not enough: after a row was rolled back, another may get the same.
        """
        mine = self.mail
        return (mine.id, mine.recipient, mine.raw) == (mail.id, mail.recipient, mail.raw)

    def must_read(self, read: Callable[[InboxMail], Envelope]) -> None:
        """Let the mail be read, if it was not yet. What goes wrong is raised in the turn."""

        def reading() -> None:
            try:
                self._envelope = read(self.mail)
            except Exception as error:  # noqa: BLE001 - the turn raises it
                self._failed = error

        if self._envelope is None and self._failed is None:
            self.needs = reading

    def must_do(self, needed: WorkNeeded) -> None:
        """Let be worked out what a turn needs."""
        self.needs, self.is_hashing = needed.work_out, isinstance(needed, HashingNeeded)

    def work_out(self) -> None:
        """Work out what is needed; raises nothing."""
        if self.needs is not None:
            self.needs()
        self.needs, self.is_under_way = None, False

    def fail(self, error: Exception) -> None:
        """Let the turn raise what kept it from being worked out."""
        self._failed, self.needs, self.is_under_way = error, None, False

    @property
    def envelope(self) -> Envelope | None:
        """The mail as it was read, None where it was not. Raises what went wrong then."""
        if self._failed:
            raise self._failed
        return self._envelope


class Preparations:
    """Those of one inbox worker, for mails that were put aside."""

    def __init__(self) -> None:
        self._kept: dict[int, Preparation] = {}
        self._undone: Preparation | None = None
        self._to_do: list[Preparation] = []

    def of(self, mail: InboxMail) -> Preparation:
        """What was worked out for a mail; nothing, where it is new."""
        for known in (self._kept.get(mail.id), self._undone):
            if known is not None and known.is_of(mail):
                return known
        return Preparation(mail)

    def begin(self, preparation: Preparation) -> None:
        """Let what is needed be worked out."""
        preparation.is_under_way, self._undone = True, None
        self._kept[preparation.mail.id] = preparation
        self._to_do.append(preparation)

    def are_many(self) -> bool:
        """Whether so many are under way that no further long mail is to be read for now."""
        return sum(known.is_under_way for known in self._kept.values()) >= MOST_UNDER_WAY

    def remember(self, preparation: Preparation) -> None:
        """Remember until the next turns what a turn needed that is undone now."""
        self._undone = preparation

    def ready(self) -> list[int]:
        """The numbers of the mails for which nothing is under way any more."""
        return [number for number, known in self._kept.items() if not known.is_under_way]

    def forget(self, number: int) -> None:
        """Forget a mail whose turn is over, or has failed."""
        self._kept.pop(number, None)
        if self._undone is not None and self._undone.mail.id == number:
            self._undone = None

    def to_do(self) -> list[Preparation]:
        """Those that have begun since the last time, each to be worked out apart."""
        begun, self._to_do = self._to_do, []
        return begun
