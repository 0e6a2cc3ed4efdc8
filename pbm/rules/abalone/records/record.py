"""A whole game as one value."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pbm.rules.abalone.layouts import start
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.abalone.records.replay import Replay, Replayed
from pbm.rules.abalone.records.steps import ENDING_HOWS, Ending, Step, check_ending
from pbm.rules.contract import RecordError, SetupError

LONGEST_VALUE = 200
"""Characters that a tag's value, or a player's name, may have."""

MOST_TAGS = 50

RESERVED = frozenset(
    "black white variant players teams pillar notation result".split()
    + [f"seat{seat}" for seat in range(1, 7)]
)
"""Tags that say what other fields of a record hold, in lower case."""

LONGEST_NAME = 40
"""Characters of a tag's name."""

_TAG_NAME = re.compile(f"[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_NAME - 1}}}", re.ASCII)


@dataclass(frozen=True)
class Record:
    """A game from its start: who played, every step, and how it ended. It never changes.

    `board` is one of `rules.BOARDS`, `names` has one name for each seat, an empty one if it is not
    known. `steps` may be given in any spelling that the notation allows; they are kept in canonical
    text. `ended` says how the game ended if the rules alone do not end it. `tags` are kept as they
    are given, in this order: Event, Site, Date, Round or any other. `better` are remarks, which no
    form but `apgn` has and none gives back: for a ply, or the one after the last, the moves of the
    best line from there.

    Raises RecordError for a game that the rules do not allow, and for names and tags that cannot be
    written down. `final` is the position after the last step.
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
    final: AbalonePosition = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        position, steps = self.start, []
        for replayed in _replay(position, self.steps):
            position = replayed.position
            steps.append(replayed.step)
        self._keep("steps", tuple(steps))
        self._keep("final", position)
        self._keep("names", tuple(self.names) or ("",) * self.players)
        self._keep("tags", tuple(self.tags))
        self._check_names()
        self._check_tags()
        if self.ended:
            check_ending(self.ended, position.seats)
            if position.outcome:
                raise RecordError("bad-ending", fault="over", how=self.ended.how)

    @property
    def start(self) -> AbalonePosition:
        """The position before the first step; raises RecordError if there is no such board."""
        try:
            return start(self.board, self.players, teams=self.teams, pillar=self.pillar)
        except SetupError as error:
            raise RecordError(error.reason, **error.params) from error

    @property
    def winners(self) -> tuple[int, ...] | None:
        """The winning seats, none of them for a draw; None if there is no result."""
        if self.ended:
            return self.ended.result
        return self.final.outcome.winners if self.final.outcome else None

    @property
    def by(self) -> str | None:
        """What ended the game: `ejections`, `last` or `none` by the rules, or `ended.how`."""
        if self.ended:
            return self.ended.how
        return self.final.outcome.by if self.final.outcome else None

    @property
    def plies(self) -> int:
        """How many moves were played."""
        return sum(1 for step in self.steps if isinstance(step, str))

    def tag(self, name: str) -> str | None:
        """The value of a tag, its name in capitals or not; None if there is no such tag."""
        found = (value for other, value in self.tags if other.lower() == name.lower())
        return next(found, None)

    def replay(self) -> Iterator[Replayed]:
        """The steps in order, each with its ply, its number and the position that it leads to."""
        return _replay(self.start, self.steps)

    def _keep(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

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
            if name.lower() in RESERVED or self._says_ending(name, value):
                raise RecordError("bad-tag", fault="made", tag=name)
            if not _is_writable(value):
                raise RecordError("bad-tag", fault="letters", tag=name, most=LONGEST_VALUE)

    def _says_ending(self, name: str, value: str) -> bool:
        """Whether a tag would be read as the way in which the game ended."""
        if name.lower() != "termination":
            return False
        return is_termination(value) or (self.ended is not None and self.ended.how != "record")


def is_termination(text: str) -> bool:
    """Whether the tag Termination with this value says how a game ended here."""
    return text.strip().lower() in ENDING_HOWS


def is_control(character: str) -> bool:
    """Whether a character can stand in no name and no tag: controls, line breaks, surrogates."""
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


def _is_writable(text: str) -> bool:
    return len(text) <= LONGEST_VALUE and not any(map(is_control, text))


def _replay(position: AbalonePosition, steps: Iterable[Step]) -> Iterator[Replayed]:
    replay = Replay(position)
    return map(replay.step, steps)
