"""Turns: units of work for a mail, for a timer or for the operator."""

from dataclasses import dataclass, field
from datetime import datetime

from pbm.slow_work import SlowWork
from pbm.store.db import UnitOfWork


@dataclass(frozen=True)
class Cause:
    """The cause of a turn: a mail, a timer or the operator. Only a mail has an `inbox_id`."""

    inbox_id: int | None = None
    author: str = ""
    message_id: str | None = None
    board_id: int | None = None  # of the mail's thread
    answer_counted: bool = False  # a stranger sent the mail, and limits count its answer already
    came_at: datetime | None = None  # when the mail was stored
    missing: str = ""  # what the mail has in place of words

    def is_from(self, *addresses: str) -> bool:
        return self.author.lower() in {address.lower() for address in addresses}


@dataclass(frozen=True, kw_only=True)
class GameTurn:
    """One unit of work: all of its effects are committed together, or none."""

    work: UnitOfWork
    now: datetime
    cause: Cause = Cause()
    slow: SlowWork = field(default_factory=SlowWork)
