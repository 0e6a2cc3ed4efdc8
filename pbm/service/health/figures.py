"""What a server holds and does: boards, moves, mails, its size and its last backup."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from pbm.service.health.results import CheckResult, DubiousError, checked
from pbm.store.db import UnitOfWork

DAY = timedelta(days=1)
_BACKUP, _SIZES = "backup", "sizes"  # facts
_MOST_SIZES = 31  # days
_LATE_BACKUP = timedelta(days=8)
_MINUTE = "%Y-%m-%d %H:%M UTC"


def figure_results(work: UnitOfWork, now: datetime) -> Iterator[CheckResult]:
    moved, came, went = work.counts.since(now - DAY)
    boards = work.counts.boards()
    yield CheckResult(True, "boards", f"{boards} played on, {moved} moves in the last 24 hours")
    yield CheckResult(True, "mails", f"{came} came in and {went} went out in the last 24 hours")
    yield CheckResult(True, "size", _size(work))
    yield checked("backup", partial(_backup, work, now))


def note_size(work: UnitOfWork, now: datetime) -> None:
    """Note the database's size, once a day."""
    fact = work.facts.find(_SIZES, lock=True)
    if fact is None or fact.noted_at <= now - DAY:
        sizes = [*(fact.value if fact else []), [now.isoformat(), work.counts.bytes_stored()]]
        work.facts.note(_SIZES, sizes[-_MOST_SIZES:], now)


def note_backup(work: UnitOfWork, file: str, now: datetime) -> None:
    work.facts.note(_BACKUP, {"file": file}, now)


def last_backup(work: UnitOfWork) -> datetime | None:
    """Return when `pbm-admin backup` was run last; a backup by other means is not known."""
    fact = work.facts.find(_BACKUP)
    return fact.noted_at if fact else None


def _size(work: UnitOfWork) -> str:
    stored, fact = work.counts.bytes_stored(), work.facts.find(_SIZES)
    shown = f"{stored / (1 << 20):,.1f} MB"
    if fact is None:
        return shown
    at, then = fact.value[0]
    since = f"since {datetime.fromisoformat(at):%Y-%m-%d}"
    return f"{shown}, {(stored - then) / (1 << 20):+,.1f} MB {since}"


def _backup(work: UnitOfWork, now: datetime) -> str:
    made = last_backup(work)
    if made is not None and made > now - _LATE_BACKUP:
        return f"the last one is of {made:{_MINUTE}}"
    told = f"the last one is of {made:{_MINUTE}}" if made else "none was made yet"
    if work.counts.boards():
        raise DubiousError(f"{told}. Run: pbm-admin backup FILE")
    return told
