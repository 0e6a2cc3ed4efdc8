"""The commands of who has no time to play for a while."""

from collections.abc import Iterator
from datetime import date

from pbm.commands.context import Context
from pbm.commands.declare import Command, operand
from pbm.commands.words import Day, DayRef
from pbm.events import Answered, Event
from pbm.play.clocks.vacations import DAYS_A_YEAR, come_back, take_vacation, today_of


class Vacation(Command):
    """Stop your clocks while you are away.

    Name the first and the last day. You have thirty days a year. Those who wait for your move are
    told. `back` ends it early. Your mails are read as ever: a move in your vacation counts.

    Where you forget to say it, and have made a move on a board before, the days of a year that are
    left are taken when your time there runs out, once on a board and seven at most.
    """

    words = ("vacation", "holiday")
    group = "account"
    examples = ("vacation 2026-12-20 2027-01-03", "vacation tomorrow 10d")

    first: DayRef = operand(Day("first-day"))
    last: DayRef = operand(Day("last-day"))

    def run(self, context: Context) -> Iterator[Event]:
        """Write it down, and tell the others."""
        first, last = self._days(context)
        yield from take_vacation(context.work, context.player, first, last, context.now)
        told = {"title": "your vacation", "first": str(first), "last": str(last)}
        yield Answered("vacation", {**told, "most": DAYS_A_YEAR})

    def pinned(self, context: Context) -> str:
        """Name the days."""
        first, last = self._days(context)
        return f"vacation {first} {last}"

    def _days(self, context: Context) -> tuple[date, date]:
        first = self.first.on(today_of(context.player, context.now))
        return first, self.last.on(first)


class Back(Command):
    """End your vacation: your clocks run again from today on."""

    words = ("back",)
    group = "account"
    examples = ("back",)

    def run(self, context: Context) -> Iterator[Event]:
        """Cut it short, and tell the others."""
        yield from come_back(context.work, context.player, context.now)
        yield Answered("back", {"title": "welcome back"})
