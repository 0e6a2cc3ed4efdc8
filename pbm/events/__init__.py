"""Events: what happened in one transaction. `pbm.service.telling` turns them into mails.

Each event declares who reads it, and whether it counts against limits of comments or of mails.
"""

import re
from collections.abc import Iterable
from dataclasses import Field, dataclass, field
from typing import Annotated, Any, ClassVar, dataclass_transform

PlayerId = Annotated[int, "a player"]  # in mails the player's handle stands for it


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Event:
    """Something that happened; each subclass is a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    for_sender = False  # told to the sender alone, or to others in mails without a board

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    @property
    def acted_on(self) -> int | None:
        """The number of the board that the player's command is about; None for other events."""
        return None


class BoardEvent(Event):
    """An event on a board, told to the board's players."""

    board_id: int

    acts_on_board = False  # was caused by a command about the board
    only_if_wanted = False  # mailed to others only with mails=all, or if they must act
    counts_as_words = False  # counts against the limit of comments on one board
    counts_postage = True  # counts against the limit of mails to others that one mail may cause
    happens_once = False  # cannot be repeated, so that words sent with it are not limited
    passes_turn = False  # possibly to another player
    begins_board = False
    for_watchers = False  # those who watch the board are told, too
    for_leavers = False  # players who have left the game are told, too
    exempt = False  # its mails are exempt from the limit of mails caused by others
    speaks = False  # its `player` caused or said it
    leaves = False  # that player is out of the game because of it
    for_player_only = False  # told to its `player` alone
    is_kept = True  # in `board_events`; else it is a remark to one reader, in one mail
    version = 1  # of its stored fields, see `pbm/events/kept.py`
    for_sender_only = frozenset[str]()  # fields that are not stored

    @property
    def acted_on(self) -> int | None:
        return self.board_id if self.acts_on_board else None

    @property
    def speaker(self) -> int | None:
        """The player who caused or said this; None if nobody did."""
        return vars(self).get("player") if self.speaks else None

    @property
    def only_reader(self) -> int | None:
        """The player to whom alone this is told; None if it is told to everybody on the board."""
        return vars(self).get("player") if self.for_player_only else None

    @property
    def leaver(self) -> int | None:
        """A player who is out of the game because of this event, or None."""
        return vars(self).get("player") if self.leaves else None


def is_public(event: BoardEvent) -> bool:
    """Return whether those who watch a board may learn of an event."""
    return event.for_watchers and (not isinstance(event, Commented) or event.public)


def on_boards(events: Iterable[Event]) -> list[BoardEvent]:
    return [event for event in events if isinstance(event, BoardEvent)]


def event_name(kind: type[BoardEvent]) -> str:
    """Return the name of a kind of event. A fact's template has this name, too.

    >>> event_name(MovePlayed)
    'move-played'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


class MovePlayed(BoardEvent):
    ply: int
    player: PlayerId
    move: str  # canonical
    written: str = ""  # the move as its player wrote it
    planned: bool = False  # by a plan

    acts_on_board = only_if_wanted = happens_once = passes_turn = for_watchers = True
    counts_postage = False


class PlayerLeft(BoardEvent):
    """A player is out of a game: by resigning, or because the operator removed the player."""

    player: PlayerId
    how: str

    acts_on_board = only_if_wanted = happens_once = passes_turn = leaves = for_watchers = True


class BoardEnded(BoardEvent):
    """A game is over; `by` says how, as in `Board.ended_by`."""

    by: str
    places: tuple[int, ...] | None  # of each seat, 1 the best; None without a result

    only_if_wanted = for_watchers = True
    counts_postage = False


class BoardReopened(BoardEvent):
    """A finished game goes on, or has another result. Changes of ratings have been undone."""

    only_if_wanted = passes_turn = for_leavers = for_watchers = True
    counts_postage = False


class Commented(BoardEvent):
    """A player's comment to the other players of a board."""

    player: PlayerId
    lines: tuple[str, ...] = ()
    words: int = 0  # its number in the table of comments
    hidden_from: tuple[PlayerId, ...] = ()  # players who block its author
    first: bool = False  # comment without a command: the player is told who reads it
    vacation: str | None = None  # the command to suggest if the player will be away
    asks: bool = False  # the player may have asked the server, and gets the status card
    public: bool = False  # watchers read it, too, since all players of the board want that

    counts_as_words = speaks = for_watchers = True
    for_sender_only = frozenset(("lines", "first", "vacation", "asks"))


