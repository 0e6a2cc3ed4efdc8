"""Players who may be meant by a handle that nobody has."""

from string import ascii_lowercase, digits

from pbm.nearest import nearest, one_slip_away
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player

_LONGEST = 16  # characters of a handle
_LETTERS = f"{ascii_lowercase}{digits}-_"


def handles_like(work: UnitOfWork, handle: str, asker: Player | None = None) -> list[str]:
    """Players who can play and whose handle is one slip away, two at most; never the asker.

    What a slip could have been is looked up, so that the work is the same among any number of
    players.
    """
    if len(handle) > _LONGEST:
        return []
    found = work.players.active_among(one_slip_away(handle, _LETTERS))
    return nearest(handle, sorted(found - {asker.handle if asker else ""}), alike=0)
