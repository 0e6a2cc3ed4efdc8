"""The hold of a server: mail is accepted, and nothing else is done (docs/adr/processes.md).

It is a fact in the database, which each query that claims work looks at.
"""

from dataclasses import dataclass
from datetime import datetime

from pbm.store.db import UnitOfWork
from pbm.store.queues.queue import HELD

_MINUTE = "%Y-%m-%d %H:%M UTC"


@dataclass(frozen=True)
class Hold:
    since: datetime
    who: str
    why: str
    made: datetime | None  # when the backup was made from which the server was restored

    def __str__(self) -> str:
        by = f" by {self.who}" if self.who else ""
        return f"held since {self.since:{_MINUTE}}{by}: {self.why}"


def begin_hold(
    work: UnitOfWork, now: datetime, who: str, why: str, made: datetime | None = None
) -> None:
    work.facts.note(HELD, {"who": who, "why": why, "made": made and made.isoformat()}, now)


def hold_of(work: UnitOfWork, *, ends: bool = False) -> Hold | None:
    """Return the hold that goes on, if any. If it `ends`, only one of several callers gets it."""
    fact = work.facts.take(HELD) if ends else work.facts.find(HELD)
    if fact is None:
        return None
    made = fact.value["made"] and datetime.fromisoformat(fact.value["made"])
    return Hold(fact.noted_at, fact.value["who"], fact.value["why"], made)
