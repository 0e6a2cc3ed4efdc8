"""Commands to find opponents without knowing anybody.

A seek is an open challenge: anybody may join it, until all its seats are taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import ClassVar

from pbm.commands.families.lobby import Challenge
from pbm.commands.language.arguments import (
    PLAYER_COUNT,
    SEEK_NUMBER,
    RatingRange,
    SeekOrAll,
    Span,
    Team,
)
from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command, operand, option
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play import seeks
from pbm.play.begin import robot_to_begin_with
from pbm.play.limits import PAIRING_STANDS, SEEK_STANDS
from pbm.play.listings import open_seeks, seeks_data
from pbm.rules.robots import WEAKEST
from pbm.store.values.asking import Seek, Wish

_SHORTEST, _LONGEST = timedelta(days=1), timedelta(weeks=8)


class Play(Command, group="lobby"):
    """Be paired with the next player who wants a game."""

    words = ("play",)
    stands_alone = True
    plainly = 'Answer any mail of ours with "play". The first board comes as soon as there are two.'

    def run(self, context: Context) -> Iterator[Event]:
        setup = seeks.usual_setup(self.game.info.name)
        wish = seeks.wish_for(setup, seeks.fewest_players(setup))
        yield from _sought(context, replace(wish, pairs=True), PAIRING_STANDS)

    def pinned(self, context: Context) -> str:
        return self.of_its_game(self.words[0])


class SeekOthers(Challenge):
    """Offer a game to whoever wants to play it."""

    words = ("seek",)
    prefix = ""
    plainly = ""
    examples: ClassVar[tuple[str, ...]] = (
        "seek 3",
        "seek",
        "seek -rating=1200-1600",
        "seek -forfeittime=10d -unrated",
    )

    opponents: tuple[Team, ...] = ()
    seats: tuple[Team, ...] | None = None
    random: bool = False  # no option, as lots are always drawn
    rating: tuple[int | None, int | None] | None = option("rating", RatingRange())
    expires: timedelta | None = option("expires", Span(_SHORTEST, _LONGEST))
    players: int | None = operand(PLAYER_COUNT, optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        least, most = self.rating or (None, None)
        number = self.players or seeks.fewest_players(self._setup(0))
        setup, wishes = self._setup(number), tuple(self._options())
        wish = seeks.wish_for(setup, number)
        wish = replace(wish, wishes=tuple(wishes), least=least, most=most)
        yield from _sought(context, wish, self.expires or SEEK_STANDS)

    pinned = Command.pinned  # a seek names no players


class ListSeeks(Command, group="lobby"):
    """List the games that others offer, those that you can join first."""

    words = ("seeks", "offers")
    reads_only = True

    def run(self, context: Context) -> Iterator[Event]:
        yield Answered("seeks", open_seeks(context.work, context.player, context.now))


class Join(Command, group="lobby"):
    """Take a seat in a game that another player seeks."""

    takes_login = True
    words = ("join",)
    examples = ("join 3",)

    number: int = operand(SEEK_NUMBER)

    def run(self, context: Context) -> Iterator[Event]:
        lots = context.turn.site.shuffled
        done = seeks.join_seek(context.work, self.number, context.player, context.now, lots)
        yield from _outcome(context, done)
        if isinstance(done, Seek):
            yield seeks.has_joined(done, context.player)


class Unseek(Command, group="lobby"):
    """Take back a seek of yours, or your seat in somebody else's."""

    words = ("unseek",)
    examples = ("unseek", "unseek 3", "unseek all")

    number: int | str | None = operand(SeekOrAll(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        context.work.seeks.lock()
        for seek in self._meant(context):
            yield from seeks.leave_seek(context.work, seek, context.player)
            own, pairs = seek.maker.player_id == context.player.id, seek.wish.pairs
            told = {"number": seek.id, "own": own, "pairs": pairs, "by": seek.maker.handle}
            yield Answered("unseek", told)

    def pinned(self, context: Context) -> str:
        number = self._meant(context)[0].id
        return f"{self.words[0]} {SeekOrAll.ALL if self.number == SeekOrAll.ALL else number}"

    def _meant(self, context: Context) -> Sequence[Seek]:
        own = context.work.seeks.of_player(context.player.id)
        if own and (self.number == SeekOrAll.ALL or (self.number is None and len(own) == 1)):
            return own
        if not isinstance(self.number, int):
            raise Refusal("which-seek", seeks=[seek.id for seek in own])
        found = [seek for seek in own if seek.id == self.number]
        if not found:
            raise Refusal("not-in-seek", seek=seeks.find_seek(context.work, self.number).id)
        return found


def _sought(context: Context, wish: Wish, lasts: timedelta) -> Iterator[Event]:
    """Open a seek, or start a board with players who wait for such a game."""
    given = (context.work, wish, context.player, context.now, lasts, context.turn.site.shuffled)
    yield from _outcome(context, seeks.make_seek(*given))


def _outcome(context: Context, done: Seek | list[Event]) -> Iterator[Event]:
    if not isinstance(done, Seek):
        yield from done
        return
    (seek,) = seeks_data(context.work, [done], context.player, context.now)
    wish = done.wish
    robot = robot_to_begin_with(context.work, wish.game, context.player) if wish.pairs else None
    told = {**seek, "joined": not seek["own"]}
    told |= {"robot": robot, "fits": robot != WEAKEST}
    yield Answered("seeking", told)
