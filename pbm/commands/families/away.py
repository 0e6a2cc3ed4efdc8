"""Commands about time: vacations, pauses, and time for the others."""

from collections.abc import Iterator
from datetime import timedelta
from typing import ClassVar

from pbm.commands.language.arguments import LongSpan
from pbm.commands.language.context import Context
from pbm.commands.language.days import Days, DaysKind
from pbm.commands.language.declare import BoardCommand, Command, Danger, operand
from pbm.commands.language.words import BoardKind, BoardRef
from pbm.events import Answered, Event
from pbm.events.board import OfferKind
from pbm.play.clocks import vacations
from pbm.play.clocks.pauses import LONGEST_GIFT, SHORTEST_GIFT, give_time
from pbm.play.clocks.terms import write_duration
from pbm.play.offers import PAUSE, RESUME, ask_all


class TakeVacation(Command, group="account"):
    """Stop your clocks while you are away."""

    words = ("vacation", "holiday")
    examples = ("vacation 2026-12-20 2027-01-03", "vacation tomorrow 10d", "vacation")
    danger = Danger.UNPROVEN

    days: Days | None = operand(DaysKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        if self.days is None:
            yield _vacations(context)
            return
        arrived = context.turn.arrived
        asked = self.days.on(vacations.today_of(context.player, arrived))
        first, last = vacations.take_vacation(context.work, context.player, *asked, arrived)
        yield _vacations(context, first=str(first), last=str(last))

    def pinned(self, context: Context) -> str:
        if self.days is None:
            return self.words[0]
        first, last = self.days.on(vacations.today_of(context.player, context.turn.arrived))
        return f"{self.words[0]} {first} {last}"


class Back(Command, group="account"):
    """End your vacation: your clocks run again from tomorrow on."""

    words = ("back",)

    def run(self, context: Context) -> Iterator[Event]:
        had_begun = vacations.come_back(context.work, context.player, context.turn.arrived)
        yield Answered("back", {"had_begun": had_begun})


def _vacations(context: Context, **taken: str) -> Answered:
    player, now = context.player, context.turn.arrived
    known = context.work.vacations.of_player(player.id, vacations.today_of(player, now))
    coming = [
        {"first": str(item.first_day), "last": str(item.last_day), "board": item.board_id}
        for item in known
    ]
    left = vacations.days_left(context.work, player, now)
    told = {"coming": coming, "left": left, "most": vacations.DAYS_A_YEAR}
    return Answered("vacation", {**told, **taken})


class Pause(BoardCommand, group="play"):
    """Ask the others to stop the clocks of a board for a while."""

    words = ("pause",)
    comes_last = True
    offer: ClassVar[OfferKind] = PAUSE

    def run(self, context: Context) -> Iterator[Event]:
        board = context.own_game(self.board)
        yield from ask_all(context.work, board, self.offer, context.player.id, context.now)


class Resume(Pause, group="play"):
    """Ask the others to let the clocks of a paused board run again."""

    words = ("resume",)
    examples = ("resume", "resume 12")
    offer: ClassVar[OfferKind] = RESUME


class Give(Command, group="play"):
    """Give the others more time."""

    words = ("give",)
    examples = ("give 3d", "give 2 weeks", "give 3d 12")

    time: timedelta = operand(LongSpan(SHORTEST_GIFT, LONGEST_GIFT))
    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        board = context.own_game(self.board)
        yield give_time(context.work, board, context.player, self.time, context.now)

    def pinned(self, context: Context) -> str:
        return f"give {write_duration(self.time)} {context.own_board(self.board).id}"
