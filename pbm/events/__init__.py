"""What happened while one mail was obeyed. `pbm.service.telling.announce` turns it into mails.

What is told in words above a board is in `board`, and in `by_operator` what the operator did.
"""

from dataclasses import dataclass, field
from typing import Any

from pbm.events.board import BoardFact


@dataclass(frozen=True)
class MovePlayed:
    """A ply was played."""

    board_id: int
    ply: int


@dataclass(frozen=True)
class PlayerLeft:
    """A player resigned or was taken out by the operator; what stands on the board stays."""

    board_id: int
    handle: str
    how: str


@dataclass(frozen=True)
class BoardEnded:
    """A game is over, whichever way; `by` is how, as the board has it.

    `places` has one for each seat, the best is 1; None where it was closed and counts for nothing.
    """

    board_id: int
    by: str
    places: tuple[int, ...] | None


@dataclass(frozen=True)
class BoardReopened:
    """A game that was over goes on, or its end was another one: what hung on that end is void."""

    board_id: int


@dataclass(frozen=True)
class Commented:
    """A player said something to the others of a board.

    `first`: the player has not been told yet that words without a command are sent on.
    """

    board_id: int
    handle: str
    lines: tuple[str, ...]
    first: bool = False


@dataclass(frozen=True)
class Answered:
    """Something to tell the speaker alone: one section of the one answer.

    `section` names a template in `templates/sections`; `params` are its frozen parameters.
    `to_all`: the speaker's other addresses are told, too.
    """

    section: str
    params: dict[str, Any] = field(default_factory=dict)
    board_id: int | None = None
    to_all: bool = False

    @property
    def shows_board(self) -> bool:
        """Whether a board stands in the section, or several."""
        return bool(self.boards)

    @property
    def boards(self) -> list[dict[str, Any]]:
        """The boards that stand in the section."""
        if "diagram" in self.params:
            return [self.params]
        named = self.params.get("boards", ())  # in some sections numbers
        return [board for board in named if isinstance(board, dict) and "diagram" in board]


@dataclass(frozen=True)
class NeedsConfirmation:
    """A command is not done yet: its player is asked first. `line` means the same later.

    `section` names the template in `templates/sections` that says why; `comment` waits too.
    """

    line: str
    section: str
    params: dict[str, Any] = field(default_factory=dict)
    board_id: int | None = None
    comment: tuple[str, ...] = ()


@dataclass(frozen=True)
class Guest:
    """Somebody who is asked to play: under which handle, and the token that answers."""

    address: str
    handle: str
    token: str


@dataclass(frozen=True)
class Invited:
    """People who may not know this server are asked whether they play, each of them once.

    `line` starts a board of `game` once all of these addresses have said yes; `comment` waits too.
    Once that is written down, `errand_id` is the waiting challenge, and `guests` are asked.
    """

    line: str
    addresses: tuple[str, ...]
    game: str
    comment: tuple[str, ...] = ()
    errand_id: int | None = None
    guests: tuple[Guest, ...] = ()


@dataclass(frozen=True)
class AddressWanted:
    """A player wants to play from another address, which is asked; `instead` of the first one.
    `token` answers the question."""

    address: str
    instead: bool
    token: str = ""


@dataclass(frozen=True)
class Forgotten:
    """A player has left the server for good; this was the address."""

    address: str
    handle: str


@dataclass(frozen=True)
class SeekNews:
    """Something happened to a seek, of which others who wait in it are told, each by number.

    `what`: a player `joined` or `left`, or the seek is over: `withdrawn`, `lapsed`, or who made it
    is `gone`. `pairs`: it came of the wish to be paired.
    """

    seek: int
    what: str
    handle: str
    readers: tuple[int, ...]
    waiting: int
    players: int
    pairs: bool = False


@dataclass(frozen=True)
class Proposed:
    """Players are asked whether they take a challenge that waits for them; so do the words."""

    challenge_id: int
    asked: tuple[int, ...]
    comment: tuple[str, ...] = ()


@dataclass(frozen=True)
class CalledOff:
    """A challenge that waited comes to nothing, which the players of `told` read.

    `why` is `refused`, `withdrawn`, `lapsed`, `left`, or `impossible`; `who` did so. `by` had sent
    it. `comment` is what was written with that.
    """

    by: str
    game: str
    why: str
    who: tuple[str, ...]
    told: tuple[int, ...]
    comment: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reported:
    """A player has told the operator something about a board; `words` is what others said there."""

    number: int
    about: int
    handle: str
    lines: tuple[str, ...]
    words: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class HintAsked:
    """A player waits for a hint; it comes with a mail of its own once it is found."""

    board_id: int


Event = (
    BoardFact
    | MovePlayed
    | PlayerLeft
    | BoardEnded
    | BoardReopened
    | Commented
    | Answered
    | NeedsConfirmation
    | Invited
    | AddressWanted
    | Forgotten
    | SeekNews
    | Proposed
    | CalledOff
    | Reported
    | HintAsked
)
