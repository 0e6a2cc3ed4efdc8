"""What a server holds and does: boards, moves, mails, its size and its last backups."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from pbm.errors import OperatorError
from pbm.service.health.results import CheckResult, DubiousError, checked
from pbm.store.db import UnitOfWork

DAY = timedelta(days=1)
_BACKUP, _SCHEDULED, _SIZES = "backup", "scheduled-backup", "sizes"  # facts
_MOST_SIZES = 31  # days
_LATE_BACKUP, _LATE_SCHEDULED = timedelta(days=8), timedelta(days=2)
_MINUTE = "%Y-%m-%d %H:%M UTC"


def figure_results(work: UnitOfWork, now: datetime) -> Iterator[CheckResult]:
    moved, came, went = work.counts.since(now - DAY)
    boards = work.counts.boards()
    yield CheckResult(True, "boards", f"{boards} played on, {moved} moves in the last 24 hours")
    yield CheckResult(True, "mails", f"{came} came in and {went} went out in the last 24 hours")
    yield CheckResult(True, "size", _size(work))


def note_size(work: UnitOfWork, now: datetime) -> None:
    """Note the database's size, once a day."""
    fact = work.facts.find(_SIZES, lock=True)
    if fact is None or abs(now - fact.noted_at) >= DAY:
        sizes = [*(fact.value if fact else []), [now.isoformat(), work.counts.bytes_stored()]]
        work.facts.note(_SIZES, sizes[-_MOST_SIZES:], now)


def note_backup(work: UnitOfWork, file: str, now: datetime, trial: str = "") -> None:
    """Note a backup; `trial` says how it was restored on trial, "" if it was not."""
    work.facts.note(_BACKUP, {"file": file, "trial": trial}, now)


def schedule_backups(work: UnitOfWork, wanted: bool, now: datetime) -> None:
    """Note whether there is to be a backup each day; without one, none is missed."""
    if not wanted:
        work.facts.forget(_SCHEDULED)
    elif work.facts.find(_SCHEDULED) is None:
        work.facts.note(_SCHEDULED, {"made": "", "failed": ""}, now)


def is_backup_due(work: UnitOfWork, now: datetime) -> bool:
    fact = work.facts.find(_SCHEDULED)
    return fact is None or fact.value["made"][:10] != str(now.date())


def note_scheduled(work: UnitOfWork, now: datetime, failed: str) -> None:
    """Note the backup of a day; `failed` says why there is none, "" if all is well."""
    fact = work.facts.find(_SCHEDULED)
    before = fact.value["made"] if fact else ""
    made = before if failed else now.isoformat()
    work.facts.note(_SCHEDULED, {"made": made, "failed": failed}, now)


def last_backup(work: UnitOfWork) -> datetime | None:
    """Return when pbm made the last backup; one by other means is not known."""
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


def backup_result(work: UnitOfWork, now: datetime, wanted: bool = False) -> CheckResult:
    return checked("backup", partial(_backup, work, now, wanted))


def _backup(work: UnitOfWork, now: datetime, wanted: bool) -> str:
    made, told = work.facts.find(_BACKUP), "none is recorded here yet"
    if made is not None:
        trial = made.value.get("trial") or "never restored on trial"
        told = f"the last one is of {made.noted_at:{_MINUTE}}, {trial}"
    if scheduled := work.facts.find(_SCHEDULED):
        if why := scheduled.value["failed"]:
            at = f"{scheduled.noted_at:{_MINUTE}}"
            raise OperatorError(f"{told}. That of {at} failed: {why} It is tried each hour.")
        if scheduled.noted_at < now - _LATE_SCHEDULED:
            raise OperatorError(
                f"{told}, and none has been made in PBM_BACKUP_DIR since {scheduled.noted_at:%F}. "
                "Is there a process with the role ticks, and what does its log say?"
            )
    elif wanted:
        raise OperatorError(
            f"{told}, and the server was started without PBM_BACKUP_DIR. Start it again."
        )
    elif (made is None or made.noted_at <= now - _LATE_BACKUP) and work.counts.boards():
        raise DubiousError(f"{told}. Run: pbm-admin backup FILE, or set PBM_BACKUP_DIR")
    return told
