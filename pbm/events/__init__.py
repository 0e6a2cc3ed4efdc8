"""Events: what happened in one transaction. `pbm.service.telling` turns them into mails.

Each event declares who reads it, and whether it counts against the limit of comments or the limit
of mails to others. The module `board` has facts, which are told in words above a board;
`by_operator` has acts of the operator.
"""

from collections.abc import Iterable
from dataclasses import Field, dataclass, field
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Event:
    """Something that happened; each subclass is a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    for_sender = False  # told to the sender alone, or to others in mails without a board

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    @property
    def acted_on(self) -> int | None:
        """The number of the board that the command behind the event is about; None for no board."""
        return None

    @property
    def asked(self) -> tuple[str, ...]:
        """The recipients of a question or notice about the event: addresses, or `player N`.

        Each recipient counts once against the limit of mails to others that one mail may cause.
        """
        return ()

    @property
    def mails(self) -> int:
        """The number of mails that the event causes to players other than the sender."""
        return 0


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
    for_leavers = False  # players who have left the game are told, too
    exempt = False  # its mails are exempt from the limit of mails caused by others

    @property
    def acted_on(self) -> int | None:
        return self.board_id if self.acts_on_board else None

    @property
    def speaker(self) -> str | None:
        """The player (a handle) whose news this is; players who block this player get no mail."""
        return None

    @property
    def leaver(self) -> str | None:
        """The player (a handle) who is out of the game by this event; this player is told, too."""
        return None


def on_boards(events: Iterable[Event]) -> list[BoardEvent]:
    """Return the board events among `events`."""
    return [event for event in events if isinstance(event, BoardEvent)]


class MovePlayed(BoardEvent):
    """A ply was played."""

    ply: int

    acts_on_board = only_if_wanted = happens_once = passes_turn = True
    counts_postage = False


class PlayerLeft(BoardEvent):
    """A player resigned, or the operator took the player out; the position does not change."""

    handle: str
    how: str

    acts_on_board = only_if_wanted = happens_once = passes_turn = True

    @property
    def leaver(self) -> str:
        return self.handle


class BoardEnded(BoardEvent):
    """A game is over; `by` says how, as in `Board.ended_by`.

    `places` has the place of each seat, 1 for the best; None if the board has no result.
    """

    by: str
    places: tuple[int, ...] | None

    only_if_wanted = True
    counts_postage = False


class BoardReopened(BoardEvent):
    """A finished game continues, or its result changed; the effects of the old end are undone."""

    only_if_wanted = passes_turn = for_leavers = True
    counts_postage = False


class Commented(BoardEvent):
    """A player's comment to the other players of a board.

    `first`: the player's first comment without a command on this board; the player is told that
    such comments go to the others. `vacation`: the command to suggest if the player will be away.
    """

    handle: str
    lines: tuple[str, ...]
    first: bool = False
    vacation: str | None = None

    counts_as_words = True

    @property
    def speaker(self) -> str:
        return self.handle


class Answered(Event):
    """A section of the answer to the sender.

    `section` names a template in `templates/sections`, `params` are its parameters as plain data.
    `to_all`: the sender's other addresses get the answer, too.
    """

    section: str
    params: dict[str, Any] = field(default_factory=dict)
    board_id: int | None = None
    to_all: bool = False

    for_sender = True

    @property
    def boards(self) -> list[dict[str, Any]]:
        """The boards that the section shows."""
        if "diagram" in self.params:
            return [self.params]
        named = self.params.get("boards", ())  # in some sections numbers
        return [board for board in named if isinstance(board, dict) and "diagram" in board]


class NeedsConfirmation(Event):
    """A command that waits for its player's yes, with the `comment` that was sent below it.

    `line` is the command with board and ply added, so that it means the same later. `section` names
    the template in `templates/sections` that says why the command waits.
    """

    line: str
    section: str
    params: dict[str, Any] = field(default_factory=dict)
    board_id: int | None = None
    comment: tuple[str, ...] = ()

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
    """The people at `addresses` are invited to a pending challenge; `game` is the game's name.

    `comment` is stored with the challenge. `guests`, with the tokens of the questions, are
    filled in when the questions are sent.
    """

    challenge_id: int
    addresses: tuple[str, ...]
    game: str
    comment: tuple[str, ...] = ()
    guests: tuple[Guest, ...] = ()

    for_sender = True

    @property
    def asked(self) -> tuple[str, ...]:
        return self.addresses


class AddressWanted(Event):
    """A player wants another address; the question to the new address has this `token`.

    `instead`: the new address replaces the player's first address.
    """

    address: str
    instead: bool
    token: str = ""

    for_sender = True

    @property
    def asked(self) -> tuple[str, ...]:
        return (self.address,)


class Forgotten(Event):
    """A player has left the server for good; `address` was the player's."""

    address: str
    handle: str

    for_sender = True


class SeekNews(Event):
    """A change of a seek, told to the players `readers` who wait in it.

    `what` is `joined` or `left` for a player, `withdrawn` or `lapsed` for the seek, or `gone` if
    the seek's maker became inactive. The game needs `players` players and has found `waiting`.
    `pairs`: the command `play` opened the seek.
    """

    seek: int
    what: str
    handle: str
    readers: tuple[int, ...]
    waiting: int
    players: int
    pairs: bool = False

    @property
    def mails(self) -> int:
        return len(self.readers)


class Proposed(Event):
    """The `players` are asked to accept a pending challenge; `comment` is stored with it."""

    challenge_id: int
    players: tuple[int, ...]
    comment: tuple[str, ...] = ()

    for_sender = True

    @property
    def asked(self) -> tuple[str, ...]:
        return tuple(f"player {player_id}" for player_id in self.players)


class CalledOff(Event):
    """A pending challenge of `by` is called off; the players `readers` are told.

    `why` is `refused`, `withdrawn`, `lapsed`, `left`, or `impossible`. `who` are those who refused,
    withdrew, did not answer, left, or cannot play.
    """

    by: str
    game: str
    why: str
    who: tuple[str, ...]
    readers: tuple[int, ...]
    comment: tuple[str, ...] = ()

    for_sender = True

    @property
    def asked(self) -> tuple[str, ...]:
        return tuple(f"player {player_id}" for player_id in self.readers)


class Reported(Event):
    """A player's report about a board to the operator, with the other players' comments `words`."""

    number: int
    about: int
    handle: str
    lines: tuple[str, ...]
    words: tuple[dict[str, Any], ...]

    for_sender = True


class HintAsked(Event):
    """A player asked for a hint, which comes in a separate mail once it is found."""

    board_id: int
