"""Events: what happened in a turn. `pbm.service.telling` turns them into mails.

Each event declares its readers and the limits it counts against; no code sorts events by class.
Facts, which are worded above a board, are in `board`, acts of the operator in `by_operator`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


class Event:
    """Something that happened."""

    for_sender = False  # told to the sender alone, or in mails of its own

    @property
    def acted_on(self) -> int | None:
        """The existing board that a command acted on, else None."""
        return None

    @property
    def asked(self) -> tuple[str, ...]:
        """Keys of recipients who get a separate mail; each counts once."""
        return ()

    @property
    def mails(self) -> int:
        """Number of mails to others each time the event happens."""
        return 0


@dataclass(frozen=True)
class BoardEvent(Event):
    """An event on a board, whose players hear of it."""

    board_id: int

    acts_on_board = False  # a command did so, and not as a part of something else
    only_if_wanted = False  # others read of it with mails=all, or if asked to act
    counts_as_words = False  # against the limit of words to one board
    counts_postage = True  # against the limit of mails to others per mail
    happens_once = False  # so words sent with it are not limited
    passes_turn = False  # it may be another player's move now
    begins_board = False
    is_chat = False
    for_leavers = False  # those who have left the game read it, too
    exempt = False  # from the limit of mails caused by others

    @property
    def acted_on(self) -> int | None:
        return self.board_id if self.acts_on_board else None

    @property
    def speaker(self) -> str | None:
        """The handle whose words or account it is about, hidden from readers who blocked that
        player."""
        return None

    @property
    def played_ply(self) -> int | None:
        """The ply that was played, None if none was."""
        return None

    @property
    def is_challenge(self) -> bool:
        """Whether it begins a board by a challenge."""
        return False

    @property
    def leaver(self) -> str | None:
        """The handle of a player whom it takes out of the game, and who still reads it."""
        return None


def on_boards(events: Iterable[Event]) -> list[BoardEvent]:
    """The board events among some events."""
    return [event for event in events if isinstance(event, BoardEvent)]


@dataclass(frozen=True)
class MovePlayed(BoardEvent):
    """A ply was played."""

    ply: int

    acts_on_board = only_if_wanted = happens_once = passes_turn = True
    counts_postage = False

    @property
    def played_ply(self) -> int:
        return self.ply


@dataclass(frozen=True)
class PlayerLeft(BoardEvent):
    """A player resigned or was taken out by the operator; what stands on the board stays."""

    handle: str
    how: str

    only_if_wanted = happens_once = passes_turn = True

    @property
    def acted_on(self) -> int:
        return self.board_id

    @property
    def leaver(self) -> str:
        return self.handle


@dataclass(frozen=True)
class BoardEnded(BoardEvent):
    """A game is over; `by` is how, as the board has it.

    `places` has one for each seat, 1 the best; None if it was closed and counts for nothing.
    """

    by: str
    places: tuple[int, ...] | None

    only_if_wanted = True
    counts_postage = False


@dataclass(frozen=True)
class BoardReopened(BoardEvent):
    """A finished game goes on, or its end has changed; the old end's effects are void."""

    only_if_wanted = passes_turn = for_leavers = True
    counts_postage = False


@dataclass(frozen=True)
class Commented(BoardEvent):
    """A player's comment to the others of a board.

    `first`: the player has not been told yet that words without a command are sent on.
    """

    handle: str
    lines: tuple[str, ...]
    first: bool = False

    counts_as_words = is_chat = True

    @property
    def speaker(self) -> str:
        return self.handle


@dataclass(frozen=True)
class Answered(Event):
    """A section of the one answer to the speaker.

    `section` names a template in `templates/sections`; `params` are its frozen parameters.
    `to_all`: the speaker's other addresses get it, too.
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


@dataclass(frozen=True)
class NeedsConfirmation(Event):
    """A command waits for its player's yes.

    `line` is the same command, and keeps its meaning if the board changes.

    `section` names the template in `templates/sections` that says why. `comment` are the words that
    wait with the command.
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
    """An invited person: address, handle to use, and the token of the question."""

    address: str
    handle: str
    token: str


@dataclass(frozen=True)
class Invited(Event):
    """People who may not know this server are asked once whether they play.

    The mail to each address invites to a pending challenge to a `game`, and `comment` waits with
    it. `guests` are filled in when the questions are sent.
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


@dataclass(frozen=True)
class AddressWanted(Event):
    """A player wants to play from another address, which is asked; `instead` of the first one.

    `token` is that of the question.
    """

    address: str
    instead: bool
    token: str = ""

    for_sender = True

    @property
    def asked(self) -> tuple[str, ...]:
        return (self.address,)


@dataclass(frozen=True)
class Forgotten(Event):
    """A player has left the server for good; `address` was theirs."""

    address: str
    handle: str

    for_sender = True


@dataclass(frozen=True)
class SeekNews(Event):
    """A change of a seek, told to others who wait in it (`readers`, their numbers).

    `what`: a player `joined` or `left`, or the seek is over: `withdrawn`, `lapsed`, or its maker is
    `gone`. `pairs`: it was opened by `play`.
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


@dataclass(frozen=True)
class Proposed(Event):
    """Players are asked to accept a pending challenge; `comment` waits too."""

    challenge_id: int
    players: tuple[int, ...]
    comment: tuple[str, ...] = ()

    for_sender = True

    @property
    def asked(self) -> tuple[str, ...]:
        return tuple(f"player {player_id}" for player_id in self.players)


@dataclass(frozen=True)
class CalledOff(Event):
    """A pending challenge is cancelled, which the players of `readers` are told.

    `why` is `refused`, `withdrawn`, `lapsed`, `left`, or `impossible`; `who` caused it. `by` had
    sent the challenge. `comment` are the words sent along.
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


@dataclass(frozen=True)
class Reported(Event):
    """A player's report about a board to the operator; `words` is what others said there."""

    number: int
    about: int
    handle: str
    lines: tuple[str, ...]
    words: tuple[dict[str, Any], ...]

    for_sender = True


@dataclass(frozen=True)
class HintAsked(Event):
    """A player asked for a hint; it comes in a mail of its own once found."""

    board_id: int
