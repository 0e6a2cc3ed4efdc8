"""On what processes wait for each other, and how to see whether anything waits there."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import DateTime, Float, Select, exists, func, literal_column, select

from pbm.store.schema.columns import DUE, NEW
from pbm.store.schema.mails import inbox, outbox
from pbm.store.schema.running import due
from pbm.store.schema.thinking import thoughts

# On PostgreSQL, where there may be many entries of what has waited before, and is done. Whatever
# waits for longer is found without any sign.
_A_MINUTE_AGO = literal_column("now() - interval '1 minute'", DateTime(timezone=True))
# Until then whoever was told takes it; others would look for what that one has in hand.
_A_WHILE_AGO = literal_column("now() - interval '100 ms'", DateTime(timezone=True))
_LATELY = literal_column("extract(epoch FROM now() - interval '1 minute')", Float)


@dataclass(frozen=True, eq=False)
class Channel:
    """A kind of row that some role waits for.

    `sign` is read in no time, however much there is: True where something waits, None or False
    where nothing does. Any other value says that something has come if it differs from the last.
    """

    name: str
    number: int
    sign: Select[Any]


MAIL_KEPT = Channel(
    "pbm_mail_kept",
    1,
    select(
        exists().where(
            inbox.c.status == NEW,
            inbox.c.place >= _LATELY,
            inbox.c.aside_until.is_(None),
            inbox.c.received_at <= _A_WHILE_AGO,
        )
    ),
)
# What cannot be sent yet would always be found: it may wait for hours behind another.
MAIL_WRITTEN = Channel(
    "pbm_mail_written",
    2,
    select(func.max(outbox.c.id)).where(outbox.c.status == DUE, outbox.c.due_at >= _A_MINUTE_AGO),
)
TIMER_SET = Channel("pbm_timer_set", 3, select(func.min(due.c.due_at)).where(~due.c.stuck))
THOUGHT_ASKED = Channel(
    "pbm_thought_asked",
    4,
    select(func.max(thoughts.c.id)).where(~thoughts.c.stuck, thoughts.c.leased_until.is_(None)),
)
