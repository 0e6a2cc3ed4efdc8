"""Keys behind the reply addresses: the newest signs, older ones verify until dropped.

A running server reloads the key file by itself. The database has marks of the keys, not the keys,
so that lost or wrong keys are found before they sign a mail.
"""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from pbm.clock import Clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.keyfile import Key, add_key, drop_key, load_keys
from pbm.mail.tags import Keyring, load_keyring, mark_of
from pbm.service.operator.heartbeat_checks import those_beating
from pbm.service.operator.operator_session import OperatorSession, hand_of, reason_of
from pbm.store.db import Database, UnitOfWork

_FROM_SETTING = (
    "The keys are in PBM_SECRET_KEY, where pbm-admin can change nothing. {how} "
    "Then start the server again."
)
_KEYS = "keys"
_WHAT_TO_DO = (
    "Bring it back: it is in every backup (as secret.key), and in the folder, or on the machine, "
    "in which the server was started before. If it is lost for good: pbm-admin keys forget"
)


def list_keys(settings: Settings) -> tuple[str, ...]:
    """The ids of all keys, the one that signs first. Raises OperatorError."""
    if not settings.secret_key and not settings.key_file.exists():
        raise OperatorError(f"There is no key file {settings.key_file}. See: pbm-admin check")
    return tuple(key.id for key in load_keys(settings.key_file, settings.secret_key or None))


def rotate_keys(settings: Settings, session: OperatorSession) -> str:
    """Add a key that signs from now on; return its id. Raises OperatorError."""
    how = "Put a new one before those that are there, with a comma between; the first one signs."
    file = _file_of(settings, how)
    key = add_key(file)
    with session.act(None) as act:
        act.note("key added", key=key.id)
        note_keys(act.work, load_keys(file), act.now)
    return key.id


def drop_old_key(settings: Settings, session: OperatorSession, key_id: str, why: str) -> None:
    """Drop a key; reply addresses signed with it become invalid. Raises OperatorError."""
    file = _file_of(settings, "Take the one to be dropped out of it.")
    with session.act(why) as act:
        act.note("key dropped", key=key_id)
        drop_key(file, key_id)
        note_keys(act.work, load_keys(file), act.now)


def forget_keys(settings: Settings, clock: Clock, who: str, why: str) -> list[str]:
    """Forget lost keys; return their ids as far as known. Raises OperatorError.

    If no key is left, the server makes one when it starts.
    """
    reason, now = reason_of(why), clock()
    database = Database(settings.database_url)
    try:
        with database.transaction() as work:
            lost = forget_lost_keys(work, settings, now)
            work.changes.add(
                who=hand_of(who),
                why=reason,
                what="keys forgotten",
                now=now,
                details={"keys": ", ".join(lost)},
            )
        return lost
    finally:
        database.close()


def _file_of(settings: Settings, how: str) -> Path:
    if settings.secret_key:
        raise OperatorError(_FROM_SETTING.format(how=how))
    return settings.key_file


def open_keyring(work: UnitOfWork, settings: Settings, now: datetime) -> Keyring:
    """The keys of these settings, created if there are no players yet.

    Raises OperatorError if the database knows others.
    """
    refuse_other_keys(work, settings, now)
    return load_keyring(settings.key_file, settings.secret_key or None)


def refuse_other_keys(work: UnitOfWork, settings: Settings, now: datetime) -> None:
    """Raise OperatorError if these keys would invalidate replies to earlier mails."""
    marks, known = _marks_here(settings), _known(work)
    lost = [mark for mark in known or () if mark not in marks]
    if not (lost or (known is None and not marks)) or not _matters(work, now):
        return
    place = "PBM_SECRET_KEY" if settings.secret_key else str(settings.key_file.absolute())
    which = " and ".join(f"key {_id_of(mark)}" for mark in lost) or "the key"
    state = "not in" if marks else "gone with"
    raise OperatorError(
        f"Mails that players have were signed with {which}, {state} {place}. Without it they "
        f"cannot be answered, and no other is made. {_WHAT_TO_DO}"
    )


def note_keys(work: UnitOfWork, keys: Iterable[Key], now: datetime) -> None:
    """Store the marks of these keys only."""
    marks = list(map(mark_of, keys))
    fact = work.facts.find(_KEYS)
    if fact is None or fact.value != marks:
        work.facts.note(_KEYS, marks, now)


def forget_lost_keys(work: UnitOfWork, settings: Settings, now: datetime) -> list[str]:
    """Store the marks of the present keys only; return the ids of lost ones."""
    marks, known = _marks_here(settings), _known(work)
    work.facts.note(_KEYS, marks, now)
    return [_id_of(mark) for mark in known or () if mark not in marks]


def unlearn_keys(work: UnitOfWork) -> None:
    """Delete all marks; the next server to start stores its own."""
    work.facts.forget(_KEYS)


def _marks_here(settings: Settings) -> list[str]:
    if not settings.secret_key and not settings.key_file.exists():
        return []
    return list(map(mark_of, load_keys(settings.key_file, settings.secret_key or None)))


def _known(work: UnitOfWork) -> Iterable[str] | None:
    """The marks of the keys in use; None before the first server start."""
    fact = work.facts.find(_KEYS, lock=True)
    return None if fact is None else [str(mark) for mark in fact.value]


def _matters(work: UnitOfWork, now: datetime) -> bool:
    """Whether a mail of ours may exist, or another process sends some."""
    if work.players.is_any_reachable():
        return True
    return work.is_shared and bool(those_beating(work.heartbeats.all(), now))


def _id_of(mark: str) -> str:
    return mark.partition(" ")[0]
