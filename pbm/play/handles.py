"""Suggestions for an unknown handle."""

from string import ascii_lowercase, digits

from pbm.nearest import nearest, one_slip_away
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player

_LONGEST = 16  # characters of a handle
_LETTERS = f"{ascii_lowercase}{digits}-_"


def handles_like(work: UnitOfWork, handle: str, asker: Player | None = None) -> list[str]:
    """At most two active players whose handle is one slip away; never the asker.

    All possible slips are looked up, so that the cost does not depend on the number of players.
    """
    if len(handle) > _LONGEST:
        return []
    found = work.players.active_among(one_slip_away(handle, _LETTERS))
    return nearest(handle, sorted(found - {asker.handle if asker else ""}), alike=0)
