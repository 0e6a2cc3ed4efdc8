"""The kinds of mail that we write, and a table of their treatment.

Kinds do not affect the order: mails to one reader in one thread are sent as written.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto


class Kind(StrEnum):
    """The kind of a mail, a word in `outbox.kind`."""

    BOARD = "board"
    AGAIN = "again"  # a board again, after its mail bounced
    ANSWER = "answer"
    REMINDER = "reminder"  # a board again, before a player runs out of time
    QUESTION = "question"
    UNPROVEN = "unproven"  # a reply to an unauthenticated mail
    PAUSE_HOUR = "pause-hour"  # the last answer for an hour, and says so
    PAUSE_DAY = "pause-day"
    PAUSE_FROM = "pause-from"  # the same, to unauthenticated mails
    NOTICE = "notice"
    FAREWELL = "farewell"
    DIGEST = "digest"  # events on several boards
    REMINDERS = "reminders"  # of several boards
    AWAITING = "awaiting"  # a board that waits some seconds for a robot's answer

    @property
    def treatment(self) -> "Treatment":
        """The treatment of this kind."""
        return _TREATMENTS[self]

    @classmethod
    def stored(cls, word: str) -> "Kind":
        """The kind of a row; an unknown one of a later version is treated as a notice."""
        return _BY_WORD.get(word, cls.NOTICE)


class Allowance(Enum):
    """Limits of answers to an address; replies to unauthenticated mails count separately."""

    PROVEN = auto()
    UNPROVEN = auto()


@dataclass(frozen=True)
class Treatment:
    """The treatment of a kind of mail. Contents are always erased once the mail is sent.

    `waits`: delayed while mail to the player bounces.
    `uses_up`: the allowance of answers that the mail counts against.
    `is_superseded`: dropped before it is sent if a later mail shows the same board.
    `is_bulk`: not requested one by one, so the mail says how to unsubscribe.
    `begins_thread`: the first of a board's thread.
    `comes_back`: its envelope sender names player and mail, so that bounces are matched.
    `loss_is_reported`: a failed delivery is reported to somebody.
    `erases_address`: its recipient is erased with its contents.
    """

    waits: bool = False
    uses_up: Allowance | None = None
    is_superseded: bool = False
    is_bulk: bool = False
    begins_thread: bool = False
    comes_back: bool = False
    loss_is_reported: bool = True
    erases_address: bool = False


_PAUSE = Treatment(comes_back=True)
_TREATMENTS = {
    Kind.BOARD: Treatment(waits=True, begins_thread=True, comes_back=True),
    Kind.AGAIN: Treatment(waits=True, is_superseded=True, comes_back=True),
    Kind.REMINDER: Treatment(waits=True, is_superseded=True, comes_back=True),
    Kind.ANSWER: Treatment(uses_up=Allowance.PROVEN, comes_back=True),
    Kind.QUESTION: Treatment(uses_up=Allowance.PROVEN),
    Kind.UNPROVEN: Treatment(uses_up=Allowance.UNPROVEN, comes_back=True),
    Kind.PAUSE_HOUR: _PAUSE,
    Kind.PAUSE_DAY: _PAUSE,
    Kind.PAUSE_FROM: _PAUSE,
    Kind.NOTICE: Treatment(loss_is_reported=False),  # its notice could be lost, too
    Kind.FAREWELL: Treatment(erases_address=True),
    Kind.DIGEST: Treatment(waits=True, is_bulk=True, comes_back=True),
    Kind.REMINDERS: Treatment(waits=True, comes_back=True),
    Kind.AWAITING: Treatment(waits=True, begins_thread=True, comes_back=True),
}
_BY_WORD = {kind.value: kind for kind in Kind}
ERASING_ADDRESS = tuple(kind for kind in Kind if kind.treatment.erases_address)
SUPERSEDED = tuple(kind for kind in Kind if kind.treatment.is_superseded)


def using_up(allowance: Allowance) -> tuple[Kind, ...]:
    """The kinds that count against an allowance of answers."""
    return tuple(kind for kind in Kind if kind.treatment.uses_up is allowance)
