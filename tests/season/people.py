"""Who plays in the season: people with habits, in zones of their own."""

from dataclasses import dataclass
from random import Random

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata")


@dataclass(frozen=True)
class Habit:
    """How somebody plays by mail.

    `eager`: the chance to answer a board that waits, each half day. `stays`: the days after which
    no mail comes any more. `comes_back`: mail to this address bounces for that long, from a day
    on. Other numbers are chances, each half day.
    """

    zone: str
    weekends: bool
    eager: float
    stays: float
    begins: float
    talks: float
    bounces: tuple[float, float] | None = None

    def writes_on(self, day: float) -> bool:
        """Whether a mail of this person may come."""
        return day < self.stays and not self.is_unreachable(day)

    def is_unreachable(self, day: float) -> bool:
        """Whether mail to this person comes back."""
        return self.bounces is not None and self.bounces[0] <= day < self.bounces[1]


def habit(chance: Random, number: int, days: float) -> Habit:
    """The habits of one of many: each fourth vanishes some day, each ninth bounces for a while."""
    vanishes, bounces = number % 4 == 1, number % 9 == 2
    begins = chance.uniform(0.2, 0.6) * days
    return Habit(
        zone=ZONES[number % len(ZONES)],
        weekends=number % 3 != 0,
        eager=chance.choice((0.1, 0.2, 0.3, 0.5)),
        stays=chance.uniform(0.2, 0.8) * days if vanishes else days,
        begins=chance.uniform(0.01, 0.06),
        talks=0.12,
        bounces=(begins, begins + chance.choice((4, 20, 50))) if bounces else None,
    )
