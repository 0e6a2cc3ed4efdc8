"""How a game ends that the rules alone do not end."""

from pbm.rules.abalone.errors import RecordError
from pbm.rules.contract import ENDING_HOWS, LEAVING_HOWS, Ending, Leaving, Step

HOWS = LEAVING_HOWS
_WITHOUT_WINNERS = ("agreed", "claimed", "closed")

__all__ = ["ENDING_HOWS", "HOWS", "Ending", "Leaving", "Step", "check_ending"]


def check_ending(ending: Ending, seats: range) -> None:
    """Raise RecordError if no game of these seats can end so."""
    if ending.how not in ENDING_HOWS:
        known = ", ".join(ENDING_HOWS)
        raise RecordError("bad-ending", f"A game ends by one of these words: {known}.")
    if ending.winners and ending.how in _WITHOUT_WINNERS:
        raise RecordError("bad-ending", f"A game that was {ending.how} has no winners.")
    if ending.winners != tuple(seat for seat in seats if seat in ending.winners):
        text = f"The winners are seats from 1 to {len(seats)}, each once and in order."
        raise RecordError("bad-ending", text)
