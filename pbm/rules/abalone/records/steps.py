"""How a game ends that the rules alone do not end."""

from pbm.rules.contract import ENDING_HOWS, LEAVING_HOWS, Ending, Leaving, RecordError, Step

HOWS = LEAVING_HOWS
_WITHOUT_WINNERS = ("agreed", "claimed", "closed")

__all__ = ["ENDING_HOWS", "HOWS", "Ending", "Leaving", "Step", "check_ending"]


def check_ending(ending: Ending, seats: range) -> None:
    """Raise RecordError if no game of these seats can end so."""
    if ending.how not in ENDING_HOWS:
        raise RecordError("bad-ending", fault="ending", words=list(ENDING_HOWS))
    if ending.winners and ending.how in _WITHOUT_WINNERS:
        raise RecordError("bad-ending", fault="no-winners", how=ending.how)
    if ending.winners != tuple(seat for seat in seats if seat in ending.winners):
        raise RecordError("bad-ending", fault="winners", last=len(seats))
