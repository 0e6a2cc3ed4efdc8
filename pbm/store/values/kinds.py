"""The kinds of mail that we write: one table says how each of them is treated.

Order is no matter of kind: mails to one reader in one thread go out as they were written.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto


class Kind(StrEnum):
    """What a mail is; `outbox.kind` holds these words."""

    BOARD = "board"
    AGAIN = "again"  # a board once more, after its mail came back
    ANSWER = "answer"
    REMINDER = "reminder"  # a board once more, of which somebody may run out of time
    QUESTION = "question"
    UNPROVEN = "unproven"  # an answer or a question to a mail that nobody has proven
    PAUSE_HOUR = "pause-hour"  # the last answer for an hour, which says so
    PAUSE_DAY = "pause-day"
    PAUSE_FROM = "pause-from"  # the same, to mails that nobody has proven
    NOTICE = "notice"
    FAREWELL = "farewell"
    DIGEST = "digest"  # what others brought about on several boards
    REMINDERS = "reminders"  # of several boards
    AWAITING = "awaiting"  # a board that waits some seconds for a robot's answer

    @property
    def treatment(self) -> "Treatment":
        """How the mails of this kind are treated."""
        return _TREATMENTS[self]

    @classmethod
    def stored(cls, word: str) -> "Kind":
        """The kind that a row names; what a later version wrote is treated like a notice."""
        return _BY_WORD.get(word, cls.NOTICE)


class Allowance(Enum):
    """Answers that an address may get; those to mails that nobody has proven count apart."""

    PROVEN = auto()
    UNPROVEN = auto()


@dataclass(frozen=True)
class Treatment:
    """How the mails of a kind are treated. The contents of each are erased once it is sent.

    `waits`: not sent for a while where mails to the player come back.
    `uses_up`: the allowance of answers against which it counts.
    `is_superseded`: given up while it waits, once a later mail shows the same board.
    `is_bulk`: not asked for one by one, so that mail programs are told how to end it.
    `begins_thread`: the first of a board's thread.
    `comes_back`: its envelope sender names player and mail, so that we hear what became of it.
    `loss_is_told`: somebody is told where it cannot be sent.
    `erases_address`: its recipient is erased with its contents.
    """

    waits: bool = False
    uses_up: Allowance | None = None
    is_superseded: bool = False
    is_bulk: bool = False
    begins_thread: bool = False
    comes_back: bool = False
    loss_is_told: bool = True
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
    Kind.NOTICE: Treatment(loss_is_told=False),  # else a notice of it could be lost for ever
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
