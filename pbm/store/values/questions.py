"""What waits for a yes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pbm.passwords import SealedPassword

OPEN_FOR = timedelta(hours=48)  # a question to a player
CONSENT_STANDS = timedelta(days=1)


@dataclass(frozen=True)
class Question:
    """A question to one address; `epoch` is that of its player when it was asked.

    `password` is what a yes to it sets.
    """

    id: int
    kind: str
    address: str
    player_id: int | None
    params: dict[str, Any]
    asked_at: datetime
    expires_at: datetime
    answer: str | None
    epoch: int
    password: SealedPassword | None = None


@dataclass(frozen=True)
class PendingCommands:
    """Commands (in full, with board and ply) that wait for a player's `yes`.

    `password` is what a `change password` among them sets.
    """

    id: int
    player_id: int
    board_id: int | None
    lines: tuple[str, ...]
    comment: tuple[str, ...]
    asked_at: datetime
    password: SealedPassword | None = None
