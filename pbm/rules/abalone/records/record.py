"""A whole game as one value, and how it is played through again."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

from pbm.rules.abalone.layouts import start
from pbm.rules.abalone.moves import LineMove
from pbm.rules.abalone.notation import parse_move
from pbm.rules.abalone.position import AbalonePlayed, AbalonePosition
from pbm.rules.contract import (
    ENDING_HOWS,
    LEAVING_HOWS,
    Ending,
    Leaving,
    RecordError,
    RulesError,
    SetupError,
    Step,
)

LONGEST_VALUE = 200
"""Characters of a tag's value, or of a player's name."""

MOST_TAGS = 50

RESERVED = frozenset(
    "black white variant players teams pillar notation result".split()
    + [f"seat{seat}" for seat in range(1, 7)]
)
"""Tags that repeat other fields of a record, in lower case."""

LONGEST_NAME = 40
"""Characters of a tag's name."""

_TAG_NAME = re.compile(f"[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_NAME - 1}}}", re.ASCII)
_WITHOUT_WINNERS = ("agreed", "claimed", "closed")
_LONGEST_QUOTE = 60


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One step of a game and its result.

    `ply` counts the moves up to and with this step, `number` the rounds, from 1. `seat` moved or
    left; `skipped` are the seats that were passed over before it moved. `step` is in canonical
    text, `played` is None for a leaving.
    """

    step: Step
    seat: int
    ply: int
    number: int
    skipped: tuple[int, ...]
    played: AbalonePlayed | None
    before: AbalonePosition
    position: AbalonePosition


class Replayer:
    """A game in progress; a step that the rules refuse raises RecordError."""

    def __init__(self, start: AbalonePosition) -> None:
        self.position = start
        self.ply = 0
        self._number = 1
        self._next = 1  # the seat that would be next if none were skipped
        self._shown = 0  # `--` that have been read since the last move

    def move(
        self, text: str, parse: Callable[[str, AbalonePosition], LineMove] = parse_move
    ) -> RecordedStep:
        """Play the move that a text means in a notation."""
        before, seat = self.position, self.position.turn or 0
        try:
            played = before.play(parse(text, before))
        except RulesError as error:
            raise self._refused(error, text, seat) from error
        players, number = before.players, self._number_of(seat)
        ahead = range((seat - self._next) % players)
        skipped = tuple((self._next - 1 + index) % players + 1 for index in ahead)
        self._next = seat % players + 1
        self._number = number + (self._next == 1)
        self.position, self.ply, self._shown = played.position, self.ply + 1, 0
        return RecordedStep(
            str(played.move), seat, self.ply, number, skipped, played, before, self.position
        )

    def leave(self, step: Leaving) -> RecordedStep:
        """Take a seat out of the game."""
        before, seat = self.position, step.seat
        if step.how not in LEAVING_HOWS:
            raise RecordError("bad-ending", fault="leaving", words=list(LEAVING_HOWS))
        try:
            self.position = before.leave(seat)
        except RulesError as error:
            given = shown(str(step))
            told = {**error.params, "seat": seat, "after": self.ply}
            raise RecordError(error.reason, ply=self.ply, given=given, **told) from error
        return RecordedStep(step, seat, self.ply, self._number, (), None, before, self.position)

    def step(self, step: Step) -> RecordedStep:
        """Do either, a move being in the usual notation."""
        return self.leave(step) if isinstance(step, Leaving) else self.move(step)

    def skip(self, text: str) -> None:
        """Read a sign for a seat that is passed over; it must be one that cannot move."""
        turn = self.position.turn
        seat = (self._next + self._shown - 1) % self.position.players + 1
        if turn is None or seat == turn:
            raise self._refused(RulesError("not-skipped", over=not turn), text, seat)
        self._shown += 1

    def _number_of(self, seat: int) -> int:
        """The round in which a seat moves next."""
        return self._number + (seat < self._next)

    def _refused(self, error: RulesError, given: str, seat: int) -> RecordError:
        number = self._number_of(seat or self._next)
        where = {"ply": self.ply + 1, "number": number, "given": shown(given)}
        mover = {"seat": seat} if seat else {}  # no seat is to move once the game is over
        return RecordError(error.reason, **{**error.params, **where, **mover})


@dataclass(frozen=True)
class Record:
    """A game from its start: who played, every step, and how it ended.

    `board` is one of `rules.BOARDS`; `names` has one name for each seat, an empty one if it is not
    known. `steps` may be given in any spelling of the notation and are kept in canonical text.
    `ended` says how the game ended if the rules alone do not end it. `tags` are kept in their
    order: Event, Site, Date, Round or any other. `better` are remarks, which only `apgn` writes and
    no form reads: for a ply, or the one after the last, the moves of the best line from there.

    Raises RecordError for a game that the rules do not allow, and for names and tags that cannot be
    written down.
    """

    board: str = "standard"
    players: int = 2
    teams: bool = False
    pillar: bool = False
    names: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    ended: Ending | None = None
    tags: tuple[tuple[str, str], ...] = ()
    better: tuple[tuple[int, tuple[str, ...]], ...] = field(default=(), compare=False)
    replayed: tuple[RecordedStep, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        replayed = tuple(map(Replayer(self.start).step, self.steps))
        self._keep("replayed", replayed)
        self._keep("steps", tuple(each.step for each in replayed))
        self._keep("names", tuple(self.names) or ("",) * self.players)
        self._keep("tags", tuple(self.tags))
        self._check_names()
        self._check_tags()
        if self.ended:
            self._check_ended(self.ended)

    @property
    def start(self) -> AbalonePosition:
        """The position before the first step; raises RecordError if there is no such board."""
        try:
            return start(self.board, self.players, teams=self.teams, pillar=self.pillar)
        except SetupError as error:
            raise RecordError(error.reason, **error.params) from error

    @property
    def final(self) -> AbalonePosition:
        """The position after the last step."""
        return self.replayed[-1].position if self.replayed else self.start

    @property
    def winners(self) -> tuple[int, ...] | None:
        """The winning seats, none of them for a draw; None if there is no result."""
        if self.ended:
            return self.ended.result
        return self.final.outcome.winners if self.final.outcome else None

    @property
    def plies(self) -> int:
        """The number of moves."""
        return sum(isinstance(step, str) for step in self.steps)

    def _keep(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_ended(self, ended: Ending) -> None:
        if ended.how not in ENDING_HOWS:
            raise RecordError("bad-ending", fault="ending", words=list(ENDING_HOWS))
        if ended.winners and ended.how in _WITHOUT_WINNERS:
            raise RecordError("bad-ending", fault="no-winners", how=ended.how)
        if ended.winners != tuple(seat for seat in self.final.seats if seat in ended.winners):
            raise RecordError("bad-ending", fault="winners", last=self.players)
        if self.final.outcome:
            raise RecordError("bad-ending", fault="over", how=ended.how)

    def _check_names(self) -> None:
        if len(self.names) != self.players:
            told = {"names": len(self.names), "players": self.players}
            raise RecordError("bad-names", fault="count", **told)
        for seat, name in enumerate(self.names, 1):
            if not _is_writable(name):
                raise RecordError("bad-names", fault="letters", whose=seat, most=LONGEST_VALUE)

    def _check_tags(self) -> None:
        if len(self.tags) > MOST_TAGS:
            raise RecordError("bad-tag", fault="number", most=MOST_TAGS)
        known: set[str] = set()
        for name, value in self.tags:
            if not _TAG_NAME.fullmatch(name):
                raise RecordError("bad-tag", fault="name", most=LONGEST_NAME)
            if name.lower() in known:
                raise RecordError("bad-tag", fault="twice", tag=name)
            known.add(name.lower())
            # A Termination could be read as the way in which the game ended.
            if name.lower() in RESERVED or (
                name.lower() == "termination"
                and (is_termination(value) or (self.ended and self.ended.how != "record"))
            ):
                raise RecordError("bad-tag", fault="made", tag=name)
            if not _is_writable(value):
                raise RecordError("bad-tag", fault="letters", tag=name, most=LONGEST_VALUE)


def is_termination(text: str) -> bool:
    """Whether the tag Termination with this value says how a game ended here."""
    return text.strip().lower() in ENDING_HOWS


def is_control(character: str) -> bool:
    """Whether a character can stand in no name and no tag: controls, line breaks, surrogates."""
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


def _is_writable(text: str) -> bool:
    return len(text) <= LONGEST_VALUE and not any(map(is_control, text))


def shown(text: str) -> str:
    """A text from a record as a sentence can have it: short and on one line."""
    short = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"
    return "".join(character if character.isprintable() else "�" for character in short)
