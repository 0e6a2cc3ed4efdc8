"""Words of the operator to all players: who gets them, and how far they have gone out."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from pbm.errors import OperatorError
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

LONGEST = 10_000  # characters
AT_ONCE, EVERY = 20, timedelta(seconds=20)  # sixty mails a minute
SECTION, LIST = "broadcast", "broadcasts"
UNSUBSCRIBED = "b"  # stands in the address that ends them
_FACT = "broadcast"


def why_not(player: Player) -> str | None:
    """Return why a player gets no broadcast, in words for the operator; None if the player does."""
    if not (player.is_active and player.addresses):
        return "have left, or are suspended"
    if player.unreachable_since is not None:
        return "are not reached by mail"
    return None if player.settings.broadcasts else "want none"


def begin(work: UnitOfWork, lines: Sequence[str], now: datetime) -> None:
    """Let a broadcast go out from now on. Raises OperatorError if another one still does."""
    if work.facts.find(_FACT, lock=True):
        raise OperatorError("A broadcast is still going out. Wait until it has come to all.")
    work.facts.note(_FACT, {"lines": list(lines), "after": 0}, now)
    work.timers.set(TimerKind.BROADCAST, "", now, now)


def next_readers(work: UnitOfWork, now: datetime) -> tuple[dict[str, Any], list[Player], bool]:
    """Return the section of the mail, the next players who get it, and whether others follow.

    They count as written to.
    """
    fact = work.facts.find(_FACT, lock=True)
    if fact is None:
        return {}, [], False
    lines, after = fact.value["lines"], fact.value["after"]
    some = work.players.after(after, most=AT_ONCE)
    if len(some) < AT_ONCE:
        work.facts.forget(_FACT)
    else:
        work.facts.note(_FACT, {"lines": lines, "after": some[-1].id}, now)
    readers = [player for player in some if why_not(player) is None]
    return {"section": SECTION, "lines": lines}, readers, len(some) == AT_ONCE
