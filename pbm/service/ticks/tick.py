"""A timer at hand: everything that doing it needs, and what can come of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbm.play.clocks.outages import is_down
from pbm.play.turn import Turn
from pbm.service.trouble.mail_numbers import incoming
from pbm.store.values.timers import Timer

LOOK_AGAIN_AFTER = timedelta(minutes=10)  # while mails that came in time wait for their turns


@dataclass(frozen=True)
class Done:
    """It is done, or there is nothing to do any more; `told` is for the log."""

    told: str


@dataclass(frozen=True)
class Again:
    """It is to come again at a moment."""

    at: datetime
    told: str


@dataclass(frozen=True, kw_only=True)
class Tick(Turn):
    """The turn in which a timer is done."""

    timer: Timer

    def waits_for_mail(self, until: datetime) -> Again | None:
        """To look again soon, while a mail that came until a moment has not had its turn.

        To be asked before anything is done to somebody for want of a mail: what counts is when a
        mail came. One that is stuck holds nothing up. While no mail can come in it is always so:
        that time is given back once it is over.
        """
        if is_down(self.work, self.now):
            return Again(self.now + LOOK_AGAIN_AFTER, "no mail can come in")
        oldest = self.work.inbox.longest_waiting()
        if oldest is None or oldest[1] > until:
            return None
        return Again(
            self.now + LOOK_AGAIN_AFTER, f"mail {incoming(oldest[0])} came before and waits"
        )


Do = Callable[[Tick], Done | Again]
"""What is done when a timer of some kind comes. Done twice it changes nothing."""
