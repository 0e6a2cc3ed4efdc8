"""Keys that sign reply addresses; the database has their fingerprints, to detect wrong keys."""

from collections.abc import Iterable
from contextlib import closing
from datetime import datetime

from pbm.clock import Clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.keys import Key, Keyring, add_key, drop_key, load_keyring, load_keys, mark_of
from pbm.service.health.processes import those_beating
from pbm.service.operator.operator_session import OperatorSession
from pbm.store.db import Database, UnitOfWork

_KEYS = "keys"
_WHAT_TO_DO = (
    "Bring it back: it is in every backup (as secret.key), and in the folder, or on the machine, "
    "in which the server was started before. If it is lost for good: pbm-admin keys forget"
)


def list_keys(settings: Settings) -> tuple[str, ...]:
    """Return the ids of all keys, beginning with the key that signs."""
    keys = _keys_here(settings)
    if not keys:
        raise OperatorError(f"There is no key file {settings.key_file}. See: pbm-admin check")
    return tuple(key.id for key in keys)


def rotate_keys(settings: Settings, session: OperatorSession) -> str:
    """Add a key that signs from now on, also in a running server; return its id."""
    how = "Put a new one before those that are there, with a comma between; the first one signs."
    _refuse_setting(settings, how)
    if session.is_dry:
        return "with a new id"
    key = add_key(settings.key_file)
    with session.act(None) as act:
        act.note("key added", key=key.id)
        note_keys(act.work, load_keys(settings.key_file), act.now)
    return key.id


def drop_old_key(settings: Settings, session: OperatorSession, key_id: str, why: str) -> None:
    """Drop a key; reply addresses signed with it become invalid."""
    _refuse_setting(settings, "Take the one to be dropped out of it.")
    with session.act(why) as act:
        act.note("key dropped", key=key_id)
        drop_key(settings.key_file, key_id, only_look=session.is_dry)
        note_keys(act.work, load_keys(settings.key_file), act.now)


def forget_keys(
    settings: Settings, clock: Clock, who: str, why: str, *, only_look: bool = False
) -> list[str]:
    """Forget the fingerprints of lost keys, unless `only_look`; return the keys' ids."""
    from pbm.service.operator.operator_turn import hand_of, reason_of

    reason, now = reason_of(why), clock()
    with closing(Database(settings.database_url)) as database, database.transaction() as work:
        marks, _, lost = _marks(work, settings, lock=True)
        if only_look:
            return lost
        work.facts.note(_KEYS, marks, now)
        told = {"keys": ", ".join(lost)}
        work.changes.add(who=hand_of(who), why=reason, what="keys forgotten", now=now, details=told)
    return lost


def _refuse_setting(settings: Settings, how: str) -> None:
    if settings.secret_key:
        raise OperatorError(
            f"The keys are in PBM_SECRET_KEY, where pbm-admin can change nothing. {how} "
            "Then start the server again."
        )


def _keys_here(settings: Settings) -> tuple[Key, ...]:
    if not settings.secret_key and not settings.key_file.exists():
        return ()
    return load_keys(settings.key_file, settings.secret_key)


def open_keyring(work: UnitOfWork, settings: Settings, now: datetime) -> Keyring:
    """Load the keys of these settings, or create them. Raises OperatorError for wrong keys."""
    refuse_other_keys(work, settings, now, lock=True)
    return load_keyring(settings.key_file, settings.secret_key)


def refuse_other_keys(
    work: UnitOfWork, settings: Settings, now: datetime, *, lock: bool = False
) -> None:
    """Raise OperatorError if a key that signed mails is missing and may still be needed."""
    marks, is_known, lost = _marks(work, settings, lock=lock)
    if not lost and (is_known or marks):
        return
    if not work.players.is_any_reachable() and not (
        work.is_shared and those_beating(work.heartbeats.all(), now)
    ):
        return
    place = "PBM_SECRET_KEY" if settings.secret_key else str(settings.key_file.absolute())
    which = " and ".join(f"key {key_id}" for key_id in lost) or "the key"
    state = "not in" if marks else "gone with"
    raise OperatorError(
        f"Mails that players have were signed with {which}, {state} {place}. Without it they "
        f"cannot be answered, and no other is made. {_WHAT_TO_DO}"
    )


def _marks(
    work: UnitOfWork, settings: Settings, *, lock: bool
) -> tuple[list[str], bool, list[str]]:
    """Return the fingerprints of our keys, and two facts about the stored fingerprints.

    The first fact is whether any are stored. The second is the ids of lost keys: their
    fingerprints are stored, but no key of ours has these fingerprints.
    """
    marks, fact = list(map(mark_of, _keys_here(settings))), work.facts.find(_KEYS, lock=lock)
    known = list(map(str, fact.value)) if fact else []
    lost = [mark.partition(" ")[0] for mark in known if mark not in marks]
    return marks, fact is not None, lost


def note_keys(work: UnitOfWork, keys: Iterable[Key], now: datetime) -> None:
    """Store the fingerprints of these keys, and delete all others."""
    marks = list(map(mark_of, keys))
    fact = work.facts.find(_KEYS)
    if fact is None or fact.value != marks:
        work.facts.note(_KEYS, marks, now)


def unlearn_keys(work: UnitOfWork) -> None:
    """Delete all fingerprints; the next start of a server stores those of its keys."""
    work.facts.forget(_KEYS)