class Reminded(BoardEvent):
    """A player was reminded to move."""

    player: PlayerId

    for_player_only = True


class BoardImported(BoardEvent):
    """A game that was played elsewhere became a board, with all moves so far."""

    player: PlayerId  # who has the record


class Answered(Event):
    """A section of the mail that answers the sender."""

    section: str  # a template in `templates/sections`
    params: dict[str, Any] = field(default_factory=dict)  # of the template, as plain data
    board_id: int | None = None
    to_all: bool = False  # the sender's other addresses get the answer, too

    for_sender = True

    @property
    def boards(self) -> list[dict[str, Any]]:
        named = self.params.get("boards", ())  # in some sections numbers
        boards = (*named, *([] if named else [self.params]))
        return [board for board in boards if isinstance(board, dict) and "diagram" in board]


class NeedsConfirmation(Event):
    """A command that waits for its player's yes."""

    line: str  # with board and ply added, so that it means the same later
    section: str  # a template in `templates/sections` that says why the command waits
    params: dict[str, Any] = field(default_factory=dict)
    board_id: int | None = None
    comment: tuple[str, ...] = ()  # sent below the command
    kept: bool = False  # a submitted move, which has a question of its own and waits longer

    for_sender = True

    @property
    def acted_on(self) -> int | None:
        return self.board_id


@dataclass(frozen=True)
class Guest:
    """An invited person, with a proposed handle and the token of the question to that person."""

    address: str
    handle: str
    token: str


class Invited(Event):
    """People are invited by address to a pending challenge."""

    challenge_id: int
    addresses: tuple[str, ...]
    game: str
    comment: tuple[str, ...] = ()  # stored with the challenge
    guests: tuple[Guest, ...] = ()  # filled in when the questions are sent

    for_sender = True


class AddressWanted(Event):
    address: str
    instead: bool  # of the player's first address
    token: str = ""  # of the question to the new address

    for_sender = True


class Forgotten(Event):
    """A player has left the server for good. `address` is where the player was reached."""

    address: str
    handle: str

    for_sender = True


class SeekNews(Event):
    """A seek (an open challenge) has changed; players who have joined it and wait are told."""

    seek: int
    what: str  # `joined`, `left`, `withdrawn`, `lapsed`, or `gone`: the maker is inactive
    handle: str
    readers: tuple[int, ...]
    waiting: int  # found so far
    players: int  # needed
    pairs: bool = False  # the command `play` opened the seek


class Proposed(Event):
    """The `players` are asked to accept a pending challenge; `comment` is stored with it."""

    challenge_id: int
    players: tuple[int, ...]
    comment: tuple[str, ...] = ()

    for_sender = True


class CalledOff(Event):
    """A pending challenge has ended without a game. The players `readers` are told."""

    by: str  # who had made the challenge
    game: str
    why: str  # `refused`, `withdrawn`, `lapsed`, `left` or `impossible`
    who: tuple[str, ...]  # who refused, withdrew, did not answer, left or cannot play
    readers: tuple[int, ...]
    comment: tuple[str, ...] = ()

    for_sender = True


class Messaged(Event):
    """A player writes to others, in a mail about no board. The `readers` get it."""

    by: int
    handle: str
    to: tuple[str, ...]  # all to whom it was written
    readers: tuple[int, ...]
    lines: tuple[str, ...]

    for_sender = True


class Reported(Event):
    """A player tells the operator about a board on which somebody behaves badly."""

    number: int
    about: int
    handle: str
    lines: tuple[str, ...]  # what the player writes
    words: tuple[dict[str, Any], ...]  # comments of the other players
    mailed: bool  # to the operator
    last: bool  # of those mailed today

    for_sender = True


class HintAsked(Event):
    """A player asked for a hint, which comes in a separate mail once it is found."""

    board_id: int
