"""Kills at random moments under load, and again while the victim starts."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.torture.fleet import Fleet
from tests.torture.ledger import Ledger
from tests.torture.waiting import until

MOST_SECONDS = 0.03  # after the last of these; the random moment itself
WAVES = 0.2  # of the kills are followed by more, while the victim starts
MOST_IN_A_WAVE = 3
STARTING = 2.0  # seconds; about what a start takes, so that most of such kills fall into it


@dataclass
class Killer:
    """Kills so often, counted in the fleet's books."""

    fleet: Fleet
    ledger: Ledger
    dice: random.Random
    tell: Callable[[str], None]
    most_events: int  # acknowledgements and arrivals between two kills

    async def kill(self, times: int) -> None:
        """Kill until it was done so often. Raises NothingHappensError."""
        while (done := self.fleet.kills.total()) < times:
            await self._after_some_events()
            victim = self.fleet.choose(self.dice)
            await self._kill(victim)
            if self.dice.random() < WAVES:
                for _ in range(min(times - done - 1, self.dice.randint(1, MOST_IN_A_WAVE))):
                    await self._kill(victim, after=self.dice.random() * STARTING)
            if done // 20 != self.fleet.kills.total() // 20:
                self.tell(f"{self.fleet.kills.total()} kills, {self.ledger.events} events")

    async def _after_some_events(self) -> None:
        wanted = self.ledger.events + self.dice.randint(1, self.most_events)
        await until(lambda: self.ledger.events >= wanted, "life after a kill")
        await asyncio.sleep(self.dice.random() * MOST_SECONDS)

    async def _kill(self, victim: str, after: float = 0.0) -> None:
        """Kill once it is there; `after` so many seconds from then on."""
        await until(lambda: self.fleet.is_up(victim), f"{victim} to be there")
        await asyncio.sleep(after)
        await until(lambda: self.fleet.is_up(victim) and self.fleet.kill(victim, self.dice), victim)
