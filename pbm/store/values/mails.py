"""Dataclasses of mails and of stored news, and the kinds of outgoing mails."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum, auto
from typing import Any, Self


class Allowance(Enum):
    """The two limits on how many answers are sent to one mail address."""

    PROVEN = auto()  # for answers to mails that are proven to be from this address
    UNPROVEN = auto()  # for answers to all other mails


@dataclass(frozen=True)
class Treatment:
    """The way in which the outbox treats all mails of a kind."""

    waits: bool = False  # delayed while mail to the player bounces
    uses_up: Allowance | None = None  # the allowance that it counts against
    is_superseded: bool = False  # dropped if a later mail shows the same board
    begins_thread: bool = False  # of a board
    comes_back: bool = False  # its envelope sender names player and mail, to match bounces
    loss_is_reported: bool = True  # if delivery fails
    erases_address: bool = False  # its recipient is erased, too, once it is sent


_OF_BOARD = Treatment(waits=True, begins_thread=True, comes_back=True)
_AGAIN = Treatment(waits=True, is_superseded=True, comes_back=True)
_PAUSE = Treatment(comes_back=True)


class Kind(StrEnum):
    """The kind of an outgoing mail, stored in `outbox.kind`. Each kind has its `treatment`."""

    treatment: Treatment

    def __new__(cls, word: str, treatment: Treatment) -> Self:
        kind = str.__new__(cls, word)
        kind._value_, kind.treatment = word, treatment
        return kind

    BOARD = "board", _OF_BOARD
    AGAIN = "again", _AGAIN  # a board again, after its mail bounced
    ANSWER = "answer", Treatment(uses_up=Allowance.PROVEN, comes_back=True)
    REMINDER = "reminder", _AGAIN  # a board again, before a player runs out of time
    QUESTION = "question", Treatment(uses_up=Allowance.PROVEN)
    # A reply to an unauthenticated mail.
    UNPROVEN = "unproven", Treatment(uses_up=Allowance.UNPROVEN, comes_back=True)
    PAUSE_HOUR = "pause-hour", _PAUSE  # the last answer for an hour, and says so
    PAUSE_DAY = "pause-day", _PAUSE
    PAUSE_FROM = "pause-from", _PAUSE  # the same, to unauthenticated mails
    NOTICE = "notice", Treatment(loss_is_reported=False)  # its notice could be lost, too
    FAREWELL = "farewell", Treatment(erases_address=True)
    # Events on several boards.
    DIGEST = "digest", Treatment(waits=True, comes_back=True)
    WATCHED = "watched", Treatment(waits=True, comes_back=True)
    BROADCAST = "broadcast", Treatment(waits=True, comes_back=True)
    MESSAGE = "message", Treatment(waits=True, comes_back=True)  # of a player, about no board
    REMINDERS = "reminders", Treatment(waits=True, comes_back=True)  # about several boards
    AWAITING = "awaiting", _OF_BOARD  # a board that waits some seconds for a robot's answer

    @classmethod
    def stored(cls, word: str) -> "Kind":
        """Return the kind stored as `word`. For the word of a later version, return `NOTICE`."""
        return _BY_WORD.get(word, cls.NOTICE)


_BY_WORD = {kind.value: kind for kind in Kind}
ERASING_ADDRESS = tuple(kind for kind in Kind if kind.treatment.erases_address)
SUPERSEDED = tuple(kind for kind in Kind if kind.treatment.is_superseded)


def using_up(allowance: Allowance) -> tuple[Kind, ...]:
    return tuple(kind for kind in Kind if kind.treatment.uses_up is allowance)


class InboxStatus(StrEnum):
    NEW = "new"
    DONE = "done"
    STUCK = "stuck"


class OutboxStatus(StrEnum):
    DUE = "due"
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"


@dataclass(frozen=True)
class InboxMail:
    """A mail that the server has accepted and stored, for one of its recipients."""

    id: int
    recipient: str
    sender: str
    peer: str
    raw: bytes
    received_at: datetime
    status: InboxStatus
    tries: int
    outcome: str | None
    known: bool = True  # the sender seems to be a player
    answer_counted: bool = False
    network: str = ""
    size: int = 0  # bytes
    message_id: str | None = None
    taken: str | None = None  # whose mail it was taken for, and why
    done_at: datetime | None = None


@dataclass(frozen=True)
class Queued:
    """The values that determine a new mail's place, which is a time, in the inbox's queue."""

    lane: str | None = None  # a sender, whose mails are handled in order
    board_lane: int | None = None  # a board, about which mails are handled in order
    known: bool = True  # the sender seems to be a player
    handicap: float = 0.0  # seconds from now to the place
    apart: float = 1.0  # least seconds after the last place in the lane


@dataclass(frozen=True)
class ArrivedMail:
    """A mail that has just been received, for one of its recipients."""

    digest: str
    recipient: str
    sender: str  # of the envelope
    peer: str
    raw: bytes
    now: datetime
    same_for: timedelta  # how long a second mail with this digest counts as a duplicate
    queued: Queued = Queued()
    answer_counted: bool = False  # rate limits have counted the answer to this stranger
    network: str = ""
    message_id: str | None = None


@dataclass(frozen=True)
class NewMail:
    kind: Kind
    recipient: str
    template: str
    params: dict[str, Any]  # values for the template
    headers: dict[str, Any]
    message_id: str
    sender: str  # of the envelope
    written_at: datetime
    player_id: int | None = None
    board_id: int | None = None
    inbox_id: int | None = None
    due_at: datetime | None = None  # None to send at once


@dataclass(frozen=True, kw_only=True)
class OutboxMail(NewMail):
    """A mail of the outbox. If its status is `DUE`, it will be sent at `due_at`."""

    id: int
    status: OutboxStatus
    attempts: int
    due_at: datetime
    last_error: str | None  # why it was not sent, or why it came back
    reply: str | None  # of the next server, which took it
    finished_at: datetime | None
    handle: str | None  # the player's


@dataclass(frozen=True)
class News:
    """News of a board that a reader has not been told yet."""

    after_ply: int  # the last ply that the reader has been told about
    told: dict[str, Any]  # parameters of a mail's template


def incoming(number: int) -> str:
    """Return the number by which a mail in the inbox is called, such as `i12`."""
    return f"i{number}"


def outgoing(number: int) -> str:
    """Return the number by which a mail in the outbox is called, such as `o12`."""
    return f"o{number}"


def named(
    came: int | None = None, goes: int | None = None, board: int | None = None, **more: Any
) -> dict[str, Any]:
    """Return the fields of a log line about a mail, without those that are not known."""
    names = {"in": came and incoming(came), "out": goes and outgoing(goes), "board": board, **more}
    return {name: value for name, value in names.items() if value not in (None, "")}
