"""Mails that came, mails to be sent, and news that wait for one."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pbm.store.values.kinds import Kind


@dataclass(frozen=True)
class InboxMail:
    """A mail that the server has taken responsibility for, for one recipient.

    `known` tells whether it seemed to be a player's when it came.
    """

    id: int
    recipient: str
    sender: str
    peer: str
    raw: bytes
    received_at: datetime
    status: str
    tries: int
    outcome: str | None
    known: bool = True
    answer_counted: bool = False
    network: str = ""


@dataclass(frozen=True)
class Queued:
    """Where a new mail stands in the order of turns; the rest are seconds.

    Mails of one `lane`, whose they are, or of one `board_lane`, about which board, are obeyed in
    order. `known` tells whether it seems to be a player's. Its place is now, later by `handicap`,
    and `apart` behind the last one of its lane that still waits; but none later than now by more
    than `furthest`.
    """

    lane: str | None = None
    board_lane: int | None = None
    known: bool = True
    handicap: float = 0.0
    apart: float = 1.0
    furthest: float = 120.0


@dataclass(frozen=True)
class ArrivedMail:
    """A mail as it is handed over for one recipient; `sender` is the envelope's.

    One with the same digest is the same mail, if it came before within `same_for`.
    `answer_counted`: one may be answered though nobody plays from its author's address.
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
    """A mail as it is written down to be sent, at once or from `due_at` on.

    `sender` is the envelope's.
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
    """A mail to be sent, with everything frozen that it is rendered from."""

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
    status: str
    attempts: int
    due_at: datetime
    last_error: str | None


@dataclass(frozen=True)
class News:
    """Something that happened on a board, for one who is told of it with the next digest.

    `told` are frozen parameters of a mail, of so many characters; `after_ply` is the last one of
    which the reader had been told by then.
    """

    after_ply: int
    told: dict[str, Any]
    size: int
    kept_at: datetime
