"""The keys behind the reply addresses: a new one signs, the older ones verify until dropped.

A server that runs reads the file again by itself.
"""

from pathlib import Path

from pbm.clock import Clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.keyfile import add_key, drop_key, load_keys
from pbm.service.operator.known_keys import forget_lost_keys, note_keys
from pbm.service.operator.office import Office, hand_of, reason_of
from pbm.store.db import Database

_FROM_SETTING = (
    "The keys are in PBM_SECRET_KEY, where pbm-admin can change nothing. {how} "
    "Then start the server again."
)


def list_keys(settings: Settings) -> tuple[str, ...]:
    """The ids of all keys, the one that signs first. Raises OperatorError."""
    if not settings.secret_key and not settings.key_file.exists():
        raise OperatorError(f"There is no key file {settings.key_file}. See: pbm-admin check")
    return tuple(key.id for key in load_keys(settings.key_file, settings.secret_key or None))


def rotate_keys(settings: Settings, office: Office) -> str:
    """Let a new key sign from now on; return its id. Raises OperatorError."""
    how = "Put a new one before those that are there, with a comma between; the first one signs."
    file = _file_of(settings, how)
    key = add_key(file)
    with office.act(None) as act:
        act.note("key added", key=key.id)
        note_keys(act.work, load_keys(file), act.now)
    return key.id


def drop_old_key(settings: Settings, office: Office, key_id: str, why: str) -> None:
    """Let reply addresses that a key has signed be good no longer. Raises OperatorError."""
    file = _file_of(settings, "Take the one to be dropped out of it.")
    with office.act(why) as act:
        act.note("key dropped", key=key_id)
        drop_key(file, key_id)
        note_keys(act.work, load_keys(file), act.now)


def forget_keys(settings: Settings, clock: Clock, who: str, why: str) -> list[str]:
    """Go on without the keys that are lost; return their ids, as far as they are known.

    The server makes another one at its start where none is left. Raises OperatorError.
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
                player_id=None,
                board_id=None,
                details={"keys": ", ".join(lost)},
            )
        return lost
    finally:
        database.close()


def _file_of(settings: Settings, how: str) -> Path:
    if settings.secret_key:
        raise OperatorError(_FROM_SETTING.format(how=how))
    return settings.key_file
