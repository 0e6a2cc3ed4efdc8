"""The channels on which workers are notified of new rows. Each has a query for polling."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import DateTime, Float, Select, exists, func, literal_column, select

from pbm.store.schema.columns import DUE, NEW
from pbm.store.schema.mails import inbox, outbox
from pbm.store.schema.running import due, search_jobs

# PostgreSQL's index may hold entries of many finished rows. So polling reads only its newest part.
# An older row is found without polling.
_A_MINUTE_AGO = literal_column("now() - interval '1 minute'", DateTime(timezone=True))
# A newer row is left to the worker that was notified.
_A_WHILE_AGO = literal_column("now() - interval '100 ms'", DateTime(timezone=True))
_LATELY = literal_column("extract(epoch FROM now() - interval '1 minute')", Float)


@dataclass(frozen=True, eq=False)
class Channel:
    """A channel on which the workers of one queue are notified of new rows."""

    name: str
    probe: Select[Any]  # selects True while a row waits, or a value that a new row changes


MAIL_KEPT = Channel(
    "pbm_mail_kept",
    select(
        exists().where(
            inbox.c.status == NEW,
            inbox.c.place >= _LATELY,
            inbox.c.aside_until.is_(None),
            inbox.c.received_at <= _A_WHILE_AGO,
        )
    ),
)
# A boolean would stay true for hours if mails cannot be sent yet, since they wait behind another.
MAIL_WRITTEN = Channel(
    "pbm_mail_written",
    select(func.max(outbox.c.id)).where(outbox.c.status == DUE, outbox.c.due_at >= _A_MINUTE_AGO),
)
TIMER_SET = Channel("pbm_timer_set", select(func.min(due.c.due_at)).where(~due.c.stuck))
JOB_ADDED = Channel(
    "pbm_job_added",
    select(func.max(search_jobs.c.id)).where(
        ~search_jobs.c.stuck, search_jobs.c.leased_until.is_(None)
    ),
)
