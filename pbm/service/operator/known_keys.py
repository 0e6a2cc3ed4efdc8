"""The keys that reply addresses were signed with, as the database knows them.

It holds their marks and no key: so keys that are gone, or another folder's, are found out before
they sign anything, and while the replies to earlier mails are not lost yet.
"""

from collections.abc import Iterable
from datetime import datetime

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.keyfile import Key, load_keys
from pbm.mail.tags import Keyring, load_keyring, mark_of
from pbm.service.operator.roles import those_beating
from pbm.store.db import UnitOfWork

_KEYS = "keys"
_WHAT_TO_DO = (
    "Bring it back: it is in every backup (as secret.key), and in the folder, or on the machine, "
    "in which the server was started before. If it is lost for good: pbm-admin keys forget"
)


def open_keyring(work: UnitOfWork, settings: Settings, now: datetime) -> Keyring:
    """The keys of these settings; where nobody plays yet a file is made for them.

    Raises OperatorError where they are not those that the database knows.
    """
    refuse_other_keys(work, settings, now)
    return load_keyring(settings.key_file, settings.secret_key or None)


def refuse_other_keys(work: UnitOfWork, settings: Settings, now: datetime) -> None:
    """Raises OperatorError where replies to earlier mails would be refused with the keys that are
    here. Makes none."""
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
    """Know these keys from now on, and no others."""
    marks = list(map(mark_of, keys))
    fact = work.facts.find(_KEYS)
    if fact is None or fact.value != marks:
        work.facts.note(_KEYS, marks, now)


def forget_lost_keys(work: UnitOfWork, settings: Settings, now: datetime) -> list[str]:
    """Know only those keys that are here; return the ids of the others."""
    marks, known = _marks_here(settings), _known(work)
    work.facts.note(_KEYS, marks, now)
    return [_id_of(mark) for mark in known or () if mark not in marks]


def unlearn_keys(work: UnitOfWork) -> None:
    """Know no keys; the server that starts next notes those that it has."""
    work.facts.forget(_KEYS)


def _marks_here(settings: Settings) -> list[str]:
    if not settings.secret_key and not settings.key_file.exists():
        return []
    return list(map(mark_of, load_keys(settings.key_file, settings.secret_key or None)))


def _known(work: UnitOfWork) -> Iterable[str] | None:
    """The marks of the keys in use; None where no server has noted them yet."""
    fact = work.facts.find(_KEYS, lock=True)
    return None if fact is None else [str(mark) for mark in fact.value]


def _matters(work: UnitOfWork, now: datetime) -> bool:
    """Whether somebody may have a mail of ours, or another process is about to send one."""
    if work.players.is_any_reachable():
        return True
    return work.is_shared and bool(those_beating(work.heartbeats.all(), now))


def _id_of(mark: str) -> str:
    return mark.partition(" ")[0]
