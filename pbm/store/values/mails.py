"""Mails in the inbox and the outbox, and kept news."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from pbm.store.values.kinds import Kind


class InboxStatus(StrEnum):
    """The status of a mail that came, a word in `inbox.status`."""

    NEW = "new"
    DONE = "done"
    STUCK = "stuck"


class OutboxStatus(StrEnum):
    """The status of a mail of ours, a word in `outbox.status`."""

    DUE = "due"
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"


@dataclass(frozen=True)
class InboxMail:
    """A mail accepted by the server, for one recipient.

    `known`: it seemed to be a player's when it came.
    """

    id: int
    recipient: str
    sender: str
    peer: str
    raw: bytes
    received_at: datetime
    status: InboxStatus
    tries: int
    outcome: str | None
    known: bool = True
    answer_counted: bool = False
    network: str = ""


@dataclass(frozen=True)
class Queued:
    """The place of a new mail in the order of turns; the rest are seconds.

    Mails of one `lane` (a sender) or one `board_lane` (a board) are obeyed in order. `known`: it
    seems to be a player's. Its place is now plus `handicap`, but at least `apart` behind the last
    waiting one of its lane, and at most `furthest` from now.
    """

    lane: str | None = None
    board_lane: int | None = None
    known: bool = True
    handicap: float = 0.0
    apart: float = 1.0
    furthest: float = 120.0


@dataclass(frozen=True)
class ArrivedMail:
    """A received mail for one recipient; `sender` is the envelope sender.

    An earlier mail with the same digest is the same mail if it came within `same_for`.
    `answer_counted`: it may be answered although its author's address is no player's.
    """

    digest: str
    recipient: str
    sender: str
    peer: str
    raw: bytes
    now: datetime
    same_for: timedelta
    queued: Queued = Queued()
    answer_counted: bool = False
    network: str = ""


@dataclass(frozen=True)
class NewMail:
    """A mail to be stored in the outbox, and sent at once or from `due_at` on.

    `sender` is the envelope sender.
    """

    kind: Kind
    recipient: str
    template: str
    params: dict[str, Any]
    headers: dict[str, Any]
    message_id: str
    sender: str
    written_at: datetime
    player_id: int | None = None
    board_id: int | None = None
    inbox_id: int | None = None
    due_at: datetime | None = None


@dataclass(frozen=True)
class OutboxMail:
    """A mail of the outbox, with the frozen parameters for rendering."""

    id: int
    kind: Kind
    recipient: str
    player_id: int | None
    board_id: int | None
    template: str
    params: dict[str, Any]
    headers: dict[str, Any]
    message_id: str
    sender: str
    written_at: datetime
    status: OutboxStatus
    attempts: int
    due_at: datetime
    last_error: str | None


@dataclass(frozen=True)
class News:
    """An event on a board, for a player who is told of it in the next digest.

    `told` are frozen parameters of a mail, with `size` characters; `after_ply` is the last ply that
    the player had been told about by then.
    """

    after_ply: int
    told: dict[str, Any]
    size: int
    kept_at: datetime
